"""Lint the prose of README, pages and notebooks with textlint, by the rules in .ci/prose.

    python .ci/check_prose.py [FILE ...]

textlint is installed into .ci/prose/node_modules when it is missing; that needs node and npm, version 20.
A notebook's Markdown is written to a file of the same name first, with the names of its cells as comments,
so that a finding leads to its cell. Code is not prose: textlint leaves out what is between backticks.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".ci" / "prose"
PAGES = ("README.md", "CHANGELOG.md", "book/*.md", "book/**/*.ipynb", "exercises/*.ipynb")


def main(names: list[str]) -> int:
    """Lint the named files, or all pages; return textlint's exit status."""
    npm = shutil.which("npm")
    if npm is None:
        print("install node and npm, version 20 or later, to lint the prose", file=sys.stderr)
        return 1
    if not (TOOLS / "node_modules").is_dir():
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=TOOLS, check=True)
    pages = [Path(name).resolve() for name in names] or [
        page for pattern in PAGES for page in sorted(ROOT.glob(pattern))
    ]
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            target = Path(folder) / page.relative_to(ROOT).with_suffix(".md")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(prose(page), encoding="utf-8")
        command = [npm, "exec", "--", "textlint", "--config", "textlintrc.json", folder]
        done = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, check=False)
    print((done.stdout + done.stderr).replace(f"{folder}/", ""), end="")
    if done.returncode == 0:
        print(f"{len(pages)} pages keep the rules of .ci/prose/words.yml")
    return done.returncode


def prose(page: Path) -> str:
    """Return a page's Markdown; of a notebook, that of its cells with a comment that names each."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return "\n\n".join(f"<!-- {cell['id']} -->\n\n{''.join(cell['source'])}" for cell in cells) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
