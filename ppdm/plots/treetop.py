"""The upper levels of a tree in words, in a small picture."""

from typing import Any, cast

import numpy as np

from ppdm import checks
from ppdm.plots.picture import Axes, LineCollection, Picture, colour, finished, pale, quick_axes
from ppdm.plots.trees import branch_name
from ppdm.trees import Tree

ROWS = 15
TALLEST, INDENT, CHARACTER = 0.28, 0.2, 0.07  # inches: a line, a level, a character of 8 points
SMALL, GREY = 8, "#777777"


def treetop(model: Any, *, rows: int = ROWS, title: str = "") -> Picture:
    """The upper levels of a tree, a line for each node, as many levels as there are lines for.

    Under a test stand the nodes that it sends records to. A node with tests that are not shown says how many nodes are
    below it; where one is not split, its class, its records and the share of that class stand.

    Parameters
    ----------
    model : a ``Tree``, or a fitted classifier that has one
    rows : the most lines, 1 to 15, as many as there is room for
    title : what stands above
    """
    model = getattr(model, "tree_", model)
    if not isinstance(model, Tree):
        raise TypeError(f"model is a {type(model).__name__}; expected a Tree, or a fitted classifier that has one")
    rows = checks.whole("rows", rows, 1, ROWS, hint="as many lines as there is room for")
    shown = max(level.stop for level in model.levels if level.stop <= rows)
    lines = _lines(model, shown)
    ax = quick_axes(title, left=0.1, below=0.05)
    width, height = ax.get_position().size * cast(Picture, ax.figure).get_size_inches()
    tall = min(TALLEST, height / len(lines))
    where = {
        node: (0.08 + INDENT * (len(model.path(node)) - 1), -tall * (place + 0.5)) for place, node in enumerate(lines)
    }
    _elbows(ax, model, where)
    below = _below(model)
    for node, (x, y) in where.items():
        _line(ax, model, node, x, y, width, below[node] if model.first_child[node] >= shown else 0)
    ax.set(xlim=(0, width), ylim=(-height, 0))
    ax.axis("off")
    return finished(ax)


def _lines(model: Tree, shown: int) -> list[int]:
    """The first nodes, each above those that it sends its records to."""
    lines, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        lines.append(node)
        first = int(model.first_child[node])
        waiting.extend(
            child for child in range(first + int(model.n_children[node]) - 1, first - 1, -1) if child < shown
        )
    return lines


def _below(model: Tree) -> np.ndarray:
    """How many nodes are below each node."""
    below = np.zeros(len(model.parent), dtype=int)
    for node in range(len(below) - 1, 0, -1):
        below[model.parent[node]] += 1 + below[node]
    return below


def _elbows(ax: Axes, model: Tree, where: dict[int, tuple[float, float]]) -> None:
    """From each node down, and to the right to each of those that it sends records to."""
    size = np.maximum(model.counts, 0).sum(axis=1)
    nodes = [node for node in where if node]
    corners = []
    for node in nodes:
        (x, y), (right, low) = where[int(model.parent[node])], where[node]
        corners.append([(x + 0.06, y - 0.09), (x + 0.06, low), (right - 0.04, low)])
    widths = [0.8 + 3 * np.sqrt(size[node] / max(size[0], 1e-12)) for node in nodes]
    ax.add_collection(LineCollection(corners, colors="#BBBBBB", linewidths=widths, zorder=1))


def _line(ax: Axes, model: Tree, node: int, x: float, y: float, width: float, hidden: int) -> None:
    """What a node asks, or what it decides; and how many nodes below it are not shown."""
    box: dict[str, Any] | None
    share, size = model.shares[node], max(model.counts[node].sum(), 0)
    # "yes" and "no" as wide as each other, so that what follows stands in a column.
    way = f"{branch_name(model, int(model.parent[node]), node)}:" if node else ""
    label = int(share.argmax())
    start = x + (CHARACTER * (max(len(way), 4) + 1) if node else 0)
    room = int((width - start) / CHARACTER)
    if model.attribute[node] >= 0 and not hidden:
        text, box = short(f"{model.condition_of(node)} ?", room), None
    else:
        more = f"  + {hidden} nodes below" if hidden else " record" if round(size) == 1 else " records"
        rest = f"  {100 * share.max():.0f} % of {size:,.0f}{more}"
        text = short(str(model.classes[label]), max(min(14, room - len(rest)), 3)) + rest  # no number is cut
        box = {"boxstyle": "round,pad=0.15", "facecolor": pale(colour(label)), "edgecolor": "none"}
        box["alpha"] = 0.45 if hidden else 1.0
    ax.text(x, y, way, fontsize=SMALL, color=GREY, va="center_baseline")
    ax.text(start, y, text, fontsize=SMALL, va="center_baseline", bbox=box)


def short(text: str, most: int) -> str:
    """A text of at most so many characters: its beginning and its end, for names of classes often differ in the end."""
    end = (most - 1) // 3
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[len(text) - end :]}"
