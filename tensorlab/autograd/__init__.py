"""Gradients: the graph that operations leave, and the pass that goes back through it.

An operation on a tensor that requires a gradient leaves a node behind. `backward` walks the nodes from the
youngest to the oldest, and each carries the gradient of its result to its operands.
"""

from tensorlab.autograd import functional
from tensorlab.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from tensorlab.autograd.backward import backward, grad
from tensorlab.autograd.function import Function, once_differentiable
from tensorlab.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from tensorlab.autograd.inspection import graph, saved
from tensorlab.autograd.profiling import profile
from tensorlab.core.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "Function",
    "GradcheckError",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "once_differentiable",
    "profile",
    "saved",
    "set_detect_anomaly",
    "set_grad_enabled",
]
