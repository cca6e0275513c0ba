"""The forms of operators that overwrite their first tensor: ``x.clamp_(0)`` of ``x.clamp(0)``.

An operator whose decorator has the variant ``in_place`` says with ``out`` or ``inplace`` what it is to write.
Its form passes `IN_PLACE`, or True, and is made here: with the operator's arguments, errors and example.
"""

from __future__ import annotations

import inspect
from typing import Any

from tensorlab import registry
from tensorlab.autograd.views import check_in_place
from tensorlab.dispatch.primitive import IN_PLACE
from tensorlab.ops.documentation import in_place_documentation
from tensorlab.registry import Op, op
from tensorlab.tensor import Tensor


def make_forms() -> None:
    """Register the form in place of every operator that has one. Called once, when `tensorlab.ops` loads."""
    layers = registry.functions("nn.functional").values()
    operators = dict.fromkeys([*registry.members().values(), *registry.functions("").values(), *layers])
    written = {each.function for each in operators if "in_place" in each.variants}
    for each in operators:
        if each.function in written:
            as_function = bool(each.namespace) or "in_place_function" in each.variants
            variants = ["function"] * as_function + ["method"] * ("method" in each.variants)
            op(" ".join(variants), name=f"{each.name}_", namespace=each.namespace)(_form(each))


def _form(operator: Op) -> Any:
    function: Any = operator.function
    parameters = dict(inspect.signature(function).parameters)
    last = "out" if "out" in parameters else "inplace"
    where = {last: IN_PLACE if last == "out" else True}
    del parameters[last]

    def form(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        if isinstance(input, Tensor):
            check_in_place(input)  # before the arguments are looked at, as in PyTorch
        return function(input, *arguments, **where, **keywords)

    form.__name__ = form.__qualname__ = f"{operator.name}_"
    form.__module__ = function.__module__
    place = "" if "method" in operator.variants else "F" if operator.namespace else "tl"
    form.__doc__ = in_place_documentation(function.__doc__, form.__name__, place)
    form.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name != last}
    signature = inspect.Signature(list(parameters.values()), return_annotation="Tensor")
    form.__signature__ = signature  # type: ignore[attr-defined]
    return form
