"""Compare operators from the command line; see the package."""

from __future__ import annotations

import argparse
import collections
import sys
import time

import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.library.operators.calls import DTYPES, Comparison, compare_operator, covered


def main() -> int:
    """Command line: which operators, which dtypes, how many differences to show of each. 1 if any is new."""
    parser = argparse.ArgumentParser(prog="tests.library.operators", description=__doc__)
    parser.add_argument("names", nargs="*", help="operators; all without any")
    parser.add_argument("--dtypes", default=",".join(DTYPES), help="which dtypes, with commas")
    parser.add_argument("--every", type=int, default=1, help="compare every so-manieth sample")
    parser.add_argument("--show", type=int, default=3, help="how many examples of each difference")
    parser.add_argument("--times", action="store_true", help="name each operator and how long it took")
    arguments = parser.parse_args()
    operators = [op for op in op_db if covered(op) and op.name in (arguments.names or [op.name])]
    calls = differing = 0
    known: collections.Counter[str] = collections.Counter()
    for op in operators:
        began = time.perf_counter()
        comparisons = list(compare_operator(torch, op, tuple(arguments.dtypes.split(",")), arguments.every))
        calls += len(comparisons)
        known.update(comparison.reason for comparison in comparisons if comparison.reason)
        new = [comparison for comparison in comparisons if comparison.found and not comparison.reason]
        differing += len(new)
        if arguments.times:
            print(f"{op.name}: {len(comparisons)} calls, {time.perf_counter() - began:.1f} s", flush=True)
        _report(new, len(comparisons), arguments.show)
    for reason, count in known.items():
        print(f"known, {count} calls: {reason}")
    names = {op.name for op in operators}
    print(f"{len(names)} operators ({len(operators)} with variants), {calls} calls, {differing} differ")
    return 1 if differing else 0


def _report(new: list[Comparison], count: int, show: int) -> None:
    """Print the differences of one operator, those of one form and one kind together."""
    groups: dict[tuple[str, str], list[Comparison]] = collections.defaultdict(list)
    for comparison in new:
        assert comparison.found is not None
        groups[comparison.form, comparison.found.partition(":")[0]].append(comparison)
    for (form, fact), comparisons in groups.items():
        print(f"{comparisons[0].operator} [{form}] {fact}: {len(comparisons)} of {count} calls")
        for comparison in comparisons[:show]:
            print(f"    {comparison.call[:300]}\n        {str(comparison.found)[:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
