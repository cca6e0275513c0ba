"""What of PyTorch is covered, and what is different on purpose.

The book's compatibility page is made from this. The names are operators that programs written for PyTorch
use; `coverage` asks the library itself which of them it has, so the page cannot promise more than there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorlab as tl

__all__ = [
    "BESIDE_OPERATORS",
    "DIFFERENCES",
    "EVERYDAY",
    "LESS_OFTEN",
    "NOW_AND_THEN",
    "Coverage",
    "Difference",
    "coverage",
]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


EVERYDAY = _names(
    """
    add sub mul div true_divide floor_divide remainder pow neg abs sign exp log log2 log10 log1p
    sqrt rsqrt square reciprocal sin cos tan tanh sigmoid floor ceil round trunc clamp maximum
    minimum addcmul eq ne lt le gt ge isnan isinf isclose allclose equal logical_and logical_or
    logical_not where masked_fill masked_select sum mean prod var std amax amin max min argmax
    argmin all any logsumexp cumsum norm sort argsort topk unique view reshape flatten squeeze
    unsqueeze transpose t permute movedim expand expand_as broadcast_to narrow select chunk split
    unbind diagonal as_strided unfold flip roll repeat repeat_interleave tile cat stack ravel T
    contiguous clone to __getitem__ index_select index_add gather scatter scatter_add nonzero tril
    triu diag matmul mm bmm mv dot outer einsum addmm tensordot linalg.norm zeros ones full
    zeros_like ones_like eye arange linspace rand_like randn randint bernoulli multinomial float
    long bool item __radd__ __rmul__ __rsub__ softmax log_softmax nn.functional.relu
    nn.functional.leaky_relu nn.functional.gelu nn.functional.silu nn.functional.softplus
    nn.functional.linear nn.functional.conv1d nn.functional.conv2d nn.functional.max_pool2d
    nn.functional.avg_pool2d nn.functional.adaptive_avg_pool2d nn.functional.unfold
    nn.functional.pad nn.functional.batch_norm nn.functional.layer_norm nn.functional.group_norm
    nn.functional.normalize nn.functional.dropout nn.functional.embedding nn.functional.one_hot
    nn.functional.scaled_dot_product_attention nn.functional.cross_entropy nn.functional.nll_loss
    nn.functional.mse_loss nn.functional.l1_loss nn.functional.smooth_l1_loss
    nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits
    nn.functional.kl_div nn.functional.cosine_similarity
    """
)

LESS_OFTEN = _names(
    """
    fmod expm1 asin acos atan atan2 sinh cosh erf frac clamp_min clamp_max lerp addcdiv logaddexp
    hypot isfinite logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not nan_to_num var_mean
    aminmax cumprod median count_nonzero linalg.vector_norm bincount searchsorted unflatten
    broadcast_tensors split_with_sizes tensor_split rot90 hstack vstack dstack mT view_as atleast_1d
    atleast_2d meshgrid index_copy index_fill index_put take take_along_dim argwhere diag_embed
    trace baddbmm inner linalg.inv linalg.solve linalg.det linalg.cholesky linalg.matrix_power kron
    cdist full_like empty empty_like randn_like new_zeros new_ones new_full double int fill zero_
    __rpow__ __rdiv__ nn.functional.elu nn.functional.hardtanh nn.functional.relu6
    nn.functional.logsigmoid nn.functional.prelu nn.functional.glu nn.functional.bilinear
    nn.functional.conv_transpose2d nn.functional.max_pool1d nn.functional.avg_pool1d
    nn.functional.adaptive_max_pool2d nn.functional.interpolate nn.functional.pixel_shuffle
    nn.functional.instance_norm nn.functional.rms_norm nn.functional.dropout2d
    nn.functional.huber_loss nn.functional.triplet_margin_loss nn.functional.hinge_embedding_loss
    nn.functional.poisson_nll_loss
    """
)

NOW_AND_THEN = _names(
    """
    quantile nanquantile cov corrcoef histc histogram bucketize isin mode kthvalue nanmedian nanmean nansum
    unique_consecutive logcumsumexp cummax cummin diff gradient trapezoid cumulative_trapezoid renorm
    block_diag cartesian_prod combinations vander tril_indices triu_indices unravel_index scatter_reduce
    select_scatter slice_scatter diagonal_scatter masked_scatter index_reduce as_strided_scatter
    asinh acosh atanh sinc heaviside copysign nextafter frexp ldexp float_power gcd lcm angle
    logaddexp2 logit lgamma digamma polygamma mvlgamma igamma igammac erfc erfinv i0 special.entr
    special.ndtr special.ndtri special.log_ndtr special.erfcx special.xlog1py special.zeta special.i0e
    pdist dist chain_matmul linalg.multi_dot linalg.pinv linalg.matrix_rank linalg.qr linalg.svd
    linalg.eigh linalg.eig linalg.lstsq linalg.slogdet linalg.solve_triangular linalg.matrix_exp
    linalg.vander linalg.tensorinv linalg.tensorsolve linalg.lu cholesky qr svd pinverse lu
    hann_window hamming_window blackman_window bartlett_window kaiser_window stft istft fft.fft
    nn.functional.embedding_bag nn.functional.gumbel_softmax nn.functional.softmin
    nn.functional.hardswish nn.functional.hardsigmoid nn.functional.mish nn.functional.hardshrink
    nn.functional.softshrink nn.functional.tanhshrink nn.functional.softsign nn.functional.threshold
    nn.functional.rrelu nn.functional.channel_shuffle nn.functional.local_response_norm
    nn.functional.lp_pool1d nn.functional.lp_pool2d nn.functional.max_pool3d nn.functional.avg_pool3d
    nn.functional.max_unpool2d nn.functional.grid_sample nn.functional.affine_grid
    nn.functional.conv3d nn.functional.fold nn.functional.ctc_loss nn.functional.multi_margin_loss
    nn.functional.multilabel_margin_loss nn.functional.multilabel_soft_margin_loss
    nn.functional.soft_margin_loss nn.functional.margin_ranking_loss
    nn.functional.cosine_embedding_loss nn.functional.gaussian_nll_loss
    nn.functional.triplet_margin_with_distance_loss set_float32_matmul_precision
    set_default_device vmap compile
    """
)


BESIDE_OPERATORS = _names(
    """
    no_grad inference_mode autograd.grad autograd.Function autograd.gradcheck autograd.functional.hessian
    utils.checkpoint.checkpoint func.grad func.vmap Generator manual_seed save load from_dlpack device
    cuda.is_available set_printoptions testing.assert_close
    nn.Module nn.Parameter nn.Linear nn.Sequential nn.init nn.utils.clip_grad_norm_ optim.SGD optim.AdamW
    optim.lr_scheduler utils.data.DataLoader distributions.Normal amp.autocast profiler.profile
    distributed.all_reduce jit.script fft.rfft
    """
)


@dataclass(frozen=True)
class Coverage:
    """Which of some names the library has.

    Attributes:
        covered: names that exist as a function, a method or both.
        missing: names that do not exist yet; using one raises an error that says so.
    """

    covered: tuple[str, ...]
    missing: tuple[str, ...]


def coverage(names: Sequence[str]) -> Coverage:
    """Ask the library which of these names of PyTorch it has.

    Example:
        >>> coverage(["add", "linalg.nonsense"])
        Coverage(covered=('add',), missing=('linalg.nonsense',))
    """
    found = {name: _exists(name) for name in names}
    covered = tuple(name for name, exists in found.items() if exists)
    return Coverage(covered, tuple(name for name, exists in found.items() if not exists))


def _exists(name: str) -> bool:
    owner: Any = tl
    for part in name.split("."):
        if not hasattr(owner, part):
            return "." not in name and hasattr(tl.Tensor, name)
        owner = getattr(owner, part)
    return True


@dataclass(frozen=True)
class Difference:
    """One thing that is different from PyTorch on purpose.

    Attributes:
        topic: what it is about.
        pytorch: what PyTorch 2.13 does.
        here: what this library does.
        reason: why.
    """

    topic: str
    pytorch: str
    here: str
    reason: str


DIFFERENCES = (
    Difference(
        "Complex numbers",
        "dtypes `complex64` and `complex128`",
        "refused with an error that names the types there are",
        "The book teaches storage, strides, gradients and kernels; complex types add no idea to these.",
    ),
    Difference(
        "Rare dtypes",
        "`uint16`, `uint32`, `uint64`, floats of eight bits, and quantized types",
        "the ten dtypes that programs are written with; another name raises and says so",
        "Each dtype is a kernel more for every operation, and these teach nothing that the ten do not.",
    ),
    Difference(
        "Names of dimensions",
        "had them as an experiment, and took them out",
        "`names=`, `refine_names`, `align_to` and operations by name",
        "The right numbers along the wrong dimension become an error that names the dimension.",
    ),
    Difference(
        "`save` and `load`",
        "a zip archive with a pickle in it, which can run code when it is loaded",
        "a safetensors file, which holds numbers and text alone",
        "A file from a stranger may be wrong, and must not be dangerous.",
    ),
    Difference(
        "The words of an error",
        "its own words, which often leave out the shapes",
        "the same type of error, with what was given, the rule, and what would work",
        "An error is read by somebody who has just misunderstood something.",
    ),
    Difference(
        "`tensor([row, row])` of tensors",
        "refuses rows that are tensors of several elements, and takes arrays",
        "takes both",
        "`stack` does the same, and a row is a row.",
    ),
    Difference(
        "`tensor([[], [1]])`",
        "an empty first row decides: the result has the shape (2, 0), and the 1 is gone",
        "raises, as for other rows of several lengths",
        "No number should vanish without a word.",
    ),
    Difference(
        "`tensor` of a NumPy array that runs backwards, or has its bytes in the other order",
        "raises",
        "copies it; `as_tensor` copies one that runs backwards",
        "A copy needs neither negative strides nor foreign bytes. `from_numpy` shares, and raises.",
    ),
    Difference(
        "A pickle of tensors that share memory",
        "each gets memory of its own when they are read; `save`, `copy.deepcopy` keep what they share",
        "they share it again",
        "A view of a tensor is one wherever it comes from.",
    ),
    Difference(
        "`gelu` of infinity",
        "NaN in float32 and bfloat16 tensors of several elements where there is AVX-512, else infinity",
        "infinity",
        "It is the limit, and an element should not depend on its neighbours.",
    ),
    Difference(
        "`x.to(3.5)`",
        "converts to float64, because the number is one",
        "raises: a number is neither a dtype nor a device",
        "Whoever writes this means something else.",
    ),
    Difference(
        "An `out` that must grow",
        "its storage grows, and the views that look into it go along",
        "a storage that nothing else looks into grows; another one is refused",
        "A storage does not know its views, so none could be told where its cells have gone.",
    ),
    Difference(
        "A write that raises halfway, as `scatter_` with an index outside",
        "what was written before the error stays written",
        "every index is checked before the first cell changes",
        "After an error a tensor should be what it was.",
    ),
    Difference(
        "`tril_` and `triu_` of an expanded tensor",
        "writes, and elements that share a cell become what the last one says",
        "raises, as other writes do",
        "One cell cannot hold several answers.",
    ),
    Difference(
        "`addbmm_` into a tensor of another shape",
        "changes the shape of the tensor",
        "raises: a tensor that is written in place keeps its shape",
        "`addmm_` and all its relatives refuse it in PyTorch too.",
    ),
    Difference(
        "`sort` without `stable=True`",
        "equal elements may change their order, as the length and the dtype have it",
        "equal elements keep their order",
        "An order that is promised can be tested; the promise costs nothing here.",
    ),
    Difference(
        "`storage()`",
        "warns that typed storages will go",
        "gives the storage as cells of the dtype, without a warning",
        "A row of typed cells is the picture that the book draws.",
    ),
    Difference(
        "Reading a tensor over read-only NumPy memory",
        "warns, and a write changes memory that was promised not to change",
        "warns, can be read, and a write raises",
        "A silent write into somebody else's constant is never wanted.",
    ),
    Difference(
        "The dimension that an `IndexError` names",
        "the position of the item in the brackets: `x[..., 9]` says dimension 1 of a 3-dimensional tensor",
        "the dimension of the tensor that was indexed",
        "It is the dimension that the reader must look at.",
    ),
    Difference(
        "Sparse tensors",
        "a kind of tensor of their own; `embedding(sparse=True)` has a sparse gradient",
        "there are none, and `sparse=True` is refused",
        "A sparse tensor is no storage with strides, which is what every chapter is about.",
    ),
    Difference(
        "Forward-mode derivatives",
        "`autograd.forward_ad`, and `jvp` and `jacfwd` that carry derivatives along with the values",
        "`jvp` is made of two backward passes, and `jacfwd` is `jacrev`: the same numbers",
        "One mode is enough to differentiate everything; a second one is a second rule for each operation.",
    ),
    Difference(
        "`func.vmap`",
        "calls the function once, with operations that work on the whole batch",
        "calls it once for each item, and stacks the results; refuses a batch without items",
        "The results are the same; a second rule for each operation would buy speed alone. "
        "Without an item nothing tells the shape of the results.",
    ),
    Difference(
        "`checkpoint(use_reentrant=True)`",
        "an older way, which needs an input that requires a gradient, and knows no gradients of gradients",
        "refused: `use_reentrant=False` gives the same gradients",
        "PyTorch itself advises against it.",
    ),
    Difference(
        "`untyped_storage().resize_`",
        "changes how many bytes a storage has, under every tensor that looks into it",
        "refused",
        "A tensor must never reach outside its storage.",
    ),
    Difference(
        '`device="meta"`',
        "tensors that have a shape and no memory",
        "refused: tensors are made on the CPU",
        "`tensorlab.core.layout` answers the same questions, without a tensor.",
    ),
    Difference(
        "A window of `max_pool2d` that lies in the padding",
        "gives minus infinity, and its gradient is written outside of the memory",
        "refused",
        "No operation writes outside of a storage.",
    ),
)
