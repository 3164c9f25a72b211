"""A tree in words, for people, and as JSON, for the machine that applies it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.checks import readable
from ppdm.reconstruct import Attribute

if TYPE_CHECKING:
    from ppdm.trees.model import Tree

FORMAT, VERSION = "ppdm-tree", 1
COLUMNS = ("counts", "attribute", "threshold", "n_children", "routes")
MAX_COUNT, MAX_DEPTH = 1e15, 1000


def conditions(tree: Tree) -> dict[int, str]:
    """For each leaf, from left to right, the condition that its records meet; each attribute is named once."""
    known: dict[int, str] = {}
    waiting: list[tuple[int, dict[int, Any]]] = [(0, {})]
    while waiting:
        node, regions = waiting.pop()
        index = int(tree.attribute[node])
        if index < 0:
            parts = [_words(tree.attributes[test], region) for test, region in regions.items()]
            known[node] = " and ".join(parts) or "always"
        # The first child is put on top of the others. Each knows what its parent knew, and one outcome more.
        for place, child in reversed(list(enumerate(tree.children(node)))):
            waiting.append((child, regions | {index: _narrow(tree, node, place, regions.get(index))}))
    return known


def condition_of(tree: Tree, node: int) -> str:
    """The condition under which a node's records go to its first child."""
    return _words(tree.attributes[tree.attribute[node]], _narrow(tree, node, 0, None))


def branch_of(tree: Tree, node: int) -> str:
    """Which records come to a node from the one above it: yes, no, or these categories."""
    parent = int(tree.parent[node])
    child = node - int(tree.first_child[parent])
    if tree.n_children[parent] == 2:
        return ("yes", "no")[child]
    categories = tree.attributes[tree.attribute[parent]].categories or ()
    goes = tree.routes_of(parent) == child
    return ", ".join(_name(category) for category, here in zip(categories, goes, strict=True) if here)


def rules(tree: Tree) -> str:
    """A line for each leaf, from left to right: the conditions that lead there, its class, its records."""
    rows = []
    for leaf, condition in conditions(tree).items():
        size, share = max(tree.counts[leaf].sum(), 0), tree.shares[leaf]
        records = f"{readable(size)} {'record' if size == 1 else 'records'}"
        rows.append((condition, _name(tree.classes[tree.predicted[leaf]]), f"{records}, {100 * share.max():.1f} %"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{text:<{widths[0]}}   {label:<{widths[1]}}  {size}" for text, label, size in rows)


def _narrow(tree, node, child, region):
    """The part of an attribute's region that a node sends to one of its children.

    The region of a number is (low, high); that of categories has a mark for each. None: any value.
    """
    test, threshold = tree.attributes[tree.attribute[node]], tree.threshold[node]
    if test.kind == "numeric":
        low, high = region or (-math.inf, math.inf)
        return (max(low, threshold), high) if child else (low, min(high, threshold))
    # An order is cut at a place: the categories before it go to child 0, the others to child 1.
    nominal = test.kind == "nominal"
    goes = tree.routes_of(node) == child if nominal else (np.arange(test.n_values) >= threshold) == child
    return goes if region is None else region & goes


def _words(attribute, region):
    """The condition that an attribute's value lies in a region."""
    name, below = _name(attribute.name), "<"
    if attribute.kind == "numeric":
        low, high = (None if math.isinf(bound) else readable(bound) for bound in region)
    else:
        inside = [_name(category) for category, goes in zip(attribute.categories or (), region, strict=True) if goes]
        if len(inside) == 1:
            return f"{name} = {inside[0]}"
        if attribute.kind == "nominal" or not inside:
            return f"{name} in {{{', '.join(inside)}}}"
        low, high, below = None if region[0] else inside[0], None if region[-1] else inside[-1], "≤"
    # A bound at the end of the line, or of the order, says nothing.
    if low is None:
        return f"{name} {below} {high}"
    return f"{name} ≥ {low}" if high is None else f"{low} ≤ {name} {below} {high}"


def _name(label):
    """A name as text; signs that would break a line, or the terminal, are written as escapes."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def to_json(tree: Tree) -> str:
    """The tree as text, which is shipped and applied where the records are (AS00 §4.3).

    It says what the tree tests and how it decides. Of the records it holds only the counts in each node.
    """
    return json.dumps(_document(tree), ensure_ascii=False, allow_nan=False)


def from_json(make: Callable[..., Tree], text: str) -> Tree:
    """The tree that ``to_json`` wrote. A text that is no sound tree is refused, and the error says why."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text is a {type(text).__name__}; expected the JSON text of a tree")
    try:
        document = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the text is not JSON as Tree.to_json writes it ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the text is JSON, but no tree; expected an object with format {FORMAT!r}")
    # In Python True and 1.0 equal 1 as well.
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"the tree is of version {version!r}; this library reads version {VERSION}")
    try:
        tree = make(**_fields(document))
        for holds, reason in _demands(tree):
            if not np.all(holds):
                raise ValueError(reason)
        # Unknown keys must not pass: a reader of the text might take them to mean something.
        if _document(tree) != document:
            raise ValueError("it holds what Tree.to_json does not write: unknown keys, or labels of two types")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"the text is no sound tree: {reason}") from None
    return tree


def _document(tree):
    """The tree as objects, lists, texts and numbers."""
    attributes = []
    for test in tree.attributes:
        entry = {"name": _plain(test.name), "kind": test.kind, "values": test.n_values}
        attributes.append(
            entry if test.categories is None else entry | {"categories": list(map(_plain, test.categories))}
        )
    nodes: dict[str, Any] = {name: getattr(tree, name).tolist() for name in COLUMNS}
    # JSON has no NaN.
    nodes["threshold"] = [None if math.isnan(value) else value for value in nodes["threshold"]]
    classes = list(map(_plain, tree.classes))
    return {"format": FORMAT, "version": VERSION, "classes": classes, "attributes": attributes, "nodes": nodes}


def _distinct(pairs):
    """An object of JSON, if no key stands twice: Python would take the later value in silence."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return dict(pairs)


def _fields(document):
    """The fields of a tree, its columns of whatever type they are."""
    fields: dict[str, Any] = {
        "attributes": tuple(map(_attribute, document["attributes"])),
        "classes": np.array(_labels("classes", document["classes"])),
    }
    for name in COLUMNS:
        values = [math.nan if value is None else value for value in document["nodes"][name] or ()]
        # NumPy would take an empty list for one of floats.
        fields[name] = np.array(values or np.empty(0, dtype=int))
    return fields


def _attribute(entry):
    name, numeric = _labels("name", [entry["name"]])[0], entry["kind"] == "numeric"
    categories = None if numeric else tuple(_labels(f"categories of {name!r}", entry["categories"]))
    try:
        return Attribute(name, entry["kind"], entry["values"], categories=categories)
    except (TypeError, ValueError) as error:
        raise ValueError(f"attribute {name!r}: {error}") from None


def _labels(name, values):
    """Names, classes or categories: text, numbers, True or False."""
    good = isinstance(values, list) and len(values) > 0
    for value in values if good else ():
        good &= type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))
    if not good:
        raise ValueError(f"{name} are {values!r}; expected a list of texts, numbers, True or False")
    return values


def _demands(tree):
    """What must hold of the tree, and the error if it does not. Each demand relies on those before it."""
    classes = tree.classes.tolist()
    yield len(set(classes)) == len(classes), f"classes are {classes}; expected distinct labels"
    for name in COLUMNS:
        column = getattr(tree, name)
        if name in ("counts", "threshold"):
            yield column.dtype.kind in "if" and not np.isinf(column).any(), f"{name} are not finite numbers"
        else:
            yield column.ndim == 1 and column.dtype.kind == "i", f"{name} is not a list of whole numbers"
    attribute, threshold, children, routes = tree.attribute, tree.threshold, tree.n_children, tree.routes
    n, inner = len(attribute), attribute >= 0
    yield n and len(tree.attributes), "it has no nodes or no attributes"
    yield len({test.name for test in tree.attributes}) == len(tree.attributes), "its attributes are not distinct"
    yield tree.counts.shape == (n, len(tree.classes)), "its counts are not nodes × classes"
    # Sums of larger counts lose records, and pictures of them never end. NaN is not below either.
    yield abs(tree.counts) < MAX_COUNT, f"its counts are not all numbers below {MAX_COUNT:g}"
    yield threshold.shape == (n,) and len(children) == n, "its columns differ in length"
    yield (attribute >= -1) & (attribute < len(tree.attributes)), "it tests an attribute that it does not list"
    yield np.where(inner, children >= 2, children == 0), "inner nodes need two children or more, and leaves none"
    yield np.all(children <= n) and children.sum() == n - 1, "its children do not add up to its nodes"
    # Among the first k nodes the parents of the next one must have been seen, so that there is no cycle.
    yield np.cumsum(children)[:-1] >= np.arange(1, n), "a node stands before its parent"
    yield tree.depth <= MAX_DEPTH, f"it is {tree.depth} tests deep; expected {MAX_DEPTH} at most"
    # From here on every node has its place, and the tests can be asked what they need.
    kind = np.array([*(test.kind for test in tree.attributes), "leaf"])[attribute]
    nominal, ordered = kind == "nominal", kind == "ordered"
    cut = inner & ~nominal
    yield children[cut] == 2, "numeric and ordered tests need two children"
    yield np.isfinite(threshold) == cut, "numeric and ordered tests, and no others, need a threshold"
    place = threshold[ordered]
    width = np.array([test.n_values for test in tree.attributes])[attribute[ordered]]
    yield (place % 1 == 0) & (place >= 1) & (place < width), "an ordered test cuts outside its categories"
    owner = np.repeat(np.arange(n), np.diff(tree.route_starts))
    yield len(routes) == len(owner), "its routes do not match its nominal tests"
    yield (routes >= 0) & (routes < children[owner]), "a route leads to a child that is not there"
    reached = np.unique(tree.first_child[owner] + routes)
    yield len(reached) == children[nominal].sum(), "no category leads to one of the children"


def _plain(value):
    """A label or name as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float):
        raise TypeError(
            f"{value!r} is of type {type(value).__name__}, which JSON does not have; "
            "expected text, a number, True or False: convert names and categories before growing"
        )
    return plain
