"""One sample of each figure, for the tests that look at all of them."""

from __future__ import annotations

import numpy as np

import tensorlab as tl
from tensorlab import cuda, figures

TABLE = tl.arange(12).view(3, 4)
LINE = tl.arange(64)
STEPS = [1, 2, 4, 16]
IMAGE = figures.lighthouse()


def _tied() -> tl.nn.Module:
    model = tl.nn.Sequential(tl.nn.Embedding(100, 8), tl.nn.Sequential(tl.nn.ReLU(), tl.nn.Linear(8, 100)))
    model[1][1].weight = model[0].weight
    return model


with tl.autograd.profile() as METER:
    HELD = [tl.zeros(1000) for _ in range(3)]
    del HELD[1:]


def column(n, x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    i = cuda.threadIdx.x
    tile[i, 0] = x[2 * i] if i < 30 else 0
    if i < n:
        out[8 * i] = tile[i, 0]


REPORT = cuda.simulate(column, 1, 32, 20, np.zeros(64, np.float32), np.zeros(256, np.float32))

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
    "list_beside_storage": figures.list_beside_storage([20.5, 21.0, 19.5, 22.0], tl.float32),
    "bytes_of": figures.bytes_of(
        {"float64": tl.ones(3, dtype=tl.float64), "int8": tl.ones(3, dtype=tl.int8)}
    ),
    "way_to": figures.way_to(TABLE[1:, 1:], (1, 2)),
    "steps_of": figures.steps_of(tl.arange(24).view(2, 3, 4)),
    "fetched_lines": figures.fetched_lines({"row": LINE[24:32], "column": LINE[3::8]}, 8),
    "reach": figures.reach(tl.as_strided(TABLE, (2, 3), (4, 1), 5)),
    "rows_over_line": figures.rows_over_line(tl.as_strided(tl.arange(5), (3, 3), (1, 1)), hand=2),
    "module_tree": figures.module_tree(_tied(), "One table, found under its first name."),
    "descent": figures.descent(
        {"SGD": [(-4.0, 1.0), (-3.0, -0.8), (-2.2, 0.5)], "Adam": [(-4.0, 1.0), (-3.7, 0.7)]}, (1.0, 25.0)
    ),
    "plot": figures.plot(
        {"rows": (STEPS, [0.5, 0.5, 0.6, 0.5]), "columns": (STEPS, [0.5, 1.0, 1.9, 7.0])},
        x="stride",
        y="ns",
        log=True,
    ),
    "lines_through_points": figures.lines_through_points(
        [0, 1, 2, 3], [0, 2, 4, 6], {"fit(x, y[:, None])": (2.0, 0.0), "fit(x, y)": (0.0, 3.0)}
    ),
    "float32_bits": figures.float32_bits({"1.0": 0x3F800000, "-2.0": 0xC0000000, "0.1": 0x3DCCCCCD}),
    "names": figures.names(
        {"x": TABLE, "x.reshape(12)": TABLE.reshape(12), "x.t().reshape(12)": TABLE.t().reshape(12)}
    ),
    "reading_order": figures.reading_order(
        {"gaps": tl.as_strided(TABLE, (2, 3), (4, 1)), "turned": tl.arange(6).view(2, 3).t()}
    ),
    "in_reading_order": figures.in_reading_order({"x": TABLE, "x.t()": TABLE.t()}),
    "filling_runs": figures.filling_runs(tl.arange(24).view(2, 3, 4).transpose(0, 1), [(3, 2, 2, 2), (6, 4)]),
    "folded_into": figures.folded_into(TABLE, {"x.sum(0)": 0, "x.sum(1)": 1}),
    "there_and_back": figures.there_and_back(
        tl.arange(4.0),
        {
            "x[::2]": lambda x: x[::2],
            "x.view(2, 2).t()": lambda x: x.view(2, 2).t(),
            "x[[0, 0, 2]]": lambda x: x[[0, 0, 2]],
        },
        "What arrives says which gradients were added.",
    ),
    "picked_from": figures.picked_from(
        TABLE,
        {
            "x[[0, 2], [1, 3]]": TABLE[[0, 2], [1, 3]],
            "x[[[0], [2]], [1, 3]]": TABLE[[[0], [2]], [1, 3]],
            "x[::2, 1::2]": TABLE[::2, 1::2],
        },
    ),
    "read_and_added_back": figures.read_and_added_back(
        tl.tensor([5.0, 6.0, 7.0]), tl.tensor([0, 2, 0, 1]), tl.tensor([1.0, 2.0, 3.0, 4.0])
    ),
    "row_meets_column": figures.row_meets_column(tl.arange(6).view(2, 3), TABLE, (1, 2)),
    "batches_that_meet": figures.batches_that_meet((2, 1), (5,)),
    "batched": figures.batched(tl.ones(3, 2, 4), tl.ones(1, 4, 3)),
    "aligned_shapes": figures.aligned_shapes(
        [
            {"sales": (3, 4), "prices": (4,)},
            {"sales": (3, 4), "bonus": (3,)},
            {"x": (3, 4), "bonus[:, None]": (3, 1)},
        ]
    ),
    "kept": figures.kept(TABLE[1, 1:3]),
    "roofline": figures.roofline(
        {
            "threads": 1,
            "peak_operations_per_second": {"float32": 1e11, "float64": 5e10},
            "copy_bytes_per_second_one_thread": 1e10,
            "points": [{"name": "64³", "intensity": 10.7, "operations_per_second": 8e10}],
        }
    ),
    "integer_circle": figures.integer_circle(1000),
    "float_steps": figures.float_steps(),
    "broadcast_grid": figures.broadcast_grid(
        LINE[:4, None], LINE[:4], LINE[:4, None] - LINE[:4], "a − b", hand=lambda i, j: i == j
    ),
    "einsum_letters": figures.einsum_letters("bij,bjk->ik"),
    "alive_when": figures.alive_when(
        {"sin 1": [True, True, False, False], "exp 2": [False, True, True, False]},
        ["sin 1", "exp 2"],
        ["exp 2", "sin 1"],
    ),
    "bytes_over_time": figures.bytes_over_time({"one": METER}),
    "shares": figures.shares(
        {"the formula": [float("nan"), 0.0, 0.0], "softmax": [0.665, 0.245, 0.09]}, "Two ways to compute it."
    ),
    "values_and_gradients": figures.values_and_gradients(
        {
            "one where": [("x", 0.0, float("nan")), ("sqrt", 0.0, 0.0), ("where", 0.0, 1.0)],
            "two": [("x", 0.0, 0.0), ("where", 1.0, 0.0), ("sqrt", 1.0, 0.0), ("where", 0.0, 1.0)],
        },
        "What comes back.",
    ),
    "measured_bars": figures.measured_bars(
        {"bytes": {"1 × 4096": 4e6, "64 × 64": 0}, "ms": {"1 × 4096": 2, "64 × 64": 1}}
    ),
    "counter_blocks": figures.counter_blocks(lambda block: (block, block + 7), [0, 1_000_000]),
    "lanes_and_sectors": figures.lanes_and_sectors(
        {"x[2 * i]": REPORT.request("x"), "out[8 * i]": REPORT.request("out", "writes")}, "Two requests."
    ),
    "lanes_and_banks": figures.lanes_and_banks(
        {"rows of 33": REPORT.request("tile"), "again": REPORT.request("tile", "writes")}, "One bank a lane."
    ),
    "lanes_of_lines": figures.lanes_of_lines(REPORT, "Twelve lanes wait."),
    "kernel_profile": figures.kernel_profile(REPORT, "A column of a tile."),
}
