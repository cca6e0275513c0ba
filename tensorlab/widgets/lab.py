"""The base of the labs: widgets that show one state, which the page and Python change whole or not at all."""

from __future__ import annotations

import collections
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from tensorlab.widgets.base import BookWidget

__all__ = ["Lab", "automatic_key", "checked_choice", "checked_key"]

_keys: collections.Counter[str] = collections.Counter()  # automatic keys given so far


class Lab(BookWidget):
    """A widget with one synced `state`, checked by the library's own rules.

    The state is one plain value, so that nobody ever sees half of a change. A subclass writes `checked`,
    which gives the state as it shall stand or raises; what raises in Python is refused in the page with a
    reason, and what a page sends and the library refuses never arrives.

    Args:
        state: the members of the first state, as `checked` takes them.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Example:
        >>> from tensorlab.widgets import MatmulLab
        >>> lab = MatmulLab((2, 3), (3, 4))
        >>> lab.change(a=[5, 3])
        >>> lab.state["a"], lab.result
        ([5, 3], tensorlab.Size([5, 4]))
    """

    sheets = ("base.css", "lab.css")

    state: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    key = traitlets.Unicode().tag(sync=True)
    _start: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # what `reset` goes back to

    def __init__(self, state: Mapping[str, Any], key: str | None) -> None:
        first = self.checked(state)
        name = type(self).__name__.lower()
        super().__init__(
            state=first, _start=first, key=automatic_key(name, first) if key is None else checked_key(key)
        )

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain lists, numbers and texts.

        Raises:
            TypeError, ValueError, IndexError, RuntimeError: what the library says of a state that cannot be.
        """
        raise NotImplementedError(f"{cls.__name__} has no checked; every lab needs one")

    def change(self, **members: Any) -> None:
        """Change members of the state together.

        Raises:
            TypeError: there is no such member, or it is of another type.
            ValueError, IndexError, RuntimeError: the members do not fit together.
        """
        unknown = members.keys() - self.state.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {sorted(unknown)[0]!r}; it has {list(self.state)}")
        self.state = {**self.state, **members}

    @traitlets.validate("state")
    def _valid_state(self, proposal: Any) -> dict[str, Any]:
        return self.checked(proposal["value"])

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over the state that the page sends, if it can be; else send the page what stands here."""
        if "state" not in sync_data:
            return
        try:
            self.checked(sync_data["state"])
        except (TypeError, ValueError, RuntimeError, IndexError, KeyError):
            self.send_state("state")
            raise
        super().set_state({"state": sync_data["state"]})

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in self.state.items())
        return f"{type(self).__name__}({members})"


def checked_key(key: str) -> str:
    """`key`, if it can stand in an address as it is.

    Raises:
        ValueError: it has other characters than a-z, 0-9 and -, or does not begin with a letter.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", key):
        raise ValueError(
            f"key {key!r} stands in the page's address: use a-z, 0-9 and -, beginning with a letter"
        )
    return key


def automatic_key(kind: str, start: Mapping[str, Any]) -> str:
    """A key for a lab that was given none, from its kind and its first state.

    It stays what it is when other labs are put before this one in the page. Only labs that begin alike are
    numbered.

    Example:
        >>> automatic_key("doctor", {"shape": [2, 3]})
        'doctor-681ef3'
        >>> automatic_key("doctor", {"shape": [2, 3]})
        'doctor-681ef3-2'
    """
    text = json.dumps(start, sort_keys=True)
    key = f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    _keys[key] += 1
    return key if _keys[key] == 1 else f"{key}-{_keys[key]}"


def checked_choice(what: str, chosen: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """What a lab offers of `names`: those that are chosen, in their order there, or all for None.

    Raises:
        ValueError: one of them is no such name.

    Example:
        >>> checked_choice("preset", ("columns", "rows"), ("rows", "columns", "windows"))
        ['rows', 'columns']
    """
    wrong = [name for name in chosen or () if name not in names]
    if wrong:
        raise ValueError(f"there is no {what} {wrong[0]!r}; use {', '.join(names)}")
    return [name for name in names if chosen is None or name in chosen]
