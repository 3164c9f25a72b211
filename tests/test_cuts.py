"""Cuts: MDLP against its formulas record by record, groups that are large enough, and values that stay together."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mdlp import mdlp, most_groups

from ppdm.cuts import frequency_cuts, groups_of, mdlp_cuts, width_cuts
from ppdm.data import load

PIMA = load("pima")
EVEN = {"width": width_cuts, "frequency": frequency_cuts}

# Blocks of records that are mostly of one class, so that there is something to cut.
blocks = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from("abc"), st.integers(1, 8)), min_size=1, max_size=25
)
few = st.integers(1, 6)
numbers = st.lists(st.integers(-20, 20), min_size=6, max_size=60)


def records_of(some):
    return [(value, own) for value, own, times in some for _ in range(times)]


def sizes(values, cuts):
    """How many records each group has."""
    return np.bincount(groups_of(values, cuts), minlength=len(cuts) + 1)


@pytest.mark.parametrize("name", ["preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age"])
def test_cuts_of_pima_are_those_of_the_formulas(name):
    values = PIMA.X[name]
    expected = mdlp(list(zip(values.tolist(), PIMA.y, strict=True)))
    assert mdlp_cuts(values, PIMA.y) == pytest.approx([float(cut) for cut in expected], abs=1e-12)


@given(blocks, few)
def test_cuts_are_those_of_the_formulas(some, min_group):
    records = records_of(some)
    min_group = min(min_group, len(records))
    values, classes = zip(*records, strict=True)
    assert mdlp_cuts(values, classes, min_group).tolist() == mdlp(records, min_group)


def test_many_classes_are_cut_apart():
    values = np.repeat(np.arange(45.0), 40)
    assert mdlp_cuts(values, values).tolist() == (np.arange(44) + 0.5).tolist()
    assert mdlp(list(zip(values.tolist(), values.tolist(), strict=True))) == (np.arange(44) + 0.5).tolist()


@pytest.mark.parametrize(
    ("name", "min_group", "expected"),
    [
        *(("age", least, [28.5]) for least in (1, 5, 350, 367)),
        ("age", 384, []),
        ("plas", 150, [99.5, 127.5]),
        ("plas", 200, [101.5, 127.5]),
        ("plas", 250, [127.5]),
    ],
)
def test_cuts_of_pima_by_least_size(name, min_group, expected):
    cuts = mdlp_cuts(PIMA.X[name], PIMA.y, min_group)
    assert cuts.tolist() == expected
    assert sizes(PIMA.X[name], cuts).min() >= min_group


def test_the_paper_s_least_group_of_5_never_binds_for_age():
    cuts = mdlp_cuts(PIMA.X["age"], PIMA.y, min_group=5)
    assert sizes(PIMA.X["age"], cuts).tolist() == [367, 401]


@given(blocks, st.permutations(range(13)))
def test_neither_order_nor_names_nor_scale_matter(some, order):
    values, classes = map(np.array, zip(*records_of(some), strict=True))
    cuts = mdlp_cuts(values, classes)
    assert mdlp_cuts(values[::-1], classes[::-1]).tolist() == cuts.tolist()
    assert mdlp_cuts(values * 8 - 3, classes).tolist() == (cuts * 8 - 3).tolist()
    assert mdlp_cuts(values, np.array(order)[[ord(own) - ord("a") for own in classes]]).tolist() == cuts.tolist()


def test_what_tells_nothing_is_not_cut():
    rng = np.random.default_rng(1)
    assert mdlp_cuts(rng.random(5000), rng.integers(0, 3, 5000)).tolist() == []
    assert mdlp_cuts([7.0] * 50, ["a", "b"] * 25).tolist() == []
    assert mdlp_cuts(np.arange(50), ["a"] * 50).tolist() == []
    assert mdlp_cuts([7.0], ["a"]).tolist() == []


@pytest.mark.parametrize(
    ("below", "above"),
    [(1.0, np.nextafter(1.0, 2)), (-1.7e308, 1.7e308), (1.6e308, 1.7e308), (0.0, 5e-324)],
)
@pytest.mark.parametrize("cut", [mdlp_cuts, lambda x, _: frequency_cuts(x, 2)])
def test_a_cut_parts_neighbours_of_any_size(below, above, cut):
    values = np.repeat([below, above], 20)
    cuts = cut(values, values > below)
    assert groups_of(values, cuts).tolist() == [0] * 20 + [1] * 20


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, lambda x: pd.Series(x, index=[3] * len(x))])
def test_any_kind_of_list(kind):
    values, classes = [1, 2, 3, 4] * 20, [0, 0, 1, 1] * 20
    assert mdlp_cuts(kind(values), kind(classes)).tolist() == [2.5]
    assert frequency_cuts(kind(values), 2).tolist() == width_cuts(kind(values), 2).tolist() == [2.5]
    assert groups_of(kind(values), [2.5]).tolist() == classes


@pytest.mark.parametrize("name", EVEN)
@given(values=numbers, intervals=st.integers(1, 8), min_group=few)
def test_even_groups_are_large_enough(name, values, intervals, min_group):
    cuts = EVEN[name](values, intervals, min_group)
    assert len(cuts) < intervals
    assert (np.diff(cuts) > 0).all()
    assert sizes(values, cuts).min() >= min_group


@given(values=numbers, intervals=st.integers(1, 8), min_group=few)
def test_widths_are_equal_and_no_more_neighbours_are_joined_than_must_be(values, intervals, min_group):
    step = (max(values) - min(values)) / intervals
    equal = [min(values) + step * place for place in range(1, intervals)]
    cuts = width_cuts(values, intervals, min_group)
    assert all(min(abs(cut - np.array(equal))) < 1e-12 * 20 for cut in cuts)
    if step and step.is_integer():  # or a value may lie on either side of a cut by rounding
        every = np.bincount(np.searchsorted(equal, values, side="right"), minlength=intervals)
        assert len(cuts) + 1 == most_groups(every.tolist(), min_group)


@given(st.lists(st.integers(0, 10**6), min_size=8, max_size=60, unique=True), st.integers(1, 8))
def test_groups_of_distinct_values_are_equally_large(values, intervals):
    found = sizes(values, frequency_cuts(values, intervals))
    assert len(found) == intervals
    assert found.max() - found.min() <= 1


def test_few_values_are_a_group_each():
    values = [1] * 97 + [2, 3, 4]
    assert frequency_cuts(values, 4).tolist() == frequency_cuts(values, 9).tolist() == [1.5, 2.5, 3.5]
    assert frequency_cuts(values, 4, min_group=2).tolist() == [1.5]
    assert frequency_cuts(values, 3).tolist() == [1.5]


def test_width_cuts_are_numpys():
    x = np.random.default_rng(2).normal(size=1000)
    counts, edges = np.histogram(x, 4)
    assert width_cuts(x, 4) == pytest.approx(edges[1:-1], abs=1e-12)
    assert sizes(x, width_cuts(x, 4)).tolist() == counts.tolist()
    assert width_cuts([-1.7e308, 0, 1, 1.7e308], 2).tolist() == [0]


def test_frequency_cuts_are_quantiles():
    x = np.random.default_rng(3).permutation(1000)
    assert frequency_cuts(x, 4).tolist() == [249.5, 499.5, 749.5]
    assert (
        sizes(PIMA.X["insu"], frequency_cuts(PIMA.X["insu"], 5)).tolist()[0] == 374
    )  # all without a measurement


@given(numbers, st.sets(st.integers(-20, 20)))
def test_groups_are_closed_below(values, some):
    cuts = sorted(some)
    assert groups_of(values, cuts).tolist() == [sum(cut <= value for cut in cuts) for value in values]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mdlp_cuts([1, math.nan], [0, 1]), ValueError, "values has 1 of 2 missing or infinite"),
        (lambda: mdlp_cuts([], []), ValueError, "values is empty"),
        (lambda: mdlp_cuts(["1", "2"], [0, 1]), TypeError, "values holds text"),
        (lambda: mdlp_cuts([1, 2], [0, None]), ValueError, "classes has 1 of 2 missing"),
        (lambda: mdlp_cuts([1, 2], [0]), ValueError, "values has 2 entries and classes has 1"),
        (lambda: mdlp_cuts([1, 2], [0, 1], 0), ValueError, r"min_group is 0; .* in \[1, 2\]"),
        (lambda: mdlp_cuts([1, 2], [0, 1], 3), ValueError, r"min_group is 3; .* in \[1, 2\]"),
        (lambda: mdlp_cuts([1, 2], [0, 1], 1.5), TypeError, "min_group is 1.5"),
        (
            lambda: mdlp_cuts(range(4000), range(4000)),
            ValueError,
            "classes and distinct values has 4,000 × 4,000",
        ),
        (lambda: width_cuts([1, 2], 0), ValueError, "intervals is 0"),
        (lambda: frequency_cuts([1, 2], 10**9), ValueError, "intervals is 1000000000"),
        (lambda: frequency_cuts([1, 2], 2, 3), ValueError, "min_group is 3"),
        (lambda: width_cuts([1, math.inf], 2), ValueError, "values has 1 of 2 missing or infinite"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
