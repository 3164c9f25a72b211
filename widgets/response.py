"""Answers in groups: move θ and the groups, and see what an answer gives away, what a leak tells, what a tree keeps."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

import ipywidgets as ipw
import numpy as np

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.studies import dz03

from .answers import AnswerTable, ResponseView, Scheme, by_hand, groups_of, response_stages, table_of, text_of
from .controls import accept, choice, labelled, percent, slider
from .own import OWN
from .panel import Panel, Stage
from .picture import LivePicture
from .response_pictures import KINDS, Guesses, Repeats, TradeOff, two_errors
from .response_sheet import Sheet

DRAWS = (0, 50)
LONG = 70  # letters


class ResponseExplorer(Panel):
    """Answers in groups (DZ03): at once what one answer gives away; then, run by run, how accurate a tree is.

    Parameters
    ----------
    table : "adult" (its first 10,000 records), "wbc", "votes" or "own data"; None: ``own`` if you give it, else "adult"
    theta : the probability of the truth, in [0, 1]
    groups : the number of groups
    dealt : 0: neighbours share a group; 1 to 50: a seed by which the columns are dealt into groups
    disguised : whether the class is in a group too
    leaked : the column whose true answer becomes known; None: the first one
    who : the groups themselves, a line each, the columns separated by commas; columns in no group are open (§4.7).
        It overrides groups, dealt and disguised.
    own : a pair: a table of 0 and 1 (2 to 20 columns, 12 records or more), and the name of its class

    >>> ResponseExplorer("votes", theta=0.8, groups=2, leaked="v4").numbers().split("; ")[4:7]
    ['ε: 1.39 for one coin', 'infinite for v4 as released', 'infinite for the whole sheet']
    """

    def __init__(
        self,
        table: str | None = None,
        theta: float = 0.9,
        groups: int = 1,
        dealt: int = 0,
        disguised: bool = True,
        leaked: str | None = None,
        who: str | None = None,
        own=None,
    ) -> None:
        self._own = {} if own is None else {OWN: AnswerTable.own(own)}
        self.given = ("own",) * (own is not None)
        names = [*self._own, *dz03.TABLES]
        self.controls = {"table": choice("table", names[0] if table is None else table, names)}
        columns = self._table.columns
        number = len(columns) - (not checks.flag("disguised", disguised))
        checks.number("theta", theta, "[0, 1]")
        self.controls |= {
            "theta": ipw.FloatSlider(theta, min=0, max=1, step=0.01, **labelled("θ", "probability of the truth")),
            "groups": slider("groups", groups, 1, number),
            "dealt": slider("dealt", dealt, *DRAWS, label="deal"),
            "disguised": ipw.Checkbox(disguised, **labelled("class disguised")),
            "leaked": choice("leaked", columns[0] if leaked is None else leaked, columns, label="leaked answer"),
            "who": ipw.Textarea("", continuous_update=False, rows=4, **labelled("members", width="686px")),
        }
        for name in ("table", "disguised"):
            self.controls[name].observe(lambda _: self._refit(), "value")
        self.follow({"groups"})
        if who is not None:
            self.controls["who"].value = text_of(groups_of(who, self._table))
            self.follow({"who"})
        self._sheet, self._guesses, self._repeats, self._trade_off = Sheet(), Guesses(), Repeats(), TradeOff()
        self._assemble()

    def make_room(self, values: Mapping[str, Any]) -> None:
        """Move the table and the class first, because they decide which values the other controls can take."""
        with self._holding():
            for name in ("table", "disguised"):
                if name in values:
                    accept(self.controls[name], name, values[name])
                    self.controls[name].value = values[name]

    def follow(self, moved: Collection[str]) -> None:
        """The text names the columns of each group: it follows the other controls, and they follow it."""
        if "who" in moved:
            with suppress(ValueError):  # a text with a mistake moves nothing
                scheme = self._scheme()
                self.controls["disguised"].value = scheme.hides_class
                self.controls["groups"].value = len(scheme.groups)
        elif {"table", "groups", "dealt", "disguised"} & set(moved):
            columns = [c for c in self._table.columns if self._at("disguised") or c != self._table.split.target]
            number, seed = self._at("groups"), self._at("dealt")
            drawn, divided = GroupedResponse.drawn, GroupedResponse.divided
            dealt = drawn(1.0, columns, number, seed) if seed else divided(1.0, columns, number)
            self.controls["who"].value = text_of(dealt.groups)
        self.controls["dealt"].disabled = self._at("groups") == 1  # there is but one way to deal

    def stages(self) -> Iterator[Stage]:
        """First closed forms and one tree; then more runs, the trade-off, and what the known answer reveals."""
        scheme = self._scheme()
        for name, said in (("groups", len(scheme.groups)), ("disguised", scheme.hides_class)):
            if self._at(name) != said:
                expected = f"{said} by who, {self._at('who')!r}"
                raise ValueError(f"{name} is {self._at(name)}, but {expected}; give one of both")
        # Other groups are seen at once: a slider of groups is followed by the sheet, one of θ by the accuracies.
        last = self._view
        regrouped = last is not None and last.scheme.groups != scheme.groups
        yield from response_stages(scheme, closed_forms_first=regrouped)

    def draw(self, view: ResponseView) -> list[LivePicture]:
        """The groups and the known answer; what one answer gives away; accuracies; the trade-off."""
        scheme, table, number = view.scheme, view.scheme.table, len(view.scheme.groups)
        levels = (table.benchmark, table.split.majority)
        name = dz03.TABLES.get(table.name, table.name)
        state = f"{name}, θ {scheme.theta:g}, {number} group{'' if number == 1 else 's'}"
        return [
            self._sheet.show(scheme.rows, scheme.kinds, table.split.target),
            self._guesses.show(scheme.share, theta=scheme.own_theta, name=scheme.leaked),
            self._repeats.show((view.accuracies, view.naive), levels, title=f"Accuracy: {state}"),
            self._trade_off.show(view.curve, levels, theta=scheme.theta, runs=view.accuracies),
        ]

    def facts(self, view: ResponseView) -> dict[str, str]:
        """What is given away, how sure estimates are, how accurate the trees."""
        scheme, leaked = view.scheme, view.scheme.leaked
        found = _released_facts(scheme)
        shares = [f"{_finite(error, 4)} for {' and '.join(columns)}" for columns, error in scheme.errors.items()]
        shares.append(f"all among {len(scheme.table.split.train):,} people")
        found["standard error of an estimated share of 1"] = "; ".join(shares)
        certain = len(scheme.certain)
        others = f"{certain or 'no'} other answer{' becomes' if certain < 2 else 's become'} certain"
        nothing = "nothing follows: it is open, so it tells of no coin"
        found[f"if {leaked} leaks"] = nothing if leaked in scheme.open_columns else others
        if scheme.open_columns:
            found["not disguised"] = f"{len(scheme.open_columns)} of {len(scheme.table.columns)} answers"
        if view.others is not None:
            told = view.others.map(lambda share: percent(share, 0))
            found["how often another answer is guessed"] = (
                f"{told['before']} by an intruder who has the list of true records without names; {told['answer']} by "
                f"one who also knows {leaked}, {told['release']} by one who also has the sheet, {told['both']} by one "
                "who has both"
            )
        return found | _accuracies(view)

    def code(self) -> str:
        """How to get the accuracies of all runs, both ways, by the library alone; at ½ the best guess."""
        return by_hand(self._scheme())

    def _at(self, name):
        return self.controls[name].value

    @property
    def _table(self):
        return self._own.get(self._at("table")) or table_of(self._at("table"))

    def _scheme(self):
        table = self._table
        return Scheme(table, self._at("theta"), groups_of(self._at("who"), table), self._at("leaked"))

    def _refit(self):
        """Let the other controls take what the table and the class allow."""
        with self._holding():
            columns, leaked = self._table.columns, self.controls["leaked"]
            if leaked.options != columns:
                leaked.options = columns
            self.controls["groups"].max = len(columns) - (not self._at("disguised"))


def _released_facts(scheme):
    """What the release gives away of the leaked answer."""
    guess, leaked, (one, sheet) = scheme.guess, scheme.leaked, scheme.epsilons
    found = {}
    if scheme.table.ones:
        words = scheme.table.ones[leaked]
        cut = f"{words[:LONG].rsplit(',', 1)[0]}, …"
        found[f"{leaked} = 1 stands for"] = words if len(words) <= LONG else cut
    alone = any(tuple(group) == (leaked,) for group in scheme.groups)  # then ε is that of its coin
    released = _finite(one if alone else float("inf"))
    return found | {
        f"probability that {leaked} is 1": f"{percent(guess.yes)} after a 1, {percent(scheme.share)} before any answer",
        f"probability that {leaked} is 0": f"{percent(1 - guess.no)} after a 0, {percent(1 - scheme.share)} before",
        "how often the best guess is right": f"{percent(guess.right)}, {_beside_bound(scheme)}",
        "ε": f"{_finite(one)} for one coin; {released} for {leaked} as released; {_finite(sheet)} for the whole sheet",
    }


def _beside_bound(scheme):
    """How the best guess stands to DZ03 §1.2: it is right with probability θ at most, or 1 − θ for θ below ½."""
    if scheme.leaked in scheme.open_columns:
        return "because it is open"
    name, bound = ("θ", scheme.theta) if scheme.theta >= 0.5 else ("1 − θ", 1 - scheme.theta)
    if scheme.guess.right > bound + 1e-12:
        return f"more than {name}, which is the most, says the paper"
    return f"no more than {name}, as the paper says"


def _finite(value, digits=2):
    return "infinite" if np.isinf(value) else f"{value:.{digits}f}"


def _accuracies(view):
    """Both ways to grow a tree, beside what there is to reach and to beat."""
    table = view.scheme.table
    known = {
        "accuracy of plain ID3 from true records": percent(table.benchmark),
        "accuracy without a tree": f"{percent(table.split.majority)}, by always naming the more frequent class",
    }
    if view.scheme.refusal:
        return {"tree": f"none can be grown: {view.scheme.refusal}", **known}
    both = zip(KINDS, (view.accuracies, view.naive))
    found = {f"accuracy of the tree, {kind}": _spread(runs) for kind, runs in both}
    found |= known
    if 1 < len(view.naive) == len(view.accuracies):
        ahead = view.naive - view.accuracies
        if ahead.mean() > two_errors(ahead):
            shared = any(len(group) > 1 for group in view.scheme.groups)
            why = "within a group comparisons are released as they are" if shared else "it is biased"
            found["which tree is better"] = f"the naive one: {why}, and estimates vary more"
    return found


def _spread(runs):
    if len(runs) < 2:
        return f"{percent(runs[0])} (1 run)" if len(runs) else "…"
    return f"{percent(runs.mean())} ± {percent(two_errors(runs))} ({len(runs)} runs)"
