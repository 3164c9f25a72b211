"""The five public tables that the papers mine. They are bundled: nothing is ever fetched (see SOURCES.md)."""

import gzip
import json
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks

FOLDER = Path(__file__).parent / "tables"
NAMES = ("pima", "boston", "wbc", "votes", "adult")


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table to mine.

    Attributes
    ----------
    name, part : for example "adult" and "test"; part is None for a whole table
    X : the attributes. A category column is nominal, an ordered category is ordered, all others are numbers. NaN is a
        missing value.
    y : the class as a category, or a number (Boston)
    sensitive : attributes that a person may want to keep private, each with the reason
    listed : values of nominal attributes in the order of the data set's own description, which some readings need
        (Adult's education is ordered by schooling in X; its description lists it in another order)
    subsamples : the papers' samples by name, as row numbers from 0: see ``subsample``
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
    """Load a table: attributes, class, and what to know of them. Identifiers are dropped. Every call gives a new copy.

    Parameters
    ----------
    name : "pima", "boston", "wbc", "votes" or "adult"
    part : for Adult only: "data" (the default), "test" or "first10000" (of the data part)

    >>> load("pima")
    Table pima: 768 records × 8 attributes, class negative 500, positive 268
    """
    checks.choice("name", name, NAMES)
    if name != "adult":
        if part is not None:
            raise ValueError(f"part is {part!r}; only the table 'adult' comes in parts, leave it out for {name!r}")
        return _table(name, None)
    part = checks.choice("part", "data" if part is None else part, ("data", "test", "first10000"))
    return load("adult").subsample(part) if part == "first10000" else _table(name, part)


def _table(name: str, part: str | None) -> Table:
    about = tomllib.loads((FOLDER / "about.toml").read_text("utf-8"))[name]
    listed = {attribute: tuple(values) for attribute, values in about.get("listed", {}).items()}
    categories = {**listed, **about.get("ordered", {})}  # education is listed in one order and ordered in another
    dtypes: dict[str, Any] = {
        attribute: pd.CategoricalDtype(list(values), ordered=attribute in about.get("ordered", {}))
        for attribute, values in categories.items()
    }
    file = FOLDER / f"{name if part is None else f'{name}_{part}'}.csv.gz"
    with gzip.open(file, "rt") as lines:
        # "?" alone is missing: "None" or "NA" would be values.
        X = pd.read_csv(lines, na_values=["?"], keep_default_na=False, dtype=dtypes).drop(columns="id", errors="ignore")
    y = X.pop(about["target"])
    if classes := about.get("classes"):
        y = y.astype(str).map(classes).astype(pd.CategoricalDtype(list(classes.values())))
    texts = {key: about[key] for key in ("sensitive", "description", "licence", "citation")}
    return Table(name, X, y, part=part, listed=listed, subsamples=_subsamples(name, part), **texts)


def _subsamples(name: str, part: str | None) -> dict[str, np.ndarray]:
    if name == "boston":  # the files count rows from 1, as the search that found them did
        files = {"figure2": "boston_figure2_rows.json", "figure2_exact": "boston_figure2_rows_exact.json"}
        return {key: np.array(json.loads((FOLDER / file).read_text())) - 1 for key, file in files.items()}
    if name == "wbc":
        return {"first350": np.arange(350)}
    return {"first10000": np.arange(10_000)} if part == "data" else {}
