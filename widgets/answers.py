"""Answers in groups, without a widget: closed forms at once, trees from disguised records run by run (DZ03 §4, §5)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.data import BinaryCuts, load
from ppdm.disguise import GroupedResponse
from ppdm.measure import Intruder
from ppdm.reconstruct import proportion_variance
from ppdm.studies import dz03, dz03_privacy

from .own import OWN, own_answers
from .panel import Stage

EXPECTED = "expected a group in every line, its columns separated by commas"
CURVE = (0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # those of DZ03 Figures 3 to 6 above ½, and more near 1
RUNS, CURVE_RUNS = 10, 5  # disguises by the seeds 1, 2, …
Groups = tuple[tuple[str, ...], ...]
Curve = dict[float, tuple[float, float]]  # for some θ the mean accuracies, from estimates and naive
CODE = """\
from ppdm.disguise import GroupedResponse
from ppdm.studies import dz03

split = {split}
channel = GroupedResponse({theta!r}, {groups})

def accuracy(known, seed):
    return split.accuracy(split.fit(known, channel.disguise(split.train, seed)))

[[accuracy(known, seed) for seed in range(1, {end})] for known in (channel, None)]"""


@dataclass(frozen=True, eq=False, repr=False)
class AnswerTable:
    """True records of 0 and 1, with the class as the last column, and how they are divided.

    Attributes
    ----------
    name : of the table
    records : all of them
    split : two thirds to learn from, and a third to test on
    ones : what 1 stands for in each column, in words
    """

    name: str
    records: pd.DataFrame
    split: dz03.Split
    ones: Mapping[str, str]

    @classmethod
    def own(cls, own: object) -> "AnswerTable":
        """Your own table, checked: it can be disguised in groups and learnt from."""
        records, target = own_answers(own)
        split = dz03.Split.of(records, target, np.random.default_rng(dz03.SPLIT))
        if split.train[target].nunique() < 2:
            raise ValueError(f"own has one class, {target!r}, among the records to learn from; expected both")
        return cls(OWN, records, split, {})

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns, the class last."""
        return tuple(map(str, self.records))

    @cached_property
    def benchmark(self) -> float:
        """The accuracy of plain ID3, from true records."""
        return self.split.accuracy(self.split.fit(None, self.split.train))


@lru_cache
def table_of(name: str) -> AnswerTable:
    """A table as DZ03 §5 takes it, all values cut in two."""
    whole, (records, target) = load(name, dz03.PARTS.get(name)), dz03.records(name)
    cuts = BinaryCuts.of(whole.X, whole.listed)
    ones = {**cuts.describe()["1"], target: str(whole.y.cat.categories[-1])}
    return AnswerTable(name, records, dz03.papers_split(name), ones)


def text_of(groups: Sequence[Sequence[str]]) -> str:
    """Groups as a text, one a line."""
    return "\n".join(", ".join(group) for group in groups)


def groups_of(text: str, table: AnswerTable) -> Groups:
    r"""The groups that a text names; every name has to be a column, and none may stand there twice.

    >>> groups_of("v1, v2\nv5, class", table_of("votes"))
    (('v1', 'v2'), ('v5', 'class'))
    """
    if not checks.of_type("who", text, str, EXPECTED.removeprefix("expected ")).strip():
        raise ValueError(f"who is empty; {EXPECTED}")
    lines, line_of = [[name.strip() for name in line.split(",")] for line in text.split("\n")], dict[str, int]()
    for place, line in enumerate(lines, 1):
        if "" in line:
            raise ValueError(f"who has an empty name in line {place}; {EXPECTED}")
        for name in line:
            if name not in table.columns:
                known = f"no column of {table.name}: {', '.join(table.columns)}"
                raise ValueError(f"who names {name!r} in line {place}, which is {known}")
            if name in line_of:
                where = f"in line {place}" if line_of[name] == place else f"in lines {line_of[name]} and {place}"
                raise ValueError(f"who names {name!r} twice, {where}; expected every column in one group at most")
            line_of[name] = place
    return tuple(map(tuple, lines))


@dataclass(frozen=True, eq=False, repr=False)
class Scheme:
    """The groups of the answers and their θ; and which answer leaks.

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
    def channel(self) -> GroupedResponse:
        """What disguises the answers."""
        return GroupedResponse(self.theta, self.groups)

    @cached_property
    def refusal(self) -> str:
        """Why no tree can be grown, in the library's words; empty where one can."""
        try:
            _ = self.channel
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
    def hides_class(self) -> bool:
        """Whether the class is in a group, too."""
        return self.table.split.target in self.grouped

    @property
    def rows(self) -> dict[str, tuple[str, ...]]:
        """The groups by their names, and what is open."""
        rows = {f"group {place}": group for place, group in enumerate(self.groups, 1)}
        return rows | ({"open": self.open_columns} if self.open_columns else {})

    @property
    def kinds(self) -> dict[str, str]:
        """What is known of each answer once the leaked one is."""
        found = dict.fromkeys(self.table.columns, "not told by it") | dict.fromkeys(self.open_columns, "open")
        return found | dict.fromkeys(self.certain, "certain then") | {self.leaked: "leaked"}

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
        return dz03_privacy.best_guess(self.own_theta, self.share)

    @property
    def epsilons(self) -> tuple[float, float]:
        """ε of one disguised answer and of all of them; a group of several answers has none."""
        single = all(len(group) == 1 for group in self.groups)
        one = dz03_privacy.log_odds(self.theta)
        return one, one * len(self.groups) if single else math.inf

    @cached_property
    def errors(self) -> dict[tuple[str, ...], float]:
        """Standard errors of estimated shares: of the leaked column, and of conjunctions over two and three groups."""
        heads = [group[0] for group in self.groups if self.leaked not in group]
        chain = [self.leaked, *heads[:2]]
        return {tuple(chain[:k]): self._error(chain[:k]) for k in range(1, len(chain) + 1)}

    def _error(self, columns):
        if self.refusal and set(columns) & set(self.grouped):
            return math.inf
        channel = GroupedResponse(1.0, self.groups) if self.refusal else self.channel
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
    curve: Curve
    others: pd.Series | None = None


# The trade-offs as far as they are known.
CURVES: dict[tuple[AnswerTable, Groups], Curve] = {}


def response_stages(scheme: Scheme, closed_forms_first: bool = False) -> Iterator[Stage]:
    """First closed forms and one tree; then the naive tree, more runs, the trade-off, and what the leak reveals.

    With ``closed_forms_first`` they come alone: one tree takes longer than all pictures.
    """
    runs = 0 if scheme.refusal else RUNS
    curve = CURVES.setdefault((scheme.table, scheme.groups), {})
    missing = [theta for theta in CURVE if theta not in curve]
    total, done = 2 * runs + CURVE_RUNS * len(missing) + 1, 0
    found: tuple[list[float], list[float]] = ([], [])

    def view(others=None):
        return ResponseView(scheme, np.array(found[0]), np.array(found[1]), dict(curve), others)

    if scheme.refusal or closed_forms_first:
        yield Stage(view(), done, total, "trade-off" if scheme.refusal else f"run 1 of {runs}")
    for seed in range(1, runs + 1):
        for accuracies, naive in zip(found, (False, True)):
            accuracies.append(accuracy(scheme.table, scheme.theta, scheme.groups, seed, naive))
            done += 1
            yield Stage(view(), done, total, f"run {seed} of {runs}")
    for theta in missing:
        both = []
        for seed in range(1, CURVE_RUNS + 1):
            both.append([accuracy(scheme.table, theta, scheme.groups, seed, naive) for naive in (False, True)])
            done += 1
            yield Stage(None, done, total, f"trade-off, θ = {theta:g}")
        curve[theta] = tuple(np.mean(both, axis=0).tolist())
        yield Stage(view(), done, total, f"trade-off, θ = {theta:g}")
    others = None
    if not scheme.refusal and scheme.leaked in scheme.grouped and len(scheme.grouped) > 1:
        others = leaks(scheme.table, scheme.theta, scheme.groups).loc[scheme.leaked]
    yield Stage(view(others), total, total, redraw=False)


@lru_cache(maxsize=8192)
def accuracy(table: AnswerTable, theta: float, groups: Groups, seed: int, naive: bool) -> float:
    """The accuracy of ID3 on true test records: from estimates, or naive, from what is released as if it were true."""
    channel, seen = _released(table, theta, groups, seed)
    return table.split.accuracy(table.split.fit(None if naive else channel, seen))


@lru_cache(maxsize=2)
def _released(table, theta, groups, seed):
    channel = GroupedResponse(theta, groups)
    return channel, channel.disguise(table.split.train, seed)


@lru_cache(maxsize=64)
def leaks(table: AnswerTable, theta: float, groups: Groups) -> pd.DataFrame:
    """What each answer tells an intruder, who has the list of true records without names, of the others."""
    return Intruder(GroupedResponse(theta, groups), table.records).known_answer()


def by_hand(scheme: Scheme) -> str:
    """Code for the accuracies of all runs, both ways, by the library; or for the best guess, where no tree can be."""
    if scheme.refusal:
        return f"from ppdm.studies.dz03_privacy import best_guess\n\nbest_guess({scheme.own_theta!r}, {scheme.share!r})"
    needs, split = "", f"dz03.papers_split({scheme.table.name!r})"
    if scheme.table.name == OWN:
        needs = "import numpy as np\n"
        split = f"dz03.Split.of(*own, np.random.default_rng({dz03.SPLIT}))  # your own data"
    groups = [list(group) for group in scheme.groups]
    return needs + CODE.format(split=split, theta=scheme.theta, groups=groups, end=RUNS + 1)
