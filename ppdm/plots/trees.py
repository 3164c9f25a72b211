"""A tree as a figure."""

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection

from ppdm.checks import readable
from ppdm.plots.picture import Axes, Picture, colour, finished, legend_of, new_axes
from ppdm.trees import Tree

MAX_WORDY_LEAVES = 16
MAX_WORDY_DEPTH = 2  # of a tree with more leaves: as deep as tests have room for words


def tree(model: Any, *, title: str = "") -> Picture:
    """A tree: every test and leaf in words up to 16 leaves; beyond, its shape, with the uppermost tests in words.

    model is a ``Tree``, or a fitted classifier that has one. The left branch is the one on which the test holds.
    """
    model = getattr(model, "tree_", model)
    if not isinstance(model, Tree):
        raise TypeError(f"model is a {type(model).__name__}; expected a Tree, or a fitted classifier that has one")
    across, depth, leaves = _layout(model)
    inner = model.attribute >= 0
    wordy = leaves <= MAX_WORDY_LEAVES
    named = (inner & (depth <= MAX_WORDY_DEPTH)) | wordy
    width = float(np.clip(1.05 * leaves, 5, 12)) if wordy else 12.0  # inches: a leaf's words take up one
    ax = new_axes(title or repr(model)[5:-1], width, float(np.clip(1.0 + 0.85 * model.depth, 2.2, 7)))
    size = np.maximum(model.counts, 0).sum(axis=1)  # estimates may be negative
    size = size / max(size[0], 1e-12)
    below = np.arange(1, len(across))
    above = model.parent[below]
    ends = np.stack([across[above], -depth[above], across[below], -depth[below]], axis=1).reshape(-1, 2, 2)
    branches = LineCollection(list(ends), colors="#BBBBBB", linewidths=0.6 + 5 * np.sqrt(size[below]), zorder=1)
    ax.add_collection(branches)
    for node in below.tolist() if wordy else ():
        (left, high), (right, low) = ends[node - 1]
        style: dict[str, Any] = {"fontsize": 7, "color": "#555555", "ha": "center", "va": "center"}
        ax.text((left + right) / 2, (high + low) / 2, model.branch_of(node), **style)
    for node in np.flatnonzero(named).tolist():
        _words(ax, model, node, across[node], -depth[node])
    hues = [colour(label) for label in model.shares.argmax(axis=1)[~named]]
    ax.scatter(across[~named], -depth[~named], s=8 + 60 * np.sqrt(size[~named]), c=hues, linewidths=0, zorder=2)
    for number, name in enumerate(model.classes):
        ax.plot([], [], "s", color=colour(number), label=str(name))  # for the legend alone
    legend_of([ax], markerscale=2)
    ax.set(xlim=(-0.7, leaves - 0.3), ylim=(-model.depth - 0.55, 0.45))
    ax.axis("off")
    return finished(ax)


def _layout(model: Tree) -> tuple[np.ndarray, np.ndarray, int]:
    """Where nodes stand: leaves side by side, a parent in the middle above its children; and how many leaves."""
    nodes = len(model.attribute)
    leaves = (model.attribute < 0).astype(int)  # under each node: children come after their parents
    for node in range(nodes - 1, 0, -1):
        leaves[model.parent[node]] += leaves[node]
    across, depth = np.zeros(nodes), np.zeros(nodes)
    families = [
        (node, slice(model.first_child[node], model.first_child[node] + model.n_children[node]))
        for node in np.flatnonzero(model.attribute >= 0).tolist()
    ]
    for node, children in families:
        across[children] = across[node] + np.cumsum(leaves[children]) - leaves[children]
        depth[children] = depth[node] + 1
    for node, children in reversed(families):  # from below: children stand before their parents do
        across[node] = (across[children][0] + across[children][-1]) / 2
    return across, depth, int(leaves[0])


def _words(ax: Axes, model: Tree, node: int, across: float, up: float) -> None:
    """What a node asks; or of a leaf its class, its records and the share of that class."""
    if model.attribute[node] >= 0:
        text, edge, face = model.condition_of(node), "#888888", "white"
    else:
        share, label = model.shares[node].max(), int(model.shares[node].argmax())
        size = np.maximum(model.counts[node], 0).sum()
        text = f"{model.classes[label]}\n{readable(size)}\n{share:.0%}"
        edge, face = colour(label), colour(label, pale=True)
    box = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge}
    ax.text(across, up, text, fontsize=8, ha="center", va="center", bbox=box, zorder=3)
