"""The bundler joins exactly the forms that it names, and refuses every other one by file and line."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tensorlab.widgets.bundle import BundleError, bundle_module, bundle_styles


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "view.js"


GOOD = {
    "view": 'import {\n  double,\n  Box,\n} from "./engine.js";\nimport { ONE } from "./ground.js";\n\n'
    "const hidden = 5;\nfunction render() { return [double(ONE), new Box(hidden).content]; }\n\n"
    "export default { render };\n",
    "engine": 'import { ONE } from "./ground.js";\n\nconst hidden = 2 * ONE;\n'
    "export function double(x) { return hidden * x; }\n"
    "export class Box { constructor(content) { this.content = content; } }\n"
    "export async function later() { return hidden; }\n",
    "ground": "// import of nothing\nconst hidden = 1;\nexport const ONE = hidden;\n",
}


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed; the browser tests run the bundle too"
)
def test_the_bundle_runs_and_names_in_different_files_do_not_meet(tmp_path):
    bundle = tmp_path / "bundle.mjs"
    bundle.write_text(bundle_module(write(tmp_path, **GOOD)), encoding="utf-8")
    program = f"import w from {json.dumps(bundle.as_uri())}; console.log(JSON.stringify(w.render()))"
    run = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(run.stdout) == [2, 5]


def test_a_file_imported_twice_is_there_once(tmp_path):
    assert bundle_module(write(tmp_path, **GOOD)).count("const ONE") == 1


def test_the_bundle_imports_nothing(tmp_path):
    text = bundle_module(write(tmp_path, **GOOD))
    assert "import {" not in text
    assert text.count("export ") == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('import engine from "./engine.js";', "not one that is joined"),
        ('import * as engine from "./engine.js";', "not one that is joined"),
        ('import "./engine.js";', "not one that is joined"),
        ("import { double } from './engine.js';", "not one that is joined"),
        ('import { double } from "d3";', "not one that is joined"),
        ('import { double } from "https://example.org/engine.js";', "not one that is joined"),
        ('import { double as twice } from "./engine.js";', "only plain names"),
        ('import { } from "./engine.js";', "nothing is imported"),
        ('import { triple } from "./engine.js";', "engine.js exports no triple; it has double, Box, later"),
        ('const engine = await import("./engine.js");', "not one that is joined"),
        ("const here = import.meta.url;", "not one that is joined"),
        ("export { hidden };", "not one that is joined"),
        ('export * from "./engine.js";', "not one that is joined"),
        ("export let changing = 1;", "not one that is joined"),
        ("export const { a, b } = pair;", "not one that is joined"),
    ],
)
def test_other_forms_are_refused_by_file_and_line(tmp_path, line, reason):
    entry = write(tmp_path, **{**GOOD, "view": f"// first\n{line}\nexport default {{ }};\n"})
    with pytest.raises(BundleError) as refused:
        bundle_module(entry)
    assert f"{tmp_path.name}/view.js, line 2" in str(refused.value)
    assert reason in str(refused.value)


def test_line_numbers_survive_the_imports_above(tmp_path):
    entry = write(tmp_path, **{**GOOD, "view": GOOD["view"] + "export let late = 1;\n"})
    with pytest.raises(BundleError, match=rf"view\.js, line {GOOD['view'].count(chr(10)) + 1}:"):
        bundle_module(entry)


def test_a_circle_is_refused(tmp_path):
    ring = {
        "view": 'import { a } from "./a.js";\nexport default { };\n',
        "a": 'import { b } from "./b.js";\nexport const a = 1;\n',
        "b": 'import { a } from "./a.js";\nexport const b = 1;\n',
    }
    with pytest.raises(BundleError, match=r"view\.js → a\.js → b\.js → a\.js"):
        bundle_module(write(tmp_path, **ring))


@pytest.mark.parametrize("body", ["const a = 1;\n", "export default { };\nexport default { };\n"])
def test_the_entry_has_one_default(tmp_path, body):
    with pytest.raises(BundleError, match="the entry file has exactly one"):
        bundle_module(write(tmp_path, view=body))


def test_only_the_entry_has_a_default(tmp_path):
    files = {
        "view": 'import { a } from "./a.js";\nexport default { };\n',
        "a": "export const a = 1;\nexport default { };\n",
    }
    with pytest.raises(BundleError, match="other files have none"):
        bundle_module(write(tmp_path, **files))


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        bundle_module(write(tmp_path, view='import { a } from "./none.js";\nexport default { };\n'))


def test_styles_are_joined_and_fetch_nothing(tmp_path):
    first, second = tmp_path / "a.css", tmp_path / "b.css"
    first.write_text(".a { color: red }\n", encoding="utf-8")
    second.write_text(".b { background: url(data:image/gif;base64,AA) }\n", encoding="utf-8")
    text = bundle_styles([first, second])
    assert text.index(".a {") < text.index(".b {")
    for foreign in (
        "@import 'x.css';",
        ".c { background: url(https://example.org/x.png) }",
        ".c{src:url('x')}",
    ):
        second.write_text(foreign, encoding="utf-8")
        with pytest.raises(BundleError, match=r"b\.css, line 1"):
            bundle_styles([first, second])
