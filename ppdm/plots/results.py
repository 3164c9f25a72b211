"""Figures of what a sweep measured."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import (
    MARKS,
    SCALES,
    STROKES,
    Picture,
    colour,
    entry,
    grid,
    legend_of,
    legible,
    on_scale,
)
from ppdm.plots.words import in_percent

GREY = "#888888"  # of what measured numbers are compared with


def lines(
    results: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str | None = None,
    panels: str | None = None,
    labels: Mapping[Any, str] | None = None,
    mark: tuple[str, Any] | None = None,
    bounds: tuple[str, pd.DataFrame] | None = None,
    log: bool | Literal["x"] = False,
    percent: bool | Literal["x", "y"] = False,
    points: bool = False,
    title: str = "",
) -> Picture:
    """Means over the repeats of a sweep as lines, with bands of two standard errors.

    Parameters
    ----------
    results : what ``sweep`` returns: a row for each repeat
    x, y : the columns that the axes show
    by : a column; each of its values has a line. Strokes follow the order in which values appear, or the categories of
        a categorical column.
    panels : a column with axes of its own for each of its values, on one scale, three in a row
    labels : words to show instead of the names of columns, and of values of by and panels. A word for panels itself
        stands before each of its values.
    mark : a name and a height: a line all across, to compare with; or for each value of panels a height
    bounds : a name, and a frame with the columns x, ``low``, ``high``, and panels if there are some: what is claimed of
        y at some places. With one of low and high alone it is a tick.
    log : True: both scales are logarithmic; "x": only that of x. Then x, and the means of y, are above 0.
    percent : which axes show shares in per cent: "x", "y", or True for both
    points : draw points instead of lines, side by side for each value of x, which may be a word

    >>> loss = pd.DataFrame({"level": [0.5, 1.0], "right": [0.9, 0.8], "tree": "byclass"})
    >>> claimed = "15 points", pd.DataFrame({"level": [1.0], "low": 0.75, "high": 0.9})
    >>> words = {"level": "privacy level", "right": "accuracy", "byclass": "ByClass"}
    >>> picture = lines(loss, "level", "right", by="tree", labels=words, bounds=claimed, percent=True, title="Noise")
    >>> picture.alt
    'Noise. Accuracy against privacy level: ByClass falls from 90 % to 80 %, 15 points lies between 75 % and 90 %.'
    """
    checks.choice("log", log, (False, True, "x"))
    checks.choice("percent", percent, (False, True, "x", "y"))
    checks.flag("points", points)
    known = {"x": x, "y": y, "by": by, "panels": panels}
    parts = _by_panel("results", results, known, log=not points and log)
    words = checks.mapping("labels", labels) if labels else {}
    heights = _heights(mark, parts, SCALES[log is True])
    claims = _claims(bounds, known, results, points, log)
    picture = _axes(title, parts, known, words, points)
    for ax, (name, part) in zip(picture.axes, parts.items()):
        ax.set(xscale="log" if log and not points else "linear", yscale="log" if log is True else "linear")
        _means(ax, part, known, words, results, points)
        _bound(ax, bounds, claims.get(name), known["x"], results, points)
        if mark is not None:
            ax.axhline(heights[name], label=entry(mark[0]), color=GREY, linestyle=":", linewidth=1)
        in_percent(ax, "xy" if percent is True else percent or "")
    if by or mark or bounds:
        legend_of(picture, title=None if points or by is None else words.get(by, by))
    return picture


def _axes(title, parts, known, words, points):
    """A picture with axes for each panel, and the words that they have."""
    panels = known["panels"]
    before = f"{words[panels]} " if panels in words else ""
    heads = [words.get(name, f"{before}{name}") for name in parts]
    width = {1: 4.6, 2: 2.8 if points else 3.8}.get(len(parts), 2.8 if points else 2.9)
    above = points or panels is not None
    x, y = (words.get(known[axis], known[axis]) for axis in "xy")
    return grid(
        title,
        heads,
        width,
        2.9 if points or len(parts) > 3 else 3.8,
        above=above,
        x=x,
        y=y,
        sharey=True,
    )


def _by_panel(table, results, known, log):
    """The records of each panel, whose columns are there and hold what their places show."""
    columns = checks.frame(table, results).columns
    for argument, column in known.items():
        if column is not None or argument in "xy":
            checks.choice(argument, column, columns, hint=f"these are the columns of {table}")
            checks.none_missing(f"{table}[{column!r}]", results[column])  # rows that no line would have
    checks.vector(f"{table}[{known['y']!r}]", results[known["y"]])
    on_scale(f"{table}[{known['x']!r}]", results[known["x"]], log)
    if known["panels"] is None:
        return {"": results}
    return dict(iter(results.groupby(known["panels"], sort=False, observed=True)))


def _heights(mark, panels, scale):
    """The height of the mark in each panel."""
    if mark is None:
        return {}
    _, level = _pair("mark", mark, "a height")
    several = isinstance(level, Mapping | pd.Series)
    levels = checks.mapping("mark", level) if several else dict.fromkeys(panels, level)
    if set(levels) != set(panels):
        raise ValueError(f"mark has heights for {list(levels)}; expected the panels {list(panels)}")
    return {panel: checks.number("mark", height, scale) for panel, height in levels.items()}


def _pair(name, value, second):
    """The value, if it is a tuple of a name and something else."""
    checks.same_length(name, checks.of_type(name, value, tuple, f"a pair: a name and {second}"), "a pair", "12")
    return value


def _means(ax, part, known, words, whole, points):
    """A line with its band for each value of ``by`` that these axes have; or points, side by side."""
    x, by = known["x"], known["by"]
    kinds = [None]
    if by is not None:
        categorical = isinstance(whole[by].dtype, pd.CategoricalDtype)
        kinds = list(whole[by].cat.categories if categorical else whole[by].unique())
    values = whole[x].unique()
    for number, kind in enumerate(kinds):
        rows = part if by is None else part[part[by] == kind]
        if rows.empty:  # its stroke stays free, so that it looks alike in all panels
            continue
        style = {
            "color": colour(number),
            "marker": MARKS[number % len(MARKS)],
            "markersize": 4,
            "linestyle": "none" if points else STROKES[number % len(STROKES)],
            "label": None if by is None else entry(words.get(kind, kind)),
        }
        # Points leave a fifth of the room free between two values.
        aside = 0.8 * ((number + 0.5) / len(kinds) - 0.5)
        _line(ax, rows, known, style, dict(zip(values, np.arange(len(values)) + aside)) if points else None)
    if points:
        ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        ax.set_xticks(range(len(values)), [legible(words.get(value, value)) for value in values])


def _line(ax, rows, known, style, places):
    """The line or the points of one kind, and two standard errors."""
    y = known["y"]
    cells = rows.groupby(known["x"], observed=True, sort=not places)
    mean = cells[y].mean()
    on_scale(f"the means of results[{y!r}]", mean, ax.get_yscale() == "log")
    error = 2 * cells[y].sem().fillna(0.0)  # one repeat says nothing of its spread: no band
    if places:
        across = [places[value] for value in mean.index]
        ax.errorbar(
            across,
            mean,
            error,
            elinewidth=1,
            **style,
        )
    else:
        ax.plot(mean.index, mean, **style)
        hue = style["color"]
        ax.fill_between(mean.index, mean - error, mean + error, color=hue, alpha=0.15, linewidth=0)


def _claims(bounds, known, results, points, log):
    """What is claimed in each panel, if all of it can be seen."""
    if bounds is None:
        return {}
    _, claimed = _pair("bounds", bounds, "a DataFrame")
    checks.frame("bounds", claimed)
    known = {**known, "by": None}
    ends = [end for end in ("low", "high") if end in claimed]
    for end in ends or ["low"]:
        parts = _by_panel("bounds", claimed, {**known, "y": end}, log=not points and log)
        on_scale(f"bounds[{end!r}]", claimed[end], log is True)
    if not points:  # beside lines x is a number
        checks.vector(f"bounds[{known['x']!r}]", claimed[known["x"]])
    for column in (known["panels"], known["x"])[: 1 + points]:
        if column is not None:
            strange = ~claimed[column].isin(results[column])
            name = f"bounds[{column!r}]"
            checks.none_wrong(name, claimed, strange, "values that results lacks", "values of results")
    wrong = claimed[ends[0]] > claimed[ends[-1]]
    checks.none_wrong("bounds['low']", claimed, wrong, "values above high", "values below")
    return parts


def _bound(ax, bounds, here, x, whole, points):
    """What is claimed: a grey bar with a tick at both ends, or one tick; as wide as the points of a word."""
    if here is None:  # nothing is claimed of this panel
        return
    ends = [here[end] for end in ("low", "high") if end in here]
    places = here[x]
    values = whole[x]
    if points:
        places = places.map({value: place for place, value in enumerate(values.unique())})
        half = 0.43
    elif ax.get_xscale() == "log":
        half = 0.03 * places * (np.ptp(np.log(values)) or 1)
    else:
        half = 0.03 * (np.ptp(values) or 1)
    left = np.tile(places - half, len(ends))
    right = np.tile(places + half, len(ends))
    ax.hlines(
        np.concatenate(ends),
        left,
        right,
        color="#555555",
        linewidth=1,
        label=entry(bounds[0]),
        zorder=1,
    )
    if len(ends) > 1:
        ax.bar(places, ends[1] - ends[0], 2 * half, ends[0], color=GREY, alpha=0.3, zorder=0.5)
