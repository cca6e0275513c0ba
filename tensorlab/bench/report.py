"""A run of one suite or of all: the comparisons, and the machine that they are about."""

from __future__ import annotations

import html
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tensorlab.bench import autograd, gemm, nn, ops, training
from tensorlab.bench.measure import OURS, Case, Comparison, compare, machine, noise, using

__all__ = ["NOISY", "SUITES", "Report", "Section", "measure"]

SUITES: dict[str, ModuleType] = {
    "gemm": gemm,
    "ops": ops,
    "nn": nn,
    "autograd": autograd,
    "training": training,
}

# The threads of OpenBLAS and of OpenMP keep a core busy for some hundredths of a second after their work, and
# would take it from the library whose turn comes next.
REST = 0.1

# A machine whose slowest quarter takes so much longer than its fastest is doing other things.
NOISY = 1.25


@dataclass(frozen=True)
class Section:
    """The comparisons of one suite.

    Attributes:
        name: of the suite.
        titles: of the columns, for each candidate that was there.
        comparisons: what was found.
    """

    name: str
    titles: dict[str, str]
    comparisons: list[Comparison]

    @property
    def header(self) -> list[str]:
        """The titles of the columns."""
        return ["operation", f"{OURS} µs", *self.titles.values()]

    @property
    def rows(self) -> list[list[str]]:
        """What stands in the columns: ratios with their quartiles."""
        rows = []
        for comparison in self.comparisons:
            row = [comparison.name, f"{comparison.seconds[OURS] * 1e6:.1f}"]
            for candidate in self.titles:
                cell = ""
                if candidate in comparison.ratios:
                    low, high = comparison.spread(candidate)
                    cell = f"{comparison.ratio(candidate):.2f} ({low:.2f}–{high:.2f})"
                row.append(cell)
            rows.append(row)
        return rows


@dataclass(frozen=True)
class Report:
    """What was found, and where.

    Attributes:
        machine: the processor, the versions, the number of threads, and how restless the machine was before.
        sections: one for each suite that compared anything.
        roofline: where the products stand below the machine's limits; None without products.
    """

    machine: dict[str, Any]
    sections: list[Section]
    roofline: dict[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        comparisons = [found.as_dict() for section in self.sections for found in section.comparisons]
        report: dict[str, Any] = {
            "machine": self.machine,
            "warning": self.warning,
            "comparisons": comparisons,
        }
        if self.roofline is not None:
            report["roofline"] = self.roofline
        return report

    @property
    def summary(self) -> str:
        """The machine in one line."""
        about = self.machine
        torch = f"PyTorch {about['torch']}" if about["torch"] else "no PyTorch"
        return (
            f"{about['processor']}, {about['threads']} thread(s), Python {about['python']}, "
            f"NumPy {about['numpy']}, {torch}."
        )

    @property
    def warning(self) -> str:
        """What to say of a restless machine; empty for a calm one.

        It may have been calm before and busy later. So half of the ratios must hold as well: they may vary,
        between their quartiles, no more than the same work did.
        """
        spreads = [
            high / low
            for section in self.sections
            for found in section.comparisons
            for low, high in map(found.spread, found.ratios)
        ]
        restless = max(self.machine["noise"], statistics.median(spreads or [1.0]))
        if restless <= NOISY:
            return ""
        return f"This machine is busy: the same work varies by a factor of {restless:.2f}."

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(self.summary)} {html.escape(self.warning)}</p>"]
        for section in self.sections:
            header = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in section.header)
            rows = "".join(
                f'<tr><th scope="row">{html.escape(first)}</th>'
                + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
                + "</tr>"
                for first, *cells in section.rows
            )
            parts.append(
                f'<div class="pst-scrollable-table-container"><table class="table"><thead><tr>{header}</tr>'
                f"</thead><tbody>{rows}</tbody></table></div>"
            )
        return "".join(parts)


def measure(
    *suites: str,
    threads: int = 1,
    only: str = "",
    seconds: float = 0.5,
    turns: int = 15,
    watch: Callable[[Iterable[Case]], Iterable[Case]] = iter,
) -> Report:
    """Compare this library with NumPy, and with PyTorch where it is installed.

    Args:
        suites: names among `SUITES`; all without any.
        threads: how many each library may use.
        only: compare what has this in its name.
        seconds: time for each comparison, if its turns do not take longer.
        turns: how many turns.
        watch: is given the cases of each suite, and passes them on: a progress display.

    Example:
        >>> report = measure("ops", only="add, 4 elements", seconds=0.01)
        >>> [section.name for section in report.sections], report.roofline
        (['ops'], None)
    """
    with using(threads) as torch:
        restless = noise()
        sections, roofline = [], None
        for name in suites or SUITES:
            module = SUITES[name]
            found = [
                compare(case, functions, seconds, turns, REST if threads > 1 else 0.0)
                for case, functions in watch(module.cases(torch, only))
            ]
            if found:
                present = {candidate for each in found for candidate in each.ratios}
                titles = {c: title for c, title in module.TITLES.items() if c in present}
                sections.append(Section(name, titles, found))
            if found and module is gemm:
                roofline = gemm.roofline(found, threads)
    version = str(torch.__version__) if torch is not None else None
    about = {**machine(), "threads": threads, "noise": restless, "torch": version}
    return Report(about, sections, roofline)
