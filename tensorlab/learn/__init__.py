"""The student's side: check an answer, open hints one by one, make it a part of the library."""

from tensorlab.learn.adopt import adopt
from tensorlab.learn.blame import blame
from tensorlab.learn.check import check
from tensorlab.learn.hints import hint
from tensorlab.learn.status import status

__all__ = ["adopt", "blame", "check", "hint", "status"]
