"""Reconstruction: Equation 3 by hand, the theorems of EM, and the two shapes of AS00 Figure 2."""

import inspect
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyunfold import iterative_unfold
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

from ppdm.data import plateau, triangles
from ppdm.disguise import GaussianNoise, KeepOrReplace, RandomizedResponse, UniformNoise
from ppdm.reconstruct import (
    ChiSquareStop,
    Column,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    em_step,
    invert,
    reconstruct,
    reconstruct_counts,
)
from ppdm.reconstruct.stopping import iterate

GAUSSIAN = GaussianNoise(sd=0.25, low=0, high=1)
UNIFORM = UniformNoise(half_width=0.5, low=0, high=1)
BOTH = pytest.mark.parametrize("channel", [GAUSSIAN, UNIFORM], ids=["gaussian", "uniform"])


@st.composite
def problems(draw):
    """A channel's matrix (rows sum to 1), whole counts and a positive prior."""
    rows, columns, seed = draw(st.integers(1, 6)), draw(st.integers(1, 9)), draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(columns), size=rows)
    return matrix, rng.integers(0, 50, columns) + (np.arange(columns) == 0), rng.dirichlet(np.ones(rows))


def equation_3(f, N, Pr):
    """AS00 Equation 3, as printed: three nested sums."""
    posterior = []
    for p in range(len(Pr)):
        total = 0.0
        for s in range(len(N)):
            total += N[s] * f[p][s] * Pr[p] / sum(f[t][s] * Pr[t] for t in range(len(Pr)))
        posterior.append(total / sum(N))
    return posterior


@given(problems())
def test_em_step_is_equation_3(problem):
    assert em_step(*problem) == pytest.approx(equation_3(*problem), rel=1e-10, abs=1e-14)


@given(problems(), st.floats(1e-3, 1e3))
def test_em_step_needs_the_matrix_up_to_a_factor(problem, factor):
    matrix, counts, prior = problem
    assert em_step(matrix * factor, counts, prior) == pytest.approx(em_step(matrix, counts, prior))


def test_em_step_shows_what_the_prior_rules_out():
    # The 30 values in the second seen interval have no true interval: 30 % of the mass is missing, not spread.
    assert em_step(np.eye(2), [70, 30], [1, 0]).tolist() == [0.7, 0]


def test_em_step_is_short():
    body = inspect.getsource(em_step).split('"""')[2].strip().splitlines()
    assert len(body) <= 8


@given(problems())
def test_the_iterates_are_em_steps(problem):
    matrix, counts, prior = problem
    history = reconstruct_counts(counts, matrix, prior, stop=FixedStop(5)).history
    assert history.shape == (6, len(matrix))
    assert history[0] == pytest.approx(prior)
    for old, new in pairwise(history):
        assert new == pytest.approx(em_step(matrix, counts, old), rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings(
    "ignore:invalid value encountered in sqrt:RuntimeWarning:pyunfold"
)  # of its error bars
@settings(max_examples=25)
@given(problems())
def test_the_iterates_are_those_of_pyunfold(problem):
    # Its response has a row for each effect; nothing is lost here, so that the efficiencies are 1.
    matrix, counts, prior = problem
    whole = {"efficiencies": np.ones(len(matrix)), "efficiencies_err": np.full(len(matrix), 0.01)}
    response = {"response": matrix.T, "response_err": np.zeros(matrix.T.shape)}
    never = {"ts_stopping": 0, "max_iter": 10, "return_iterations": True}
    theirs = iterative_unfold(data=counts, data_err=np.sqrt(counts), prior=prior, **whole, **response, **never)
    ours = reconstruct_counts(counts, matrix, prior, stop=FixedStop(10)).history[1:]
    assert ours == pytest.approx(np.stack(theirs["unfolded"]) / counts.sum(), abs=1e-9)


@given(problems())
def test_likelihood_never_falls(problem):
    matrix, counts, prior = problem
    found = reconstruct_counts(counts, matrix, prior, stop=FixedStop(30))
    gains = np.diff(found.log_likelihood)
    assert gains.min() >= -1e-12 * counts.sum()


def test_log_likelihood_by_hand():
    found = reconstruct_counts([6, 4, 0], [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]], stop=FixedStop(3))
    by_hand = [6 * np.log(x @ [0.7, 0.2]) + 4 * np.log(x @ [0.2, 0.7]) for x in found.history]
    assert found.log_likelihood == pytest.approx(by_hand)


@given(problems(), st.sampled_from([None, 0.01, 0.5]))
def test_mass_is_conserved(problem, smooth):
    matrix, counts, prior = problem
    found = reconstruct_counts(counts, matrix, prior, stop=FixedStop(20), smooth=smooth)
    assert found.history.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert found.history.min() >= 0


@given(st.lists(st.integers(0, 99), min_size=2, max_size=9).filter(any))
def test_the_identity_returns_the_histogram(counts):
    found = reconstruct_counts(counts, np.eye(len(counts)))
    assert found.distribution.probabilities == pytest.approx(np.array(counts) / sum(counts))


@pytest.mark.parametrize("step", [None, 0.25])
@pytest.mark.parametrize("exact", [True, False])
def test_no_noise_returns_the_histogram(step, exact):
    channel = UniformNoise(half_width=0, low=0, high=1, step=step)
    values = np.tile([0, 0.25, 0.25, 0.75, 1], 20)
    found = reconstruct(channel.disguise(values), channel, bins=4, exact=exact)
    assert np.array_equal(
        found.distribution.probabilities, Distribution.from_values(values, found.distribution.edges).probabilities
    )


@given(st.integers(2, 5), st.floats(0.3, 0.95), st.integers(0, 1000))
def test_the_fixed_point_is_the_inverse_when_that_is_a_distribution(k, keep, seed):
    # Keep the value with probability `keep`, else draw any of the k: invertible, and the inverse is the likeliest.
    matrix = keep * np.eye(k) + (1 - keep) / k
    true = 0.8 * np.random.default_rng(seed).dirichlet(np.ones(k)) + 0.2 / k
    seen = 1e6 * true @ matrix
    assert invert(seen / 1e6, matrix) == pytest.approx(true, abs=1e-9)
    found = reconstruct_counts(seen, matrix, stop=ChiSquareStop(fraction=1e-9))
    assert found.distribution.probabilities == pytest.approx(true, abs=1e-5)


@BOTH
@pytest.mark.parametrize("shape", [plateau, triangles])
def test_the_shapes_of_figure_2_come_back(shape, channel):
    true = shape(100_000, rng=1)
    seen = channel.disguise(true, rng=2)
    found = reconstruct(seen, channel, bins=20)
    original = Distribution.from_values(true, found.distribution.edges)
    naive = Distribution.from_values(seen, np.arange(-40, 61) / 20)
    assert found.converged
    # Measured with these seeds: Gaussian 0.18 and 0.14, uniform 0.03 and 0.05; as seen, 0.33 to 0.50.
    assert found.distribution.distance(original) < (0.2 if channel is GAUSSIAN else 0.06)
    assert naive.distance(original) > 0.3


@BOTH
@pytest.mark.parametrize("stop", [ChiSquareStop(), DiscrepancyStop(), FixedStop(50)], ids=repr)
def test_midpoints_and_exact_matrix_tell_the_same_story(channel, stop):
    seen = channel.disguise(triangles(20_000, rng=1), rng=2)
    exact, middle = (reconstruct(seen, channel, 20, stop, exact=flag).distribution for flag in (True, False))
    assert 0 < exact.distance(middle) < 0.03


def test_midpoints_lose_no_value_where_they_rule_out_a_seen_interval():
    # Half-width 0.52 on bins of 0.05: no mid-points are near enough for the values below -0.5.
    channel = UniformNoise(half_width=0.52, low=0, high=1)
    seen = channel.disguise(np.zeros(10_000), rng=1)
    assert (seen < -0.5).any()
    found = reconstruct(seen, channel, bins=20, stop=FixedStop(3), exact=False)
    assert found.history.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("noise", [UniformNoise, GaussianNoise])
def test_whole_numbers_come_back(noise):
    channel = noise.at_privacy(0.5, low=0, high=9, step=1)
    true = np.random.default_rng(5).choice(10, p=np.arange(10) / 45, size=50_000)
    found = reconstruct(channel.disguise(true, rng=6), channel, bins=10)
    assert found.distribution.midpoints == pytest.approx(np.arange(10))
    assert found.distribution.distance(Distribution.from_values(true, found.distribution.edges)) < 0.1


def test_from_values_is_from_counts():
    seen = UNIFORM.disguise(plateau(1000, rng=1), rng=2)
    edges = np.linspace(0, 1, 11)
    bins = UNIFORM.seen_bins(edges)
    counts = np.histogram(seen, np.clip(bins, -9, 9))[0]
    by_counts = reconstruct_counts(counts, UNIFORM.matrix(edges, bins), edges=edges)
    for values in (seen, pd.Series(seen, index=np.arange(1000) + 7)):
        assert np.array_equal(reconstruct(values, UNIFORM, bins=10).history, by_counts.history)
    assert np.array_equal(reconstruct(seen, UNIFORM, bins=edges).history, by_counts.history)


ANSWERS = KeepOrReplace(keep=0.6, categories=["red", "green", "blue", "grey"])


def test_categories_come_back_with_no_intervals():
    true = np.random.default_rng(1).choice(ANSWERS.categories, p=[0.6, 0.2, 0.2, 0], size=20_000)
    seen = ANSWERS.disguise(pd.Series(true, dtype=pd.CategoricalDtype(ANSWERS.categories)), rng=2)
    found = reconstruct(seen, ANSWERS, stop=FixedStop(500))
    assert found.distribution.midpoints.tolist() == [0, 1, 2, 3]
    assert found.distribution.probabilities == pytest.approx([0.6, 0.2, 0.2, 0], abs=0.02)
    counts = seen.value_counts()[list(ANSWERS.categories)]
    assert np.array_equal(
        found.history, reconstruct_counts(counts, ANSWERS.matrix(), stop=FixedStop(500)).history
    )


def test_answers_by_yes_or_no_come_back():
    question, rng = RandomizedResponse(0.7, unrelated=0.2, categories=["no", "yes"]), np.random.default_rng(3)
    seen = question.disguise(rng.choice(["no", "yes"], 20_000, p=[0.7, 0.3]), rng)
    found = reconstruct(seen, question, stop=FixedStop(500))
    counts = np.bincount(question.codes(seen))
    assert np.array_equal(
        found.history, reconstruct_counts(counts, question.matrix(), stop=FixedStop(500)).history
    )
    # Three standard errors are 0.014; the iteration ends where the direct estimate, a share here, is.
    assert found.distribution.probabilities == pytest.approx([0.7, 0.3], abs=0.014)
    assert found.distribution.probabilities[1] == pytest.approx(float(question.estimate(seen)), abs=1e-6)


def test_bands_without_noise_are_those_of_the_binomial():
    counts = np.array([500, 300, 0, 200])
    low, high = reconstruct_counts(counts, np.eye(4), stop=FixedStop(1)).bands(
        confidence=0.9, repeats=4000, rng=1
    )
    for share, bound in ((0.05, low), (0.95, high)):
        assert bound == pytest.approx(stats.binom.ppf(share, 1000, counts / 1000) / 1000, abs=0.002)


def test_bands_reconstruct_in_the_same_way():
    prior = [0.4, 0.4, 0.2, 0, 0]
    told = {"prior": prior, "stop": FixedStop(3), "smooth": 0.2}
    found = reconstruct_counts([900, 500, 300, 200, 100], np.full((5, 5), 0.1) + np.eye(5) / 2, **told)
    low, high = found.bands(rng=1)
    assert ((low <= found.distribution.probabilities) & (found.distribution.probabilities <= high)).all()
    assert low.min() > 0  # the smoothing gives the last interval a little, in spite of the prior
    assert (high - low).max() < 0.1


def test_bands_hold_the_truth_as_often_as_they_say():
    # 40 samples of 2,000 answers, four shares each, bands at 90 %: measured 89 %, and 80 to 89 % with other seeds.
    truth = np.array([0.4, 0.3, 0.2, 0.1])
    rng = np.random.default_rng(1)
    held = []
    for _ in range(40):
        counts = rng.multinomial(2000, truth @ ANSWERS.matrix())
        low, high = reconstruct_counts(counts, ANSWERS.matrix(), stop=FixedStop(60)).bands(
            0.9, repeats=100, rng=rng
        )
        held.append((low <= truth) & (truth <= high))
    assert np.mean(held) == pytest.approx(0.9, abs=0.06)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"confidence": 1}, ValueError, r"confidence is 1; expected a number in \(0, 1\)"),
        ({"confidence": "95 %"}, TypeError, "confidence is '95 %'"),
        ({"repeats": 1}, ValueError, "repeats is 1"),
        ({"rng": -1}, ValueError, "rng is -1"),
    ],
)
def test_bad_bands_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        reconstruct_counts([6, 4], F).bands(**arguments)


def test_bands_need_whole_counts():
    with pytest.raises(
        ValueError, match=r"counts has 1 of 2 fractions .*; expected whole numbers, because a bootstrap"
    ):
        reconstruct_counts([6, 4.5], F).bands()


def test_smoothing_flattens():
    counts = [50, 0, 50, 0, 50]
    rough, smooth = (reconstruct_counts(counts, np.eye(5), stop=FixedStop(1), smooth=share) for share in (0, 0.5))
    assert rough.distribution.probabilities == pytest.approx([1 / 3, 0, 1 / 3, 0, 1 / 3])
    assert smooth.distribution.probabilities == pytest.approx([0.25, 1 / 6, 1 / 6, 1 / 6, 0.25])


def test_a_prior_is_where_it_starts():
    prior = Distribution([0, 0.5, 1], [0.9, 0.1])
    seen = UNIFORM.disguise(plateau(1000, rng=1), rng=2)
    by_object = reconstruct(seen, UNIFORM, bins=2, prior=prior)
    assert by_object.history[0].tolist() == [0.9, 0.1]
    assert np.array_equal(by_object.history, reconstruct(seen, UNIFORM, bins=2, prior=[0.9, 0.1]).history)


def test_the_default_prior_is_even_by_width():
    seen = UNIFORM.disguise(plateau(1000, rng=1), rng=2)
    assert reconstruct(seen, UNIFORM, bins=[0, 0.25, 1]).history[0] == pytest.approx([0.25, 0.75])


def test_the_cap_warns():
    seen = GAUSSIAN.disguise(triangles(1000, rng=1), rng=2)
    with pytest.warns(ConvergenceWarning, match="ChiSquareStop.*not met within its cap of 3 iterations"):
        found = reconstruct(seen, GAUSSIAN, bins=20, stop=ChiSquareStop(fraction=1e-9, cap=3))
    assert (found.n_iter, found.converged) == (3, False)
    assert repr(found) == "Reconstruction(20 intervals, stopped at the cap after 3 iterations)"


def test_counts_without_edges_are_of_codes():
    found = reconstruct_counts([60, 40], [[0.75, 0.25], [0.25, 0.75]], stop=FixedStop(2))
    assert found.distribution.midpoints.tolist() == [0, 1]
    assert repr(found) == "Reconstruction(2 intervals, converged after 2 iterations)"


@pytest.mark.parametrize("name", ["history", "counts", "matrix"])
def test_arrays_are_read_only(name):
    counts, matrix = np.array([1.0, 2.0]), np.eye(2)
    with pytest.raises(ValueError, match="read-only"):
        getattr(reconstruct_counts(counts, matrix), name)[0] = 0
    assert counts.flags.writeable
    assert matrix.flags.writeable


def test_the_order_of_arguments_stays():
    seen = UNIFORM.disguise(np.full(100, 0.5), rng=1)
    by_place = reconstruct(seen, UNIFORM, 2, FixedStop(3), 0.1, False, [0.9, 0.1])
    by_name = reconstruct(seen, UNIFORM, 2, stop=FixedStop(3), smooth=0.1, exact=False, prior=[0.9, 0.1])
    assert np.array_equal(by_place.history, by_name.history)
    assert by_place.history[0].tolist() == [0.9, 0.1]


F = [[0.75, 0.25], [0.25, 0.75]]
BAD_STEPS = [
    ((F, [1, 2, 3], [0.5, 0.5]), ValueError, "counts has 3 entries for a matrix of 2 columns"),
    ((F, [1, 2], [1]), ValueError, "prior has 1 entries for a matrix of 2 rows"),
    ((F, [1, -2], [0.5, 0.5]), ValueError, r"counts has 1 of 2 negative numbers \(first at position 1\)"),
    ((F, [0, 0], [0.5, 0.5]), ValueError, "counts holds nothing but 0"),
    ((F, [1, np.nan], [0.5, 0.5]), ValueError, "counts has 1 .*missing"),
    ((F, [], [0.5, 0.5]), ValueError, "counts is empty"),
    ((F, ["a", "b"], [0.5, 0.5]), TypeError, "counts holds text"),
    (([0.5, 0.5], [1, 2], [0.5, 0.5]), ValueError, r"matrix has 1 dimensions; expected two"),
    (([[1, -1], [0, 1]], [1, 2], [0.5, 0.5]), ValueError, "matrix has 1 of 4 negative numbers"),
    (([[1, np.inf], [0, 1]], [1, 2], [0.5, 0.5]), ValueError, "matrix has 1 .*missing or infinite"),
    (([[]], [1, 2], [0.5, 0.5]), ValueError, r"matrix is empty"),
    ((F, [1, 2], [0.5, -0.5]), ValueError, "prior has 1 of 2 negative numbers"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_STEPS)
def test_bad_arguments_of_a_step_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        em_step(*arguments)
    matrix, counts, prior = arguments
    with pytest.raises((error, ValueError)):
        reconstruct_counts(counts, matrix, prior)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"counts": [70, 30], "matrix": np.eye(2), "prior": [1, 0]},
            ValueError,
            "counts holds values in seen interval 1",
        ),
        (
            {"counts": [1, 2], "matrix": [[1, 0], [1, 0]]},
            ValueError,
            "which matrix and prior say no value reaches",
        ),
        ({"counts": [1, 2], "matrix": F, "prior": [0.5, 0.4]}, ValueError, "prior sums to 0.9"),
        (
            {"counts": [1, 2], "matrix": F, "edges": [0, 1]},
            ValueError,
            "edges has 2 entries for a matrix of 2 rows",
        ),
        ({"counts": [1, 2], "matrix": F, "edges": [0, 0, 1]}, ValueError, "edges does not increase"),
        ({"counts": [1, 2], "matrix": F, "smooth": 1}, ValueError, r"smooth is 1; expected a number in \[0, 1\)"),
        ({"counts": [1, 2], "matrix": F, "smooth": "yes"}, TypeError, "smooth is 'yes'"),
        ({"counts": [1, 2], "matrix": F, "stop": 10}, TypeError, "stop is of type int; expected a stopping rule"),
        ({"counts": [1, 2], "matrix": F, "stop": ChiSquareStop}, TypeError, "expected a stopping rule"),
        (
            {"counts": [1, 2], "matrix": F, "prior": Distribution.uniform([0, 1, 2]), "edges": [0, 2, 3]},
            ValueError,
            "over the same intervals",
        ),
    ],
)
def test_bad_counts_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        reconstruct_counts(**arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"values": []}, ValueError, "values is empty"),
        ({"values": [0.5, np.nan]}, ValueError, "values has 1 .*missing"),
        ({"values": pd.Series(["a"])}, TypeError, "values holds"),
        (
            {"values": [0.5, 1.6]},
            ValueError,
            r"1 of 2 that the channel cannot have released \(first at position 1",
        ),
        (
            {"values": [1, 2.5], "channel": UniformNoise(half_width=2, low=0, high=9, step=1)},
            ValueError,
            r"first at position 1\); expected values in .*, as disguised by",
        ),
        ({"channel": None}, TypeError, "channel is a NoneType; expected what disguised the values"),
        ({"values": UNIFORM, "channel": [0.5]}, TypeError, "channel is a list; .* values come first"),
        ({"bins": None}, TypeError, "bins is None; expected a whole number .* or edges that cover the domain"),
        (
            {"bins": 5, "channel": ANSWERS},
            ValueError,
            "bins, exact or smooth is given; expected None",
        ),
        (
            {"bins": None, "exact": False, "channel": ANSWERS},
            ValueError,
            "bins, exact or smooth is given; expected",
        ),
        (
            {"bins": None, "smooth": 0.1, "channel": ANSWERS},
            ValueError,
            "bins, exact or smooth is given; .* no neighbours",
        ),
        ({"bins": None, "values": ["pink"], "channel": ANSWERS}, ValueError, "none of the categories"),
        ({"bins": 0}, ValueError, "bins is 0; expected a whole number"),
        ({"bins": 2.5}, TypeError, "bins is 2.5"),
        ({"bins": "auto"}, TypeError, "bins is 'auto'"),
        ({"bins": [0, 0.5]}, ValueError, r"bins reaches from 0 to 0.5; expected edges that cover .* \[0, 1\]"),
        ({"bins": [0.1, 1]}, ValueError, "expected edges that cover"),
        ({"bins": [0, 1, 0.5]}, ValueError, "bins does not increase"),
        ({"bins": [0, 1, 2]}, ValueError, r"the interval \[1, 2\), which holds no value of the domain"),
        ({"exact": 1}, ValueError, "exact is 1; expected one of True, False"),
        ({"stop": None}, TypeError, "stop is of type NoneType"),
        ({"prior": [0.5, 0.5]}, ValueError, r"prior has shape \(2,\); expected \(5,\), one for each interval"),
        ({"smooth": -0.1}, ValueError, "smooth is -0.1"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        reconstruct(**{"values": [0.5], "channel": UNIFORM, "bins": 5, **arguments})


def test_more_bins_than_values_of_a_step_domain_are_refused():
    with pytest.raises(ValueError, match=r"bins is 11; expected a whole number in \[1, 10\]"):
        reconstruct([1], UniformNoise(half_width=1, low=0, high=9, step=1), bins=11)


def test_an_interval_that_reaches_beyond_the_domain_is_cut_off():
    seen = UNIFORM.disguise(np.random.default_rng(1).uniform(0, 1, 20_000), rng=2)
    found, other = (reconstruct(seen, UNIFORM, bins) for bins in ([-1, 0.5, 2], [0, 0.5, 1]))
    assert np.array_equal(found.distribution.edges, other.distribution.edges)
    assert np.array_equal(found.history, other.history)


# The loop needs no matrix, only what one does to an estimate; and it asks a rule beforehand, if the rule wants.


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_one_matrix_for_each_axis_is_their_kronecker_product(rows, others, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.dirichlet(np.ones(5), size=rows), rng.dirichlet(np.ones(3), size=others)
    counts, start = rng.integers(1, 50, 15), rng.dirichlet(np.ones(rows * others))
    path, steps, met = iterate(
        lambda x: (a.T @ x.reshape(rows, others) @ b).ravel(),
        lambda r: (a @ r.reshape(5, 3) @ b.T).ravel(),
        counts,
        start,
        ChiSquareStop(),
        kept=None,
    )
    whole = reconstruct_counts(counts, np.kron(a, b), start)
    assert met
    assert steps == whole.n_iter
    assert np.array(path) == pytest.approx(whole.history, abs=1e-12)


class Asked:
    """A rule that tries the iteration on some of the counts first; it has no other way to stop."""

    cap = 9

    def watch(self, _counts, _intervals):
        raise AssertionError("another rule was settled")

    def settle(self, counts, trial):
        seen = []

        def third(_old, _new, again):
            seen.append(again)
            return len(seen) % 3 == 0

        assert [trial(counts // 2, third, cap) for cap in (2, 9)] == [False, True]
        return FixedStop(len(seen))


def test_a_rule_may_settle_beforehand_for_another():
    matrix, counts, start = (
        np.array([[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]),
        np.array([50, 1, 30]),
        np.array([0.5, 0.5]),
    )
    path, steps, met = iterate(matrix.T.dot, matrix.dot, counts, start, Asked())
    assert steps == 3
    assert np.array_equal(path[-1], reconstruct_counts(counts, matrix, stop=FixedStop(3)).history[-1])
    assert met


@pytest.mark.parametrize("factor", [1e-3, 1.6, 1e6])
def test_of_single_values_a_density_will_do(factor):
    """What a column is multiplied by cancels in every step, if each column stands for one value."""
    density = np.random.default_rng(1).dirichlet(np.ones(3), 4).T.copy()
    one, other = (
        reconstruct_counts(np.ones(4), matrix, stop=FixedStop(7)) for matrix in (density, factor * density)
    )
    assert other.probabilities == pytest.approx(one.probabilities, abs=1e-12)
    with pytest.raises(ValueError, match=r"matrix has rows that sum to 1 ± .*; expected 1"):
        reconstruct_counts([2, 1, 1, 1], 2 * density / density.sum(axis=1, keepdims=True))


def test_a_step_takes_counts_before_the_prior():
    with pytest.raises(ValueError, match="prior sums to 100; expected at most 1"):
        em_step(F, [0.5, 0.5], [60, 40])


def test_categories_of_a_channel_need_a_law():
    class Broken(KeepOrReplace):
        def matrix(self):
            return np.full((2, 2), 0.6)

    for call in (
        lambda: reconstruct(["a", "b"], Broken(keep=0.7, categories=["a", "b"])),
        lambda: Column.of("town", pd.Series(["a", "b"]), Broken(keep=0.7, categories=["a", "b"])),
    ):
        with pytest.raises(ValueError, match=r"channel has rows that sum to 1 ± 0.2; expected 1"):
            call()
