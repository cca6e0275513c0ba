"""Functions of the user that run while gradients flow: at a tensor, before a node, after a node."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["Handle", "Hook", "HookList", "Hooks"]

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
