"""What a project's parties may be asked to do, and what would protect nobody."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from ppdm import checks, disguise
from ppdm.cuts import increasing
from ppdm.trees import Stop

TWO = "of a sum of two, each subtracts the own part and has the other's; expected three or more"
INTERVALS = 20  # of a number, if nothing else is said
CHOICES = {  # what is said of a tree in words; the first word if nothing is said
    "criterion": ("gini", "gain"),
    "nominal": ("binary", "multiway"),
    "opens": ("histograms", "tree"),
    "cuts": ("widths", "counts"),
    "strategy": ("byclass", "global", "joint"),
}


def job_of(project, do=None, stop=None, channels=None, **job) -> dict:
    """A job that is told in TOML, with what it does not say."""
    if checks.choice("do", do, ("tree", "rules")) == "rules":
        return {"do": do, "with": rules_job(project, **job)}
    for name, one in {"stop": stop, "channels": channels}.items():
        if one is not None:
            checks.of_type(name, one, Mapping, "a dict")
    job |= {"stop": Stop(**(stop or {})), "channels": read_channels(channels) or None}
    return {"do": do, "with": tree_job(project, **job)}


def rules_job(project, min_support=None, min_confidence=None, most_items=None) -> dict:
    """What ``Session.rules`` tells the parties; without a confidence they find the frequent sets."""
    checks.number("min_support", min_support, "(0, 1]")
    if min_confidence is not None:
        checks.number("min_confidence", min_confidence, "[0, 1]")
    if most_items is not None:
        checks.whole("most_items", most_items, 1)
    _refuse_two(project)
    values = {
        name: one.get("categories", (one.get("low"), one.get("high"))) for name, one in project["columns"].items()
    }
    if wrong := [name for name, own in values.items() if not {0, 1}.issuperset(own)]:
        raise ValueError(f"columns {wrong} hold more than 0 and 1; expected items")
    return {"min_support": min_support, "min_confidence": min_confidence, "most_items": most_items}


def tree_job(project, stop=None, intervals: Any = INTERVALS, epsilon=None, channels=None, **words) -> dict:
    """What ``Session.tree`` tells the parties, if the engine can do it, and it protects somebody."""
    columns = project["columns"]
    rule = checks.of_type("stop", Stop() if stop is None else stop, Stop, "a Stop, say Stop(max_depth=3)")
    if not project["target"]:
        raise ValueError("the parties hold no classes; expected (X, y), to grow a tree")
    checks.columns("a tree", list(words), CHOICES)
    told = {name: checks.choice(name, words.get(name, known[0]), known) for name, known in CHOICES.items()}
    given = intervals if isinstance(intervals, Mapping) else dict.fromkeys(columns, intervals)
    checks.columns("intervals", list(given), columns)
    for name, one in given.items():
        if np.ndim(one):
            increasing(f"intervals of {name!r}", one)
        else:
            checks.whole(f"intervals of {name!r}", one, 1, checks.MAX_BINS)
    if told["opens"] == "tree":
        _refuse_closed(project, rule, told["criterion"], epsilon is None and not channels)
    elif epsilon is None:
        _refuse_two(project, ", or for a tree opens='tree', or epsilon")
    else:
        _refuse_noise(project, rule, epsilon, channels)
    if rule.confidence is not None and not isinstance(channels, disguise.GroupedResponse):
        raise ValueError("stop has a confidence, which sums do not tell; expected None, or channels in groups")
    if channels and project["held"] == "columns":
        raise ValueError("channels are given, and columns are held apart; expected None")
    told |= {
        "stop": asdict(rule),
        "epsilon": None if epsilon is None else float(epsilon),
        "channels": told_channels(project, channels),
    }
    return told | {"intervals": {name: given.get(name, INTERVALS) for name in columns}}


def _refuse_two(project, way_out=""):
    """Refuse sums of two."""
    if project["held"] == "rows" and (holders := len(project["holders"])) < 3:
        raise ValueError(f"{holders} parties hold rows: {TWO}{way_out}")


def _refuse_closed(project, rule, criterion, plain):
    """Refuse a tree whose cuts cannot be compared unopened."""
    domains = project["columns"].items()
    named = [name for name, one in domains if len(one.get("categories", ())) > 2 and not one["ordered"]]
    needed = {
        "rows held apart": project["held"] == "rows",
        'engine="shamir"': project["engine"] == "shamir",
        'criterion="gini"': criterion == "gini",
        "min_leaf=1 and no confidence": rule.min_leaf == 1 and rule.confidence is None,
        "channels=None and epsilon=None": plain,
        f"no more than two names, or an order of them, in {named}": not named,
    }
    if lacking := [what for what, holds in needed.items() if not holds]:
        raise ValueError(f"opens is 'tree', where cuts are compared unopened; expected {', '.join(lacking)}")


def _refuse_noise(project, rule, epsilon, channels):
    """Refuse noise that would make nothing private."""
    checks.number("epsilon", epsilon, "[1e-6, inf)")  # less has noise beyond all counts
    if rule.max_depth is None or channels or project["held"] == "columns":
        raise ValueError("epsilon is given; expected true rows held apart, and stop=Stop(max_depth=...)")
    if told := project.get("told"):  # what records say without noise is not private
        raise ValueError(f"epsilon is given, and records tell what {told} can hold; expected domains for them")


def told_channels(project, channels) -> dict | None:
    """Channels as JSON and TOML can hold them: their ``type`` and parameters."""
    if channels is None:
        return None
    columns = list(project["columns"])
    if isinstance(channels, disguise.GroupedResponse):
        if set(channels.columns) != set(columns):
            raise ValueError(f"channels has groups of {list(channels.columns)}; expected all of {columns}")
        return _told(channels)
    known = disguise.as_disguise(channels, columns).by_column()
    kind, expected = disguise.NumericChannel, "a channel of numbers, or a GroupedResponse"
    return {
        name: _told(checks.of_type(f"channels[{name!r}]", one, kind, expected)) for name, one in known.items()
    }


def _told(channel):
    own = {one.name: getattr(channel, one.name) for one in fields(channel) if one.init}
    return {"type": type(channel).__name__, **own}


def read_channels(told) -> Any:
    """The channels that were told."""
    if not told or "type" not in told:
        return {name: read_channels(one) for name, one in (told or {}).items()}
    kinds = ("GaussianNoise", "GroupedResponse", "UniformNoise")
    kind = getattr(disguise, checks.choice("type", told["type"], kinds))
    return kind(**{name: one for name, one in told.items() if name != "type"})
