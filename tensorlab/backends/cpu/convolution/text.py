"""The kernels' text: the levels put together for one dtype, as `tensorlab.backends.cpu.gemm.text` does it."""

from __future__ import annotations

import inspect
from typing import Any

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.convolution import copies, depthwise, loops, tile
from tensorlab.backends.cpu.gemm.text import OPTIONS, PACK, header, level_text
from tensorlab.backends.cpu.gemm.tile import panel
from tensorlab.backends.cpu.run_loops import zero_run
from tensorlab.core.dtypes import dtype

_COPY: list[Any] = [*PACK, panel, zero_run, copies.copy_image]
_LEVELS: dict[str, list[Any]] = {
    "convolve": [*_COPY, copies.pack_weights, copies.write_result, tile.image_tile, tile.image_strip],
    "weight_gradient": [
        *_COPY,
        copies.pack_gradients,
        copies.write_weights,
        tile.gradient_tile,
        tile.gradient_strip,
    ],
    "convolve_depthwise": [*_COPY, copies.pack_weights, copies.write_result, depthwise.image_strip],
    "weight_gradient_depthwise": [
        *_COPY,
        depthwise.pack_gradients,
        copies.write_weights,
        depthwise.dot,
        depthwise.gradient_strip,
    ],
}
_REASSOCIATED = (depthwise.dot,)
_FOR_EACH_WIDTH = (tile.image_tile, tile.gradient_tile)

_IMPORTS = """\
from tensorlab.backends.cpu.gemm.registers import add_outer_at
from tensorlab.backends.cpu.pointers import fetch_ahead
"""


def kernel_source(element_type: dtype, form: str) -> str:
    """The text of one module, whose kernel is called ``convolve`` or ``weight_gradient``.

    Args:
        element_type: the dtype of all operands.
        form: ``"convolve"``, or ``"weight_gradient"``; with ``"_depthwise"`` behind it where a group has one
            or two results.

    Example:
        >>> from tensorlab import dtypes
        >>> text = kernel_source(dtypes.float64, "weight_gradient")
        >>> "def gradient_tile_3(" in text, "def image_tile_3(" in text
        (True, False)
    """
    return "\n\n".join(
        [
            header(form, element_type),
            _IMPORTS + "ROWS = 1\n" * form.endswith("_depthwise"),
            *[level_text(level, level in _FOR_EACH_WIDTH, level in _REASSOCIATED) for level in _LEVELS[form]],
            f"@njit({OPTIONS}, {jit.KERNEL})\n"
            + inspect.getsource(getattr(loops, form.removesuffix("_depthwise"))),
        ]
    )
