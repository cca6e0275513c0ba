"""What the reference says of a function beside its docstring: view or copy, gradient, chapter, relatives.

View or copy and the gradient are tried out: every call of `tensorlab.catalogue` is made once, in a process
that compiles nothing, and what it returns is compared with its operands. The chapter is the one whose text
names the function most often. 'See also' are the functions that the docstring names.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

import tensorlab as tl
from tensorlab.widgets.progress_map.chapters import chapters_in

from .opening import FOLDER

VIEW, COPY = "view", "new memory"

PROBE = """
import ast, json
import tensorlab as tl
from tensorlab.catalogue import Operands, calls
from tensorlab.core import dtypes

OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.MatMult: "matmul", ast.Pow: "pow",
}

def tensors(value):
    values = value if isinstance(value, (tuple, list)) else [value]
    return [each for each in values if isinstance(each, tl.Tensor)]

found = {}
for call in calls():
    outer = ast.parse(call.text, mode="eval").body
    if isinstance(outer, ast.BinOp):
        name = OPERATORS.get(type(outer.op))
    else:
        name = getattr(outer.func, "attr", None) if isinstance(outer, ast.Call) else None
    if name is None or call.kind == "names" or "target" in call.text:  # which the caller gave
        continue
    kind = dtypes.float32 if call.fits(dtypes.float32) else dtypes.int64
    operands = Operands(kind, 4)
    if kind.is_floating_point and call.is_differentiable:
        operands = operands.tracked()
    results = tensors(call.run(operands))
    said = found.setdefault(name, {"memory": [], "gradient": []})
    held = {each.untyped_storage().data_ptr() for value in operands.values() for each in tensors(value)}
    for each in results:
        if each.numel():
            said["memory"].append(each.untyped_storage().data_ptr() in held)
        said["gradient"].append(each.requires_grad)
print(json.dumps(found))
"""


@functools.cache
def tried() -> dict[str, dict[str, list[bool]]]:
    """Return for each function of the catalogue whether its results shared memory and had gradients."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def badges(name: str) -> list[str]:
    """Return what was found out about a function, such as ["view", "gradient"], or nothing."""
    alias = re.match(r"The same as `(\w+)`", inspect.getdoc(getattr(tl, name, None)) or "")
    said = tried().get(alias[1] if alias else name)
    if said is None or not said["memory"] or name.endswith("_"):
        return []
    shared = said["memory"]
    memory = VIEW if all(shared) else COPY if not any(shared) else "view or copy"
    return [memory, "gradient" if any(said["gradient"]) else "no gradient"]


@functools.cache
def mentions(folder: Path) -> dict[str, Counter[str]]:
    """Return for each chapter's page how often its text names each function, between backticks."""
    found = {}
    for chapter in chapters_in(folder):
        cells = json.loads((folder / f"{chapter.page}.ipynb").read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        code = re.findall(r"`([^`\n]+)`", text)
        found[chapter.page] = Counter(word for piece in code for word in set(re.findall(r"[a-z_]\w*", piece)))
    return found


def chapter_of(name: str, folder: Path) -> str | None:
    """Return the page of the chapter that explains a function: the one that names it most often."""
    counts = {page: words[name] for page, words in mentions(folder).items()}
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] >= 2 else None


def see_also(name: str, docstring: str) -> list[str]:
    """Return the functions that a docstring names, in its order.

    >>> see_also("view", "Never copies. See `reshape`, and `x.view`.")
    ['reshape']
    """
    named = dict.fromkeys(re.findall(r"`(?:tl\.)?(\w+)`", docstring))
    arguments = inspect.signature(getattr(tl, name)).parameters if hasattr(tl, name) else {}
    return [
        other
        for other in named
        if other != name and other not in arguments and inspect.isroutine(getattr(tl, other, None))
    ]


def add_badges(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Write what is known of a function of the package below its first sentence."""
    home, _, own = name.rpartition(".")
    if what != "function" or home != "tensorlab":
        return
    parts = [f":tl-badge:`{badge}`" for badge in badges(own)]
    page = chapter_of(own, Path(app.srcdir) / FOLDER)
    if page is not None:
        parts.append(f":doc:`chapter {int(page[:2])} </{FOLDER}/{page}>`")
    others = see_also(own, "\n".join(lines))
    if others:
        parts.append("see also " + ", ".join(f":py:func:`~tensorlab.{other}`" for other in others[:4]))
    if parts:
        end = next((place for place, line in enumerate(lines) if not line.strip()), len(lines))
        lines[end:end] = ["", ".. rst-class:: tl-badges", "", " · ".join(parts)]


def badge(
    role: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: object,
    options: object = None,
    content: object = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """A role for one badge: its words in a frame."""
    kind = "tl-is-" + text.replace(" ", "-")
    return [nodes.inline(rawtext, text, classes=["tl-badge", kind])], []


def setup(app: Sphinx) -> None:
    app.add_role("tl-badge", badge)
    app.connect("autodoc-process-docstring", add_badges, priority=700)  # behind Napoleon and `whole_sentence`
