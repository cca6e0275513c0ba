"""PyTorch's `torch.special`: functions that statistics and physics need, element by element.

Example:
    >>> import tensorlab as tl
    >>> tl.special.expit(tl.tensor([0.0])), tl.special.ndtr(tl.tensor([0.0]))
    (tensor([0.5000]), tensor([0.5000]))
"""

from __future__ import annotations

from tensorlab.contracts import explained_all, found_in
from tensorlab.ops.bounds import round
from tensorlab.ops.pointwise import erf, erfc, exp2, expm1, log1p, sinc, xlogy
from tensorlab.ops.probabilities import entr, erfcx, expit, gammaln, log_ndtr, ndtr, ndtri, psi, xlog1py
from tensorlab.ops.softmax import log_softmax, logsumexp, softmax
from tensorlab.ops.special import digamma, erfinv, logit, polygamma

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
]

# A call with an argument of the wrong kind is told so.
globals().update(explained_all({name: globals()[name] for name in __all__}))
found_in(__name__, {name: globals()[name] for name in __all__})
