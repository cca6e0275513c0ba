"""Functions of the user that run while gradients flow: at a tensor, before a node, after a node."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorlab.core.memory_formats import contiguous_format
from tensorlab.tensor import Tensor

Hook = Callable[..., Any]
_ids = itertools.count()


class HookList:
    """Hooks in the order in which they were registered."""

    __slots__ = ("__weakref__", "_hooks")

    def __init__(self) -> None:
        self._hooks: dict[int, Hook] = {}

    def add(self, hook: Hook) -> Handle:
        """Add a hook at the end.

        Raises:
            TypeError: it cannot be called.
        """
        if not callable(hook):
            raise TypeError(f"a hook must be callable, got {hook!r} of type {type(hook).__name__}")
        handle = Handle(self)
        self._hooks[handle.id] = hook
        return handle

    def discard(self, number: int) -> None:
        """Take a hook away, if it is still there."""
        self._hooks.pop(number, None)

    def __iter__(self) -> Iterator[Hook]:
        return iter(list(self._hooks.values()))  # a hook may take itself away

    def __len__(self) -> int:
        return len(self._hooks)


class Handle:
    """A registered hook. ``remove()`` takes it away; as a context it does so at the end.

    Attributes:
        id: its number; no two handles have the same.
    """

    __slots__ = ("_list", "id")

    def __init__(self, hooks: HookList) -> None:
        self.id = next(_ids)
        self._list = weakref.ref(hooks)

    def remove(self) -> None:
        """Take the hook away. A second time nothing happens."""
        hooks = self._list()
        if hooks is not None:
            hooks.discard(self.id)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Hooks:
    """All hooks of a node, or of a leaf.

    Attributes:
        tensors: the hooks of the tensors that are the node's results, by the number of the result; each is
            called with the gradient, and what it returns replaces it.
        retained: the results that keep their gradient in ``grad``, by number.
        before: called with all gradients that arrive.
        after: called with the gradients that leave and those that arrived.
        accumulated: of a leaf, called with the tensor after its ``grad`` was written.
    """

    __slots__ = ("accumulated", "after", "before", "retained", "tensors")

    def __init__(self) -> None:
        self.tensors: dict[int, HookList] = {}
        self.retained: dict[int, weakref.ref[Tensor]] = {}
        self.before = HookList()
        self.after = HookList()
        self.accumulated = HookList()

    def of_tensor(self, number: int) -> HookList:
        """The hooks of one result, made if there are none."""
        return self.tensors.setdefault(number, HookList())


def run_before(hooks: Hooks, gradient: Any) -> Any:
    """What the hooks of the results and of the node make of the gradients that arrive.

    Args:
        gradient: that of the result; of several results a list, with None where none arrived.

    Returns:
        the same, with what the hooks have put in its place.

    Raises:
        TypeError: a hook returned something that is no gradient.
        RuntimeError: a hook returned too many or too few, or one of another shape or dtype.
    """
    several = isinstance(gradient, list)  # an edge led to one of several results
    gradients = list(gradient) if several else [gradient]
    for number, own in hooks.tensors.items():
        for hook in own:
            if gradients[number] is not None:
                returned = hook(gradients[number])
                if returned is not None:
                    gradients[number] = _fitting(hook, returned, gradients[number])
    for hook in hooks.before:
        returned = hook(tuple(gradients))
        if returned is not None:
            gradients = _replaced(hook, returned, gradients, "gradient that arrives")
    for number, reference in hooks.retained.items():
        tensor = reference()
        if tensor is not None and gradients[number] is not None:
            kept, held = gradients[number], tensor._grad
            if held is None:
                # A copy: what arrives may be an expanded number, or a tensor that somebody else holds.
                tensor._grad = kept.clone(memory_format=contiguous_format)
            else:
                tensor._grad = held + kept
    return gradients if several else gradients[0]


def run_accumulated(hooks: Hooks, leaf: Tensor) -> None:
    """Call the hooks of a leaf whose ``grad`` was written.

    Raises:
        TypeError: one returned something, and nothing takes it.
    """
    for hook in hooks.accumulated:
        returned = hook(leaf)
        if returned is not None and not isinstance(returned, Tensor):
            raise TypeError(
                f"hook {_name(hook)} returned {type(returned).__name__!r}: a hook of an accumulated gradient "
                f"returns nothing; to change the gradient, write x.grad"
            )


def run_after(hooks: Hooks, results: Sequence[Any], gradient: Any) -> Sequence[Any]:
    """What the hooks of a node make of the gradients that leave it; see `run_before`."""
    arrived = tuple(gradient) if isinstance(gradient, list) else (gradient,)
    for hook in hooks.after:
        returned = hook(tuple(results), arrived)
        if returned is not None:
            results = _replaced(hook, returned, results, "operand")
    return results


def _replaced(hook: Hook, returned: object, gradients: Sequence[Any], what: str) -> list[Any]:
    """The gradients that a node's hook leaves, one for each that there was."""
    if not isinstance(returned, tuple):
        raise TypeError(
            f"expected tuple, but hook {_name(hook)} returned {type(returned).__name__!r}: a node's hook "
            f"returns a tuple, one gradient for each {what}, or None to leave them as they are"
        )
    if len(returned) != len(gradients):
        raise RuntimeError(
            f"hook {_name(hook)} has returned an incorrect number of values (got {len(returned)}, but "
            f"expected {len(gradients)}): one for each {what}"
        )
    return [
        None if new is None else _fitting(hook, new, old)
        for new, old in zip(returned, gradients, strict=True)
    ]


def _fitting(hook: Hook, returned: object, gradient: Tensor | None) -> Tensor:
    """What a hook returned, if it can take the place of a gradient."""
    if not isinstance(returned, Tensor):
        raise TypeError(
            f"expected Variable, but hook {_name(hook)} returned {type(returned).__name__!r}: a gradient is "
            f"a Tensor; return None to leave it as it is"
        )
    if gradient is None:
        raise RuntimeError(
            f"can't replace a None gradient with a non-None value: hook {_name(hook)} returned a gradient "
            f"for what requires none"
        )
    if returned._shape != gradient._shape:
        raise RuntimeError(
            f"hook {_name(hook)} has changed the size of value: the gradient has shape "
            f"{list(gradient._shape)}, and it returned {list(returned._shape)}"
        )
    if returned._dtype is not gradient._dtype:
        raise RuntimeError(
            f"hook {_name(hook)} has changed the type of value: the gradient is of {gradient._dtype.name}, "
            f"and it returned {returned._dtype.name}"
        )
    return returned


def _name(hook: Hook) -> str:
    return repr(getattr(hook, "__name__", type(hook).__name__))
