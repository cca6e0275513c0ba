"""Gradients: the graph that operations leave, and the pass that goes back through it.

An operation on a tensor that requires a gradient leaves a node behind. `backward` walks the nodes from the
youngest to the oldest, and each carries the gradient of its result to its operands.
"""

from tensorlab.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from tensorlab.autograd.function import Function
from tensorlab.autograd.passes import backward, grad
from tensorlab.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "Function",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
