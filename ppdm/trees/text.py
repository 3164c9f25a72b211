"""A tree in words, for people, and as JSON, for the machine that applies it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm import checks
from ppdm.reconstruct import Attribute

if TYPE_CHECKING:
    from ppdm.trees.model import Tree

FORMAT, VERSION = "ppdm-tree", 1
# The columns of the nodes, with the NumPy kinds that their numbers may have.
COLUMNS = {"counts": "if", "attribute": "i", "threshold": "if", "n_children": "i", "routes": "i"}
MAX_COUNT, MAX_DEPTH = 1e15, 1000


def conditions(tree) -> dict[int, str]:
    """For each leaf, from left to right, the condition that its records meet; each attribute is named once."""
    known = {}
    waiting: Any = [(0, {})]
    while waiting:
        node, regions = waiting.pop()
        index = tree.attribute[node]
        if index < 0:
            parts = [_words(tree.attributes[test], region) for test, region in regions.items()]
            known[node] = " and ".join(parts) or "always"
        # Each child knows what its parent knew, and one outcome more.
        below = [
            (child, regions | {index: _narrow(tree, node, place, regions.get(index))})
            for place, child in enumerate(tree.children(node))
        ]
        waiting += below[::-1]  # the first child on top
    return known


def condition_of(tree, node) -> str:
    """The condition under which a node's records go to its first child."""
    return _words(tree.attributes[tree.attribute[node]], _narrow(tree, node, 0, None))


def branch_of(tree, node) -> str:
    """Which records come to a node from the one above it: yes, no, or these categories."""
    parent = tree.parent[node]
    child = node - tree.first_child[parent]
    if tree.n_children[parent] == 2:
        return ("yes", "no")[child]
    return ", ".join(_marked(tree.attributes[tree.attribute[parent]], tree.routes_of(parent) == child))


def rules(tree) -> str:
    """A line for each leaf, from left to right: the conditions that lead there, its class, its records."""
    rows = []
    for leaf, condition in conditions(tree).items():
        size = max(tree.counts[leaf].sum(), 0)
        share = tree.shares[leaf]
        records = f"{checks.readable(size)} {'record' if size == 1 else 'records'}"
        rows.append(
            (condition, _name(tree.classes[tree.predicted[leaf]]), f"{records}, {100 * share.max():.1f} %")
        )
    first, second = (max(map(len, column)) for column in list(zip(*rows))[:2])
    return "\n".join(f"{condition:<{first}}   {label:<{second}}  {size}" for condition, label, size in rows)


def _narrow(tree, node, child, region):
    """The part of an attribute's region that a node sends to one of its children.

    The region of a nominal attribute has a mark for each category. That of a number, or of a place in an order, is
    (low, high), low included. None: any value.
    """
    test = tree.attributes[tree.attribute[node]]
    cut = tree.threshold[node]
    if test.kind == "nominal":
        goes = tree.routes_of(node) == child
        return goes if region is None else region & goes
    low, high = region or _ends(test)
    return (max(low, cut), high) if child else (low, min(high, cut))


def _ends(attribute):
    """The region of any value: the line, or all places of an order."""
    return (-math.inf, math.inf) if attribute.kind == "numeric" else (0, attribute.n_values)


def _words(attribute, region):
    """The condition that an attribute's value lies in a region."""
    name = _name(attribute.name)
    if attribute.kind == "nominal":
        inside = _marked(attribute, region)
        return f"{name} = {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"
    low, high = region
    first, last, below = checks.readable(low), checks.readable(high), "<"
    if attribute.kind == "ordered":
        # The last category inside is named, not the first one beyond.
        first, last, below = (
            _name(attribute.categories[int(low)]),
            _name(attribute.categories[int(high) - 1]),
            "≤",
        )
        if high - low == 1:
            return f"{name} = {first}"
    # A bound at the end of the line, or of the order, says nothing.
    least, most = _ends(attribute)
    if low == least:
        return f"{name} {below} {last}"
    return f"{name} ≥ {first}" if high == most else f"{first} ≤ {name} {below} {last}"


def _marked(attribute, marks):
    """The names of the categories that are marked."""
    return [_name(category) for category, here in zip(attribute.categories, marks) if here]


def _name(label):
    """A name as text; signs that would break a line, or the terminal, are written as escapes."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def to_json(tree) -> str:
    """The tree as text, which is shipped and applied where the records are (AS00 §4.3).

    It says what the tree tests and how it decides. Of the records it holds only the counts in each node.
    """
    return json.dumps(_document(tree), ensure_ascii=False, allow_nan=False)


def from_json(make, text) -> Tree:
    """The tree that ``to_json`` wrote. A text that is no sound tree is refused, and the error says why."""
    checks.of_type("text", text, str | bytes, "the JSON text of a tree")
    try:
        document = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the text is not JSON as Tree.to_json writes it ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the text is JSON, but no tree; expected an object with format {FORMAT!r}")
    checks.choice("the tree's version", document.get("version"), [VERSION], hint="this library reads no other")
    try:
        tree = make(**_fields(document))
        # Unknown keys must not pass: a reader of the text might take them to mean something.
        if json.loads(to_json(tree)) != document:
            raise ValueError("it holds what Tree.to_json does not write: unknown keys, or labels of two types")
        for holds, reason in _demands(tree):
            if not np.all(holds):
                raise ValueError(reason)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"the text is no sound tree: {reason}") from None
    return tree


def _document(tree):
    """The tree as objects, lists, texts and numbers."""
    attributes = []
    for test in tree.attributes:
        categories = {} if test.categories is None else {"categories": list(map(_plain, test.categories))}
        attributes.append({"name": _plain(test.name), "kind": test.kind, "values": test.n_values} | categories)
    nodes = {name: getattr(tree, name).tolist() for name in COLUMNS}
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
    columns = {}
    for name in COLUMNS:
        values = [math.nan if value is None else value for value in document["nodes"][name]]
        # NumPy would take an empty list for one of floats.
        columns[name] = np.array(values or np.empty(0, dtype=int))
    attributes = tuple(map(_attribute, document["attributes"]))
    classes = np.array(checks.distinct("classes", document["classes"]))
    return columns | {"attributes": attributes, "classes": classes}


def _attribute(entry):
    categories = None if entry["kind"] == "numeric" else tuple(entry["categories"])
    return Attribute(entry["name"], entry["kind"], entry["values"], categories=categories)


def _demands(tree):
    """What must hold of the tree, and the error if it does not. Each demand relies on those before it."""
    checks.distinct("attributes", [test.name for test in tree.attributes])
    n = len(tree.attribute)
    for name, kinds in COLUMNS.items():
        column = getattr(tree, name)
        shape = {"counts": (n, len(tree.classes)), "routes": column.shape[:1]}.get(name, (n,))
        expected = f"{shape} {'whole numbers' if kinds == 'i' else 'numbers'}"
        found = f"{name} has the shape {column.shape} and the type {column.dtype}; expected {expected}"
        yield column.shape == shape and column.dtype.kind in kinds, found
    # Sums of larger counts lose records, and pictures of them never end.
    yield abs(tree.counts) < MAX_COUNT, f"its counts are not all numbers below {MAX_COUNT:g}"
    inner = tree.attribute >= 0
    children = tree.n_children
    yield np.isin(tree.attribute, range(-1, len(tree.attributes))), "it tests an attribute that it does not list"
    yield np.where(inner, children >= 2, children == 0), "inner nodes need two children or more, and leaves none"
    # The children of the first nodes reach beyond the next one, whose parent is then known: there is no cycle.
    reached = 1 + np.cumsum(np.minimum(children, n))
    yield reached[-1] == n and np.all(reached[:-1] > np.arange(1, n)), "not every node is a child of one other"
    yield tree.depth <= MAX_DEPTH, f"it is {tree.depth} tests deep; expected {MAX_DEPTH} at most"
    # From here on every node has its place, and the tests can be asked what they need.
    nominal = tree.kinds == "nominal"
    ordered = tree.kinds == "ordered"
    cut = inner & ~nominal
    yield children[cut] == 2, "numeric and ordered tests need two children"
    yield ~np.isnan(tree.threshold) == cut, "numeric and ordered tests, and no others, need a threshold"
    place = tree.threshold[ordered]
    widths = np.array([test.n_values for test in tree.attributes])
    most = widths[tree.attribute[ordered]]
    yield (place % 1 == 0) & (place >= 1) & (place < most), "an ordered test cuts outside its categories"
    owner = tree.route_owner
    yield len(tree.routes) == len(owner), "its routes do not match its nominal tests"
    yield (tree.routes >= 0) & (tree.routes < children[owner]), "a route leads to a child that is not there"
    reached = np.unique(tree.first_child[owner] + tree.routes)
    yield len(reached) == children[nominal].sum(), "there is a child that no category leads to"


def _plain(value):
    """A label or name as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float):
        raise TypeError(
            f"{value!r} is of type {type(value).__name__}, which JSON does not have as a label; "
            "expected text, a number, True or False: convert names and categories before growing"
        )
    return plain
