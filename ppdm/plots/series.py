"""Figures of one variable: distributions, a channel, bars, lines over a sweep."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.checks import readable
from ppdm.disguise.channel import closed_edges
from ppdm.plots.picture import (
    MARKS,
    STROKES,
    Axes,
    Picture,
    colour,
    finished,
    grid,
    legend_of,
    legend_outside,
    new_axes,
)


def distributions(
    shares: Mapping[str, Any],
    edges: Any = None,
    *,
    title: str = "",
    label: str = "value",
    mark: str | None = None,
    bands: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Picture:
    """Distributions as steps: what was true, what was seen, what came back.

    Parameters
    ----------
    shares : for each name the share of each interval: an array over ``edges``, a pair (shares, edges of their own), or
        a ``Distribution``
    edges : the intervals' edges, increasing, one more than the shares; the outermost may be infinite and are then drawn
        as if their interval were as wide as its neighbour
    title, label : what stands above, and what the horizontal axis shows
    mark : the name to fill in: usually the truth
    bands : for some of the names a pair, the lowest and the highest share of each interval
    ax : axes to draw in; None makes a new picture
    """
    shares = checks.mapping("shares", shares)
    steps = {name: _steps(name, values, edges) for name, values in shares.items()}
    if mark is not None:
        checks.choice("mark", mark, shares)
    ranges = _bands(bands or {}, steps)
    ax = new_axes(ax, title)
    for number, (name, step) in enumerate(steps.items()):
        _stairs(ax, step, number, name, filled=name == mark)
        if name in ranges:
            low, high = ranges[name]
            ax.stairs(high, step[1], baseline=low, fill=True, color=colour(number), alpha=0.25, linewidth=0)
    ax.set(xlabel=label, ylabel="share of records", ylim=(0, None))
    ax.margins(x=0)
    ax.legend(frameon=False)
    return finished(ax)


def reconstructions(
    true: Mapping[str, Any], found: Mapping[str, Any], edges: Any = None, *, title: str = "", label: str = "value"
) -> Picture:
    """Reconstructed distributions as lines over the true ones as areas, a colour for each name.

    true and found have the same names; their distributions are given as to ``distributions``.
    """
    true, found = checks.mapping("true", true), checks.mapping("found", found)
    if set(true) != set(found):
        raise ValueError(f"found has the names {list(found)}; expected those of true, {list(true)}")
    areas = [_steps(f"true {name}", true[name], edges) for name in true]
    outlines = [_steps(f"found {name}", found[name], edges) for name in true]
    ax = new_axes(None, title)
    for what, steps in (("true", areas), ("reconstructed", outlines)):
        for number, (name, step) in enumerate(zip(true, steps, strict=True)):
            _stairs(ax, step, number, f"{what} {name}", filled=steps is areas)
    ax.set(xlabel=label, ylabel="share of records", ylim=(0, None))
    ax.margins(x=0)
    legend_outside(ax, 1)
    return finished(ax)


def channel(matrix: Any, true_edges: Any, seen_edges: Any, *, title: str = "", label: str = "value") -> Picture:
    """A channel as a map: for each true interval, where its records are seen.

    matrix has a row for each true interval and a column for each seen one; seen_edges may be open at the ends.
    """
    true, seen = checks.edges("true_edges", true_edges), _ends("seen_edges", seen_edges)
    matrix = checks.matrix("matrix", matrix)
    if matrix.shape != (len(true) - 1, len(seen) - 1):
        raise ValueError(f"matrix has shape {matrix.shape}; expected {(len(true) - 1, len(seen) - 1)}")
    ax = new_axes(None, title)
    mesh = ax.pcolormesh(seen, true, matrix, cmap="Blues", vmin=0)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label("P(seen | true)")
    ax.set(xlabel=f"seen {label}", ylabel=f"true {label}")
    return finished(ax)


def bars(values: Mapping[str, float], *, title: str = "", label: str = "accuracy", low: float = 0.0) -> Picture:
    """A bar for each name, with its value written at its end; ``low`` is where the axis begins."""
    values = checks.mapping("values", values)
    numbers = checks.vector("values", list(values.values()))
    low = checks.number("low", low)
    if not low < numbers.max():
        raise ValueError(f"low is {low:g}; expected less than the highest value, {numbers.max():g}")
    ax = new_axes(None, title, height=0.9 + 0.45 * len(numbers))
    ax.barh(
        [str(name) for name in values],
        numbers - low,
        left=low,
        color=[colour(number) for number in range(len(numbers))],
    )
    for place, value in enumerate(numbers):
        text = f"{100 * value:.1f} %" if label == "accuracy" else readable(value)
        ax.text(value, place, f" {text}", va="center")
    ax.set(xlabel=label, xlim=(low, low + 1.18 * (numbers.max() - low)))
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
    by : a column with a line for each of its values. Of a categorical column each category has a stroke of its own,
        whichever others are there; else strokes go by the order in which the values appear.
    panels : a column with axes of its own for each of its values, on one scale, three in a row
    labels : words for the columns x, y and by, where their names do not do
    mark : a name and a height: a line drawn all across, to compare with
    log : logarithmic scales, both or that of x alone
    title : what stands above
    """
    checks.choice("log", log, (False, True, "x"))
    parts = by_panel(results, x, y, by, panels)
    words = {column: column for column in (x, y, by) if column is not None} | dict(labels or {})
    places = [None] if by is None else _places(results[by])
    width = 4.6 if len(parts) == 1 else 3.8 if len(parts) < 3 else 2.9
    frames = grid(len(parts), "", 3, width, 3.8 if len(parts) <= 3 else 2.9, sharey=True)
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
        legend_of(frames, len(parts), words[by])
    figure = cast(Picture, frames[0].figure)
    figure.title = title
    return figure


def by_panel(
    results: pd.DataFrame, x: str, y: str, by: str | None, panels: str | None
) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel, by its name, if the sweep has the columns and all that was measured are numbers."""
    named = [column for column in (x, y, by, panels) if column is not None]
    checks.columns("x, y, by and panels", named, checks.frame("results", results).columns)
    checks.vector(f"results[{y!r}]", results[y])
    if panels is None:
        return [("", results)]
    return [(str(name), part) for name, part in results.groupby(panels, sort=False, observed=True)]


def mean_and_error(rows: pd.DataFrame, keys: Any, y: str) -> pd.DataFrame:
    """The mean of y for each key, and its standard error; 0 for that of a single row."""
    return rows.groupby(keys, observed=True)[y].agg(["mean", "sem"]).fillna({"sem": 0.0})


def _places(column: pd.Series) -> list[Any]:
    """The values in the order of their strokes."""
    return list(column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column.unique())


def _means(ax: Axes, results: pd.DataFrame, x: str, y: str, by: str | None, places: list[Any]) -> None:
    for number, name in enumerate(places):
        group = results if by is None else results[results[by] == name]
        if group.empty:
            continue
        summary = mean_and_error(group, x, y)
        low, high = summary["mean"] - 2 * summary["sem"], summary["mean"] + 2 * summary["sem"]
        stroke, sign = STROKES[number % len(STROKES)], MARKS[number % len(MARKS)]
        ax.plot(summary.index, summary["mean"], stroke + sign, color=colour(number), markersize=4, label=name)
        ax.fill_between(summary.index, low, high, color=colour(number), alpha=0.15, linewidth=0)


def _stairs(ax: Axes, step: tuple[np.ndarray, np.ndarray], number: int, label: str, filled: bool) -> None:
    """One distribution, as an area or as an outline."""
    area = {"fill": True, "alpha": 0.25}
    outline = {"linewidth": 1.8, "linestyle": STROKES[number % len(STROKES)]}
    ax.stairs(*step, color=colour(number), label=label, **(area if filled else outline))


def _steps(name: str, values: Any, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """The heights and the edges of one distribution's steps."""
    if isinstance(values, tuple):
        if len(values) != 2:
            raise ValueError(f"shares of {name!r} is a tuple of {len(values)}; expected a pair, (shares, edges)")
        values, edges = values
    elif hasattr(values, "probabilities"):
        values, edges = values.probabilities, values.edges
    values = checks.vector(f"shares of {name!r}", values)
    ends = _ends(f"edges of {name!r}", edges)
    if len(values) != len(ends) - 1:
        raise ValueError(f"shares of {name!r} are {len(values)}; expected {len(ends) - 1}, one for each interval")
    return values, ends


def _bands(bands: Mapping[str, Any], steps: Mapping[str, Any]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The lowest and the highest shares of each named distribution."""
    found = {}
    for name, pair in bands.items():
        checks.choice("bands", name, steps)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"bands of {name!r} is {pair!r}; expected a pair, (lowest shares, highest shares)")
        low, high = (checks.vector(f"bands of {name!r}", shares) for shares in pair)
        checks.same_length(f"bands of {name!r}", low, "its shares", steps[name][0])
        checks.same_length(f"bands of {name!r}", high, "its shares", steps[name][0])
        found[name] = (low, high)
    return found


def _ends(name: str, edges: Any) -> np.ndarray:
    """Edges that can be drawn: open ends are closed."""
    ends = closed_edges(checks.edges(name, edges, open_ends=True))
    if not np.isfinite(ends).all():
        raise ValueError(f"{name} are {ends.tolist()}; expected at least two that are finite")
    return ends
