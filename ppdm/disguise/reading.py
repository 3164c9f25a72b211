"""A privacy specification read for a table: every fault in it, its settings, and an action for each column."""

import difflib
import re
from collections.abc import Hashable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import relevance, toml
from ppdm.disguise.actions import ACTIONS, Fault
from ppdm.disguise.released import labelled
from ppdm.disguise.shuffle import LEAST, companion, is_class
from ppdm.disguise.toml import called, path, shown

TOLERANCE = 0.05  # of a number's range
SEEDS = ("seed", "random_state", "rng")


def _said(where, given):
    """The entries of a dict that are not None."""
    found = checks.of_type(where, given, Mapping, "a dict, or a table of TOML")
    return {name: value for name, value in found.items() if value is not None and value is not pd.NA}


def _listed(where, given):
    # A dict would pass as the list of its keys.
    if isinstance(given, Mapping):
        given = repr(given)
    return checks.listed(where, given, "column names")


# A check for each name: it takes where that is, and the value.
SHARE = partial(checks.number, interval="(0, 1]")
SIZE = partial(checks.number, interval="[0, inf)")
RELEVANCE = {
    "measure": partial(checks.choice, choices=relevance.MEASURES),
    "threshold": SIZE,
}
WHOLE = {
    "class": partial(checks.of_type, kind=Hashable, expected="a column name"),
    "known": _listed,
    "others": partial(checks.choice, choices=("refuse", "keep", "drop")),
    "threshold": SHARE,
    "k": partial(checks.whole, low=2, high=1e9),
    "relevance": _said,
    "columns": _said,
}
ENTRY = {
    "action": partial(checks.choice, choices=ACTIONS),
    "sensitive": checks.flag,
    "threshold": SHARE,
    "tolerance": SIZE,
}
PARAMETERS = {name for action in ACTIONS.values() for name in action.parameters}
DEFAULTS: dict = {"class": None, "known": None, "others": "refuse", "threshold": None, "k": None}


class Reading:
    """A specification read for a table, of which nothing is learned yet.

    What depends on a part that is wrong is not told to be wrong, too: each fault is told once.

    Attributes
    ----------
    faults : all that is wrong, in an order that does not depend on that of the specification
    classes : the class of each record, or None
    said : dict from each column to what its entry says
    settings : the specification with all defaults
    actions : dict from each column to its action, not fitted; columns that are moved together have the same one
    """

    def __init__(self, given, frame, y=None):
        self.faults: list = []
        self._frame = frame
        self._beside: tuple = ()  # the class, if it is y
        self._names = dict.fromkeys(frame.columns)
        self.said: dict = {}
        self.actions: dict = {}
        # Where something is wrong already, and what misspelt names of settings, columns and the class may stand for:
        # that is not told to be missing, too.
        self._told: set = set()
        self._unsound: set = set()  # columns
        if len({isinstance(name, str) for name in self._names}) > 1:
            self._fault("X", "names some columns by text, and some not", "text for all, or for none")
        self.classes = y if y is None else self._checked("y", y, partial(labelled, frame=frame))
        if "y" in self._told:
            self.classes = pd.Series(0, frame.index)
        self._whole(_said("specification", given))

    def _whole(self, given):
        """Read what is said of the whole table, and then of its columns."""
        found = self._entries("", given, WHOLE)
        relevant = self._entries("relevance.", found.pop("relevance", None) or {}, RELEVANCE)
        columns = found.pop("columns", None) or {}
        self.settings: dict = DEFAULTS | found
        self.settings["relevance"] = {"measure": "gain", "threshold": 0.1, **relevant}
        self._target = self.settings["class"]
        self.classes = self._class(self._target, self.classes)
        known = self.settings["known"] or []
        for place, name in enumerate(known):
            if self._is_column("known", name) and name in known[:place]:
                self._fault("known", f"{shown(name)}, once more", "each column once")
            elif name in self._beside:
                self.settings["known"] = [one for one in known if one != name]  # y is not released
        self._unknown("columns.", columns, [*self._names, *self._beside], "a column of the table")
        self._columns(columns)

    def _class(self, name, y):
        """The class of each record. If it cannot be found, one class for all of them, with which nothing is wrong."""
        stand_in = pd.Series(0, self._frame.index)
        if name is None:
            return stand_in if "class" in self._told else y
        if y is not None and y.name in (None, name) and name not in list(self._names):
            self._beside = (name,)
            return y
        if not self._is_column("class", name):
            return stand_in
        self._checked("class", self._frame[name], checks.none_missing)
        return stand_in if "class" in self._told else self._frame[name]

    def _columns(self, given):
        """Read what is said of columns: each by itself, then beside the table, the class and the other columns."""
        entries = {name: self._checked(path(name), given[name], _said) for name in sorted(given, key=repr)}
        for name in dict.fromkeys([*self._names, *entries]):
            self._entry(name, entries.get(name) or {})
        moved = self._moved(entries)
        for name, action in self.actions.items():
            if name in moved:
                # What is moved together has one action, which draws one permutation.
                self.actions[name] = self.actions[moved[name]]
            elif action is None:
                self._unnamed(name, entries)
        for name in self._beside:
            action = self.actions.pop(name, None)
            if action and action.name != "keep":
                self._fault(f"{path(name)}.action", f"{action.name!r}, of y", "'keep': y is not released")
        # Only now is it known whether the columns that others look at are kept.
        for name in self._names:
            if self.actions[name] and name not in moved:
                self._fits(name, self.actions[name])
        kept = [name for name in self._names if getattr(self.actions[name], "name", "") != "drop"]
        if kept in ([], [self._target]):
            self._fault("columns", "leave nothing but the class", "one more at least that is not dropped")
        if not self.faults:
            self.settings["columns"] = {name: self._setting(name) for name in self._names}

    def _entry(self, name, entry):
        """Read an entry by itself: what it says, and an action, of which nobody knows yet whether it fits."""
        action = ACTIONS.get(str(entry.get("action")))
        # Without an action nobody can judge the parameters, but what no action knows.
        own = {one: value for one, value in entry.items() if action or one in ENTRY or one not in PARAMETERS}
        found = self._entries(f"{path(name)}.", own, ENTRY | (action.parameters if action else {}))
        given = {one: value for one, value in found.items() if one not in ENTRY and value is not None}
        # Of parameters that are wrong one by one nobody knows whether they go together.
        if not {*entry} <= {*ENTRY, *given}:
            self._unsound.add(name)
        self.said[name] = found
        self.actions[name] = action(_sound=False, **given) if action else None

    def _moved(self, entries):
        """The columns that others take along, with the column that each goes with."""
        moved: dict = {}
        for name, action in self.actions.items():
            where = f"{path(name)}.with"
            for other in filter(partial(self._is_column, where), getattr(action, "with", [])):
                taken = other in (name, self._target, *moved)
                if taken or "action" in (entries.get(other) or {}):
                    expected = "other columns, without an action of their own, each once"
                    self._fault(where, shown(other), expected)
                moved.setdefault(other, name)
        return moved

    def _unnamed(self, name, entries):
        """The action of a column for which none is named; or the fault that it needs one."""
        others = "keep" if name == self._target else self.settings["others"]
        if name in entries:
            entry = entries[name]  # None if it is no dict, which is told already
            if entry is not None and "action" not in entry:
                self._fault(f"{path(name)}.action", "missing", f"one of {', '.join(ACTIONS)}")
        elif others in ("keep", "drop"):
            self.actions[name] = ACTIONS[others]()
        elif not {path(name), "columns", "others"} & self._told:
            self._fault(path(name), "missing", 'an entry with an action, or others = "keep" or "drop"')

    def _fits(self, name, action):
        """Note where an action does not go with its column, the class or other columns, nor its parameters together."""
        where = path(name)
        records = len(self._frame)
        told = len(self.faults)
        if name == self._target and action.name not in ("keep", "replace"):
            self._fault(f"{where}.action", f"{action.name!r}, of the class", "'keep' or 'replace'")
        sensitive = self.said[name].get("sensitive")
        if sensitive and (action.name == "keep" or getattr(action, "keep", 0) == 1):
            always = " with a keep of 1" * (action.name != "keep")
            seen = f"{action.name!r}{always}, of a sensitive column"
            self._fault(f"{where}.action", seen, "an action that hides it, or 'drop'")
        if action.name == "shuffle" and records < LEAST:
            self._fault(f"{where}.action", f"'shuffle', of {records} records", f"at least {LEAST} records")
        within = getattr(action, "within", None)
        if within is not None:
            self._within(f"{where}.within", within)
        column = self._frame[name]
        found = [*action.misfits(column)]
        if name not in self._unsound:
            found += action.clashes()
            # The fit is tried last: what it shows may be a consequence.
            if not found and len(self.faults) == told:
                other = companion(action, self._frame, self._target, self.classes)
                found += action.faults(column, other)
                stays = within is not None and other is not None and not (found or other.duplicated().any())
                if sensitive and stays:
                    seen = f"{shown(within)}, which leaves each record alone"
                    found.append(Fault("within", seen, "larger groups"))
        for parameter, seen, expected in found:
            at = f"{where}.{parameter}" if parameter in action.parameters else where
            self._fault(at, seen, expected)

    def _within(self, where, name):
        """Note if a column is shuffled within groups that are not there, or that the release does not show."""
        if is_class(name, self._frame, self._target):
            if self.classes is None:
                self._fault(where, shown(name), "a class: class in the specification, or y")
        elif self._is_column(where, name) and getattr(self.actions[name], "name", "keep") != "keep":
            self._fault(where, f"{shown(name)}, with another action", "a column that is kept, or the class")

    def _setting(self, name):
        """What is said of a column, with all defaults."""
        values = self._frame[name]
        action = self.actions[name]
        tolerance = 0.0
        if checks.is_real(values.dtype):
            finite = values[np.isfinite(values)]
            if len(finite):
                # Multiplied first: a range may be larger than all floats.
                tolerance = float(np.ptp(TOLERANCE * finite))
        return {
            "sensitive": False,
            "threshold": self.settings["threshold"],
            "tolerance": tolerance,
            **self.said[name],
            **{one: getattr(action, one) for one in action.parameters},
            "action": action.name,
        }

    def _entries(self, where, given, known):
        """The entries of a dict, each checked: None if something is wrong with it."""
        hint = "" if where else "; what is said of one column belongs to its entry in columns"
        self._unknown(where, given, known, f"one of {', '.join(known)}{hint}")
        names = [name for name in known if name in given]
        return {name: self._checked(where + name, given[name], known[name]) for name in names}

    def _unknown(self, where, given, known, expected):
        """Note names that nobody knows."""
        for name in sorted(given, key=repr):  # whatever the order in which they were written
            if name in SEEDS and name not in known:
                self._fault(where + name, "unknown", "none: whoever guesses a seed undoes the release")
            elif name not in known:
                near = self._fault(where + called(name), "unknown", expected, name, known)
                self._told.update(where + called(one) for one in near)

    def _is_column(self, where, name):
        """Whether a name is that of a column; that it is none is a fault."""
        try:
            if name in self._names or (where == "known" and name in self._beside):
                return True
        except TypeError:  # of a list, perhaps within a tuple
            pass
        near = self._fault(where, shown(name), "a column of the table", name, self._names)
        self._told.update(map(path, near if where == "class" else []))
        return False

    def _checked(self, where, value, check):
        """What a check makes of a value; None if it refuses."""
        try:
            return check(where, value)
        except (TypeError, ValueError) as error:
            fault = Fault.of(where, error)
            # Choices are quoted in the message.
            self._fault(*fault, value, re.findall(r"'([^']+)'", fault.expected))
            return None

    def _fault(self, where, seen, expected, name=None, known=()):
        """Note a fault, and what may have been meant by a name."""
        near = []
        if isinstance(name, str | int):
            # Whatever the case, and whether a number is written as text.
            alike = {str(one).casefold(): one for one in known}
            near = [alike[one] for one in difflib.get_close_matches(str(name).casefold(), alike, 1)]
        for one in near:
            expected += f"; did you mean {shown(one)}?"
        self._told.add(where)
        fault = Fault(where, toml.short(seen), expected)
        if fault not in self.faults:
            self.faults.append(fault)
        return near
