"""The five public tables that the papers mine. They are bundled: nothing is ever fetched (see SOURCES.md)."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import checks

FOLDER = Path(__file__).parent / "tables"


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
    description, licence, citation : texts about the table
    """

    name: str
    part: str | None
    X: pd.DataFrame
    y: pd.Series
    listed: dict[str, list[str]]
    sensitive: dict[str, str]
    description: str
    licence: str
    citation: str

    def __repr__(self):
        part = f" ({self.part})" if self.part else ""
        if isinstance(self.y.dtype, pd.CategoricalDtype):
            counts = self.y.value_counts(sort=False)
            target = ", ".join(f"{value} {count}" for value, count in counts.items())
        else:
            target = f"from {self.y.min():g} to {self.y.max():g}"
        return f"Table {self.name}{part}: {len(self.X)} records × {self.X.shape[1]} attributes, {self.y.name} {target}"

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
        cut = checks.number("cut", cut, f"({self.y.min():g}, {self.y.max():g}]")
        halves = np.where(self.y >= cut, "top", "bottom")
        return pd.Series(halves, self.y.index, pd.CategoricalDtype(["bottom", "top"]), "class")


def load(name: str, part: str | None = None) -> Table:
    """Load a table: its attributes, its class and facts about it, without identifiers. Every call gives a new copy.

    Parameters
    ----------
    name : "pima", "boston", "wbc", "votes" or "adult"
    part : None for the whole table, or the records that a paper used, with their row labels. Adult has "data" (also for
        None), "test" and "first10000" (of "data"; Du & Zhan 2003), WBC has "first350" (Islam & Brankovic 2003). Boston
        has "figure2" and "figure2_exact": samples of 300, found by search, that give the tree of Islam & Brankovic's
        Figure 2. The first does so with plain C4.5, up to one redundant cut; the second does so exactly, if C4.5's
        minimum share of a branch is relaxed.

    >>> load("pima")
    Table pima: 768 records × 8 attributes, class negative 500, positive 268
    >>> load("wbc", "first350")
    Table wbc (first350): 350 records × 9 attributes, class benign 191, malignant 159
    """
    tables = tomllib.loads((FOLDER / "about.toml").read_text("utf-8"))
    about = tables[checks.choice("name", name, tables)]
    parts = {None: {}, **about.get("parts", {})}
    checks.choice("part", part, parts, hint=f"{name} has {'these' if len(parts) > 1 else 'no'} parts")
    part = about.get("whole") if part is None else part
    listed = about.get("listed", {})
    ordered = about.get("ordered", {})
    # Education is listed in one order, ordered in another.
    dtypes = {
        attribute: pd.CategoricalDtype(values, ordered=attribute in ordered)
        for attribute, values in {**listed, **ordered}.items()
    }
    chosen = parts[part]
    X = pd.read_csv(
        FOLDER / chosen.get("file", f"{name}.csv.gz"),
        # "?" alone is missing: "None" or "NA" would be values.
        na_values=["?"],
        keep_default_na=False,
        dtype=dtypes,
        nrows=chosen.get("first"),
    )
    if "rows" in chosen:
        # The search that found them counted rows from 1.
        X = X.iloc[np.array(json.loads((FOLDER / chosen["rows"]).read_text())) - 1]
    X = X.drop(columns="id", errors="ignore")
    y = X.pop(about["target"])
    if classes := about.get("classes"):
        y = y.astype(str).map(classes).astype(pd.CategoricalDtype(list(classes.values())))
    texts = {key: about[key] for key in ("sensitive", "description", "licence", "citation")}
    return Table(name, part, X, y, listed, **texts)
