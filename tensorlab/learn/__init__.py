"""The student's side: check an answer in the notebook, open hints one by one, remember how far it went."""

from tensorlab.learn.check import check
from tensorlab.learn.hints import hint

__all__ = ["check", "hint"]
