"""A tree as a figure."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ppdm.checks import readable
from ppdm.plots.picture import Axes, LineCollection, Picture, colour, legend_outside, new_axes, pale
from ppdm.trees import Tree

LABELLED_LEAVES = 16


def tree(model: Any, *, title: str = "") -> Picture:
    """A tree: every test and leaf in words up to 16 leaves; beyond, its shape, with the uppermost tests in words.

    model is a ``Tree``, or a fitted classifier that has one. The left branch is the one on which the test holds.
    """
    model = getattr(model, "tree_", model)
    if not isinstance(model, Tree):
        raise TypeError(f"model is a {type(model).__name__}; expected a Tree, or a fitted classifier that has one")
    leaves = list(model.conditions())
    place, depth = _layout(model, leaves)
    wordy = len(leaves) <= LABELLED_LEAVES
    width = float(np.clip(1.05 * len(leaves), 5, 12)) if wordy else 12.0
    ax = new_axes(None, title or repr(model)[5:-1], width, float(np.clip(1.0 + 0.85 * model.depth, 2.2, 7)))
    size = np.maximum(model.counts, 0).sum(axis=1)
    _branches(ax, model, place, depth, size, named=wordy)
    _nodes(ax, model, place, depth, size, wordy)
    for number, name in enumerate(model.classes):
        ax.plot([], [], "s", color=colour(number), label=str(name))
    legend_outside(ax)
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
        ax.text(x, y, branch_name(model, int(parent), int(node)), fontsize=7, color="#555555", ha="center", va="center")


def branch_name(model: Tree, parent: int, node: int) -> str:
    """Which records go from a node to one of its children: yes, no, or these categories."""
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
            model.condition_of(node)
            if inner
            else f"{model.classes[label[node]]}\n{readable(size[node])}\n{shares[node]:.0%}"
        )
        edge = "#888888" if inner else colour(label[node])
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white" if inner else pale(edge), "edgecolor": edge}
        ax.text(place[node], -depth[node], text, fontsize=8, ha="center", va="center", bbox=box, zorder=3)
    bare = ~named
    if bare.any():
        area = 8 + 60 * np.sqrt(size[bare] / max(size[0], 1e-12))
        ax.scatter(place[bare], -depth[bare], s=area, c=[colour(k) for k in label[bare]], linewidths=0, zorder=2)
