"""Many values at once: placed as a search places each, ranked as a sort ranks them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.disguise import UniformNoise
from ppdm.reconstruct import Column, ranks


@given(st.integers(1, 300), st.integers(0, 1000), st.sampled_from([0.0, 1e-12, 1e250]))
def test_many_values_are_placed_as_a_search_for_each_places_them(number, seed, scale):
    rng = np.random.default_rng(seed)
    cuts = np.unique(rng.normal(size=number)) * (scale or 1)
    values = np.concatenate([rng.normal(size=ranks.BLOCK) * 2 * (scale or 1), cuts, np.nextafter(cuts, -np.inf)])
    assert np.array_equal(ranks.interval_of(values, cuts), np.searchsorted(cuts, values, side="right"))


@pytest.mark.parametrize("values", ["spread", "few", "one"])
@pytest.mark.parametrize(("codes", "cells"), [(2, 2), (60, 2), (700, 3), (5, 40)])
def test_counted_ranks_are_those_of_a_sort(values, codes, cells, monkeypatch):
    rng = np.random.default_rng(codes)
    ranked = {
        "spread": rng.normal(size=30_000),
        "few": rng.integers(0, 6, 30_000) + 0.9 * rng.random(30_000),
        "one": 5 + 1e-6 * rng.random(30_000),
    }[values]
    cell = rng.integers(0, cells + 1, 30_000)  # those of the last one are left out
    shares, found = rng.dirichlet(np.full(codes, 0.3), cells), []
    for many in (0, 10**9):
        monkeypatch.setattr(ranks, "MANY", many)
        found.append(np.full(30_000, -1))
        ranks.Ranks(ranked).spread(found[-1], cell, shares)
    assert np.array_equal(*found)
    assert np.array_equal(found[0] < 0, cell == cells)


def test_the_ties_of_many_records_are_broken_by_one_stream():
    values = np.random.default_rng(1).integers(0, 9, ranks.BLOCK + 1000)
    channel = UniformNoise(half_width=0, low=0, high=8, step=1)
    column = Column.over("x", values, channel, channel.true_bins(9), rng=np.random.default_rng(2))
    moves = 0.99 * (np.random.default_rng(2).random(len(values)) - 0.5)
    assert np.array_equal(column.ranks.numbers, values + moves)
    assert np.array_equal(column.seen, channel.seen_bins(channel.true_bins(9))[1:-1].searchsorted(values, "right"))
    groups = np.arange(len(values)) % 3
    assert np.array_equal(column.counts(groups, 2)[1], np.bincount(column.seen[groups == 1], minlength=9))
