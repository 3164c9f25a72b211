"""A tree in words, for people, and as JSON, for the machine that applies it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.checks import readable
from ppdm.reconstruct import Attribute

if TYPE_CHECKING:
    from ppdm.trees.model import Tree

FORMAT, VERSION = "ppdm-tree", 1
KEYS = ("format", "version", "classes", "attributes", "nodes")
COLUMNS = {"counts": float, "attribute": int, "threshold": float, "n_children": int, "routes": int}
MAX_COUNT, MAX_DEPTH = 1e15, 1000

Regions = dict[int, Any]  # by attribute: what values of it a record can have, see _narrow


def conditions(tree: Tree) -> dict[int, str]:
    """For each leaf, from left to right, what is known of its records; each attribute is named once."""
    texts = {}
    for leaf, regions in _leaves(tree):
        parts = [_words(tree.attributes[index], region) for index, region in regions.items()]
        texts[leaf] = " and ".join(parts) or "always"
    return texts


def rules_text(tree: Tree) -> str:
    """A line for each leaf, from left to right: its conditions, class, size and share of that class."""
    rows = []
    for leaf, condition in conditions(tree).items():
        size, share = max(tree.counts[leaf].sum(), 0), tree.shares[leaf]
        records = f"{readable(size)} {'record' if size == 1 else 'records'}"
        rows.append((condition, _name(tree.classes[share.argmax()]), f"{records}, {100 * share.max():.1f} %"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{text:<{widths[0]}}   {label:<{widths[1]}}  {size}" for text, label, size in rows)


def condition_of(tree: Tree, node: int) -> str:
    """The condition under which a node's records go to its first child."""
    return _words(tree.attributes[tree.attribute[node]], _narrow(tree, node, 0, None))


def _leaves(tree: Tree) -> Iterator[tuple[int, Regions]]:
    """The leaves from left to right, with the region of each attribute that was tested on the way."""
    waiting: list[tuple[int, Regions]] = [(0, {})]
    while waiting:
        node, regions = waiting.pop()
        index, first = int(tree.attribute[node]), int(tree.first_child[node])
        if index < 0:
            yield node, regions
        # The first child is put on top of the others. It knows what its parent knew, and the outcome of one test more.
        for child in reversed(range(tree.n_children[node])):
            waiting.append((first + child, regions | {index: _narrow(tree, node, child, regions.get(index))}))


def _narrow(tree: Tree, node: int, child: int, region: Any) -> Any:
    """The part of an attribute's region that a node sends to one of its children.

    A region is (low, high) of a number or of places in an order, or a mark for each nominal category.
    """
    if tree.attributes[tree.attribute[node]].kind == "nominal":
        goes = tree.routes_of(node) == child
        return goes if region is None else region & goes
    low, high = (-math.inf, math.inf) if region is None else region
    threshold = tree.threshold[node]
    return (max(low, threshold), high) if child else (low, min(high, threshold))


def _words(attribute: Attribute, region: Any) -> str:
    """The condition that an attribute's value lies in a region."""
    name, categories = _name(attribute.name), [_name(category) for category in attribute.categories or ()]
    if attribute.kind == "nominal":
        inside = [category for category, goes in zip(categories, region, strict=True) if goes]
        return f"{name} = {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"
    low, high = (None if math.isinf(bound) else readable(bound) for bound in region)
    below = "<"
    if attribute.kind == "ordered":
        # Places in the order become the first and the last category of the region.
        first, last = int(max(region[0], 0)), int(min(region[1], len(categories))) - 1
        if first == last:
            return f"{name} = {categories[first]}"
        low = categories[first] if first else None
        high = categories[last] if last < len(categories) - 1 else None
        below = "≤"
    if low is None:
        return f"{name} {below} {high}"
    return f"{name} ≥ {low}" if high is None else f"{low} ≤ {name} {below} {high}"


def _name(label: Any) -> str:
    """A name as text; one that would break a line, or the terminal, with its signs written out."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def tree_to_json(tree: Tree) -> str:
    """The tree as text: what it tests and how it decides; nothing of the records but the counts of its nodes."""
    attributes = []
    for attribute in tree.attributes:
        entry = {"name": _plain(attribute.name), "kind": attribute.kind, "values": attribute.n_values}
        if attribute.categories is not None:
            entry["categories"] = [_plain(category) for category in attribute.categories]
        attributes.append(entry)
    nodes: dict[str, Any] = {name: getattr(tree, name).tolist() for name in COLUMNS}
    nodes["threshold"] = [None if math.isnan(value) else value for value in nodes["threshold"]]
    classes = [_plain(label) for label in tree.classes]
    document = dict(zip(KEYS, (FORMAT, VERSION, classes, attributes, nodes), strict=True))
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def tree_from_json(text: str, make: Callable[..., Tree]) -> Tree:
    """The tree that ``tree_to_json`` wrote, checked in full; ``make`` builds it from its fields."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text is a {type(text).__name__}; expected the JSON text of a tree")
    try:
        document = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the text is not JSON as Tree.to_json writes it ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the text is JSON, but no tree; expected an object with format {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"the tree is of version {version!r}; this library reads version {VERSION}")
    try:
        return _sound(_built(document, make))
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"the text is no sound tree: {error}") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of a key that stands twice, Python would take the later value in silence."""
    entries = dict(pairs)
    _demand(len(entries) == len(pairs), "a key stands twice in an object")
    return entries


def _built(document: dict[str, Any], make: Callable[..., Tree]) -> Tree:
    """The tree of a document, its parts of the right types."""
    _, _, classes, attributes, nodes = _entries(document, KEYS)
    labels = np.array(_labels("classes", classes))
    if labels.tolist() != classes or len(set(classes)) < len(classes):
        raise ValueError(f"classes are {classes!r}; expected distinct labels of one type")
    columns = {name: _column(name, values) for name, values in zip(COLUMNS, _entries(nodes, COLUMNS), strict=True)}
    return make(tuple(map(_attribute, attributes)), labels, **columns)


def _attribute(entry: Any) -> Attribute:
    numeric = isinstance(entry, dict) and entry.get("kind") == "numeric"
    keys = ("name", "kind", "values") if numeric else ("name", "kind", "values", "categories")
    name, kind, values, *categories = _entries(entry, keys)
    _labels("name", [name])
    known = None if numeric else tuple(_labels(f"categories of {name!r}", *categories))
    try:
        return Attribute(name, kind, values, categories=known)
    except (TypeError, ValueError) as error:
        raise ValueError(f"attribute {name!r}: {error}") from None


def _sound(tree: Tree) -> Tree:
    """The tree, if its nodes make one."""
    attribute, children, n = tree.attribute, tree.n_children, len(tree.attribute)
    inner = attribute >= 0
    _demand(n > 0 and len(tree.attributes) > 0, "it has no nodes or no attributes")
    _demand(len({test.name for test in tree.attributes}) == len(tree.attributes), "its attributes are not distinct")
    _demand(tree.counts.shape == (n, len(tree.classes)), "its counts are not nodes × classes")
    # Sums of larger counts lose records, and pictures of them never end. NaN is not below either.
    _demand((abs(tree.counts) < MAX_COUNT).all(), f"its counts are not all numbers below {MAX_COUNT:g}")
    _demand(tree.threshold.shape == (n,) and len(children) == n, "its columns differ in length")
    known = (attribute >= -1) & (attribute < len(tree.attributes))
    _demand(known.all(), "it tests an attribute that it does not list")
    _demand((children[~inner] == 0).all() and (children[inner] >= 2).all(), "inner nodes need two children or more")
    _demand((children <= n).all() and children.sum() == n - 1, "its children do not add up to its nodes")
    _demand((np.cumsum(children)[:-1] >= np.arange(1, n)).all(), "a node stands before its parent")
    _demand(tree.depth <= MAX_DEPTH, f"it is {tree.depth} tests deep; expected {MAX_DEPTH} at most")
    _check_tests(tree)
    return tree


def _check_tests(tree: Tree) -> None:
    """Whether every test can be carried out, and each of its children be reached."""
    kind = np.array([*(test.kind for test in tree.attributes), "leaf"])[tree.attribute]
    width = np.array([*(test.n_values for test in tree.attributes), 0])[tree.attribute]
    nominal, ordered = kind == "nominal", kind == "ordered"
    cut = ordered | (kind == "numeric")
    _demand((tree.n_children[cut] == 2).all(), "numeric and ordered tests need two children")
    _demand((np.isfinite(tree.threshold) == cut).all(), "numeric and ordered tests, and no others, need a threshold")
    place = tree.threshold[ordered]
    inside = (place % 1 == 0) & (place >= 1) & (place < width[ordered])
    _demand(inside.all(), "an ordered test cuts outside its categories")
    owner = np.repeat(np.flatnonzero(nominal), width[nominal])
    _demand(len(tree.routes) == len(owner), "its routes do not match its nominal tests")
    there = (tree.routes >= 0) & (tree.routes < tree.n_children[owner])
    _demand(there.all(), "a route leads to a child that is not there")
    reached = np.unique(tree.first_child[owner] + tree.routes)
    _demand(len(reached) == tree.n_children[nominal].sum(), "no category leads to one of the children")


def _entries(value: Any, keys: Collection[str]) -> list[Any]:
    """The values of an object that must have these keys and no others."""
    _demand(isinstance(value, dict), f"it has {value!r:.40} in place of an object with {', '.join(keys)}")
    for key in keys:
        _demand(key in value, f"{key!r} is missing")
    unknown = [key for key in value if key not in keys]
    _demand(not unknown, f"the keys {unknown} are not known")
    return [value[key] for key in keys]


def _column(name: str, values: list[Any]) -> np.ndarray:
    """The numbers of all nodes; NaN where JSON has null."""
    _demand(isinstance(values, list), f"{name} is {values!r}; expected a list of numbers")
    array = np.array([math.nan if value is None else value for value in values] or np.empty(0, dtype=int))
    if COLUMNS[name] is int:
        _demand(array.ndim == 1 and array.dtype.kind == "i", f"{name} is not a list of whole numbers")
    _demand(array.dtype.kind in "if" and not np.isinf(array).any(), f"{name} are not finite numbers")
    return array


def _labels(name: str, values: Any) -> list[Any]:
    """Names, classes or categories: text, numbers, True or False."""
    good = isinstance(values, list) and len(values) > 0
    for value in values if good else ():
        good &= type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))
    _demand(good, f"{name} are {values!r}; expected a list of texts, numbers, True or False")
    return values


def _demand(holds: Any, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def _plain(value: Any) -> Any:
    """A label or name as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float):
        raise TypeError(
            f"{value!r} is of type {type(value).__name__}, which JSON does not have; "
            "expected text, a number, True or False: convert names and categories before growing"
        )
    return plain
