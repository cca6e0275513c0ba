"""The switch that lets products of float32 lose bits for speed, under PyTorch's two names."""

from __future__ import annotations

import sys
import types

# Whether products of float32 matrices may go to tensor cores, which take 10 of 23 bits of each fraction.
# `tensorlab.set_float32_matmul_precision` sets it.
allow_tf32 = False


class _Switch(types.ModuleType):
    """A module of which one name says what another one holds."""

    @property
    def fp32_precision(self) -> str:
        """``"tf32"`` where `allow_tf32` is set, else ``"ieee"``; to set ``"none"`` is to set that."""
        return "tf32" if self.allow_tf32 else "ieee"

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        if precision not in ("ieee", "tf32", "none"):
            raise RuntimeError(
                f"Unknown precision: {precision!r}; products of float32 matrices are computed in 'ieee', all "
                f"of float32, or with fewer digits in 'tf32'"
            )
        self.allow_tf32 = precision == "tf32"


sys.modules[__name__].__class__ = _Switch
