"""The Python side of the Storage Lab: what it accepts, what it refuses, and that refusing changes nothing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from traitlets import TraitError

import tensorlab as tl
from tensorlab.widgets import StorageLab


def standing(lab):
    return lab.shape, lab.stride, lab.offset, lab.cells, lab.dtype, lab.hand


def test_importing_the_library_loads_no_widget():
    program = "import sys, tensorlab; sys.exit('ipywidgets' in sys.modules or 'anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


def test_a_lab_without_a_tensor_has_a_sample():
    lab = StorageLab(shape=(3, 4))
    assert standing(lab) == ((3, 4), (4, 1), 0, 12, "float32", (0, 0))
    assert lab.tensor.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert lab.tensor.dtype is tl.float32


def test_cells_default_to_what_the_layout_needs():
    assert StorageLab(shape=(2, 3), stride=(4, 2), offset=1).cells == 1 + 4 + 4 + 1
    assert StorageLab(shape=()).cells == 1
    assert StorageLab(shape=(0, 4)).cells == 0
    assert StorageLab().shape == (3, 4)


def test_a_lab_shows_a_tensor_as_it_lies_in_memory():
    x = tl.arange(12, dtype=tl.int16).view(3, 4).t()
    lab = StorageLab(x, name="weights")
    assert standing(lab) == ((4, 3), (1, 4), 0, 12, "int16", (0, 0))
    assert lab._values == [str(k) for k in range(12)]
    assert int(lab._pointer) == x.untyped_storage().data_ptr()
    assert lab.tensor.tolist() == x.tolist()
    assert lab.tensor.data_ptr() == x.data_ptr()


def test_a_view_is_shown_over_the_whole_storage():
    x = tl.arange(12)[3:9:2]
    lab = StorageLab(x)
    assert standing(lab)[:4] == ((3,), (2,), 3, 12)
    assert len(lab._values) == 12


def test_the_labs_tensor_is_a_view_of_the_given_storage():
    x = tl.zeros(4)
    lab = StorageLab(x, shape=(2, 2), stride=(2, 1))
    x[3] = 7.0
    assert lab.tensor.tolist() == [[0, 0], [0, 7]]
    assert lab._values == ["0.", "0.", "0.", "0."]
    lab.refresh()
    assert lab._values == ["0.", "0.", "0.", "7."]


def test_values_are_short():
    lab = StorageLab(tl.tensor([0.125, -3.5, 1e9, 2.5e-7, 1 / 3, float("nan"), float("-inf"), 4.0]))
    assert lab._values == ["0.125", "-3.5", "1e+09", "2.5e-07", "0.3333", "nan", "-inf", "4."]
    assert StorageLab(tl.tensor([True, False]))._values == ["True", "False"]


def test_a_storage_too_long_to_draw_lends_a_window_that_follows_the_layout():
    x = tl.arange(10_000)
    lab = StorageLab(x[6000:6010])
    assert (lab._values_start, len(lab._values), lab._values[0]) == (5904, 4096, "5904")
    lab.offset = 17
    assert (lab._values_start, lab._values[0]) == (17, "17")


def test_a_dense_layout_stays_dense_when_the_shape_changes():
    lab = StorageLab(shape=(3, 4))
    lab.hand = (2, 3)
    lab.shape = (2, 6)
    assert (lab.stride, lab.hand) == ((6, 1), (1, 3))
    lab.shape = (12,)
    assert (lab.stride, lab.hand) == ((1,), (0,))


def test_other_strides_stay_as_they_are():
    lab = StorageLab(shape=(4, 3), stride=(1, 4))
    lab.shape = (2, 2)
    assert lab.stride == (1, 4)


def test_as_strided_sets_all_three():
    lab = StorageLab(shape=(3, 4))
    lab.as_strided((4, 3), (1, 4))
    assert lab.tensor.tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    lab.as_strided((), (), 5)
    assert (lab.tensor.item(), lab.hand) == (5, ())
    lab.as_strided((0, 4), (4, 1))
    assert lab.hand is None
    lab.as_strided((2,), (1,))
    assert lab.hand == (0,)


def test_a_negative_index_in_hand_counts_from_the_end():
    lab = StorageLab(shape=(3, 4))
    lab.hand = (-1, -1)
    assert lab.hand == (2, 3)
    assert StorageLab(shape=(3, 4), hand=(1, -2)).hand == (1, 2)


def test_the_sample_changes_with_its_length_and_dtype():
    lab = StorageLab(shape=(2, 2))
    assert lab.tensor.untyped_storage().data_ptr() == lab.tensor.untyped_storage().data_ptr()
    lab.cells = 9
    lab.dtype = "int8"
    assert len(lab.tensor.storage()) == 9
    assert lab.tensor.dtype is tl.int8


REFUSED = [
    ("offset", 1, RuntimeError, "element (2, 3) would lie in cell 1 + 2·4 + 3·1 = 12, and the storage has"),
    ("offset", -1, RuntimeError, "the offset -1 is negative"),
    ("offset", 1.5, TraitError, "expected an int"),
    ("shape", (4, 4), RuntimeError, "element (3, 3) would lie in cell"),
    ("shape", (2, -1), ValueError, "negative size -1"),
    ("shape", "34", TypeError, "must be a sequence of integers"),
    ("shape", (2.0, 3), TypeError, "must be an integer"),
    ("shape", 12, TypeError, "must be a sequence of integers"),
    ("stride", (1,), RuntimeError, "2 sizes need 2 strides, got 1"),
    ("stride", (4, -1), RuntimeError, "is negative; strides are 0 or more"),
    ("cells", 11, RuntimeError, "the storage has cells 0 … 10"),
    ("cells", -3, ValueError, "cannot be"),
    ("dtype", "complex64", TypeError, "complex64"),
    ("hand", (3, 0), IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ("hand", (0,), IndexError, "too few indices"),
    ("hand", None, IndexError, "too few indices"),
]


@pytest.mark.parametrize(("name", "value", "error", "reason"), REFUSED)
def test_what_does_not_fit_is_refused_and_changes_nothing(name, value, error, reason):
    lab = StorageLab(shape=(3, 4))
    before, heard = standing(lab), []
    lab.observe(heard.append)
    with pytest.raises(error, match=re.escape(reason)):
        setattr(lab, name, value)
    assert standing(lab) == before
    assert heard == []


def test_several_traits_at_once_are_taken_back_together():
    lab = StorageLab(shape=(3, 4))
    before = standing(lab)

    def set_together(shape, offset):
        with lab.hold_trait_notifications():
            lab.shape, lab.offset = shape, offset

    with pytest.raises(TraitError, match="would lie in cell"):
        set_together((9, 9), 1)
    assert standing(lab) == before
    with lab.hold_trait_notifications():
        lab.shape, lab.stride = (4, 3), (1, 4)
    assert standing(lab)[:2] == ((4, 3), (1, 4))


def test_an_observer_sees_a_layout_that_fits_and_may_change_it():
    lab = StorageLab(shape=(3, 4))
    seen = []

    def on_shape(change):
        seen.append((lab.shape, lab.stride, lab.tensor.tolist()[0][0]))
        with pytest.raises(RuntimeError):
            lab.offset = 99
        lab.hand = (1, 5)

    lab.observe(on_shape, "shape")
    lab.shape = (2, 6)
    assert seen == [((2, 6), (6, 1), 0)]
    assert lab.hand == (1, 5)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"offset": 1}, RuntimeError),
        ({"shape": [9, 9], "stride": [9, 1]}, RuntimeError),
        ({"shape": [2, 3, 2]}, RuntimeError),
        ({"shape": "ab"}, TypeError),
        ({"stride": None}, TypeError),
        ({"offset": "1"}, TypeError),
        ({"offset": 2, "dtype": "float1"}, TypeError),
        ({"hand": [9, 9]}, IndexError),
        ({"hand": None}, ValueError),
    ],
)
def test_nonsense_from_a_page_never_arrives(sent, error):
    lab = StorageLab(shape=(3, 4))
    before = standing(lab)
    with pytest.raises(error):
        lab.set_state(sent)
    assert standing(lab) == before


def test_a_page_sets_several_traits_at_once():
    lab = StorageLab(shape=(3, 4))
    lab.set_state({"shape": [4, 3], "stride": [1, 4], "offset": 0, "hand": [3, 2]})
    assert standing(lab) == ((4, 3), (1, 4), 0, 12, "float32", (3, 2))


def test_a_page_sets_nothing_else():
    lab = StorageLab(tl.arange(12))
    with pytest.raises(TypeError, match="belongs to the storage of the given tensor"):
        lab.set_state({"cells": 99})
    with pytest.raises(TypeError, match="belongs to the storage of the given tensor"):
        lab.set_state({"dtype": "int8"})
    lab.set_state({"_pointer": "1", "_values": ["9"], "_esm": "alert(1)", "_fixed": False, "key": "x"})
    assert lab._values[0] == "0"
    assert lab._fixed
    assert "alert(1)" not in lab._esm


def test_the_storage_of_a_given_tensor_is_fixed():
    lab = StorageLab(tl.arange(12))
    for name, value in (("cells", 20), ("dtype", "int8")):
        with pytest.raises(TypeError, match=f"{name} belongs to the storage of the given tensor"):
            setattr(lab, name, value)


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"tensor": [1, 2]}, TypeError, "tl.as_tensor"),
        ({"tensor": tl.arange(3), "cells": 3}, TypeError, "a given tensor has its own"),
        ({"shape": (3, 4), "cells": 11}, RuntimeError, "element (2, 3)"),
        ({"shape": (3, 4), "stride": (1,)}, RuntimeError, "2 sizes need 2 strides"),
        ({"shape": (3, -4)}, ValueError, "negative size"),
        ({"offset": -1}, RuntimeError, "negative"),
        ({"dtype": "float8"}, TypeError, "float8"),
        ({"hand": (9, 9)}, IndexError, "out of bounds"),
        ({"key": "Lab 1"}, ValueError, "key 'Lab 1' stands in the page's address"),
    ],
)
def test_a_lab_that_cannot_be_is_refused(arguments, error, reason):
    with pytest.raises(error, match=re.escape(reason)):
        StorageLab(**arguments)


def test_each_lab_has_its_own_key():
    keys = [StorageLab().key for _ in range(3)]
    assert len(set(keys)) == 3
    assert StorageLab(key="first-lab").key == "first-lab"


KEYS = (
    "from tensorlab.widgets import MatmulLab, StorageLab; import sys; "
    "labs = [StorageLab(shape=(7, 1)) for _ in range(int(sys.argv[1]))]; "
    "print(StorageLab(shape=(5, 3)).key, MatmulLab((2, 3), (3, 4)).key)"
)


def test_a_key_stays_when_labs_are_added_before_it():
    said = [
        subprocess.run(
            [sys.executable, "-c", KEYS, count], capture_output=True, text=True, timeout=60, check=True
        ).stdout
        for count in ("0", "2")
    ]
    assert said[0] == said[1]
    assert re.fullmatch(r"storagelab-[0-9a-f]{6} matmullab-[0-9a-f]{6}\n", said[0])


def test_a_bound_lab_follows_what_cells_write():
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    shell = interactiveshell.InteractiveShell.instance()
    try:
        for cell in (
            "import tensorlab as tl; from tensorlab.widgets import StorageLab",
            "x = tl.arange(4); lab = StorageLab(x[1:]); before = lab._values",
            "x.add_(100)",
            "after = lab._values",
        ):
            shell.run_cell(cell, silent=False, store_history=False).raise_error()
        assert shell.user_ns["before"] == ["0", "1", "2", "3"]
        assert shell.user_ns["after"] == ["100", "101", "102", "103"]
    finally:
        interactiveshell.InteractiveShell.clear_instance()


def test_the_text_twin_says_every_address():
    twin = StorageLab(shape=(2, 2), stride=(1, 2), offset=1, cells=5, dtype=tl.int32).text_twin()
    rows = re.findall(
        r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>', twin
    )
    assert rows == [
        ("[0, 0]", "1", "1 + 0·1 + 0·2", "1", "1 × 4 B = byte 4"),
        ("[0, 1]", "3", "1 + 0·1 + 1·2", "3", "3 × 4 B = byte 12"),
        ("[1, 0]", "2", "1 + 1·1 + 0·2", "2", "2 × 4 B = byte 8"),
        ("[1, 1]", "4", "1 + 1·1 + 1·2", "4", "4 × 4 B = byte 16"),
    ]
    assert "cell by cell: 0, 1, 2, 3, 4</p>" in twin


def test_the_text_twin_of_a_large_tensor_is_short():
    twin = StorageLab(shape=(1000, 1000)).text_twin()
    assert twin.count("<tr>") == 257
    assert "The first 256 of 1000000 elements." in twin


def test_a_notebook_gets_the_widget_and_its_twin(monkeypatch):
    shown = []
    monkeypatch.setattr("tensorlab.widgets.base.display", lambda data, **rest: shown.append(data))
    lab = StorageLab(shape=(2, 2))
    lab._ipython_display_()
    view, twin = shown
    assert view["application/vnd.jupyter.widget-view+json"]["model_id"] == lab.model_id
    assert list(twin) == ["text/html"]
    assert twin["text/html"].startswith("<noscript>\n<table>")
    assert twin["text/html"].endswith("</noscript>")


def test_the_repr_says_the_layout():
    lab = StorageLab(shape=(3, 4))
    assert repr(lab) == "StorageLab(shape=(3, 4), stride=(4, 1), offset=0, cells=12, dtype='float32')"
