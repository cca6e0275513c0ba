"""The Broadcast Lab: two shapes aligned from the right, what stretches, and what the gradient will sum.

The rule is in ``shared/broadcast.js`` and, word for word the same, in `tensorlab.core.broadcasting`.
"""
