"""An argument of the wrong kind: a `TypeError` that names it, never an error from inside."""

from __future__ import annotations

import inspect

import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab import Tensor
from tensorlab.contracts import explained, misuse

X = tl.ones(2, 3)


def repeated(given: Tensor, count: int, scale: float | None = None, flag: bool = False) -> list:
    """A function like those of the library, annotated with the names of kinds."""
    if count > 3:
        raise RuntimeError("more than three")
    return [given._shape] * count


# `from __future__ import annotations` makes them text, as in the library.
CALLS = {
    "a list for a tensor": (
        lambda: explained(repeated)([1], 2),
        "'given' (position 1) must be Tensor, not list",
    ),
    "a text for a number": (lambda: explained(repeated)(X, "2"), None),
    "a text for a flag": (lambda: explained(repeated)(X, 2, flag="yes"), "'flag' must be bool, not str"),
    "flatten": (lambda: tl.flatten([1]), "flatten(): argument 'input' (position 1) must be Tensor, not list"),
    "zeros_like": (lambda: tl.zeros_like(3), "must be Tensor, not int"),
    "transpose": (lambda: tl.transpose(None, 0, 1), "must be Tensor, not NoneType"),
    "cross_entropy": (lambda: F.cross_entropy(X, [0, 1]), "'target' (position 2) must be Tensor, not list"),
    "layer_norm": (lambda: F.layer_norm("x", (3,)), "'input' (position 1) must be Tensor, not str"),
    "linear": (lambda: F.linear(X, [[1.0]]), "'weight' (position 2) must be Tensor, not list"),
    "eigh": (lambda: tl.linalg.eigh([[1.0]]), "A must be a tensor, got list"),
    "mm": (lambda: X.mm([1]), "'mat2' (position 2) must be Tensor, not list"),
    "addmm_": (lambda: X.addmm_(X, 3), "'mat2' (position 3) must be Tensor, not int"),
    "view_as": (lambda: X.view_as((3, 2)), "'other' (position 2) must be Tensor, not tuple"),
    "lerp": (lambda: tl.lerp([1.0], X, 0.5), "must be Tensor, not list"),
    "nan_to_num": (lambda: tl.nan_to_num([1.0]), "must be Tensor, not list"),
    "positive": (lambda: tl.positive(1), "must be Tensor, not int"),
    "unique": (lambda: tl.unique(X, sorted=1), "'sorted' must be bool, not int: write sorted=True"),
    "numel": (lambda: tl.numel(3), "must be Tensor, not int"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_error_is_a_type_error_that_names_the_argument(name):
    call, words = CALLS[name]
    with pytest.raises(TypeError) as caught:
        call()
    assert words is None or words in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__  # the inside is not shown


def test_an_error_of_a_right_call_stays_what_it_is():
    with pytest.raises(RuntimeError, match="more than three"):
        explained(repeated)(X, 4)
    with pytest.raises(IndexError):
        tl.transpose(X, 0, 5)
    with pytest.raises(ValueError, match="nope"):
        F.mse_loss(X, X, reduction="nope")


@pytest.mark.parametrize(
    "arguments",
    [(X, 2), (X, tl.tensor(2)), (X, 2, None), (X, 2, 1), (X, 2, tl.tensor(0.5)), (X, 2, 0.5, True)],
)
def test_no_misuse_is_found_where_there_is_none(arguments):
    assert misuse(repeated, arguments, {}, RuntimeError()) is None


def test_what_is_explained_keeps_its_name_its_words_and_its_parameters():
    function = explained(repeated)
    assert (function.__name__, function.__doc__) == (repeated.__name__, repeated.__doc__)
    assert inspect.signature(function) == inspect.signature(repeated)


NO_TENSORS = [None, "nope", [1.5], 3, 2.5, object()]
SKIPPED = {
    # what takes data of any kind, and what makes tensors
    "as_tensor", "asarray", "is_tensor", "tensor", "scalar_tensor",
    # their result is True or False of anything, or a number
    "is_storage",
}  # fmt: skip


SIMPLE = {"Tensor", "Operand", "int", "float", "Number"}


def needed(function):
    """The annotations of what a call has to give beside the first argument."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [
        parameter.annotation
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY
    ]


def takes_a_tensor_and_simple_things(function):
    parameters = list(inspect.signature(function).parameters.values())
    several = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    first = bool(parameters) and parameters[0].annotation == "Tensor" and not several
    return first and SIMPLE.issuperset(needed(function))


FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (tl, F, tl.linalg)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and name not in SKIPPED
    if takes_a_tensor_and_simple_things(getattr(module, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_of_a_tensor_fails_inside_with_something_else(name):
    """Whatever stands in the place of the first tensor, the error is a `TypeError`."""
    others = [X if kind in ("Tensor", "Operand") else 1 for kind in needed(FUNCTIONS[name])]
    for wrong in NO_TENSORS:
        with pytest.raises((TypeError, NotImplementedError)):
            FUNCTIONS[name](wrong, *others)


def test_most_functions_are_asked():
    assert len(FUNCTIONS) > 200


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.softmax(X),
        lambda: F.mse_loss(X, tl.ones(1, 3)),
        lambda: tl.ones(1).std(),
        lambda: tl.std(tl.ones(1)),
        lambda: tl.ones(1).expand(3).masked_fill_(tl.tensor([True, False, True]), 2.0),
        lambda: tl.ones(1).expand(3).index_put_((tl.tensor([0]),), tl.tensor(2.0)),
        lambda: tl.add(X, X, out=tl.ones(2)),
        lambda: X[tl.tensor([1, 0], dtype=tl.uint8)],
        lambda: F.dropout2d(X, 0.5),
    ],
)
def test_a_warning_names_the_line_of_the_caller(call):
    with pytest.warns(UserWarning, match=".") as caught:
        call()
    assert {warning.filename for warning in caught} == {__file__}
