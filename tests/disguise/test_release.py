"""The contract that every numeric channel keeps: domain, containers, chance, errors."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm import randomness
from ppdm.disguise import Channel, GaussianNoise, Intervals, KeepOrReplace, NumericChannel, UniformNoise


def generator(seed=7):
    """A new one at each call: two calls are given the same numbers."""
    return np.random.default_rng(seed)


CHANNELS = [
    UniformNoise(half_width=0.5, low=0, high=1),
    GaussianNoise(sd=15, low=20, high=80),
    UniformNoise(half_width=2.5, low=0, high=9, step=1),
    GaussianNoise(sd=0.3, low=-1, high=1, step=0.1),
]
IDENTITIES = [
    UniformNoise(half_width=0, low=0, high=1),
    GaussianNoise(sd=0, low=0, high=9, step=1),
]
OTHERS = [
    Intervals(edges=[0, 1, 4, 9]),
    KeepOrReplace(keep=0.6, categories=[0, 3, 9]),
]
by_name = pytest.mark.parametrize("channel", CHANNELS, ids=repr)


def domain_values(channel, n=40):
    if channel.step is None:
        return np.linspace(channel.low, channel.high, n)
    return channel.low + channel.step * (np.arange(n) % (round((channel.high - channel.low) / channel.step) + 1))


@by_name
def test_is_a_channel(channel):
    assert isinstance(channel, NumericChannel)
    assert isinstance(channel, Channel)


@by_name
def test_same_seed_same_release(channel):
    values = domain_values(channel)
    assert np.array_equal(channel.disguise(values, rng=7), channel.disguise(values, rng=7))
    assert not np.array_equal(channel.disguise(values, rng=7), channel.disguise(values, rng=8))


@by_name
def test_without_a_seed_no_two_releases_are_equal(channel):
    values = domain_values(channel)
    assert not np.array_equal(channel.disguise(values), channel.disguise(values))


@by_name
def test_a_generator_goes_on_from_call_to_call(channel):
    values, generator = domain_values(channel), np.random.default_rng(3)
    assert not np.array_equal(channel.disguise(values, generator), channel.disguise(values, generator))


@by_name
def test_series_in_series_out(channel):
    series = pd.Series(domain_values(channel), index=np.arange(40) * 3 + 5, name="age")
    released = channel.disguise(series, rng=1)
    assert isinstance(released, pd.Series)
    assert released.name == "age"
    assert released.index.equals(series.index)
    assert np.array_equal(released, channel.disguise(series.to_numpy(), rng=1))


@by_name
def test_the_true_values_are_left_alone(channel):
    values = domain_values(channel)
    before = values.copy()
    channel.disguise(values, rng=1)
    assert np.array_equal(values, before)


@pytest.mark.parametrize("channel", IDENTITIES, ids=repr)
def test_no_noise_returns_the_values_exactly_in_a_new_array(channel):
    values = domain_values(channel)
    released = channel.disguise(values)
    assert np.array_equal(released, values)
    assert not np.shares_memory(released, values)


@by_name
def test_released_values_lie_on_the_grid(channel):
    released = channel.disguise(domain_values(channel), rng=5)
    steps = np.rint((released - channel.low) / channel.grid)
    assert np.array_equal(released, channel.low + channel.grid * steps)


@by_name
def test_a_neighbour_in_the_last_bits_cannot_be_told(channel):
    # The same noise on values that differ in their last bits only: the release must not show it.
    values = channel.low + (channel.high - channel.low) * np.full(1000, 0.25)
    if channel.step is None:
        nearby = np.nextafter(values, np.inf)
        same = channel.disguise(values, generator()) == channel.disguise(nearby, generator())
        assert same.mean() > 0.99


@pytest.mark.parametrize(
    ("channel", "values", "kind"),
    [
        (UniformNoise(half_width=2, low=0, high=9, step=1), [1, 2], "i"),
        (UniformNoise(half_width=0, low=0, high=9, step=1), [1, 2], "i"),
        (UniformNoise(half_width=2, low=0, high=9, step=1), [1.0, 2.0], "i"),
        (UniformNoise(half_width=2, low=0, high=9, step=0.5), [1, 2], "f"),
        (UniformNoise(half_width=2, low=0, high=9), [1, 2], "f"),
    ],
)
def test_the_channel_alone_says_whether_releases_are_whole(channel, values, kind):
    assert channel.disguise(values, rng=1).dtype.kind == kind


@pytest.mark.parametrize("channel", [*CHANNELS, *IDENTITIES], ids=repr)
def test_repr_is_one_line_that_builds_the_channel(channel):
    assert "\n" not in repr(channel)
    assert eval(repr(channel)) == channel


@by_name
def test_frozen_hashable_and_picklable(channel):
    with pytest.raises(FrozenInstanceError):
        channel.low = -5
    assert hash(channel) == hash(pickle.loads(pickle.dumps(channel)))


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 100))
def test_whole_numbers_stay_within_the_reach(values, seed):
    channel = UniformNoise(half_width=2.4, low=0, high=9, step=1)
    assert np.abs(channel.disguise(values, rng=seed) - np.array(values)).max() <= 2


BAD_PARAMETERS = [
    ({"half_width": -1, "low": 0, "high": 1}, ValueError, r"half_width is -1.*\[0, 1e\+06\]"),
    ({"half_width": np.nan, "low": 0, "high": 1}, ValueError, "half_width is nan"),
    ({"half_width": np.inf, "low": 0, "high": 1}, ValueError, "half_width is inf"),
    ({"half_width": "wide", "low": 0, "high": 1}, TypeError, "half_width is 'wide'; expected a number"),
    ({"half_width": True, "low": 0, "high": 1}, TypeError, "half_width is True"),
    ({"half_width": 1, "low": 1, "high": 1}, ValueError, "low is 1 and high is 1; expected low < high"),
    ({"half_width": 1, "low": 2, "high": 1}, ValueError, "expected low < high"),
    (
        {"half_width": 1, "low": -np.inf, "high": 1},
        ValueError,
        r"low is -inf; expected a number in \[-1e\+100, 1e\+100\]",
    ),
    ({"half_width": 1, "low": 0, "high": None}, TypeError, "high is None"),
    ({"half_width": 1, "low": -1e308, "high": 1e308}, ValueError, "low is -1e.308; expected a number in"),
    ({"half_width": 1, "low": 0, "high": 1, "step": 0}, ValueError, "step is 0"),
    (
        {"half_width": 1, "low": 0, "high": 1, "step": 0.3},
        ValueError,
        "step is 0.3; expected a whole number of steps",
    ),
    (
        {"half_width": 1, "low": 0, "high": 1, "step": 2},
        ValueError,
        "step is 2; expected a whole number of steps",
    ),
    ({"half_width": 1, "low": 0, "high": 1, "step": 1e-9}, ValueError, "use step=None"),
    ({"half_width": 1e8, "low": 0, "high": 100, "step": 1}, ValueError, "half_width is 1e.08, too many steps"),
    ({"low": 0, "high": 1}, TypeError, "half_width"),
    ({"half_width": 1}, TypeError, "low"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        UniformNoise(**parameters)


def test_parameters_are_named():
    with pytest.raises(TypeError, match="positional"):
        GaussianNoise(1, 0, 1)


BAD_VALUES = [
    ([], ValueError, "values is empty"),
    ([[1.0, 2.0]], ValueError, "values has 2 dimensions"),
    (3, ValueError, "values has 0 dimensions; expected one, a list of numbers"),
    (None, ValueError, "values has 0 dimensions; expected one, a list of numbers"),
    ([[1], [1, 2]], ValueError, "values has rows of several lengths"),
    (np.ma.array([1, 99], mask=[False, True]), ValueError, "values has 1 masked values; expected none"),
    ([1, np.nan], ValueError, r"1 of 2 missing or infinite values \(first at position 1\)"),
    ([np.inf], ValueError, "missing or infinite"),
    (["a"], TypeError, "values holds text"),
    ([True], TypeError, "values holds booleans"),
    (
        [0, 10, -1],
        ValueError,
        r"values has 2 of 3 outside the domain \[0, 9\] in steps of 1 \(first at position 1\)",
    ),
    ([0, 2.5], ValueError, r"values has 1 of 2 outside .* in steps of 1 \(first at position 1\)"),
]


@pytest.mark.parametrize("half_width", [0, 2])
@pytest.mark.parametrize(("values", "error", "message"), BAD_VALUES)
def test_bad_values_are_refused(values, error, message, half_width):
    with pytest.raises(error, match=message):
        UniformNoise(half_width=half_width, low=0, high=9, step=1).disguise(values, rng=1)


@pytest.mark.parametrize("half_width", [0, 2])
@pytest.mark.parametrize(
    ("rng", "error"), [(-1, ValueError), (1.5, TypeError), ("seed", TypeError), (True, TypeError)]
)
def test_bad_rng_is_refused(rng, error, half_width):
    with pytest.raises(error, match="rng is"):
        UniformNoise(half_width=half_width, low=0, high=9).disguise([1], rng=rng)


def test_decimal_steps_count_as_on_the_grid():
    values = np.array([0.1, 0.2, 0.3, 0.7, 0.1 * 3])
    assert GaussianNoise(sd=0, low=0, high=1, step=0.1).disguise(values).tolist() == values.tolist()


def test_true_bins_are_equal_over_the_domain_or_as_given():
    noise = UniformNoise(half_width=1, low=0, high=4)
    assert noise.true_bins(2).tolist() == [0, 2, 4]
    assert noise.true_bins([0, 3, 4]).tolist() == [0, 3, 4]
    assert noise.true_bins([-1, 3, 5]).tolist() == [0, 3, 4]  # no true value is outside
    whole = UniformNoise(half_width=1, low=0, high=4, step=1)
    assert whole.true_bins([0, 2, 5]).tolist() == [0, 2, 5]  # [4, 5) stands for 4
    assert whole.true_bins([-9, 2, 9]).tolist() == [-1, 2, 5]
    assert UniformNoise(half_width=1, low=0, high=4, step=1).true_bins(5).tolist() == [
        -0.5,
        0.5,
        1.5,
        2.5,
        3.5,
        4.5,
    ]


@pytest.mark.parametrize(
    ("bins", "error", "message"),
    [
        (0, ValueError, r"bins is 0; expected a whole number in \[1, 2000\]; or edges that cover the domain"),
        (2.0, TypeError, "bins is 2.0; expected a whole number"),
        ([0, 3], ValueError, r"bins reaches from 0 to 3; expected edges that cover the domain \[0, 4\]"),
    ],
)
def test_bad_true_bins_are_refused(bins, error, message):
    with pytest.raises(error, match=message):
        UniformNoise(half_width=1, low=0, high=4).true_bins(bins)


def true_values(channel):
    return np.array(channel.categories) if isinstance(channel, KeepOrReplace) else domain_values(channel)


def drawn(channel, values, uniforms):
    return channel.decode(channel.draw(channel.true_codes(values), uniforms), values)


all_kinds = pytest.mark.parametrize("channel", [*CHANNELS, *IDENTITIES, *OTHERS], ids=repr)


@all_kinds
def test_disguise_is_release_with_drawn_numbers(channel):
    values = true_values(channel)
    expected = drawn(channel, values, randomness.uniform(len(values), generator(), channel.two_ended))
    assert np.array_equal(channel.disguise(values, generator()), expected)


@all_kinds
def test_every_channel_draws_a_number_for_each_value(channel):
    # A study keeps its other columns when one channel is changed, if all draw as much.
    values, generator, same = true_values(channel), np.random.default_rng(3), np.random.default_rng(3)
    channel.disguise(values, generator)
    randomness.uniform(len(values), same)
    assert generator.random() == same.random()


@all_kinds
def test_release_takes_a_series_and_gives_one(channel):
    values = true_values(channel)
    series = pd.Series(values, index=np.arange(len(values)) + 4, name="x")
    released = drawn(channel, series, np.full(len(values), 0.3))
    assert released.name == "x"
    assert released.index.equals(series.index)
    assert np.array_equal(released, drawn(channel, values, np.full(len(values), 0.3)))


@pytest.mark.parametrize("channel", [*CHANNELS, OTHERS[0]], ids=repr)
def test_a_larger_number_releases_no_smaller_value(channel):
    uniforms = (np.arange(1000) + 0.5) / 1000
    released = drawn(channel, np.full(1000, domain_values(channel)[3]), uniforms)
    assert (np.diff(released) >= 0).all()


@all_kinds
@pytest.mark.parametrize("number", [1e-12, 0.5, 1 - 1e-12])
def test_what_is_released_is_possible(channel, number):
    true = true_values(channel)
    seen = drawn(channel, true, np.full(len(true), number))
    assert np.array_equal(
        channel.seen_codes(seen), channel.draw(channel.true_codes(true), np.full(len(true), number))
    )
    assert np.isfinite(channel.log_likelihood(seen, true)).all()


@all_kinds
def test_log_likelihoods_broadcast(channel):
    true = true_values(channel)[:3]
    seen = channel.disguise(true, rng=1)
    table = channel.log_likelihood(seen[:, None], true)
    assert table.shape == (3, 3)
    assert table[1, 2] == channel.log_likelihood(seen[1], true[2])
    assert np.array_equal(np.diag(table), channel.log_likelihood(pd.Series(seen), true.tolist()))


@pytest.mark.parametrize(
    ("seen", "true", "message"),
    [
        ([1, 2], [1, 2, 3], r"seen has shape \(2,\) and true has \(3,\); expected shapes that go together"),
        ([1], [10], "true has 1 of 1 outside the domain"),
        ([11], [1], "seen has 1 of 1 that the channel cannot have released"),
        ([0.5], [1], "seen has 1 of 1 that the channel cannot have released"),
        ([np.nan], [1], r"seen has 1 .*missing"),
        ([], [1], "seen is empty"),
    ],
)
def test_bad_pairs_are_refused(seen, true, message):
    with pytest.raises(ValueError, match=message):
        UniformNoise(half_width=0.6, low=0, high=9, step=1).log_likelihood(seen, true)
