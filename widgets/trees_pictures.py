"""The pictures of the tree explorer: accuracies, what a tree decides over a plane, and its upper levels in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap

from ppdm.checks import readable
from ppdm.plots import Picture
from ppdm.trees import Tree

from .forest import Plane
from .picture import GREY, SMALL, LivePicture, quick_axes, short

NOTED = 0.95  # inches below the axes of a picture with a note
LINE = 0.15  # where the note begins, as a share of the height
ROOM = 0.2  # as much accuracy as its number takes up
ROW, IN_A_ROW = 0.19, 4  # of the legend: inches, entries
ROWS = 15  # of the tree
CLAIMED = ("ByClass", "Local")  # the strategies that the paper speaks of
TALLEST, INDENT, CHARACTER = 0.28, 0.2, 0.07  # inches: a line, a level, a character of 8 points


def scores(
    values: Mapping[str, float | None], *, chosen: str, least: float | None, note: str, label: str
) -> LivePicture:
    """A bar for each accuracy, one of them set off, and a line where some of them have to reach by the paper.

    Parameters
    ----------
    values : an accuracy for each name; None where it is still to come
    chosen : the name whose bar is set off
    least : what the paper says that some accuracies are at least; None: nothing is marked
    note : what is marked, or why nothing is, in a line or two
    label : below the axis
    """
    ax = quick_axes("Who gets it right?", left=1.5, below=NOTED)
    for place, (name, value) in enumerate(values.items()):
        _bar(ax, place, value, name == chosen, least if name in CLAIMED else None)
    if least is not None:
        red = Picture.colour(1)
        ax.figure.text(0.03, LINE, "┃", fontsize=SMALL + 1, fontweight="bold", color=red, va="top")
    ink = GREY if least is None else "black"
    ax.figure.text(0.055, LINE, note, fontsize=SMALL, color=ink, va="top", linespacing=1.15)
    ax.set_yticks(range(len(values)), [Picture.legible(name) for name in values], fontsize=SMALL)
    ax.get_yticklabels()[list(values).index(chosen)].set_fontweight("bold")
    ticks = np.arange(0, 1.01, 0.2)
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks], fontsize=SMALL)
    ax.set(xlim=(0, 1.03), ylim=(len(values) - 0.45, -0.55))
    ax.set_xlabel(label, fontsize=SMALL + 1)
    return ax.figure  # type: ignore[return-value]


def _bar(ax, place, value, set_off, least):
    """A bar with its value at its end, and a bold line that it has to reach by the paper."""
    blue, red = Picture.colour(0), Picture.colour(1)
    if least is not None:
        ax.plot([least, least], [place - 0.47, place + 0.47], color=red, linewidth=2.5, zorder=3)
    if value is None:
        ax.text(0, place, "  …", va="center", fontsize=SMALL, color=GREY)
        return
    fill, edge = (blue, "black") if set_off else (Picture.colour(0, pale=True), blue)
    ax.barh(place, value, height=0.62, color=fill, edgecolor=edge, linewidth=1.6 if set_off else 0.8)
    end = least if least is not None and 0 < value - least < ROOM else value  # not over the line
    inside = end > ROOM
    style = {"ha": "right" if inside else "left", "fontweight": "bold" if set_off else "normal"}
    style["color"] = "white" if inside and set_off else "black"
    ax.text(end, place, f" {100 * value:.1f} % ", va="center", fontsize=SMALL, zorder=4, **style)


def decided(
    classes: Sequence[Any], plane: Plane, domain: Sequence[tuple[float, float]], *, x: str, y: str, title: str
) -> LivePicture:
    """What is decided over a plane, as areas, and records over it, each class with a colour and a mark.

    Parameters
    ----------
    classes : their labels
    domain : the low and high that true values can have, of both axes: a dashed frame
    x, y : names of the axes
    """
    rows = -(-(len(classes) + 1) // IN_A_ROW)
    ax = quick_axes(title, left=0.85, below=0.52 + ROW * rows)
    hues = ListedColormap([Picture.colour(number, pale=True) for number in range(len(classes))])
    options: dict[str, Any] = {"interpolation": "nearest", "origin": "lower", "aspect": "auto"}
    options["extent"] = (plane.across[0], plane.across[-1], plane.up[0], plane.up[-1])
    ax.imshow(plane.decided, cmap=hues, vmin=-0.5, vmax=len(classes) - 0.5, **options)
    style: dict[str, Any] = {"markersize": 2.2, "linestyle": "none", "markeredgewidth": 0.6}
    most = 14 if len(classes) < IN_A_ROW - 1 else 9  # characters, so that a row of the legend fits
    for number, name in enumerate(classes):
        right, top = plane.points[plane.classes == name].T
        label = short(str(name), most)
        ax.plot(right, top, "ox+^vP*"[number % 7], color=Picture.colour(number), label=label, **style)
    (left, right), (low, high) = domain
    frame = [left, right, right, left, left], [low, low, high, high, low]
    ax.plot(*frame, color="black", linestyle="--", linewidth=1, label="true range")
    _legend_below(ax)
    ax.set_xlabel(short(x, 46), fontsize=SMALL + 1)
    ax.set_ylabel(short(y, 30), fontsize=SMALL + 1)
    ax.locator_params(nbins=5)
    ax.tick_params(labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: readable(value) if abs(value) < 1e6 else f"{value:.3g}")
    return ax.figure  # type: ignore[return-value]


def _legend_below(ax):
    """What the marks mean, in rows at the picture's foot, where they hide nothing."""
    foot = {"loc": "lower center", "bbox_to_anchor": (0.5, 0), "bbox_transform": ax.figure.transFigure}
    gaps = {"borderpad": 0.3, "handletextpad": 0.4, "columnspacing": 1.2, "labelspacing": 0.25}
    style = {"fontsize": SMALL, "frameon": False, "markerscale": 2, "handlelength": 1.4}
    columns = min(len(ax.get_legend_handles_labels()[1]), IN_A_ROW)
    ax.legend(ncols=columns, **foot, **gaps, **style)


def treetop(model: Tree, title: str) -> LivePicture:
    """The upper levels of a tree, a line for each node, down to the last level that fits.

    Under a test stand the nodes that it sends records to. A node with tests that are not shown says how many nodes are
    below it; where one is not split, its class, its records and the share of that class stand.
    """
    shown = max(level.stop for level in model.levels if level.stop <= ROWS)
    lines = _lines(model, shown)
    ax = quick_axes(title, left=0.1, below=0.05)
    width, height = ax.get_position().size * ax.figure.get_size_inches()  # type: ignore[union-attr]
    tall = min(TALLEST, height / len(lines))
    indents = [0.08 + INDENT * (len(model.path(node)) - 1) for node in lines]
    where = {node: (x, -tall * (place + 0.5)) for place, (node, x) in enumerate(zip(lines, indents))}
    _elbows(ax, model, where)
    below = np.zeros(len(model.parent), dtype=int)
    for node in range(len(below) - 1, 0, -1):
        below[model.parent[node]] += 1 + below[node]
    for node, (x, y) in where.items():
        _line(ax, model, node, x, y, width, below[node] if model.first_child[node] >= shown else 0)
    ax.set(xlim=(0, width), ylim=(-height, 0))
    ax.axis("off")
    return ax.figure  # type: ignore[return-value]


def _lines(model, shown):
    """The first ``shown`` nodes, each above those that it sends its records to."""
    lines, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        lines.append(node)
        waiting.extend(child for child in reversed(model.children(node)) if child < shown)
    return lines


def _elbows(ax, model, where):
    """From each node down, and to the right to each of those that it sends records to."""
    size = np.maximum(model.counts, 0).sum(axis=1)
    corners, widths = [], []
    for node in where:
        if node:
            (x, y), (right, low) = where[int(model.parent[node])], where[node]
            corners.append([(x + 0.06, y - 0.09), (x + 0.06, low), (right - 0.04, low)])
            widths.append(0.8 + 3 * np.sqrt(size[node] / max(size[0], 1e-12)))
    ax.add_collection(LineCollection(corners, colors="#BBBBBB", linewidths=widths, zorder=1))


def _line(ax, model, node, x, y, width, hidden):
    """What a node asks, or what it decides; and how many nodes below it are not shown."""
    box: dict[str, Any] | None
    share, size = model.shares[node], max(model.counts[node].sum(), 0)
    # "yes" and "no" as wide as each other, so that what follows stands in a column.
    way = f"{model.branch_of(node)}:" if node else ""
    label = int(share.argmax())
    start = x + (CHARACTER * (max(len(way), 4) + 1) if node else 0)
    room = int((width - start) / CHARACTER)
    if model.attribute[node] >= 0 and not hidden:
        text, box = short(f"{model.condition_of(node)} ?", room), None
    else:
        more = f"  + {hidden} nodes below" if hidden else " record" if round(size) == 1 else " records"
        rest = f"  {100 * share.max():.0f} % of {size:,.0f}{more}"
        text = short(str(model.classes[label]), max(min(14, room - len(rest)), 3)) + rest  # no number is cut
        box = {"boxstyle": "round,pad=0.15", "facecolor": Picture.colour(label, pale=True), "edgecolor": "none"}
        box["alpha"] = 0.45 if hidden else 1.0
    ax.text(x, y, way, fontsize=SMALL, color=GREY, va="center_baseline")
    ax.text(start, y, text, fontsize=SMALL, va="center_baseline", bbox=box)
