"""The named tuples that functions of several results return.

They unpack like tuples, and their items have names: ``values, indices = x.max(0)``, ``x.max(0).values``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

__all__ = [
    "aminmax",
    "cummax",
    "cummin",
    "frexp",
    "histogram",
    "kthvalue",
    "linalg_eigh",
    "linalg_lstsq",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_svd",
    "max",
    "median",
    "min",
    "mode",
    "nanmedian",
    "qr",
    "sort",
    "svd",
    "topk",
]


class NamedResults(tuple):
    """A tuple whose items have names.

    Args:
        items: one item a name.

    Raises:
        TypeError: there are more or fewer items than names.

    Example:
        >>> pair = max((3, 0))
        >>> pair.values, pair[1]
        (3, 0)
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    n_fields: ClassVar[int] = 0

    def __new__(cls, items: Iterable[Any]) -> NamedResults:
        made = super().__new__(cls, items)
        if len(made) != len(cls._fields):
            raise TypeError(
                f"{cls.__name__}() takes a {len(cls._fields)}-sequence ({len(made)}-sequence given): "
                f"its items are {', '.join(cls._fields)}"
            )
        return made

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fields:
            return self[type(self)._fields.index(name)]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self._fields)}")

    def __repr__(self) -> str:
        items = ",\n".join(f"{name}={item!r}" for name, item in zip(self._fields, self, strict=True))
        return f"tensorlab.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self) -> tuple:
        return type(self), (tuple(self),)


def _named(name: str, *fields: str) -> type[NamedResults]:
    attributes = {
        "__doc__": f"The results of `tensorlab.{name}`: {' and '.join(fields)}.",
        "__match_args__": fields,
        "__module__": __name__,
        "__slots__": (),
        "_fields": fields,
        "n_fields": len(fields),
    }
    return type(name, (NamedResults,), attributes)


aminmax = _named("aminmax", "min", "max")
cummax = _named("cummax", "values", "indices")
cummin = _named("cummin", "values", "indices")
frexp = _named("frexp", "mantissa", "exponent")
histogram = _named("histogram", "hist", "bin_edges")
kthvalue = _named("kthvalue", "values", "indices")
linalg_eigh = _named("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_lstsq = _named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_qr = _named("linalg_qr", "Q", "R")
linalg_slogdet = _named("linalg_slogdet", "sign", "logabsdet")
linalg_svd = _named("linalg_svd", "U", "S", "Vh")
max = _named("max", "values", "indices")
median = _named("median", "values", "indices")
min = _named("min", "values", "indices")
mode = _named("mode", "values", "indices")
nanmedian = _named("nanmedian", "values", "indices")
qr = _named("qr", "Q", "R")
sort = _named("sort", "values", "indices")
svd = _named("svd", "U", "S", "V")
topk = _named("topk", "values", "indices")
