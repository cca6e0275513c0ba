"""Chapter 14, *Convolution and layout*: the questions.

Those about windows and layouts, which compute with integers, are in `ch14_layouts`; those about images are in
`ch14_images`.
"""

from __future__ import annotations

from tensorlab.grading.suites.ch14_images import CONV2D, FOLD
from tensorlab.grading.suites.ch14_layouts import CHANNELS_LAST_STRIDES, PLACES, UNFOLD

EXERCISES = (PLACES, UNFOLD, CHANNELS_LAST_STRIDES, FOLD, CONV2D)
