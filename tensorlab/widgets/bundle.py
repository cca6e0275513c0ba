"""Join a widget's ES modules into the one module that anywidget ships.

A widget's JavaScript is kept as ordinary ES modules, so that node, a browser and an editor read each file as
it is. anywidget sends one string. This joins the files by text and understands exactly these forms, each at
the beginning of a line:

    import { name, other } from "./file.js";
    export function name(…)    export async function name(…)
    export const NAME = …      export class Name …
    export default { … };      (in the entry file, once)

Everything else that begins with ``import`` or ``export`` is refused by file and line. No parser is needed,
because nothing is guessed: each file becomes one function that returns what it exports, so names in different
files never meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["BundleError", "bundle_module", "bundle_styles"]

_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[^"\n]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(rf"^export (?=(?:async function|function|const|class) ({_IDENTIFIER})\b)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default (?=\{)", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)
_FOREIGN_STYLE = re.compile(r"@import\b|url\(\s*['\"]?(?!data:)", re.IGNORECASE)


class BundleError(ValueError):
    """A widget's file uses a form that the bundler does not join. The message names file and line."""


def bundle_module(entry: Path) -> str:
    """The ES module `entry` and all that it imports, as the text of one ES module.

    Args:
        entry: the file with ``export default``.

    Raises:
        BundleError: a form that is not listed above, a name that the imported file does not export, a circle.
        FileNotFoundError: an imported file does not exist.

    Example:
        >>> from pathlib import Path
        >>> import tensorlab.widgets.storage_lab as lab
        >>> "export default" in bundle_module(Path(lab.__file__).parent / "view.js")
        True
    """
    entry = entry.resolve()
    parts: list[str] = []
    exports: dict[Path, list[str]] = {}
    _add(entry, (), parts, exports)
    return "".join(parts)


def _add(path: Path, importers: tuple[Path, ...], parts: list[str], exports: dict[Path, list[str]]) -> None:
    """Append `path` to `parts`, after the files that it imports; `exports` keeps what each file offers."""
    text = path.read_text(encoding="utf-8")
    is_entry = not importers
    header: list[str] = []
    for match in _IMPORT.finditer(text):
        target = (path.parent / match[2]).resolve()
        if target == path or target in importers:
            chain = " → ".join(p.name for p in (*importers, path, target))
            raise _error(path, text, match.start(), f"imports go round in a circle: {chain}")
        if target not in exports:
            _add(target, (*importers, path), parts, exports)
        names = _imported_names(path, text, match)
        for name in names:
            if name not in exports[target]:
                offered = ", ".join(exports[target]) or "nothing"
                raise _error(path, text, match.start(), f"{target.name} exports no {name}; it has {offered}")
        header.append(f"const {{ {', '.join(names)} }} = module{list(exports).index(target)};\n")
    # Imports leave their line breaks behind, so that line numbers in a message stay those of the file.
    body = _IMPORT.sub(lambda match: "\n" * match[0].count("\n"), text)
    names = _EXPORT.findall(body)
    body = _EXPORT.sub("", body)
    defaults = len(_DEFAULT.findall(body))
    if defaults != is_entry:
        wanted = (
            "needs one `export default { … };`" if is_entry else "is imported and has an `export default`"
        )
        raise BundleError(f"{path.name} {wanted}: the entry file has exactly one, other files have none")
    body = _DEFAULT.sub("return ", body)
    left = _LEFT_OVER.search(body)
    if left:
        raise _error(path, body, left.start(), "this form of import or export is not one that is joined")
    exports[path] = names
    title = f"// {path.parent.name}/{path.name}\n"
    inner = "".join(header) + body.rstrip("\n") + "\n"
    if is_entry:
        parts.append(f"{title}export default (() => {{\n{inner}}})();\n")
    else:
        index = len(exports) - 1
        parts.append(
            f"{title}const module{index} = (() => {{\n{inner}return {{ {', '.join(names)} }};\n}})();\n\n"
        )


def _imported_names(path: Path, text: str, match: re.Match[str]) -> list[str]:
    """The names between the braces of an import; only plain names, a last comma allowed."""
    names = [name.strip() for name in match[1].split(",")]
    if names[-1] == "":
        names.pop()
    for name in names:
        if not re.fullmatch(_IDENTIFIER, name):
            raise _error(path, text, match.start(), f"only plain names can be imported, not {name!r}")
    if not names:
        raise _error(path, text, match.start(), "nothing is imported")
    return names


def _error(path: Path, text: str, position: int, reason: str) -> BundleError:
    line = text.count("\n", 0, position) + 1
    shown = text.splitlines()[line - 1].strip()
    return BundleError(f"{path.parent.name}/{path.name}, line {line}: {reason}: {shown}")


def bundle_styles(paths: Iterable[Path]) -> str:
    """Style sheets, one after the other.

    Raises:
        BundleError: a sheet would fetch something (``@import``, ``url(…)`` other than ``data:``).
    """
    parts = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        foreign = _FOREIGN_STYLE.search(text)
        if foreign:
            raise _error(path, text, foreign.start(), "a widget's style sheet fetches nothing")
        parts.append(f"/* {path.parent.name}/{path.name} */\n{text.rstrip()}\n")
    return "\n".join(parts)
