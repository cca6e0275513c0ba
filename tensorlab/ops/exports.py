"""The operators as namespaces export them.

The modules of operations call one another's functions as they are written. Users get a form that takes
tensors with names, where the operator has a rule for these, and that explains a call with an argument of the
wrong kind (see `tensorlab.contracts`). Functions that work element by element see to both themselves. Those
that make tensors make them on the default device, which what the library makes for itself does not follow.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from tensorlab import registry
from tensorlab.contracts import EXPLAINED, explained
from tensorlab.names import following, looks_itself
from tensorlab.ops.arguments import of_one_sequence
from tensorlab.ops.default_device import FACTORIES, by_default
from tensorlab.registry import Op


def exported(namespace: str) -> dict[str, Any]:
    """What a namespace of the registry exports, by name."""
    found = {name: _exported(op) for name, op in registry.functions(namespace).items()}
    home = f"tensorlab.{namespace}".rstrip(".")
    for name, function in found.items():
        if isinstance(function, FunctionType):
            written = sys.modules.get(function.__module__)
            if getattr(written, function.__qualname__, None) is not function:  # pickle is to find it
                function.__module__, function.__qualname__ = home, name
    return found


def _exported(op: Op) -> Any:
    function: Any = op.function
    if not isinstance(function, FunctionType) or looks_itself(op):
        return function
    if not op.namespace:
        function = of_one_sequence(function)
        if op.names and op.names != "unifies":
            return following(function, op.names)
    function = (
        function if function in EXPLAINED else explained(function, flags=op.namespace != "nn.functional")
    )
    return by_default(function) if not op.namespace and op.name in FACTORIES else function
