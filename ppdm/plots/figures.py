"""Figures of distributions, of bars, and of what a sweep measured."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.checks import readable
from ppdm.plots.picture import (
    MARKS,
    STROKES,
    Axes,
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
    edges: Any = None,
    *,
    title: str = "",
    label: str = "value",
    mark: str | None = None,
    bands: Mapping[str, Any] | None = None,
    columns: int = 2,
) -> Picture:
    """Distributions as steps: what was true, what was seen, what came back.

    Parameters
    ----------
    shares : for each name the share of each interval: an array over ``edges``, a pair (shares, edges of their own), or
        a ``Distribution``. For several figures side by side: for each figure's name such a dict.
    edges : the intervals' edges; an interval with an infinite end is drawn as wide as its neighbour
    label : what the horizontal axis shows
    mark : the name to fill in, usually the truth
    bands : for some of the names a pair, the lowest and the highest share of each interval
    columns : how many figures stand in a row
    """
    shares, columns = checks.mapping("shares", shares), checks.whole("columns", columns, 1)
    several = all(isinstance(part, Mapping) for part in shares.values())  # a figure for each name
    frames = grid(len(shares), title, columns, 3.6, 2.7) if several else [new_axes(title)]
    parts = shares if several else {"": shares}
    for place, (ax, (name, part)) in enumerate(zip(frames, parts.items(), strict=False)):
        _distributions(ax, part, edges, mark, bands or {})
        ax.set(xlabel=label, ylabel="" if place % columns else "share of records", ylim=(0, None))
        finished(ax)
        if several:
            ax.set_title(name, loc="left", fontsize=11)
    if several:
        legend_of(frames, len(shares))
    else:
        frames[0].legend(frameon=False)
    return finished(frames[0])


def _distributions(ax: Axes, shares: Mapping[str, Any], edges: Any, mark: str | None, bands: Mapping[str, Any]) -> None:
    """The distributions of one figure, and the bands of some of them."""
    steps = {name: _steps(name, values, edges) for name, values in shares.items()}
    if mark is not None:
        checks.choice("mark", mark, shares)
    for name in bands:
        checks.choice("bands", name, shares)
    for number, (name, step) in enumerate(steps.items()):
        _stairs(ax, step, number, name, filled=name == mark)
        if name in bands:
            low, high = _band(name, bands[name], step)
            ax.stairs(high, step[1], baseline=low, fill=True, color=colour(number), alpha=0.25, linewidth=0)
    ax.margins(x=0)


def reconstructions(
    true: Mapping[str, Any], found: Mapping[str, Any], edges: Any = None, *, title: str = "", label: str = "value"
) -> Picture:
    """Reconstructed ``distributions`` as lines over the true ones, of the same names, as areas; a colour each."""
    true, found = checks.mapping("true", true), checks.mapping("found", found)
    if set(true) != set(found):
        raise ValueError(f"found has the names {list(found)}; expected those of true, {list(true)}")
    ax = new_axes(title)
    for what, shares in (("true", true), ("reconstructed", found)):
        for number, name in enumerate(true):
            step = _steps(f"{what} {name}", shares[name], edges)
            _stairs(ax, step, number, f"{what} {name}", filled=shares is true)
    ax.margins(x=0)
    ax.set(xlabel=label, ylabel="share of records", ylim=(0, None))
    legend_of([ax])
    return finished(ax)


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
    labels : words for the columns x, y and by, where their names do not do
    mark : a name and a height: a line all across, to compare with
    log : logarithmic scales, both or that of x alone
    """
    checks.choice("log", log, (False, True, "x"))
    parts = _by_panel(results, x, y, by, panels)
    words = {column: column for column in (x, y, by) if column is not None} | dict(labels or {})
    places = [None]
    if by is not None:
        known = isinstance(results[by].dtype, pd.CategoricalDtype)
        places = list(results[by].cat.categories if known else results[by].unique())
    width, height = {1: (4.6, 3.8), 2: (3.8, 3.8), 3: (2.9, 3.8)}.get(len(parts), (2.9, 2.9))
    frames = grid(len(parts), "", 3, width, height, sharey=True)
    for place, (ax, (name, part)) in enumerate(zip(frames, parts, strict=False)):
        _means(ax, part, x, y, by, places)
        if mark is not None:
            ax.axhline(mark[1], color="#888888", linestyle=":", linewidth=1, label=mark[0])
        if log:
            ax.set(xscale="log", yscale="linear" if log == "x" else "log")
        ax.set_title(f"{title}: {name}" if title and panels else title or name, loc="left", fontsize=11)
        ax.set(xlabel=words[x], ylabel=words[y] if place % 3 == 0 else "")
        finished(ax)
    if by is not None:
        legend_of(frames, len(parts), title=words[by])
    finished(frames[0]).title = title
    return finished(frames[0])


def _means(ax: Axes, results: pd.DataFrame, x: str, y: str, by: str | None, places: list[Any]) -> None:
    """A line with its band for each of the values that these axes have."""
    for number, name in enumerate(places):
        rows = results if by is None else results[results[by] == name]
        if rows.empty:  # its stroke stays free, so that it looks alike in all panels
            continue
        mean, error = _mean_and_error(rows, x, y)
        stroke, sign = STROKES[number % len(STROKES)], MARKS[number % len(MARKS)]
        ax.plot(mean.index, mean, stroke + sign, color=colour(number), markersize=4, label=name)
        low, high = mean - 2 * error, mean + 2 * error
        ax.fill_between(mean.index, low, high, color=colour(number), alpha=0.15, linewidth=0)


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

    The parameters are those of ``lines``; ``by`` has a point for each of its values, and label says what y is.
    """
    parts = _by_panel(results, x, y, by, panels)
    values, kinds = results[x].unique(), results[by].unique()
    places = np.arange(len(values))
    frames = grid(len(parts), title, 3, 4.6 if len(parts) == 1 else 2.8, 2.9, sharey=True)
    for number, (ax, (name, part)) in enumerate(zip(frames, parts, strict=False)):
        for row, kind in enumerate(kinds):
            mean, error = (one.reindex(values) for one in _mean_and_error(part[part[by] == kind], x, y))
            beside = places + 0.8 * ((row + 0.5) / len(kinds) - 0.5)  # a fifth stays free between two groups
            style: dict[str, Any] = {"fmt": MARKS[row % len(MARKS)], "color": colour(row)}
            ax.errorbar(beside, mean, 2 * error, markersize=4, elinewidth=1, label=str(kind), **style)
        ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        ax.set_xticks(places, [legible(value) for value in values])
        ax.set_title(name, loc="left", fontsize=10)
        ax.set(xlabel=x, ylabel=(label or y) if number % 3 == 0 else "")
        finished(ax)
    legend_of(frames, len(parts))
    return cast(Picture, frames[0].figure)


def _by_panel(
    results: pd.DataFrame, x: str, y: str, by: str | None, panels: str | None
) -> list[tuple[str, pd.DataFrame]]:
    named = [column for column in (x, y, by, panels) if column is not None]
    checks.columns("x, y, by and panels", named, checks.frame("results", results).columns)
    checks.vector(f"results[{y!r}]", results[y])
    if panels is None:
        return [("", results)]
    return [(str(name), part) for name, part in results.groupby(panels, sort=False, observed=True)]


def _mean_and_error(rows: pd.DataFrame, x: str, y: str) -> tuple[pd.Series, pd.Series]:
    """The mean of y for each value of x, and its standard error; 0 for that of a single row."""
    cells = rows.groupby(x, observed=True)[y]
    return cells.mean(), cells.sem().fillna(0.0)  # one repeat says nothing of its spread: no band


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
    number = len(values.columns)
    frames = grid(number, title, 1, 4.6, 1.8, sharex=True) if stacked else [new_axes(title)] * number
    for place, (ax, name) in enumerate(zip(frames, values.columns, strict=True)):
        if stacked:
            ax.plot(values.index, values[name], color="black")
            ax.set_title(str(name), loc="left", fontsize=10)
        else:
            ax.plot(values.index, values[name], STROKES[place % len(STROKES)], color=colour(place), label=str(name))
            ax.set_ylabel(label)
        ax.set_xscale("log" if log else "linear")
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


def _stairs(ax: Axes, step: Steps, number: int, label: str, filled: bool) -> None:
    """One distribution, as an area or as an outline."""
    style: dict[str, Any] = {"linewidth": 1.8, "linestyle": STROKES[number % len(STROKES)]}
    ax.stairs(*step, color=colour(number), label=label, **({"fill": True, "alpha": 0.25} if filled else style))


def _steps(name: str, values: Any, edges: Any) -> Steps:
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


def _band(name: str, band: Any, step: Steps) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest shares of a distribution."""
    if not isinstance(band, tuple) or len(band) != 2:
        raise ValueError(f"bands of {name!r} is {band!r}; expected a pair, (lowest shares, highest shares)")
    for end in band:
        checks.same_length(f"bands of {name!r}", checks.vector(f"bands of {name!r}", end), "its shares", step[0])
    return band
