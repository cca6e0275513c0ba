"""What every tensor can do with gradients: the methods and properties that `Tensor` gets from here."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.backward import backward as run_backward
from tensorlab.autograd.graph import Leaf, Node, edge_number, node_of
from tensorlab.autograd.hooks import Handle, Hook
from tensorlab.autograd.views import edge_of, grad_fn, requires_grad
from tensorlab.core import modes
from tensorlab.registry import op
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor


def _set_requires_grad(input: Tensor, flag: bool) -> None:
    if not isinstance(flag, bool):
        raise RuntimeError(f"requires_grad must be a bool, not {type(flag).__name__}")
    input.requires_grad_(flag)  # the method: a tensor with names has its own


@op("method", names="copies")
def requires_grad_(input: Tensor, requires_grad: bool = True) -> Tensor:
    """Let operations on this tensor be recorded from now on, or not.

    Args:
        requires_grad: whether they are recorded.

    Raises:
        TypeError: the flag is no bool.
        RuntimeError: the dtype is not a float; or the tensor was made by a recorded operation, and so cannot
            do without.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2).requires_grad_()
        >>> (3 * x).sum().backward()
        >>> x.grad
        tensor([3., 3.])
    """
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"requires_grad_(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}"
        )
    edge = grad_fn(input)
    if edge is not None:
        if not requires_grad:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        return input
    if not requires_grad:
        input._edge = None
    elif not input._dtype.is_floating_point:
        raise RuntimeError(
            f"only Tensors of floating point dtype can require gradients, and this one is of "
            f"{input._dtype.name}: convert first, x.to(tensorlab.float32)"
        )
    elif input._edge is None:
        if input._storage._version is UNTRACKED and not modes.current.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed: "
                "clone() it"
            )
        input._edge = Leaf()
    return input


@op("property")
def is_leaf(input: Tensor) -> bool:
    """True when no recorded operation made the tensor: its gradient, if it requires one, ends in ``grad``."""
    return grad_fn(input) is None


def _grad(input: Tensor) -> Tensor | None:
    """The gradient that backward passes have added up here; None before the first."""
    return input._grad


def _set_grad(input: Tensor, gradient: Tensor | None) -> None:
    if gradient is not None:
        if not isinstance(gradient, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type "
                f"{type(gradient).__name__}"
            )
        if gradient is input:
            raise RuntimeError("can't assign Variable as its own grad")
        if gradient._dtype is not input._dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{gradient._dtype.name}' to a tensor with dtype "
                f"'{input._dtype.name}'. Please ensure that the gradient and the tensor have the same dtype"
            )
        if gradient._shape != input._shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(gradient._shape)}' to a tensor of size "
                f"'{list(input._shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
        if gradient._storage.backend is not input._storage.backend:
            raise RuntimeError(
                f"assigned grad has data located on a different device: it lies on {str(gradient.device)!r}, "
                f"and the tensor on {str(input.device)!r}. Move it with grad.to({str(input.device)!r})"
            )
    input._grad = gradient


def _delete_grad(input: Tensor) -> None:
    input._grad = None


@op("property", name="output_nr")
def _output_nr(input: Tensor) -> int:
    """Which result of the operation that made it this tensor is."""
    edge = edge_of(input) if grad_fn(input) is not None else None
    return 0 if edge is None else edge_number(edge)


@op("property", name="retains_grad")
def _retains_grad(input: Tensor) -> bool:
    """True for a tensor that is no leaf and keeps its gradient, after `retain_grad`."""
    node = grad_fn(input)
    while node is not None:
        if node.hooks is not None and any(kept() is input for kept in node.hooks.retained.values()):
            return True
        # Whoever gave this object another layout in place has left its gradient with the node before.
        before = node.edges[0] if node.is_view else None
        node = None if before is None else node_of(before)
    return False


@op("method")
def retain_grad(input: Tensor) -> None:
    """Keep the gradient of this tensor in ``grad`` too, though it is no leaf.

    Raises:
        RuntimeError: it requires no gradient.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> y.retain_grad()
        >>> y.sum().backward()
        >>> y.grad
        tensor([1., 1.])
    """
    if not requires_grad(input):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = grad_fn(input)
    if node is not None and not _retains_grad(input):
        node.own_hooks().retained[_output_nr(input)] = weakref.ref(input)


@op("method")
def register_hook(input: Tensor, hook: Hook) -> Handle:
    """Call ``hook(gradient)`` whenever a gradient of this tensor is complete.

    Args:
        hook: a function of the gradient. What it returns, if anything, takes the gradient's place. It must
            not write into the gradient.

    Returns:
        a handle whose ``remove()`` takes the hook away.

    Raises:
        RuntimeError: the tensor requires no gradient.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda gradient: 10 * gradient)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
    """
    node = _hooked_node(input, "register a hook")
    hooks = input._edge.own_hooks(input) if isinstance(input._edge, Leaf) else node.own_hooks()
    return hooks.of_tensor(_output_nr(input)).add(hook)


@op("method")
def register_post_accumulate_grad_hook(input: Tensor, hook: Hook) -> Handle:
    """Call ``hook(tensor)`` whenever a backward pass has added to this leaf's ``grad``.

    Raises:
        RuntimeError: the tensor requires no gradient, or is no leaf.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
    """
    _hooked_node(input, "register a hook")
    if not isinstance(input._edge, Leaf):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return input._edge.own_hooks(input).accumulated.add(hook)


def _hooked_node(input: Tensor, what: str) -> Node:
    edge = edge_of(input)
    if edge is None:
        raise RuntimeError(f"cannot {what} on a tensor that doesn't require gradient")
    return node_of(edge)


@op("function method")
def detach_(input: Tensor) -> Tensor:
    """Cut this tensor object off from the operation that made it: it becomes a leaf without gradient.

    Raises:
        RuntimeError: it is a view; `detach` makes another tensor object.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> y = (x * 2).detach_()
        >>> y.requires_grad, y.is_leaf
        (False, True)
    """
    if input._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
            "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
            "buckets, and hence detach_() cannot be called on these gradients."
        )
    input._edge = None
    return input


@op("function method")
def is_inference(input: Tensor) -> bool:
    """True for a tensor that was made in `tensorlab.inference_mode`.

    Example:
        >>> import tensorlab as tl
        >>> with tl.inference_mode():
        ...     tl.ones(2).is_inference()
        True
    """
    return input._storage._version is UNTRACKED


@op("method")
def _is_view(input: Tensor) -> bool:
    """True for a view of another tensor."""
    return input._base is not None


@op("method")
def backward(
    input: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add the gradient of this tensor with respect to each leaf to the leaf's ``grad``.

    Args:
        input: a tensor that requires a gradient.
        gradient: of something else with respect to this tensor, of its shape; 1 for a tensor of one element.
        retain_graph: keep what the graph kept, for another pass; by default what `create_graph` is.
        create_graph: record the pass, so that gradients can be differentiated in turn.
        inputs: only these get a gradient.

    Raises:
        RuntimeError: the tensor requires no gradient, or has several elements and no `gradient` was given.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """
    run_backward(input, gradient, retain_graph, create_graph, inputs=inputs)


@op("method", name="__deepcopy__")
def _deep_copy(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with a storage of its own, and with copies of the gradient and of what a program keeps on it.

    Raises:
        RuntimeError: an operation made the tensor, and the copy would not be that operation's result.
    """
    if grad_fn(input) is not None:
        raise RuntimeError(
            f"Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol: this "
            f"one is the result of {input.grad_fn.name()}; copy x.detach(), or take x.clone()"
        )
    function, arguments, *_ = input.__reduce__()
    copied = function(*copy.deepcopy(arguments, memo))
    if input.requires_grad:
        copied.requires_grad_()
    if input.__dict__:
        copied.__dict__.update(copy.deepcopy(input.__dict__, memo))
    if input._grad is not None:
        copied._grad = copy.deepcopy(input._grad, memo)
    return copied


op("property", name="requires_grad")(property(requires_grad, _set_requires_grad))
op("property", name="grad")(property(_grad, _set_grad, _delete_grad))
op("property", name="grad_fn")(grad_fn)
