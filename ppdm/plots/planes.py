"""Figures of a plane: a channel, records, and a number for each of the cells of two attributes."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import Picture, closed_ends, colour, finished, grid, legend_of, new_axes

SIGNS = "ox+^v"


def channel(matrix, true_edges, seen_edges, *, title: str = "", label: str = "value") -> Picture:
    """A channel as a map: for each true interval, where its records are seen.

    matrix has a row for each true interval and a column for each seen one; seen_edges may be open at the ends.
    """
    true, seen = checks.edges("true_edges", true_edges), closed_ends("seen_edges", seen_edges)
    matrix = checks.matrix("matrix", matrix)
    if matrix.shape != (len(true) - 1, len(seen) - 1):
        raise ValueError(f"matrix has shape {matrix.shape}; expected {(len(true) - 1, len(seen) - 1)}")
    ax = new_axes(title, x=f"seen {label}", y=f"true {label}")
    mesh = ax.pcolormesh(seen, true, matrix, cmap="Blues", vmin=0)
    ax.figure.colorbar(mesh, ax=ax).set_label("P(seen | true)")
    return finished(ax)


def planes(parts: Mapping[str, tuple[pd.DataFrame, Any]], *, most: int = 1500, title: str = "") -> Picture:
    """Records in several planes side by side, a colour and a mark for each class; the first ``most`` of each plane.

    parts has for each name a pair: a frame of the two attributes, whose names the axes show, and the records' classes.
    """
    parts, most = checks.mapping("parts", parts), checks.whole("most", most, 1)
    records = {name: _records(name, part) for name, part in parts.items()}
    same = len({tuple(X.columns) for X, _ in records.values()}) == 1  # then all planes share their scales
    frames = grid(parts, title, 3, 3.1, 3.2, sharex=same, sharey=same)
    # One colour for a class in all planes, also where a plane lacks some of the classes.
    labels = np.unique(np.concatenate([classes[:most] for _, classes in records.values()]))
    for place, (ax, (X, classes)) in enumerate(zip(frames, records.values(), strict=False)):
        points, classes = X.to_numpy(dtype=float)[:most], classes[:most]
        for number, label in enumerate(labels):
            here = points[classes == label]
            sign = SIGNS[number % len(SIGNS)]
            ax.plot(here[:, 0], here[:, 1], sign, color=colour(number), markersize=2.5, label=str(label))
        ax.set(xlabel=X.columns[0], ylabel="" if same and place % 3 else X.columns[1])
        ax.locator_params(nbins=5)
        finished(ax)
    legend_of(frames, len(parts))
    return finished(frames[0])


def _records(name, part):
    """The two attributes and the classes of the records of one plane."""
    if not isinstance(part, tuple) or len(part) != 2 or np.shape(part[0])[1:] != (2,):
        raise ValueError(f"parts[{name!r}] is not a pair of a frame with two columns, and classes")
    X, classes = checks.frame(f"parts[{name!r}]", part[0]), checks.labels("classes", part[1])
    for column in X.columns:
        checks.vector(f"X[{column!r}]", X[column])
    checks.same_length("classes", classes, "X", X)
    return X, classes


def maps(
    parts: Mapping[str, Any],
    x_edges,
    y_edges,
    *,
    x: str = "",
    y: str = "",
    label: str = "share",
    most: float = 1.0,
    title: str = "",
) -> Picture:
    """A number for each cell of the plane of two attributes, in several planes side by side, all on one scale.

    parts has for each name an array, a row for each interval between x_edges and a column for each between y_edges;
    the scale of colours goes from 0 to ``most``.
    """
    across, up = checks.edges("x_edges", x_edges), checks.edges("y_edges", y_edges)
    most = checks.number("most", most, 0, open_low=True)
    shares = {name: checks.matrix(f"parts[{name!r}]", part) for name, part in checks.mapping("parts", parts).items()}
    for name, part in shares.items():
        if part.shape != (len(across) - 1, len(up) - 1):
            raise ValueError(f"parts[{name!r}] has shape {part.shape}; expected {(len(across) - 1, len(up) - 1)}")
        if part.max() > most:
            raise ValueError(f"parts[{name!r}] holds {part.max():g}; expected at most {most:g}: give most=...")
    frames = grid(shares, title, 3, 2.9, 3.0, x=x, y=y, sharex=True, sharey=True)
    for ax, part in zip(frames, shares.values(), strict=False):
        # matplotlib wants a row for each interval of y.
        mesh = ax.pcolormesh(across, up, part.T, cmap="cividis", vmin=0, vmax=most)
        ax.locator_params(nbins=5)
    frames[0].figure.colorbar(mesh, ax=frames).set_label(label)
    return cast(Picture, frames[0].figure)
