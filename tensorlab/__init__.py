"""tensorlab: tensors with PyTorch's semantics, written to be read.

``import tensorlab as tl`` gives the library that the book *Tensors, Inside Out* opens up. Importing it
compiles nothing and loads neither Numba nor a widget; each comes when it is first needed.
"""

from __future__ import annotations

import importlib
import importlib.util
from math import e, inf, nan, pi
from typing import Any

if importlib.util.find_spec("numpy") is None:
    raise ModuleNotFoundError(
        "tensorlab needs NumPy, which this Python does not have: run `python3 book` in the project's folder, "
        "which makes an environment with all that is needed",
        name="numpy",
    )

from tensorlab import autograd, contracts, dtypes, layout, linalg, names, random, return_types
from tensorlab.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from tensorlab.autograd.methods import (
    detach_,
    is_inference,
)
from tensorlab.devices import device
from tensorlab.dtypes import (
    bfloat16,
    bool,
    can_cast,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from tensorlab.layout import Size
from tensorlab.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
    strided,
)
from tensorlab.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from tensorlab.names.functions import align_tensors
from tensorlab.numeric_limits import (
    finfo,
    iinfo,
)
from tensorlab.ops.activations import (
    celu,
    selu,
)
from tensorlab.ops.aliases import (
    conj,
    detach,
    real,
    resolve_conj,
    resolve_neg,
)
from tensorlab.ops.angles import deg2rad, deg2rad_, rad2deg, rad2deg_
from tensorlab.ops.arguments import of_one_sequence
from tensorlab.ops.arithmetic import (
    add,
    div,
    divide,
    floor_divide,
    fmod,
    positive,
    pow,
    remainder,
    rsub,
    sub,
    subtract,
    true_divide,
)
from tensorlab.ops.blends import addcdiv, addcmul, lerp
from tensorlab.ops.bounds import (
    clamp,
    clamp_,
    clamp_max,
    clamp_max_,
    clamp_min,
    clamp_min_,
    clip,
    clip_,
    nan_to_num,
    nan_to_num_,
    round,
    round_,
)
from tensorlab.ops.casts import (
    is_complex,
    is_floating_point,
    is_tensor,
    numel,
)
from tensorlab.ops.chains import chain_matmul
from tensorlab.ops.channels import (
    channel_shuffle,
    prelu,
)
from tensorlab.ops.choice import allclose, equal, isclose, where
from tensorlab.ops.combinations import (
    block_diag,
    cartesian_prod,
    combinations,
    vander,
)
from tensorlab.ops.contractions import addr, cross, ger, inner, kron, outer, tensordot, trace
from tensorlab.ops.conversion import (
    clone,
    contiguous,
    fill,
    fill_,
    zero_,
)
from tensorlab.ops.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from tensorlab.ops.covariance import (
    corrcoef,
    cov,
)
from tensorlab.ops.creation import empty, empty_strided, full, ones, scalar_tensor, zeros
from tensorlab.ops.cumulative import cummax, cummin, cumprod, cumsum
from tensorlab.ops.cumulative_logs import (
    logcumsumexp,
)
from tensorlab.ops.diagonals import (
    diag,
    diag_embed,
    diagflat,
    tril,
    triu,
)
from tensorlab.ops.differences import (
    diff,
    gradient,
)
from tensorlab.ops.dims import (
    adjoint,
    moveaxis,
    movedim,
    permute,
    swapaxes,
    swapdims,
    t,
    transpose,
)
from tensorlab.ops.dispatch import result_type
from tensorlab.ops.distances import (
    cdist,
    dist,
    pdist,
)
from tensorlab.ops.einsum import einsum
from tensorlab.ops.extremes import amax, amin, aminmax, argmax, argmin, max, min
from tensorlab.ops.factorizations import det, slogdet
from tensorlab.ops.float_parts import (
    frexp,
    nextafter,
)
from tensorlab.ops.from_data import (
    as_tensor,
    asarray,
    tensor,
)
from tensorlab.ops.histograms import (
    histogram,
)
from tensorlab.ops.indexing.advanced import index_put, index_put_
from tensorlab.ops.indexing.along import gather, scatter, scatter_add, take_along_dim
from tensorlab.ops.indexing.flat import put, take
from tensorlab.ops.indexing.masks import argwhere, masked_fill, masked_scatter, masked_select, nonzero
from tensorlab.ops.indexing.scatter_reduction import scatter_reduce
from tensorlab.ops.indexing.slices import index_add, index_copy, index_fill, index_select
from tensorlab.ops.integrals import (
    cumulative_trapezoid,
    trapezoid,
    trapz,
)
from tensorlab.ops.joining import (
    cat,
    column_stack,
    concat,
    concatenate,
    dstack,
    hstack,
    row_stack,
    stack,
    vstack,
)
from tensorlab.ops.least_dims import atleast_1d, atleast_2d, atleast_3d
from tensorlab.ops.legacy import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from tensorlab.ops.likes import empty_like, full_like, ones_like, zeros_like
from tensorlab.ops.linalg import inverse, logdet, matrix_power
from tensorlab.ops.margin_losses import (
    pairwise_distance,
)
from tensorlab.ops.matmul import (
    addbmm,
    addmm,
    addmv,
    addmv_,
    baddbmm,
    bmm,
    dot,
    matmul,
    mm,
    mv,
    vdot,
)
from tensorlab.ops.membership import isin
from tensorlab.ops.multinomial import multinomial
from tensorlab.ops.normalisation import group_norm, layer_norm, rms_norm
from tensorlab.ops.norms import (
    norm,
    renorm,
)
from tensorlab.ops.older_linalg import (
    cholesky,
    matrix_exp,
    pinverse,
    qr,
    svd,
)
from tensorlab.ops.order_statistics import median, mode, nanmedian
from tensorlab.ops.padding import constant_pad_nd
from tensorlab.ops.parts import diagonal, narrow, select
from tensorlab.ops.pieces import (
    celu_,
    hardshrink,
    selu_,
    threshold,
    threshold_,
)
from tensorlab.ops.pointwise import (
    abs,
    abs_,
    absolute,
    acos,
    acos_,
    acosh,
    acosh_,
    angle,
    arccos,
    arccos_,
    arccosh,
    arccosh_,
    arcsin,
    arcsin_,
    arcsinh,
    arcsinh_,
    arctan,
    arctan2,
    arctan_,
    arctanh,
    arctanh_,
    asin,
    asin_,
    asinh,
    asinh_,
    atan,
    atan2,
    atan_,
    atanh,
    atanh_,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    ceil_,
    copysign,
    cos,
    cos_,
    cosh,
    cosh_,
    eq,
    erf,
    erf_,
    erfc,
    erfc_,
    exp,
    exp2,
    exp2_,
    exp_,
    expm1,
    expm1_,
    fix,
    fix_,
    floor,
    floor_,
    fmax,
    fmin,
    frac,
    frac_,
    ge,
    greater,
    greater_equal,
    gt,
    hypot,
    isfinite,
    isinf,
    isnan,
    le,
    less,
    less_equal,
    log,
    log1p,
    log1p_,
    log2,
    log2_,
    log10,
    log10_,
    log_,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    maximum,
    minimum,
    mul,
    multiply,
    ne,
    neg,
    neg_,
    negative,
    negative_,
    not_equal,
    reciprocal,
    reciprocal_,
    relu,
    relu_,
    rsqrt,
    rsqrt_,
    sgn,
    sigmoid,
    sigmoid_,
    sign,
    signbit,
    sin,
    sin_,
    sinc,
    sinc_,
    sinh,
    sinh_,
    sqrt,
    sqrt_,
    square,
    square_,
    tan,
    tan_,
    tanh,
    tanh_,
    trunc,
    trunc_,
    xlogy,
    xlogy_,
)
from tensorlab.ops.pooling import (
    adaptive_avg_pool1d,
    avg_pool1d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
)
from tensorlab.ops.precision import (
    get_float32_matmul_precision,
    set_float32_matmul_precision,
)
from tensorlab.ops.quantiles import (
    nanquantile,
    quantile,
)
from tensorlab.ops.questions import (
    get_device,
    is_conj,
    is_neg,
    is_nonzero,
    is_same_size,
    is_signed,
    isneginf,
    isposinf,
    isreal,
)
from tensorlab.ops.random import bernoulli, normal, poisson, rand, rand_like, randn, randn_like
from tensorlab.ops.random_integers import randint, randint_like, randperm
from tensorlab.ops.ranges import (
    arange,
    eye,
    linspace,
    logspace,
    tril_indices,
    triu_indices,
)
from tensorlab.ops.rearranging import (
    flip,
    fliplr,
    flipud,
    meshgrid,
    repeat_interleave,
    roll,
    rot90,
    tile,
)
from tensorlab.ops.reduction import all, any, count_nonzero, mean, nanmean, nansum, prod, sum
from tensorlab.ops.resizing import resize_as_
from tensorlab.ops.restriding import (
    as_strided,
    as_strided_,
)
from tensorlab.ops.search import (
    bucketize,
    histc,
    searchsorted,
    unravel_index,
)
from tensorlab.ops.shape import (
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    flatten,
    ravel,
    reshape,
    squeeze,
    unflatten,
    unsqueeze,
)
from tensorlab.ops.sharing import from_dlpack, from_numpy, frombuffer
from tensorlab.ops.similarity import cosine_similarity
from tensorlab.ops.softmax import log_softmax, logsumexp, softmax
from tensorlab.ops.sorting import argsort, kthvalue, msort, sort, topk
from tensorlab.ops.special import (
    digamma,
    erfinv,
    float_power,
    gcd,
    gcd_,
    heaviside,
    lcm,
    lcm_,
    ldexp,
    ldexp_,
    lgamma,
    logit,
    logit_,
    polygamma,
)
from tensorlab.ops.splitting import (
    chunk,
    dsplit,
    hsplit,
    split,
    split_with_sizes,
    tensor_split,
    unbind,
    vsplit,
)
from tensorlab.ops.tapers import (
    bartlett_window,
    blackman_window,
    hamming_window,
    hann_window,
    kaiser_window,
)
from tensorlab.ops.unfolding import pixel_shuffle, pixel_unshuffle
from tensorlab.ops.uniqueness import bincount, unique, unique_consecutive
from tensorlab.ops.variance import std, std_mean, var, var_mean
from tensorlab.ops.written_parts import (
    diagonal_scatter,
    select_scatter,
    slice_scatter,
)
from tensorlab.printing import set_printoptions
from tensorlab.random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorlab.spelling import LateText, nearest
from tensorlab.storage import TypedStorage, UntypedStorage
from tensorlab.tensor import Tensor

__version__ = "0.1.0"

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64

newaxis = None  # in an index, a new dimension of size 1

# Names that are loaded when they are first used, and the module that has each.
_LAZY = {
    "adopt": "tensorlab.learn",
    "blame": "tensorlab.learn",
    "check": "tensorlab.learn",
    "get_num_threads": "tensorlab.backends.cpu.threads",
    "hint": "tensorlab.learn",
    "load": "tensorlab.io",
    "save": "tensorlab.io",
    "set_num_threads": "tensorlab.backends.cpu.threads",
    "status": "tensorlab.learn",
    "vmap": "tensorlab.func",
}
_LAZY_MODULES = (
    "accelerator",
    "backends",
    "cuda",
    "func",
    "gemm",
    "io",
    "learn",
    "nn",
    "special",
    "testing",
    "utils",
    "widgets",
)

__all__ = [
    # numbers, and the index that adds a dimension
    "e",
    "inf",
    "nan",
    "newaxis",
    "pi",
    # types and settings
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "bfloat16",
    "bool",
    "device",
    "double",
    "dtype",
    "dtypes",
    "float",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout",
    "linalg",
    "long",
    "can_cast",
    "promote_types",
    "result_type",
    "return_types",
    "set_default_dtype",
    "set_printoptions",
    "short",
    "uint8",
    # random
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "random",
    "seed",
    "set_rng_state",
    # for students
    "adopt",
    "blame",
    "check",
    "hint",
    "status",
    # io
    "load",
    "save",
    # names
    "align_tensors",
    # ops.angles
    "deg2rad",
    "deg2rad_",
    "rad2deg",
    "rad2deg_",
    # ops.arithmetic
    "add",
    "div",
    "divide",
    "floor_divide",
    "fmod",
    "positive",
    "pow",
    "remainder",
    "rsub",
    "sub",
    "subtract",
    "true_divide",
    # ops.blends
    "addcdiv",
    "addcmul",
    "lerp",
    # ops.bounds
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clip",
    "clip_",
    "nan_to_num",
    "nan_to_num_",
    "round",
    "round_",
    # ops.choice
    "allclose",
    "equal",
    "isclose",
    "where",
    # ops.conversion
    "clone",
    "contiguous",
    "fill",
    "fill_",
    "zero_",
    # ops.creation, ops.likes
    "empty",
    "empty_like",
    "empty_strided",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "scalar_tensor",
    "zeros",
    "zeros_like",
    # ops.contractions, ops.chains, ops.distances, ops.einsum, ops.similarity
    "addr",
    "cdist",
    "chain_matmul",
    "cosine_similarity",
    "cross",
    "dist",
    "einsum",
    "ger",
    "inner",
    "kron",
    "outer",
    "tensordot",
    "trace",
    # ops.linalg, ops.factorizations
    "det",
    "inverse",
    "logdet",
    "matrix_power",
    "slogdet",
    # ops.indexing
    "argwhere",
    "gather",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_select",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "nonzero",
    "put",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "take",
    "take_along_dim",
    # ops.matmul
    "addbmm",
    "addmm",
    "addmv",
    "addmv_",
    "baddbmm",
    "bmm",
    "dot",
    "matmul",
    "mm",
    "mv",
    "vdot",
    # ops.multinomial
    "multinomial",
    # ops.pointwise
    "abs",
    "abs_",
    "absolute",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "angle",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "ceil_",
    "copysign",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "eq",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expm1",
    "expm1_",
    "fix",
    "fix_",
    "floor",
    "floor_",
    "fmax",
    "fmin",
    "frac",
    "frac_",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "not_equal",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "rsqrt",
    "rsqrt_",
    "sgn",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "trunc",
    "trunc_",
    "xlogy",
    "xlogy_",
    # ops.reduction
    "all",
    "any",
    "count_nonzero",
    "mean",
    "nanmean",
    "nansum",
    "prod",
    "sum",
    # ops.random
    "bernoulli",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randn",
    "randn_like",
    # ops.random_integers
    "randint",
    "randint_like",
    "randperm",
    # ops.shape, ops.least_dims
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "flatten",
    "ravel",
    "reshape",
    "squeeze",
    "unflatten",
    "unsqueeze",
    # ops.normalisation
    "group_norm",
    "layer_norm",
    "rms_norm",
    # ops.sharing
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    # ops.variance
    "std",
    "std_mean",
    "var",
    "var_mean",
    # ops.from_data
    "as_tensor",
    "asarray",
    "tensor",
    # ops.ranges
    "arange",
    "eye",
    "linspace",
    "logspace",
    "tril_indices",
    "triu_indices",
    # ops.parts, ops.splitting
    "chunk",
    "diagonal",
    "dsplit",
    "hsplit",
    "narrow",
    "select",
    "split",
    "split_with_sizes",
    "tensor_split",
    "unbind",
    "vsplit",
    # ops.joining
    "cat",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "stack",
    "vstack",
    # ops.rearranging
    "flip",
    "fliplr",
    "flipud",
    "meshgrid",
    "repeat_interleave",
    "roll",
    "rot90",
    "tile",
    # ops.casts
    "is_complex",
    "is_floating_point",
    "is_tensor",
    "numel",
    # ops.dims
    "adjoint",
    "moveaxis",
    "movedim",
    "permute",
    "swapaxes",
    "swapdims",
    "t",
    "transpose",
    # ops.cumulative
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    # ops.extremes
    "amax",
    "amin",
    "aminmax",
    "argmax",
    "argmin",
    "max",
    "min",
    # ops.softmax
    "log_softmax",
    "logsumexp",
    "softmax",
    # ops.norms
    "norm",
    "renorm",
    # ops.sorting
    "argsort",
    "kthvalue",
    "msort",
    "sort",
    "topk",
    # ops.order_statistics
    "median",
    "mode",
    "nanmedian",
    # ops.uniqueness
    "bincount",
    "unique",
    "unique_consecutive",
    # ops.search
    "bucketize",
    "histc",
    "searchsorted",
    "unravel_index",
    # ops.membership
    "isin",
    # ops.differences
    "diff",
    "gradient",
    # autograd.anomaly
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    # autograd.methods
    "detach_",
    "is_inference",
    # ops.questions
    "get_device",
    "is_conj",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "isneginf",
    "isposinf",
    "isreal",
    # ops.resizing
    "resize_as_",
    # ops.restriding
    "as_strided",
    "as_strided_",
    # ops.aliases
    "conj",
    "detach",
    "real",
    "resolve_conj",
    "resolve_neg",
    # ops.legacy
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    # numeric_limits
    "finfo",
    "iinfo",
    # memory_formats
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "memory_format",
    "preserve_format",
    "strided",
    # gradients
    "autograd",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
    # ops.pooling
    "adaptive_avg_pool1d",
    "avg_pool1d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    # ops.padding, ops.unfolding
    "constant_pad_nd",
    "pixel_shuffle",
    "pixel_unshuffle",
    # ops.convolution
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    # ops.diagonals
    "diag",
    "diag_embed",
    "diagflat",
    "tril",
    "triu",
    # ops.special
    "digamma",
    "erfinv",
    "float_power",
    "gcd",
    "gcd_",
    "heaviside",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "lgamma",
    "logit",
    "logit_",
    "polygamma",
    # ops.pieces
    "celu_",
    "hardshrink",
    "selu_",
    "threshold",
    "threshold_",
    # ops.activations
    "celu",
    "selu",
    # ops.quantiles
    "nanquantile",
    "quantile",
    # ops.covariance
    "corrcoef",
    "cov",
    # ops.combinations
    "block_diag",
    "cartesian_prod",
    "combinations",
    "vander",
    # ops.integrals
    "cumulative_trapezoid",
    "trapezoid",
    "trapz",
    # ops.distances
    "pdist",
    # ops.cumulative_logs
    "logcumsumexp",
    # ops.written_parts
    "diagonal_scatter",
    "select_scatter",
    "slice_scatter",
    # ops.tapers
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    # ops.older_linalg
    "cholesky",
    "matrix_exp",
    "pinverse",
    "qr",
    "svd",
    # ops.histograms
    "histogram",
    # ops.channels
    "channel_shuffle",
    "prelu",
    # ops.precision
    "get_float32_matmul_precision",
    "set_float32_matmul_precision",
    # ops.float_parts
    "frexp",
    "nextafter",
    # ops.margin_losses
    "pairwise_distance",
]

# Functions with a rule for the names of dimensions take tensors that have some, and a call with an argument
# of the wrong kind is told so. Operations element by element see to both themselves, off their fast path.
_exported = {name: globals()[name] for name in __all__ if name in globals()}
_exported |= of_one_sequence(_exported)
_named = names.with_names(_exported)
globals().update(_named)
_others = {*names.element_by_element(_exported), *_named}
globals().update(contracts.explained_all(_exported, leave=_others))
contracts.found_in(__name__, {name: globals()[name] for name in _exported})


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"tensorlab.{name}")
    # Without `obj`, for which a terminal would look for a near name once more.
    raise AttributeError(LateText(_absent, name), name=name, obj=None)


def _absent(name: str) -> str:
    """What the error about a name says that this module does not have."""
    listed = "hat it covers of PyTorch is listed in tensorlab.__all__"
    for module in ("nn.functional", "linalg", "special"):
        if name in importlib.import_module(f"tensorlab.{module}").__all__:
            return f"tensorlab has no {name!r}; there is tensorlab.{module}.{name}"
    if meant := nearest(name, __dir__()):
        return f"tensorlab has no {name!r}; did you mean {meant!r}? W{listed}"
    return f"tensorlab has no {name!r}; w{listed}"


def __dir__() -> list[str]:
    """What a prompt offers: also what is loaded when it is asked for, and not what is used here only."""
    modules = (name for name, found in globals().items() if getattr(found, "__package__", "") == __name__)
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *_LAZY, *_LAZY_MODULES, *modules, *special})
