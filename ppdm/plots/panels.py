"""Figures of several axes: distributions side by side, groups of numbers, curves over one variable."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import MARKS, STROKES, Axes, Picture, colour, finished, grid, legend_of, new_axes
from ppdm.plots.series import by_panel, distributions, mean_and_error


def distribution_panels(
    panels: Mapping[str, Mapping[str, Any]],
    edges: Any = None,
    *,
    columns: int = 2,
    label: str = "value",
    mark: str | None = None,
    title: str = "",
) -> Picture:
    """Several figures of distributions side by side: for each name what ``distributions`` takes."""
    panels = checks.mapping("panels", panels)
    columns = checks.whole("columns", columns, 1)
    frames = grid(len(panels), title, columns, 3.6, 2.7)
    for place, (ax, (name, shares)) in enumerate(zip(frames, panels.items(), strict=False)):
        distributions(shares, edges, title=name, label=label, mark=mark, ax=ax)
        ax.legend().remove()
        ax.set(ylabel="share of records" if place % columns == 0 else "")
    legend_of(frames, len(panels))
    return cast(Picture, frames[0].figure)


def groups(
    results: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str,
    panels: str | None = None,
    title: str = "",
    label: str | None = None,
) -> Picture:
    """Means over the repeats of a sweep as points, side by side for each value of x, with two standard errors.

    Parameters
    ----------
    results : what ``sweep`` returns: a row for each repeat
    x : a column with a group of points for each of its values
    y : the column that is measured; label: words for it
    by : a column with a point for each of its values
    panels : a column with axes of its own for each of its values, three in a row
    title : what stands above
    """
    parts = by_panel(results, x, y, by, panels)
    places, kinds = results[x].unique(), results[by].unique()
    frames = grid(len(parts), title, 3, 4.6 if len(parts) == 1 else 2.8, 2.9, sharey=True)
    for number, (ax, (name, part)) in enumerate(zip(frames, parts, strict=False)):
        summary = mean_and_error(part, [by, x], y)
        _points(ax, {kind: summary.loc[kind].reindex(places) for kind in kinds})
        ax.set_xticks(np.arange(len(places)), [str(place) for place in places])
        ax.set_title(name, loc="left", fontsize=10)
        ax.set(xlabel=x, ylabel=(label or y) if number % 3 == 0 else "")
        finished(ax)
    legend_of(frames, len(parts))
    return cast(Picture, frames[0].figure)


def _points(ax: Axes, kinds: Mapping[Any, pd.DataFrame]) -> None:
    """Points of each kind, a little to the right of those of the one before."""
    for row, (kind, own) in enumerate(kinds.items()):
        places = np.arange(len(own)) + 0.8 * ((row + 0.5) / len(kinds) - 0.5)
        style: dict[str, Any] = {"fmt": MARKS[row % len(MARKS)], "color": colour(row), "markersize": 4, "elinewidth": 1}
        ax.errorbar(places, own["mean"], 2 * own["sem"], label=str(kind), **style)
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)


def curves(
    values: pd.DataFrame,
    *,
    marks: Mapping[str, float] | None = None,
    stacked: bool = False,
    log: bool = False,
    label: str = "",
    title: str = "",
) -> Picture:
    """Columns of numbers as lines over the index.

    Parameters
    ----------
    values : a column for each line
    marks : places on the horizontal axis, by name: a vertical line each
    stacked : whether each column has axes of its own, one below the other
    log : whether the horizontal axis is logarithmic
    label, title : what the vertical axis shows (of stacked axes: each its column), and what stands above
    """
    for name in checks.frame("values", values).columns:
        checks.vector(f"values[{name!r}]", values[name])
    marks = checks.mapping("marks", marks) if marks else {}
    number = len(values.columns)
    frames = grid(number, title, 1, 4.6, 1.8, sharex=True) if stacked else [new_axes(None, title)] * number
    for place, (ax, name) in enumerate(zip(frames, values.columns, strict=True)):
        stroke, hue, words = (
            ("-", "#000000", "") if stacked else (STROKES[place % len(STROKES)], colour(place), str(name))
        )
        ax.plot(values.index, values[name], stroke, color=hue, label=words or None)
        ax.set(ylabel="" if stacked else label, xscale="log" if log else "linear")
        if stacked:
            ax.set_title(str(name), loc="left", fontsize=10)
    for ax in dict.fromkeys(frames):
        for place, (name, where) in enumerate(marks.items()):
            ax.axvline(where, color=colour(place), linestyle=STROKES[1 + place % 4], linewidth=1.4, label=str(name))
        ax.ticklabel_format(axis="y", useOffset=False)
        ax.margins(x=0)
        finished(ax)
    frames[-1].set_xlabel(str(values.index.name or ""))
    if marks or not stacked:
        legend_of([frames[0]], 1)
    return cast(Picture, frames[0].figure)
