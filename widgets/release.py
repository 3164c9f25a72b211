"""Choose what happens to each column of a table, and see what its release gives away, and what it keeps (LSL03)."""

import warnings
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from copy import copy
from pprint import pformat
from threading import Event
from typing import Any

import ipywidgets as ipw
import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.checks import is_number, readable
from ppdm.disguise import PrivacySpecification, PrivacyWarning
from ppdm.measure import release_report

from .controls import choice, percent, slider
from .own import table_to_release
from .panel import Panel, Stage
from .picture import LivePicture, apart
from .release_pictures import Balance, Head, ReleaseView

LEVELS, TOLERANCES, THRESHOLDS, SEEDS = (5, 200, 5), (0, 25), (5, 100, 5), (1, 20)
LEVEL, LABEL = 100, 7  # that a column begins with; letters of its name beside a control
TOLERANCE = 5  # per cent: the library's default
ROWS, TELLING = 9, 10  # of the released table that are shown; attributes whose information is shown
BEAT, PAUSE = 0.02, 0.15  # seconds between two looks at the thread; before it begins, for a picture comes first
NOTHING, OTHERS = "nothing", "all others"
LEVELLED = ("discretise", "discretise by class", "add")  # what has a level, and is for numbers
ACTIONS = ("keep", "drop", *LEVELLED, "shuffle within class", "redraw", "shuffle")
LEVEL_IS = "privacy in per cent of 'add'; least records of an interval of 'discretise'"
# LSL03 §4 has two columns at risk, one of them irrelevant. What an intruder may know is our choice.
PIMA = {"preg": "drop", "age": "shuffle within class", "plas": "keep"}
DOING = "inferring, and growing trees"
THREAD = ThreadPoolExecutor(1)  # infers and grows trees, so that controls answer meanwhile


class ReleaseExplorer(Panel):
    """Choose what happens to each column before a table is released, and see risk above utility (LSL03 §2 to §4).

    What an intruder names by a link is seen at once. What he infers from the other columns, the verdict and the
    accuracy of C4.5 follow. All of it is ``measure.release_report``, of a release with a seed, for study only. The
    rows that are shown hold released values alone.

    Parameters
    ----------
    actions : what happens to columns, by their names: a dropdown for each. Sensitive columns that are not named are
        dropped, all others kept. None: what LSL03 §4 does with Pima; of your own table, sensitive columns are shuffled
        within class
    levels : by column, 5, 10, … 200. Of "add" it is the privacy level in per cent, of both "discretise" the least
        number of records of an interval. Columns that are not named begin with 100
    sensitive : the columns at risk, which a star marks; None: "preg" and "age" of Pima. Those of ``specification`` are
        so, too
    known : what an intruder knows of a person: columns, separated by commas, or "nothing", or "all others", which are
        those that are not sensitive
    tolerance : a guess that is off by no more names a number; in per cent of its range
    threshold : the share of people whose sensitive value may be named, in per cent
    seed : 1 to 20: another one shuffles and draws otherwise
    own : a pair: a frame of 30 records or more, and a class for each. Of more than 5,000 records a sample is taken
    specification : a dict as for ``PrivacySpecification``. What it says goes before the controls, and a column that it
        names has none. All its faults are told at once

    >>> ReleaseExplorer({"preg": "drop", "age": "keep"}, sensitive=["preg"]).numbers().split(";")[0]
    'verdict: Held: no threshold is passed, and no record is disclosed completely.'
    """

    _figures: tuple[Balance, Head] | None = None  # made at first sight, and kept

    def __init__(
        self,
        actions: Mapping[str, str] | None = None,
        levels: Mapping[str, int] | None = None,
        sensitive: Collection[str] | None = None,
        known: str | None = None,
        tolerance: int = TOLERANCE,
        threshold: int = 60,
        seed: int = 1,
        own=None,
        specification: Mapping[str, Any] | None = None,
    ) -> None:
        self._table, self._target, self._made_by = table_to_release(own)
        self.given = ("own",) * (own is not None) + ("specification",) * (specification is not None)
        self._told = {} if specification is None else checks.mapping("specification", specification)
        entries = checks.of_type("specification's columns", self._told.get("columns", {}), Mapping, "a dict")
        self._columns = [name for name in self._table if name != self._target]
        at_risk = ["preg", "age"] if own is None else []
        self._sensitive = self._at_risk(at_risk if sensitive is None else sensitive, entries)
        usual = PIMA | {name: "drop" for name in self._sensitive if PIMA.get(name) == "keep"}
        usual = usual if own is None else dict.fromkeys(self._sensitive, "shuffle within class")
        actions = usual if actions is None else checks.mapping("actions", actions)
        checks.columns("actions", actions, self._columns)
        actions |= {name: "drop" for name in self._sensitive if name not in actions}
        boxes = self._add({name: actions[name] for name in actions if name not in entries}, levels)
        known = ("plas, mass" if own is None else NOTHING) if known is None else known
        checks.of_type("known", known, str, "columns, separated by commas")
        self._assemble(boxes=boxes + self._add_common(known, tolerance, threshold, seed))

    def _at_risk(self, named, entries):
        """The sensitive columns: those that are named, and those of your own specification."""
        names = checks.columns("sensitive", named, self._columns)
        names = names and checks.distinct("sensitive", names)
        sound = {name: dict(entry) for name, entry in entries.items() if isinstance(entry, Mapping)}
        names += [name for name in self._columns if sound.get(name, {}).get("sensitive") and name not in names]
        at_risk = {name: sound[name] | {"sensitive": True} for name in names if name in sound}
        self._entries = {**entries, **at_risk}
        return names

    def _add(self, actions, levels):
        """Controls of what happens to each column, and of its level if it holds numbers, in a box."""
        levels = {} if levels is None else checks.mapping("levels", levels)
        self.controls, self._chosen, boxes = {}, list(actions), []
        for name, label in apart(self._chosen, LABEL).items():
            numbers, at_risk = is_number(self._table[name].dtype), name in self._sensitive
            options = [one for one in ACTIONS if numbers or one not in LEVELLED][at_risk:]  # not "keep"
            what, star = f"actions[{name!r}]" + ", of a sensitive column," * at_risk, " *" * at_risk
            pair = [choice(what, actions[name], options, label + star, tip=f"what happens to {name}")]
            if numbers:
                told = f"levels[{name!r}]", levels.get(name, LEVEL), *LEVELS
                pair.append(slider(*told, label=f"{label}: level", tip=f"{name}: {LEVEL_IS}"))
            self.controls |= dict(zip((f"action of {name}", f"level of {name}"), pair))
            boxes.append(ipw.VBox(pair))
        idle = [name for name in levels if actions.get(name) not in LEVELLED]
        if idle:
            raise ValueError(f"levels names {idle[0]!r}, whose action has none; expected an action of {LEVELLED}")
        return boxes

    def _add_common(self, known, tolerance, threshold, seed):
        """Controls that are not those of a column; what your own specification says is shown, and cannot be moved."""
        offered = [NOTHING, *(name for name in self._columns if name not in self._sensitive), OTHERS]
        known = known if known in offered else ", ".join(self._known(known))
        common = {
            "known": choice("known", known, dict.fromkeys([known, *offered])),
            "tolerance": slider("tolerance", tolerance, *TOLERANCES, label="tolerance %"),
            "threshold": slider("threshold", threshold, *THRESHOLDS, label="threshold %"),
            "seed": slider("seed", seed, *SEEDS, label="draw"),
        }
        for name in {"known", "threshold"} & self._told.keys():
            words = str(self._told[name])  # even what is wrong: then the faults are told
            common[name] = choice(name, words, [words])
            common[name].disabled = True
        self.controls |= common
        return [*common.values()]

    def follow(self, moved: Collection[str]) -> None:
        """A level that is moved has a use: where what happens to its column has none, noise is added."""
        for name in self._chosen:
            action = self.controls[f"action of {name}"]
            if f"level of {name}" in moved and action.value not in LEVELLED:
                action.value = "add"

    def stages(self) -> Iterator[Stage]:
        """First the release and what links tell; the rest comes from a thread, so that newer moves need not wait."""
        # A seed alone would draw anew for another threshold, too.
        fitted = PrivacySpecification(self.specification, random_state=np.random.default_rng(self.state["seed"]))
        with warnings.catch_warnings(action="ignore", category=PrivacyWarning):  # the report says the same
            released = fitted.release(self._table)
        quick = ReleaseView(fitted, released, release_report(fitted, self._table, released, quick=True))
        lost = [name for name in self._sensitive if name not in quick.risks.index]
        if lost or quick.risks.empty:
            raise ValueError(f"sensitive names {lost or 'no column'}; expected columns at risk that hold values")
        yield Stage(quick, 1, 2, DOING)
        moved_on = Event()  # the thread holds this, and not the panel
        asked = THREAD.submit(_whole_report, fitted, self._table, released, moved_on)
        try:
            while not asked.done():
                yield Stage(None, 1, 2, DOING)
                wait([asked], BEAT)
        finally:
            moved_on.set()
        yield Stage(ReleaseView(fitted, released, asked.result(), whole=True), 2, 2)

    def draw(self, view: ReleaseView) -> list[LivePicture]:
        """Risk above utility, and some rows of the released table."""
        rows, risks, seen = view.report.columns, view.risks, view.released
        gains = rows["gain before"].dropna().nlargest(TELLING)
        if self._figures is None:
            self._figures = Balance(list(risks.index), gains.to_dict()), Head()
        balance, head = self._figures
        kept = rows.loc[gains.index, "gain after"].astype(float)
        some = seen.sample(min(ROWS, len(seen)), random_state=0)
        order = dict.fromkeys([self._target, *self._chosen, *seen])
        words = {name: [_word(value) for value in some[name]] for name in order if name in some}
        headlines = f"Risk: {view.verdict}", f"Utility: {view.right}"
        return [balance.show(risks, kept, headlines), head.show(words, list(risks.index))]

    def facts(self, view: ReleaseView) -> dict[str, str]:
        """The verdict, what an intruder names of each sensitive column, and what a miner keeps."""
        found = {"verdict": "…" if view.verdict == "…" else view.report.summary}
        for name, row in view.risks.iterrows():
            within = "5 % of its range" if pd.isna(row["tolerance"]) else readable(row["tolerance"])
            near = f"within {within}: " * is_number(self._table[name].dtype)
            shares = [percent(row[one]) for one in ("named", "inferred", "baseline", "threshold")]
            told = "{} by a link, {} by the other columns, {} without the release; accepted: {}".format(*shares)
            found[f"{name} is named"] = near + told.replace("nan %", "…")
        notes = [note.rstrip(".") for note in view.report.warnings]
        return found | {"utility": view.right, "note": "; ".join(notes)}

    def arguments(self) -> dict[str, Any]:
        """What the constructor takes; of levels only those in use."""
        at = self.state
        actions = {name: at[f"action of {name}"] for name in self._chosen}
        levels = {name: at[f"level of {name}"] for name, action in actions.items() if action in LEVELLED}
        told = {"actions": actions, "levels": levels, "sensitive": self._sensitive}
        told = {name: value for name, value in told.items() if value}
        return told | {name: value for name, value in at.items() if " of " not in name and name not in self._told}

    def codes(self) -> dict[str, str]:
        """The specification, too."""
        return {"the specification, as TOML": self._view.specification.to_toml(), **super().codes()}

    def code(self) -> str:
        """How to release the same table and to get the same report, by the library alone."""
        lines = [
            "import numpy as np",
            "from ppdm.disguise import PrivacySpecification",
            "from ppdm.measure import release_report",
            self._made_by,
            f"told = {pformat(self.specification, width=100, sort_dicts=False)}",
            f"seed = np.random.default_rng({self.state['seed']})  # None for a release",
            "specification = PrivacySpecification(told, random_state=seed)",
            "released = specification.release(table)",
            "release_report(specification, table, released).columns",
        ]
        return "\n".join(lines)

    @property
    def specification(self) -> dict[str, Any]:
        """What the controls say, and before them what your own specification says."""
        read = {"threshold": lambda value: value / 100, "known": self._known}
        asked = {name: read[name](self.state[name]) for name in read if name not in self._told}
        columns = {name: self._entry(name) for name in self._chosen} | self._entries
        return {"class": self._target, "others": "keep", **asked, **self._told, "columns": columns}

    def _known(self, text):
        """The columns that a text names: a single one, which may hold a comma itself, or several between commas."""
        several = {name: [name] for name in self._columns} | {NOTHING: []}
        several[OTHERS] = [name for name in self._columns if name not in self._sensitive]
        return several[text] if text in several else [name.strip() for name in text.split(",")]

    def _entry(self, name):
        """What a specification says of a column."""
        column, at = self._table[name], self.state
        action, level = at[f"action of {name}"], at.get(f"level of {name}", LEVEL)
        more: dict[str, dict[str, Any]] = {
            "add": {"noise": "gaussian", "privacy": level / 100},
            "discretise": {"method": "frequency", "intervals": max(2, len(column) // level), "min_group": level},
            "discretise by class": {"method": "mdlp", "min_group": level},
            "shuffle within class": {"within": self._target},
        }
        told = {"action": action.split()[0], **more.get(action, {})}
        if name in self._sensitive:
            told["sensitive"] = True
            # The number would tell the range. So 5 %, which need not be told, stays untold.
            spread = column.max() - column.min() if is_number(column.dtype) else 0
            if spread > 0 and at["tolerance"] != TOLERANCE:
                told["tolerance"] = float(f"{at['tolerance'] / 100 * spread:.4g}")
        return told


def _word(value):
    """A released value in words."""
    return "" if pd.isna(value) else readable(value) if isinstance(value, int | float) else str(value)


class _Columns(dict):
    """The settings of columns, until an event happens: whoever looks at one then ends its work."""

    event: Event

    def __getitem__(self, name):
        if self.event.is_set():
            raise CancelledError
        return super().__getitem__(name)


def _whole_report(fitted, table, released, moved_on):
    """The report with what takes long, unless the state moves on before it begins, or between two columns."""
    fitted, columns = copy(fitted), _Columns(fitted.settings_["columns"])
    fitted.settings_, columns.event = fitted.settings_ | {"columns": columns}, moved_on
    return moved_on.wait(PAUSE) or release_report(fitted, table, released)
