"""Whether kernels must give the same bits every time: a switch that all threads share, under PyTorch's names.

On the CPU they do, whatever the switch says. On a GPU floats that several threads add to one element are
added in the order in which the threads come (`scatter_add`, `index_add`, `index_put` with ``accumulate``, the
gradient of `embedding`). Asked for the same bits, it sorts what leads to an element first, and adds in the
order in which the CPU does; that takes longer. There is nothing that could not be had so: nothing raises.
"""

from __future__ import annotations

from tensorlab.registry import op

# The names of the modes of `set_deterministic_debug_mode`, by their numbers.
_MODES = ("default", "warn", "error")


class _Choice:
    """What was chosen last; `mode` is one of the numbers of `set_deterministic_debug_mode`."""

    mode = 0


chosen = _Choice()


@op()
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same bits every time, also of floats that several threads of a GPU add to one element.

    Args:
        mode: whether to.
        warn_only: as in PyTorch, where some operations cannot; here all can, and nothing warns.

    Raises:
        TypeError: `mode` is no bool.

    Example:
        >>> tl.use_deterministic_algorithms(True)
        >>> tl.are_deterministic_algorithms_enabled()
        True
        >>> tl.use_deterministic_algorithms(False)
    """
    if not isinstance(mode, bool):
        raise TypeError(
            f"use_deterministic_algorithms(): argument 'mode' must be bool, not {type(mode).__name__}"
        )
    chosen.mode = (1 if warn_only else 2) if mode else 0


@op()
def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` asked for the same bits every time.

    Example:
        >>> tl.are_deterministic_algorithms_enabled()
        False
    """
    return chosen.mode != 0


@op()
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was told ``warn_only=True``.

    Example:
        >>> tl.is_deterministic_algorithms_warn_only_enabled()
        False
    """
    return chosen.mode == 1


@op()
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by another name.

    Args:
        debug_mode: 0 or ``"default"`` for not, 1 or ``"warn"`` for ``warn_only=True``, 2 or ``"error"``.

    Raises:
        TypeError: it is neither a number nor a text.
        RuntimeError: it is none of these.

    Example:
        >>> tl.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode).__name__}")
    found = _MODES.index(debug_mode) if debug_mode in _MODES else debug_mode
    if found not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected `default`, `warn`, `error` or 0, 1, 2, got {debug_mode!r}"
        )
    chosen.mode = int(found)


@op()
def get_deterministic_debug_mode() -> int:
    """What was chosen, as `set_deterministic_debug_mode` counts it.

    Example:
        >>> tl.get_deterministic_debug_mode()
        0
    """
    return chosen.mode
