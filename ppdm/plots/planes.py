"""Figures of the plane of two attributes: records, and what a tree decides there."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.plots.picture import (
    Axes,
    ListedColormap,
    Picture,
    colour,
    finished,
    grid,
    legend_of,
    legend_outside,
    new_axes,
    pale,
)


def plane(X: pd.DataFrame, classes: Any, x: str, y: str, *, most: int = 2000, title: str = "") -> Picture:
    """Records in the plane of two attributes, a colour and a mark for each class; the first ``most`` of them."""
    records = _inputs(X, x, y, classes, most)
    ax = new_axes(None, title, height=4.6)
    _records(ax, *records)
    ax.set(xlabel=x, ylabel=y)
    return finished(ax)


def planes(parts: Mapping[str, tuple[pd.DataFrame, Any]], *, most: int = 1500, title: str = "") -> Picture:
    """Records in several planes side by side.

    parts has for each name a pair: a frame of the two attributes, whose names the axes show, and the records' classes.
    """
    parts = checks.mapping("parts", parts)
    inputs = {name: _pair(name, part, most) for name, part in parts.items()}
    same = len({tuple(axes) for axes, _ in inputs.values()}) == 1
    frames = grid(len(parts), title, 3, 3.1, 3.2, sharex=same, sharey=same)
    labels = np.unique(np.concatenate([classes for _, (_, classes) in inputs.values()]))
    for place, (ax, (name, (axes, records))) in enumerate(zip(frames, inputs.items(), strict=False)):
        _points(ax, *records, labels)
        ax.set_title(name, loc="left", fontsize=10)
        ax.set(xlabel=axes[0], ylabel="" if same and place % 3 else axes[1])
        ax.locator_params(nbins=5)
        finished(ax)
    legend_of(frames, len(parts))
    return cast(Picture, frames[0].figure)


def maps(
    parts: Mapping[str, Any],
    x_edges: Any,
    y_edges: Any,
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
    frames = grid(len(shares), title, 3, 2.9, 3.0, sharex=True, sharey=True)
    for place, (ax, (name, part)) in enumerate(zip(frames, shares.items(), strict=False)):
        mesh = ax.pcolormesh(across, up, part.T, cmap="cividis", vmin=0, vmax=most)
        ax.set_title(name, loc="left", fontsize=10)
        ax.set(xlabel=x, ylabel="" if place % 3 else y)
        ax.locator_params(nbins=5)
    bar = frames[0].figure.colorbar(mesh, ax=frames)
    bar.set_label(label)
    return cast(Picture, frames[0].figure)


def regions(
    tree: Any, X: pd.DataFrame, x: str, y: str, *, classes: Any = None, most: int = 1000, title: str = ""
) -> Picture:
    """What a tree, or a classifier, decides over the plane of two attributes.

    The plane spans the range that the two have in X; the other attributes stay at their median, or at their most
    frequent value where they have none. With classes, the first ``most`` records are drawn over it.
    """
    records = _inputs(X, x, y, np.zeros(len(checks.frame("X", X))) if classes is None else classes, most)
    if not callable(getattr(tree, "predict", None)):
        raise TypeError(f"tree is {tree!r}; expected a Tree or a fitted classifier")
    across, up = (np.linspace(X[name].min(), X[name].max(), 240) for name in (x, y))
    labels, decided = classes_of(tree), decisions(tree, X, x, y, across, up)
    ax = new_axes(None, title, height=4.6)
    colours = ListedColormap([pale(colour(number)) for number in range(len(labels))])
    ax.pcolormesh(across, up, decided, cmap=colours, vmin=-0.5, vmax=len(labels) - 0.5)
    if classes is None:
        for number, name in enumerate(labels):
            ax.plot([], [], "s", color=pale(colour(number)), label=str(name))
        legend_outside(ax)
    else:
        _records(ax, *records, labels)
    ax.set(xlabel=x, ylabel=y)
    return finished(ax)


def classes_of(tree: Any) -> np.ndarray:
    """The class labels of a tree or a classifier."""
    return np.asarray(getattr(tree, "classes_", getattr(tree, "classes", None)))


def decisions(tree: Any, X: pd.DataFrame, x: Any, y: Any, across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The number of the class that a tree decides for at places of a plane, a row for each place along y.

    The other attributes stay at their median in X, or at their most frequent value where they have none.
    """
    size = len(up) * len(across)
    typical = {name: [_typical(X[name])] * size for name in X.columns}
    places = pd.DataFrame(typical | {x: np.tile(across, len(up)), y: np.repeat(up, len(across))})
    places = places.astype({name: X[name].dtype for name in X.columns if name not in (x, y)})
    return np.searchsorted(classes_of(tree), tree.predict(places)).reshape(len(up), len(across))


def _pair(name: str, part: Any, most: int) -> tuple[Any, tuple[np.ndarray, np.ndarray]]:
    """The names of the two attributes of one plane, and its records."""
    if not isinstance(part, tuple) or len(part) != 2 or np.shape(part[0])[1:] != (2,):
        raise ValueError(f"parts[{name!r}] is not a pair of a frame with two columns, and classes")
    X, classes = part
    axes = checks.frame(f"parts[{name!r}]", X).columns
    return axes, _inputs(X, axes[0], axes[1], classes, most)


def _inputs(X: Any, x: Any, y: Any, classes: Any, most: Any) -> tuple[np.ndarray, np.ndarray]:
    """The points and classes of the first ``most`` records."""
    checks.columns("x and y", (x, y), checks.frame("X", X).columns)
    points = np.column_stack([checks.vector(f"X[{name!r}]", X[name]) for name in (x, y)])
    labels = checks.labels("classes", classes)
    checks.same_length("classes", labels, "X", X)
    most = checks.whole("most", most, 1)
    return points[:most], labels[:most]


def _records(ax: Axes, points: np.ndarray, classes: np.ndarray, labels: Any = None) -> None:
    _points(ax, points, classes, labels)
    legend_outside(ax)


def _points(ax: Axes, points: np.ndarray, classes: np.ndarray, labels: Any = None) -> None:
    for number, name in enumerate(np.unique(classes) if labels is None else labels):
        here = points[classes == name]
        ax.plot(here[:, 0], here[:, 1], "ox+^v"[number % 5], color=colour(number), markersize=2.5, label=str(name))


def _typical(column: pd.Series) -> Any:
    return column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0]
