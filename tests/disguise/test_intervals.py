"""Value-class membership: mid-points, the promise of the narrowest interval, and the way back."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ppdm.disguise import Intervals, NumericChannel, UniformNoise
from ppdm.reconstruct import reconstruct

EQUAL = Intervals(edges=4, low=20, high=80)
UNEQUAL = Intervals(edges=[0, 10, 20, 70, 150])
BEYOND = Intervals(edges=[-5, 2, 4, 15], low=0, high=9)
WHOLE = Intervals(edges=3, low=0, high=8, step=1)
DECIMAL = Intervals(edges=[0, 0.3, 0.6, 1], step=0.1)
SINGLE = Intervals(edges=1, low=0, high=1)
CHANNELS = [EQUAL, UNEQUAL, BEYOND, WHOLE, DECIMAL, SINGLE]
by_name = pytest.mark.parametrize("channel", CHANNELS, ids=repr)


def limits(channel):
    return channel.true_bins(channel.edges)


def domain_values(channel, n=3000):
    if channel.step is None:
        return np.linspace(channel.low, channel.high, n)
    return channel.low + channel.step * np.arange(channel.most_bins)


@by_name
def test_a_value_becomes_the_middle_of_its_interval(channel):
    values, edges = domain_values(channel), limits(channel)
    seen = channel.disguise(values)
    for a, b in itertools.pairwise(edges):
        inside = (values >= a - 1e-9) & ((values < b - 1e-9) | (b == edges[-1]))
        assert inside.any()
        assert seen[inside] == pytest.approx((a + b) / 2)


def test_intervals_are_closed_below_and_the_last_one_above():
    assert UNEQUAL.disguise([0, 9.999, 10, 70, 149.9, 150]).tolist() == [5, 5, 15, 110, 110, 110]


def test_equal_intervals_of_a_grid_hold_as_many_values_each():
    assert WHOLE.disguise(np.arange(9)).tolist() == [1, 1, 1, 4, 4, 4, 7, 7, 7]
    assert Intervals(edges=10, low=0, high=9, step=1).disguise(np.arange(10)).tolist() == list(range(10))


def test_rounding_moves_no_value_of_a_grid_across_an_edge():
    almost = np.array([0.1 + 0.2, 0.7 - 0.4, 0.3, 1 - 0.4, 0.1 * 6, 0.6])
    assert DECIMAL.disguise(almost) == pytest.approx([0.45] * 3 + [0.8] * 3)


def test_middles_between_whole_numbers_are_not_cut_to_whole_ones():
    seen = Intervals(edges=2, low=0, high=3, step=1).disguise(pd.Series([0, 1, 2, 3], name="n"))
    assert seen.tolist() == [0.5, 0.5, 2.5, 2.5]
    assert seen.name == "n"


def test_asking_again_tells_nothing_new():
    values = domain_values(EQUAL)
    assert np.array_equal(EQUAL.disguise(values), EQUAL.disguise(values, rng=3))


@by_name
def test_is_a_numeric_channel_that_prints_what_builds_it(channel):
    assert isinstance(channel, NumericChannel)
    assert eval(repr(channel)) == channel
    assert hash(pickle.loads(pickle.dumps(channel))) == hash(channel)
    assert channel.variance() == 0


@by_name
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_table_1(channel, confidence):
    edges = np.clip(limits(channel), channel.low, channel.high)
    expected = np.diff(edges).min()
    if channel.step is not None:
        expected = channel.step * np.histogram(domain_values(channel), limits(channel) - 1e-9)[0].min()
    assert channel.privacy(confidence) == pytest.approx(confidence * expected)


def test_intervals_as_wide_as_uniform_noise_give_as_much_privacy():
    # AS00 §2.1: "for 2α = W, Uniform and Discretization provide the same amount of privacy".
    assert EQUAL.privacy() == pytest.approx(UniformNoise(half_width=7.5, low=20, high=80).privacy())


@given(
    st.floats(0.01, 0.99),
    st.floats(0.01, 0.99),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_at_privacy_takes_as_many_intervals_as_still_give_the_level(level, confidence, low, width):
    assume(abs(level / confidence - 1) > 1e-8)  # nearer to it, rounding decides
    high = low + width
    if level > confidence:
        with pytest.raises(ValueError, match=r"level is .*, more than a single interval gives"):
            Intervals.at_privacy(level, low=low, high=high, confidence=confidence)
        return
    channel = Intervals.at_privacy(level, low=low, high=high, confidence=confidence)
    wanted = level * (high - low)
    rounding = 1e-8 * wanted + 4 * np.spacing(max(abs(low), abs(high)))
    assert channel.privacy(confidence) >= wanted - rounding
    more = Intervals(edges=channel.edges + 1, low=low, high=high)
    assert more.privacy(confidence) < wanted + rounding


@pytest.mark.filterwarnings("ignore:.* tells most values:UserWarning")
@given(st.integers(1, 40), st.floats(0, 1), st.floats(0.1, 0.99), st.sampled_from([1, 0.1]))
def test_at_privacy_on_a_grid_takes_the_most_intervals_that_give_the_level(steps, level, confidence, step):
    domain = {"low": -3, "high": -3 + steps * step, "step": step}
    numbers = range(1, steps + 2)
    given = {k: Intervals(edges=k, **domain).privacy(confidence) for k in numbers}
    enough = [k for k in numbers if given[k] >= level * steps * step - 1e-9]
    if enough:
        assert Intervals.at_privacy(level, confidence=confidence, **domain).edges == max(enough)
    else:
        with pytest.raises(ValueError, match="more than a single interval gives"):
            Intervals.at_privacy(level, confidence=confidence, **domain)


@pytest.mark.parametrize(
    ("level", "step", "edges"), [(0.25, None, 3), (0.05, None, 19), (0.95, None, 1), (0, None, 2000), (0, 1, 61)]
)
def test_at_privacy_on_an_age(level, step, edges):
    assert Intervals.at_privacy(level, low=20, high=80, step=step) == Intervals(
        edges=edges, low=20, high=80, step=step
    )


def test_what_can_be_seen_ranges_from_the_first_middle_to_the_last():
    assert EQUAL.seen_range() == (27.5, 72.5)


def test_epsilon_is_all_or_nothing():
    assert EQUAL.epsilon() == math.inf
    assert EQUAL.epsilon(0.999) == math.inf
    assert SINGLE.epsilon(0) == 0


@by_name
def test_matrix_of_its_own_intervals_is_the_identity(channel):
    edges = limits(channel)
    assert channel.matrix(edges, edges) == pytest.approx(np.eye(len(edges) - 1), abs=1e-12)
    assert channel.matrix(edges, channel.seen_bins(edges), exact=False) == pytest.approx(np.eye(len(edges) - 1))


@by_name
@pytest.mark.parametrize("k", [1, 2, 5])
def test_matrix_against_counts_of_released_values(channel, k):
    edges = channel.true_bins(k)
    seen_bins = channel.seen_bins(edges)
    matrix = channel.matrix(edges, seen_bins)
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    values = domain_values(channel, 60_000)
    row = np.clip(np.searchsorted(edges - 1e-9, values, side="right") - 1, 0, k - 1)
    for p in range(k):
        seen = channel.disguise(values[row == p])
        shares = np.histogram(seen, np.clip(seen_bins, -1e9, 1e9))[0] / len(seen)
        # 60,000 values evenly spread: an edge moves at most one of 12,000 across.
        assert matrix[p] == pytest.approx(shares, abs=2e-4)


def test_seen_bins_that_miss_a_middle_miss_its_values():
    assert EQUAL.matrix([20, 80], [20, 30, 72.5]).tolist() == [[0.25, 0.75]]
    assert EQUAL.matrix([20, 80], [30, 60]).tolist() == [[0.5]]


@by_name
def test_log_likelihood_tells_whose_interval_it_is(channel):
    values = domain_values(channel, 50)
    edges, seen = limits(channel), np.unique(channel.disguise(values))
    same = channel.disguise(values)[:, None] == seen
    assert len(seen) == len(edges) - 1
    assert np.array_equal(channel.log_likelihood(seen, values[:, None]), np.where(same, 0, -np.inf))


def test_reconstruction_spreads_the_share_of_an_interval_evenly():
    values = np.random.default_rng(1).beta(2, 5, 10_000)
    channel = Intervals(edges=4, low=0, high=1)
    found = reconstruct(channel.disguise(values), channel, bins=20).distribution.probabilities
    shares = np.histogram(values, 4, (0, 1))[0] / len(values)
    assert found == pytest.approx(np.repeat(shares / 5, 5), abs=1e-9)


def test_reconstruction_at_its_own_intervals_is_exact():
    ages = np.arange(20, 81)
    channel = Intervals.at_privacy(0.25, low=20, high=80, step=1)
    found = reconstruct(channel.disguise(ages), channel, bins=3).distribution.probabilities
    assert found == pytest.approx(np.histogram(ages, channel.true_bins(3))[0] / 61)


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True).map(sorted),
    st.sampled_from([None, 1, 0.5]),
)
def test_any_intervals_are_a_channel(edges, step):
    channel = Intervals(edges=edges, step=step)
    bins = channel.true_bins(min(7, channel.most_bins))
    assert np.abs(channel.matrix(bins, channel.seen_bins(bins)).sum(axis=1) - 1).max() < 1e-12
    true, edges = domain_values(channel, 200), np.array(edges)
    seen = channel.disguise(true)
    place = np.searchsorted(edges[1:-1], true, side="right")
    assert seen == pytest.approx((edges[place] + edges[place + 1]) / 2)
    assert np.array_equal(channel.seen_codes(seen), seen)


BAD = [
    (
        {"edges": 0, "low": 0, "high": 1},
        ValueError,
        r"edges is 0; expected a whole number in \[1, 2000\]; or edges",
    ),
    ({"edges": 2.0, "low": 0, "high": 1}, TypeError, "edges is 2.0; expected a whole number"),
    ({"edges": "ab", "low": 0, "high": 1}, TypeError, "edges is 'ab'"),
    ({"edges": None, "low": 0, "high": 1}, TypeError, "edges is None"),
    (
        {"edges": 11, "low": 0, "high": 9, "step": 1},
        ValueError,
        r"edges is 11; expected a whole number in \[1, 10\]",
    ),
    ({"edges": 3}, TypeError, "low is None and high is None, for edges=.*; expected the domain's ends"),
    ({"edges": 3, "low": 1, "high": 0}, ValueError, "expected low < high"),
    ({"edges": [1]}, ValueError, "edges has one entry"),
    ({"edges": [0, 2, 1]}, ValueError, "edges does not increase at position 2"),
    ({"edges": [0, np.inf]}, ValueError, "edges has 1 .*missing or infinite value"),
    (
        {"edges": [0, 1], "high": 2},
        ValueError,
        r"edges reaches from 0 to 1; expected edges that cover .* \[0, 2\]",
    ),
    ({"edges": [0, 1, 2], "high": 1}, ValueError, r"edges has the interval \[1, 2\), which holds no value of"),
    (
        {"edges": [0, 1.2, 1.8, 9], "step": 1},
        ValueError,
        r"edges has the interval \[1.2, 1.8\), which holds no value",
    ),
    ({"edges": [0, 1, 2.5], "step": 1}, ValueError, "step is 1; expected a whole number of steps"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        Intervals(**parameters)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: EQUAL.disguise([19]), ValueError, r"values has 1 of 1 outside the domain \[20, 80\]"),
        (lambda: WHOLE.disguise([1.5]), ValueError, r"outside the domain \[0, 8\] in steps of 1"),
        (lambda: EQUAL.disguise(["a"]), TypeError, "values holds text"),
        (lambda: EQUAL.seen_codes([27.5, 30]), ValueError, "values has 1 of 2 that the channel cannot have rel"),
        (lambda: EQUAL.privacy(1), ValueError, r"confidence is 1; expected a number in \(0, 1\)"),
        (lambda: EQUAL.epsilon(1), ValueError, "delta is 1"),
        (lambda: EQUAL.matrix([20, 80], [20, 80], exact=1), ValueError, "exact is 1"),
        (lambda: EQUAL.matrix([20, np.nan], [20, 80]), ValueError, "true_bins has 1 .*missing"),
        (lambda: EQUAL.seen_bins([3]), ValueError, "true_bins has one entry"),
        (
            lambda: Intervals.at_privacy(1, low=0, high=1),
            ValueError,
            "level is 1, .* expected at most 0.95; for more",
        ),
        (lambda: Intervals.at_privacy(-1, low=0, high=1), ValueError, "level is -1"),
        (lambda: Intervals.at_privacy(0.5, low=0, high=1, confidence=95), ValueError, "confidence is 95"),
    ],
)
def test_bad_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
