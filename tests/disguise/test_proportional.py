"""Noise in proportion to the value: the bell and its law, reflection, and what it gives away."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

from ppdm.data import load
from ppdm.disguise import Disguise, KeepOrReplace, ProportionalNoise
from ppdm.disguise.proportional import CUT, WHOLE, channels_of, given_noise
from ppdm.measure import epsilon

WBC = ProportionalNoise(low=1, high=10, step=1)
DOMAINS = [
    {"low": 1, "high": 10, "step": 1},
    {"low": 0, "high": 5, "step": 0.5},
    {"low": -7, "high": 4, "step": 1},
    {"low": 100, "high": 130, "step": 10},
    {"low": 0.1, "high": 0.9, "step": 0.1},
    {"low": -3, "high": -1, "step": 0.25},
]


def law_of(channel):
    """P(seen | true) over the whole grid, by the stated law."""
    values = channel.low + channel.step * np.arange(round((channel.high - channel.low) / channel.step) + 1)
    return values, np.exp(channel.log_law(values, values[:, None]))


def reflected(number, low, high):
    """A number put back into [low, high] by mirrors at both ends, one after the other."""
    while not low <= number <= high:
        number = 2 * low - number if number < low else 2 * high - number
    return number


def bell(sd):
    """The bell as SciPy has it: cut so that 60 per cent are left where the standard deviation is 27.6."""
    return truncnorm(-CUT / WHOLE, CUT / WHOLE, scale=WHOLE * sd)


def by_hand(channel, true):
    """The law of what a true value becomes: the bell over each step, put back into the domain."""
    span = round((channel.high - channel.low) / channel.step)
    found = np.zeros(span + 1)
    reach = math.ceil(abs(true) * channel.sd * CUT / channel.step) + 1
    middle = round((true - channel.low) / channel.step)
    for place in range(middle - reach, middle + reach + 1):
        ends = channel.low + channel.step * (place + np.array([-0.5, 0.5]))
        # Of a negative value the lower end takes more noise.
        shares = sorted(ends / true - 1) if true else [-1, 1] if place == middle else [1, 1]
        found[reflected(place, 0, span)] += (
            np.diff(bell(channel.sd).cdf(shares))[0] if true else np.diff(shares)[0] / 2
        )
    return found


# ---- the bell


def test_the_papers_bell_is_cut_at_60_per_cent():
    """Its standard deviation is 27.6 % after the cut, for which the whole bell has 32.9 %."""
    assert bell(0.276).std() == pytest.approx(0.276, abs=1e-12)
    assert bell(0.276).support() == pytest.approx((-0.6, 0.6))
    assert pytest.approx(0.329, abs=5e-4) == WHOLE * 0.276


@pytest.mark.parametrize("sd", [0.01, 0.276, 1, 10])
def test_what_lies_below_is_what_scipy_says(sd):
    shares = np.linspace(-2.3 * sd, 2.3 * sd, 101)
    assert ProportionalNoise(sd=sd, low=0, high=1, step=1).below(shares) == pytest.approx(bell(sd).cdf(shares))


def test_without_noise_everything_stays():
    none = ProportionalNoise(sd=0, low=1, high=10, step=1)
    assert none.disguise(range(1, 11), rng=1).tolist() == list(range(1, 11))
    assert law_of(none)[1].tolist() == np.eye(10).tolist()


# ---- the law


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
@pytest.mark.parametrize("sd", [0.05, 0.276, 2])
def test_the_law_is_the_bell_over_each_step_and_its_images(domain, sd):
    channel = ProportionalNoise(sd=sd, **domain)
    values, law = law_of(channel)
    assert law.sum(axis=1) == pytest.approx(1)
    for true, row in zip(values, law, strict=True):
        assert row == pytest.approx(by_hand(channel, true), abs=1e-9)


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_what_is_drawn_follows_the_law(domain):
    # 4,000 draws of each value with the seed 1; the largest standard error of a share is 0.008: five of them.
    channel = ProportionalNoise(**domain)
    values, law = law_of(channel)
    seen = np.asarray(channel.disguise(np.repeat(values, 4000), rng=1), float).reshape(len(values), 4000)
    places = np.rint((seen - channel.low) / channel.step).astype(int)
    found = np.array([np.bincount(row, minlength=len(values)) for row in places]) / 4000
    assert abs(found - law).max() < 0.04
    assert (found[law == 0] == 0).all()


def test_every_number_of_the_unit_interval_is_drawn_as_the_law_says():
    """No simulation: the borders between two outcomes are where the sums of the shares are."""
    uniforms = (np.arange(200_000) + 0.5) / 200_000
    for true in range(1, 11):
        drawn = WBC.draw(np.full(len(uniforms), float(true)), uniforms)
        found = np.bincount(drawn.astype(int), minlength=11)[1:] / len(uniforms)
        assert found == pytest.approx(law_of(WBC)[1][true - 1], abs=1e-4)


def test_what_small_and_large_numbers_become():
    """How much stays as it is, and the means at the upper end, which reflection moves."""
    values, law = law_of(WBC)
    assert np.diag(law)[[0, 1, 2, 9]] == pytest.approx([0.935, 0.593, 0.416, 0.130], abs=0.001)
    assert (law @ values)[[9, 8]] == pytest.approx([7.73, 7.80], abs=0.02)
    # Zeros never change.
    zero = ProportionalNoise(low=0, high=9, step=1)
    assert law_of(zero)[1][0] == pytest.approx([1] + [0] * 9)


@settings(deadline=None)
@given(
    low=st.integers(-50, 50),
    steps=st.integers(1, 60),
    step=st.sampled_from([1, 2, 0.5, 0.1, 0.01, 5]),
    sd=st.sampled_from([0.01, 0.276, 1, 10]),
    seed=st.integers(0, 99),
)
def test_any_domain_is_kept_and_its_grid(low, steps, step, sd, seed):
    high = low * step + steps * step
    channel = ProportionalNoise(sd=sd, low=low * step, high=high, step=step)
    values = channel.low + step * np.arange(steps + 1)
    seen = np.asarray(channel.disguise(values, rng=seed), float)
    channel.seen_codes(seen)  # which refuses all that lies beyond the domain or beside the grid
    assert np.isfinite(channel.log_law(seen, values)).all()
    assert (channel.disguise(values, rng=seed) == seen).all()


def test_digits_do_not_tell_who_got_noise():
    """0.3 and not 0.1 × 3 = 0.30000000000000004: what is released looks like what is true."""
    channel = ProportionalNoise(low=0.1, high=0.9, step=0.1)
    true = np.round(np.arange(1, 10) / 10, 1)
    seen = np.concatenate([channel.disguise(true, rng=seed) for seed in range(50)])
    assert set(seen) <= set(true.tolist())
    cents = ProportionalNoise(low=0, high=3, step=0.01)
    prices = np.round(np.arange(301) / 100, 2)
    assert set(cents.disguise(prices, rng=1)) <= set(prices.tolist())


def test_whole_numbers_stay_whole_and_a_series_keeps_its_index():
    true = pd.Series([1, 5, 10], [7, 7, 2], name="n")
    seen = WBC.disguise(true, rng=1)
    assert seen.dtype == np.int64
    assert seen.index.tolist() == [7, 7, 2]
    assert seen.name == "n"
    assert WBC.disguise([1.0, 5.0], rng=1).dtype == np.int64
    assert ProportionalNoise(low=0, high=1, step=0.5).disguise([0.5], rng=1).dtype == float


# ---- what it gives away


@pytest.mark.parametrize(
    ("domain", "sd"), [(DOMAINS[0], 10), (DOMAINS[0], 0.276), ({"low": 2, "high": 3, "step": 1}, 1)], ids=str
)
def test_epsilon_is_the_largest_ratio_of_the_law(domain, sd):
    channel = ProportionalNoise(sd=sd, **domain)
    _, law = law_of(channel)
    law = law[:, law.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        expected = np.log(law.max(axis=0) / law.min(axis=0)).max()
    assert epsilon(channel) == pytest.approx(expected)
    assert epsilon(channel) == (math.inf if sd == 0.276 else pytest.approx(expected))


def test_epsilon_of_large_domains_is_not_looked_for():
    assert epsilon(ProportionalNoise(sd=10, low=1, high=10_000, step=1)) == math.inf


def test_it_is_a_channel_of_a_disguise():
    X = load("wbc", "first350").X[["thickness", "mitoses"]]
    noisy = Disguise(dict.fromkeys(X, WBC), random_state=1).fit_transform(X)
    assert noisy.isin(range(1, 11)).all(axis=None)
    assert (noisy != X).any(axis=None)


# ---- what is refused


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"step": None}, ValueError, "step is None; expected the spacing"),
        ({"sd": 0.005}, ValueError, "sd is 0.005, which is hardly any noise; expected at least 0.01, or 0"),
        ({"sd": -1}, ValueError, r"sd is -1; expected a number in \[0, 10\]"),
        ({"sd": 11}, ValueError, r"sd is 11; expected a number in \[0, 10\]"),
        ({"sd": True}, TypeError, "sd is True"),
        ({"low": 10}, ValueError, "low is 10 and high is 10; expected low < high"),
        ({"step": 0.7}, ValueError, "step is 0.7; expected a whole number of steps"),
        ({"step": 0}, ValueError, r"step is 0; expected a number in \(0, inf\)"),
        ({"high": math.inf}, ValueError, "high is inf"),
        (
            {"low": 10**6, "high": 10**6 + 9},
            ValueError,
            "sd is 0.276, .* more than 1000 times; expected less noise",
        ),
    ],
)
def test_wrong_parameters_are_refused_by_name(given, error, told):
    with pytest.raises(error, match=told):
        ProportionalNoise(**{"low": 1, "high": 10, "step": 1} | given)


@pytest.mark.parametrize("values", [[0], [11], [1.5], [np.nan], ["3"], [True]])
def test_wrong_values_are_refused(values):
    with pytest.raises((TypeError, ValueError), match=r"^values h.*; expected"):
        WBC.disguise(values, rng=1)


# ---- channels of columns of which nothing is declared


def by_data(column, noise=0.276):
    X = pd.DataFrame({"z": column})
    return channels_of(*given_noise(noise, X), X).get("z")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([3, 1, 9], {"low": 1, "high": 9, "step": 1}),
        ([-3, 0, 2], {"low": -3, "high": 2, "step": 1}),
        ([0.5, 2.25, np.nan], {"low": 0.5, "high": 2.25, "step": 0.01}),
        (pd.array([4, None, 7], "Int64"), {"low": 4, "high": 7, "step": 1}),
        (np.array([0.1, 0.2, 0.5], dtype="float32"), {"low": 0.1, "high": 0.5, "step": 0.1}),
        (np.array([200, 3], dtype="uint8"), {"low": 3, "high": 200, "step": 1}),
        ([0.000001, 0.000003], {"low": 0.000001, "high": 0.000003, "step": 0.000001}),
    ],
    ids=str,
)
def test_numbers_get_the_domain_and_the_step_that_they_show(column, expected):
    channel = by_data(column)
    assert isinstance(channel, ProportionalNoise)
    assert {name: getattr(channel, name) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["b", "a", None], ("a", "b")),
        ([True, False, True], (False, True)),
        (pd.array([True, None, False], "boolean"), (False, True)),
        (pd.Categorical(["b", None, "a"], categories=["b", "c", "a"]), ("b", "a")),
        (np.array(["x", 2, 1], dtype=object), (1, 2, "x")),
    ],
    ids=str,
)
def test_categories_are_kept_or_replaced(column, expected):
    assert by_data(column) == KeepOrReplace(keep=1 - 0.276, categories=expected)
    assert by_data(column, 0.1).keep == pytest.approx(0.9)


@pytest.mark.parametrize("column", [[5, 5], ["a", None], [2.5, np.nan], [np.inf, np.inf]], ids=str)
def test_a_column_with_a_single_value_has_nothing_to_hide(column):
    assert by_data(pd.Series(column)) is None


def test_noise_of_0_gives_no_channels():
    assert by_data([1, 2, 3], 0) is None


@pytest.mark.parametrize("column", [[math.pi, math.e], [1e-9, 2e-9], [1.0, 1e9], [1e300, 1.0]], ids=str)
def test_numbers_that_have_no_grid_are_refused(column):
    with pytest.raises(ValueError, match=r"^column 'z' has numbers with too many digits .*: ProportionalNoise\("):
        by_data(column)


def test_infinite_and_huge_numbers_are_refused():
    for column in ([np.inf, 1], [2**60, 1]):
        with pytest.raises(ValueError, match=r"^column 'z' has .*; expected"):
            by_data(column)
