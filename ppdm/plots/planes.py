"""Figures of a plane: a channel, records, and a number for each of the cells of two attributes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import Picture, closed_ends, colour, entry, grid, legend_of, legible, of_shape
from ppdm.plots.words import steady

SIGNS = "ox+^v"


def channel(matrix, true_edges, seen_edges, *, title: str = "", label: str = "value") -> Picture:
    """A channel as a map: for each true interval, where its records are seen.

    matrix has a row for each true interval and a column for each seen one; seen_edges may be open at the ends.
    """
    true = checks.edges("true_edges", true_edges)
    seen = closed_ends("seen_edges", seen_edges)
    matrix = of_shape("matrix", matrix, len(true) - 1, len(seen) - 1)
    picture = grid(title, x=f"seen {label}", y=f"true {label}")
    (ax,) = picture.axes
    mesh = ax.pcolormesh(seen, true, matrix, cmap="Blues", vmin=0)
    picture.colorbar(mesh, ax=ax).set_label("P(seen | true)")
    return picture


def planes(parts: Mapping[str, tuple[pd.DataFrame, Any]], *, most: int = 1500, title: str = "") -> Picture:
    """Records in several planes side by side, a colour and a mark for each class; the first ``most`` of each plane.

    parts has for each name a pair: a frame of the two attributes, whose names the axes show, and the records' classes.
    """
    parts = checks.mapping("parts", parts)
    most = checks.whole("most", most, 1)
    records = [_records(name, part, most) for name, part in parts.items()]
    same = len({tuple(names) for names, _, _ in records}) == 1  # then all planes share their scales
    picture = grid(title, parts, 3.1, 3.2, above=True, sharex=same, sharey=same)
    # One colour for a class in all planes, also where a plane lacks some of the classes.
    labels = np.unique(np.concatenate([classes for _, _, classes in records]))
    for place, (names, (across, up), classes) in enumerate(records):
        ax = picture.axes[place]
        for number, label in enumerate(labels):
            here = classes == label
            sign = SIGNS[number % len(SIGNS)]
            ax.plot(across[here], up[here], sign, color=colour(number), markersize=2.5, label=entry(label))
        ax.set(xlabel=names[0], ylabel="" if same and place % 3 else names[1])
        ax.locator_params(nbins=5)
    legend_of(picture)
    return picture


def _records(name, part, most):
    """The names and the values of the two attributes of one plane, and the classes of its first records."""
    if not isinstance(part, tuple) or len(part) != 2 or np.shape(part[0])[1:] != (2,):
        raise ValueError(f"parts[{name!r}] is not a pair of a frame with two columns, and classes")
    X = checks.frame(f"parts[{name!r}]", part[0])
    classes = checks.labels("classes", part[1])
    checks.same_length("classes", classes, "X", X)
    values = [checks.vector(f"X[{column!r}]", X[column])[:most] for column in X]
    return list(X), values, classes[:most]


def maps(
    parts: Mapping[str, Any],
    x_edges=None,
    y_edges=None,
    *,
    x: str = "",
    y: str = "",
    label: str = "share",
    most: float | None = None,
    numbers: str = ".2g",
    title: str = "",
) -> Picture:
    """A number for each cell of a plane or a table, in several of them side by side, all on one scale of colours.

    Parameters
    ----------
    parts : for each name an array, with a row for each interval between x_edges and a column for each between y_edges.
        Or without edges for each name a frame: its numbers are written in the cells, its rows go from top to bottom.
    x, y, label : what the axes and the colours show
    most : the end of the scale, which begins at 0, or at -most if a frame holds numbers below 0. Left alone it is 1, or
        what is farthest from 0 in all frames.
    numbers : how numbers are written, a format such as "+.1f" or ".0%"; "+z.1f" writes no −0.0

    >>> lost = pd.DataFrame({"one group": [0.5, -2.0], "two groups": [1.5, 0.0]}, index=["Adult", "Voting"])
    >>> picture = maps({"": lost}, numbers="+.1f", label="points", title="Naive minus estimated")
    >>> picture.alt
    'Naive minus estimated. Points: from −2.0 (one group, Voting) to +1.5 (two groups, Adult), 2 of 4 above 0.'
    """
    parts = checks.mapping("parts", parts)
    if most is not None:
        checks.number("most", most, "(0, inf)")
    try:
        format(0.5, numbers)
    except (TypeError, ValueError):
        raise ValueError(f"numbers is {numbers!r}; expected a format of numbers, such as '.1f'") from None
    if x_edges is None and y_edges is None:
        return _tables(parts, x, y, label, most, numbers, title)
    across = checks.edges("x_edges", x_edges)
    up = checks.edges("y_edges", y_edges)
    most = most or 1.0
    picture = grid(title, parts, 2.9, 3.0, above=True, x=x, y=y, sharex=True, sharey=True)
    for ax, (name, part) in zip(picture.axes, parts.items()):
        shares = of_shape(f"parts[{name!r}]", part, len(across) - 1, len(up) - 1)
        if shares.max() > most:
            raise ValueError(f"parts[{name!r}] holds {shares.max():g}; expected at most {most:g}: give most=...")
        # matplotlib wants a row for each interval of y.
        mesh = ax.pcolormesh(across, up, shares.T, cmap="cividis", vmin=0, vmax=most)
        ax.spines[:].set_visible(True)  # cells fill the axes to the end
        ax.locator_params(nbins=5)
    picture.colorbar(mesh, ax=picture.axes).set_label(label)
    return picture


def _tables(parts, x, y, label, most, numbers, title):
    """Frames as maps, with a word for each row and column, and the number in each cell."""
    cells = {}
    for name, part in parts.items():
        table = checks.frame(f"parts[{name!r}]", part)
        cells[name] = checks.vector(f"parts[{name!r}]", table.to_numpy().ravel()).reshape(table.shape)
    farthest = max(np.abs(one).max() for one in cells.values())
    if most is not None and farthest > most:
        raise ValueError(f"parts hold {farthest:g}; expected at most {most:g} from 0: give most=...")
    most = most or farthest or 1.0
    signed = min(one.min() for one in cells.values()) < 0
    scale = {"cmap": "PuOr" if signed else "Blues", "vmin": -most if signed else 0.0, "vmax": most}
    rows, columns = np.max([one.shape for one in cells.values()], axis=0)
    picture = grid(title, parts, 0.6 + 0.62 * columns, 0.9 + 0.3 * rows, above=True, x=x, y=y)
    for ax, (name, part) in zip(picture.axes, parts.items()):
        mesh = ax.pcolormesh(cells[name], edgecolors="white", linewidth=1, **scale)
        _table(ax, part, cells[name], numbers, 0.6 * most)
    picture.colorbar(mesh, ax=picture.axes).set_label(label)
    return picture


def _table(ax, part, cells, numbers, dark):
    """The number in each cell, white on dark ones, and the words of rows and columns."""
    for (row, column), value in np.ndenumerate(cells):
        ax.text(
            column + 0.5,
            row + 0.5,
            format(steady(value), numbers).replace("-", "−"),
            color="black" if abs(value) < dark else "white",
            fontsize=8,
            ha="center",
            va="center",
        )
    for axis, words in ((ax.xaxis, part.columns), (ax.yaxis, part.index)):
        axis.set_ticks(
            np.arange(len(words)) + 0.5,
            [legible(word) for word in words],
            fontsize=8,
        )
    ax.tick_params(length=0)
    ax.invert_yaxis()
