"""Names and keywords that do not exist: the error names the one that was probably meant."""

from __future__ import annotations

import pickle
import traceback

import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.core.spelling import LateText, nearest

X = tl.ones(2, 3)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("reshpe", "reshape"),
        ("argsrt", "argsort"),
        ("ones_lke", "ones_like"),
        ("range", "arange"),
        ("uint16", "int16"),
        ("float31", "float32"),
        ("transmogrify", None),
    ],
)
def test_the_nearest_name_of_the_library(written, meant):
    assert nearest(written, dir(tl)) == meant


def test_nothing_is_near_among_no_names():
    assert nearest("sum", []) is None


def test_a_slip_in_a_name_is_answered():
    with pytest.raises(AttributeError, match="tensorlab has no 'ones_lke'; did you mean 'ones_like'"):
        _ = tl.ones_lke


@pytest.mark.parametrize(("name", "home"), [("relu6", "nn.functional"), ("slogdt", None), ("pinv", "linalg")])
def test_a_name_of_another_module_is_answered_with_its_home(name, home):
    with pytest.raises(AttributeError, match=f"there is tensorlab.{home}.{name}" if home else "did you mean"):
        getattr(tl, name)


def test_a_terminal_suggests_once():
    with pytest.raises(AttributeError) as caught:
        _ = tl.ones_lke
    assert "".join(traceback.format_exception_only(caught.value)).count("ones_like") == 1
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_text_is_made_when_it_is_read():
    asked = []
    text = LateText(lambda name: asked.append(name) or name, "sum")
    error = AttributeError(text)
    assert asked == []
    assert str(error) == "sum"
    assert repr(error) == "AttributeError('sum')"
    assert asked == ["sum", "sum"]


KEYWORDS = {
    "a letter too many": (lambda: tl.sum(X, dims=0), "sum", "dims", "dim"),
    "of a method": (lambda: X.mean(dimm=0), "mean", "dimm", "dim"),
    "in another order": (lambda: tl.sum(X, 0, keep_dim=True), "sum", "keep_dim", "keepdim"),
    "more than the name": (lambda: tl.cat([X], dimension=0), "cat", "dimension", "dim"),
    "of what makes tensors": (lambda: tl.zeros(2, dtyp=tl.int64), "zeros", "dtyp", "dtype"),
    "of a function of layers": (
        lambda: F.cross_entropy(X, X, reduce_="sum"),
        "cross_entropy",
        "reduce_",
        None,
    ),
    "of linear algebra": (lambda: tl.linalg.norm(X, dims=0), "norm", "dims", "dim"),
    "of nothing": (lambda: tl.cumsum(X, 0, weights=3), "cumsum", "weights", None),
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_an_unknown_keyword_is_answered_with_those_that_there_are(name):
    call, function, written, meant = KEYWORDS[name]
    with pytest.raises(TypeError) as caught:
        call()
    words = str(caught.value)
    assert f"{function}() got an unexpected keyword argument '{written}'" in words
    assert words.lower().count("it takes") == 1
    assert meant is None or f"did you mean '{meant}'?" in words


def test_an_unknown_keyword_inside_of_a_call_stays_what_it_is():
    def inner(x):
        return tl.sum(x, dims=0)

    with pytest.raises(TypeError, match="did you mean 'dim'"):
        tl.func.vmap(inner)(X)


MISTAKES = {
    "an equation in the second place": (
        lambda: tl.einsum(X, "ij->ji"),
        TypeError,
        "the equation stands first",
    ),
    "a gradient that is a number": (
        lambda: tl.ones(2, requires_grad=True).mul(2).backward(3),
        TypeError,
        r"got 3.*full_like\(x, 3\)",
    ),
    "a tensor for a list of them": (lambda: tl.cat(X), TypeError, r"write cat\(\[x, y\]\)"),
    "too many dimensions in an order": (
        lambda: X.permute(0, 1, 2),
        RuntimeError,
        "must name each of the 2 dimensions once",
    ),
    "a negative step": (lambda: X[::-1], ValueError, "flip copies"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_what_works(name):
    call, kind, words = MISTAKES[name]
    with pytest.raises(kind, match=words):
        call()


def test_a_text_for_an_index_is_shown_whole_and_warns_of_nothing(recwarn):
    with pytest.raises(TypeError, match="got 'column'"):
        _ = X["column"]
    assert not recwarn.list
