"""Labs with a kernel, in JupyterLab: the page changes Python, and Python changes the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests.site_fixtures import ROOT

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

START_SECONDS = 60
KERNEL_MS = 60_000
QUIET = [
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--IdentityProvider.token=",
    "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
]
CELLS = [
    "import tensorlab as tl\nfrom tensorlab.widgets import StorageLab\n"
    "x = tl.arange(12, dtype=tl.int32).view(3, 4)\nlab = StorageLab(x)\nlab",
    "print(lab.shape, lab.stride, lab.offset, lab.hand, lab.tensor.tolist())",
    "lab.as_strided((4, 3), (1, 4)); lab.hand = (3, 2)",
    "lab.offset = 1",
    "x[2, 3] = 77",
    "from tensorlab.widgets import StrideLab\nsteps = StrideLab(shape=(3, 4))\nsteps",
    "print(steps.ops, steps.tensor.stride(), steps.state['hand'])",
    "steps.apply('slice', 0, 0, 4, 2)",
    "steps.apply('view', 6)",
    "from tensorlab.widgets import TapePlayer\n"
    "player = TapePlayer('h = x * w; z = h * h + h', x=2, w=3)\nplayer",
    "print(player.gradients['x'].item(), player.state['guess'], player.state['step'])",
    "player.change(source='(x * w).exp()')",
    "player.change(source='x + q')",
    "from tensorlab.widgets import ConvolutionWalk\nwalk = ConvolutionWalk((3, 6, 6))\nwalk",
    "print(walk.windows.stride(), walk.state['place'])",
    "walk.change(layout='NCHW', place=(3, 0))",
    "walk.change(kernel=7)",
]


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab with one notebook, all of its own settings in a folder of its own."""
    folder = tmp_path_factory.mktemp("jupyterlab")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    work = folder / "work"
    work.mkdir()
    nbformat.write(notebook, work / "lab.ipynb")
    own = {
        name: str(folder / name.lower())
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "IPYTHONDIR",
        )
    }
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    log = folder / "log.txt"
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *QUIET, f"--ServerApp.root_dir={work}"],
            env={**os.environ, **own, "PYTHONPATH": path},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield address(server, Path(own["JUPYTER_RUNTIME_DIR"]), log) + "lab/tree/lab.ipynb"
    finally:
        server.terminate()
        server.wait(timeout=30)


def address(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    """Wait until the server has written down where it listens."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            try:
                return json.loads(path.read_text(encoding="utf-8"))["url"]
            except (json.JSONDecodeError, KeyError):
                break  # it is being written
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


@pytest.fixture
def notebook(chromium, jupyterlab):
    """The notebook's page with a running kernel, and a function that runs one of its cells."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(jupyterlab)
    # Idle is also what it says before there is a kernel; the kernel's name is there from when it was started.
    expect(page.locator(".jp-Toolbar-kernelName")).to_contain_text("Python 3", timeout=KERNEL_MS)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=KERNEL_MS)
    cells = page.locator(".jp-Notebook .jp-CodeCell")

    def run(number):
        # What is sent while the kernel still winds up a failed cell is dropped, and never runs.
        expect(page.locator(".jp-InputPrompt").filter(has_text="[*]")).to_have_count(0, timeout=KERNEL_MS)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=KERNEL_MS)
        cells.nth(number).locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        return cells.nth(number).locator(".jp-OutputArea")

    yield page, run
    page.close()
    assert errors == []


def test_the_page_and_the_kernel_change_each_other(notebook):
    page, run = notebook
    output = run(0)
    line = page.locator(".tlw-line")
    expect(line).to_have_text("x", timeout=KERNEL_MS)
    expect(page.locator(".tlw-facts")).to_contain_text("data_ptr")

    # page → Python
    page.get_by_label("shape", exact=True).fill("2, 3")
    page.keyboard.press("Enter")
    page.get_by_label("offset", exact=True).fill("4")
    page.keyboard.press("Enter")
    page.locator('[data-index="1,2"]').click()
    expect(run(1)).to_contain_text("(2, 3) (3, 1) 4 (1, 2) [[4, 5, 6], [7, 8, 9]]", timeout=KERNEL_MS)

    # a layout that does not fit stays in the page
    page.get_by_label("offset", exact=True).fill("9")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-message")).to_contain_text("would lie in cell 9 + 1·3 + 2·1 = 14")
    expect(run(1)).to_contain_text("(2, 3) (3, 1) 4 (1, 2)", timeout=KERNEL_MS)

    # Python → page
    run(2)
    expect(line).to_have_text("x.as_strided((4, 3), (1, 4), 0)", timeout=KERNEL_MS)
    expect(page.locator(".tlw-cell.tlw-in-hand")).to_have_attribute("data-index", "3,2")
    expect(page.get_by_label("stride", exact=True)).to_have_value("1, 4")

    # a layout that does not fit raises in Python, and the page stays
    expect(run(3)).to_contain_text(
        "RuntimeError: element (3, 2) would lie in cell 1 + 3·1 + 2·4 = 12", timeout=KERNEL_MS
    )
    expect(page.get_by_label("offset", exact=True)).to_have_value("0")

    # the tensor was written to
    run(4)
    expect(page.locator('.tlw-cell[data-index="3,2"]')).to_have_text("77", timeout=KERNEL_MS)

    # the twin for readers without JavaScript takes no room, and the address bar is JupyterLab's own
    boxes = [child.bounding_box() for child in output.locator(".jp-OutputArea-child").all()]
    assert [box["height"] > 0 for box in boxes] == [True, False]
    assert page.evaluate("location.hash") == ""
    assert page.get_by_role("button", name="Copy link").count() == 0


def test_one_state_goes_both_ways(notebook):
    _, run = notebook
    output = run(5)
    lab = output.locator(".tlw-stride-lab")
    expect(lab.locator(".tlw-chip")).to_have_text(["x start"], timeout=KERNEL_MS)

    # page → Python
    lab.locator("[data-operation=transpose]").click()
    lab.get_by_role("button", name="Apply").click()
    expect(run(6)).to_contain_text("[('transpose', 0, 1)]", timeout=KERNEL_MS)
    lab.locator('[data-index="3,1"]').click()
    expect(run(6)).to_contain_text("[('transpose', 0, 1)] (1, 4) [3, 1]", timeout=KERNEL_MS)

    # Python → page
    run(7)
    expect(lab.locator(".tlw-chip").last).to_have_text("[::2] view · 0 B", timeout=KERNEL_MS)
    expect(lab.locator(".tlw-cell")).to_have_count(6)

    # what the library refuses raises in Python, and the page stays
    expect(run(8)).to_contain_text("RuntimeError: cannot view (2, 3) with strides (2, 4)", timeout=KERNEL_MS)
    expect(lab.locator(".tlw-chip")).to_have_count(3)


def test_a_program_goes_both_ways(notebook):
    _, run = notebook
    output = run(9)
    player = output.locator(".tlw-tape-player")
    expect(player.locator(".tlw-node")).to_have_count(5, timeout=KERNEL_MS)

    # page → Python
    player.locator(".tlw-candidate input[value=right]").check()
    player.get_by_role("button", name="Commit").click()
    player.get_by_label("last step").click()
    player.get_by_role("textbox", name="value of x").fill("1")
    player.get_by_role("textbox", name="value of x").press("Enter")
    expect(run(10)).to_contain_text("21.0 right 15", timeout=KERNEL_MS)

    # Python → page
    run(11)
    expect(player.get_by_label("expression")).to_have_value("(x * w).exp()", timeout=KERNEL_MS)
    expect(player.locator(".tlw-node")).to_have_count(4)

    # what the library refuses raises in Python, and the page stays
    expect(run(12)).to_contain_text("ValueError: there is no leaf q", timeout=KERNEL_MS)
    expect(player.get_by_label("expression")).to_have_value("(x * w).exp()")


def test_a_window_goes_both_ways(notebook):
    _, run = notebook
    lab = run(13).locator(".tlw-convolution-walk")
    expect(lab.locator(".tlw-subject")).to_have_text("windows[0, :, 0, 0]", timeout=KERNEL_MS)

    # page → Python
    lab.get_by_label("storage", exact=True).select_option("NHWC")
    lab.get_by_role("grid", name="Places").locator('[data-index="1,2"]').click()
    expect(run(14)).to_contain_text("(108, 1, 18, 3, 18, 3) [1, 2]", timeout=KERNEL_MS)

    # Python → page
    run(15)
    expect(lab.locator(".tlw-subject")).to_have_text("windows[0, :, 3, 0]", timeout=KERNEL_MS)
    expect(lab.get_by_label("storage", exact=True)).to_have_value("NCHW")

    # what the library refuses raises in Python, and the page stays
    expect(run(16)).to_contain_text("RuntimeError: maximum size for tensor", timeout=KERNEL_MS)
    expect(lab.get_by_label("kernel", exact=True)).to_have_value("3")
