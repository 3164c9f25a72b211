"""Rules: the textbook's where nothing is disguised, and else ratios of estimates with the error of a ratio."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from ppdm.disguise import GroupedResponse
from ppdm.patterns import association_rules, associations, frequent_itemsets
from ppdm.reconstruct import record_weights


def table(rng, records, items):
    """Random transactions in which items go together."""
    liking = rng.random((records, 1))
    return pd.DataFrame((rng.random((records, items)) < 0.1 + liking).astype(int), columns=list("abcdefgh"[:items]))


def sides(items):
    """All ways to part a set in two."""
    for size in range(1, len(items)):
        for part in combinations(items, size):
            yield part, tuple(item for item in items if item not in part)


def weights(X, channel, items):
    return record_weights(X, channel, dict.fromkeys(items, 1))


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
def test_undisguised_they_are_the_textbooks(seed, records, items, min_support, min_confidence):
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
def test_each_is_what_the_records_weights_say(channel, keep):
    X = table(np.random.default_rng(2), 400, 5)
    seen = channel.disguise(X, rng=3)
    found = association_rules(seen, 0.3, 0.7, channel, confidence=0.9, keep=keep)
    assert len(found) > 10
    for row in found.to_dict("records"):
        whole, own, other = (weights(seen, channel, part) for part in (row["if"] + row["then"], row["if"], row["then"]))
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


def test_estimates_have_little_bias_their_errors_are_right_and_intervals_cover():
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


def test_who_tells_the_truth_is_counted():
    X = table(np.random.default_rng(1), 200, 5)
    truth = GroupedResponse(1, [["d", "a"], ["c"]])
    assert_frame_equal(association_rules(X, 0.2, 0.5, truth), association_rules(X, 0.2, 0.5), check_exact=True)


def test_nothing_confident_or_frequent_is_an_empty_table():
    X = pd.DataFrame({"a": [1, 0, 0], "b": [0, 1, 0]})
    for found in (association_rules(X, 0.9, 0.5), association_rules(X, 0.3, 1), association_rules(X, 0.3, 0)):
        assert len(found) == 0
        assert list(found) == ["if", "then", "support", "confidence", "error", "low", "high", "lift"]


def test_too_many_rules_are_refused(monkeypatch):
    monkeypatch.setattr(associations, "MOST_RULES", 11)
    X = pd.DataFrame(np.ones((3, 3), dtype=int), columns=list("abc"))
    with pytest.raises(ValueError, match="leaves 7 frequent sets, which make 12 rules; expected at most 11; raise it"):
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
        ({"channel": {}}, TypeError, "channel is {}"),
    ],
)
def test_bad_arguments_are_refused(change, error, message):
    good = {"X": pd.DataFrame({"a": [1, 0], "b": [1, 1]}), "min_support": 0.3, "min_confidence": 0.5}
    with pytest.raises(error, match=message):
        association_rules(**{**good, **change})
