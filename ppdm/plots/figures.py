"""Figures of distributions, of bars, and of what a sweep measured."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import MARKS, STROKES, Picture, closed_ends, colour, grid, legend_of, legible, of_shape

AREA = {"fill": True, "alpha": 0.25}
SCALES = {False: "(-inf, inf)", True: "(0, inf)"}  # what a scale shows: a logarithmic one leaves out the rest


def distributions(
    shares: Mapping[str, Any],
    edges=None,
    *,
    title: str = "",
    label: str = "value",
    mark: str | None = None,
    bands: Mapping[str, Any] | None = None,
    true: Mapping[str, Any] | None = None,
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
    """
    shares = checks.mapping("shares", shares)
    bands = {} if bands is None else checks.mapping("bands", bands)
    true = {} if true is None else checks.mapping("true", true)
    several = all(isinstance(part, Mapping) for part in shares.values())  # a figure for each name
    words = {"x": label, "y": "share of records"}
    if several:
        picture = grid(title, shares, 3.6, 2.7, columns=2, above=True, size=11, **words)
    else:
        picture, shares = grid(title, **words), {"": shares}
    for ax, part in zip(picture.axes, shares.values()):
        _distributions(ax, part, edges, mark, bands, true)
        ax.margins(x=0)
        ax.set_ylim(0, None)
    if several or true:
        legend_of(picture)
    else:
        picture.axes[0].legend(frameon=False)
    return picture


def _distributions(ax, shares, edges, mark, bands, true):
    """The distributions of one figure, and the bands of some of them."""
    if true and set(true) != set(shares):
        raise ValueError(f"true has the names {list(true)}; expected those of shares, {list(shares)}")
    checks.choice("mark", mark, [None, *shares])
    for name in bands:
        checks.choice("bands", name, shares)
    for number, name in enumerate(true):
        _stairs(ax, number, f"true {name}", true[name], edges, filled=True)
    for number, name in enumerate(true or shares):
        shown = f"reconstructed {name}" if true else name
        ends = _stairs(ax, number, shown, shares[name], edges, filled=name == mark)
        if name in bands:
            low, high = of_shape(f"bands of {name!r}", bands[name], 2, len(ends) - 1)
            ax.stairs(
                high,
                ends,
                baseline=low,
                color=colour(number),
                linewidth=0,
                **AREA,
            )


def _stairs(ax, number, name, values, edges, filled):
    """Draw one distribution, as an area or as an outline, and return its edges."""
    if isinstance(values, tuple) and len(values) == 2:
        values, edges = values
    if hasattr(values, "probabilities"):
        edges = values.edges
        values = values.probabilities
    heights = checks.vector(f"shares of {name!r}", values)
    ends = closed_ends(f"edges of {name!r}", edges)
    checks.same_length(f"shares of {name!r}", heights, "its list of intervals", ends[1:])
    outline = {"linewidth": 1.8, "linestyle": STROKES[number % len(STROKES)]}
    ax.stairs(heights, ends, color=colour(number), label=name, **(AREA if filled else outline))
    return ends


def bars(values: Mapping[str, float], *, title: str = "", label: str = "accuracy") -> Picture:
    """A bar for each name, with its value at its end; in per cent if ``label`` is "accuracy"."""
    values = checks.mapping("values", values)
    numbers = checks.vector("values", list(values.values()))
    places = range(len(numbers))
    picture = grid(title, height=0.9 + 0.45 * len(numbers))
    (ax,) = picture.axes
    ax.barh(places, numbers, color=[colour(number) for number in places])
    ax.set_yticks(places, [legible(name) for name in values])
    for place, value in enumerate(numbers):
        text = f"{100 * value:.1f} %" if label == "accuracy" else checks.readable(value)
        ax.text(value, place, f" {text}", va="center")
    ax.margins(x=0.18)  # room for the highest value's number
    ax.set_xlabel(label)
    ax.invert_yaxis()
    return picture


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
    by : a column; each of its values has a line. Strokes follow the order in which values appear, or the categories of
        a categorical column.
    panels : a column with axes of its own for each of its values, on one scale, three in a row
    labels : words to show instead of the names of the columns x, y and by
    mark : a name and a height: a line all across, to compare with
    log : True: both scales are logarithmic; "x": only that of x. Then x, and the means of y, are above 0.
    points : draw points instead of lines, side by side for each value of x, which may be a word
    """
    checks.choice("log", log, (False, True, "x"))
    parts = _by_panel(results, x, y, by, panels, log=not checks.flag("points", points) and log)
    words = checks.mapping("labels", labels) if labels else {}
    axes = {"x": words.get(x, x), "y": words.get(y, y), "sharey": True}
    if points:
        picture = grid(title, parts, 4.6 if len(parts) == 1 else 2.8, 2.9, above=True, **axes)
    else:
        width = {1: 4.6, 2: 3.8}.get(len(parts), 2.9)
        picture = grid(title, parts, width, 3.8 if len(parts) < 4 else 2.9, **axes)
    if mark is not None:
        word, level = checks.of_type("mark", mark, tuple, "a pair: a name and a height")
        checks.number("mark", level, SCALES[log is True])
    for ax, part in zip(picture.axes, parts.values()):
        _means(ax, part, x, y, by, results, points, log)
        if mark is not None:
            ax.axhline(level, label=word, color="#888888", linestyle=":", linewidth=1)
        if log:
            ax.set(xscale="linear" if points else "log", yscale="linear" if log == "x" else "log")
    if by is not None:
        legend_of(picture, title=None if points else words.get(by, by))
    return picture


def _by_panel(results, x, y, by, panels, log):
    known = checks.frame("results", results).columns
    for argument, column in {"x": x, "y": y, "by": by, "panels": panels}.items():
        if column is not None or argument in "xy":
            checks.choice(argument, column, known, hint="these are the columns of results")
            checks.none_missing(f"results[{column!r}]", results[column])  # rows that no line would have
    checks.vector(f"results[{y!r}]", results[y])
    _on_scale(f"results[{x!r}]", results[x], log)
    if panels is None:
        return {"": results}
    return {str(name): part for name, part in results.groupby(panels, sort=False, observed=True)}


def _on_scale(name, values, log):
    """Refuse what a scale would leave out in silence."""
    checks.none_missing(name, values)
    if log:
        array = checks.vector(name, values)
        checks.none_wrong(name, array, array <= 0, "values of 0 or less", "numbers above 0, or no log")


def _means(ax, part, x, y, by, whole, points, log):
    """A line with its band for each value of ``by`` that these axes have; or points, side by side."""
    kinds = [None]
    if by is not None:
        categorical = isinstance(whole[by].dtype, pd.CategoricalDtype)
        kinds = list(whole[by].cat.categories if categorical else whole[by].unique())
    values = whole[x].unique()
    for number, kind in enumerate(kinds):
        rows = part if by is None else part[part[by] == kind]
        if rows.empty:  # its stroke stays free, so that it looks alike in all panels
            continue
        cells = rows.groupby(x, observed=True)[y]
        mean = cells.mean()
        _on_scale(f"the means of results[{y!r}]", mean, log is True)
        error = 2 * cells.sem().fillna(0.0)  # one repeat says nothing of its spread: no band
        hue = colour(number)
        sign = MARKS[number % len(MARKS)]
        style = {"color": hue, "markersize": 4, "label": kind}
        if points:
            # A fifth of the room stays free between two values.
            places = np.arange(len(values)) + 0.8 * ((number + 0.5) / len(kinds) - 0.5)
            ax.errorbar(
                places,
                mean.reindex(values),
                error.reindex(values),
                fmt=sign,
                elinewidth=1,
                **style,
            )
        else:
            ax.plot(mean.index, mean, STROKES[number % len(STROKES)] + sign, **style)
            low = mean - error
            high = mean + error
            ax.fill_between(mean.index, low, high, color=hue, alpha=0.15, linewidth=0)
    if points:
        ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        ax.set_xticks(range(len(values)), [legible(value) for value in values])


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
    log : whether the horizontal axis is logarithmic; its places are then above 0
    label : what the vertical axis shows, unless ``stacked``
    """
    checks.frame("values", values)
    marks = checks.mapping("marks", marks) if marks else {}
    _on_scale("the index of values", values.index, checks.flag("log", log))
    if checks.flag("stacked", stacked):
        picture = grid(title, values.columns, height=1.8, columns=1, above=True, sharex=True)
    else:
        picture = grid(title, y=label)
    for place, column in enumerate(values):
        ax = picture.axes[place % len(picture.axes)]  # unless stacked, all lines share one
        style = {"linestyle": STROKES[place % len(STROKES)], "color": colour(place), "label": str(column)}
        heights = checks.vector(f"values[{column!r}]", values[column])
        ax.plot(values.index, heights, **({"color": "black"} if stacked else style))
    for ax in picture.axes:
        for place, (mark, where) in enumerate(marks.items()):
            stroke = STROKES[1 + place % 4]  # the first one is that of the curve itself
            checks.number("marks", where, SCALES[log])
            ax.axvline(where, color=colour(place), linestyle=stroke, linewidth=1.4, label=mark)
        if log:
            ax.set_xscale("log")
        ax.ticklabel_format(axis="y", useOffset=False)  # −105,300 and not −300 with "−1.05e5" above
        ax.margins(x=0)
    picture.axes[-1].set_xlabel(str(values.index.name or ""))
    if marks or not stacked:
        legend_of(picture)
    return picture
