"""A tree in words: for each leaf, the conditions that lead there."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ppdm.reconstruct.attribute import Attribute

if TYPE_CHECKING:
    from ppdm.trees.model import Tree


def rules_text(tree: Tree) -> str:
    """A line for each leaf, from left to right: its conditions, class, size and share of that class."""
    rows = []
    for leaf in leaves_in_order(tree):
        size, share = max(tree.counts[leaf].sum(), 0), tree.shares[leaf]
        label = str(tree.classes[share.argmax()])
        records = f"{readable(size)} {'record' if size == 1 else 'records'}"
        rows.append((conditions(tree, leaf), label, f"{records}, {100 * share.max():.1f} %"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{text:<{widths[0]}}   {label:<{widths[1]}}  {size}" for text, label, size in rows)


def conditions(tree: Tree, node: int) -> str:
    """What is known of a record in a node, each attribute named once."""
    tests: dict[int, np.ndarray] = {}
    path = tree.path(node)
    for above, below in pairwise(path):
        index, child = int(tree.attribute[above]), below - tree.first_child[above]
        tests[index] = _narrow(tree, above, child, tests.get(index))
    return " and ".join(_region(tree.attributes[index], region) for index, region in tests.items()) or "always"


def leaves_in_order(tree: Tree) -> list[int]:
    """The leaves from left to right."""
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if tree.attribute[node] < 0:
            leaves.append(node)
        first = int(tree.first_child[node])
        waiting.extend(range(first + int(tree.n_children[node]) - 1, first - 1, -1))
    return leaves


def readable(value: float) -> str:
    """A number as a person writes it.

    >>> readable(75000.0), readable(0.125), readable(1250000.0)
    ('75,000', '0.125', '1,250,000')
    """
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.5g}"


def condition_of(tree: Tree, node: int) -> str:
    """The condition under which a node's records go to its first child."""
    attribute = tree.attributes[tree.attribute[node]]
    return _region(attribute, _narrow(tree, node, 0, None))


def _narrow(tree: Tree, node: int, child: int, region: np.ndarray | None) -> np.ndarray:
    """The part of an attribute's region that a node sends to one of its children.

    A region is (low, high) of a number or of places in an order, or a mark for each nominal category.
    """
    attribute = tree.attributes[tree.attribute[node]]
    if attribute.kind == "nominal":
        goes = tree.routes_of(node) == child
        return goes if region is None else region & goes
    low, high = (-math.inf, math.inf) if region is None else region
    threshold = tree.threshold[node]
    return np.array([max(low, threshold), high] if child else [low, min(high, threshold)])


def _region(attribute: Attribute, region: np.ndarray) -> str:
    name, categories = str(attribute.name), attribute.categories or ()
    if attribute.kind == "nominal":
        inside = [str(category) for category, goes in zip(categories, region, strict=True) if goes]
        return f"{name} = {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"
    if attribute.kind == "numeric":
        low, high = (None if math.isinf(bound) else readable(bound) for bound in region)
        return _between(name, low, high, "<")
    first, last = int(max(region[0], 0)), int(min(region[1], len(categories))) - 1
    if first == last:
        return f"{name} = {categories[first]}"
    low = str(categories[first]) if first else None
    return _between(name, low, str(categories[last]) if last < len(categories) - 1 else None, "≤")


def _between(name: str, low: str | None, high: str | None, below: str) -> str:
    if low is None:
        return f"{name} {below} {high}"
    return f"{name} ≥ {low}" if high is None else f"{low} ≤ {name} {below} {high}"
