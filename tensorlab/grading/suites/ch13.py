"""Chapter 13, *nn and optimisers*: the questions.

Those about what layers do are in `ch13_layers`, those about optimizers in `ch13_steps`.
"""

from __future__ import annotations

from tensorlab.grading.suites.ch13_layers import DROPOUT, GET_TOTAL_NORM, LINEAR, NAMED_MEMBERS
from tensorlab.grading.suites.ch13_steps import ADAM_STEP, SGD_MOMENTUM

EXERCISES = (NAMED_MEMBERS, LINEAR, SGD_MOMENTUM, ADAM_STEP, DROPOUT, GET_TOTAL_NORM)
