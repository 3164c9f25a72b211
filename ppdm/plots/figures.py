"""Figures of distributions, of bars, and of what a sweep measured."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.checks import readable
from ppdm.plots.picture import (
    MARKS,
    STROKES,
    Picture,
    closed_ends,
    colour,
    finished,
    grid,
    legend_of,
    legible,
    new_axes,
)

Steps = tuple[np.ndarray, np.ndarray]  # the heights and the edges of a distribution


def distributions(
    shares: Mapping[str, Any],
    edges=None,
    *,
    title: str = "",
    label: str = "value",
    mark: str | None = None,
    bands: Mapping[str, Any] | None = None,
    true: Mapping[str, Any] | None = None,
    columns: int = 2,
) -> Picture:
    """Distributions as steps: true, seen and reconstructed.

    Parameters
    ----------
    shares : for each name the share of each interval: an array over ``edges``, a pair (shares, edges of their own), or
        a ``Distribution``. For several figures side by side: for each figure's name such a dict.
    edges : the intervals' edges; an interval with an infinite end is drawn as wide as its neighbour
    label : what the horizontal axis shows
    mark : the name to fill in, usually the truth
    bands : for some of the names a pair, the lowest and the highest share of each interval
    true : the true distributions of the same names, drawn as areas; ``shares`` are what was reconstructed of them
    columns : how many figures stand in a row
    """
    shares, columns = checks.mapping("shares", shares), checks.whole("columns", columns, 1)
    several = all(isinstance(part, Mapping) for part in shares.values())  # a figure for each name
    words: Any = {"x": label, "y": "share of records"}
    if several:
        parts, frames = list(shares.values()), grid(shares, title, columns, 3.6, 2.7, size=11, **words)
    else:
        parts, frames = [shares], [new_axes(title, **words)]
    for ax, part in zip(frames, parts, strict=False):
        _distributions(ax, part, edges, mark, bands or {}, true or {})
        ax.margins(x=0)
        ax.set_ylim(0, None)
        finished(ax)
    if several or true:
        legend_of(frames, len(parts))
    else:
        frames[0].legend(frameon=False)
    return finished(frames[0])


def _distributions(ax, shares, edges, mark, bands, true):
    """The distributions of one figure, and the bands of some of them."""
    if true and set(true) != set(shares):
        raise ValueError(f"true has the names {list(true)}; expected those of shares, {list(shares)}")
    for name in [*bands, *([] if mark is None else [mark])]:
        checks.choice("bands" if name in bands else "mark", name, shares)
    for number, name in enumerate(true):
        _stairs(ax, _steps(f"true {name}", true[name], edges), number, f"true {name}", filled=True)
    for number, name in enumerate(true or shares):
        step = _steps(name, shares[name], edges)
        _stairs(ax, step, number, f"reconstructed {name}" if true else name, filled=name == mark)
        if name in bands:
            low, high = _band(name, bands[name], step)
            ax.stairs(high, step[1], baseline=low, fill=True, color=colour(number), alpha=0.25, linewidth=0)


def bars(values: Mapping[str, float], *, title: str = "", label: str = "accuracy", low: float = 0.0) -> Picture:
    """A bar for each name, with its value written at its end; ``low`` is where the axis begins."""
    values = checks.mapping("values", values)
    numbers, low = checks.vector("values", list(values.values())), checks.number("low", low)
    if not low < numbers.max():
        raise ValueError(f"low is {low:g}; expected less than the highest value, {numbers.max():g}")
    places = range(len(numbers))
    ax = new_axes(title, height=0.9 + 0.45 * len(numbers))
    ax.barh(places, numbers - low, left=low, color=[colour(number) for number in places])
    ax.set_yticks(places, [legible(name) for name in values])
    for place, value in enumerate(numbers):
        text = f"{100 * value:.1f} %" if label == "accuracy" else readable(value)
        ax.text(value, place, f" {text}", va="center")
    ax.set(xlabel=label, xlim=(low, low + 1.18 * (numbers.max() - low)))  # room for the highest value's number
    ax.invert_yaxis()
    return finished(ax)


def lines(
    results: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str | None = None,
    panels: str | None = None,
    labels: Mapping[str, str] | None = None,
    mark: tuple[str, float] | None = None,
    log: bool | Literal["x"] = False,
    points: bool = False,
    title: str = "",
) -> Picture:
    """Means over the repeats of a sweep as lines, with bands of two standard errors.

    Parameters
    ----------
    results : what ``sweep`` returns: a row for each repeat
    x, y : the columns that the axes show
    by : a column with a line for each of its values, in strokes by the order in which they appear; of a categorical
        column each category keeps its stroke, whichever others are there
    panels : a column with axes of its own for each of its values, on one scale, three in a row
    labels : words to show instead of the names of the columns x, y and by
    mark : a name and a height: a line all across, to compare with
    log : logarithmic scales, both or that of x alone
    points : draw points instead of lines, side by side for each value of x, which may be a word
    """
    checks.choice("log", log, (False, True, "x"))
    parts = _by_panel(results, x, y, by, panels)
    words: dict[Any, Any] = {x: x, y: y, by: by, **(labels or {})}
    if points:
        width = 4.6 if len(parts) == 1 else 2.8
        frames = grid(parts, title, 3, width, 2.9, x=words[x], y=words[y], sharey=True)
    else:
        headings = [f"{title}: {name}" if title and panels else title or name for name in parts]
        width, height = {1: (4.6, 3.8), 2: (3.8, 3.8), 3: (2.9, 3.8)}.get(len(parts), (2.9, 2.9))
        frames = grid(headings, "", 3, width, height, x=words[x], y=words[y], size=11, sharey=True)
    for ax, part in zip(frames, parts.values(), strict=False):
        _means(ax, part, x, y, by, results, points)
        if mark is not None:
            ax.axhline(mark[1], color="#888888", linestyle=":", linewidth=1, label=mark[0])
        if log:
            ax.set(xscale="log", yscale="linear" if log == "x" else "log")
        finished(ax)
    if by is not None:
        legend_of(frames, len(parts), title=None if points else words[by])
    finished(frames[0]).title = title
    return finished(frames[0])


def _means(ax, part, x, y, by, whole, points):
    """A line with its band for each value of ``by`` that these axes have; or points, side by side."""
    kinds: list[Any] = [None]
    if by is not None:
        known = isinstance(whole[by].dtype, pd.CategoricalDtype)
        kinds = list(whole[by].cat.categories if known else whole[by].unique())
    values = whole[x].unique()
    for number, kind in enumerate(kinds):
        rows = part if by is None else part[part[by] == kind]
        if rows.empty:  # its stroke stays free, so that it looks alike in all panels
            continue
        cells = rows.groupby(x, observed=True)[y]
        mean, error = cells.mean(), cells.sem().fillna(0.0)  # one repeat says nothing of its spread: no band
        sign = MARKS[number % len(MARKS)]
        style: dict[str, Any] = {"color": colour(number), "markersize": 4, "label": kind}
        if points:
            # A fifth of the room stays free between two values.
            places = np.arange(len(values)) + 0.8 * ((number + 0.5) / len(kinds) - 0.5)
            ax.errorbar(places, mean.reindex(values), 2 * error.reindex(values), fmt=sign, elinewidth=1, **style)
        else:
            ax.plot(mean.index, mean, STROKES[number % len(STROKES)] + sign, **style)
            low, high = mean - 2 * error, mean + 2 * error
            ax.fill_between(mean.index, low, high, color=colour(number), alpha=0.15, linewidth=0)
    if points:
        ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        ax.set_xticks(range(len(values)), [legible(value) for value in values])


def _by_panel(results, x, y, by, panels):
    named = [column for column in (x, y, by, panels) if column is not None]
    checks.columns("x, y, by and panels", named, checks.frame("results", results).columns)
    checks.vector(f"results[{y!r}]", results[y])
    if panels is None:
        return {"": results}
    return {str(name): part for name, part in results.groupby(panels, sort=False, observed=True)}


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
    """
    for name in checks.frame("values", values).columns:
        checks.vector(f"values[{name!r}]", values[name])
    marks = checks.mapping("marks", marks) if marks else {}
    names = list(values.columns)
    frames = grid(names, title, 1, 4.6, 1.8, sharex=True) if stacked else [new_axes(title)] * len(names)
    for place, (ax, name) in enumerate(zip(frames, names, strict=True)):
        several = {"linestyle": STROKES[place % len(STROKES)], "color": colour(place), "label": str(name)}
        ax.plot(values.index, values[name], **({"color": "black"} if stacked else several))
        ax.set(xscale="log" if log else "linear", ylabel="" if stacked else label)
    for ax in dict.fromkeys(frames):  # each once: unless stacked, all lines share one
        for place, (name, where) in enumerate(marks.items()):
            ax.axvline(where, color=colour(place), linestyle=STROKES[1 + place % 4], linewidth=1.4, label=str(name))
        ax.ticklabel_format(axis="y", useOffset=False)  # −105,300 and not −300 with "−1.05e5" above
        ax.margins(x=0)
        finished(ax)
    frames[-1].set_xlabel(str(values.index.name or ""))
    if marks or not stacked:
        legend_of([frames[0]])
    return finished(frames[0])


def _stairs(ax, step, number, label, filled):
    """One distribution, as an area or as an outline."""
    style: dict[str, Any] = {"linewidth": 1.8, "linestyle": STROKES[number % len(STROKES)]}
    ax.stairs(*step, color=colour(number), label=label, **({"fill": True, "alpha": 0.25} if filled else style))


def _steps(name, values, edges):
    """The heights and the edges of one distribution."""
    if isinstance(values, tuple):
        if len(values) != 2:
            raise ValueError(f"shares of {name!r} is a tuple of {len(values)}; expected a pair, (shares, edges)")
        values, edges = values
    if hasattr(values, "probabilities"):
        values, edges = values.probabilities, values.edges
    values = checks.vector(f"shares of {name!r}", values)
    ends = closed_ends(f"edges of {name!r}", edges)
    if len(values) != len(ends) - 1:
        raise ValueError(f"shares of {name!r} are {len(values)}; expected {len(ends) - 1}, one for each interval")
    return values, ends


def _band(name, band, step):
    """The lowest and the highest shares of a distribution."""
    if not isinstance(band, tuple) or len(band) != 2:
        raise ValueError(f"bands of {name!r} is {band!r}; expected a pair, (lowest shares, highest shares)")
    for end in band:
        checks.same_length(f"bands of {name!r}", checks.vector(f"bands of {name!r}", end), "its shares", step[0])
    return band
