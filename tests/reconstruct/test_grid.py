"""Joint reconstruction: the Kronecker product written out, the theorems of EM, and how true columns go together."""

import warnings
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from ppdm.blocks import BLOCK
from ppdm.disguise import Disguise, GaussianNoise, Intervals, KeepOrReplace, RandomizedResponse, UniformNoise
from ppdm.disguise.release import Channel
from ppdm.reconstruct import (
    Attribute,
    ChiSquareStop,
    Column,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    Search,
    reconstruct,
    reconstruct_counts,
    reconstruct_joint,
)
from ppdm.reconstruct.em import solve, through
from ppdm.reconstruct.grid import Grid

AGE = UniformNoise.at_privacy(0.5, low=20, high=80)
PAY = GaussianNoise.at_privacy(0.5, low=0, high=10)
TOWN = KeepOrReplace(keep=0.7, categories=["Ayr", "Bern", "Cork"])
CHANNELS = {"age": AGE, "pay": PAY, "town": TOWN}
STOPS = [ChiSquareStop(), DiscrepancyStop(cap=100), FixedStop(7), HeldOutStop(patience=20, cap=2000)]


def grid_of(shape):
    """Attributes and edges of a grid of numbers."""
    names = [f"x{axis}" for axis in range(len(shape))]
    edges = {name: np.arange(size + 1.0) for name, size in zip(names, shape, strict=True)}
    return [Attribute.numeric(name, ends[1:-1]) for name, ends in edges.items()], edges


def solved(counts, matrices, start, stop, smooth=0.0):
    attributes, edges = grid_of(start.shape)
    return solve(counts, matrices, Distribution(edges, start, attributes), stop, smooth)


def written_out(matrices, sizes):
    return reduce(np.kron, [np.eye(size) if m is None else m for m, size in zip(matrices, sizes, strict=True)])


@st.composite
def problems(draw):
    """One to three axes: any channel, one of categories, or none; whole counts and a positive start."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    matrices, shape = [], []
    for kind in draw(st.lists(st.sampled_from(["any", "narrow", "categories", "true"]), min_size=1, max_size=3)):
        size = int(rng.integers(1, 5)) + (kind == "categories")
        shape.append(size)
        if kind == "true":
            matrices.append(None)
        elif kind == "categories":
            matrices.append(KeepOrReplace(keep=rng.uniform(0.4, 0.95), categories=range(size)).matrix())
        else:
            matrices.append(rng.dirichlet(np.ones(2 if kind == "narrow" else 6), size=size))
    seen = [size if m is None else m.shape[1] for m, size in zip(matrices, shape, strict=True)]
    counts = rng.integers(0, 9, seen)
    counts.flat[0] += 2
    return counts, matrices, rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)


@given(problems())
def test_products_along_the_axes_are_those_of_the_kronecker_product(problem):
    counts, matrices, start = problem
    whole = written_out(matrices, start.shape)
    assert through(start, matrices).ravel() == pytest.approx(start.ravel() @ whole)
    back = [None if matrix is None else matrix.T for matrix in matrices]
    assert through(counts, back).ravel() == pytest.approx(whole @ counts.ravel())


@settings(max_examples=40)
@given(problems(), st.sampled_from(STOPS))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_is_reconstruct_with_the_kronecker_product(problem, stop):
    counts, matrices, start = problem
    found = solved(counts, matrices, start, stop)
    other = reconstruct_counts(counts.ravel(), written_out(matrices, start.shape), start.ravel(), stop)
    assert (found.n_iter, found.converged) == (other.n_iter, other.converged)
    assert found.probabilities.ravel() == pytest.approx(other.history[-1], abs=1e-10)


@given(problems())
def test_likelihood_never_falls_and_mass_stays(problem):
    counts, matrices, _ = problem
    path = [solved(*problem, FixedStop(steps)).probabilities for steps in range(1, 31)]
    heights = [xlogy(counts, through(shares, matrices)).sum() for shares in path]
    assert np.diff(heights).min() >= -1e-11 * counts.sum()
    assert [shares.sum() for shares in path] == pytest.approx(np.ones(30), abs=1e-12)
    assert min(shares.min() for shares in path) >= 0


@pytest.mark.parametrize("smooth", [0.0, 0.2])
def test_seen_independence_stays_independence(smooth):
    # Counts that are a product, from a start that is one: so is every iterate, of the iterates of each axis by itself.
    rng = np.random.default_rng(3)
    matrices = [rng.dirichlet(np.ones(6), size=4), rng.dirichlet(np.ones(5), size=3)]
    counts = [rng.integers(1, 30, 6), rng.integers(1, 30, 5)]
    starts = [np.full(4, 1 / 4), np.full(3, 1 / 3)]
    for steps in (1, 2, 20):
        stop = FixedStop(steps)
        found = solved(np.multiply.outer(*counts), matrices, np.multiply.outer(*starts), stop, smooth)
        alone = [
            reconstruct_counts(c, m, stop=stop, smooth=smooth).probabilities
            for c, m in zip(counts, matrices, strict=True)
        ]
        assert found.probabilities == pytest.approx(np.multiply.outer(*alone), abs=1e-13)


def test_where_nothing_is_cut_off_at_0_the_marginals_are_those_of_the_columns():
    # The likeliest shares are then those of the inverse, and its marginal is the inverse of the marginal.
    rng = np.random.default_rng(4)
    matrices = [KeepOrReplace(keep=keep, categories=range(k)).matrix() for keep, k in ((0.8, 3), (0.7, 2))]
    counts = rng.multinomial(100_000, (rng.dirichlet(np.full(6, 5.0)) @ np.kron(*matrices))).reshape(3, 2)
    found = solved(counts, matrices, np.full((3, 2), 1 / 6), FixedStop(300))
    for axis, matrix in enumerate(matrices):
        alone = reconstruct_counts(counts.sum(axis=1 - axis), matrix, stop=FixedStop(300))
        marginal = found.distribution.marginal(f"x{axis}").probabilities
        assert marginal == pytest.approx(alone.distribution.probabilities, abs=1e-9)


def people(n, seed, shares):
    """True records with given shares of age × pay × town × member, evenly spread inside each cell."""
    attributes = [
        Attribute.numeric("age", [40, 60]),
        Attribute.numeric("pay", [5]),
        Attribute.categorical("town", TOWN.categories),
        Attribute.categorical("member", [False, True]),
    ]
    ends = {"age": [20, 40, 60, 80], "pay": [0, 5, 10], "town": [-0.5, 0.5, 1.5, 2.5], "member": [-0.5, 0.5, 1.5]}
    truth = Distribution(ends, shares, attributes)
    return truth, truth.sample(n, seed)


EVEN_CELLS = {"age": [20, 40, 60, 80], "pay": 2}


def product_of(found, names):
    return reduce(np.multiply.outer, [found.marginal(name).probabilities for name in names])


def test_columns_of_all_kinds_come_back_as_they_go_together():
    shares = np.random.default_rng(1).dirichlet(np.full(36, 0.3)).reshape(3, 2, 3, 2)
    truth, true = people(50_000, 2, shares)
    seen = Disguise(CHANNELS, random_state=3).fit_transform(true)
    found = reconstruct_joint(seen, CHANNELS, EVEN_CELLS, HeldOutStop())
    product = product_of(truth, truth.edges)
    # Measured 0.025, and up to 0.033 with other seeds; the product of the true marginals is 0.53 off.
    assert found.distribution.distance(truth) < 0.04
    assert np.abs(product - truth.probabilities).sum() / 2 > 0.4


def test_two_questions_come_back_as_they_go_together():
    # 50,000 people: three standard errors of a cell, by the inverse of the product of the matrices, are 0.022 at most.
    shares = np.array([[0.5, 0.1], [0.1, 0.3]])
    channels = {
        "a": RandomizedResponse(0.8),
        "b": RandomizedResponse(0.7, unrelated=0.9, categories=["no", "yes"]),
    }
    cell = np.random.default_rng(1).choice(4, 50_000, p=shares.ravel())
    true = pd.DataFrame({"a": cell // 2, "b": np.array(["no", "yes"])[cell % 2]})
    seen = Disguise(channels, random_state=2).fit_transform(true)
    found = reconstruct_joint(seen, channels, stop=FixedStop(2000))
    assert found.probabilities == pytest.approx(shares, abs=0.022)
    whole = np.kron(channels["a"].matrix(), channels["b"].matrix())
    assert found.probabilities.ravel() == pytest.approx(
        np.linalg.solve(whole.T, found.counts.ravel() / 50_000), abs=1e-4
    )


def test_independent_columns_come_back_as_the_product():
    shares = reduce(np.multiply.outer, [[0.5, 0.3, 0.2], [0.6, 0.4], [0.2, 0.5, 0.3], [0.1, 0.9]])
    truth, true = people(50_000, 5, shares)
    seen = Disguise(CHANNELS, random_state=6).fit_transform(true)
    found = reconstruct_joint(seen, CHANNELS, EVEN_CELLS).distribution
    # Measured with seven seeds: 0.011 to 0.019, either way.
    assert np.abs(found.probabilities - product_of(found, found.edges)).sum() / 2 < 0.05
    assert found.distance(truth) < 0.05


def test_marginals_agree_with_those_of_single_columns():
    # Noise leaves both estimates an error: 200 steps end within 0.034 of each other (age) and 0.018 (pay), three seeds.
    # Run on, a column by itself fits the noise of its sample; the other column keeps the joint estimate from it: after
    # 1,000 steps its pay is off by 0.10 to 0.14, and that of the column by itself by 0.16 to 0.20.
    channels, rng = {"age": AGE, "pay": PAY}, np.random.default_rng(7)
    age = rng.uniform(20, 80, 50_000)
    true = pd.DataFrame({"age": age, "pay": np.clip((age - 20) / 6 + rng.normal(0, 1, 50_000), 0, 10)})
    seen = Disguise(channels, random_state=8).fit_transform(true)
    short, long = (reconstruct_joint(seen, channels, 8, FixedStop(n)).distribution for n in (200, 1000))
    for name, channel in channels.items():
        shorter, longer = (reconstruct(seen[name], channel, 8, FixedStop(n)).distribution for n in (200, 1000))
        assert short.marginal(name).distance(shorter) < 0.05
        truth = Distribution.from_values(true[name], longer.edges)
        assert long.marginal(name).distance(truth) < longer.distance(truth)


@pytest.mark.parametrize("exact", [True, False])
def test_no_noise_gives_the_histogram(exact):
    rng = np.random.default_rng(1)
    true = pd.DataFrame(
        {"x": rng.integers(0, 5, 400), "y": rng.uniform(0, 1, 400), "z": rng.choice(list("abc"), 400)}
    )
    channels = {
        "x": UniformNoise(half_width=0, low=0, high=4, step=1),
        "y": GaussianNoise(sd=0, low=0, high=1),
        "z": KeepOrReplace(keep=1, categories=list("abc")),
    }
    seen = Disguise(channels).fit_transform(true)
    expected = np.zeros((5, 3, 3))
    np.add.at(expected, (true["x"], (true["y"] * 3).astype(int), true["z"].map("abc".index)), 1 / 400)
    for given_channels in (channels, {"x": channels["x"]}, None):
        bins = {"x": 5, "y": [0, 1 / 3, 2 / 3, 1]}
        found = reconstruct_joint(seen, given_channels, bins, exact=exact)
        assert found.probabilities == pytest.approx(expected, abs=1e-15)


COLUMN = {"age": AGE, "pay": PAY, "town": TOWN, "step": UniformNoise(half_width=3, low=0, high=9, step=1)}


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # mid-points may never fit well enough
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("stop", STOPS, ids=repr)
@pytest.mark.parametrize("name", COLUMN)
def test_one_axis_is_reconstruct(name, stop, exact):
    channel, rng = COLUMN[name], np.random.default_rng(9)
    numeric = isinstance(channel, UniformNoise | GaussianNoise)
    values = rng.integers(channel.low, channel.high, 3000) if numeric else rng.choice(TOWN.categories, 3000)
    seen = channel.disguise(values, rng)
    smooth = 0.05 if numeric else None
    alone = reconstruct(seen, channel, 10 if numeric else None, stop, smooth, exact if numeric else True)
    found = reconstruct_joint(pd.DataFrame({name: seen}), channel, 10, stop, smooth, exact)
    assert (found.n_iter, found.converged) == (alone.n_iter, alone.converged)
    np.testing.assert_allclose(found.history, alone.history, rtol=0, atol=1e-12)
    assert np.array_equal(found.distribution.edges[name], alone.distribution.edges)


def small(n=2000):
    _, true = people(n, 1, np.random.default_rng(1).dirichlet(np.ones(36)).reshape(3, 2, 3, 2))
    return Disguise(CHANNELS, random_state=2).fit_transform(true)


SEEN = small()


def test_other_orders_of_columns_are_other_orders_of_axes():
    found = reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS, FixedStop(9), smooth=0.1)
    order = [2, 0, 3, 1]
    other = reconstruct_joint(SEEN.iloc[:, order], CHANNELS, EVEN_CELLS, FixedStop(9), smooth=0.1)
    assert other.probabilities == pytest.approx(found.probabilities.transpose(order), abs=1e-14)
    assert list(other.distribution.edges) == ["town", "age", "member", "pay"]
    assert found.distribution.marginal(list(other.distribution.edges)).distance(other.distribution) < 1e-13


def test_smoothing_leaves_categories_alone():
    two = pd.DataFrame({"x": [0.5] * 4, "y": list("aaab")})
    found = reconstruct_joint(two, None, {"x": [0, 1, 2, 3]}, FixedStop(1), smooth=0.5)
    assert found.probabilities == pytest.approx(np.outer([0.75, 0.25, 0], [0.75, 0.25]))


def test_channels_may_come_as_the_disguise_that_was_applied():
    by_name = reconstruct_joint(SEEN, CHANNELS, 4)
    fitted = Disguise(CHANNELS, random_state=1).fit(people(50, 1, np.full((3, 2, 3, 2), 1 / 36))[1])
    for disguise in (fitted, Disguise(CHANNELS)):
        assert np.array_equal(reconstruct_joint(SEEN, disguise, 4).probabilities, by_name.probabilities)
        some = reconstruct_joint(SEEN[["pay", "member"]], disguise, 4)
        other = reconstruct_joint(SEEN[["pay", "member"]], {"pay": PAY}, 4)
        assert np.array_equal(some.probabilities, other.probabilities)


def test_one_channel_may_serve_all_columns():
    noise = UniformNoise(half_width=1, low=0, high=4)
    two = pd.DataFrame({"a": [0.5, 1, 3, 4], "b": [0, 1, 2, 4.5]})
    both, each = (reconstruct_joint(two, given, 3) for given in (noise, {"a": noise, "b": noise}))
    assert np.array_equal(both.probabilities, each.probabilities)


def test_where_columns_are_cut():
    step = UniformNoise(half_width=1, low=0, high=4, step=1)
    table = pd.DataFrame(
        {"a": [0, 1, 4] * 10, "few": [1, 2, 4] * 10, "many": np.arange(30.0), "flag": [True, False] * 15}
    )
    found = reconstruct_joint(table, {"a": step})
    assert found.probabilities.shape == (5, 3, 20, 2)
    assert found.distribution.edges["a"].tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]
    assert found.distribution.edges["few"].tolist() == [0.5, 1.5, 3, 5]
    assert found.distribution.edges["many"] == pytest.approx(np.linspace(0, 29, 21))
    assert found.distribution.attributes[3] == Attribute.categorical("flag", [False, True])
    table["flag"] = pd.Categorical(table["flag"], [True, False], ordered=True)
    found = reconstruct_joint(table.assign(few=7), {"a": step}, {"many": 3, "a": 2})
    assert found.probabilities.shape == (2, 1, 3, 2)
    assert found.distribution.edges["few"].tolist() == [6.5, 7.5]
    assert found.distribution.attributes[3] == Attribute.categorical("flag", [True, False], ordered=True)
    assert reconstruct_joint(table, {"a": step}, 2).probabilities.shape == (2, 2, 2, 2)


def test_intervals_are_a_channel_too():
    channel = Intervals(edges=3, low=0, high=9)
    true = np.random.default_rng(1).uniform(0, 9, 900)
    found = reconstruct_joint(pd.DataFrame({"x": channel.disguise(true), "low": true < 3}), {"x": channel}, 3)
    assert found.probabilities == pytest.approx(
        np.histogram2d(true, true < 3, [[0, 3, 6, 9], [-1, 0.5, 2]])[0] / 900
    )


def test_of_a_grid_no_history_is_kept():
    found = reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS)
    assert found.history is None
    with pytest.raises(ValueError, match=r"2 cells.* keeps no history; expected .* of a single column"):
        found.log_likelihood.sum()


def test_a_prior_is_where_it_starts():
    prior = np.random.default_rng(1).dirichlet(np.ones(36)).reshape(3, 2, 3, 2)
    found = reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS, FixedStop(2), prior=prior)
    assert found.start.probabilities == pytest.approx(prior)
    joint = Distribution(found.distribution.edges, prior, found.distribution.attributes)
    again = reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS, FixedStop(2), prior=joint)
    assert again.probabilities == pytest.approx(found.probabilities, abs=1e-15)


def test_the_cap_warns_the_caller_and_is_told():
    with pytest.warns(ConvergenceWarning, match="not met within its cap of 3 iterations") as caught:
        found = reconstruct_joint(
            SEEN[["age", "town"]], Disguise(CHANNELS), 3, ChiSquareStop(fraction=1e-9, cap=3)
        )
    assert caught[0].filename == __file__
    assert repr(found) == "Reconstruction(age × town, 3 × 3 cells, stopped at the cap after 3 iterations)"


def test_the_core_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solved(
            np.array([[3, 4], [5, 6]]), [None, np.eye(2)], np.full((2, 2), 1 / 4), ChiSquareStop(1e-30, cap=1)
        )
    assert not found.converged


@pytest.mark.parametrize("name", ["counts", "probabilities"])
def test_arrays_are_read_only(name):
    found = reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS, FixedStop(1))
    with pytest.raises(ValueError, match="read-only"):
        getattr(found, name)[0] = 0
    assert [matrix is None for matrix in found.matrices] == [False, False, False, True]


class Other(Channel):
    """A channel of neither numbers nor categories."""

    _epsilon = true_codes = seen_codes = draw = decode = log_law = None


BAD = [
    ({"frame": SEEN.to_numpy()}, TypeError, "frame is .* ndarray; expected a pandas DataFrame"),
    ({"frame": SEEN.iloc[:0]}, ValueError, r"frame has shape \(0, 4\)"),
    ({"channels": {"agee": AGE}}, ValueError, "channels names 'agee', which the table does not have"),
    ({"channels": {"age": 5}}, TypeError, "'age'.* is an int"),
    (
        {"channels": {"age": Other()}},
        TypeError,
        "column 'age': its channel is .*; expected a NumericChannel or a channel of",
    ),
    ({"channels": {"town": AGE}, "bins": None}, TypeError, "column 'town': values holds"),
    (
        {"channels": CHANNELS | {"town": KeepOrReplace(keep=0.5, categories=["Ayr", "Bern"])}},
        ValueError,
        "'town': .*none of the categories",
    ),
    (
        {"channels": CHANNELS | {"age": UniformNoise(half_width=1, low=20, high=30)}},
        ValueError,
        "'age': .* cannot have",
    ),
    ({"bins": {"agee": 5}}, ValueError, "bins names 'agee', which the table does not have"),
    ({"bins": 0}, ValueError, r"bins is 0; expected a whole number in \[1, 2000\]; or a dict"),
    ({"bins": "auto"}, TypeError, "bins is 'auto'"),
    ({"bins": {"age": 0}}, ValueError, "column 'age': bins is 0"),
    (
        {"bins": {"age": [20, 70]}},
        ValueError,
        r"column 'age': bins reaches from 20 to 70; expected edges that cover",
    ),
    ({"bins": {"age": [20, 20, 80]}}, ValueError, "column 'age': bins does not increase"),
    (
        {"bins": {"age": [20, 80, 90]}},
        ValueError,
        r"column 'age': .*\[80, 90\), which holds no value of the domain",
    ),
    ({"bins": {"town": 3}}, ValueError, "column 'town': bins are given; expected none for categories"),
    (
        {"frame": SEEN.assign(x=5.0), "bins": {"x": [0, 4]}},
        ValueError,
        r"column 'x': values has 2000 of 2000 outside",
    ),
    (
        {"frame": SEEN.assign(x=5.0), "bins": {"x": 1.5}},
        TypeError,
        "column 'x': bins is 1.5; expected a whole number",
    ),
    (
        {"frame": SEEN.assign(x=np.nan)},
        ValueError,
        r"column 'x': values has 2000 missing \(NaN\), first in row 0",
    ),
    ({"frame": SEEN.assign(x=np.inf)}, ValueError, "column 'x': values has 2000 .*missing or infinite"),
    ({"frame": SEEN.assign(x=pd.Timestamp("2000-01-01"))}, TypeError, "column 'x' holds datetime64 .*convert it"),
    ({"stop": 5}, TypeError, "stop is of type int; expected a stopping rule"),
    ({"smooth": 1}, ValueError, r"smooth is 1; expected a number in \[0, 1\)"),
    ({"exact": 1}, ValueError, "exact is 1; expected one of True, False"),
    (
        {"prior": np.full((3, 2), 1 / 6)},
        ValueError,
        r"prior has shape \(3, 2\); expected \(3, 2, 3, 2\), one for each",
    ),
    ({"prior": np.full((3, 2, 3, 2), 0.1)}, ValueError, "prior sums to 3.6; expected 1"),
    (
        {"prior": Distribution.uniform([0, 1])},
        ValueError,
        "prior is Distribution.*; expected a Distribution over the same",
    ),
    (
        {"prior": np.eye(1, 36).reshape(3, 2, 3, 2)},
        ValueError,
        r"counts holds values in seen interval \(.*\), which matrix and prior say no value reaches",
    ),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        reconstruct_joint(**{"frame": SEEN, "channels": CHANNELS, "bins": EVEN_CELLS, **arguments})


def test_a_prior_over_another_grid_is_refused():
    prior = reconstruct_joint(SEEN, CHANNELS, 2, FixedStop(1)).distribution
    with pytest.raises(
        ValueError, match=r"prior is Distribution.*; expected a Distribution over the same intervals"
    ):
        reconstruct_joint(SEEN, CHANNELS, EVEN_CELLS, prior=prior)


def test_more_intervals_than_a_step_has_are_refused_if_asked_for_by_name():
    step = UniformNoise(half_width=1, low=0, high=4, step=1)
    with pytest.raises(ValueError, match=r"column 'a': bins is 6; expected a whole number in \[1, 5\]"):
        reconstruct_joint(pd.DataFrame({"a": [1, 2]}), step, {"a": 6})


NARROW = UniformNoise(half_width=0.01, low=0, high=1)
WIDE = GaussianNoise.at_privacy(1.0, low=0, high=1)
LARGE = [
    ({}, 1, NARROW, 5, 50, "the grid .* has 50 × 50 × 50 × 50 cells; expected at most 2,097,152"),
    ({}, 1, WIDE, 4, 30, "what is seen of the grid .* has 90 × 90 × 90 × 90 cells; expected at most 8,388,608"),
    (
        {"true": np.arange(300.0), "town": ["a", "b", "c"] * 100},
        300,
        WIDE,
        2,
        200,
        "the grid of these columns and bins has 200 × 200 × 200 cells",
    ),
]


@pytest.mark.parametrize(("others", "rows", "channel", "axes", "bins", "message"), LARGE)
def test_what_does_not_fit_is_refused_with_what_would(others, rows, channel, axes, bins, message):
    names = list("abcdef"[:axes])
    table = pd.DataFrame({**dict.fromkeys(names, np.full(rows, 0.5)), **others})
    channels = dict.fromkeys(names, channel)
    with pytest.raises(ValueError, match=message):
        reconstruct_joint(table, channels, bins)
    assert reconstruct_joint(table, channels, 8, FixedStop(1)).n_iter == 1


@pytest.mark.parametrize("values", [[1e17] * 3, [1e17, 1e17 + 16, 1e17 + 16], [0.1, np.nextafter(0.1, 1)]])
def test_true_numbers_may_be_very_large_or_very_close(values):
    found = reconstruct_joint(pd.DataFrame({"a": values}), None)
    shares = np.unique(values, return_counts=True)[1] / len(values)
    assert found.probabilities == pytest.approx(shares)
    assert (np.diff(found.distribution.edges["a"]) > 0).all()


def test_a_disguise_of_other_columns_leaves_these_true():
    others = Disguise({"x": UniformNoise(half_width=1, low=0, high=1)})
    assert reconstruct_joint(pd.DataFrame({"z": [1.0, 2, 2, 5]}), others).probabilities.tolist() == [
        0.25,
        0.5,
        0.25,
    ]


# Class shares: the Kronecker product written out, the theorems of EM, what nothing and all hidden give.

WIDE_AGE = GaussianNoise(sd=10, low=20, high=80)
EDGES = np.linspace(20, 80, 7)
MIX = FixedStop(Search().mix_steps)


def axis(number, seen, matrix, values):
    """A column of a grid as it stands there: what is seen of each record, and its matrix."""
    attribute = Attribute.numeric(f"x{number}", np.arange(1, values))
    return Column(attribute, np.arange(values + 1.0), seen, matrix)


def class_column(y, classes):
    return Column(Attribute.categorical("class", range(classes)), np.arange(classes + 1) - 0.5, y)


def shares_of(codes, matrices, sizes, y, classes):
    axes = [axis(i, *one) for i, one in enumerate(zip(codes, matrices, sizes, strict=True))]
    return Grid([class_column(y, classes), *axes])


def product_written_out(grid):
    """The channel of all cells, the columns' codes in row-major order."""
    return reduce(np.kron, [np.eye(c.sizes[0]) if c.matrix is None else c.matrix for c in grid.columns[1:]])


@st.composite
def grids(draw):
    """One to three axes of any kind, two or three classes, and a few records."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, classes = draw(st.sampled_from([1, 7, 60])), draw(st.integers(2, 3))
    codes, matrices, sizes = [], [], []
    for kind in draw(
        st.lists(st.sampled_from(["any", "identity", "true", "categories"]), min_size=1, max_size=3)
    ):
        size = int(rng.integers(2, 5))
        matrix = {
            "any": lambda size=size: rng.dirichlet(np.ones(6), size=size),
            "identity": lambda size=size: np.eye(size),
            "true": lambda: None,
            "categories": lambda size=size: KeepOrReplace(keep=0.6, categories=range(size)).matrix(),
        }[kind]()
        codes.append(rng.integers(0, size if matrix is None else matrix.shape[1], n))
        matrices.append(matrix)
        sizes.append(size)
    return shares_of(codes, matrices, sizes, rng.integers(0, classes, n), classes)


def explicit(grid, steps):
    """The same with dense arrays and Python loops over the steps: the mix, then the shares of the classes."""
    whole, counts = product_written_out(grid), grid.counts().reshape(grid.shape[0], -1)
    all_records = counts.sum(axis=0)
    mix = np.full(len(whole), 1 / len(whole))
    for _ in range(MIX.n):
        ratios = np.divide(
            all_records / all_records.sum(), mix @ whole, out=np.zeros(len(all_records)), where=all_records > 0
        )
        mix = mix * (whole @ ratios)
    shares = counts.sum(axis=1, keepdims=True) / counts.sum() * mix
    for _ in range(steps):
        ratios = np.divide(counts / counts.sum(), shares @ whole, out=np.zeros(counts.shape), where=counts > 0)
        new = shares * (ratios @ whole.T)
        sums = new.sum(axis=0)
        shares = np.where(sums > 0, new * np.divide(mix, sums, out=np.zeros_like(sums), where=sums > 0), shares)
    return mix, shares


@settings(max_examples=50)
@given(grids(), st.integers(1, 20))
def test_they_are_those_of_the_kronecker_product(grid, steps):
    mix, shares = explicit(grid, steps)
    counts = grid.counts()
    found = grid.mix(counts, MIX)
    assert found.shape == grid.shape[1:]
    assert found.ravel() == pytest.approx(mix, abs=1e-9)
    found, met = grid.class_shares(counts, found, FixedStop(steps))
    assert met
    assert found.shape == grid.shape
    assert found.reshape(grid.shape[0], -1) == pytest.approx(shares, abs=1e-8)


def test_the_mix_is_what_reconstruct_joint_gives():
    # Of all records, whatever their class: the tree's joint strategy takes the steps of the front door.
    rng = np.random.default_rng(1)
    kept = KeepOrReplace(keep=0.6, categories=["x", "y", "z"])
    age = WIDE_AGE.disguise(rng.uniform(30, 60, 500), rng)
    frame = pd.DataFrame({"age": age, "kind": kept.disguise(rng.choice(["x", "z"], 500), rng)})
    columns = [Column.over("age", age, WIDE_AGE, EDGES), Column.of("kind", frame["kind"], kept)]
    grid = Grid([class_column(rng.integers(0, 2, 500), 2), *columns])
    found = reconstruct_joint(frame, {"age": WIDE_AGE, "kind": kept}, bins={"age": EDGES}, stop=MIX)
    assert grid.mix(grid.counts(), MIX) == pytest.approx(found.probabilities, abs=1e-12)


@given(grids(), st.sampled_from([1, 2, 30, 1000]))
def test_the_classes_sum_to_the_mix_after_any_number_of_steps(grid, steps):
    counts = grid.counts()
    mix = grid.mix(counts, MIX)
    shares, _ = grid.class_shares(counts, mix, FixedStop(steps))
    assert shares.min() >= 0
    assert shares.sum(axis=0) == pytest.approx(mix, abs=1e-12)
    assert mix.sum() == pytest.approx(1)


@given(grids())
def test_the_classes_never_become_less_likely(grid):
    # An EM step: given its true cell, a record's class depends on nothing else; the cells' sums do not move.
    counts = grid.counts()
    mix = grid.mix(counts, MIX)

    def likelihood(shares):
        seen = through(shares, grid.matrices)
        held = counts > 0
        return float((counts[held] * np.log(seen[held])).sum())

    of_class = counts.reshape(grid.shape[0], -1).sum(axis=1) / counts.sum()
    path = [likelihood(np.multiply.outer(of_class, mix))]
    path += [likelihood(grid.class_shares(counts, mix, FixedStop(n))[0]) for n in (1, 2, 3, 5, 10, 50)]
    assert np.diff(path).min() >= -1e-10 * counts.sum()


def test_counts_are_of_the_cells_that_records_are_seen_in():
    grid = shares_of(
        [np.array([0, 1, 1]), np.array([2, 0, 0])], [None, np.eye(3)], [2, 3], np.array([1, 0, 0]), 2
    )
    counts = grid.counts()
    assert counts.shape == grid.seen_shape == (2, 2, 3)
    assert {tuple(map(int, cell)): int(counts[tuple(cell)]) for cell in np.argwhere(counts)} == {
        (0, 1, 0): 2,
        (1, 0, 2): 1,
    }
    assert grid.counts(np.array([True, False, False])).sum() == 1
    assert np.array_equal(grid.counts(slice(0, 2)) + grid.counts(slice(2, None)), counts)


def drawn_records(n, seed, classes=2, sizes=(6, 4)):
    """True cells, and classes that go with both of their codes."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(classes * int(np.prod(sizes)), 0.5))
    return np.unravel_index(rng.choice(len(truth), n, p=truth), (classes, *sizes))


@pytest.mark.parametrize("matrices", [[np.eye(6), np.eye(4)], [None, None]], ids=["identity", "true"])
@pytest.mark.parametrize("classes", [2, 3])
def test_without_noise_they_are_the_histograms_of_the_classes(matrices, classes):
    y, *codes = drawn_records(5000, 1, classes)
    grid = shares_of(codes, matrices, [6, 4], y, classes)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(1))
    assert shares == pytest.approx(counts / 5000, abs=1e-12)
    for found, true in zip(grid.draw(shares), codes, strict=True):
        assert np.array_equal(found, true)


def test_where_all_is_hidden_every_cell_has_the_shares_of_the_classes():
    y, *codes = drawn_records(5000, 2, 3)
    matrices = [KeepOrReplace(keep=1 / size, categories=range(size)).matrix() for size in (6, 4)]
    grid = shares_of(codes, matrices, [6, 4], y, 3)
    counts = grid.counts()
    mix = grid.mix(counts, MIX)
    shares, _ = grid.class_shares(counts, mix, FixedStop(500))
    assert mix == pytest.approx(1 / 24)
    assert shares == pytest.approx(np.multiply.outer(np.bincount(y) / 5000, mix))


def test_an_axis_that_hides_all_tells_the_others_nothing():
    y, *codes = drawn_records(5000, 3)
    hidden = np.random.default_rng(0).integers(0, 2, 5000)
    noisy = KeepOrReplace(keep=0.7, categories=range(6)).matrix()
    alone = shares_of(codes[:1], [noisy], [6], y, 2)
    both = shares_of([codes[0], np.zeros_like(hidden)], [noisy, np.ones((3, 1))], [6, 3], y, 2)
    one, two = (g.class_shares(g.counts(), g.mix(g.counts(), MIX), FixedStop(50))[0] for g in (alone, both))
    assert two == pytest.approx(np.repeat(one[:, :, None] / 3, 3, axis=2))


def test_a_class_that_has_no_records_has_no_share():
    y, *codes = drawn_records(500, 4)
    grid = shares_of(codes, [np.eye(6), np.eye(4)], [6, 4], y, 3)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(20))
    assert not shares[2].any()
    assert shares[:2].sum() == pytest.approx(1)


def test_a_cell_that_no_record_can_be_in_keeps_the_shares_of_the_classes():
    # Nobody is seen in the last code, which is seen nowhere else; the mix puts a share there all the same.
    y, codes = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1])
    grid = shares_of([codes], [np.eye(3)], [3], y, 2)
    shares, _ = grid.class_shares(grid.counts(), np.array([0.2, 0.3, 0.5]), FixedStop(9))
    assert shares == pytest.approx(np.array([[0.2, 0.2, 0.375], [0, 0.1, 0.125]]))


def test_the_rule_watches_the_cells_that_are_given():
    class Watching:
        cap = 3

        def watch(self, counts, intervals):
            self.told = counts, intervals, []
            return lambda _old, _new, seen: self.told[2].append(seen)

    y, *codes = drawn_records(200, 5)
    grid = shares_of(codes, [KeepOrReplace(keep=0.7, categories=range(6)).matrix(), None], [6, 4], y, 2)
    counts = grid.counts()
    mix = grid.mix(counts, MIX)
    all_cells, some = Watching(), Watching()
    found, met = grid.class_shares(counts, mix, all_cells, np.ones(counts.shape, dtype=bool))
    other, _ = grid.class_shares(counts, mix, some)
    assert found == pytest.approx(other)
    assert not met  # it never stopped
    assert np.array_equal(all_cells.told[0], counts.ravel())
    assert np.array_equal(some.told[0], counts[counts > 0])
    assert all_cells.told[1] == some.told[1] == 48
    assert len(all_cells.told[2]) == 3
    assert all_cells.told[2][-1] == pytest.approx(through(found, grid.matrices).ravel())
    assert some.told[2][-1] == pytest.approx(all_cells.told[2][-1][counts.ravel() > 0])


@pytest.mark.parametrize("stop", [FixedStop(5), ChiSquareStop()], ids=repr)
def test_any_stopping_rule_will_do(stop):
    y, *codes = drawn_records(2000, 6)
    grid = shares_of(codes, [KeepOrReplace(keep=0.7, categories=range(6)).matrix(), None], [6, 4], y, 2)
    counts = grid.counts()
    assert grid.class_shares(counts, grid.mix(counts, MIX), stop)[1]
    assert not grid.class_shares(counts, grid.mix(counts, MIX), ChiSquareStop(fraction=1e-9, cap=2))[1]


def noisy_grid(n, seed, classes=3):
    """Ages with noise, categories kept or replaced and true codes; a class's chances are other ones in each cell."""
    rng = np.random.default_rng(seed)
    y, age, kept, true = np.unravel_index(
        rng.choice(classes * 36, n, p=rng.dirichlet(np.ones(classes * 36))), (classes, 6, 3, 2)
    )
    bins = WIDE_AGE.seen_bins(EDGES)
    channel = KeepOrReplace(keep=0.6, categories=range(3))
    seen = WIDE_AGE.disguise(EDGES[age] + 10 * rng.random(n), rng)
    codes = [np.digitize(seen, bins[1:-1]), channel.codes(channel.disguise(kept, rng)), true]
    matrices = [WIDE_AGE.matrix(EDGES, bins), channel.matrix(), None]
    return shares_of(codes, matrices, [6, 3, 2], y, classes), (y, age, kept, true)


def test_the_cells_of_the_records_are_drawn_as_their_posterior_says():
    # Of the records of one class that are seen in one cell, each true cell has its share: beside the product written
    # out, over all cells that 200 records or more are seen in; the largest of some 1,300 standard normals is below 4.5.
    grid, (y, *_) = noisy_grid(60_000, 1)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(30))
    drawn = grid.draw(shares)
    whole = product_written_out(grid)
    true = np.ravel_multi_index(drawn, grid.shape[1:])
    seen = np.ravel_multi_index([column.seen for column in grid.columns[1:]], grid.seen_shape[1:])
    tried = 0
    for group, cell in np.argwhere(counts.reshape(3, -1) >= 200):
        posterior = shares[group].ravel() * whole[:, cell]
        posterior /= posterior.sum()
        here = (y == group) & (seen == cell)
        found, n = np.bincount(true[here], minlength=36), here.sum()
        error = np.sqrt(n * posterior * (1 - posterior))
        assert not found[posterior == 0].any()
        often = n * posterior > 10
        assert (np.abs(found - n * posterior)[often] <= 4.5 * error[often]).all()
        tried += 1
    assert tried > 30


def test_the_cells_drawn_agree_with_the_shares():
    # Drawn by the posterior, a class's counts have the mean n × its share where the shares fit what is seen of it: they
    # do after many steps. Four standard errors, and as much as the fit leaves (the total variation of what is seen).
    grid, (y, *_) = noisy_grid(60_000, 3)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(2000))
    drawn = grid.draw(shares)
    found = np.zeros(grid.shape)
    np.add.at(found, (y, *drawn), 1 / 60_000)
    left = np.abs(through(shares, grid.matrices) - counts / 60_000).sum() / 2
    assert left < 0.05
    assert np.abs(found - shares).sum() / 2 < left + 0.01
    assert (np.abs(found - shares) <= 4 * np.sqrt(shares / 60_000) + left).all()


def test_true_codes_stay_and_the_same_cells_are_drawn_each_time():
    grid, (_, _, _, true) = noisy_grid(500, 5)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(10))
    one, two = grid.draw(shares), grid.draw(shares)
    assert np.array_equal(one[2], true)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_records_beyond_one_batch_are_drawn_alike():
    n = BLOCK + 1000
    y = np.arange(n) % 2
    channel = KeepOrReplace(keep=0.75, categories=range(2))
    grid = shares_of([channel.disguise(y, 1)], [channel.matrix()], [2], y, 2)
    counts = grid.counts()
    shares, _ = grid.class_shares(counts, grid.mix(counts, MIX), FixedStop(500))
    (drawn,) = grid.draw(shares)
    # A class whose true code is its own: all of its shares lie there, up to four standard errors of the noise.
    for part in (slice(0, BLOCK), slice(BLOCK, None)):
        assert (drawn[part] == y[part]).mean() > 0.97


def test_the_distribution_says_what_its_axes_mean():
    grid, _ = noisy_grid(500, 6)
    counts = grid.counts()
    mix = grid.mix(counts, MIX)
    shares, _ = grid.class_shares(counts, mix, FixedStop(10))
    found = grid.distribution(shares)
    assert repr(found) == "Distribution(class × x0 × x1 × x2, 3 × 6 × 3 × 2 cells)"
    assert found.attributes[0].categories == (0, 1, 2)
    assert found.marginal(["x0", "x1", "x2"]).probabilities == pytest.approx(mix)


def test_more_steps_bring_the_shares_nearer_to_the_truth_than_the_start():
    # Function-like classes: the class is the parity of two codes, both disguised; total variation of 60,000 records.
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (2, 60_000))
    y = (codes[0] // 2) ^ (codes[1] // 2)
    noise = UniformNoise(half_width=1.0, low=0, high=4)
    bins = noise.seen_bins(np.arange(5.0))
    seen = [np.digitize(noise.disguise(column + rng.random(60_000), rng), bins[1:-1]) for column in codes]
    grid = shares_of(seen, [noise.matrix(np.arange(5.0), bins)] * 2, [4, 4], y, 2)
    counts = grid.counts()
    mix = grid.mix(counts, MIX)
    truth = np.zeros(grid.shape)
    np.add.at(truth, (y, *codes), 1 / 60_000)
    away = [
        np.abs(grid.class_shares(counts, mix, FixedStop(n))[0] - truth).sum() / 2
        for n in (1, 10, 100, 1000, 10_000)
    ]
    assert (np.diff(away) < 0.01).all()
    assert away[-1] < 0.1 < away[0]
