"""``tensorlab doctor``: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tensorlab.cli.support.diagnosis import Finding, examine
from tensorlab.cli.support.errors import FAILED

MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "missing": "[red]missing[/]"}


def run(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say what this machine has, what is missing, and how to get it.

    Exit code 0: everything necessary is there (notes are not necessary); 1: something necessary is missing.
    """
    findings = examine()
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        show(findings)
    if any(finding.state == "missing" for finding in findings):
        raise typer.Exit(FAILED)


def show(findings: list[Finding]) -> None:
    """Print a table, and below it what to do."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("part", "state", "found"):
        table.add_column(title)
    for finding in findings:
        table.add_row(finding.part, MARKS[finding.state], finding.found)
    console = Console(highlight=False)
    console.print(table)
    for finding in findings:
        if finding.remedy:
            console.print(f"\n[bold]{finding.part}[/]: {finding.remedy}")
