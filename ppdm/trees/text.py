"""A tree told: which values of each attribute lead to a leaf; and in words, as conditions, rules and an outline."""

import math
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks

MAX_TEXT = 10_000_000  # characters, of a model or of its rules: a tree of 200,000 nodes takes about as many
MAX_PAD = 200  # a longer condition stands out from its column, so that it does not widen all the others


def regions(tree) -> dict[int, dict]:
    """For each leaf, from left to right, the values that each attribute tested on the way may have.

    Numbers are in a ``pandas.Interval``, which says if its ends belong to it; categories are in a list, in their order.
    """
    names = [attribute.name for attribute in tree.attributes]
    return {leaf: {names[place]: own for place, own in told.items()} for leaf, told in _ways(tree, _region)}


def conditions(tree) -> dict[int, str]:
    """For each leaf, from left to right, the condition that its records meet; each attribute is named once.

    The work grows with the length of the conditions, of which a large tree may have more than can be held: above
    10 million characters it is refused.
    """
    known: dict = {}
    written = 0
    for leaf, told in _ways(tree, _words):
        known[leaf] = " and ".join(told.values()) or "always"
        written += len(known[leaf])
        bounded("the conditions of all leaves", written)
    return known


def _ways(tree, tell):
    """The leaves, from left to right, with what ``tell`` makes of the region of each attribute tested on the way."""
    waiting: Any = [(0, {}, {})]
    while waiting:
        node, above, own = waiting.pop()
        # A node's dict is made when its turn comes: all that wait below one node share that of their parent.
        path = above | own
        index = int(tree.attribute[node])
        if index < 0:
            yield node, {place: told for place, (_, told) in path.items()}
            continue
        region, _ = path.get(index, (None, None))
        below = []
        for child, part in zip(tree.children(node), _regions_below(tree, node, region)):
            # It is told once, here, and not for each leaf below.
            below.append((child, path, {index: (part, tell(tree, tree.attributes[index], part))}))
        waiting += below[::-1]  # the first child comes to the top


def leaf_holds(tree, index, values) -> np.ndarray:
    """Whether each leaf (a row) can hold a record with each of these values (columns) of one attribute.

    The values are as the tests read them: numbers, or the places of categories.
    """
    held = np.ones((len(tree.attribute), len(values)), dtype=bool)
    for node in map(int, np.flatnonzero(tree.attribute >= 0)):
        children = np.array(tree.children(node))
        held[children] = held[node]
        if tree.attribute[node] == index:
            held[children] &= tree.next_nodes(node, values) == children[:, None]
    return held[tree.leaves()]


def _region(tree, attribute, region):
    """A region as its reader has it."""
    if attribute.kind == "numeric":
        low, high = map(float, region)
        return pd.Interval(low, high, closed="right" if tree.c45 else "left")
    places = range(*map(int, region)) if attribute.kind == "ordered" else region
    return [attribute.categories[place] for place in places]


def _regions_below(tree, node, region):
    """The parts of an attribute's region that a node sends to its children.

    The region of a nominal attribute has the places of its categories. That of a number, or of a place in an order, is
    (low, high), low included; in a tree as C4.5's a number's has high instead. None: any value.
    """
    test = tree.attributes[tree.attribute[node]]
    if test.kind == "nominal":
        places = np.arange(test.n_values) if region is None else region
        goes = tree.routes_of(node)[places]
        # Sorted once for all children, because there may be one for each category.
        order = np.argsort(goes, kind="stable")
        ends = np.cumsum(np.bincount(goes, minlength=tree.n_children[node]))
        return np.split(places[order], ends[:-1])
    cut = tree.threshold[node]
    low, high = region or _any_value(test)
    return (low, min(high, cut)), (max(low, cut), high)


def _any_value(attribute):
    """The region of any value: the line, or all places of an order."""
    if attribute.kind == "numeric":
        return -math.inf, math.inf
    return 0, attribute.n_values


def condition_of(tree, node) -> str:
    """The condition under which a node's records go to its first child."""
    if not tree.children(node):
        raise ValueError(f"node is {node}, a leaf; expected a node that tests an attribute")
    return _branches(tree, node)[0]


def _branches(tree, node):
    """The condition under which records go to each child of a node."""
    attribute = tree.attributes[tree.attribute[node]]
    return [_words(tree, attribute, region) for region in _regions_below(tree, node, None)]


def branch_of(tree, node) -> str:
    """Which records come to a node from the one above it: yes, no, or these categories."""
    checks.whole("node", node, 1, len(tree.attribute) - 1, hint="no branch leads to the root, 0")
    parent = int(tree.parent[node])
    child = node - tree.first_child[parent]
    if tree.n_children[parent] == 2:
        return ("yes", "no")[child]
    places = np.flatnonzero(tree.routes_of(parent) == child)
    return ", ".join(_named(tree.attributes[tree.attribute[parent]], places))


def rules(tree) -> str:
    """A line for each leaf, from left to right: the conditions that lead there, its class, its records."""
    names = list(map(_name, tree.classes))
    rows = []
    for leaf, condition in conditions(tree).items():
        size = max(tree.counts[leaf].sum(), 0)
        share = tree.shares[leaf]
        records = f"{checks.readable(size)} {'record' if size == 1 else 'records'}"
        rows.append((condition, names[tree.predicted[leaf]], f"{records}, {100 * share.max():.1f} %"))
    # Of a class's long name there is one so far; the text would hold one for each leaf.
    bounded("the rules", sum(len(part) for row in rows for part in row))
    told, labels, _ = zip(*rows)
    first = min(max(map(len, told)), MAX_PAD)
    second = min(max(map(len, labels)), MAX_PAD)
    return "\n".join(f"{condition:<{first}}   {label:<{second}}  {size}" for condition, label, size in rows)


def outline(tree) -> dict[int, str]:
    """For each node but the root, from left to right, its branch as C5.0 prints it (IB03, Figure 2).

    A leaf tells its class, its records and, behind a stroke, those of other classes. The text begins with a ". " for
    each test above it. A tree that is a single leaf has one line, of the root.
    """
    lines = {}
    written = 0
    waiting = [(0, "", -1)]
    while waiting:
        node, words, depth = waiting.pop()
        below = tree.children(node)
        if below:
            branches = zip(below, _branches(tree, node))
            children = [(child, branch, depth + 1) for child, branch in branches]
            waiting += children[::-1]  # the first child comes to the top
        else:
            counts = tree.counts[node]
            # Records that are divided leave fractions, of which two digits say enough.
            size = round(max(counts.sum(), 0), 2)
            others = round(size - max(counts.max(), 0), 2)
            told = checks.readable(size)
            if others > 0:
                told += f"/{checks.readable(others)}"
            label = _name(tree.classes[tree.predicted[node]])
            words = f"{words}: {label} ({told})" if node else f"{label} ({told})"
        if node or not below:
            lines[node] = ". " * depth + words
            written += len(lines[node])
            bounded("the outline", written)
    return lines


def _words(tree, attribute, region):
    """The condition that an attribute's value lies in a region."""
    name = _name(attribute.name)
    if attribute.kind == "nominal":
        inside = _named(attribute, region)
        return f"{name} = {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"
    low, high = region
    if attribute.kind == "ordered":
        # The last category inside is named, not the first one beyond.
        first, last = _named(attribute, [int(low), int(high) - 1])
        above, within, below = "≥≤≤"
        if high - low == 1:
            return f"{name} = {first}"
    else:
        # C4.5 cuts at values of records, which rounding would move to the other side.
        first, last = (checks.readable(value, exact=tree.c45) for value in region)
        above, within, below = "><≤" if tree.c45 else "≥≤<"
    # A bound at the end of the line, or of the order, says nothing.
    least, most = _any_value(attribute)
    if low == least:
        return f"{name} {below} {last}"
    return f"{name} {above} {first}" if high == most else f"{first} {within} {name} {below} {last}"


def _named(attribute, places):
    """The names of the categories at these places."""
    return [_name(attribute.categories[place]) for place in places]


def _name(label):
    """A name as text; signs that would break a line, or the terminal, are written as escapes."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def bounded(name, size) -> None:
    """Refuse a text that is too long to be held."""
    if size > MAX_TEXT:
        raise ValueError(f"{name} has {size:,} characters or more; expected {MAX_TEXT:,} at most: prune the tree")
