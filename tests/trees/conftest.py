"""Random tables and trees that several tests share."""

import numpy as np
import pandas as pd
import pytest

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Tree

FIELDS = ("counts", "attribute", "threshold", "n_children", "routes")
WORDS = ["red", "green", "blue", "black", "white", "pink"]


def numbers_frame(table):
    """Values that the table's codes stand for: numeric code i of edges ½, 1½, … is the number i."""
    columns = {}
    for attribute, codes in zip(table.attributes, table.codes, strict=True):
        categories = np.asarray(attribute.categories, dtype=object) if attribute.categories else None
        columns[attribute.name] = codes.astype(float) if categories is None else categories[codes]
    return pd.DataFrame(columns)


@pytest.fixture(scope="session")
def frame_of():
    return numbers_frame


@pytest.fixture(scope="session")
def random_table():
    """A table of random codes; classes lean on the first attributes, so that trees have something to find."""

    def make(seed, rows=60, kinds=("numeric", "numeric"), values=5, classes=2, weights=None):
        rng = np.random.default_rng(seed)
        attributes = [
            Attribute.numeric(f"a{i}", np.arange(values - 1) + 0.5)
            if kind == "numeric"
            else Attribute.categorical(f"a{i}", WORDS[:values], kind == "ordered")
            for i, kind in enumerate(kinds)
        ]
        codes = rng.integers(0, values, (len(kinds), rows))
        lean = rng.dirichlet(np.full(classes, 0.6), size=(min(2, len(kinds)), values))
        shares = lean[0][codes[0]] * lean[-1][codes[len(lean) - 1]] + 1e-9
        class_codes = (rng.random((rows, 1)) > np.cumsum(shares / shares.sum(1, keepdims=True), axis=1)).sum(1)
        drawn = {
            None: lambda: None,
            "fractional": lambda: rng.gamma(1.0, size=rows),
            "quarters": lambda: rng.integers(1, 9, rows) / 4,
            "negative": lambda: rng.integers(-4, 13, rows) / 4,
        }[weights]()
        labels = np.array(["A", "B", "C", "D"][:classes])
        return EstimatedTable(tuple(attributes), labels, codes, np.minimum(class_codes, classes - 1), drawn)

    return make


@pytest.fixture(scope="session")
def same_tree():
    """Asserts that two trees are the same, counts up to rounding."""

    def check(one, two, scale=1.0):
        for name in FIELDS:
            factor = scale if name == "counts" else 1.0
            np.testing.assert_allclose(getattr(two, name), factor * getattr(one, name), atol=1e-9, err_msg=name)
        assert one.classes.tolist() == two.classes.tolist()

    return check


@pytest.fixture(scope="session")
def leaf_of():
    """A tree of one node that holds the given class weights."""

    def make(*counts):
        none = np.array([], dtype=int)
        return Tree(
            (Attribute("a", "numeric", 5),),
            np.array(["A", "B", "C"][: len(counts)]),
            np.array([counts], dtype=float),
            np.array([-1]),
            np.array([np.nan]),
            np.array([0]),
            none,
        )

    return make
