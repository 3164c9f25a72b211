"""Every figure of the notebooks, by name. Colours are told apart by colour-blind readers too."""

import io
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from PIL import Image

from ppdm import checks
from ppdm.trees.model import Tree
from ppdm.trees.rules import condition_of, leaves_in_order, readable

__all__ = ["PALETTE", "Picture", "bars", "channel", "distributions", "lines", "plane", "regions", "tree"]

# Okabe & Ito's colours (2008), the darker ones first.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
STROKES = ("-", "--", "-", ":", "-.")
LABELLED_LEAVES = 16
_HALO = withStroke(linewidth=2.5, foreground="white")


class Picture(Figure):
    """A figure that shows itself as the last value of a cell, without any global state.

    >>> Picture("Ages")
    <Picture 'Ages', 640×380>
    """

    def __init__(self, title: str = "", width: float = 6.4, height: float = 3.8, **options: Any) -> None:
        super().__init__(figsize=(width, height), dpi=100, layout="constrained", **options)
        self.title = title

    def __repr__(self) -> str:
        width, height = (round(float(size) * self.dpi) for size in self.get_size_inches())
        return f"<Picture {self.title!r}, {width}×{height}>"

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file, of 128 colours: a third of the size, and no eye sees it."""
        canvas = FigureCanvasAgg(self)
        canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        buffer = io.BytesIO()
        picture.quantize(128, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(buffer, "png")
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()


def distributions(
    shares: Mapping[str, Any],
    edges: Any = None,
    *,
    title: str = "",
    label: str = "value",
    mark: str | None = None,
    ax: Axes | None = None,
) -> Picture:
    """Distributions as steps: what was true, what was seen, what came back.

    Parameters
    ----------
    shares
        For each name the share of each interval: an array over ``edges``, a pair (shares, edges of their own), or a
        ``Distribution``.
    edges
        The intervals' edges, increasing, one more than the shares; the outermost may be infinite and are then drawn
        as if their interval were as wide as its neighbour.
    title, label
        What stands above, and what the horizontal axis shows.
    mark
        The name to fill in: usually the truth.
    ax
        Axes to draw in; None makes a new picture.
    """
    steps = {name: _steps(name, values, edges) for name, values in shares.items()}
    ax = _axes(ax, title)
    for number, (name, (values, ends)) in enumerate(steps.items()):
        style: dict[str, Any] = {"color": _colour(number), "label": name}
        if name == mark:
            ax.stairs(values, ends, fill=True, alpha=0.25, **style)
        else:
            ax.stairs(values, ends, linewidth=1.8, linestyle=STROKES[number % len(STROKES)], **style)
    ax.set(xlabel=label, ylabel="share of records", ylim=(0, None))
    ax.margins(x=0)
    ax.legend(frameon=False)
    return _finished(ax)


def channel(matrix: Any, true_edges: Any, seen_edges: Any, *, title: str = "", label: str = "value") -> Picture:
    """A channel as a map: for each true interval, where its records are seen.

    matrix has a row for each true interval and a column for each seen one; seen_edges may be open at the ends.
    """
    true, seen = checks.edges("true_edges", true_edges), _closed(checks.edges("seen_edges", seen_edges, open_ends=True))
    matrix = np.asarray(matrix, dtype=float)
    if matrix.shape != (len(true) - 1, len(seen) - 1):
        raise ValueError(f"matrix has shape {matrix.shape}; expected {(len(true) - 1, len(seen) - 1)}")
    ax = _axes(None, title)
    mesh = ax.pcolormesh(seen, true, matrix, cmap="Blues", vmin=0)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label("P(seen | true)")
    ax.set(xlabel=f"seen {label}", ylabel=f"true {label}")
    return _finished(ax)


def plane(X: pd.DataFrame, classes: Any, x: str, y: str, *, most: int = 2000, title: str = "") -> Picture:
    """Records in the plane of two attributes, a colour and a mark for each class; the first ``most`` of them."""
    checks.columns("x and y", (x, y), checks.frame("X", X).columns)
    checks.same_length("classes", classes, "X", X)
    ax = _axes(None, title, height=4.6)
    _records(ax, X[[x, y]].to_numpy(float)[:most], np.asarray(classes)[:most])
    ax.set(xlabel=x, ylabel=y)
    return _finished(ax)


def regions(
    tree: Any, X: pd.DataFrame, x: str, y: str, *, classes: Any = None, most: int = 1000, title: str = ""
) -> Picture:
    """What a tree, or a classifier, decides over the plane of two attributes.

    The plane spans the range that the two have in X; the other attributes stay at their median, or at their most
    frequent value where they have none. With classes, the first ``most`` records are drawn over it.
    """
    checks.columns("x and y", (x, y), checks.frame("X", X).columns)
    size = 240
    across, up = (np.linspace(X[name].min(), X[name].max(), size) for name in (x, y))
    typical = {name: [_typical(X[name])] * size**2 for name in X.columns}
    grid = pd.DataFrame(typical | {x: np.tile(across, size), y: np.repeat(up, size)})
    grid = grid.astype({name: X[name].dtype for name in X.columns if name not in (x, y)})
    labels = np.asarray(getattr(tree, "classes_", getattr(tree, "classes", None)))
    decided = np.searchsorted(labels, tree.predict(grid)).reshape(size, size)
    ax = _axes(None, title, height=4.6)
    colours = ListedColormap([_pale(_colour(number)) for number in range(len(labels))])
    ax.pcolormesh(across, up, decided, cmap=colours, vmin=-0.5, vmax=len(labels) - 0.5)
    if classes is None:
        for number, name in enumerate(labels):
            ax.plot([], [], "s", color=_pale(_colour(number)), label=str(name))
        _legend_outside(ax)
    else:
        checks.same_length("classes", classes, "X", X)
        _records(ax, X[[x, y]].to_numpy(float)[:most], np.asarray(classes)[:most], labels)
    ax.set(xlabel=x, ylabel=y)
    return _finished(ax)


def bars(values: Mapping[str, float], *, title: str = "", label: str = "accuracy", low: float = 0.0) -> Picture:
    """A bar for each name, with its value written at its end; ``low`` is where the axis begins."""
    numbers = checks.vector("values", list(values.values()))
    ax = _axes(None, title, height=0.9 + 0.45 * len(numbers))
    ax.barh(list(values), numbers - low, left=low, color=[_colour(number) for number in range(len(numbers))])
    for place, value in enumerate(numbers):
        ax.text(
            value,
            place,
            f" {value:.1%}".replace("%", " %") if label == "accuracy" else f" {readable(value)}",
            va="center",
        )
    ax.set(xlabel=label, xlim=(low, low + 1.18 * (numbers.max() - low)))
    ax.invert_yaxis()
    return _finished(ax)


def lines(
    results: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str | None = None,
    title: str = "",
    label: str = "",
    ax: Axes | None = None,
) -> Picture:
    """Means over the repeats of a sweep as lines, with bands of two standard errors.

    Parameters
    ----------
    results
        What ``sweep`` returns: a row for each repeat.
    x, y
        The columns that the axes show.
    by
        A column with a line for each of its values.
    title, label
        What stands above, and beside the vertical axis (default: y).
    ax
        Axes to draw in; None makes a new picture.
    """
    checks.columns("x, y and by", (x, y) if by is None else (x, y, by), checks.frame("results", results).columns)
    ax = _axes(ax, title)
    groups = [(None, results)] if by is None else results.groupby(by, sort=False, observed=True)
    for number, (name, group) in enumerate(groups):
        summary = group.groupby(x)[y].agg(["mean", "sem"]).fillna({"sem": 0.0})
        low, high = summary["mean"] - 2 * summary["sem"], summary["mean"] + 2 * summary["sem"]
        stroke, mark = STROKES[number % len(STROKES)], "osD^v"[number % 5]
        ax.plot(summary.index, summary["mean"], stroke + mark, color=_colour(number), markersize=4, label=name)
        ax.fill_between(summary.index, low, high, color=_colour(number), alpha=0.15, linewidth=0)
    ax.set(xlabel=x, ylabel=label or y)
    if by is not None:
        ax.legend(frameon=False, title=by)
    return _finished(ax)


def tree(model: Tree, *, title: str = "") -> Picture:
    """A tree: every test and leaf in words up to 16 leaves; beyond, its shape, with the uppermost tests in words.

    The left branch is the one on which the test holds.
    """
    if not isinstance(model, Tree):
        raise TypeError(f"model is a {type(model).__name__}; expected a Tree, such as a classifier's tree_")
    leaves = leaves_in_order(model)
    place, depth = _layout(model, leaves)
    wordy = len(leaves) <= LABELLED_LEAVES
    width = float(np.clip(1.05 * len(leaves), 5, 12)) if wordy else 12.0
    ax = _axes(None, title or repr(model)[5:-1], width, float(np.clip(1.0 + 0.85 * model.depth, 2.2, 7)))
    size = np.maximum(model.counts, 0).sum(axis=1)
    _branches(ax, model, place, depth, size, named=wordy)
    _nodes(ax, model, place, depth, size, wordy)
    for number, name in enumerate(model.classes):
        ax.plot([], [], "s", color=_colour(number), label=str(name))
    _legend_outside(ax)
    ax.set(xlim=(-0.7, len(leaves) - 0.3), ylim=(-model.depth - 0.55, 0.45))
    ax.axis("off")
    return cast(Picture, ax.figure)


def _layout(model: Tree, leaves: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Where nodes stand: leaves side by side, a parent in the middle above its children."""
    place, depth = np.zeros(len(model.attribute)), np.zeros(len(model.attribute))
    place[leaves] = np.arange(len(leaves))
    for row, level in enumerate(model.levels):
        depth[level] = row
    for node in np.flatnonzero(model.attribute >= 0)[::-1]:
        first, last = model.first_child[node], model.first_child[node] + model.n_children[node] - 1
        place[node] = (place[first] + place[last]) / 2
    return place, depth


def _branches(ax: Axes, model: Tree, place: np.ndarray, depth: np.ndarray, size: np.ndarray, named: bool) -> None:
    below = np.arange(1, len(place))
    above = model.parent[below]
    ends = np.stack([place[above], -depth[above], place[below], -depth[below]], axis=1).reshape(-1, 2, 2)
    widths = 0.6 + 5 * np.sqrt(size[below] / max(size[0], 1e-12))
    ax.add_collection(LineCollection(list(ends), colors="#BBBBBB", linewidths=widths, zorder=1))
    if not named:
        return
    for node, parent in zip(below, above, strict=True):
        x, y = (place[node] + place[parent]) / 2, -(depth[node] + depth[parent]) / 2
        ax.text(
            x, y, _branch_name(model, int(parent), int(node)), fontsize=7, color="#555555", ha="center", va="center"
        )


def _branch_name(model: Tree, parent: int, node: int) -> str:
    child = node - int(model.first_child[parent])
    if model.n_children[parent] == 2:
        return ("yes", "no")[child]
    categories = model.attributes[model.attribute[parent]].categories or ()
    goes = model.routes_of(parent) == child
    return ", ".join(str(category) for category, here in zip(categories, goes, strict=True) if here)


def _nodes(ax: Axes, model: Tree, place: np.ndarray, depth: np.ndarray, size: np.ndarray, wordy: bool) -> None:
    shares, label = model.shares.max(axis=1), model.shares.argmax(axis=1)
    named = np.full(len(place), wordy)
    named[model.attribute >= 0] |= depth[model.attribute >= 0] < 3
    for node in map(int, np.flatnonzero(named)):
        inner = model.attribute[node] >= 0
        text = (
            condition_of(model, node)
            if inner
            else f"{model.classes[label[node]]}\n{readable(size[node])}\n{shares[node]:.0%}"
        )
        edge = "#888888" if inner else _colour(label[node])
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white" if inner else _pale(edge), "edgecolor": edge}
        ax.text(place[node], -depth[node], text, fontsize=8, ha="center", va="center", bbox=box, zorder=3)
    bare = ~named
    if bare.any():
        area = 8 + 60 * np.sqrt(size[bare] / max(size[0], 1e-12))
        ax.scatter(place[bare], -depth[bare], s=area, c=[_colour(k) for k in label[bare]], linewidths=0, zorder=2)


def _steps(name: str, values: Any, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """The heights and the edges of one distribution's steps."""
    if isinstance(values, tuple):
        values, edges = values
    elif hasattr(values, "probabilities"):
        values, edges = values.probabilities, values.edges
    values = checks.vector(f"shares of {name!r}", values)
    ends = _closed(checks.edges(f"edges of {name!r}", edges, open_ends=True))
    if len(values) != len(ends) - 1:
        raise ValueError(f"shares of {name!r} are {len(values)}; expected {len(ends) - 1}, one for each interval")
    return values, ends


def _closed(edges: np.ndarray) -> np.ndarray:
    """The edges, an open end drawn as far out as its neighbouring interval is wide."""
    edges = edges.copy()
    if np.isinf(edges[0]):
        edges[0] = 2 * edges[1] - edges[2]
    if np.isinf(edges[-1]):
        edges[-1] = 2 * edges[-2] - edges[-3]
    return edges


def _records(ax: Axes, points: np.ndarray, classes: np.ndarray, labels: Any = None) -> None:
    for number, name in enumerate(np.unique(classes) if labels is None else labels):
        here = points[classes == name]
        ax.plot(here[:, 0], here[:, 1], "ox+^v"[number % 5], color=_colour(number), markersize=2.5, label=str(name))
    _legend_outside(ax)


def _legend_outside(ax: Axes) -> None:
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), markerscale=2)


def _typical(column: pd.Series) -> Any:
    return column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0]


def _axes(ax: Axes | None, title: str, width: float = 6.4, height: float = 3.8) -> Axes:
    ax = Picture(title, width, height).add_subplot() if ax is None else ax
    ax.set_title(title, loc="left", fontsize=11)
    return ax


def _finished(ax: Axes) -> Picture:
    ax.spines[["top", "right"]].set_visible(False)
    return cast(Picture, ax.figure)


def _colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def _pale(colour: str) -> tuple[float, float, float]:
    red, green, blue = to_rgb(colour)
    return (1 - 0.3 * (1 - red), 1 - 0.3 * (1 - green), 1 - 0.3 * (1 - blue))
