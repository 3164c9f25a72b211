"""What a project's parties may be asked to do, and what would protect nobody."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from ppdm import checks, disguise
from ppdm.cuts import increasing
from ppdm.trees import Stop

TWO = "of a sum of two, each subtracts the own part and has the other's; expected three or more"


def job_of(project, do=None, stop=None, channels=None, **job) -> dict:
    """A job that is told in TOML, with what it does not say."""
    if checks.choice("do", do, ("tree", "rules")) == "tree":
        given = {"stop": Stop(**(stop or {})), "channels": read_channels(channels) or None}
        return {"do": do, "with": tree_job(project, **given, **job)}
    return {"do": do, "with": rules_job(project, **job)}


def rules_job(project, min_support, min_confidence=None, most_items=None) -> dict:
    """What ``Session.rules`` tells the parties; without a confidence they find the frequent sets."""
    checks.number("min_support", min_support, "(0, 1]")
    if min_confidence is not None:
        checks.number("min_confidence", min_confidence, "[0, 1]")
    if most_items is not None:
        checks.whole("most_items", most_items, 1)
    refuse(project)
    domains = {
        name: one.get("categories", [one.get("low"), one.get("high")]) for name, one in project["columns"].items()
    }
    if wrong := [name for name, values in domains.items() if not {0, 1}.issuperset(values)]:
        raise ValueError(f"columns {wrong} hold more than 0 and 1; expected items")
    return {"min_support": min_support, "min_confidence": min_confidence, "most_items": most_items}


def tree_job(
    project,
    criterion="gini",
    stop=None,
    nominal="binary",
    opens="histograms",
    intervals: Any = 20,
    cuts="widths",
    epsilon=None,
    channels=None,
    strategy="byclass",
) -> dict:
    """What ``Session.tree`` tells the parties, if the engine can do it, and it protects somebody."""
    rule = checks.of_type("stop", Stop() if stop is None else stop, Stop, "a Stop, say Stop(max_depth=3)")
    refuse(project, rule, criterion, opens, epsilon, channels)
    given = intervals if isinstance(intervals, Mapping) else dict.fromkeys(project["columns"], intervals)
    checks.columns("intervals", [*given], project["columns"])
    for name, one in given.items():
        if np.ndim(one):
            increasing(f"intervals of {name!r}", one)
        else:
            checks.whole(f"intervals of {name!r}", one, 1, checks.MAX_BINS)
    if rule.confidence is not None and not isinstance(channels, disguise.GroupedResponse):
        raise ValueError("stop has a confidence, which sums do not tell; expected None, or channels in groups")
    return {
        "criterion": checks.choice("criterion", criterion, ("gini", "gain")),
        "stop": asdict(rule),
        "nominal": checks.choice("nominal", nominal, ("binary", "multiway")),
        "opens": opens,
        "intervals": intervals,
        "cuts": checks.choice("cuts", cuts, ("widths", "counts")),
        "epsilon": epsilon,
        "channels": told_channels(project, channels),
        "strategy": checks.choice("strategy", strategy, ("byclass", "global", "joint")),
    }


def refuse(project, rule=None, criterion="gini", opens="histograms", epsilon=None, channels=None) -> None:
    """Refuse a job that the engine cannot do, or by which all would learn too much."""
    columns, rows, holders = project["columns"], project["held"] == "rows", len(project["holders"])
    if rule and not project["target"]:
        raise ValueError("the parties hold no classes; expected (X, y), to grow a tree")
    checks.choice("opens", opens, ("histograms", "tree"))
    if opens == "tree":
        named = [
            name for name, one in columns.items() if len(one.get("categories", ())) > 2 and not one["ordered"]
        ]
        needed = {
            "rows held apart": rows,
            'engine="shamir"': project["engine"] == "shamir",
            'criterion="gini"': criterion == "gini",
            "min_leaf=1 and no confidence": rule.min_leaf == 1 and rule.confidence is None,
            "channels=None and epsilon=None": not channels and epsilon is None,
            f"no more than two names, or an order of them, in {named}": not named,
        }
        if lacking := [what for what, holds in needed.items() if not holds]:
            raise ValueError(f"opens is 'tree', where cuts are compared unopened; expected {', '.join(lacking)}")
    elif rows and holders < 3 and epsilon is None:
        raise ValueError(f"{holders} parties hold rows: {TWO}, or for a tree opens='tree', or epsilon")
    if epsilon is not None:
        checks.number("epsilon", epsilon, "(0, inf)")
        if rule.max_depth is None or channels or not rows:
            raise ValueError("epsilon is given; expected true rows held apart, and stop=Stop(max_depth=...)")
        if told := project.get("told"):  # what records say without noise is not private
            raise ValueError(
                f"epsilon is given, and records tell what {told} can hold; expected domains for them"
            )
    if channels and not rows:
        raise ValueError("channels are given, and columns are held apart; expected None")


def told_channels(project, channels) -> dict | None:
    """Channels as JSON and TOML can hold them: their ``type`` and parameters."""
    if channels is None:
        return None
    if isinstance(channels, disguise.GroupedResponse):
        if set(channels.columns) != set(project["columns"]):
            raise ValueError(
                f"channels has groups of {list(channels.columns)}; expected all of {[*project['columns']]}"
            )
        return _told(channels)
    known = disguise.as_disguise(channels, list(project["columns"])).by_column()
    for name, one in known.items():
        checks.of_type(
            f"channels[{name!r}]", one, disguise.NumericChannel, "a channel of numbers, or a GroupedResponse"
        )
    return {name: _told(one) for name, one in known.items()}


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
