"""Columns of the same people that are held apart: products, who is common, trees, and rules."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from memory import Memory
from pandas.testing import assert_frame_equal
from scipy.stats import chi2_contingency, kstest

from ppdm import data, parties, patterns
from ppdm.disguise import PrivacyWarning
from ppdm.parties.columns import Commodity
from ppdm.parties.sums import stream
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.disguise.PrivacyWarning")
SHORT = np.dtype("<u4")
HELPER = "helper"


# Products with a helper, in memory


def products(columns, shares, elementwise=False):
    """What two holders open of their columns times a membership that the first one has."""
    memory = Memory(["a", "b", HELPER])

    async def protocol(net):
        engine = Commodity(net, ["a", "b"], HELPER)
        await engine.start()
        if net.me == HELPER:
            return await engine.serve()
        entered = engine.enter("a", shares if net.me == "a" else None, shares.shape)
        if elementwise:
            own = columns["b"] if net.me == "b" else None
            found = await engine.times("b", own, entered)
            found = await engine.times("a", columns["a"] if net.me == "a" else None, found)
        else:
            widths = {site: len(own) for site, own in columns.items()}
            found = await engine.products(columns[net.me], widths, entered)
        opened = await engine.open(found)
        await engine.end()
        return opened

    memory.run(protocol)
    return memory


@pytest.mark.parametrize("seed", range(6))
def test_products_are_exact(seed):
    rng = np.random.default_rng(seed)
    records, rows = int(rng.integers(1, 50)), int(rng.integers(1, 5))
    columns = {"a": rng.integers(0, 2, (3, records)), "b": rng.integers(0, 2, (rng.integers(1, 4), records))}
    columns = {site: own.astype(SHORT) for site, own in columns.items()}
    shares = rng.integers(0, 2, (rows, records))
    found = products(columns, shares).ended
    expected = np.concatenate([columns["a"] @ shares.T.astype(SHORT), columns["b"] @ shares.T.astype(SHORT)])
    for site in "ab":
        assert np.array_equal(found[site], expected)


@pytest.mark.parametrize("seed", range(4))
def test_products_number_by_number_are_exact(seed):
    rng = np.random.default_rng(seed)
    columns = {site: rng.integers(0, 2, (3, 40)).astype(SHORT) for site in "ab"}
    shares = rng.integers(0, 2, (3, 40))
    found = products(columns, shares, elementwise=True).ended
    for site in "ab":
        assert np.array_equal(found[site], columns["a"] * columns["b"] * shares)


def uneven(one, other):
    table = np.array([np.bincount(own, minlength=16) for own in (one, other)])
    return chi2_contingency(table[:, table.any(axis=0)]).pvalue


@pytest.mark.parametrize("elementwise", [False, True])
def test_what_a_holder_and_the_helper_receive_does_not_depend_on_the_others_columns(monkeypatch, elementwise):
    # Of a hundred runs the p-values of two-sample χ² tests are uniform: Kolmogorov and Smirnov say so at 0.01, divided
    # by the number of messages. What is opened is equal by construction: the other one's ones stand in other places.
    monkeypatch.setattr("os.urandom", np.random.default_rng(17).bytes)
    records = 64
    half = np.arange(records) < records // 2
    shares = np.array([half, ~half]) * 1
    a = np.tile(half, (2, 1)).astype(SHORT) if elementwise else np.array([half, ~half]).astype(SHORT)
    one = np.tile(np.arange(records) % 2, (2, 1)).astype(SHORT)
    other = np.tile(np.arange(records) // 2 % 2, (2, 1)).astype(SHORT)
    if elementwise:  # of what is multiplied by 0 nothing is opened: it may differ
        one, other = one * half, np.where(half, one, 1).astype(SHORT)
    tests = {}
    for _ in range(100):
        seen = [products({"a": a, "b": b}, shares, elementwise) for b in (one, other)]
        for party in ("a", HELPER):
            messages = [[m.ravel() for m in memory.received(party) if m.dtype == SHORT] for memory in seen]
            opened = seen[0].ended["a"].ravel()
            for place, pair in enumerate(zip(*messages, strict=True)):
                if pair[0].size == opened.size and place == len(messages[0]) - 1:
                    continue  # the other half of what is opened
                if pair[0].size >= 64:
                    tests.setdefault((party, place, "high"), []).append(uneven(*(m >> 28 for m in pair)))
                    tests.setdefault((party, place, "low"), []).append(uneven(*(m & 15 for m in pair)))
    assert tests
    for where, p in tests.items():
        assert kstest(p, "uniform").pvalue > 0.01 / len(tests), where


def test_the_helper_receives_no_numbers_at_all():
    rng = np.random.default_rng(0)
    columns = {site: rng.integers(0, 2, (3, 40)).astype(SHORT) for site in "ab"}
    assert products(columns, np.ones((2, 40), int)).received(HELPER) == []


def test_the_helper_and_one_holder_read_the_other_ones_columns_and_one_alone_reads_nothing():
    rng = np.random.default_rng(0)
    columns = {site: rng.integers(0, 2, (3, 400)).astype(SHORT) for site in "ab"}
    memory = products(columns, np.ones((2, 400), int))
    [key] = [one.tobytes() for one in memory.sent(HELPER, "a") if one.dtype == np.uint8]
    masked = next(one for one in memory.sent("a", "b") if one.shape == (3, 400))
    read = [masked - stream(key, number, masked.size, SHORT).reshape(masked.shape) for number in range(20)]
    assert sum(np.array_equal(one, columns["a"]) for one in read) == 1
    assert np.abs((masked & 1 == columns["a"]).mean() - 0.5) < 6 * 0.5 / 1200**0.5


def test_no_mask_is_used_twice():
    # Two messages under the same mask would tell their difference: 0 and ±1.
    rng = np.random.default_rng(0)
    columns = {site: rng.integers(0, 2, (2, 400)).astype(SHORT) for site in "ab"}
    for elementwise in (False, True):
        memory = products(columns, np.ones((2, 400), int), elementwise)
        sent = [one.ravel() for one in memory.sent("a", "b") if one.size == 800]
        for one, other in itertools.combinations(sent, 2):
            assert np.isin(one - other, np.array([0, 1, -1]).astype(SHORT)).mean() < 0.05


# Sessions


def votes():
    table = data.load("votes")
    X = table.X.astype(object).fillna("?").astype("category")
    X.index = [f"citizen {one}" for one in range(len(X))]
    return X, table.y.set_axis(X.index)


def quest(function=2, records=1200):
    X, y = data.quest(records, function, rng=function)
    X = X.round(0)
    X["car"] = pd.Categorical(X["car"].map(lambda one: f"make {one % 4}"))
    X["elevel"] = pd.Categorical(X["elevel"], range(5), ordered=True)
    X.index = [f"{one}@clinic" for one in range(records)]
    return X, y.set_axis(X.index)


def cut(X, y, ends, target=0):
    """Columns of some holders, of whom one has the classes."""
    parts = [X.iloc[:, low:high] for low, high in zip([0, *ends], [*ends, X.shape[1]])]
    return {f"holder {place}": (part, y) if place == target else part for place, part in enumerate(parts)}


CASES = {
    "votes, two": (votes, [7], 0),
    "votes, three": (votes, [4, 11], 2),
    "quest, two": (quest, [3], 1),
    "quest, three": (lambda: quest(1, 300), [3, 5], 1),
}
HERE = {}


@pytest.fixture(scope="module", params=CASES)
def session(request):
    make, ends, target = CASES[request.param]
    X, y = make()
    with parties.local(cut(X, y, ends, target), align=False, limit=30) as session:
        HERE.update(X=X, y=y, three=len(ends) == 2)
        yield session


def compare(session, criterion, stop, nominal, X, y, **more):
    tree = session.tree(criterion, stop, nominal, **more)
    table = EstimatedTable.from_records(session.attributes, X, y, session.project["classes"])
    assert tree.to_json() == grow(table, criterion, stop, nominal).to_json()
    return tree


def test_the_engine_is_the_one_for_so_many(session):
    assert session.project["engine"] == ("shamir" if HERE["three"] else "commodity")
    assert session.project["held"] == "columns"


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@pytest.mark.parametrize("nominal", ["binary", "multiway"])
def test_a_tree_is_the_pooled_one(session, criterion, nominal):
    X, y = HERE["X"], HERE["y"]
    compare(session, criterion, Stop(max_depth=3), nominal, X, y)
    assert session.records == dict.fromkeys(session.project["sites"], len(X))


def test_a_tree_to_purity_and_one_with_large_nodes(session):
    X, y = HERE["X"], HERE["y"]
    if HERE["three"]:
        compare(session, "gini", Stop(min_records=60, min_leaf=9), "binary", X, y, intervals=5)
        return
    tree = compare(session, "gini", Stop(), "binary", X, y)
    assert tree.depth > 4
    compare(session, "gini", Stop(min_records=30, min_leaf=10, purity=0.9), "multiway", X, y, intervals=6)


@pytest.mark.parametrize("given", [{"opens": "tree"}, {"epsilon": 1.0, "stop": Stop(max_depth=1)}])
def test_what_needs_rows_held_apart_is_refused(session, given):
    with pytest.raises(ValueError, match=r"(opens|epsilon) is .*expected.*rows held apart"):
        session.tree(**given)


def test_only_counts_of_nodes_are_opened(session):
    tree = session.tree(stop=Stop(max_depth=2))
    width = sum(one.n_values for one in session.attributes)
    assert [what for what, _ in session.openings] == ["classes", *["histograms"] * (len(session.openings) - 1)]
    assert sum(found.size for what, found in session.openings) <= 2 + 2 * width * (tree.n_children.size)


# Who is common


@pytest.mark.parametrize("holders", [2, 3])
def test_ids_in_any_order_of_which_some_are_common(holders):
    X, y = quest(2, 240)
    rng = np.random.default_rng(holders)
    # Each holder knows other people, in an order of its own; some know people whom nobody else knows.
    kept = [rng.permutation(240)[: 240 - 15 * (one + 1)] for one in range(holders)]
    common = sorted(set.intersection(*map(set, map(list, kept))))
    parts = cut(X, y, [3, 6][: holders - 1])
    held = {}
    for (name, part), own in zip(parts.items(), kept):
        rows, of_class = part if isinstance(part, tuple) else (part, None)
        held[name] = rows.iloc[own] if of_class is None else (rows.iloc[own], of_class.iloc[own])
    with parties.local(held, limit=30) as session:
        assert session.records == dict.fromkeys(held, len(common))
        compare(session, "gini", Stop(max_depth=2), "binary", X.iloc[common], y.iloc[common], intervals=5)


def test_doubled_ids_are_refused_before_anything_starts():
    X, y = quest(2, 20)
    doubled = X.set_axis([*X.index[:-1], X.index[0]])
    held = cut(doubled, y.set_axis(doubled.index), [3])
    with pytest.raises(ValueError, match=r"the index of 'holder 0'.*came before"):
        parties.local(held)


def test_ids_that_are_written_alike_are_not_taken_for_one():
    # 1 and "1" are two people in one list and cannot be told apart when ids are compared as texts.
    X, y = quest(2, 20)
    mixed = X.set_axis([1, "1", *X.index[2:]])
    with pytest.raises(ValueError, match="index"), parties.local(cut(mixed, y.set_axis(mixed.index), [3])):
        pass


def test_nobody_in_common_is_an_error_that_says_so():
    X, y = quest(2, 30)
    held = {"a": (X.iloc[:15, :3], y.iloc[:15]), "b": X.iloc[15:, 3:]}
    with pytest.raises(ValueError, match="common"), parties.local(held, limit=10) as session:
        session.tree(stop=Stop(max_depth=1))


def test_rows_that_do_not_match_without_alignment_are_refused():
    X, y = quest(2, 30)
    with pytest.raises(ValueError, match="align"):
        parties.local({"a": (X.iloc[:15, :3], y.iloc[:15]), "b": X.iloc[:20, 3:]}, align=False)


def test_a_holder_is_said_to_learn_classes_by_name_from_values_of_one_class():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"grade": rng.integers(0, 4, 60), "room": rng.integers(0, 3, 60)})
    ill = (X["grade"] == 3) | (rng.random(60) < 0.5)
    y = pd.Series(np.where(ill, "ill", "well"))
    X["day"] = ill.astype(int)  # tells everything, to the one who has the classes anyhow
    known = int((X["grade"] == 3).sum())
    assert (pd.crosstab(X["grade"], y) == 0).sum(axis=None) == 1
    columns = {"lab": X[["grade", "room"]], "ward": (X[["day"]], y)}
    with parties.local(columns, align=False, limit=30) as session, pytest.warns(PrivacyWarning) as told:
        session.tree(stop=Stop(max_depth=1))
    assert f"'lab' learns the class of {known} people or more by name" in "".join(
        str(one.message) for one in told
    )
    assert not any("'ward' learns" in str(one.message) for one in told)


def test_if_all_whom_holders_share_are_of_one_class_they_are_told():
    X = pd.DataFrame({"grade": range(9), "day": range(9)})
    y = pd.Series(["ill"] * 5 + ["well"] * 4)
    with parties.local({"lab": X[["grade"]][:5], "ward": (X[["day"]], y)}, limit=30) as session:
        with pytest.warns(PrivacyWarning, match="'lab' learns the class of 5 people or more by name"):
            tree = session.tree()
        assert len(tree.attribute) == 1


# Rules


@pytest.fixture(scope="module")
def bits():
    table = data.load("votes")
    return data.BinaryCuts.of(table.X, table.listed).apply(table.X)


def held(bits, way):
    if way == "rows":
        bits = bits.astype(bool)
        return {f"s{one}": bits.iloc[one::3] for one in range(3)}
    ends = [6, 16] if way == "two" else [4, 9, 16]
    return {f"s{end}": bits.iloc[:, low:end] for low, end in zip([0, *ends], ends)}


@pytest.mark.parametrize("way", ["rows", "two", "three"])
def test_sets_and_rules_are_those_of_all_transactions(bits, way):
    with parties.local(held(bits, way), align=False, limit=30) as session:
        with warnings.catch_warnings(action="ignore"):
            for support, most in ((0.4, None), (0.3, 2)):
                expected = patterns.frequent_itemsets(bits, support, most_items=most)
                assert_frame_equal(
                    session.itemsets(support, most), expected[list(session.itemsets(support, most))]
                )
            rules = session.rules(0.4, 0.8)
            expected = patterns.association_rules(bits, 0.4, 0.8)
            assert_frame_equal(rules, expected[list(rules)])
        assert len(rules) > 5
        # For each set one number, and where rows are held apart, how many transactions there are.
        assert len(session.openings) >= 2
        assert all(found.ndim == 1 for _, found in session.openings)
