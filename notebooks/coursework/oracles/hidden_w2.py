"""Week 2, trees: the checks that mark the sheet. They are not handed out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, w2
from oracles.answers import compare, near, number, numbers, returned
from oracles.nodes import cut_and_gain
from ppdm.reconstruct import Attribute, Distribution, reconstruct
from ppdm.studies import as00, as00_lesson
from ppdm.tables import EstimatedTable
from ppdm.trees import ReconstructedTreeClassifier, Stop, grow

CASES = 25


def w2_2(by_rank: Callable) -> str:
    """Equal to the library's ranks on random people; many ties; one person, one interval; any kind of sequence."""
    rng = np.random.default_rng(202)
    for case in range(CASES):
        seen, shares = _people(rng, int(rng.integers(1, 400)), int(rng.integers(1, 30)))
        _ranks(by_rank, seen, shares, f"people and shares drawn at random (case {case + 1})")
        rounded = np.round(seen)
        _ranks(by_rank, rounded, shares, f"people of whom many are seen at one value (case {case + 1})")
    seen, shares = _people(rng, 60, 5)
    _ranks(by_rank, np.full(60, 3.0), shares, "people who are all seen at one value")
    _ranks(by_rank, seen, np.array([0, 0, 1, 0, 0]), "one interval that gets everybody")
    _ranks(by_rank, seen[:1], shares, "one person")
    _ranks(by_rank, -np.abs(seen), shares, "people who are seen below 0")
    shuffled = pd.Series(seen, index=rng.permutation(60))
    _ranks(by_rank, shuffled, pd.Series(shares, index=list("edcba")), "a Series with an index of its own")
    return f"equal to the library's ranks for {2 * CASES + 5} other crowds."


def _people(rng, n, k):
    """Seen values, and shares of which some are 0; no cumulated count lies half way between two whole numbers."""
    shares = rng.dirichlet(np.full(k, 0.4))
    shares[rng.random(k) < 0.2] = 0
    shares = shares / shares.sum() if shares.any() else np.full(k, 1 / k)
    upto = n * np.cumsum(shares)
    if np.abs(upto % 1 - 0.5).min() < 1e-6:
        return _people(rng, n, k)
    return rng.normal(0, 8, n), shares


def _ranks(answer, seen, shares, kind):
    """Compare the intervals of some people with the library's."""
    name = f"With {kind}, by_rank(seen, shares)"
    values, parts = np.array(seen), np.array(shares, dtype=float)
    value = returned(name, answer, seen, shares, hint=w2.ROUND)
    found = numbers(name, value, (len(values),), ", one for each person")
    right = _by_rank(values, parts)
    sizes = "Each interval has as many people as it should, but not the right ones."
    otherwise = sizes if near(np.sort(found), np.sort(right)) else ""
    compare(name, found, right, _rank_mistakes(values, parts, right), otherwise=otherwise)


def _rank_mistakes(values, parts, right):
    """What other answers would have given the people."""
    n, upto = len(values), len(values) * np.cumsum(parts)
    yield "The ranks are descending.", _by_rank(-values, parts)
    yield "People who are seen at one value do not keep their order.", _by_rank(values[::-1], parts)[::-1]
    yield "The intervals are in the order of what was seen, not of the people.", np.sort(right)
    yield "np.argsort is used the wrong way round.", np.sort(right)[np.argsort(values, kind="stable")]
    yield "Intervals are numbered from 0.", right + 1
    yield "The cumulated counts are cut off.", _dealt(values, np.floor(upto + 1e-9))
    yield "The cumulated counts are rounded up.", _dealt(values, np.ceil(upto - 1e-9))
    yield "Each count is rounded by itself.", _dealt(values, np.cumsum(np.rint(n * parts)))


def _by_rank(seen, shares):
    """The library gives mid-points; with edges 0, 1, 2 … they tell the number of the interval."""
    found = Distribution(np.arange(len(shares) + 1), shares)
    return as00_lesson.by_rank(seen, found) - 0.5


def _dealt(seen, upto):
    """Intervals for the people in order, if so many are in each or below; the rest gets the last one."""
    ends = np.clip(upto, 0, len(seen)).astype(int)
    ends[-1] = len(seen)
    found = np.empty(len(seen))
    found[np.argsort(seen, kind="stable")] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return found


def w2_3(best_cut: Callable) -> str:
    """Equal to the root of the library's tree: whole, fractional and negative counts, empty intervals, ties."""
    rng = np.random.default_rng(203)
    kinds: dict[str, Callable] = {
        "whole counts": lambda k: rng.integers(0, 60, (k, 2)),
        "whole counts, some intervals empty": lambda k: rng.integers(1, 60, (k, 2)) * (rng.random((k, 1)) < 0.5),
        "fractional counts": lambda k: rng.gamma(0.5, 20, (k, 2)),
        "some counts below 0": lambda k: rng.gamma(0.7, 20, (k, 2)) + rng.normal(0, 8, (k, 2)),
        "shares of less than one person at the ends": lambda k: _thin_ends(rng, k),
    }
    for kind, draw in kinds.items():
        done = 0
        while done < CASES // 5 + 1:
            counts = np.asarray(draw(int(rng.integers(3, 30))))
            if counts.sum() >= 5:
                _cut(best_cut, counts, kind)
                done += 1
    _cut(best_cut, np.array([[5, 1], [3, 3], [5, 1]]), "two cuts that are equally good")
    _cut(best_cut, np.array([[4, 0], [0, 0], [0, 0], [0, 4]]), "equally good cuts beside empty intervals")
    _cut(best_cut, np.array([[30, 10], [10, 30]]), "two intervals")
    _cut(best_cut, np.array([[7, 3]]), "a single interval")
    _cut(best_cut, np.array([[2, 2], [5, 5], [1, 1]]), "the same mixture everywhere")
    _cut(best_cut, np.array([[0, 0], [9, 0]]), "a node of one class")
    return f"equal to the root of the library's tree in {5 * (CASES // 5 + 1) + 6} other nodes."


def _thin_ends(rng, k):
    """The same mixture everywhere, but for two pure ends, which are smaller than one person."""
    counts = rng.uniform(5, 60, (k, 1)) * [0.5, 0.5]
    counts[0] = [0.9, 0]
    counts[-1] = [0, 0.4]
    return counts


def _cut(answer, counts, kind):
    """Compare a cut and its gain with those of the library's root."""
    cut, gain = cut_and_gain(answer, counts, f"With {kind}, ")
    right_cut, right_gain = _library_cut(counts)
    if right_cut is None:
        if cut is not None or abs(gain) > 1e-9:
            raise WrongAnswerError(f"With {kind}, no cut gains anything: we expect (None, 0.0).")
        return
    if cut is None or not 0 < cut < len(counts):
        hint = "how many intervals are on its left, from 1 to one less than all"
        raise WrongAnswerError(f"With {kind}, your cut is {cut}; we expect {hint}.")
    gains = _gains(counts)
    # Sums in another order may differ in their last digits, and so decide between cuts that are equally good.
    tie = "whole" not in kind and "equally" not in kind and near(gains[cut - 1], right_gain, 1e-9)
    if cut != right_cut and not tie:
        raise WrongAnswerError(f"With {kind}, your cut is not the library's.{_why(counts, cut, right_cut)}")
    compare(f"With {kind}, the gain", gain, right_gain, _gain_mistakes(counts, cut), within=1e-9)


def _why(counts, cut, right):
    """What is known of a wrong cut."""
    left, rest, _ = _sides(counts)
    gains, sums = _gains(counts), -(_index(left) + _index(rest))
    if near(gains[cut - 1], gains[right - 1], 1e-12):
        return " Both gain the same: the lower one wins."
    if min(left[cut - 1].sum(), rest[cut - 1].sum()) < 1:
        return " One of its sides is smaller than one person."
    if cut == right - 1:
        return " It is one too low: we expect how many intervals are on the left, not the number of the last one."
    if cut - 1 == np.nanargmax(sums):
        return " The two sides are not weighted by their sizes."
    return " Do the sizes count what is negative, and the shares not?" if (counts < 0).any() else ""


def _library_cut(counts):
    """The cut of the root of the library's tree, and its gain."""
    if len(counts) < 2:
        return None, 0.0
    attribute = Attribute.numeric("x", list(range(1, len(counts))))
    tree = grow(EstimatedTable.from_counts([attribute], ["A", "B"], counts), "gini", Stop(max_depth=1))
    if tree.attribute[0] < 0:
        return None, 0.0
    cut = int(tree.threshold[0])
    return cut, _gains(counts)[cut - 1]


def _sides(counts):
    left = np.cumsum(counts, axis=0)[:-1]
    total = counts.sum(axis=0)
    return left.astype(float), (total - left).astype(float), total.astype(float)


def _index(sums):
    positive = np.maximum(sums, 0)
    shares = positive / np.maximum(positive.sum(axis=-1, keepdims=True), 1e-300)
    return 1 - (shares**2).sum(axis=-1)


def _gains(counts):
    left, right, total = _sides(counts)
    weighted = left.sum(axis=1) * _index(left) + right.sum(axis=1) * _index(right)
    return _index(total) - weighted / total.sum()


def _gain_mistakes(counts, cut):
    left, right, total = (side[cut - 1] if side.ndim == 2 else side for side in _sides(counts))
    node, gain = _index(total), _gains(counts)[cut - 1]
    floored = [np.maximum(side, 0).sum() for side in (left, right)]
    wrong_size = (floored[0] * _index(left) + floored[1] * _index(right)) / max(sum(floored), 1e-300)
    return [
        ("That is the weighted index, not the gain.", node - gain),
        ("The gain has the wrong sign.", -gain),
        ("The gain is multiplied by the size of the node.", gain * total.sum()),
        ("The two sides are not weighted.", node - _index(left) - _index(right)),
        ("The two sides are not weighted by their sizes.", node - (_index(left) + _index(right)) / 2),
        ("That is half of the gain.", gain / 2),
        ("The sizes of the sides leave out what is negative.", node - wrong_size),
        ("Single counts below 0 are set to 0, not the sums of a side.", _gains(np.maximum(counts, 0))[cut - 1]),
    ]


SETTINGS = [(1, 1.0, 1_500), (2, 0.5, 4_000), (3, 0.25, 1_500), (5, 1.5, 2_000)]


def w2_5(score_strategies: Callable) -> str:
    """Equal to the library's scores, of other functions and levels, and of classes with other names."""
    for place, (function, level, records) in enumerate(SETTINGS):
        tables = w2.drawn(function, level, 205 + place, records)
        if place == 1:
            for name in ("classes", "new classes"):
                tables[name] = tables[name].map({"A": "yes", "B": "no"}).astype(object)
        name = f"score_strategies(tables, {level:g}), Function {function}"
        got = w2.scores(name, returned(name, score_strategies, tables, level))
        right = _scores(tables, level)
        compare(name, got, right, _score_mistakes(tables, level, right))
    return f"equal to the library's scores in {len(SETTINGS)} other settings, of three trees each."


def _scores(tables, level, learn="seen", score="new true", channels=True):
    """The accuracies of the three trees, if they learn from one of the tables and are scored on another."""
    known = as00.channels_at("uniform", level) if channels else None
    found = []
    for strategy in w2.STRATEGIES:
        tree = ReconstructedTreeClassifier(known, strategy)  # type: ignore[arg-type]
        tree.fit(tables[learn], tables["new classes" if learn.startswith("new") else "classes"])
        found.append(tree.score(tables[score], tables["new classes" if score.startswith("new") else "classes"]))
    return np.array(found)


def _score_mistakes(tables, level, right):
    """What other answers would have found, one after the other."""
    yield "Local is as ByClass. Does each tree get its strategy?", right[[0, 1, 1]]
    yield "They are scored on new disguised records.", _scores(tables, level, score="new seen")
    yield "They are scored on the disguised records that they learned from.", _scores(tables, level, score="seen")
    yield "They are scored on people that they learned from, not new ones.", _scores(tables, level, score="true")
    yield "The trees learn from true records.", _scores(tables, level, learn="true")
    yield "The trees learn from the new records.", _scores(tables, level, learn="new seen")
    yield "The trees do not know the channels.", _scores(tables, level, channels=False)
    yield "The trees always have the channels of 100 %, not those of the level.", _scores(tables, 1.0)
    yield "These are per cent.", 100 * right


def own_share(me: Student) -> float:
    """The share of a student's own people whose class the rule of Function 1 names, asked about ages by Global."""
    seen, classes, noise = w2.own_people(me)
    ages = as00_lesson.by_rank(seen, reconstruct(seen, noise, 30).distribution)
    says_a = (ages < 40) | (ages >= 60)
    return float((says_a == (classes == "A")).mean())


REFERENCES: dict[str, Callable[[Student], float]] = {"w2.6": own_share}
TOLERANCES = {"w2.6": 0.002}


def w2_6(me: Student, given_age: Any, share: Any) -> str:
    """The student's own number, beside the library's."""
    w2.w2_6(me, given_age, share)
    right, within = own_share(me), TOLERANCES["w2.6"]
    none = "Are the ages given by what reconstruct finds, which stops by itself?"
    compare("share", number("share", share), right, (), within, none)
    return f"the library's share is {right:.4f}, and yours is within {within:g} of it."
