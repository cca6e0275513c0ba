"""The operations of random programs, each with the draw of its arguments."""

from __future__ import annotations

from tests.library.random_arguments import Draw, Live, Scene, Step, a_dim, a_number, alike
from tests.library.random_steps import (
    along,
    assigned,
    chosen,
    copied_rows,
    dtype,
    expansion,
    flag,
    into,
    joined,
    masked,
    memory_format,
    method,
    multiplied,
    narrowed,
    of_rows,
    other,
    parts,
    permutation,
    read,
    selected,
    shape,
    small,
    strided,
    triangle,
    windows,
    written,
)

__all__ = ["OPERATIONS"]

VIEWS: list[Draw] = [
    *[read] * 6,
    *[method("view", shape), method("permute", permutation), method("transpose", a_dim, a_dim)] * 2,
    method("t"),
    method("reshape", shape),
    method("expand", expansion),
    method("squeeze"),
    method("squeeze", a_dim),
    method("unsqueeze", a_dim),
    method("movedim", a_dim, a_dim),
    method("flatten"),
    method("flatten", a_dim, a_dim),
    method("ravel"),
    method("diagonal"),
    method("diagonal", small(-1, 1), a_dim, a_dim),
    method("view", dtype),
    method("view_as", other),
    method("expand_as", other),
    method("detach"),
    method("unbind", a_dim, piece=True),
    narrowed,
    selected,
    strided,
    strided,
    windows,
    parts,
    parts,
    lambda scene, position: Step(Live(position), "data"),
]

WRITES: list[Draw] = [
    *[assigned] * 8,
    *[written(name, a_number) for name in ("fill_", "add_", "mul_", "sub_", "clamp_", "ne_")],
    *[
        written(name, alike)
        for name in ("add_", "sub_", "mul_", "maximum", "bitwise_or_", "logical_and_", "gt_")
    ],
    written("copy_", other),
    written("copy_", other),
    written("zero_"),
    written("neg_"),
    written("square_"),
    written("clamp_", small(-2, 0), small(1, 3)),
    written("t_"),
    written("transpose_", a_dim, a_dim),
    written("squeeze_", a_dim),
    written("unsqueeze_", a_dim),
    written("cumsum_", a_dim),
    triangle,
    triangle,
    written("floor_divide_", small(1, 3)),
    written("remainder_", small(1, 3)),
    masked("masked_fill_", a_number, in_place=True),
    masked("masked_scatter_", lambda scene, position: Step(Live(position), "flip", (0,)), in_place=True),
    of_rows("index_fill_", a_number, in_place=True),
    along("scatter_", a_number, in_place=True),
    copied_rows("index_add_", "index_select", of_rows("index_select"), in_place=True),
    copied_rows("index_copy_", "index_select", of_rows("index_select"), in_place=True),
    copied_rows("scatter_", "gather", along("gather"), in_place=True),
    copied_rows("scatter_add_", "gather", along("gather"), in_place=True),
    into("add"),
    into("mul"),
    into("maximum"),
    into("eq"),
]

VALUES: list[Draw] = [
    *[method(name, a_number) for name in ("add", "mul", "sub", "eq", "lt", "remainder", "floor_divide")],
    *[method(name, alike) for name in ("add", "mul", "sub", "maximum", "minimum", "ge", "ne", "bitwise_xor")],
    method("add", other),
    method("mul", other),
    *[method(name) for name in ("abs", "neg", "sign", "square", "logical_not", "isnan", "floor")],
    *[method(name) for name in ("contiguous", "clone", "nonzero", "tril", "sum", "any", "long", "float")],
    method("contiguous", memory_format=memory_format),
    method("clone", memory_format=memory_format),
    method("to", dtype),
    method("to", dtype),
    method("to", memory_format=memory_format),
    *[method(name, a_dim, flag) for name in ("sum", "amax", "amin", "all", "any", "prod")],
    *[method(name, a_dim, flag) for name in ("argmax", "argmin")],
    *[method(name, a_dim) for name in ("cumsum", "flip", "count_nonzero", "logcumsumexp")[:3]],
    *[method(name, a_dim, piece=True) for name in ("cummax", "cummin")],
    method("sort", dim=a_dim, stable=True, piece=True),
    method("argsort", dim=a_dim, descending=flag, stable=True),
    lambda scene, position: Step(Live(position), "topk", (1, a_dim(scene, position)), piece=0),
    method("unique", return_inverse=True, piece=True),
    method("roll", small(-2, 3), a_dim),
    method("rot90"),
    method("repeat_interleave", small(1, 2), a_dim),
    method("tile", lambda scene, position: (scene.rng.randint(1, 2), 1)),
    method("triu", small(-1, 1)),
    method("diag_embed"),
    method("clamp", small(-1, 0), small(1, 2)),
    method("masked_fill", lambda scene, position: Step(Live(position), "gt", (1,)), 0),
    method("take", lambda scene, position: Step(Live(position), "argsort", (-1,))),
    masked("masked_select"),
    masked("masked_fill", a_number),
    of_rows("index_select"),
    of_rows("index_fill", a_number),
    along("gather"),
    along("scatter", a_number),
    copied_rows("index_add", "index_select", of_rows("index_select")),
    copied_rows("index_copy", "index_select", of_rows("index_select")),
    copied_rows("scatter_add", "gather", along("gather")),
    joined,
    joined,
    joined,
    chosen,
    chosen,
    multiplied,
    multiplied,
    lambda scene, position: Step(
        None, "einsum", ("...i,...j->...ij", Live(position), alike(scene, position))
    ),
]


def draw(scene: Scene, position: int) -> Step:
    """A random step: a view, a write or a new tensor, each as often as the others."""
    return scene.rng.choice(scene.rng.choice(OPERATIONS))(scene, position)


OPERATIONS = (VIEWS, WRITES, VALUES)
