"""Optimizers: what moves the parameters of a network once their gradients are there.

Each is a class that holds groups of parameters, and remembers of each parameter what its formula needs. The
formulas stand in `tensorlab.scalars.updates`; a step runs one of them over all memory of a parameter in one
pass. The learning rate follows a schedule of `tensorlab.optim.lr_scheduler`.
"""

from __future__ import annotations

from typing import Any

from tensorlab.optim import lr_scheduler, swa_utils
from tensorlab.optim.adadelta import Adadelta
from tensorlab.optim.adagrad import Adagrad
from tensorlab.optim.adam import Adam
from tensorlab.optim.adamax import Adamax
from tensorlab.optim.adamw import AdamW
from tensorlab.optim.asgd import ASGD
from tensorlab.optim.lbfgs import LBFGS
from tensorlab.optim.nadam import NAdam
from tensorlab.optim.optimizer import Optimizer
from tensorlab.optim.radam import RAdam
from tensorlab.optim.rmsprop import RMSprop
from tensorlab.optim.rprop import Rprop
from tensorlab.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tensorlab.optim has no {name!r}; there are {', '.join(__all__)}", name=name, obj=None
    )
