"""One sample of each figure, for the tests that look at all of them."""

from __future__ import annotations

import tensorlab as tl
from tensorlab import figures

TABLE = tl.arange(12).view(3, 4)
IMAGE = figures.lighthouse()

SAMPLES = {
    "storage": figures.storage(
        {
            "table": TABLE,
            "table.t()": TABLE.t(),
            "table[1:, 1:3]": TABLE[1:, 1:3],
            "diagonal": tl.as_strided(TABLE, (3,), (5,)),
        },
        "One line of memory, drawn once.",
        hand=6,
    ),
    "tensor": figures.tensor({"x": tl.arange(24).view(2, 3, 4), "row": tl.arange(3).expand(2, 3)}),
    "picture": figures.picture({"x": IMAGE, "x.t()": IMAGE.t(), "x.flip(1)": IMAGE.flip(1)}, "A lighthouse."),
}
