"""Frequent sets and rules: the textbook's where nothing is disguised, and else what the records' weights say."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from ppdm import data, patterns
from ppdm.disguise import Disguise, GroupedResponse, RandomizedResponse, UniformNoise
from ppdm.patterns import association_rules, frequent_itemsets
from ppdm.reconstruct import estimate, proportion_variance, record_weights

# Of a few records no estimate says anything, which is warned of; what it is made of is tested all the same.
pytestmark = pytest.mark.filterwarnings("ignore:the standard error of a share")

THETAS = [0, 0.1, 0.3, 0.65, 0.8, 0.9, 1]
THRESHOLD = 0.3137  # no estimate of the tables below lies on it


def table(rng, records, items, names="abcdefgh"):
    """Random transactions in which items go together."""
    liking = rng.random((records, 1))
    return pd.DataFrame((rng.random((records, items)) < 0.1 + liking).astype(int), columns=list(names[:items]))


@st.composite
def cases(draw):
    """Seen transactions and a channel: groups of any sizes, thetas of their own, columns in any order or in none."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = table(rng, draw(st.integers(2, 40)), draw(st.integers(1, 6)))
    grouped = draw(st.permutations(list(X)))[: draw(st.integers(1, X.shape[1]))]
    cuts = sorted(draw(st.sets(st.integers(1, len(grouped)), max_size=3)) - {len(grouped)})
    groups = [list(part) for part in np.split(np.array(grouped, dtype=object), cuts)]
    thetas = [draw(st.sampled_from(THETAS)) for _ in groups]
    return X, GroupedResponse(thetas, groups)


def subsets(items, least=1):
    return [part for size in range(least, len(items) + 1) for part in combinations(items, size)]


def ones(items):
    return dict.fromkeys(items, 1)


@given(cases())
@settings(max_examples=60)
def test_each_set_has_the_estimate_of_its_conjunction(case):
    X, channel = case
    found = frequent_itemsets(X, 1e-9, channel, confidence=0.8)
    for row in found.itertuples():
        own = estimate(X, channel, ones(row.items))
        assert (row.support, row.error) == pytest.approx((own.value, own.error), abs=1e-7)
        assert row.support == pytest.approx(own.value, abs=1e-10)
        assert (row.low, row.high) == pytest.approx(own.interval(0.8), abs=1e-6)
        assert row.size == len(row.items)


@given(cases(), st.sampled_from(["estimate", "possible"]), st.sampled_from([None, 1, 2]))
@settings(max_examples=60)
def test_a_set_is_found_if_it_and_all_its_subsets_are_large_enough(case, keep, most):
    X, channel = case

    def large(items):
        own = estimate(X, channel, ones(items))
        return (own.value if keep == "estimate" else own.interval(0.9)[1]) >= THRESHOLD

    expected = [
        part
        for part in subsets(X.columns)
        if len(part) <= (most or np.inf) and all(large(own) for own in subsets(part))
    ]
    found = frequent_itemsets(X, THRESHOLD, channel, most, 0.9, keep)
    assert sorted(found["items"]) == sorted(expected)


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 6), st.sampled_from([0.1, 0.2, 0.3, 0.5, 1]))
@settings(max_examples=80)
def test_undisguised_it_is_textbook_apriori(seed, records, items, min_support):
    X = table(np.random.default_rng(seed), records, items)
    baskets = [set(X.columns[row == 1]) for row in X.to_numpy()]
    counts = {part: sum(basket.issuperset(part) for basket in baskets) for part in subsets(X.columns)}
    frequent = [part for part in counts if counts[part] / records >= min_support]
    expected = sorted(frequent, key=lambda part: (len(part), -counts[part], part))
    found = frequent_itemsets(X, min_support)
    assert found["items"].tolist() == expected
    assert found["support"].tolist() == [counts[part] / records for part in expected]
    share = found["support"]
    assert found["error"].tolist() == pytest.approx(
        np.sqrt(share * (1 - share) / (records - 1)).tolist(), abs=1e-12
    )


@given(cases(), st.sampled_from(["estimate", "possible"]))
@settings(max_examples=40)
def test_who_tells_the_truth_or_always_its_opposite_is_counted(case, keep):
    X, channel = case
    plain = frequent_itemsets(X, 0.3, keep=keep)
    certain = [round(theta) for theta in channel.thetas]
    opposite = GroupedResponse(certain, channel.groups)
    assert_frame_equal(frequent_itemsets(opposite.disguise(X), 0.3, opposite, keep=keep), plain, check_exact=True)


def test_estimates_have_no_bias_their_errors_are_right_and_intervals_cover():
    # 400 times 300 transactions drawn from a population and disguised: means within 4 standard errors, the share of
    # intervals that hold the truth within 0.033 of 0.95 (three binomial standard deviations).
    rng, repeats, records = np.random.default_rng(3), 400, 300
    truth = table(rng, 2000, 5)
    channel = GroupedResponse([0.85, 0.2], [["a", "d"], ["b", "c"]])
    drawn = truth.iloc[rng.integers(len(truth), size=repeats * records)]
    seen = channel.disguise(drawn, rng=4)
    parts = [frequent_itemsets(seen[k : k + records], 1e-9, channel, 3) for k in range(0, len(seen), records)]
    for part in [("a",), ("a", "d"), ("b", "e"), ("a", "b"), ("a", "b", "e")]:
        own = pd.concat([one[one["items"] == part] for one in parts])
        share = truth[list(part)].all(axis=1).mean()
        variance = proportion_variance(truth, channel, ones(part), records)
        assert len(own) == repeats
        assert own["support"].mean() == pytest.approx(share, abs=4 * (variance / repeats) ** 0.5)
        assert (own["error"] ** 2).mean() == pytest.approx(variance, rel=0.05)
        assert own["support"].var() == pytest.approx(variance, rel=4 * (2 / repeats) ** 0.5)
        assert own["low"].le(share).mul(own["high"].ge(share)).mean() == pytest.approx(0.95, abs=0.033)


def test_the_possible_sets_miss_fewer_of_the_frequent_ones():
    votes = data.load("votes")
    X = data.BinaryCuts.of(votes.X, votes.listed).apply(votes.X)
    channel = GroupedResponse.drawn(0.9, list(X), 3, rng=5)
    seen, true = channel.disguise(X, rng=6), set(frequent_itemsets(X, 0.3)["items"])
    by_rule = [
        set(frequent_itemsets(seen, 0.3, channel, keep=keep)["items"]) for keep in ("estimate", "possible")
    ]
    assert by_rule[0] < by_rule[1]
    assert len(true - by_rule[0]) > len(true - by_rule[1])


def test_a_set_may_have_a_larger_estimate_than_its_subset_and_both_are_reported():
    X = pd.DataFrame({"a": [1] * 3 + [0] * 2, "b": [1] * 3 + [1] * 2})
    found = frequent_itemsets(X, 0.3, GroupedResponse(0.8, [["a"], ["b"]])).set_index("size")["support"]
    assert found[2] == pytest.approx(2 / 3 * 4 / 3)
    assert found[1].tolist() == pytest.approx([4 / 3, 2 / 3])
    wide = frequent_itemsets(X, 0.3, GroupedResponse(0.8, [["b"]])).set_index("items")["support"]
    assert wide[("a", "b")] > wide[("a",)]


def test_neither_the_order_of_records_nor_of_columns_matters():
    X = table(np.random.default_rng(1), 300, 6)
    channel = GroupedResponse(0.8, [["c", "a"], ["f", "b", "e"]])
    found = frequent_itemsets(X, 0.2, channel)
    turned = frequent_itemsets(X.iloc[::-1, ::-1], 0.2, channel)
    turned["items"] = [tuple(sorted(part)) for part in turned["items"]]
    assert_frame_equal(*(one.sort_values("items", ignore_index=True) for one in (turned, found)))


@pytest.mark.parametrize("kind", [bool, float, "int8", "Int8", "boolean", "float32"])
def test_ones_of_any_type_are_items(kind):
    X = table(np.random.default_rng(1), 50, 4).set_axis([("x", 1), 2, "c", None], axis=1)
    channel = GroupedResponse(0.8, [[("x", 1), None], [2]])
    assert_frame_equal(frequent_itemsets(X.astype(kind), 0.2, channel), frequent_itemsets(X, 0.2, channel))


def test_groups_may_name_columns_that_are_no_items_and_list_values_in_any_order():
    X = table(np.random.default_rng(1), 50, 3)
    plain = frequent_itemsets(X, 0.2, GroupedResponse(0.8, [["a", "b"]]))
    channel = GroupedResponse(
        0.8, [["class", "a", "b"], ["other"]], {"a": [1, 0], "b": [False, True], "other": list("xyz")}
    )
    assert_frame_equal(frequent_itemsets(X, 0.2, channel), plain)


def test_a_channel_for_each_column_is_a_group_of_one():
    X = table(np.random.default_rng(1), 300, 4)
    groups = GroupedResponse(0.8, [["a"], ["c"]])
    channels = {"a": RandomizedResponse(0.8), "c": RandomizedResponse(0.8)}
    seen = groups.disguise(X, rng=3)
    for channel in (channels, Disguise(channels)):
        assert_frame_equal(frequent_itemsets(seen, 0.2, channel), frequent_itemsets(seen, 0.2, groups))
        assert_frame_equal(association_rules(seen, 0.2, 0.5, channel), association_rules(seen, 0.2, 0.5, groups))


def test_nothing_frequent_is_an_empty_table():
    X = pd.DataFrame({"a": [1, 0, 0], "b": [0, 1, 0]})
    found = frequent_itemsets(X, 0.9)
    assert len(found) == 0
    assert list(found) == ["items", "support", "error", "low", "high", "size"]


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 4))
def test_one_more_joins_what_has_all_its_subsets(seed, items, size):
    rng = np.random.default_rng(seed)
    known = [part for part in combinations(range(items), size) if rng.random() < 0.8]
    expected = [part for part in combinations(range(items), size + 1) if {*combinations(part, size)} <= {*known}]
    assert patterns._one_more(known) == expected


def test_too_many_sets_are_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(patterns, "MAX_SETS", 9)
    X = pd.DataFrame(np.ones((3, 5), dtype=int), columns=list("abcde"))
    with pytest.raises(
        ValueError, match=r"leaves 5 sets of 1 items, and 10 larger ones to look at; .* at most 9; raise"
    ):
        frequent_itemsets(X, 0.5)
    assert len(frequent_itemsets(X, 0.5, most_items=1)) == 5


GOOD = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": GOOD.to_numpy()}, TypeError, "X is a ndarray; expected a pandas DataFrame"),
        ({"X": GOOD[:0]}, ValueError, "X has shape"),
        ({"X": GOOD[:1]}, ValueError, "X has one transaction; expected two or more"),
        (
            {"X": GOOD.assign(b=[0, 1, 2])},
            ValueError,
            "column 'b' has 1 of 3 values of type int64 that are no items .*; expected items as the",
        ),
        (
            {"X": GOOD.astype(str)},
            ValueError,
            "column 'a' has 3 of 3 values of type str that are no items .* convert it",
        ),
        (
            {"X": GOOD.astype("category")},
            ValueError,
            "column 'a' has 3 of 3 values of type category that are no items",
        ),
        (
            {"X": GOOD.assign(b=[0, 1, None])},
            ValueError,
            "column 'b' has 1 of 3 values of type float64 that are no items .*; expected items",
        ),
        ({"min_support": 0}, ValueError, r"min_support is 0; expected a number in \(0, 1\]"),
        ({"min_support": 30}, ValueError, "min_support is 30"),
        ({"min_support": "0.3"}, TypeError, "min_support is '0.3'"),
        ({"most_items": 0}, ValueError, "most_items is 0"),
        ({"most_items": 1.5}, TypeError, "most_items is 1.5"),
        ({"confidence": 1}, ValueError, "confidence is 1"),
        ({"keep": "all"}, ValueError, "keep is 'all'; expected one of 'estimate', 'possible'"),
        ({"channel": 0.9}, TypeError, "channel is a float; expected a dict of channels by column"),
        (
            {"channel": GroupedResponse(0.9, [["c"]])},
            ValueError,
            "channel is GroupedResponse.*, which disguises no column of X",
        ),
        (
            {"channel": GroupedResponse(0.9, [["a"]], {"a": [0, 1, 2]})},
            ValueError,
            r"channel has KeepOrReplace.* for column 'a'; expected a channel of items, 0 and 1; reconstruct.estimate",
        ),
    ],
)
def test_bad_arguments_of_sets_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        frequent_itemsets(**{"X": GOOD, "min_support": 0.3, **change})


def sides(items):
    """All ways to part a set in two."""
    for size in range(1, len(items)):
        for part in combinations(items, size):
            yield part, tuple(item for item in items if item not in part)


def weights(X, channel, items):
    return record_weights(X, channel, ones(items))


CHANNELS = [
    GroupedResponse(0.9, [["a", "b", "c", "d", "e"]]),
    GroupedResponse([0.85, 0.1], [["e", "a"], ["c", "b"]]),
    GroupedResponse([0.8, 0.9, 0.8, 0.2, 0.9], [["a"], ["b"], ["c"], ["d"], ["e"]]),
    GroupedResponse([1, 0, 0.7], [["a", "c"], ["b"], ["d"]]),
]


@given(
    st.integers(0, 10_000),
    st.integers(2, 30),
    st.integers(1, 5),
    st.sampled_from([0.05, 0.2, 0.3, 0.5]),
    st.sampled_from([0, 0.3, 0.5, 0.6, 0.75, 1]),
)
@settings(max_examples=50)
def test_undisguised_rules_are_the_textbooks(seed, records, items, min_support, min_confidence):
    X = table(np.random.default_rng(seed), records, items)

    def count(part):
        return int(X[list(part)].all(axis=1).sum())

    frequent = [part for size in range(2, items + 1) for part in combinations(X.columns, size)]
    frequent = [part for part in frequent if count(part) / records >= min_support]
    rules = [(own, other, count(part) / count(own)) for part in frequent for own, other in sides(part)]
    expected = {(own, other): share for own, other, share in rules if share >= min_confidence}
    found = association_rules(X, min_support, min_confidence)
    assert dict(zip(zip(found["if"], found["then"], strict=True), found["confidence"], strict=True)) == expected
    assert found["confidence"].is_monotonic_decreasing
    for row in found.to_dict("records"):
        share, below = row["confidence"], count(row["if"])
        assert row["support"] == count((*row["if"], *row["then"])) / records
        assert row["lift"] == pytest.approx(share * records / count(row["then"]))
        binomial = share * (1 - share) / below * records / (records - 1)
        assert row["error"] == pytest.approx(binomial**0.5, abs=1e-7)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("keep", ["estimate", "possible"])
def test_each_rule_is_what_the_records_weights_say(channel, keep):
    X = table(np.random.default_rng(2), 400, 5)
    seen = channel.disguise(X, rng=3)
    found = association_rules(seen, 0.3, 0.7, channel, confidence=0.9, keep=keep)
    assert len(found) > 10
    for row in found.to_dict("records"):
        whole, own, other = (
            weights(seen, channel, part) for part in (row["if"] + row["then"], row["if"], row["then"])
        )
        ratio = whole.mean() / own.mean()
        error = (whole - ratio * own).std(ddof=1) / len(X) ** 0.5 / own.mean()
        assert (row["support"], row["confidence"]) == pytest.approx((whole.mean(), ratio), abs=1e-10)
        assert (row["error"], row["lift"]) == pytest.approx((error, ratio / other.mean()), abs=1e-7)
        reach = 1.6448536 * error
        assert (row["low"], row["high"]) == pytest.approx((ratio - reach, ratio + reach), abs=1e-6)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("keep", ["estimate", "possible"])
def test_all_rules_are_made_that_are_clear_and_confident_enough(channel, keep):
    seen = channel.disguise(table(np.random.default_rng(2), 60, 5), rng=3)
    sets = frequent_itemsets(seen, 0.21, channel, keep=keep)["items"]
    every = {}
    for own, other in (rule for part in sets for rule in sides(part)):
        one, then, whole = (weights(seen, channel, part) for part in (own, other, own + other))
        # a weight has the mean 1 or 0, its own square
        if all(w.mean() > 1.959964 * np.sqrt(max((w * w - w).mean(), 0) / len(w)) for w in (one, then)):
            ratio = whole.mean() / one.mean()
            error = (whole - ratio * one).std(ddof=1) / len(seen) ** 0.5 / one.mean()
            every[own, other] = ratio if keep == "estimate" else ratio + 1.959964 * error
    for least in (0.0, 0.6137):
        found = association_rules(seen, 0.21, least, channel, keep=keep)
        assert set(zip(found["if"], found["then"], strict=True)) == {
            rule for rule, best in every.items() if best >= least
        }
        assert np.isfinite(found.drop(columns=["if", "then"]).to_numpy(float)).all()
        assert found["confidence"].is_monotonic_decreasing


def test_a_side_that_may_hold_for_nobody_makes_no_rule():
    # 30 transactions at theta 0.55: the support of "a" is 0.5 with a standard error of 0.9 from the disguise alone.
    seen = pd.DataFrame({"a": [1, 0] * 15, "b": [1, 1] * 15})
    channel = GroupedResponse(0.55, [["a"]])
    assert ("a", "b") in frequent_itemsets(seen, 0.2, channel)["items"].tolist()
    assert len(association_rules(seen, 0.2, 0, channel)) == 0
    assert len(association_rules(seen, 0.2, 0)) == 2
    assert len(association_rules(pd.concat([seen] * 100), 0.2, 0, channel)) == 2


def test_confidences_have_little_bias_their_errors_are_right_and_intervals_cover():
    # 400 times 500 transactions drawn from a population and disguised. A ratio is biased by the order of its variance:
    # means within 4 standard errors and 0.01; errors within 10 %; intervals within 0.033 (three binomial standard
    # deviations) of 0.95.
    rng, repeats, records = np.random.default_rng(5), 400, 500
    truth = table(rng, 2000, 4)
    channel = GroupedResponse([0.9, 0.15], [["a", "d"], ["b"]])
    seen = channel.disguise(truth.iloc[rng.integers(len(truth), size=repeats * records)], rng=6)
    starts = range(0, len(seen), records)
    runs = pd.concat([association_rules(seen[k : k + records], 1e-9, 0, channel, 3) for k in starts])
    for own, other in [(("a",), ("d",)), (("a",), ("b",)), (("a", "c"), ("b",)), (("b",), ("a", "d"))]:
        rule = runs[(runs["if"] == own) & (runs["then"] == other)]
        share = truth[truth[list(own)].all(axis=1)][list(other)].all(axis=1).mean()
        spread = rule["confidence"].std()
        assert len(rule) == repeats
        assert rule["confidence"].mean() == pytest.approx(share, abs=4 * spread / repeats**0.5 + 0.01)
        assert rule["error"].mean() == pytest.approx(spread, rel=0.1)
        assert (rule["low"].le(share) & rule["high"].ge(share)).mean() == pytest.approx(0.95, abs=0.033)


def test_rules_of_true_answers_are_counted():
    X = table(np.random.default_rng(1), 200, 5)
    truth = GroupedResponse(1, [["d", "a"], ["c"]])
    assert_frame_equal(association_rules(X, 0.2, 0.5, truth), association_rules(X, 0.2, 0.5), check_exact=True)


def test_nothing_confident_or_frequent_is_an_empty_table():
    X = pd.DataFrame({"a": [1, 0, 0], "b": [0, 1, 0]})
    for found in (association_rules(X, 0.9, 0.5), association_rules(X, 0.3, 1), association_rules(X, 0.3, 0)):
        assert len(found) == 0
        assert list(found) == ["if", "then", "support", "confidence", "error", "low", "high", "lift"]


def test_too_many_rules_are_refused(monkeypatch):
    monkeypatch.setattr(patterns, "MAX_RULES", 11)
    X = pd.DataFrame(np.ones((3, 3), dtype=int), columns=list("abc"))
    with pytest.raises(
        ValueError, match="leaves 7 frequent sets, which make 12 rules; expected at most 11; raise it"
    ):
        association_rules(X, 0.5, 0.5)
    assert len(association_rules(X, 0.5, 0.5, most_items=2)) == 6


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": [[0, 1]]}, TypeError, "X is a list; expected a pandas DataFrame"),
        ({"min_support": 0}, ValueError, "min_support is 0"),
        ({"min_confidence": 80}, ValueError, r"min_confidence is 80; expected a number in \[0, 1\]"),
        ({"min_confidence": None}, TypeError, "min_confidence is None"),
        ({"confidence": 0}, ValueError, "confidence is 0"),
        ({"most_items": -1}, ValueError, "most_items is -1"),
        ({"keep": "sure"}, ValueError, "keep is 'sure'"),
        (
            {"channel": {"a": UniformNoise(half_width=1, low=0, high=1)}},
            ValueError,
            "for column 'a'; expected a channel of",
        ),
    ],
)
def test_bad_arguments_of_rules_are_refused(change, error, message):
    good = {"X": pd.DataFrame({"a": [1, 0], "b": [1, 1]}), "min_support": 0.3, "min_confidence": 0.5}
    with pytest.raises(error, match=message):
        association_rules(**{**good, **change})
