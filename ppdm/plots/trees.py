"""A tree as a figure."""

import numpy as np
from matplotlib.collections import LineCollection

from ppdm import checks
from ppdm.measure import tree_similarity
from ppdm.plots.picture import PALETTE, Picture, colour, entry, grid, legend_of, legible
from ppdm.plots.words import in_sentences
from ppdm.trees import Tree

MAX_WORDY_LEAVES = 16
MAX_WORDY_DEPTH = 2  # of a tree with more leaves: as deep as tests have room for words
MAX_NAMED = 30  # classes that have a place in the legend
MAX_LINES = 40  # of each of two trees
# By the fate of a rule; a test has no mark.
FATES = {
    "kept": ("●", "#444444"),
    "moved": ("◐", PALETTE[0]),
    "in one tree only": ("✚", PALETTE[1]),
}
TEST = (" ", "#777777")


def tree(model, *, title: str = "", mixed: bool = False) -> Picture:
    """Draw a tree: up to 16 leaves every test and leaf in words; a larger tree as a shape, with its top tests in words.

    The legend names the first 30 classes. Words are cut after 200 letters. The left branch is the one on which the test
    holds.

    Parameters
    ----------
    model : a ``Tree``, a classifier that has one, or scikit-learn's
    mixed : True shades only the words of leaves that hold several classes, as the papers of IB03 do
    """
    model = Tree.of(model)
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
        _words(ax, model, node, *places[node], mixed=checks.flag("mixed", mixed))
    across, up = places[~named].T
    hues = [colour(label) for label in model.predicted[~named]]
    areas = 8 + 60 * np.sqrt(size[~named])
    ax.scatter(across, up, s=areas, c=hues, linewidths=0, zorder=2)
    for number, name in enumerate(model.classes[:MAX_NAMED]):
        ax.plot([], [], "s", color=colour(number), label=entry(legible(name)))  # for the legend alone
    legend_of(picture, markerscale=2)
    ax.set(xlim=(-0.7, leaves - 0.3), ylim=(-model.depth - 0.55, 0.45))
    ax.axis("off")
    picture.alt = in_sentences(picture.title, _told(model))
    return picture


def two_trees(first, second, X, *, names=("before", "after"), title: str = "") -> Picture:
    """Draw two trees side by side, each branch on a line, and mark what became of each rule.

    A rule is kept if it has a partner in the other tree with 90 % of the records of both in common, and moved with half
    of them (``measure.tree_similarity``). A test is bold if the other tree does not test its attribute at all. Of each
    tree 40 lines are shown.

    Parameters
    ----------
    first, second : each a ``Tree``, a classifier that has one, or scikit-learn's
    X : the records by which they are compared, a DataFrame or an array
    names : of both trees, for their headings
    """
    heads = checks.listed("names", names, "two names")
    columns = getattr(X, "columns", None)
    before = Tree.of(first, columns, name="first")
    after = Tree.of(second, columns, name="second")
    checks.same_length("names", heads, "the picture", (before, after))
    alike = tree_similarity(before, after, X)
    outlines = alike.lines()
    rows = min(max(map(len, outlines)), MAX_LINES + 1)
    picture = Picture(title or f"S = {alike.score:.2f}", 9.6, 1.0 + 0.19 * rows)
    axes = picture.subplots(1, 2)
    picture.suptitle(picture.title, x=0.01, ha="left", fontsize=11)
    for ax, head, lines in zip(axes, heads, outlines):
        ax.set_title(legible(head), loc="left", fontsize=10)
        ax.set(xlim=(0, 1), ylim=(-rows - 0.5, 0.5))
        ax.axis("off")
        _outlined(ax, lines)
    for fate, (mark, hue) in FATES.items():
        axes[1].plot([], [], color=hue, label=f"{mark} {fate}")  # for the legend alone
    axes[1].plot([], [], color=TEST[1], label="bold: not tested in the other tree")
    style = {"handlelength": 0, "handletextpad": 0, "labelcolor": "linecolor", "fontsize": 8}
    picture.legend(loc="outside lower left", ncols=4, frameon=False, **style)
    fates = [f"{many} {fate}" for fate, many in alike.rules.groupby("fate").size().items()]
    picture.alt = in_sentences(picture.title, f"Rules: {', '.join(fates)}; similarity {alike.score:.2f}")
    return picture


def _told(model):
    """A small tree by its rules, a larger one by its size and its first test."""
    leaves = model.leaves()
    noun = "leaf" if len(leaves) == 1 else "leaves"
    size = f"A tree of {len(leaves)} {noun}, {model.depth} test{'s' * (model.depth != 1)} deep"
    if len(leaves) > MAX_WORDY_LEAVES:
        return f"{size}; its first test is {model.condition_of(0)}"
    rules = [f"{model.classes[model.predicted[leaf]]} if {rule}" for leaf, rule in model.conditions().items()]
    return f"{size}: {'; '.join(map(legible, rules))}"


def _outlined(ax, lines):
    """The lines of a tree: rules in the colours of their fates."""
    for row, (words, fate, bold) in enumerate(lines):
        if row == MAX_LINES:
            ax.text(0, -row, f"… {len(lines) - row} more", fontsize=8, color="#777777", va="center")
            break
        mark, hue = FATES.get(fate, TEST)
        ax.text(0, -row, mark, fontsize=9, color=hue, va="center")
        style = {"fontsize": 8, "family": "monospace", "weight": "bold" if bold else "normal"}
        ax.text(0.035, -row, legible(words), color=hue, va="center", **style)


def _layout(model):
    """Where nodes stand, across and up: leaves side by side, a parent in the middle above its children."""
    places = np.zeros((len(model.attribute), 2))
    for depth, level in enumerate(model.levels):
        places[level, 1] = -depth
    leaves = list(model.conditions())  # from left to right
    places[leaves, 0] = range(len(leaves))
    for node in np.flatnonzero(model.attribute >= 0)[::-1]:  # from below: children come after their parents
        children = model.children(node)
        outer = [children[0], children[-1]]
        places[node, 0] = places[outer, 0].mean()
    return places


def _words(ax, model, node, across, up, *, mixed):
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
        name = " ".join(legible(model.classes[label]).splitlines())
        text = f"{name}\n{checks.readable(round(size, 1))}\n{share:.0%}"
        edge = colour(label)
        face = "white" if mixed and share > 1 - 1e-9 else colour(label, pale=True)
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
