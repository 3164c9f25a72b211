"""Answers in groups, without a widget: closed forms at once, trees from disguised records run by run (DZ03 §4, §5)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.measure import Intruder, best_guess
from ppdm.reconstruct import proportion_variance
from ppdm.studies import dz03

from .answer_tables import AnswerTable, Groups, table_of
from .look import percent
from .own import OWN
from .panel import Stage

TABLES = tuple(dz03.TABLES)
CURVE = (0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # those of DZ03 Figures 3 to 6 above ½, and more near 1
CURVE_RUNS = 5
Curve = dict[float, tuple[float, float]]
CURVES: dict[
    tuple[AnswerTable, Groups, int], Curve
] = {}  # mean accuracies for some θ, from estimates and naive, so far
CODE = """\
from ppdm.disguise import GroupedResponse
from ppdm.studies import dz03

split = {split}
channel = GroupedResponse({theta!r}, {groups})

def accuracy(known, seed):
    return split.accuracy(split.fit(known, channel.disguise(split.train, seed)))

[[accuracy(known, seed) for seed in range({first}, {last})] for known in (channel, None)]"""


@dataclass(frozen=True, eq=False, repr=False)
class Scheme:
    """Who answers in which group, with which θ; and which answer leaks.

    Attributes
    ----------
    table : true records
    theta : the probability of the truth
    groups : of columns; those in none are open
    leaked : the column whose true answer is known
    """

    table: AnswerTable
    theta: float
    groups: Groups
    leaked: str

    @cached_property
    def refusal(self) -> str:
        """Why no tree can be made, in the library's words; empty where one can."""
        try:
            GroupedResponse(self.theta, self.groups)
        except ValueError as error:
            return str(error)
        return ""

    @property
    def grouped(self) -> list[str]:
        """The columns in groups."""
        return [column for group in self.groups for column in group]

    @property
    def open_columns(self) -> tuple[str, ...]:
        """The columns in no group, which are released as they are."""
        return tuple(column for column in self.table.columns if column not in self.grouped)

    @property
    def rows(self) -> dict[str, tuple[str, ...]]:
        """The groups by their names, and what is open."""
        rows = {f"group {place}": group for place, group in enumerate(self.groups, 1)}
        return rows | ({"open": self.open_columns} if self.open_columns else {})

    @property
    def own_theta(self) -> float:
        """The probability that the truth of the leaked column is released."""
        return self.theta if self.leaked in self.grouped else 1.0

    @property
    def certain(self) -> tuple[str, ...]:
        """The other answers that are known for certain, once this one is: those of its group (§1.2)."""
        group: Sequence[str] = next((group for group in self.groups if self.leaked in group), ())
        return tuple(column for column in group if column != self.leaked)

    @property
    def share(self) -> float:
        """The share of the people whose truth is 1."""
        return float(self.table.records[self.leaked].mean())

    @property
    def guess(self) -> Any:
        """What is guessed of the leaked column from one released answer."""
        return best_guess(self.own_theta, self.share)

    @property
    def bound(self) -> float:
        """How often a guess is right at most, by §1.2: θ, or for θ < ½ its opposite."""
        return max(self.own_theta, 1 - self.own_theta)

    @property
    def epsilons(self) -> tuple[float, float]:
        """ε of one disguised answer and of all of them; a group of several answers has none."""
        single = all(len(group) == 1 for group in self.groups)
        return log_odds(self.theta), log_odds(self.theta) * len(self.groups) if single else math.inf

    @cached_property
    def errors(self) -> dict[tuple[str, ...], float]:
        """Standard errors of estimated shares: of the leaked column, and of conjunctions over two and three groups."""
        heads = [group[0] for group in self.groups if self.leaked not in group]
        chain = [self.leaked, *heads[:2]]
        return {tuple(chain[:k]): self._error(chain[:k]) for k in range(1, len(chain) + 1)}

    def _error(self, columns: list[str]) -> float:
        if self.refusal and set(columns) & set(self.grouped):
            return math.inf
        channel = GroupedResponse(1.0 if self.refusal else self.theta, self.groups)
        return math.sqrt(proportion_variance(self.table.split.train, channel, dict.fromkeys(columns, 1)))


@dataclass(frozen=True, eq=False, repr=False)
class ResponseView:
    """What the explorer shows.

    Attributes
    ----------
    scheme : the groups, θ and what follows from them in closed form
    accuracies, naive : of the runs by now, from estimates and from the released records as they are
    curve : for θ above ½ the mean accuracies over some runs, both ways
    others : what the leaked answer tells of others, a row of ``Intruder.known_answer``; None: not yet, or nothing
    """

    scheme: Scheme
    accuracies: np.ndarray
    naive: np.ndarray
    curve: dict[float, tuple[float, float]]
    others: pd.Series | None = None

    def __repr__(self) -> str:
        table, runs = self.scheme.table, len(self.accuracies)
        found = f"{percent(self.accuracies.mean())} from {runs} runs" if runs else "no tree"
        return f"ResponseView({table.name}, θ {self.scheme.theta:g}, {len(self.scheme.groups)} groups: {found})"


def response_view(
    table: str | tuple[pd.DataFrame, str],
    theta: float,
    groups: Any,
    leaked: str | None = None,
    runs: int = 10,
    seed: int = 1,
) -> ResponseView:
    """What answers in groups give away, and how accurate a tree is that learns from them.

    Parameters
    ----------
    table : "adult" (its first 10,000 records), "wbc", "votes"; or a pair, a table of 0 and 1 and the name of its class
    theta : in [0, 1]; at ½ there are the closed forms only
    groups : lists of columns; for the class to be disguised, name it too. Columns in none are open (§4.7).
    leaked : the column whose true answer is known; None: the first one
    runs, seed : as many disguises, by the seeds seed, seed + 1, …

    >>> votes = [["v1", "v2", "v3", "v4"], ["v5", "class"]]
    >>> response_view("votes", 0.9, votes, runs=2)
    ResponseView(votes, θ 0.9, 2 groups: 95.9 % from 2 runs)
    """
    chosen = AnswerTable.own(table) if isinstance(table, tuple) else table_of(checks.choice("table", table, TABLES))
    checks.columns("groups", [column for group in groups for column in group], chosen.columns)
    scheme = Scheme(
        chosen,
        checks.number("theta", theta, 0, 1),
        tuple(map(tuple, GroupedResponse(1.0, groups).groups)),
        chosen.columns[0] if leaked is None else checks.choice("leaked", leaked, chosen.columns),
    )
    *_, last = response_stages(scheme, checks.whole("runs", runs, 1), checks.whole("seed", seed, 0))
    return last.view


def response_stages(scheme: Scheme, runs: int = 10, seed: int = 1, closed_forms_first: bool = False) -> Iterator[Stage]:
    """The closed forms and one tree; then the naive one, more runs, the trade-off, what the leak tells of others.

    Closed forms first: alone, without waiting for a tree, which takes longer than all pictures.
    """
    seeds = range(seed, seed + (0 if scheme.refusal else runs))
    curve = CURVES.setdefault((scheme.table, scheme.groups, seed), {})
    missing = [theta for theta in CURVE if theta not in curve]
    total, done = 2 * len(seeds) + CURVE_RUNS * len(missing) + 1, 0
    found: tuple[list[float], list[float]] = ([], [])
    view = ResponseView(scheme, *_arrays(found), dict(curve))
    if scheme.refusal or closed_forms_first:
        yield Stage(view, done, total, "trade-off" if scheme.refusal else f"run 1 of {runs}")
    for own in seeds:
        for way in (0, 1):
            found[way].append(accuracy(scheme.table, scheme.theta, scheme.groups, own, bool(way)))
            done += 1
            view = ResponseView(scheme, *_arrays(found), dict(curve))
            yield Stage(view, done, total, f"run {len(found[0])} of {runs}")
    for theta in missing:
        both = []
        for own in range(seed, seed + CURVE_RUNS):
            both.append([accuracy(scheme.table, theta, scheme.groups, own, naive) for naive in (False, True)])
            done += 1
            yield Stage(None, done, total, f"trade-off, θ = {theta:g}")
        curve[theta] = tuple(np.mean(both, axis=0).tolist())
        view = ResponseView(scheme, *_arrays(found), dict(curve))
        yield Stage(view, done, total, f"trade-off, θ = {theta:g}")
    others = None
    if not scheme.refusal and scheme.leaked in scheme.grouped and len(scheme.grouped) > 1:
        others = told(scheme.table, scheme.theta, scheme.groups).T[scheme.leaked]
    yield Stage(ResponseView(scheme, *_arrays(found), dict(curve), others), total, total, redraw=False)


@lru_cache(maxsize=8192)
def accuracy(table: AnswerTable, theta: float, groups: Groups, seed: int, naive: bool) -> float:
    """On true test records: of ID3 from estimates, or naive, from released records as if they were true."""
    channel, seen = _released(table, theta, groups, seed)
    return table.split.accuracy(table.split.fit(None if naive else channel, seen))


@lru_cache(maxsize=2)
def _released(table: AnswerTable, theta: float, groups: Groups, seed: int) -> tuple[GroupedResponse, pd.DataFrame]:
    channel = GroupedResponse(theta, groups)
    return channel, channel.disguise(table.split.train, seed)


@lru_cache(maxsize=64)
def told(table: AnswerTable, theta: float, groups: Groups) -> pd.DataFrame:
    """What each answer tells of the others, to who has the list of true records or has not."""
    return Intruder(GroupedResponse(theta, groups), table.records).known_answer()


def by_hand(scheme: Scheme, seeds: range) -> str:
    """Code for the accuracies of all runs, both ways, without the panel; where no tree can be: the best guess."""
    if scheme.refusal:
        return f"from ppdm.measure import best_guess\n\nbest_guess({scheme.own_theta!r}, {scheme.share!r})"
    own = scheme.table.name == OWN
    split = f"dz03.papers_split({scheme.table.name!r})"
    if own:
        split = f"dz03.Split.of(*own, np.random.default_rng({dz03.SPLIT}))  # your own data"
    groups = [list(group) for group in scheme.groups]
    code = CODE.format(split=split, theta=scheme.theta, groups=groups, first=seeds[0], last=seeds[-1] + 1)
    return f"import numpy as np\n{code}" if own else code


def log_odds(theta: float) -> float:
    """|ln θ / (1 − θ)|, the ε of one answer."""
    return abs(math.log(theta / (1 - theta))) if 0 < theta < 1 else math.inf


def _arrays(found: tuple[list[float], list[float]]) -> tuple[np.ndarray, np.ndarray]:
    arrays = np.array(found[0]), np.array(found[1])
    for array in arrays:
        array.setflags(write=False)
    return arrays
