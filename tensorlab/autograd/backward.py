"""What users call to run a backward pass: `backward` and `grad`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from tensorlab.autograd import engine
from tensorlab.autograd.edges import GradientEdge
from tensorlab.autograd.graph import Edge, Gradient
from tensorlab.autograd.views import edge_of, grad_fn
from tensorlab.backends import HOST, Backend
from tensorlab.core import layout
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor, make_dense

Tensors = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]


def backward(
    tensors: Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | Mapping[Any, Tensor | GradientEdge] | None = None,
) -> None:
    """Add to the ``grad`` of each leaf the gradients of several tensors.

    Args:
        tensors: what to differentiate.
        grad_tensors: for each the gradient that it begins with; None for a tensor of one element is 1.
        retain_graph: keep what the graph kept, for another pass; by default what `create_graph` is.
        create_graph: record the pass, so that gradients can be differentiated in turn.
        inputs: only these get a gradient; those that are no leaves get it too.

    Raises:
        RuntimeError: a tensor requires no gradient, or has several elements and no gradient was given.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> tl.autograd.backward([x.sum(), 2 * x], [None, tl.ones(2)])
        >>> x.grad
        tensor([3., 3.])
    """
    roots = _roots(_several(tensors), _several(grad_tensors))
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        engine.run(roots, retain_graph=keep, create_graph=create_graph)
        return
    chosen = _values(inputs)
    if not chosen:
        raise RuntimeError("'inputs' argument to backward cannot be empty: leave it out to reach all leaves")
    wanted = [_input_edge(tensor) for tensor in chosen]
    for tensor in chosen:
        if isinstance(tensor, Tensor) and grad_fn(tensor) is not None:
            tensor.retain_grad()
    engine.run(roots, retain_graph=keep, create_graph=create_graph, wanted=wanted)


def grad(
    outputs: Tensors,
    inputs: Tensors | Mapping[Any, Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of the outputs with respect to the inputs, summed over the outputs; no ``grad`` changes.

    Args:
        outputs: what to differentiate.
        inputs: with respect to what; of a dictionary of tensors the result is one of gradients.
        grad_outputs: for each output the gradient that it begins with; None for one of one element is 1.
        retain_graph: keep what the graph kept, for another pass; by default what `create_graph` is.
        create_graph: record the pass, so that the results can be differentiated in turn.
        only_inputs: ignored, as PyTorch ignores it.
        allow_unused: whether an input that no output depends on gets None; if not, that is an error.
        is_grads_batched: `grad_outputs` have one dimension more, the first: one pass is made for each of its
            positions, and the results are stacked.
        materialize_grads: zeros instead of None.

    Raises:
        RuntimeError: an output or an input requires no gradient, an input was not used, or there is none.
        ValueError: `allow_unused` is False and zeros are asked for.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor(3.0, requires_grad=True)
        >>> (slope,) = tl.autograd.grad(x**2, x, create_graph=True)
        >>> slope, tl.autograd.grad(slope, x)
        (tensor(6., grad_fn=<MulBackward0>), (tensor(2.),))
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now: to add to the leaves' grad too, call "
            "tensorlab.autograd.backward",
            FutureWarning,
            stacklevel=2,
        )
    if allow_unused is False and materialize_grads:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True")
    unused = materialize_grads if allow_unused is None else allow_unused
    chosen = _values(inputs)
    if not chosen:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty: name what to differentiate by")
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        batches = _batched(_several(outputs), chosen, _several(grad_outputs), keep, create_graph)
        return _named(inputs, _answers(batches, chosen, unused, materialize_grads))
    roots = _roots(_several(outputs), _several(grad_outputs))
    found = engine.run(
        roots,
        retain_graph=keep,
        create_graph=create_graph,
        wanted=[_input_edge(tensor) for tensor in chosen],
        to_leaves=False,
    )
    return _named(inputs, _answers(found, chosen, unused, materialize_grads))


def _values(given: Any) -> tuple:
    """The tensors that an argument means, which may have names."""
    return tuple(given.values()) if isinstance(given, Mapping) else _several(given)


def _named(inputs: Any, gradients: tuple[Gradient, ...]) -> Any:
    """The gradients under the names of the inputs, if those have some."""
    return dict(zip(inputs, gradients, strict=True)) if isinstance(inputs, Mapping) else gradients


def _answers(
    found: Sequence[Gradient], inputs: tuple, unused: bool, materialize: bool
) -> tuple[Gradient, ...]:
    """The gradients that were found, and zeros or None, or an error, for the inputs that none reached."""
    results = list(found)
    for position, gradient in enumerate(found):
        if gradient is None:
            if materialize:
                results[position] = inputs[position].detach().new_zeros(inputs[position].shape)
            elif not unused:
                raise RuntimeError(
                    f"One of the differentiated Tensors appears to not have been used in the graph: input "
                    f"{position}, of shape {list(inputs[position].shape)}. Set allow_unused=True if this is "
                    f"the desired behavior."
                )
    return tuple(results)


def _batched(
    outputs: tuple, inputs: tuple, gradients: tuple, keep: bool, create_graph: bool
) -> tuple[Gradient, ...]:
    """One pass for each position of the gradients' first dimension."""
    sizes = _sizes_of_batches(outputs, gradients)
    if len(sizes) != 1:
        raise ValueError(
            f"is_grads_batched=True: Expected all tensors to have the same size in the mapped dimension, the "
            f"first dimension of each gradient, got sizes {sizes}"
        )
    size = sizes[0]
    if not size:
        raise IndexError("is_grads_batched=True: the gradients have a first dimension of size 0, no batch")
    each = [
        grad(
            outputs,
            inputs,
            [None if gradient is None else gradient[position] for gradient in gradients],
            retain_graph=keep or position + 1 < size,
            create_graph=create_graph,
            allow_unused=True,
        )
        for position in range(size)
    ]
    results: list[Gradient] = []
    for column in zip(*each, strict=True):
        first: Any = column[0]
        if first is None:
            results.append(None)
            continue
        together = first.new_empty((size, *first.shape))
        for position, gradient in enumerate(column):
            together[position] = gradient
        results.append(together)
    return tuple(results)


def _sizes_of_batches(outputs: tuple, gradients: tuple) -> list[int]:
    """The sizes of the first dimensions of gradients, each once.

    Raises:
        RuntimeError: a gradient has not the shape of its output, behind its first dimension; or there is
            none for an output of several elements.
    """
    sizes: list[int] = []
    for position, (output, gradient) in enumerate(
        zip(outputs, gradients or (None,) * len(outputs), strict=True)
    ):
        if gradient is None:
            _beginning(output._shape, output._dtype, None, position)  # refuses what has several elements
            continue
        _need_gradient(gradient)
        if gradient.shape[1:] != output.shape or not gradient.ndim:
            raise RuntimeError(
                f"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
                f"batch dimension, and the others have to be those of the output: grad_output[{position}] "
                f"has shape {list(gradient.shape)}, and output[{position}] has shape {list(output.shape)}"
            )
        if gradient.shape[0] not in sizes:
            sizes.append(gradient.shape[0])
    return sizes


def _roots(tensors: tuple, gradients: tuple) -> list[tuple[Edge, Tensor]]:
    """Where a pass begins."""
    if not gradients:
        gradients = (None,) * len(tensors)
    roots = []
    for position, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=False)):
        if isinstance(tensor, GradientEdge):
            edge = tensor.edge  # its tensor may be gone
            shape: Any = edge.shape
            roots.append((edge, _beginning(shape, edge.dtype, gradient, position)))
            continue
        if not isinstance(tensor, Tensor):
            raise AssertionError(
                f"Expected output to be a Tensor, got {type(tensor).__name__}: only of a tensor is known how "
                f"it was computed"
            )
        edge = edge_of(tensor)
        if edge is None:
            raise RuntimeError(
                f"element {position} of tensors does not require grad and does not have a grad_fn: none of "
                f"the tensors that it was computed from requires a gradient, or it was computed under "
                f"no_grad()"
            )
        beginning = _beginning(tensor._shape, tensor._dtype, gradient, position, tensor._storage.backend)
        roots.append((edge, beginning))
    if len(gradients) != len(tensors):
        raise RuntimeError(
            f"got {len(tensors)} tensors and {len(gradients)} gradients: each tensor has one, perhaps None"
        )
    return roots


def _beginning(
    shape: Size,
    element_type: dtype,
    gradient: Tensor | None,
    position: int,
    device: Backend | None = None,
) -> Tensor:
    """The gradient that a pass begins with at an output of this shape and dtype: the one given, or 1."""
    if gradient is None:
        if layout.numel(shape) != 1:
            raise RuntimeError(
                f"grad can be implicitly created only for scalar outputs: this tensor has shape "
                f"{list(shape)}; sum it first, or pass a gradient of that shape"
            )
        return _one(shape, element_type, device or HOST)
    _need_gradient(gradient)
    if gradient._shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {list(gradient._shape)} and "
            f"output[{position}] has a shape of {list(shape)}."
        )
    if device is not None and gradient._storage.backend is not device:
        if shape:
            raise RuntimeError(
                f"grad_output[{position}] is an invalid gradient - expected device {device.device} but got "
                f"{gradient.device}: move it with gradient.to({str(device.device)!r})"
            )
        return cast(Any, gradient).to(device.device)
    return gradient


def _one(shape: Size, element_type: dtype, device: Backend) -> Tensor:
    """The gradient of one element with respect to itself."""
    cell = _ones.get(element_type)
    if cell is None:
        cell = _ones[element_type] = encode_one(1, element_type)
    memory = device.allocate(1, element_type.cell)
    device.fill((memory, 0), 1, cell)
    return make_dense(memory, element_type, shape, layout.default_strides(shape), device)


_ones: dict[dtype, np.generic] = {}


def _need_gradient(gradient: object) -> None:
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")


def _input_edge(tensor: Tensor | GradientEdge) -> Edge:
    if isinstance(tensor, GradientEdge):
        return tensor.edge
    if not isinstance(tensor, Tensor):
        raise RuntimeError(
            f"all inputs have to be Tensors, but got {type(tensor).__name__}: name the tensors to "
            f"differentiate by"
        )
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def _several(given: Any) -> tuple:
    if given is None:
        return ()
    if isinstance(given, (Tensor, GradientEdge)):
        return (given,)
    if isinstance(given, (bool, int, float, str)):
        raise TypeError(
            f"expected a tensor or a sequence of tensors, got {given!r}: a gradient that a pass begins "
            f"with has its tensor's shape, as tensorlab.full_like(x, {given!r}) has"
        )
    return tuple(given)
