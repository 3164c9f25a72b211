"""The value object: its moments, quantiles and distances against SciPy's piecewise law and by hand."""

import re
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.reconstruct import Attribute, Distribution

EDGES = np.array([0, 1, 1.5, 4, 5])
SHARES = np.array([0.1, 0.4, 0.3, 0.2])


@st.composite
def distributions(draw):
    k = draw(st.integers(1, 8))
    widths = draw(st.lists(st.floats(0.1, 10), min_size=k, max_size=k))
    weights = np.array(draw(st.lists(st.integers(0, 9), min_size=k, max_size=k)), dtype=float)
    weights[draw(st.integers(0, k - 1))] += 1
    return Distribution(np.cumsum([draw(st.floats(-10, 10)), *widths]), weights / weights.sum())


def test_moments_and_cdf_against_scipy():
    ours, theirs = Distribution(EDGES, SHARES), stats.rv_histogram((SHARES, EDGES), density=False)
    x = np.linspace(-1, 6, 50)
    assert ours.mean() == pytest.approx(theirs.mean())
    assert ours.variance() == pytest.approx(theirs.var())
    assert ours.cdf(x) == pytest.approx(theirs.cdf(x))
    assert ours.quantile(np.linspace(0, 1, 21)) == pytest.approx(theirs.ppf(np.linspace(0, 1, 21)))
    assert ours.density == pytest.approx(theirs.pdf(ours.midpoints))


def test_numbers_give_floats():
    ours = Distribution(EDGES, SHARES)
    assert type(ours.cdf(2)) is float
    assert type(ours.quantile(0.5)) is float
    assert ours.midpoints.tolist() == [0.5, 1.25, 2.75, 4.5]


def test_quantiles_skip_empty_intervals():
    gap = Distribution([0, 1, 2, 3, 4, 5], [0, 0.5, 0, 0.5, 0])
    assert gap.quantile([0, 0.5, 0.75, 1]).tolist() == [1, 2, 3.5, 4]


@given(distributions(), st.floats(0, 1))
def test_quantile_inverts_the_cdf(ours, q):
    x = ours.quantile(q)
    assert ours.edges[0] <= x <= ours.edges[-1]
    assert ours.cdf(x) == pytest.approx(q, abs=1e-9)


@given(distributions(), distributions(), distributions())
def test_distance_is_a_metric(a, b, c):
    ab, ba = a.distance(b), b.distance(a)
    assert a.distance(a) == pytest.approx(0, abs=1e-12)
    assert ab == pytest.approx(ba, abs=1e-12)
    assert ab <= a.distance(c) + c.distance(b) + 1e-9
    assert ab <= 1 + 1e-9


def test_distances_by_hand():
    flat, half = Distribution.uniform([0, 1, 2]), Distribution([0, 1, 2], [1, 0])
    assert flat.distance(half) == 0.5


def test_from_values_is_the_histogram():
    values = np.random.default_rng(1).normal(size=500)
    edges = np.linspace(-5, 5, 14)
    assert Distribution.from_values(values, edges).probabilities == pytest.approx(
        np.histogram(values, edges)[0] / len(values)
    )


def test_from_values_closes_the_last_interval_only():
    assert Distribution.from_values([0, 1, 2], [0, 1, 2]).probabilities == pytest.approx([1 / 3, 2 / 3])


def test_uniform_is_even_by_width():
    assert Distribution.uniform([0, 1, 4]).probabilities == pytest.approx([0.25, 0.75])


def test_sample_follows_the_distribution():
    ours = Distribution(EDGES, SHARES)
    sample = ours.sample(20_000, rng=4)
    assert np.array_equal(sample, ours.sample(20_000, rng=4))
    # Kolmogorov–Smirnov with 20,000 draws: the statistic exceeds 1.95 / √20,000 = 0.0138 once in a thousand seeds.
    assert stats.kstest(sample, ours.cdf).statistic < 0.0138
    assert len(ours.sample(1)) == 1


def test_frozen_and_read_only():
    edges = np.array([0.0, 1, 2])
    ours = Distribution(edges, [0.5, 0.5])
    edges[0] = -9
    assert ours.edges[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        ours.probabilities[0] = 1
    with pytest.raises(FrozenInstanceError):
        ours.edges = edges


def test_texts():
    assert repr(Distribution.uniform([0, 1, 2])) == "Distribution(2 intervals on [0, 2], mean 1, sd 0.577)"
    html = Distribution.uniform(np.arange(6))._repr_html_()
    assert html.count("<tr") == 6
    assert re.search(r"\[4, 5\]</td>\s*<td>0.2000", html)
    assert "… 88 more" in Distribution.uniform(np.arange(101))._repr_html_()


@pytest.mark.parametrize(
    ("edges", "probabilities", "message"),
    [
        ([0, 1], [0.5, 0.5], r"probabilities has shape \(2,\); expected \(1,\), one for each interval"),
        ([0, 1, 2], [0.5, 0.4], "probabilities sums to 0.9; expected 1"),
        ([0, 1, 2], [1.5, -0.5], r"probabilities has 1 of 2 negative numbers \(first at position 1\)"),
        ([0, 1, 2], [1, np.nan], "probabilities has 1 .*missing"),
        ([0, 2, 1], [1, 0], "edges does not increase at position 2"),
        ([0, np.inf], [1], "edges has 1 .*missing or infinite"),
        ([0], [], "edges has one entry"),
        ("ab", [1], "edges has 0 dimensions; expected one, a list of numbers"),
    ],
)
def test_bad_parameters_are_refused(edges, probabilities, message):
    with pytest.raises(ValueError, match=message):
        Distribution(edges, probabilities)


@pytest.mark.parametrize(
    ("method", "arguments", "error", "message"),
    [
        ("from_values", ([], [0, 1]), ValueError, "values is empty"),
        ("from_values", ([0.5, 2], [0, 1]), ValueError, r"1 of 2 outside .* \(first at position 1"),
        ("from_values", ([0.5], [1, 0]), ValueError, "edges does not increase"),
        ("uniform", ([0],), ValueError, "edges has one entry"),
        ("quantile", (1.1,), ValueError, r"q holds 1.1 to 1.1; expected numbers in \[0, 1\]"),
        ("quantile", ("half",), TypeError, "q holds text"),
        ("cdf", (np.nan,), ValueError, "x has 1 .*missing"),
        ("sample", (0,), ValueError, "n is 0"),
        ("sample", (2.5,), TypeError, "n is 2.5"),
        ("sample", (3, "a"), TypeError, "rng is 'a'"),
        (
            "marginal",
            ("a",),
            TypeError,
            r"\[0, 5\], mean .* is of one attribute; expected a distribution of several",
        ),
        ("distance", ([0.5, 0.5],), TypeError, "other is a list; expected a Distribution"),
    ],
)
def test_bad_arguments_are_refused(method, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(Distribution(EDGES, SHARES), method)(*arguments)


# Of several attributes: the cells of a grid.

SIZES = Attribute.numeric("size", [2, 4])
COIN = Attribute.categorical("coin", ["head", "<tail>"], ordered=True)
ENDS = {"size": [0, 2, 4, 10], "coin": [-0.5, 0.5, 1.5]}
CELLS = np.array([[0.1, 0.2], [0.3, 0.0], [0.15, 0.25]])
JOINT = Distribution(ENDS, CELLS, (SIZES, COIN))


def test_marginals_by_hand():
    assert JOINT.marginal("size").probabilities == pytest.approx([0.3, 0.3, 0.4])
    assert JOINT.marginal("size").edges.tolist() == [0, 2, 4, 10]
    assert JOINT.marginal("coin").probabilities == pytest.approx([0.55, 0.45])
    assert JOINT.marginal(["coin", "size"]).probabilities == pytest.approx(CELLS.T)
    assert JOINT.marginal(["coin"]).probabilities == pytest.approx([0.55, 0.45])


def test_distance_is_half_of_the_sum_of_differences():
    other = Distribution(ENDS, [[0.2, 0.1], [0.3, 0.0], [0.0, 0.4]], (SIZES, COIN))
    assert JOINT.distance(other) == other.distance(JOINT) == pytest.approx(0.25)
    assert JOINT.distance(JOINT) == 0


def test_a_sample_follows_the_distribution():
    sample = JOINT.sample(40_000, rng=1)
    assert sample.equals(JOINT.sample(40_000, rng=1))
    assert sample["coin"].dtype == pd.CategoricalDtype(["head", "<tail>"], ordered=True)
    kinds = [SIZES.encode(sample["size"]), sample["coin"].cat.codes]
    counts = np.bincount(np.ravel_multi_index(kinds, CELLS.shape), minlength=CELLS.size)
    found = Distribution(ENDS, counts.reshape(CELLS.shape) / len(sample), (SIZES, COIN))
    # Six shares of 40,000 records: total variation is above 0.012 less than once in a thousand seeds.
    assert found.distance(JOINT) < 0.012
    assert found.probabilities[1, 1] == 0
    last = sample.loc[sample["size"] >= 4, "size"]
    assert last.mean() == pytest.approx(7, abs=0.1)  # evenly from 4 to 10; the standard error is 0.014


def test_texts_of_cells():
    assert repr(JOINT) == "Distribution(size × coin, 3 × 2 cells)"
    html = JOINT._repr_html_()
    assert html.count("<tr") == 7
    assert "more" not in html
    assert html.index("[2, 4)") < html.index("[4, 10]") < html.index("[0, 2)")
    assert "&lt;tail&gt;" in html
    many = Distribution({"x": range(31)}, np.full(30, 1 / 30), [Attribute.numeric("x", range(1, 30))])
    assert "… 18 more, none of them likelier" in many._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((ENDS, CELLS.T, (SIZES, COIN)), ValueError, r"probabilities has shape \(2, 3\); expected \(3, 2\)"),
        ((ENDS, CELLS / 2, (SIZES, COIN)), ValueError, "probabilities sums to 0.5; expected 1"),
        ((ENDS, CELLS, ("sizes", "b")), TypeError, "one of attributes is a str; expected an Attribute"),
        (
            (ENDS, CELLS, (SIZES, SIZES)),
            ValueError,
            "names of attributes has .* values that came before.*; expected distinct values",
        ),
        (({"size": ENDS["size"]}, CELLS, (SIZES, COIN)), ValueError, "names 'coin', which"),
        (
            (ENDS | {"coin": [0, 1]}, CELLS, (SIZES, COIN)),
            ValueError,
            r"edges of 'coin' have \(\) between the ends; expected those of .*n_values=2",
        ),
        (
            (ENDS | {"size": [0, 1, 4, 10]}, CELLS, (SIZES, COIN)),
            ValueError,
            r"edges of 'size' have \(1.0, 4.0\) between .*=\(2.0, 4",
        ),
    ],
)
def test_what_is_no_distribution_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Distribution(*arguments)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: JOINT.marginal("sizes"), ValueError, "names names 'sizes', which the table does not have"),
        (
            lambda: JOINT.marginal(["size", "size"]),
            ValueError,
            "names has .* values that came before.*; expected distinct values",
        ),
        (
            lambda: JOINT.distance(JOINT.marginal("size")),
            ValueError,
            "other is Distribution.*over the same grid as Distribution",
        ),
        (lambda: JOINT.distance(JOINT.marginal(["coin", "size"])), ValueError, "over the same grid"),
        (lambda: JOINT.sample(0), ValueError, "n is 0"),
        (
            JOINT.mean,
            TypeError,
            r"cells\) has several axes; expected the distribution of one attribute: see marginal",
        ),
        (lambda: JOINT.cdf(1), TypeError, "has several axes"),
    ],
)
def test_bad_questions_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
