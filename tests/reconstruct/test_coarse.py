"""Coarse columns: the matrix of the channel for the coarse edges, what is seen of them, and codes within them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.disguise import GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.reconstruct import Attribute, FixedStop, JointDistribution
from ppdm.reconstruct.bayes import solve
from ppdm.reconstruct.coarse import CoarseColumn, TrueColumn
from ppdm.reconstruct.column import DisguisedColumn

LETTERS = list("abcdefghij")
CHANNELS = [
    UniformNoise(half_width=25, low=20, high=80),
    UniformNoise(half_width=7, low=20, high=80, step=1),
    GaussianNoise(sd=15, low=20, high=80),
    GaussianNoise(sd=0.3, low=20, high=80),
]


def ages(channel, n=4000, bins=60, seed=1):
    rng = np.random.default_rng(seed)
    seen = channel.disguise(rng.integers(20, 81, n), rng)
    return seen, DisguisedColumn.numeric("age", seen, channel, min(bins, channel.most_bins), True, rng)


def letters(keep=0.5, order=None, n=4000, seed=1, shares=None):
    rng = np.random.default_rng(seed)
    channel = KeepOrReplace(keep=keep, categories=LETTERS)
    seen = channel.disguise(rng.choice(LETTERS, n, p=shares), rng)
    return DisguisedColumn.categorical("letter", seen, channel, order, rng)


def cut(column, most):
    """At most so many true intervals, and as many seen ones."""
    return CoarseColumn.of(column, most, most)


def groups_seen(coarse, column):
    """Whether the coarse seen interval of a record is a matter of its seen interval alone, and never falls."""
    order = np.argsort(column.seen, kind="stable")
    fine, found = column.seen[order], coarse.seen[order]
    return (np.diff(found) >= 0).all() and (found[1:] == found[:-1])[fine[1:] == fine[:-1]].all()


@given(st.sampled_from(CHANNELS), st.integers(1, 500), st.integers(1, 70), st.integers(1, 40), st.integers(0, 99))
def test_a_row_of_the_matrix_is_a_distribution(channel, n, bins, most, seed):
    _, column = ages(channel, n, bins, seed)
    coarse = cut(column, most)
    assert coarse.sizes == coarse.matrix.shape
    assert coarse.matrix.min() >= 0
    assert coarse.matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert len(coarse.edges) - 1 == coarse.attribute.n_values == min(most, column.attribute.n_values)
    assert (coarse.edges[[0, -1]] == column.edges[[0, -1]]).all()
    assert groups_seen(coarse, column)


@given(st.sampled_from(CHANNELS), st.integers(1, 70), st.integers(1, 40))
def test_the_codes_of_a_group_are_neighbours_and_lie_between_its_edges(channel, bins, most):
    _, column = ages(channel, 50, bins)
    coarse = cut(column, most)
    sizes = np.bincount(coarse.group)
    assert (np.diff(coarse.group) >= 0).all()
    assert sizes.max() - sizes.min() <= 1
    for group, (low, high) in enumerate(zip(coarse.edges, coarse.edges[1:], strict=False)):
        inside = np.flatnonzero(coarse.group == group)
        assert (column.edges[inside[0]], column.edges[inside[-1] + 1]) == (low, high)


@pytest.mark.parametrize("channel", [CHANNELS[0], CHANNELS[2]], ids=repr)
@pytest.mark.parametrize("most", [1, 4, 7, 12, 60, 100])
def test_its_matrix_is_that_of_the_channel_for_the_coarse_edges(channel, most):
    # Values are spread evenly over an interval; over several of equal density they are, too.
    _, column = ages(channel)
    coarse, bins = cut(column, most), channel.seen_bins(column.edges)
    groups = np.unique(coarse.seen)
    ends = bins[[column.seen[coarse.seen == group].max() + 1 for group in groups]]
    expected = channel.matrix(coarse.edges, np.r_[bins[0], ends[:-1], bins[-1]])
    # What nobody is seen in may stand by itself, or with a neighbour that somebody is seen in.
    assert coarse.matrix[:, groups[:-1]] == pytest.approx(expected[:, :-1], abs=1e-12)
    assert coarse.matrix[:, groups[-1] :].sum(axis=1) == pytest.approx(expected[:, -1], abs=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize("most", [3, 8, 20])
def test_the_records_are_shared_out_to_the_seen_intervals(channel, most):
    _, column = ages(channel, 20_000)
    coarse = cut(column, most)
    counts = np.bincount(coarse.seen)
    assert np.count_nonzero(counts) <= most
    # An interval is not cut, so that a group is larger or smaller than its part by one interval at each end.
    part, largest = 20_000 / most, np.bincount(column.seen).max()
    assert np.abs(counts[counts > 0] - part).max() <= max(largest, part - largest)


def test_what_is_seen_says_the_same_as_all_that_is_seen_where_there_are_enough_intervals():
    _, column = ages(CHANNELS[1], 50)
    coarse = cut(column, 1000)
    assert coarse.sizes[0] == len(column.matrix)
    held = np.unique(column.seen)
    assert np.array_equal(np.unique(coarse.seen, return_inverse=True)[1], np.searchsorted(held, column.seen))


@pytest.mark.parametrize("start", [[0.4, 0.2, 0.1, 0.1, 0.1, 0.1], [0.5, 0, 0, 0, 0.25, 0.25]])
def test_the_codes_of_a_group_weigh_what_they_start_with_and_the_same_where_that_is_nothing(start):
    rng = np.random.default_rng(2)
    matrix, seen = rng.dirichlet(np.ones(8), 6), np.repeat(np.arange(8), rng.integers(1, 9, 8))
    attribute = Attribute.categorical("letter", LETTERS[:6], ordered=True)
    column = DisguisedColumn(attribute, np.arange(7) - 0.5, seen, np.arange(len(seen)), matrix, np.array(start))
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
    for found, given_ in ((coarse.seen, column.seen), (coarse.matrix, column.matrix), (coarse.edges, column.edges)):
        assert np.array_equal(found, given_)
    assert np.array_equal(coarse.group, np.arange(10))
    town = TrueColumn(Attribute.categorical("town", LETTERS), np.arange(10))
    assert np.array_equal(cut(town, 3).seen, np.arange(10))


def test_ordered_categories_that_are_merged_are_named_by_the_first_and_the_last():
    coarse = cut(letters(order=LETTERS), 4)
    assert coarse.attribute == Attribute.categorical("letter", ["a to b", "c to e", "f to h", "i to j"], ordered=True)
    assert coarse.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]
    single = cut(letters(order=LETTERS), 7).attribute.categories
    assert single == ("a", "b to c", "d", "e to f", "g", "h to i", "j")
    true = TrueColumn(Attribute.categorical("letter", LETTERS, ordered=True), np.arange(10))
    assert cut(true, 4).attribute == coarse.attribute
    assert cut(true, 4).seen.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("most", [1, 2, 3, 10, 50])
def test_a_true_column_is_seen_as_it_is(most):
    attribute = Attribute.numeric("age", [30, 40, 60, 65])
    codes = attribute.encode(np.linspace(20, 80, 61))
    coarse = cut(TrueColumn(attribute, codes), most)
    assert coarse.matrix is None
    assert coarse.sizes == (min(most, 5), min(most, 5))
    assert np.array_equal(coarse.seen, coarse.group[codes])
    assert set(coarse.attribute.edges) <= set(attribute.edges)
    assert np.array_equal(coarse.attribute.encode(np.linspace(20, 80, 61)), coarse.seen)


@pytest.mark.parametrize(
    ("cuts", "edges"),
    [
        ([30, 40, 60], [20, 30, 40, 60, 80]),
        ([30], [29, 30, 31]),
        ([], [-0.5, 0.5]),
        ([1e17], [1e17 - 16, 1e17, 1e17 + 16]),
        ([-1.5e308, 0, 1.5e308], [-np.finfo(float).max, -1.5e308, 0, 1.5e308, np.finfo(float).max]),
    ],
)
def test_the_ends_of_a_true_number_are_as_wide_as_their_neighbours_if_there_are_such_numbers(cuts, edges):
    column = TrueColumn(Attribute.numeric("age", cuts), np.array([0]))
    assert column.edges.tolist() == edges
    attribute = column.attribute
    assert JointDistribution([attribute], {"age": column.edges}, np.full(len(cuts) + 1, 1 / (len(cuts) + 1)))


@pytest.mark.parametrize("value", [-4.0, 50.0, 104.0])
@pytest.mark.parametrize("most", [1, 3, 12])
def test_a_constant_seen_value_is_one_group(value, most):
    channel = CHANNELS[0]
    column = DisguisedColumn.numeric("age", np.full(7, value), channel, 30, True, np.random.default_rng(0))
    coarse = cut(column, most)
    assert len(set(coarse.seen)) == 1
    assert coarse.matrix.sum(axis=1) == pytest.approx(1)
    # Its group takes in its seen interval at least.
    share = np.bincount(coarse.group) / 30
    assert share @ coarse.matrix[:, coarse.seen[0]] >= column.matrix[:, column.seen[0]].mean() - 1e-12


def test_a_column_of_one_interval():
    _, column = ages(CHANNELS[0], 100, 1)
    coarse = cut(column, 12)
    assert coarse.sizes[0] == 1
    assert coarse.matrix.sum() == pytest.approx(1)
    assert np.array_equal(coarse.group, [0])


# Codes within the coarse intervals that were drawn


@given(st.sampled_from(CHANNELS), st.integers(1, 400), st.integers(1, 15), st.integers(1, 4), st.integers(0, 999))
def test_codes_are_spread_by_rank_within_what_was_drawn(channel, n, most, groups, seed):
    seen, column = ages(channel, n, 40, seed)
    coarse, rng = cut(column, most), np.random.default_rng(seed)
    group, drawn = rng.integers(0, groups, n), rng.integers(0, coarse.sizes[0], n)
    shares = rng.dirichlet(np.ones(len(column.matrix)), size=groups)
    codes = column.within(group, shares, coarse.group, drawn)
    assert np.array_equal(coarse.group[codes], drawn)
    for one in range(groups):
        for part in range(coarse.sizes[0]):
            here = np.flatnonzero((group == one) & (drawn == part))
            inside = np.where(coarse.group == part, shares[one], 0)
            counts = np.bincount(codes[here], minlength=len(column.matrix))
            expected = len(here) * np.cumsum(inside) / inside.sum()
            assert np.abs(np.cumsum(counts) - expected).max(initial=0) <= 0.5 + 1e-9
            assert (np.diff(seen[here[np.lexsort((seen[here], codes[here]))]]) >= 0).all()


def test_within_a_single_interval_codes_are_those_by_class():
    _, column = ages(CHANNELS[2], 3000, 30)
    group = np.arange(3000) % 3
    codes, found = column.all_codes(
        group, lambda column, counts: solve(counts, column.matrix, column.start, FixedStop(30), 0.0, column.edges)
    )
    shares = np.array([one.distribution.probabilities for one in found])
    nowhere = np.zeros(3000, dtype=int)
    assert np.array_equal(column.within(group, shares, np.zeros(30, dtype=int), nowhere), codes)


def test_within_intervals_of_one_code_codes_are_what_was_drawn():
    column, rng = letters(), np.random.default_rng(3)
    drawn = rng.integers(0, 10, 4000)
    assert np.array_equal(column.within(drawn % 2, rng.dirichlet(np.ones(10), 2), np.arange(10), drawn), drawn)


def test_records_drawn_for_an_interval_where_their_group_has_no_share_are_spread_evenly():
    _, column = ages(CHANNELS[0], 600, 6)
    shares = np.array([[0.5, 0.5, 0, 0, 0, 0]])
    codes = column.within(np.zeros(600, dtype=int), shares, np.array([0, 0, 0, 1, 1, 1]), np.arange(600) % 2)
    assert np.bincount(codes, minlength=6).tolist() == [150, 150, 0, 100, 100, 100]
