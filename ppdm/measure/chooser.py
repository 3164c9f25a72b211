"""Which theta and how many groups keep a promise of privacy, and what accuracy each way of keeping it leaves."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise import GroupedResponse
from ppdm.measure.releases import TooManyError
from ppdm.measure.response import response_posteriors, unmasked
from ppdm.randomness import Rng
from ppdm.trees import ResponseTreeClassifier

THETAS = np.arange(510, 1001) / 1000  # that are looked through, from the least that DZ03 §5.2 tries
LEAST_EPSILON = 0.001
SAMPLE = 0  # the seed of the release that is looked at where all are too many: the same chances for every theta


def choose_response(
    X: pd.DataFrame,
    y: pd.Series,
    epsilon: float | None = None,
    posterior: float | None = None,
    groups: Iterable[Any] = (1, 2, 3, "N"),
    worst: bool = False,
    repeats: int = 10,
    test: float = 1 / 3,
    confidence: float | None = 0.95,
    rng: Rng = None,
) -> pd.DataFrame:
    """For each number of groups the theta that keeps a promise, and the accuracy that it leaves; the best row first.

    The promise is one of these two, and theta is the largest above ½ that keeps it:

    - epsilon: of one answer by itself; theta is e^ε / (1 + e^ε), for any groups. But a group of several attributes has
      no ε (see ``response_epsilon``), and only the columns "guess" and "worst" tell what a whole record gives away.
    - posterior: the best guess of an attribute, from the whole released record, is right that often at most, in the
      mean over the attributes; or, with ``worst``, for any attribute and any release. Who sees a group can reverse it
      once more by chance, which makes it one of a smaller theta: so less theta tells less, and the largest is found by
      halves, to 0.001. Where attributes are skewed or groups are large, there may be none.

    The intruder knows how the records of X and y are distributed, as in ``response_posteriors``. The class is disguised
    like the attributes. Groups are drawn at random, once for each number of them.

    - theta: missing where nothing is feasible, and so are accuracy and error
    - feasible: whether a theta of 0.51 or more keeps the promise
    - accuracy, error: of a ``ResponseTreeClassifier`` on true test records, and its standard error over the repeats
    - plain, majority: the accuracy of that tree from true records, and of guessing the larger class always
    - guess, worst: how often the best guess of an attribute is right in the mean, and at most, for any attribute and
      release; where nothing is feasible, at a theta of 0.51
    - unmasked: how many other answers one known answer makes known for certain, in the mean (DZ03 §1.2)
    - channel: the GroupedResponse, or None

    Parameters
    ----------
    X : true records, of 0 and 1 (see ``data.binarise``)
    y : their classes, two of them: a Series with a name that no column of X has
    epsilon : number of at least 0.001, or None
    posterior : number in (½, 1), or None
    groups : numbers of groups; "N" is one for each attribute and one for the class
    worst : whether posterior is for every release. Where there are too many to follow, it is for one of each record.
    repeats : how often the records are divided and disguised, at least 2; all rows have the same divisions
    test : the share of the records that trees are tested on, in (0, 1)
    confidence : of a split, as in ``ResponseTreeClassifier``
    rng : a seed or Generator

    >>> from ppdm.data import binarise, load
    >>> table = load("votes")
    >>> found = choose_response(binarise(table.X, table.listed), table.y, epsilon=1, groups=[1, 3], repeats=5, rng=1)
    >>> found[["groups", "theta", "accuracy", "plain", "guess", "unmasked"]].round(3)
       groups  theta  accuracy  plain  guess  unmasked
    0       1  0.731     0.948  0.948  0.943    16.000
    1       3  0.731     0.886  0.948  0.960     4.706
    """
    records = _checked_records(X, y)
    if (epsilon is None) == (posterior is None):
        raise ValueError(f"epsilon is {epsilon} and posterior is {posterior}; expected a number for one of them")
    if epsilon is not None:
        checks.number("epsilon", epsilon, LEAST_EPSILON)
    else:
        checks.number("posterior", posterior, 0.5, 1, open_low=True, open_high=True)
    numbers = _checked_groups(groups, len(records.columns))
    checks.flag("worst", worst)
    source = randomness.generator(rng)
    study = _Study.of(records, y.name, confidence, repeats, test, source)
    rows = []
    for number in numbers:
        drawn = GroupedResponse.drawn(1.0, list(records), number, source, study.values)
        channel = _kept(drawn, records, epsilon, posterior, worst)
        rows.append({"groups": number, **_figures(drawn, channel, study, source)})
    return pd.DataFrame(rows).sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True, eq=False)
class _Study:
    """Records with their class, divided again and again into some to learn from and some to test on."""

    records: pd.DataFrame
    target: Any
    confidence: float | None
    divisions: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, records: pd.DataFrame, target: Any, confidence: Any, repeats: Any, test: Any, rng: Any) -> Self:
        """The divisions drawn, if that can be done."""
        checks.whole("repeats", repeats, 2)
        tested = round(checks.number("test", test, 0, 1, open_low=True, open_high=True) * len(records))
        if not 0 < tested < len(records):
            raise ValueError(
                f"test is {test:g} of {len(records)} records; expected some to test on and some to learn from"
            )
        orders = [rng.permutation(len(records)) for _ in range(repeats)]
        return cls(records, target, confidence, [(order[tested:], order[:tested]) for order in orders])

    def accuracies(self, channel: GroupedResponse, rng: Rng = None) -> np.ndarray:
        """The accuracy on the test records of each division, where the others are disguised."""
        columns, found = list(self.records.columns.drop(self.target)), []
        for train, test in self.divisions:
            seen, true = channel.disguise(self.records.iloc[train], rng), self.records.iloc[test]
            model = ResponseTreeClassifier(channel.theta, channel.groups, confidence=self.confidence)
            found.append(model.fit(seen[columns], seen[self.target]).score(true[columns], true[self.target]))
        return np.array(found)

    @cached_property
    def values(self) -> dict[Any, list[Any]]:
        """Those of the class."""
        return {self.target: sorted(self.records[self.target].unique().tolist())}

    @cached_property
    def plain(self) -> float:
        """The mean accuracy where nothing is disguised."""
        return float(self.accuracies(GroupedResponse(1.0, [list(self.records)], self.values)).mean())

    @cached_property
    def majority(self) -> float:
        """The mean accuracy of the class that most training records have."""
        classes = self.records[self.target].to_numpy()
        common = [pd.Series(classes[train]).mode()[0] for train, _ in self.divisions]
        hits = [(classes[test] == label).mean() for (_, test), label in zip(self.divisions, common, strict=True)]
        return float(np.mean(hits))


def _kept(
    drawn: GroupedResponse, records: pd.DataFrame, epsilon: float | None, most: Any, worst: bool
) -> GroupedResponse | None:
    """The channel of those groups with the largest theta that keeps the promise."""
    if epsilon is not None:
        return replace(drawn, theta=1 / (1 + math.exp(-epsilon)))

    def broken(theta: float) -> bool:
        return _guesses(replace(drawn, theta=float(theta)), records)[worst] > most

    first = bisect_left(THETAS, True, key=broken)
    return replace(drawn, theta=float(THETAS[first - 1])) if first else None


def _figures(
    drawn: GroupedResponse, channel: GroupedResponse | None, study: _Study, rng: np.random.Generator
) -> dict[str, Any]:
    """A row of the result."""
    found = np.full(len(study.divisions), np.nan) if channel is None else study.accuracies(channel, rng)
    guess, worst = _guesses(channel or replace(drawn, theta=float(THETAS[0])), study.records)
    return {
        "theta": np.nan if channel is None else channel.theta,
        "feasible": channel is not None,
        "accuracy": found.mean(),
        "error": found.std(ddof=1) / len(found) ** 0.5,
        "plain": study.plain,
        "majority": study.majority,
        "guess": guess,
        "worst": worst,
        "unmasked": unmasked(drawn).mean(),
        "channel": channel,
    }


def _guesses(channel: GroupedResponse, records: pd.DataFrame) -> tuple[float, float]:
    """How often the best guess of an attribute is right, in the mean and at most."""
    try:
        found = response_posteriors(channel, records, rare=0)
    except TooManyError:
        found = response_posteriors(channel, records, channel.disguise(records, SAMPLE), rare=0)
    return float(found["whole record"].mean()), float(found["worst"].max())


def _checked_records(X: Any, y: Any) -> pd.DataFrame:
    """The records with their class as the last column."""
    wide = [column for column in checks.frame("X", X).columns if not X[column].isin([0, 1]).all()]
    if wide:
        raise ValueError(f"X has column {wide[0]!r} with other values than 0 and 1; cut it in two: data.binarise(X)")
    if not isinstance(y, pd.Series):
        raise TypeError(f"y is of type {type(y).__name__}; expected a Series of classes")
    if y.name is None or y.name in X.columns:
        raise ValueError(f"y has the name {y.name!r}; expected one, and none of a column of X: y.rename('class')")
    checks.same_length("y", checks.labels("y", y), "X", X)
    if y.nunique() != 2:
        raise ValueError(f"y has the classes {sorted(y.unique().tolist(), key=str)}; expected two")
    classes = y.cat.remove_unused_categories() if isinstance(y.dtype, pd.CategoricalDtype) else y
    return pd.concat([X, pd.Series(classes.array, X.index, name=y.name)], axis=1)


def _checked_groups(groups: Any, columns: int) -> list[int]:
    """The numbers of groups, each once."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise TypeError(f'groups is {groups!r}; expected a list of numbers of groups, say [1, 3, "N"]')
    hint = 'or "N", for a group of each attribute'
    numbers = [columns if one == "N" else checks.whole("groups", one, 1, columns, hint=hint) for one in groups]
    if not numbers:
        raise ValueError('groups is empty; expected at least one number of groups, or "N"')
    return list(dict.fromkeys(numbers))
