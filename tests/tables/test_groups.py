"""Tables from grouped answers: all cells by the enumerated inverse, three kinds that agree, and what chance gains."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import joint_matrix
from scipy.stats import chi2

from ppdm.disguise import GroupedResponse
from ppdm.information import entropy
from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable, Splits
from ppdm.tables import groups as module
from ppdm.tables.groups import PathTable, grouped_table


@dataclass
class SeenRecords:
    """Disguised records: a row of codes an attribute, a last one for the class; groups: theta and places."""

    attributes: tuple
    classes: np.ndarray
    codes: np.ndarray
    groups: list

    @property
    def sizes(self):
        return [*(attribute.n_values for attribute in self.attributes), len(self.classes)]

    @property
    def disguised(self):
        return sorted(place for _, places in self.groups for place in places)

    def table(self, by_path=False):
        names = [*(attribute.name for attribute in self.attributes), "class"]
        thetas, groups = (
            [theta for theta, _ in self.groups],
            [[names[i] for i in group] for _, group in self.groups],
        )
        values = {names[place]: range(self.sizes[place]) for place in self.disguised}
        parts = GroupedResponse(thetas, groups, values).parts if groups else []
        return grouped_table(self.attributes, self.classes, self.codes, parts, by_path)


# Sizes, the class last, and groups of places.
SCHEMES = {
    "one group": ([2, 2, 2, 2], [(0.8, (0, 1, 2))]),
    "one group with the class": ([2, 2, 2, 2], [(0.85, (0, 1, 2, 3))]),
    "two groups": ([2, 2, 2, 2, 2], [(0.8, (3, 0)), (0.3, (1, 2))]),
    "a group each": ([2, 2, 2, 2], [(0.9, (0,)), (0.2, (1,)), (0.8, (2,)), (0.9, (3,))]),
    "in part": ([2, 5, 2, 3, 3], [(0.8, (0, 2))]),
    "more values": ([3, 2, 4, 2, 3], [(0.8, (2, 4)), (0.7, (0, 1))]),
    "more values, in part": ([3, 4, 2, 6, 2], [(0.6, (0, 2)), (0.9, (1,))]),
    "told in part": ([2, 3, 2], [(1.0, (0, 1))]),
    "nothing": ([2, 3, 4, 2], []),
}
by_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=list(SCHEMES))


def replaced(codes, sizes, groups, rng):
    """The codes after the disguise, by its definition."""
    seen = codes.copy()
    for theta, places in groups:
        kept = rng.random(codes.shape[1]) < theta
        for place in places:
            other = rng.integers(0, sizes[place] - 1, codes.shape[1])
            seen[place] = np.where(kept, codes[place], other + (other >= codes[place]))
    return seen


def seen_records(scheme, n=200, seed=0, truth=None):
    sizes, groups = SCHEMES[scheme]
    rng = np.random.default_rng(seed)
    if truth is None:
        truth = np.array([rng.choice(k, n, p=rng.dirichlet(np.ones(k))) for k in sizes])
        truth[-1] = np.where(rng.random(n) < 0.7, truth[0] % sizes[-1], truth[-1])
    attributes = tuple(Attribute.categorical(f"a{place}", range(k)) for place, k in enumerate(sizes[:-1]))
    return SeenRecords(attributes, np.arange(sizes[-1]), replaced(truth, sizes, groups, rng), groups)


def tables(records):
    """The table of each kind that there can be."""
    found = {"paths": records.table(by_path=True), "rows": records.table()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_CELLS", np.prod(records.sizes) - 1)
        found["patterns"] = records.table()
    return found


def cells(table, records):
    """The estimated count of every cell, the class last."""
    counts = np.zeros(records.sizes)
    np.add.at(counts, (*table.codes.astype(int), table.class_codes), table.weights)
    return counts


def enumerated(records):
    """That count by the inverse of the matrix of all combinations."""
    sizes = records.sizes
    seen = np.zeros(sizes)
    np.add.at(seen, tuple(records.codes), 1)
    if not records.groups:
        return seen
    values = {place: range(sizes[place]) for place in records.disguised}
    thetas, groups = zip(*records.groups, strict=True)
    matrix = joint_matrix(GroupedResponse(thetas, groups, values), records.disguised)
    inside = np.moveaxis(seen, records.disguised, range(len(records.disguised)))
    found = np.linalg.solve(matrix.T, inside.reshape(len(matrix), -1)).reshape(inside.shape)
    return np.moveaxis(found, range(len(records.disguised)), records.disguised)


@by_scheme
def test_all_cells_are_those_of_the_enumerated_inverse(scheme):
    records = seen_records(scheme)
    expected = enumerated(records)
    kinds = tables(records)
    for kind in kinds.keys() - {"paths"}:
        if isinstance(kinds[kind], EstimatedTable):
            np.testing.assert_allclose(cells(kinds[kind], records), expected, atol=1e-9)
            assert kinds[kind].has_negative == (expected < -1e-9).any()
            assert kinds[kind].attributes == records.attributes


def random_split(tested, records, rng):
    """An attribute that a node's way has not tested, and the child of each value; outside groups it is cut in two."""
    place = rng.choice([place for place in range(len(records.attributes)) if place not in tested])
    k = records.sizes[place]
    children = k if place in records.disguised else 2
    return place, rng.permutation(np.arange(k) % children), children


def divided(counts, place, route, children):
    """The cells that go to each child; the others are 0."""
    shape = np.where(np.arange(counts.ndim) == place, -1, 1)
    return [counts * (route == child).reshape(shape) for child in range(children)]


def by_class(nodes):
    """The weight of each class (rows) in each node (columns)."""
    return np.transpose([counts.reshape(-1, counts.shape[-1]).sum(axis=0) for counts, _ in nodes])


def check_answers(kind, table, level, nodes):
    """All sums of a level are those of the nodes' cells."""
    attributes = range(len(table.attributes))
    np.testing.assert_allclose(level.class_weights, by_class(nodes), atol=1e-8, err_msg=kind)
    ends = np.cumsum([attribute.n_values for attribute in table.attributes])[:-1]
    for place, found in enumerate(np.split(table.histograms(level), ends, axis=2)):
        for node, (counts, _) in enumerate(nodes):
            expected = counts.sum(axis=tuple(axis for axis in attributes if axis != place)).T
            np.testing.assert_allclose(found[:, node], expected, atol=1e-8, err_msg=kind)


@by_scheme
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_kind_of_table_answers_alike_at_every_node(scheme, seed):
    records, rng = seen_records(scheme, seed=seed), np.random.default_rng(seed)
    kinds = tables(records)
    levels = {kind: table.root() for kind, table in kinds.items()}
    nodes = [(enumerated(records), set())]
    for _ in range(len(records.attributes)):
        for kind, table in kinds.items():
            check_answers(kind, table, levels[kind], nodes)
        kept = np.append(True, rng.random(len(nodes) - 1) < 0.7)
        nodes = [node for node, keep in zip(nodes, kept, strict=True) if keep]
        chosen = [random_split(tested, records, rng) for _, tested in nodes]
        places, routes, children = zip(*chosen, strict=True)
        padded = np.array([np.pad(route, (0, max(records.sizes) - len(route))) for route in routes])
        nodes = [
            (c, {*tested, split[0]})
            for (counts, tested), split in zip(nodes, chosen, strict=True)
            for c in divided(counts, *split)
        ]
        splits = Splits(np.array(places), padded, np.array(children), by_class(nodes), np.ones(len(nodes)))
        levels = {kind: table.descend(levels[kind].keep(kept), splits) for kind, table in kinds.items()}
    for kind, table in kinds.items():
        check_answers(kind, table, levels[kind], nodes)


def histogram_of(table, level, place):
    """The part of the histogram that one attribute has."""
    ends = np.cumsum([attribute.n_values for attribute in table.attributes])[:-1]
    return np.split(table.histograms(level), ends, axis=2)[place]


def below_root(table, place, route):
    """The level below the root, whose values of an attribute go to the children of a route."""
    root, children = table.root(), route.max() + 1
    values = histogram_of(table, root, place)[:, 0]
    weights = np.transpose([values[:, route == child].sum(axis=1) for child in range(children)])
    padded = np.pad(route, (0, max(attribute.n_values for attribute in table.attributes) - len(route)))
    return table.descend(
        root, Splits(np.array([place]), padded[None], np.array([children]), weights, np.ones(children))
    )


def gain_of_all_values(counts):
    """The gain of a child for each value, from the counts of classes (rows) and values (columns)."""
    after = entropy(counts, axis=0) @ counts.sum(axis=0)
    return entropy(counts.sum(axis=1)) - after / counts.sum()


@by_scheme
def test_blocks_are_the_level_in_pieces(scheme):
    records = seen_records(scheme)
    for kind, table in tables(records).items():
        k = records.sizes[0]
        level = below_root(table, 0, np.arange(k))
        parts = list(level.blocks(2))
        assert len(parts) == -(-k // 2), kind
        assert (
            np.concatenate([part.class_weights for part in parts], axis=1).tolist()
            == level.class_weights.tolist()
        )
        whole = table.histograms(level)
        np.testing.assert_allclose(np.concatenate([table.histograms(part) for part in parts], axis=1), whole)
        assert level.keep(np.zeros(k, dtype=bool)).n_nodes == 0


def test_the_kind_of_table_follows_from_the_number_of_cells(monkeypatch):
    part = seen_records("in part")
    assert isinstance(part.table(), EstimatedTable)
    patterns = len(np.unique(part.codes[[1, 3, 4]], axis=1).T)
    monkeypatch.setattr(module, "MAX_CELLS", 4 * patterns)
    assert isinstance(part.table(), EstimatedTable)
    monkeypatch.setattr(module, "MAX_CELLS", 4 * patterns - 1)
    assert isinstance(part.table(), PathTable)


@pytest.mark.parametrize("single", [0, 1, 2])
def test_an_attribute_of_one_value_changes_nothing(single):
    base = seen_records("a group each", n=400)
    codes = np.insert(base.codes, single, 0, axis=0)
    attributes = list(base.attributes)
    attributes.insert(single, Attribute.categorical("same", ["x"]))
    groups = [(theta, tuple(place + (place >= single) for place in places)) for theta, places in base.groups]
    records = SeenRecords(tuple(attributes), base.classes, codes, groups)
    table = records.table()
    assert isinstance(table, EstimatedTable)
    np.testing.assert_allclose(cells(table, records).squeeze(), enumerated(base), atol=1e-9)


@pytest.mark.parametrize("theta", [0, 1])
def test_told_truly_or_reversed_every_count_is_exact(theta):
    truth = np.random.default_rng(1).integers(0, 2, (5, 300))
    records = seen_records("a group each", truth=truth[:4])
    for groups in ([(theta, (0, 1, 2, 3))], [(theta, (0, 1)), (theta, (2,))], [(theta, (i,)) for i in range(4)]):
        codes = replaced(truth[:4], [2] * 4, groups, np.random.default_rng(2))
        table = SeenRecords(records.attributes, records.classes, codes, groups).table()
        counts = np.zeros([2] * 4)
        np.add.at(counts, tuple(truth[:4]), 1)
        assert (cells(table, records) == counts).all()
        assert not table.has_negative


# What chance gains.


def independent(marginals, seen_share):
    """Codes whose counts are exactly those of independent attributes with these numerators of shares seen."""
    grids = [np.repeat(np.arange(len(one)), one) for one in marginals]
    assert all(sum(one) == seen_share for one in marginals)
    return np.array([grid.ravel() for grid in np.meshgrid(*grids, indexing="ij")])


@pytest.mark.parametrize("theta", [None, 0.75])
@pytest.mark.parametrize(("value", "class_"), [([1, 3], [2, 2]), ([2, 1, 1], [3, 1]), ([1, 1, 2], [1, 2, 1])])
def test_chance_in_closed_form(value, class_, theta):
    # Where a value has the share p, its weight has the variance p(1 − p) + the disguise's; for independent groups the
    # mean of χ² is the product of Σ variance / p over the values and over the classes.
    seen, expected = [], 1.0
    for shares in (np.array(value) / 4, np.array(class_) / 4):
        k = len(shares)
        p, q = (1, 0) if theta is None else (theta, (1 - theta) / (k - 1))
        rate = shares * (p - q) + q
        seen.append(np.round(rate * 32).astype(int).tolist())
        variance = rate * (1 - rate) / (p - q) ** 2
        expected *= (variance / shares).sum() / (k - 1)
    attributes = (Attribute.categorical("a", range(len(value))),)
    groups = [] if theta is None else [(theta, (0,)), (theta, (1,))]
    codes = independent(seen, 32)
    table = SeenRecords(attributes, np.arange(len(class_)), codes, groups).table(by_path=True)
    n = codes.shape[1]
    assert table.chance(table.root(), 0) == pytest.approx(expected / (2 * n * np.log(2)))
    if theta is None:
        assert expected == pytest.approx(1)
        counted = EstimatedTable(attributes, np.arange(len(class_)), codes[:1], codes[1])
        assert counted.chance(counted.root(), 0) == pytest.approx(1 / (2 * n * np.log(2)))


CHANCES = {
    "nothing": ([2, 2, 2], []),
    "a group each": ([2, 2, 2], [(0.8, (0,)), (0.8, (1,)), (0.8, (2,))]),
    "one group with the class": ([2, 2, 2], [(0.8, (0, 1, 2))]),
    "two groups": ([2, 3, 2], [(0.8, (0, 1)), (0.9, (2,))]),
    "more values": ([2, 3, 3], [(0.85, (0,)), (0.8, (1,))]),
}


@pytest.mark.parametrize("scheme", CHANCES, ids=list(CHANCES))
def test_chance_is_what_independent_attributes_gain(scheme):
    # 500 tables of 2,000 independent records, at the root and at its first child. The mean of the gains lies within
    # 28 % (4.5 of its errors), and 5 % of them beyond the limit of 95 %, within 4.5 of its errors.
    sizes, groups = CHANCES[scheme]
    free, rng = (sizes[1] - 1) * (sizes[2] - 1), np.random.default_rng(5)
    attributes = tuple(Attribute.categorical(name, range(k)) for name, k in zip("ab", sizes, strict=False))
    gains, chances = np.empty((500, 2)), np.empty((500, 2))
    for row in range(500):
        truth = np.array([rng.choice(k, 2000, p=np.arange(k, 0, -1) / (k * (k + 1) / 2)) for k in sizes])
        table = SeenRecords(attributes, np.arange(sizes[2]), replaced(truth, sizes, groups, rng), groups).table(
            by_path=True
        )
        below = below_root(table, 0, np.arange(2))
        for column, level in enumerate((table.root(), below.keep(np.array([True, False])))):
            gains[row, column] = gain_of_all_values(np.maximum(histogram_of(table, level, 1)[:, 0], 0))
            chances[row, column] = table.chance(level, 1)[0]
    assert gains.mean(axis=0) == pytest.approx(free * chances.mean(axis=0), rel=0.28)
    beyond = (gains > chances * chi2.isf(0.05, free)).mean(axis=0)
    assert np.abs(beyond - 0.05).max() < 4.5 * (0.05 * 0.95 / 500) ** 0.5


def test_what_was_tested_or_is_empty_cannot_beat_chance():
    table = seen_records("a group each").table(by_path=True)
    below = below_root(table, 1, np.arange(2))
    assert np.isinf(table.chance(below, 1)).all()
    assert np.isfinite(table.chance(below, 0)).all()
    truth = np.zeros((5, 50), dtype=int)
    table = seen_records("in part", truth=truth).table(
        by_path=True
    )  # nobody has the last of its second attribute's values
    below = below_root(table, 1, np.array([0, 0, 0, 0, 1]))
    assert np.isfinite(table.chance(below, 0)).tolist() == [True, False]


def test_weights_that_do_not_tell_how_uncertain_they_are_are_refused():
    table = EstimatedTable.from_counts([Attribute.categorical("a", [0, 1])], [0, 1], [[1.5, 2], [3, 1]])
    with pytest.raises(ValueError, match="the table has weights, which do not tell how uncertain they are"):
        table.chance(table.root(), 0)
