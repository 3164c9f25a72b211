"""Figures of distributions, of bars, and of columns of numbers."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ppdm import checks
from ppdm.plots.picture import (
    SCALES,
    STROKES,
    Picture,
    closed_ends,
    colour,
    entry,
    grid,
    legend_of,
    legible,
    of_shape,
    on_scale,
)
from ppdm.plots.words import in_percent, steady

AREA = {"fill": True, "alpha": 0.25}


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
    ax.stairs(heights, ends, color=colour(number), label=entry(name), **(AREA if filled else outline))
    return ends


def bars(
    values: Mapping[str, float], *, title: str = "", label: str = "accuracy", percent: bool | None = None
) -> Picture:
    """A bar for each name, with its value at its end.

    percent : whether values are shares that are shown in per cent; left alone, they are if ``label`` is "accuracy"
    """
    percent = label == "accuracy" if percent is None else checks.flag("percent", percent)
    values = checks.mapping("values", values)
    numbers = checks.vector("values", list(values.values()))
    places = range(len(numbers))
    picture = grid(title, height=0.9 + 0.45 * len(numbers))
    (ax,) = picture.axes
    ax.barh(places, numbers, color=[colour(number) for number in places])
    ax.set_yticks(places, [legible(name) for name in values])
    for place, value in enumerate(numbers):
        text = f"{steady(100 * value):.1f} %" if percent else checks.readable(value)
        ax.text(value, place, f" {text}".replace("-", "−"), va="center")
    ax.margins(x=0.18)  # room for the highest value's number
    ax.set_xlabel(label)
    in_percent(ax, "x" * percent)
    ax.invert_yaxis()
    return picture


def curves(
    values: pd.DataFrame,
    *,
    marks: Mapping[str, float] | None = None,
    stacked: bool = False,
    log: bool = False,
    percent: bool = False,
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
    percent : whether the vertical axis shows shares in per cent
    label : what the vertical axis shows, unless ``stacked``

    >>> ages = pd.DataFrame({"true": [0.1, 0.5, 0.2]}, index=pd.Index([20, 40, 60], name="age"))
    >>> curves(ages, percent=True, title="Most are 40").alt
    'Most are 40. Age: true rises from 10 % to 50 % at 40 and falls to 20 %.'
    """
    columns = list(checks.frame("values", values))
    marks = checks.mapping("marks", marks) if marks else {}
    parts = [values]
    if checks.flag("stacked", stacked):
        parts = [values[[name]] for name in columns]
        picture = grid(title, columns, height=1.8, columns=1, above=True, sharex=True)
    else:
        picture = grid(title, y=label)
    for ax, part in zip(picture.axes, parts):
        _curves(ax, part, marks, log, "black" if stacked else None)
        in_percent(ax, "y" * checks.flag("percent", percent))
    picture.axes[-1].set_xlabel(str(values.index.name or ""))
    if marks or not stacked:
        legend_of(picture)
    return picture


def _curves(ax, values, marks, log, hue):
    """The lines of one figure, all of one hue or each of its own, and the marks."""
    on_scale("the index of values", values.index, checks.flag("log", log))
    for place, column in enumerate(values):
        style = {"linestyle": STROKES[place % len(STROKES)], "color": hue or colour(place)}
        heights = checks.vector(f"values[{column!r}]", values[column])
        ax.plot(values.index, heights, label=None if hue else entry(column), **style)
    for place, (mark, where) in enumerate(marks.items()):
        stroke = STROKES[1 + place % 4]  # the first one is that of the curve itself
        checks.number("marks", where, SCALES[log])
        ax.axvline(
            where,
            color=colour(place),
            linestyle=stroke,
            linewidth=1.4,
            label=entry(mark),
        )
    if log:
        ax.set_xscale("log")
    ax.ticklabel_format(axis="y", useOffset=False)  # −105,300 and not −300 with "−1.05e5" above
    ax.margins(x=0)
