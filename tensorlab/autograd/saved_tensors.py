"""What a node keeps for the backward pass: tensors with their versions, and numbers.

A tensor that is kept must be what it was when the backward pass reads it. Every storage counts its writes, so
a node notes the count and compares.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from tensorlab.autograd.graph import AccumulateGrad, Leaf, Node, edge_number, node_of
from tensorlab.autograd.last_writer import writer_of
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, without_history


class _Packing(threading.local):
    """The hooks of one thread, the innermost last, and the reason why there must be none."""

    def __init__(self) -> None:
        self.hooks: list[tuple[Callable, Callable]] = []
        self.refusal: str | None = None


packing = _Packing()

# How many contexts with hooks are entered, in all threads: most programs never look further.
packers = 0


class Packed:
    """A kept tensor in the form that a pack hook gave it, and where gradients of the tensor go on.

    The hooks need not care for the graph: what comes back has the history of what was kept.
    """

    __slots__ = ("_accumulator", "_content", "_edge", "_unpack")

    def __init__(self, tensor: Tensor) -> None:
        self._edge = tensor._edge
        self._accumulator = self._edge.node(tensor) if isinstance(self._edge, Leaf) else None
        pack, self._unpack = packing.hooks[-1]
        version = tensor._storage._version
        self._content = pack(tensor)
        if tensor._storage._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place: the tensor belongs to the program "
                "that computes with it; let the hook write into tensor.clone()"
            )

    def unpacked(self) -> Tensor:
        """The tensor, from the unpack hook.

        Raises:
            TypeError: the hook returned something else.
        """
        tensor = self._unpack(self._content)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        if tensor._edge is self._edge:
            return tensor
        alias = without_history(tensor)
        alias._edge = self._edge
        return alias


class KeptTensors(dict[Any, Tensor]):
    """Tensors that a node keeps together, by a key of any kind."""

    _written: Callable[[], list[tuple[int, int]]]

    def note(self) -> int:
        """Note the versions that they have now.

        Returns:
            how many they are.

        Raises:
            RuntimeError: one was made in inference mode (see `version_of`).
        """
        self._written = written_since(tuple(self.values()))
        return len(self)

    def check(self, node: Node, name: str) -> None:
        """Refuse to go on if one was written since.

        Raises:
            RuntimeError: one was; see `check_version`.
        """
        for position, writes in self._written():
            tensor = tuple(self.values())[position]
            check_version(node, f"{name}[{position}]", tensor, tensor._storage._version - writes)


class saved_tensors_hooks:
    """A context in which every tensor that is kept for a backward pass goes through two functions.

    Args:
        pack_hook: takes the tensor when it is kept, and returns anything.
        unpack_hook: takes that, and returns a tensor of the same content.

    Example:
        >>> import tensorlab as tl
        >>> kept = []
        >>> x = tl.ones(2, requires_grad=True)
        >>> with tl.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.shape) or t, lambda t: t):
        ...     y = x * x
        >>> kept
        [tensorlab.Size([2]), tensorlab.Size([2])]
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if packing.refusal is not None:
            raise RuntimeError(packing.refusal)
        global packers
        packing.hooks.append((self.pack_hook, self.unpack_hook))
        packers += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global packers
        packing.hooks.pop()
        packers -= 1


class save_on_cpu(saved_tensors_hooks):
    """A context in which kept tensors lie in the computer's own memory, and not on the device.

    Args:
        pin_memory: has no meaning without a GPU.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda kept: kept[1].to(kept[0]))


class allow_mutation_on_saved_tensors:
    """A context in which tensors that are kept for a backward pass may be written.

    The pass sees the values that they had. Each tensor is copied when it is kept, so a graph takes more
    memory here than outside; PyTorch copies when a kept tensor is written. The pass has to run inside of the
    context too.

    Example:
        >>> import tensorlab as tl
        >>> with tl.autograd.graph.allow_mutation_on_saved_tensors():
        ...     x = tl.ones(2, requires_grad=True)
        ...     y = x.clone()
        ...     z = y.square().sum()
        ...     _ = y.mul_(10)
        ...     z.backward()
        >>> x.grad
        tensor([2., 2.])
    """

    _entered = False

    def __enter__(self) -> allow_mutation_on_saved_tensors:
        if allow_mutation_on_saved_tensors._entered:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self._open = True
        self._hooks = saved_tensors_hooks(self._copied, self._held)
        self._hooks.__enter__()
        allow_mutation_on_saved_tensors._entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        allow_mutation_on_saved_tensors._entered = self._open = False
        self._hooks.__exit__(kind, error, trace)

    def clear(self) -> None:
        """Let go of the copies: no graph of this context can run backward any more."""
        self._open = False

    @staticmethod
    def _copied(tensor: Tensor) -> Tensor:
        whole: Any = tensor.detach()
        return whole.clone()

    def _held(self, copy: Tensor) -> Tensor:
        if not self._open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the "
                "graph was originally recorded."
            )
        return copy


class disable_saved_tensors_hooks:
    """A context in which `saved_tensors_hooks` must not be used.

    Args:
        error_message: what the error says.
    """

    def __init__(self, error_message: str) -> None:
        self._message = error_message

    def __enter__(self) -> None:
        self._before = packing.refusal
        packing.refusal = self._message

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        packing.refusal = self._before


def version_of(tensor: Tensor) -> int:
    """The count of writes to note beside a tensor that is kept.

    Raises:
        RuntimeError: the tensor was made in inference mode, and its writes are not counted.
    """
    version = tensor._storage._version
    if version is UNTRACKED:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
            "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
            "normal tensor and use it in autograd, or use `tensorlab.no_grad()` instead of "
            "`tensorlab.inference_mode()`."
        )
    return version


def written_since(tensors: Sequence[Tensor]) -> Callable[[], list[tuple[int, int]]]:
    """Note the versions of some tensors, and return what tells which of them were written since.

    Every tensor over a storage sees its count of writes, so it does not matter through which of them a write
    went. A copy is never made.

    Returns:
        a function without arguments, which may be called any number of times. It lists the tensors whose
        storage was written since the noting: their positions, each with the number of writes.

    Raises:
        RuntimeError: one was made in inference mode (see `version_of`).

    Example:
        >>> import tensorlab as tl
        >>> x, y = tl.zeros(3), tl.zeros(3)
        >>> written = tl.autograd.saved_tensors.written_since([x, y])
        >>> y[1:].fill_(7)
        tensor([7., 7.])
        >>> written()
        [(1, 1)]
    """
    versions = [version_of(tensor) for tensor in tensors]

    def written() -> list[tuple[int, int]]:
        now = [tensor._storage._version for tensor in tensors]
        pairs = enumerate(zip(now, versions, strict=True))
        return [(position, new - old) for position, (new, old) in pairs if new != old]

    return written


def release(node: Any) -> None:
    """Let go of what a node kept, if there is a tensor among it. A node that kept none can run again.

    Args:
        node: what it keeps is the tuple ``node.kept``, or None once it has let go. ``node.versions`` has an
            entry for each value: the version of a tensor, None for all else.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> node = x.exp().grad_fn
        >>> tl.autograd.saved_tensors.release(node)
        >>> node.kept is None
        True
    """
    if node.versions.count(None) < len(node.versions):
        node.kept = None


def noted_version(value: Any) -> int | None:
    """What to note beside a value that is kept: its version if it can be written, None for all else.

    Raises:
        RuntimeError: it was made in inference mode.
    """
    if isinstance(value, Tensor):
        return version_of(value)
    return value.note() if value.__class__ is KeptTensors else None


def check_version(node: Node, name: str, tensor: Tensor, version: int) -> None:
    """Refuse to go on with a tensor that was written since it was kept.

    Raises:
        RuntimeError: it was; the message says which operation kept it, and which wrote it if that is known.
    """
    if tensor._storage._version != version:
        now = tensor._storage._version
        writer = writer_of(tensor._storage)
        who = "" if writer is None else f" {writer} wrote it{' last' if now - version > 1 else ''}."
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{node.name()} kept a tensor of shape {list(tensor._shape)} and dtype {tensor._dtype.name} as "
            f"`{name}`{_origin(node, name)}; it was at version {version} then, and is at version {now} now."
            f"{who} Compute {node.name()}'s operation after the write, or write into a clone()."
        )


def _origin(node: Node, name: str) -> str:
    """Where a tensor that a node kept comes from, in words: another node, a leaf, the node itself."""
    if name.startswith("result"):
        return ", its own result"
    names = getattr(node, "inputs", ())
    slots = getattr(node, "slots", None) or range(len(names))
    if name not in names or names.index(name) not in slots:
        return ""
    edge = node.edges[list(slots).index(names.index(name))]
    if edge is None:
        return ", which requires no gradient"
    source = node_of(edge)
    if isinstance(source, AccumulateGrad):
        return ", a leaf"
    return f", result {edge_number(edge)} of {source.name()}"


def freed(node: Node) -> RuntimeError:
    """The error of a node that is to run again after it let go of what it kept."""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they "
        f"have already been freed): {node.name()} let go of what it kept when it ran. Specify "
        "retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )
