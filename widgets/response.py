"""Answers in groups: move θ and the groups, and see what an answer gives away, what a leak tells, what a tree keeps."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import ipywidgets as ipw
import numpy as np

from ppdm import checks
from ppdm.disguise import GroupedResponse

from .answer_tables import AnswerTable, Groups, groups_of, table_of, text_of
from .answers import TABLES, ResponseView, Scheme, by_hand, response_stages
from .controls import accept, choice, labelled, slider
from .look import percent
from .own import OWN
from .panel import Panel, Stage
from .picture import LivePicture
from .response_pictures import Guesses, Repeats, TradeOff
from .response_sheet import Sheet

DRAWS = (0, 50)
LONG = 70  # letters
RUNS, SEED = 10, 1
KINDS = ESTIMATES, NAIVE = "from estimates", "naive"
LEVELS = "plain ID3", "majority"


class ResponseExplorer(Panel):
    """Answers in groups (DZ03): what one gives away at once, and what is left of a tree's accuracy, run by run.

    Parameters
    ----------
    table : "adult" (its first 10,000 records), "wbc", "votes" or "own data"; None: ``own`` where there is one
    theta : the probability of the truth, in [0, 1]
    groups : how many there are
    dealt : 0: neighbours share a group; 1 to 50: a seed by which the columns are dealt into groups
    disguised : whether the class is in a group too
    leaked : the column whose true answer becomes known; None: the first one
    who : the groups themselves, a line each, the columns separated by commas; columns in none are open (§4.7). It goes
        before groups, dealt and disguised.
    own : a pair, a table of 0 and 1 and the name of its class

    >>> ResponseExplorer("votes", theta=0.8, groups=2, leaked="v4").numbers().split("; ")[4:7]
    ['ε 1.39 of a coin', 'none (∞) of v4, released', 'none (∞) of all']
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
        own: Any = None,
    ) -> None:
        self._own: AnswerTable | None = None if own is None else AnswerTable.own(own)
        self.given = () if own is None else ("own",)
        names = [*([] if own is None else [OWN]), *TABLES]
        self.controls = {"table": choice("table", names[0] if table is None else table, names)}
        self.controls |= self._rest(theta, groups, dealt, disguised, leaked)
        self.follow({"groups"})
        if who is not None:
            self.controls["who"].value = text_of(groups_of(who, self._table))
            self.follow({"who"})
        self._sheet, self._guesses = Sheet(), Guesses()
        self._repeats, self._trade_off = Repeats(KINDS, LEVELS), TradeOff(KINDS, LEVELS)
        for name in ("table", "disguised"):
            self.controls[name].observe(lambda _: self._refit(), "value")
        self._assemble()

    def _rest(self, theta: float, groups: int, dealt: int, disguised: bool, leaked: str | None) -> dict[str, Any]:
        """The controls beside the table's, as they can stand for it."""
        columns = self._table.columns
        number = len(columns) - (not checks.flag("disguised", disguised))
        checks.number("theta", theta, 0, 1)
        return {
            "theta": ipw.FloatSlider(theta, min=0, max=1, step=0.01, description="θ", **labelled()),
            "groups": slider("groups", groups, 1, number),
            "dealt": slider("dealt", dealt, *DRAWS, label="deal"),
            "disguised": ipw.Checkbox(disguised, description="class disguised", **labelled()),
            "leaked": choice("leaked", columns[0] if leaked is None else leaked, columns, label="leaked answer"),
            "who": ipw.Textarea("", description="members", continuous_update=False, rows=4, **labelled("686px")),
        }

    def make_room(self, values: Mapping[str, Any]) -> None:
        """The table and the class go first, for what others can stand at goes by them."""
        first = {name: values[name] for name in ("table", "disguised") if name in values}
        for name, value in first.items():
            accept(self.controls[name], name, value)
        with self._holding():
            for name, value in first.items():
                self.controls[name].value = value
            self.follow(first)

    def follow(self, moved: Collection[str]) -> None:
        """The text says who is in which group: it follows the other controls, and they follow it."""
        if "who" in moved:
            self._follow_text()
        elif {"table", "groups", "dealt", "disguised"} & set(moved):
            columns = [c for c in self._table.columns if self._at("disguised") or c != self._table.target]
            number, seed = self._at("groups"), self._at("dealt")
            drawn, divided = GroupedResponse.drawn, GroupedResponse.divided
            dealt = drawn(1.0, columns, number, seed) if seed else divided(1.0, columns, number)
            self.controls["who"].value = text_of(dealt.groups)

    def stages(self) -> Iterator[Stage]:
        """Closed forms, for the same groups with one tree; then runs, the trade-off, what the leak tells of others."""
        scheme = self._scheme()
        self._check_agreement(scheme.groups)
        # Other groups are seen at once: a slider of groups is followed by the sheet, one of θ by the accuracies.
        last = self._view
        regrouped = last is not None and last.scheme.groups != scheme.groups
        yield from response_stages(scheme, RUNS, SEED, closed_forms_first=regrouped)

    def draw(self, view: ResponseView) -> list[LivePicture]:
        """Who shares a coin and what leaks; what one answer gives away; accuracies; the trade-off."""
        scheme, table = view.scheme, view.scheme.table
        lines = dict(zip(LEVELS, (table.benchmark, table.majority), strict=True))
        number = len(scheme.groups)
        state = f"{table.name}, θ {scheme.theta:g}, {number} group{'' if number == 1 else 's'}"
        curve = sorted(view.curve.items())
        thetas = [theta for theta, _ in curve]
        return [
            self._sheet.show(
                scheme.rows,
                open_columns=scheme.open_columns,
                leaked=scheme.leaked,
                certain=scheme.certain,
                names={} if table.target == "class" else {table.target: f"{table.target} (class)"},
                title="A coin a group; and what a leak tells",
            ),
            self._guesses.show(
                scheme.share,
                theta=scheme.own_theta,
                name=scheme.leaked,
                title="What one answer tells",
            ),
            self._repeats.show(
                {ESTIMATES: view.accuracies, NAIVE: view.naive}, lines=lines, title=f"Accuracy: {state}"
            ),
            self._trade_off.show(
                thetas,
                {name: [both[way] for _, both in curve] for way, name in enumerate(KINDS)},
                here=(scheme.theta, view.accuracies),
                lines=lines,
                title="Accuracy against privacy",
            ),
        ]

    def facts(self, view: ResponseView) -> dict[str, str]:
        """What is given away, how sure estimates are, how accurate the trees."""
        scheme, guess, leaked = view.scheme, view.scheme.guess, view.scheme.leaked
        one, sheet = scheme.epsilons
        found = {
            **({f"{leaked} = 1": _short(scheme.table.ones[leaked])} if scheme.table.ones else {}),
            f"{leaked} is 1": f"{percent(guess.yes)} after a 1 ({percent(scheme.share)} before any answer)",
            f"{leaked} is 0": f"{percent(1 - guess.no)} after a 0 ({percent(1 - scheme.share)} before)",
            "best guess right": f"{percent(guess.right)}, {_beside_bound(scheme)}",
            "ε": f"{_epsilon(one)} of a coin; {_as_released(scheme)} of {leaked}, released; {_epsilon(sheet)} of all",
            "standard error, shares of 1": _errors(scheme),
            f"{leaked} leaks": _leak(scheme),
        }
        if scheme.open_columns:
            found["open"] = f"{len(scheme.open_columns)} of {len(scheme.table.columns)} answers"
        if view.others is not None:
            chances = [percent(view.others[column], 0) for column in ("before", "answer", "release", "both")]
            found["another answer is guessed"] = (
                "{} by who has the list of true records, no names; {} with {} besides, {} with the sheet, {} with both"
            ).format(*chances[:2], leaked, *chances[2:])
        return found | _accuracies(view)

    def code(self) -> str:
        """How to get the accuracies of all runs, both ways, by the library alone; at ½ the best guess."""
        return by_hand(self._scheme(), range(SEED, SEED + RUNS))

    def _at(self, name: str) -> Any:
        return self.controls[name].value

    @property
    def _table(self) -> AnswerTable:
        table = self._at("table")
        return self._own if self._own is not None and table == OWN else table_of(table)

    def _scheme(self) -> Scheme:
        groups = groups_of(self._at("who"), self._table)
        return Scheme(self._table, self._at("theta"), groups, self._at("leaked"))

    def _refit(self) -> None:
        """Let the other controls stand where the table and the class allow."""
        with self._holding():
            columns, leaked = self._table.columns, self.controls["leaked"]
            if leaked.options != columns:
                leaked.options = columns
            self.controls["groups"].max = len(columns) - (not self._at("disguised"))

    def _follow_text(self) -> None:
        """Number of groups and class as the text has them; a text with a mistake moves nothing."""
        try:
            groups = groups_of(self._at("who"), self._table)
        except ValueError:
            return
        named = any(self._table.target in group for group in groups)
        self.controls["disguised"].value = named
        self.controls["groups"].max = len(self._table.columns) - (not named)
        self.controls["groups"].value = len(groups)

    def _check_agreement(self, groups: Groups) -> None:
        """Refuse a text that says one thing, and a control that says another."""
        named = any(self._table.target in group for group in groups)
        for name, said in (("groups", len(groups)), ("disguised", named)):
            if self._at(name) != said:
                raise ValueError(
                    f"{name} is {self._at(name)}, but {said} by who, {self._at('who')!r}; give one of both"
                )


def _beside_bound(scheme: Scheme) -> str:
    """How the best guess stands to DZ03 §1.2."""
    if scheme.leaked in scheme.open_columns:
        return "for it is open"
    bound = "θ" if scheme.theta >= 0.5 else "1 − θ"
    if scheme.guess.right > scheme.bound + 1e-12:
        return f"more than {bound}, which DZ03 §1.2 gives as the most"
    return f"no more than {bound}, as DZ03 §1.2 has it"


def _as_released(scheme: Scheme) -> str:
    """The ε of the leaked answer among those of its group: a coin's, if it has one of its own."""
    alone = (scheme.leaked,) in [tuple(group) for group in scheme.groups]
    return _epsilon(scheme.epsilons[0] if alone else float("inf"))


def _epsilon(value: float) -> str:
    return "none (∞)" if np.isinf(value) else f"{value:.2f}"


def _short(words: str) -> str:
    return f"stands for {words}" if len(words) <= LONG else f"stands for {words[:LONG].rsplit(',', 1)[0]}, …"


def _errors(scheme: Scheme) -> str:
    """How sure estimated shares are."""
    shares = (
        f"{' and '.join(columns)} {error:.4f}".replace("inf", "∞, no estimate")
        for columns, error in scheme.errors.items()
    )
    return f"{'; '.join(shares)} (shares of {len(scheme.table.split.train):,} people)"


def _leak(scheme: Scheme) -> str:
    if scheme.leaked in scheme.open_columns:
        return "it is open: it tells of no coin"
    number = len(scheme.certain)
    return f"{number} other answer{'' if number == 1 else 's'} certain" if number else "no other answer certain"


def _accuracies(view: ResponseView) -> dict[str, str]:
    """Both ways to grow a tree, beside what there is to reach and to beat."""
    table = view.scheme.table
    known = {"plain ID3, true records": percent(table.benchmark), "majority": percent(table.majority)}
    if view.scheme.refusal:
        return {"tree": f"none: {view.scheme.refusal}", **known}
    found = {f"tree {ESTIMATES}": _spread(view.accuracies), f"tree {NAIVE}": _spread(view.naive), **known}
    if 1 < len(view.naive) == len(view.accuracies):
        ahead = view.naive - view.accuracies
        if ahead.mean() > 2 * ahead.std(ddof=1) / len(ahead) ** 0.5:
            shared = any(len(group) > 1 for group in view.scheme.groups)
            why = "within a group comparisons are released as they are" if shared else "it is biased"
            found["better"] = f"naive: {why}, and estimates vary more"
    return found


def _spread(runs: np.ndarray) -> str:
    if not len(runs):
        return "…"
    if len(runs) == 1:
        return f"{percent(runs[0])} (1 run)"
    return f"{percent(runs.mean())} ± {percent(2 * runs.std(ddof=1) / len(runs) ** 0.5)} ({len(runs)} runs)"
