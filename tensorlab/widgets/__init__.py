"""Widgets of the book: live in the static page without a kernel, two-way with one.

Names are loaded when they are first used, so that ``import tensorlab`` needs no ipywidgets.

Example:
    >>> from tensorlab.widgets import StorageLab
    >>> StorageLab(shape=(3, 4)).stride
    (4, 1)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorlab.widgets.activation_timeline.widget import ActivationTimeline
    from tensorlab.widgets.adjoint_cards.widget import AdjointCards
    from tensorlab.widgets.broadcast_lab.widget import BroadcastLab
    from tensorlab.widgets.convolution_walk.widget import ConvolutionWalk
    from tensorlab.widgets.float_ruler.widget import FloatRuler
    from tensorlab.widgets.indexing_lab.widget import IndexingLab
    from tensorlab.widgets.lab import Lab
    from tensorlab.widgets.matmul_lab.widget import MatmulLab
    from tensorlab.widgets.optimizer_lab.widget import OptimizerLab
    from tensorlab.widgets.progress_map.widget import ProgressMap
    from tensorlab.widgets.promotion_lattice.widget import PromotionLattice
    from tensorlab.widgets.quiz.question import Line, Question
    from tensorlab.widgets.quiz.widget import Parsons, Predict, Recall
    from tensorlab.widgets.reduction_lab.widget import ReductionLab
    from tensorlab.widgets.storage_lab.widget import StorageLab
    from tensorlab.widgets.stride_lab.widget import StrideLab
    from tensorlab.widgets.tape_player.widget import TapePlayer
    from tensorlab.widgets.view_doctor.widget import ViewDoctor

__all__ = [
    "ActivationTimeline",
    "AdjointCards",
    "BroadcastLab",
    "ConvolutionWalk",
    "FloatRuler",
    "IndexingLab",
    "Lab",
    "Line",
    "MatmulLab",
    "OptimizerLab",
    "Parsons",
    "Predict",
    "ProgressMap",
    "PromotionLattice",
    "Question",
    "Recall",
    "ReductionLab",
    "StorageLab",
    "StrideLab",
    "TapePlayer",
    "ViewDoctor",
]

_HOMES = {
    "ActivationTimeline": "tensorlab.widgets.activation_timeline.widget",
    "AdjointCards": "tensorlab.widgets.adjoint_cards.widget",
    "BroadcastLab": "tensorlab.widgets.broadcast_lab.widget",
    "ConvolutionWalk": "tensorlab.widgets.convolution_walk.widget",
    "FloatRuler": "tensorlab.widgets.float_ruler.widget",
    "IndexingLab": "tensorlab.widgets.indexing_lab.widget",
    "Lab": "tensorlab.widgets.lab",
    "Line": "tensorlab.widgets.quiz.question",
    "MatmulLab": "tensorlab.widgets.matmul_lab.widget",
    "OptimizerLab": "tensorlab.widgets.optimizer_lab.widget",
    "Parsons": "tensorlab.widgets.quiz.widget",
    "Predict": "tensorlab.widgets.quiz.widget",
    "ProgressMap": "tensorlab.widgets.progress_map.widget",
    "PromotionLattice": "tensorlab.widgets.promotion_lattice.widget",
    "Question": "tensorlab.widgets.quiz.question",
    "Recall": "tensorlab.widgets.quiz.widget",
    "ReductionLab": "tensorlab.widgets.reduction_lab.widget",
    "StorageLab": "tensorlab.widgets.storage_lab.widget",
    "StrideLab": "tensorlab.widgets.stride_lab.widget",
    "TapePlayer": "tensorlab.widgets.tape_player.widget",
    "ViewDoctor": "tensorlab.widgets.view_doctor.widget",
}


def __getattr__(name: str) -> Any:
    """Load the module that holds a widget when the widget is first named."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tensorlab.widgets' has no attribute {name!r}; it has {__all__}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
