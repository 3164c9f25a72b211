"""Which attributes tell of the class, which repeat each other, and which name a person (LSL03 §3, attribute selection).

Only known values count: of an attribute those records in which it is known, of a pair those in which both are.
Columns of numbers are known by their dtype. All others are categories: text, booleans, dates.
"""

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.cuts import frequency_cuts, groups_of, mdlp_cuts
from ppdm.information import codes_of, entropy, gain

Measure = Literal["gain", "gain_after_cuts", "gini", "correlation", "uncertainty"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
INTERVALS = 10  # of a number, when attributes are compared with each other
NEARLY_ALL = 0.9  # the share of distinct values from which on a column looks like an identifier
# Words in the names of columns, after LSL03's list. The ends keep "aid" and "filename" out.
NAMING = re.compile(
    r"(^|_)(ids?|uuid|guid|ssn|social_security|passport|licen[cs]e|iban|(sur|first|last|user)?name"
    r"|address|street|(tele)?phone|mobile|fax|e_?mail|(account|product|customer|patient)_number)s?(_|$)"
)
# Where the words of a name meet: customerID, IDNumber, id2, first-name.
BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|[^0-9A-Za-z]+")
# Figure 2 of LSL03, by sensitive and relevant.
ADVICE = {
    (True, True): "disguise",
    (True, False): "drop",
    (False, True): "keep",
    (False, False): "keep or drop",
}


def rank(X: pd.DataFrame, y, measure: Measure = "gain") -> pd.DataFrame:
    """How much each attribute tells of the class, by the measures that LSL03 §3 names. The most telling one is first.

    The paper's gain splits the records on every distinct value. So it favours attributes with many values, above all
    identifiers, which seem to tell everything. For numbers the gain after cuts is the honest one. Categories have no
    cuts: of attributes with many categories every measure thinks too well.

    The columns of the result:

    - gain: information gain in bits, of a split on every distinct value (Table 1)
    - gain_after_cuts: the same after numbers were cut by the classes (``mdlp_cuts``)
    - gini: by how much the Gini index falls, after the same cuts
    - correlation: between 0 and 1. Of numbers it is the correlation ratio, the root of the classes' share in the
      variance, which for two classes is the size of Pearson's coefficient. Of categories it is Cramér's V
    - uncertainty: symmetric uncertainty, 2 · gain / (H(attribute) + H(class)), after the same cuts
    - values: the number of distinct values
    - known: the share of the records whose value is known

    Parameters
    ----------
    X, y : the attributes, and the class of each record; at least two classes
    measure : by which of the first five the attributes are ordered

    >>> from ppdm.data import load
    >>> pima = load("pima")
    >>> rank(pima.X, pima.y)["gain"].head(3).round(6).to_dict()
    {'pedi': 0.650918, 'mass': 0.343811, 'plas': 0.304201}
    >>> rank(pima.X, pima.y, "gain_after_cuts")["gain_after_cuts"].head(3).round(3).to_dict()
    {'plas': 0.19, 'mass': 0.075, 'age': 0.072}
    """
    checks.choice("measure", measure, MEASURES)
    checks.frame("X", X)
    of_class = codes_of("y", y)
    checks.same_length("X", X, "y", of_class)
    if not of_class.any():
        raise ValueError("y has one class only; expected at least two classes")
    rows = [_measures(name, column, of_class) for name, column in X.items()]
    table = pd.DataFrame(rows, index=X.columns)
    return table.sort_values(measure, ascending=False, kind="stable")


def pairs(X: pd.DataFrame) -> pd.DataFrame:
    """How much each attribute repeats another one: the symmetric uncertainty of all pairs, the largest first.

    It is 1 where each attribute follows from the other, and 0 where they are independent (LSL03 §3: redundant
    attributes are to be removed). Numbers are first cut into ten groups of about equal size. Drop identifiers before,
    because all attributes follow from them.

    Parameters
    ----------
    X : the attributes

    >>> from ppdm.data import load
    >>> pairs(load("pima").X).head(2).round(3).to_numpy().tolist()
    [['skin', 'insu', 0.187], ['preg', 'age', 0.154]]
    """
    coded = {}
    for name, column in checks.frame("X", X).items():
        known, numbers, codes = _known(name, column)
        if numbers is not None:
            codes = groups_of(numbers, frequency_cuts(numbers, INTERVALS))
        coded[name] = np.full(len(X), -1)
        coded[name][known] = codes
    rows = []
    for (first, own), (second, other) in itertools.combinations(coded.items(), 2):
        both = (own >= 0) & (other >= 0)
        rows.append((first, second, _uncertainty(own[both], other[both])))
    table = pd.DataFrame(rows, columns=["first", "second", "uncertainty"])
    return table.sort_values("uncertainty", ascending=False, kind="stable", ignore_index=True)


def identifiers(X: pd.DataFrame) -> dict[Any, str]:
    """The columns that look like identifiers, each with the reason in words (LSL03 §3: these are removed first).

    A column looks like one if its name says so, or if at least nine of ten values are distinct and are text or whole
    numbers. Of what cannot be counted, as lists, the name alone tells. In a small table, or with fine units,
    measurements in whole numbers look the same: decide yourself.

    Parameters
    ----------
    X : the attributes

    >>> people = pd.DataFrame({"no": [4, 1, 3], "height": [1.7, 1.8, 1.6], "Phone": ["?", "?", "?"]})
    >>> identifiers(people)
    {'no': '100% of its whole numbers are distinct', 'Phone': 'its name says so'}
    """
    found = {}
    for name, column in checks.frame("X", X).items():
        words = BETWEEN.sub("_", str(name)).lower()
        reasons = ["its name says so"] if NAMING.search(words) else []
        known = column.dropna()
        kind = "" if column.dtype.kind in "mM" else "values"  # dates are measurements
        with suppress(TypeError):  # of what nobody can count: its name alone tells
            if checks.is_number(column.dtype):
                kind = "whole numbers" if (known % 1 == 0).all() else ""
            share = known.nunique() / max(len(known), 1)
            if kind and share >= NEARLY_ALL:
                reasons.append(f"{share:.0%} of its {kind} are distinct")
        if reasons:
            found[name] = " and ".join(reasons)
    return found


def uncounted(X) -> dict:
    """The columns that no measure can count, each with what is wrong with it."""
    found = {}
    for name, column in X.items():
        try:
            _known(name, column)
        except (TypeError, ValueError) as error:
            found[name] = str(error).partition("; expected")[0]
    return found


def cells(
    X: pd.DataFrame,
    y,
    sensitive: Sequence,
    threshold: float = 0.1,
    measure: Measure = "gain",
) -> pd.DataFrame:
    """Whether each attribute is sensitive and relevant, and what LSL03 advises then (Figure 2, and the text under it).

    What is sensitive and irrelevant is dropped; what is sensitive and relevant is disguised; what is neither secret
    nor irrelevant is kept exactly as it is. On the fourth cell the paper differs from itself: the text removes
    irrelevant attributes to mine faster, the experiment keeps three of them.

    Parameters
    ----------
    X, y, measure : as in ``rank``
    sensitive : names of columns; perhaps none
    threshold : the least value of the measure at which an attribute is relevant

    >>> from ppdm.data import load
    >>> pima = load("pima")
    >>> cells(pima.X, pima.y, ["preg", "age"])["advice"].loc[["preg", "age", "plas", "pres"]].to_dict()
    {'preg': 'drop', 'age': 'disguise', 'plas': 'keep', 'pres': 'keep or drop'}
    """
    secret = checks.columns("sensitive", sensitive, checks.frame("X", X).columns)
    least = checks.number("threshold", threshold, "[0, inf)")
    table = rank(X, y, measure)[[measure]]
    table["sensitive"] = [name in secret for name in table.index]
    table["relevant"] = table[measure] >= least
    table["advice"] = list(map(ADVICE.get, zip(table["sensitive"], table["relevant"])))
    return table


def _known(name, column):
    """Where a column is known; what is known, if it is numbers, else None; and a code for each distinct value."""
    known = column.notna().to_numpy()
    if not known.any():
        raise ValueError(f"column {name!r} has no known value; expected at least one: drop the column")
    values = column[known]
    numbers = None
    if checks.is_number(column.dtype):
        # The whole column is checked, so that an error names the right place.
        values = numbers = checks.vector(f"column {name!r}", column.fillna(0).to_numpy())[known]
    return known, numbers, codes_of(f"column {name!r}", values)


def _measures(name, column, of_class):
    """The row of an attribute in the table of ``rank``."""
    from sklearn.metrics.cluster import contingency_matrix  # only here: it takes long

    known, numbers, codes = _known(name, column)
    classes = pd.factorize(of_class[known])[0]  # a class may occur only where the value is missing
    groups = codes if numbers is None else groups_of(numbers, mdlp_cuts(numbers, classes))
    shape = (int(groups.max()) + 1, int(classes.max()) + 1)
    checks.cells(f"the table of classes and values of column {name!r}", shape)
    shares = contingency_matrix(groups, classes) / len(groups)
    of_group = shares.sum(axis=1, keepdims=True)
    mixed = shares.sum(axis=0)
    # The Gini index before the cuts, 1 − Σ p², minus the mean of what it is in the groups.
    fall = (shares**2 / of_group).sum() - (mixed**2).sum()
    if numbers is None:
        # χ² of the table, for each record, is at most the smaller number of rows or columns, minus 1.
        squares = (shares**2 / (of_group * mixed)).sum() - 1
        if squares < 1e-14:  # what rounding leaves of 0: its root would be a million times as large
            squares = 0.0
        correlation = np.sqrt(squares / max(min(shape) - 1, 1))
    else:
        correlation = _correlation_ratio(numbers, classes)
    return {
        "gain": gain(codes, classes),
        "gain_after_cuts": gain(groups, classes),
        "gini": max(float(fall), 0.0),  # rounding can leave 0 slightly below it
        "correlation": min(float(correlation), 1.0),
        "uncertainty": _uncertainty(groups, classes),
        "values": int(codes.max()) + 1,
        "known": float(known.mean()),
    }


def _correlation_ratio(values, classes):
    """The root of the share of the numbers' variance that lies between the classes; 0 of a constant."""
    # Halves, because the distance of two very large numbers overflows. From the lowest, so that a constant is 0.
    moved = values / 2 - values.min() / 2
    if not moved.any():
        return 0.0
    moved /= moved.max()
    moved -= moved.mean()
    sums = np.bincount(classes, weights=moved)
    between = (sums**2 / np.bincount(classes)).sum()
    return np.sqrt(between / (moved**2).sum())


def _uncertainty(codes, others):
    """Symmetric uncertainty of two lists of codes; 0 where both are constant, or empty."""
    bits = float(entropy(np.bincount(codes)) + entropy(np.bincount(others)))
    return min(2 * gain(codes, others) / bits, 1.0) if bits else 0.0
