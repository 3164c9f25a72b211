"""Disguised columns: codes as the reconstruction says, by rank or by the posterior, ties by lot on every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.disguise import GaussianNoise, Intervals, KeepOrReplace, RandomizedResponse, UniformNoise
from ppdm.reconstruct import Distribution, FixedStop, reconstruct
from ppdm.reconstruct.bayes import solve
from ppdm.reconstruct.column import DisguisedColumn

AGE = UniformNoise(half_width=25, low=20, high=80)
TOWN = KeepOrReplace(keep=0.5, categories=["Ayr", "Bern", "Cork"])


def estimate(column, counts):
    return solve(counts, column.matrix, column.start, FixedStop(30), 0.0, column.edges)


def ages(n, seed, bins=12, channel=AGE):
    rng = np.random.default_rng(seed)
    seen = channel.disguise(rng.uniform(20, 80, n), rng)
    return seen, DisguisedColumn.numeric("age", seen, channel, bins, True, rng)


def towns(n, seed, shares=(0.6, 0.3, 0.1)):
    rng = np.random.default_rng(seed)
    seen = TOWN.disguise(rng.choice(TOWN.categories, n, p=shares), rng)
    return TOWN.codes(seen), DisguisedColumn.categorical("town", seen, TOWN, None, rng)


@given(st.integers(5, 300), st.integers(0, 1000), st.integers(1, 4), st.sampled_from([12, [20, 22, 26, 50, 80]]))
def test_numbers_are_coded_by_rank_in_each_group(n, seed, groups, bins):
    seen, column = ages(n, seed, bins)
    group = np.arange(n) % (groups + 1)  # the last group is left out
    rows, codes, found = column.codes(group, groups, estimate)
    assert sorted(rows) == sorted(np.flatnonzero(group < groups))
    for number in range(groups):
        here = group[rows] == number
        if here.any():
            assert (np.diff(seen[rows[here]]) >= 0).all()  # rows come in the order of what is seen
            expected = here.sum() * np.cumsum(found[number].distribution.probabilities)
            counts = np.bincount(codes[here], minlength=len(column.matrix))
            assert np.abs(np.cumsum(counts) - expected).max() <= 0.5 + 1e-9
            assert (np.diff(codes[here].astype(int)) >= 0).all()


@pytest.mark.parametrize("bins", [12, [20, 22, 26, 50, 80]])
def test_a_group_is_reconstructed_as_by_reconstruct(bins):
    seen, column = ages(2000, 1, bins)
    _, (found,) = column.all_codes(np.zeros(2000, dtype=int), estimate)
    other = reconstruct(seen, AGE, bins, FixedStop(30))
    assert np.array_equal(found.distribution.edges, other.distribution.edges)
    np.testing.assert_allclose(found.history, other.history, rtol=1e-9)


def test_categories_are_coded_by_the_posterior():
    seen, column = towns(3000, 2)
    group = np.arange(3000) % 2
    codes, found = column.all_codes(group, estimate)
    for number in (0, 1):
        joint = found[number].distribution.probabilities[:, None] * TOWN.matrix()
        posterior = joint / joint.sum(axis=0)
        for category in range(3):
            here = (group == number) & (seen == category)
            counts = np.bincount(codes[here], minlength=3)
            assert np.abs(np.cumsum(counts) - here.sum() * np.cumsum(posterior[:, category])).max() <= 0.5 + 1e-9


def test_which_of_equal_records_is_chosen_is_left_to_chance():
    # In the order of the records two columns would agree within each pair of seen values far more than by lot, where
    # the standard error of the correlation is 0.01.
    (seen, one), (other, two) = towns(10_000, 3), towns(10_000, 4)
    group = np.zeros(10_000, dtype=int)
    codes = [column.all_codes(group, estimate)[0].astype(float) for column in (one, two)]
    for mine, values in zip(codes, (seen, other), strict=True):
        for value in range(3):
            mine[values == value] -= mine[values == value].mean()
    assert abs(np.corrcoef(*codes)[0, 1]) < 0.04
    # And records that stand first get no other codes than those that stand last.
    assert abs(np.corrcoef(codes[0], np.arange(10_000))[0, 1]) < 0.04


@pytest.mark.parametrize(
    "channel",
    [
        GaussianNoise(sd=15, low=20, high=80),
        GaussianNoise(sd=15, low=20, high=80, step=1),
        UniformNoise(half_width=0, low=20, high=80, step=1),
        Intervals(edges=[20, 30, 50, 80]),
        Intervals(edges=1, low=20, high=80),
    ],
    ids=repr,
)
def test_chance_among_ties_never_moves_a_value_past_another(channel):
    values = channel.disguise(np.random.default_rng(1).integers(20, 81, 5000), rng=2)
    column = DisguisedColumn.numeric("age", values, channel, 1, True, np.random.default_rng(3))
    assert (np.diff(values[column.order]) >= 0).all()
    again = DisguisedColumn.numeric("age", values, channel, 1, True, np.random.default_rng(3))
    assert np.array_equal(column.order, again.order)


def test_categories_start_from_all_records():
    _, column = towns(20_000, 5)
    assert column.start == pytest.approx([0.6, 0.3, 0.1], abs=0.045)  # three standard errors of the likeliest shares
    blind = KeepOrReplace(keep=1 / 3, categories=TOWN.categories)
    column = DisguisedColumn.categorical("town", ["Ayr"] * 9, blind, None, np.random.default_rng(0))
    assert column.start == pytest.approx(1 / 3)


def test_categories_in_an_order_take_their_matrix_along():
    # Three standard errors of the estimate from 20,000 answers are 0.017.
    channel, rng = RandomizedResponse(0.6, unrelated=0.8, categories=("yes", "no")), np.random.default_rng(6)
    seen = channel.disguise(rng.choice(["yes", "no"], 20_000, p=[0.3, 0.7]), rng)
    listed, ordered = (
        DisguisedColumn.categorical("smokes", seen, channel, order, rng) for order in (None, ["no", "yes"])
    )
    assert listed.start == pytest.approx([0.3, 0.7], abs=0.017)
    assert listed.start[1] == pytest.approx(float(channel.estimate(seen)))
    assert ordered.start == pytest.approx(listed.start[::-1])
    assert np.array_equal(ordered.matrix, channel.matrix()[::-1, ::-1])
    assert np.array_equal(ordered.seen, 1 - listed.seen)
    assert (listed.attribute.categories, ordered.attribute.categories) == (("yes", "no"), ("no", "yes"))


def test_three_categories_come_back_in_any_order():
    seen, _ = towns(3000, 2)
    names, order = np.array(TOWN.categories)[seen], ["Cork", "Ayr", "Bern"]
    column = DisguisedColumn.categorical("town", names, TOWN, order, np.random.default_rng(0))
    assert (np.array(order)[column.seen] == names).all()
    listed = DisguisedColumn.categorical("town", names, TOWN, None, np.random.default_rng(0))
    assert column.start == pytest.approx(listed.start[[2, 0, 1]])


def test_answers_that_tell_next_to_nothing_start_evenly():
    channel = RandomizedResponse(1e-6, unrelated=0.3)
    column = DisguisedColumn.categorical("smokes", [0, 0, 1], channel, None, np.random.default_rng(0))
    assert column.start == pytest.approx(0.5)


def test_very_many_groups():
    _, column = ages(70_000, 6, 3)
    codes, found = column.all_codes(
        np.arange(70_000),
        lambda column, counts: solve(counts, column.matrix, column.start, FixedStop(1), 0.0, column.edges),
    )
    assert len(found) == len(codes) == 70_000
    assert isinstance(found[0].distribution, Distribution)
