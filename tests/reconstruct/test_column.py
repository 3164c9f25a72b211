"""Disguised columns: codes as the reconstruction says, by rank or by the posterior, ties by lot on every machine."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.disguise import (
    CategoryChannel,
    GaussianNoise,
    Intervals,
    KeepOrReplace,
    RandomizedResponse,
    UniformNoise,
)
from ppdm.reconstruct import Attribute, Column, Distribution, FixedStop, reconstruct
from ppdm.reconstruct.column import _coarse_cuts

AGE = UniformNoise(half_width=25, low=20, high=80)
TOWN = KeepOrReplace(keep=0.5, categories=["Ayr", "Bern", "Cork"])


def assigned(column, group, groups, steps=30):
    """The code of each record, −1 in groups beyond, and the reconstruction of each group."""
    found = [column.estimate(counts, FixedStop(steps)) for counts in column.counts(group, groups)]
    codes = np.full(len(group), -1)
    column.assign(codes, group, np.array([one.probabilities for one in found]))
    return codes, found


def numbers(seen, channel, bins, rng):
    return Column.over("age", seen, channel, channel.true_bins(bins), rng=rng)


def answers(name, seen, channel, order, rng):
    """A column of categories, nominal or in an order."""
    values = (
        pd.Series(seen, dtype=object) if order is None else pd.Series(pd.Categorical(seen, order, ordered=True))
    )
    return Column.of(name, values, channel, rng=rng)


def ages(n, seed, bins=12, channel=AGE):
    rng = np.random.default_rng(seed)
    seen = channel.disguise(rng.uniform(20, 80, n), rng)
    return seen, numbers(seen, channel, bins, rng)


def towns(n, seed, shares=(0.6, 0.3, 0.1)):
    rng = np.random.default_rng(seed)
    seen = TOWN.disguise(rng.choice(TOWN.categories, n, p=shares), rng)
    return TOWN.codes(seen), answers("town", seen, TOWN, None, rng)


@given(st.integers(5, 300), st.integers(0, 1000), st.integers(1, 4), st.sampled_from([12, [20, 22, 26, 50, 80]]))
def test_numbers_are_coded_by_rank_in_each_group(n, seed, groups, bins):
    seen, column = ages(n, seed, bins)
    group = np.arange(n) % (groups + 1)  # the last group is left out
    codes, found = assigned(column, group, groups)
    assert np.array_equal(codes < 0, group == groups)
    for number in range(groups):
        here = np.flatnonzero(group == number)
        if len(here):
            expected = len(here) * np.cumsum(found[number].probabilities)
            counts = np.bincount(codes[here], minlength=len(column.matrix))
            assert np.abs(np.cumsum(counts) - expected).max() <= 0.5 + 1e-9
            # In the order of what is seen the codes do not fall; equal values may get two.
            assert (np.diff(seen[here[np.lexsort((seen[here], codes[here]))]]) >= 0).all()


@pytest.mark.parametrize("bins", [12, [20, 22, 26, 50, 80]])
def test_a_group_is_reconstructed_as_by_reconstruct(bins):
    seen, column = ages(2000, 1, bins)
    _, (found,) = assigned(column, np.zeros(2000, dtype=int), 1)
    other = reconstruct(seen, AGE, bins, FixedStop(30))
    assert np.array_equal(found.distribution.edges, other.distribution.edges)
    np.testing.assert_allclose(found.history, other.history, rtol=1e-9)


def test_categories_are_coded_by_the_posterior():
    seen, column = towns(3000, 2)
    group = np.arange(3000) % 2
    codes, found = assigned(column, group, 2)
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
    codes = [assigned(column, group, 1)[0].astype(float) for column in (one, two)]
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
    column = numbers(values, channel, 1, np.random.default_rng(3))
    assert (np.diff(values[column._order]) >= 0).all()
    again = numbers(values, channel, 1, np.random.default_rng(3))
    assert np.array_equal(column._order, again._order)


def test_categories_start_from_all_records():
    _, column = towns(20_000, 5)
    # Three standard errors of the likeliest shares.
    assert column.start.probabilities == pytest.approx([0.6, 0.3, 0.1], abs=0.045)
    blind = KeepOrReplace(keep=1 / 3, categories=TOWN.categories)
    column = answers("town", ["Ayr"] * 9, blind, None, np.random.default_rng(0))
    assert column.start.probabilities == pytest.approx(1 / 3)


def test_categories_in_an_order_take_their_matrix_along():
    # Three standard errors of the estimate from 20,000 answers are 0.017.
    channel, rng = RandomizedResponse(0.6, unrelated=0.8, categories=("yes", "no")), np.random.default_rng(6)
    seen = channel.disguise(rng.choice(["yes", "no"], 20_000, p=[0.3, 0.7]), rng)
    listed, ordered = (answers("smokes", seen, channel, order, rng) for order in (None, ["no", "yes"]))
    assert listed.start.probabilities == pytest.approx([0.3, 0.7], abs=0.017)
    assert listed.start.probabilities[1] == pytest.approx(float(channel.estimate(seen)))
    assert ordered.start.probabilities == pytest.approx(listed.start.probabilities[::-1])
    assert np.array_equal(ordered.matrix, channel.matrix()[::-1, ::-1])
    assert np.array_equal(ordered.seen, 1 - listed.seen)
    assert (listed.attribute.categories, ordered.attribute.categories) == (("yes", "no"), ("no", "yes"))


def test_three_categories_come_back_in_any_order():
    seen, _ = towns(3000, 2)
    names, order = np.array(TOWN.categories)[seen], ["Cork", "Ayr", "Bern"]
    column = answers("town", names, TOWN, order, np.random.default_rng(0))
    assert (np.array(order)[column.seen] == names).all()
    listed = answers("town", names, TOWN, None, np.random.default_rng(0))
    assert column.start.probabilities == pytest.approx(listed.start.probabilities[[2, 0, 1]])


def test_answers_that_tell_next_to_nothing_start_evenly():
    channel = RandomizedResponse(1e-6, unrelated=0.3)
    column = answers("smokes", [0, 0, 1], channel, None, np.random.default_rng(0))
    assert column.start.probabilities == pytest.approx(0.5)


class Turned(CategoryChannel):
    """A channel that replaces each category by the next one alone, which no closed form of the start knows."""

    categories = ("a", "b", "c")

    def matrix(self):
        return np.array([[0.6, 0.4, 0], [0, 0.6, 0.4], [0.4, 0, 0.6]])

    def draw(self, codes, uniforms):
        return (codes + (uniforms > 0.6)) % 3


def test_replacements_that_depend_on_the_truth_start_evenly_and_come_back():
    # 20,000 answers: three standard errors of the inverse's estimate are below 0.03.
    truth = np.repeat(["a", "b", "c"], [4_000, 6_000, 10_000])
    column = answers("town", Turned().disguise(truth, rng=1), Turned(), None, np.random.default_rng(0))
    assert column.start.probabilities == pytest.approx(1 / 3)
    _, (found,) = assigned(column, np.zeros(20_000, int), 1, steps=1000)
    assert found.probabilities == pytest.approx([0.2, 0.3, 0.5], abs=0.03)


def test_ranks_in_large_cells_are_those_of_all_records():
    rng = np.random.default_rng(1)
    values, cell = rng.integers(0, 9, 200_000), rng.integers(0, 3, 200_000)  # the third cell is left out
    channel = UniformNoise(half_width=0, low=0, high=8, step=1)
    column = numbers(values, channel, 9, np.random.default_rng(2))
    moves = 0.99 * (np.random.default_rng(2).random(len(values)) - 0.5)
    assert np.array_equal(column.ranks, values + moves)
    assert np.array_equal(column.counts(cell, 2)[1], np.bincount(values[cell == 1], minlength=9))
    shares = rng.dirichlet(np.ones(9), 2)
    codes = np.full(len(values), -1)
    column.assign(codes, cell, shares)
    for number in (0, 1):
        here = np.flatnonzero(cell == number)
        ends = np.rint(len(here) * np.cumsum(shares[number])).astype(int)
        expected = np.repeat(np.arange(9), np.diff(ends, prepend=0))
        assert np.array_equal(codes[here[np.argsort(column.ranks[here])]], expected)
    assert (codes[cell == 2] == -1).all()


def test_equal_values_without_a_grid_are_in_an_order_by_lot():
    channel = UniformNoise(half_width=0, low=0, high=1)
    column = numbers(np.repeat([0.25, 0.5, 0.75], 1000), channel, 2, np.random.default_rng(1))
    assert len(np.unique(column.ranks)) == 3000
    close = numbers(
        np.append(np.full(50_000, 75_000.0), [1, 1 + 1e-9]), UniformNoise(half_width=0, low=0, high=1e5), 2, 1
    )
    assert len(np.unique(close.ranks)) == 50_002
    assert close.ranks[-2:].argmax() == 1
    assert close.ranks[-2:].max() < close.ranks[:-2].min()
    assert np.abs(column.ranks - np.repeat([0, 1, 2], 1000)).max() < 0.5
    alone = numbers(np.full(1000, 0.5), channel, 2, np.random.default_rng(1))
    assert len(np.unique(alone.ranks)) == 1000


def test_very_many_groups():
    _, column = ages(70_000, 6, 3)
    shares = np.tile(column.start.probabilities, (70_000, 1))
    codes = np.full(70_000, -1)
    column.assign(codes, np.arange(70_000), shares)
    assert set(codes) == {1}  # of a single record the middle code, which holds its median


# Coarse columns: the matrix of the channel for the coarse edges, what is seen of them, and codes within them.

LETTERS = list("abcdefghij")
FOUR = [
    UniformNoise(half_width=25, low=20, high=80),
    UniformNoise(half_width=7, low=20, high=80, step=1),
    GaussianNoise(sd=15, low=20, high=80),
    GaussianNoise(sd=0.3, low=20, high=80),
]


def noisy(channel, n=4000, bins=60, seed=1):
    rng = np.random.default_rng(seed)
    seen = channel.disguise(rng.integers(20, 81, n), rng)
    return seen, numbers(seen, channel, min(bins, channel.most_bins), rng)


def letters(keep=0.5, order=None, n=4000, seed=1, shares=None):
    rng = np.random.default_rng(seed)
    channel = KeepOrReplace(keep=keep, categories=LETTERS)
    seen = channel.disguise(rng.choice(LETTERS, n, p=shares), rng)
    return answers("letter", seen, channel, order, rng)


def true_column(attribute, codes):
    edges = np.arange(attribute.n_values + 1) - 0.5
    if attribute.edges:
        edges = np.array([0.0, *attribute.edges, 100.0])
    return Column(attribute, edges, codes)


def parts(column, coarse):
    """The coarse interval of each code."""
    return np.repeat(np.arange(coarse.sizes[0]), np.diff(_coarse_cuts(column.sizes[0], coarse.sizes[0])))


def cut(column, most):
    """At most so many true intervals, and as many seen ones."""
    return column.coarse(most, most)


def groups_seen(coarse, column):
    """Whether the coarse seen interval of a record is a matter of its seen interval alone, and never falls."""
    order = np.argsort(column.seen, kind="stable")
    fine, found = column.seen[order], coarse.seen[order]
    return (np.diff(found) >= 0).all() and (found[1:] == found[:-1])[fine[1:] == fine[:-1]].all()


@given(st.sampled_from(FOUR), st.integers(1, 500), st.integers(1, 70), st.integers(1, 40), st.integers(0, 99))
def test_a_row_of_the_matrix_is_a_distribution(channel, n, bins, most, seed):
    _, column = noisy(channel, n, bins, seed)
    coarse = cut(column, most)
    assert coarse.sizes == coarse.matrix.shape
    assert coarse.matrix.min() >= 0
    assert coarse.matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert len(coarse.edges) - 1 == coarse.attribute.n_values == min(most, column.attribute.n_values)
    assert (coarse.edges[[0, -1]] == column.edges[[0, -1]]).all()
    assert groups_seen(coarse, column)


@given(st.sampled_from(FOUR), st.integers(1, 70), st.integers(1, 40))
def test_the_codes_of_a_group_are_neighbours_and_lie_between_its_edges(channel, bins, most):
    _, column = noisy(channel, 50, bins)
    coarse = cut(column, most)
    group_of = parts(column, coarse)
    sizes = np.bincount(group_of)
    assert (np.diff(group_of) >= 0).all()
    assert sizes.max() - sizes.min() <= 1
    for group, (low, high) in enumerate(zip(coarse.edges, coarse.edges[1:], strict=False)):
        inside = np.flatnonzero(group_of == group)
        assert (column.edges[inside[0]], column.edges[inside[-1] + 1]) == (low, high)


@pytest.mark.parametrize("channel", [FOUR[0], FOUR[2]], ids=repr)
@pytest.mark.parametrize("most", [1, 4, 7, 12, 60, 100])
def test_its_matrix_is_that_of_the_channel_for_the_coarse_edges(channel, most):
    # Values are spread evenly over an interval; over several of equal density they are, too.
    _, column = noisy(channel)
    coarse, bins = cut(column, most), channel.seen_bins(column.edges)
    groups = np.unique(coarse.seen)
    ends = bins[[column.seen[coarse.seen == group].max() + 1 for group in groups]]
    expected = channel.matrix(coarse.edges, np.r_[bins[0], ends[:-1], bins[-1]])
    # What nobody is seen in may stand by itself, or with a neighbour that somebody is seen in.
    assert coarse.matrix[:, groups[:-1]] == pytest.approx(expected[:, :-1], abs=1e-12)
    assert coarse.matrix[:, groups[-1] :].sum(axis=1) == pytest.approx(expected[:, -1], abs=1e-12)


@pytest.mark.parametrize("channel", FOUR, ids=repr)
@pytest.mark.parametrize("most", [3, 8, 20])
def test_the_records_are_shared_out_to_the_seen_intervals(channel, most):
    _, column = noisy(channel, 20_000)
    coarse = cut(column, most)
    counts = np.bincount(coarse.seen)
    assert np.count_nonzero(counts) <= most
    # An interval is not cut, so that a group is larger or smaller than its part by one interval at each end.
    part, largest = 20_000 / most, np.bincount(column.seen).max()
    assert np.abs(counts[counts > 0] - part).max() <= max(largest, part - largest)


def test_what_is_seen_says_the_same_as_all_that_is_seen_where_there_are_enough_intervals():
    _, column = noisy(FOUR[1], 50)
    coarse = cut(column, 1000)
    assert coarse.sizes[0] == len(column.matrix)
    held = np.unique(column.seen)
    assert np.array_equal(np.unique(coarse.seen, return_inverse=True)[1], np.searchsorted(held, column.seen))


@pytest.mark.parametrize("start", [[0.4, 0.2, 0.1, 0.1, 0.1, 0.1], [0.5, 0, 0, 0, 0.25, 0.25]])
def test_the_codes_of_a_group_weigh_what_they_start_with_and_the_same_where_that_is_nothing(start):
    rng = np.random.default_rng(2)
    matrix, seen = rng.dirichlet(np.ones(8), 6), np.repeat(np.arange(8), rng.integers(1, 9, 8))
    attribute = Attribute.categorical("letter", LETTERS[:6], ordered=True)
    column = Column(attribute, np.arange(7) - 0.5, seen, matrix, Distribution(np.arange(7) - 0.5, start))
    coarse = cut(column, 3)
    group = [coarse.seen[seen == code][0] for code in range(8)]
    for row, (one, two) in enumerate([(0, 1), (2, 3), (4, 5)]):
        shares = np.array([start[one], start[two]]) if start[one] + start[two] else np.ones(2)
        expected = shares @ matrix[[one, two]] / shares.sum()
        assert coarse.matrix[row] == pytest.approx(np.bincount(group, expected), abs=1e-12)


def test_a_nominal_column_stays_as_it_is():
    column = letters()
    coarse = cut(column, 3)
    assert coarse.attribute == column.attribute
    assert coarse.sizes == (10, 10)
    for found, given_ in (
        (coarse.seen, column.seen),
        (coarse.matrix, column.matrix),
        (coarse.edges, column.edges),
    ):
        assert np.array_equal(found, given_)
    town = true_column(Attribute.categorical("town", LETTERS), np.arange(10))
    assert np.array_equal(cut(town, 3).seen, np.arange(10))


def test_ordered_categories_that_are_merged_are_named_by_the_first_and_the_last():
    coarse = cut(letters(order=LETTERS), 4)
    assert coarse.attribute == Attribute.categorical(
        "letter", ["a to b", "c to e", "f to h", "i to j"], ordered=True
    )
    assert coarse.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]
    single = cut(letters(order=LETTERS), 7).attribute.categories
    assert single == ("a", "b to c", "d", "e to f", "g", "h to i", "j")
    true = true_column(Attribute.categorical("letter", LETTERS, ordered=True), np.arange(10))
    assert cut(true, 4).attribute == coarse.attribute
    assert cut(true, 4).seen.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("most", [1, 2, 3, 10, 50])
def test_a_true_column_is_seen_as_it_is(most):
    attribute = Attribute.numeric("age", [30, 40, 60, 65])
    codes = attribute.encode(np.linspace(20, 80, 61))
    coarse = cut(true_column(attribute, codes), most)
    assert coarse.matrix is None
    assert coarse.sizes == (min(most, 5), min(most, 5))
    assert np.array_equal(coarse.seen, parts(true_column(attribute, codes), coarse)[codes])
    assert set(coarse.attribute.edges) <= set(attribute.edges)
    assert np.array_equal(coarse.attribute.encode(np.linspace(20, 80, 61)), coarse.seen)


@pytest.mark.parametrize(
    ("values", "cuts", "edges"),
    [
        ([20, 25, 80], [30, 40, 60], [10, 30, 40, 60, 100]),
        ([29.0, 31.0], [30], [28, 30, 32]),
        ([5, 6], [30], [-20, 30, 54]),
        ([7], [], [6.5, 7.5]),
        ([1e17], [], [1e17 - 16, 1e17 + 16]),
        ([1e17, 1e17 + 16], [1e17 + 16], [1e17 - 16, 1e17 + 16, 1e17 + 32]),
        ([-1.7e308, 1.7e308], [0], [-np.finfo(float).max, 0, np.finfo(float).max]),
    ],
)
def test_the_ends_of_a_true_number_lie_as_far_beyond_its_values_as_the_nearest_cut_inside(values, cuts, edges):
    column = Column.of("age", pd.Series(values, dtype=float), cuts=cuts)
    assert column.edges == pytest.approx(edges, rel=1e-15)
    shares = np.full(len(cuts) + 1, 1 / (len(cuts) + 1))
    assert Distribution({"age": column.edges}, shares, [column.attribute]).attributes


@pytest.mark.parametrize("value", [-4.0, 50.0, 104.0])
@pytest.mark.parametrize("most", [1, 3, 12])
def test_a_constant_seen_value_is_one_group(value, most):
    channel = FOUR[0]
    column = numbers(np.full(7, value), channel, 30, np.random.default_rng(0))
    coarse = cut(column, most)
    assert len(set(coarse.seen)) == 1
    assert coarse.matrix.sum(axis=1) == pytest.approx(1)
    # Its group takes in its seen interval at least.
    share = np.bincount(parts(column, coarse)) / 30
    assert share @ coarse.matrix[:, coarse.seen[0]] >= column.matrix[:, column.seen[0]].mean() - 1e-12


def test_a_column_of_one_interval():
    _, column = noisy(FOUR[0], 100, 1)
    coarse = cut(column, 12)
    assert coarse.sizes[0] == 1
    assert coarse.matrix.sum() == pytest.approx(1)


# Codes within the coarse intervals that were drawn


@given(st.sampled_from(FOUR), st.integers(1, 400), st.integers(1, 15), st.integers(1, 4), st.integers(0, 999))
def test_codes_are_spread_by_rank_within_what_was_drawn(channel, n, most, groups, seed):
    seen, column = noisy(channel, n, 40, seed)
    coarse, rng = cut(column, most), np.random.default_rng(seed)
    group, drawn = rng.integers(0, groups, n), rng.integers(0, coarse.sizes[0], n)
    shares = rng.dirichlet(np.ones(len(column.matrix)), size=groups)
    codes = column.within(group, shares, coarse.sizes[0], drawn)
    part_of = parts(column, coarse)
    assert np.array_equal(part_of[codes], drawn)
    for one in range(groups):
        for part in range(coarse.sizes[0]):
            here = np.flatnonzero((group == one) & (drawn == part))
            inside = np.where(part_of == part, shares[one], 0)
            counts = np.bincount(codes[here], minlength=len(column.matrix))
            expected = len(here) * np.cumsum(inside) / inside.sum()
            assert np.abs(np.cumsum(counts) - expected).max(initial=0) <= 0.5 + 1e-9
            assert (np.diff(seen[here[np.lexsort((seen[here], codes[here]))]]) >= 0).all()


def test_within_a_single_interval_codes_are_those_by_class():
    _, column = noisy(FOUR[2], 3000, 30)
    group = np.arange(3000) % 3
    codes, found = assigned(column, group, 3)
    shares = np.array([one.probabilities for one in found])
    assert np.array_equal(column.within(group, shares, 1, np.zeros(3000, dtype=int)), codes)


def test_within_intervals_of_one_code_codes_are_what_was_drawn():
    column, rng = letters(), np.random.default_rng(3)
    drawn = rng.integers(0, 10, 4000)
    assert np.array_equal(column.within(drawn % 2, rng.dirichlet(np.ones(10), 2), 10, drawn), drawn)


def test_records_drawn_for_an_interval_where_their_group_has_no_share_are_spread_evenly():
    _, column = noisy(FOUR[0], 600, 6)
    shares = np.array([[0.5, 0.5, 0, 0, 0, 0]])
    codes = column.within(np.zeros(600, dtype=int), shares, 2, np.arange(600) % 2)
    assert np.bincount(codes, minlength=6).tolist() == [150, 150, 0, 100, 100, 100]
