"""A tree as a figure."""

import numpy as np
from matplotlib.collections import LineCollection

from ppdm import checks
from ppdm.plots.picture import Picture, colour, grid, legend_of, legible
from ppdm.trees import Tree

MAX_WORDY_LEAVES = 16
MAX_WORDY_DEPTH = 2  # of a tree with more leaves: as deep as tests have room for words
MAX_NAMED = 30  # classes that have a place in the legend


def tree(model, *, title: str = "") -> Picture:
    """Draw a tree: up to 16 leaves every test and leaf in words; a larger tree as a shape, with its top tests in words.

    The legend names the first 30 classes. Words are cut after 200 letters.
    model is a ``Tree``, or a fitted classifier that has one. The left branch is the one on which the test holds.
    """
    model = checks.of_type("model", getattr(model, "tree_", model), Tree, "a Tree, or a classifier that has one")
    places = _layout(model)
    leaves = len(model.leaves())
    wordy = leaves <= MAX_WORDY_LEAVES
    # Of a large tree the top tests alone have words.
    named = wordy | (model.attribute >= 0) & (places[:, 1] >= -MAX_WORDY_DEPTH)
    picture = grid(title or repr(model)[5:-1])
    width = np.clip(1.05 * leaves, 5, 12) if wordy else 12  # inches: a leaf's words take up one
    picture.set_size_inches(width, np.clip(1.0 + 0.85 * model.depth, 2.2, 7))
    (ax,) = picture.axes
    size = np.maximum(model.counts, 0).sum(axis=1)  # estimates may be negative
    size = size / max(size[0], 1e-12)
    # The ends of the branches: one to each node but the root.
    ends = np.stack([places[model.parent[1:]], places[1:]], axis=1)
    widths = 0.6 + 5 * np.sqrt(size[1:])
    ax.add_collection(LineCollection(list(ends), colors="#BBBBBB", linewidths=widths, zorder=1))
    if wordy:
        for node, (across, up) in enumerate(ends.mean(axis=1), 1):
            way = model.branch_of(node)
            ax.text(across, up, way, fontsize=7, color="#555555", ha="center", va="center")
    for node in np.flatnonzero(named).tolist():
        _words(ax, model, node, *places[node])
    across, up = places[~named].T
    hues = [colour(label) for label in model.predicted[~named]]
    areas = 8 + 60 * np.sqrt(size[~named])
    ax.scatter(across, up, s=areas, c=hues, linewidths=0, zorder=2)
    for number, name in enumerate(model.classes[:MAX_NAMED]):
        ax.plot([], [], "s", color=colour(number), label=legible(name))  # for the legend alone
    legend_of(picture, markerscale=2)
    ax.set(xlim=(-0.7, leaves - 0.3), ylim=(-model.depth - 0.55, 0.45))
    ax.axis("off")
    return picture


def _layout(model):
    """Where nodes stand, across and up: leaves side by side, a parent in the middle above its children."""
    places = np.zeros((len(model.attribute), 2))
    for depth, level in enumerate(model.levels):
        places[level, 1] = -depth
    leaves = list(model.conditions())  # from left to right
    places[leaves, 0] = range(len(leaves))
    for node in np.flatnonzero(model.attribute >= 0)[::-1]:  # from below: children come after their parents
        children = model.children(node)
        places[node, 0] = places[[children[0], children[-1]], 0].mean()
    return places


def _words(ax, model, node, across, up):
    """What a node asks; or of a leaf its class, its records and the share of that class."""
    if model.attribute[node] >= 0:
        text = model.condition_of(node)
        edge = "#888888"
        face = "white"
    else:
        share = model.shares[node].max()
        label = int(model.predicted[node])
        size = np.maximum(model.counts[node], 0).sum()
        # A class that broke its line could pretend other numbers.
        text = f"{' '.join(legible(model.classes[label]).splitlines())}\n{checks.readable(size)}\n{share:.0%}"
        edge, face = colour(label), colour(label, pale=True)
    ax.text(
        across,
        up,
        text,
        fontsize=8,
        ha="center",
        va="center",
        bbox={"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge},
        zorder=3,
    )
