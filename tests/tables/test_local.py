"""Local: each node's records are reconstructed anew, but for small classes and for what was tested on the way."""

from dataclasses import fields, replace

import numpy as np
import pytest

from ppdm.disguise import GaussianNoise, UniformNoise
from ppdm.reconstruct import Column, FixedStop
from ppdm.tables.local import LocalTable
from ppdm.tables.table import EstimatedTable, Splits
from ppdm.trees import Stop, grow

N, BINS, LEAST = 4000, 8, 150
CHANNELS = {"age": UniformNoise(half_width=25, low=20, high=80), "pay": GaussianNoise(sd=20, low=0, high=90)}


def estimate(column, counts):
    return column.estimate(counts, FixedStop(15))


@pytest.fixture
def grown():
    """A table, the level below its root (cut at the middle of age), and the table as it began."""

    def make(retain=True, least=LEAST):
        rng = np.random.default_rng(1)
        classes = (rng.random(N) < 0.04 + 0.4 * (np.arange(N) % 3 > 0)).astype(int)
        columns = []
        for name, channel in CHANNELS.items():
            true = rng.uniform(channel.low, channel.high, N) * np.where((name == "pay") & (classes == 0), 0.9, 1)
            seen = channel.disguise(np.maximum(true, channel.low), rng)
            columns.append(Column.over(name, seen, channel, channel.true_bins(BINS), rng=rng))
        codes = np.zeros((2, N), dtype=int)
        for column, own in zip(columns, codes, strict=True):
            shares = [estimate(column, counts).probabilities for counts in column.counts(classes, 2)]
            column.assign(own, classes, np.array(shares))
        attributes = [column.attribute for column in columns]
        given = EstimatedTable(attributes, ["A", "B"], codes, classes)
        table = LocalTable(
            attributes, ["A", "B"], codes, classes, columns=columns, estimate=estimate, least=least, retain=retain
        )
        root = table.root()
        age = table.histograms(root)[:, 0, :BINS].reshape(2, 2, -1).sum(axis=2)
        routes = (np.arange(BINS) >= BINS // 2).astype(int)[None]
        below = table.descend(root, Splits(np.array([0]), routes, np.array([2]), age, np.ones(2) / 2))
        return table, below, given, columns

    return make


def cells(level, given):
    """The records of each (node, class)."""
    node = level.node
    for number in range(level.n_nodes):
        for label in (0, 1):
            yield number, label, level.rows[(node == number) & (given.class_codes[level.rows] == label)]


def halves(histogram):
    """Its parts for age and pay."""
    return np.split(histogram, 2, axis=2)


def first_codes(given, level):
    """The histogram of a level by the codes of the beginning."""
    return given.histograms(replace(level, codes=given.codes))


def test_the_root_is_the_table_as_given(grown):
    table, _, given, _ = grown()
    assert np.array_equal(table.histograms(table.root()), given.histograms(given.root()))


def test_a_node_is_reconstructed_from_its_own_records(grown):
    table, below, given, columns = grown()
    _, pay = halves(table.histograms(below))
    sizes = []
    for node, label, rows in cells(below, given):
        seen = np.bincount(columns[1].seen[rows], minlength=columns[1].matrix.shape[1])
        expected = np.cumsum(len(rows) * estimate(columns[1], seen).distribution.probabilities)
        assert np.abs(np.cumsum(pay[label, node]) - expected).max() <= 0.5 + 1e-9
        sizes.append(len(rows))
    assert min(sizes) >= LEAST


def test_what_was_tested_keeps_its_codes(grown):
    table, below, given, _ = grown()
    age, _ = halves(table.histograms(below))
    before, _ = halves(first_codes(given, below))
    assert np.array_equal(age, before)
    assert age[:, 0, BINS // 2 :].sum() == 0  # whoever was sent to the left is still there


def test_built_the_other_way_it_does_not(grown):
    table, below, given, _ = grown(retain=False)
    age, _ = halves(table.histograms(below))
    before, _ = halves(first_codes(given, below))
    assert not np.array_equal(age, before)


def test_small_classes_keep_their_codes(grown):
    table, below, given, _ = grown()
    most = max(len(rows) for *_, rows in cells(below, given))
    table, below, given, _ = grown(least=most)
    _, pay = halves(table.histograms(below))
    _, before = halves(first_codes(given, below))
    changed = [
        not np.array_equal(pay[label, node], before[label, node]) for node, label, _ in cells(below, given)
    ]
    assert changed == [len(rows) >= most for *_, rows in cells(below, given)]


def test_it_begins_again_at_the_root(grown):
    table, below, given, _ = grown()
    table.histograms(below)
    assert np.array_equal(table.root().class_weights, given.root().class_weights)
    assert np.array_equal(table.histograms(table.root()), given.histograms(given.root()))


def test_one_table_serves_two_trees_at_once(grown):
    """A second tree grows in the middle of every answer to the first."""
    table, *_ = grown()
    alone, other = grow(table).to_json(), grow(table, "gain", Stop(max_depth=2)).to_json()
    inside = []

    class Recorder(LocalTable):
        def histograms(self, level):
            inside.append(grow(table, "gain", Stop(max_depth=2)).to_json())
            return super().histograms(level)

    own = {field.name: getattr(table, field.name) for field in fields(LocalTable) if field.init}
    assert grow(Recorder(**own)).to_json() == alone
    assert len(inside) > 2
    assert set(inside) == {other}
