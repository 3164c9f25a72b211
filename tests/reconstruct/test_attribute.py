"""What a column is, where its numbers are cut, and what is no clear column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ppdm.blocks import BLOCK
from ppdm.cuts import equal_count_cuts, interval_of
from ppdm.reconstruct import Attribute

values = arrays.arrays(float, st.integers(1, 200), elements=st.floats(-1e308, 1e308))
ties = arrays.arrays(float, st.integers(1, 200), elements=st.integers(-5, 5).map(float))


@given(values=values | ties, most=st.integers(2, 40))
def test_edges_part_the_values_into_no_more_intervals_than_asked(values, most):
    edges = equal_count_cuts(values, most)
    assert np.isfinite(edges).all()
    assert (np.diff(edges) > 0).all()
    codes = np.searchsorted(edges, values, side="right")
    # Every interval holds a value, and few values have one each.
    assert len(np.unique(codes)) == len(edges) + 1 <= most
    if len(np.unique(values)) <= most:
        assert len(edges) + 1 == len(np.unique(values))


@given(seed=st.integers(0, 2**32 - 1), most=st.integers(2, 40))
def test_distinct_values_are_spread_evenly(seed, most):
    values = np.random.default_rng(seed).normal(size=400)
    sizes = np.bincount(np.searchsorted(equal_count_cuts(values, most), values, side="right"))
    assert len(sizes) == most
    assert sizes.max() - sizes.min() <= 1


def test_neighbouring_floats_are_parted():
    below, above = 1.0, np.nextafter(1.0, 2)
    edges = equal_count_cuts(np.array([below, above]), 2)
    assert (np.searchsorted(edges, [below, above], side="right") == [0, 1]).all()


@given(st.integers(1, 300), st.integers(0, 1000), st.sampled_from([0.0, 1e-12, 1e250]))
def test_many_values_are_placed_as_a_search_for_each_places_them(number, seed, scale):
    rng = np.random.default_rng(seed)
    cuts = np.unique(rng.normal(size=number)) * (scale or 1)
    values = np.concatenate([rng.normal(size=BLOCK) * 2 * (scale or 1), cuts, np.nextafter(cuts, -np.inf)])
    assert np.array_equal(interval_of(values, cuts), np.searchsorted(cuts, values, side="right"))


@pytest.mark.parametrize(
    ("column", "kind", "categories"),
    [
        (pd.Series([1.5, 2, 3, 4]), "numeric", None),
        (pd.Series([1, 2, 3, 4], dtype="Int64"), "numeric", None),
        (np.array([1, 2, 3, 4], dtype=np.float32), "numeric", None),
        (pd.Series(list("baba")), "nominal", ("a", "b")),
        (pd.Series(list("baba"), dtype=object), "nominal", ("a", "b")),
        (pd.Series([True, False] * 2), "nominal", (False, True)),
        (np.array([True, False] * 2), "nominal", (False, True)),
        (pd.Series([True, False] * 2, dtype="boolean"), "nominal", (False, True)),
        (pd.Series([True, False] * 2, dtype=object), "nominal", (False, True)),
        (pd.Series(pd.Categorical(list("baba"), ["b", "c", "a"])), "nominal", ("b", "c", "a")),
        (pd.Series(pd.Categorical([3, 1, 3, 1], [3, 2, 1], ordered=True)), "ordered", (3, 2, 1)),
    ],
)
def test_the_dtype_says_what_a_column_is(column, kind, categories):
    attribute = Attribute.of("column", column)
    assert (attribute.kind, attribute.categories) == (kind, categories)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("a", "number", 1), ValueError, "kind is 'number'; expected one of 'numeric'"),
        (("a", "numeric", 0), ValueError, "n_values is 0"),
        (
            ("a", "numeric", 3, (1.0, 1.0)),
            ValueError,
            r"edges of 'a' has 1 of 1 that do not increase",
        ),
        (("a", "numeric", 3, (1.0,)), ValueError, "n_values of 'a' is 3; expected 2, as described"),
        (("a", "nominal", 2), ValueError, r"categories of 'a' is empty; expected distinct values, at least 1"),
        (
            ("a", "nominal", 2, None, ("b", "b")),
            ValueError,
            "categories of 'a' has .* values that came before.*; expected distinct",
        ),
        (("a", "nominal", 2, None, ("b", None)), ValueError, "categories of 'a' has 1 missing .*; expected none"),
        (("a", "ordered", 3, None, ("b", "c")), ValueError, "n_values of 'a' is 3; expected 2"),
    ],
)
def test_what_describes_no_attribute_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Attribute(*arguments)


def test_what_is_no_list_is_refused():
    with pytest.raises(TypeError, match="categories of 'a' is 'bc'; expected a list of values"):
        Attribute.categorical("a", "bc")
    with pytest.raises(ValueError, match="edges of 'a' has 0 dimensions; expected one"):
        Attribute.numeric("a", 5)
    with pytest.raises(TypeError, match="column 'a' is a list; expected an array or a Series"):
        Attribute.of("a", [1, 2])
    with pytest.raises(TypeError, match="intervals is 'many'; expected a whole number"):
        Attribute.of("a", np.array([1, 2]), "many")


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pd.Series([1.0, 2, np.nan, 4]), ValueError, r"column 'column' has 1 missing \(NaN\), first in row 2"),
        (pd.Series([1.0, 2, np.inf, 4]), ValueError, "column 'column' has 1 .*missing or infinite value"),
        (pd.Series([1, 2, None, 4], dtype="Int64"), ValueError, "column 'column' has 1 .*missing"),
        (pd.Series(["a", "b", None, "b"]), ValueError, "column 'column' has 1 .*missing"),
        (pd.Series([True, None, True, False], dtype="boolean"), ValueError, "column 'column' has 1 .*missing"),
        (pd.Series(pd.Categorical(["a", None, "a", "a"])), ValueError, "column 'column' has 1 .*missing"),
        (
            pd.Series(pd.date_range("2000", periods=4)),
            TypeError,
            "column 'column' holds datetime64 values .* convert",
        ),
        (pd.Series(pd.to_timedelta([1, 2, 3, 4])), TypeError, "column 'column' holds timedelta64 values"),
        (pd.Series(pd.period_range("2000", periods=4)), TypeError, "column 'column' holds period values"),
        (pd.Series([1, "a", 2, "b"], dtype=object), TypeError, "column 'column' holds mixed-integer values"),
        (pd.Series([1, 2, 3, 4], dtype=object), TypeError, "column 'column' holds integer values"),
        (pd.Series([[1], [2], [3], [4]]), TypeError, "column 'column' holds mixed values"),
        (pd.Series([1j, 2, 3, 4]), TypeError, "column 'column' holds complex numbers"),
    ],
)
def test_columns_that_are_not_clear_are_refused(column, error, message):
    with pytest.raises(error, match=message):
        Attribute.of("column", column).encode(column)
