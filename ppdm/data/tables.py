"""The five public tables that the papers mine, bundled: nothing is ever fetched (SOURCES.md says where from)."""

import gzip
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.data.about import ABOUT, LISTED, SCHOOLING

FOLDER = Path(__file__).parent / "tables"

# Where the class stands and what its values mean; None: a number.
_CLASS: dict[str, tuple[str, dict[str, str] | None]] = {
    "pima": ("class", {"0": "negative", "1": "positive"}),
    "boston": ("MEDV", None),
    "wbc": ("class", {"2": "benign", "4": "malignant"}),
    "votes": ("class", {"democrat": "democrat", "republican": "republican"}),
    "adult": ("income", {"<=50K": "<=50K", ">50K": ">50K"}),
}
_PARTS = ("data", "test", "first10000")


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table to mine.

    Attributes
    ----------
    name, part : "adult" and "test", say; part is None where all records are there
    X : the attributes. A category column is nominal, an ordered category is ordered, all else are numbers; NaN is a
        missing value.
    y : the class as a category, or a number (Boston)
    sensitive : attributes that a person may want to keep private, each with the reason
    listed : values of nominal attributes in the order of the data set's own description, which some readings need
        (Adult's education is ordered by schooling in X; its description lists it otherwise)
    subsamples : row numbers, from 0, of the papers' samples by name: see ``subsample``
    description, licence, citation : what a reader must know
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    sensitive: dict[str, str]
    description: str
    licence: str
    citation: str
    part: str | None = None
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    subsamples: dict[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        part = f" ({self.part})" if self.part else ""
        return f"Table {self.name}{part}: {len(self.X)} records × {self.X.shape[1]} attributes, {self._target()}"

    def _target(self) -> str:
        if not isinstance(self.y.dtype, pd.CategoricalDtype):
            return f"{self.y.name} from {self.y.min():g} to {self.y.max():g}"
        counts = self.y.value_counts(sort=False)
        return f"{self.y.name} " + ", ".join(f"{value} {count}" for value, count in counts.items())

    def subsample(self, name: str) -> "Table":
        """The records that a paper used, with their row labels.

        Parameters
        ----------
        name : Adult "first10000" (Du & Zhan 2003), WBC "first350" (Islam & Brankovic 2003), Boston "figure2" and
            "figure2_exact": two samples of 300 that give the tree of Islam & Brankovic's Figure 2 (found by search; the
            first with plain C4.5 up to one redundant cut, the second exactly, if C4.5's minimum share of a branch is
            relaxed)

        >>> load("wbc").subsample("first350")
        Table wbc (first350): 350 records × 9 attributes, class benign 191, malignant 159
        """
        if not self.subsamples:
            raise ValueError(f"name is {name!r}, but {self!r} has no named subsample")
        rows = self.subsamples[checks.choice("name", name, self.subsamples)]
        return replace(self, part=name, X=self.X.iloc[rows].copy(), y=self.y.iloc[rows].copy(), subsamples={})

    def classes(self, cut: float = 28.6) -> pd.Series:
        """Boston's classes: "top" where MEDV ≥ cut, else "bottom"; 28.6 is Islam & Brankovic's top 20 %.

        Parameters
        ----------
        cut : in (lowest, highest MEDV], so that both classes occur

        >>> load("boston").classes().value_counts().to_dict()
        {'bottom': 408, 'top': 98}
        """
        if isinstance(self.y.dtype, pd.CategoricalDtype):
            raise ValueError(f"table {self.name!r} has classes already; use its y")
        cut = checks.number("cut", cut, self.y.min(), self.y.max(), open_low=True)
        labels = np.where(self.y >= cut, "top", "bottom")
        return pd.Series(labels, index=self.y.index, name="class", dtype=pd.CategoricalDtype(["bottom", "top"]))


def load(name: str, part: str | None = None) -> Table:
    """Load a table: attributes, class, and what to know of them. Identifiers are dropped; every call gives a new copy.

    Parameters
    ----------
    name : "pima", "boston", "wbc", "votes" or "adult"
    part : for Adult only: "data" (the default), "test" or "first10000" (of the data part)

    >>> load("pima")
    Table pima: 768 records × 8 attributes, class negative 500, positive 268
    """
    checks.choice("name", name, _CLASS)
    if name != "adult":
        if part is not None:
            raise ValueError(f"part is {part!r}; only the table 'adult' comes in parts, leave it out for {name!r}")
        return _table(name, None)
    part = checks.choice("part", "data" if part is None else part, _PARTS)
    return load("adult").subsample(part) if part == "first10000" else _table(name, part)


def _table(name: str, part: str | None) -> Table:
    listed = LISTED.get(name, {})
    raw = _read(name if part is None else f"{name}_{part}", listed)
    target, labels = _CLASS[name]
    y = raw.pop(target)
    if labels:
        y = y.astype(str).map(labels).astype(pd.CategoricalDtype(list(labels.values())))
    if name == "adult":
        raw["education"] = raw["education"].cat.reorder_categories(SCHOOLING, ordered=True)
    X = raw.drop(columns="id", errors="ignore")
    return Table(
        name=name, part=part, X=X, y=y, listed=dict(listed), subsamples=_subsamples(name, part), **_about(name)
    )


def _read(file: str, listed: dict[str, tuple[str, ...]]) -> pd.DataFrame:
    dtypes = {attribute: pd.CategoricalDtype(list(values)) for attribute, values in listed.items()}
    with gzip.open(FOLDER / f"{file}.csv.gz", "rt") as lines:
        return pd.read_csv(lines, na_values=["?"], keep_default_na=False, dtype=dtypes)


def _subsamples(name: str, part: str | None) -> dict[str, np.ndarray]:
    if name == "boston":
        return {"figure2": _rows("boston_figure2_rows"), "figure2_exact": _rows("boston_figure2_rows_exact")}
    if name == "wbc":
        return {"first350": np.arange(350)}
    return {"first10000": np.arange(10_000)} if part == "data" else {}


def _rows(file: str) -> np.ndarray:
    """Row numbers from 0; the files count from 1, as the search that found them did."""
    return np.array(json.loads((FOLDER / f"{file}.json").read_text())) - 1


def _about(name: str) -> dict:
    return {**ABOUT[name], "sensitive": dict(ABOUT[name]["sensitive"])}
