"""A tree as JSON: versioned, and checked in full before anything is built from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.reconstruct.table import Attribute

if TYPE_CHECKING:
    from ppdm.trees.model import Tree

FORMAT, VERSION = "ppdm-tree", 1
COLUMNS = ("counts", "attribute", "threshold", "n_children", "routes")


def tree_to_json(tree: Tree) -> str:
    """The tree as text: what it tests and how it decides; nothing of the records but the counts of its nodes."""
    attributes = [
        {"name": _plain(a.name), "kind": a.kind, "values": a.n_values}
        | ({} if a.categories is None else {"categories": [_plain(category) for category in a.categories]})
        for a in tree.attributes
    ]
    nodes: dict[str, Any] = {name: getattr(tree, name).tolist() for name in COLUMNS}
    nodes["threshold"] = [None if np.isnan(value) else value for value in nodes["threshold"]]
    classes = [_plain(label) for label in tree.classes]
    document = {"format": FORMAT, "version": VERSION, "classes": classes, "attributes": attributes, "nodes": nodes}
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def tree_from_json(text: str) -> dict[str, Any]:
    """The fields of a tree, from text that must describe a sound one."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text is a {type(text).__name__}; expected the JSON text of a tree")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"the text is not JSON ({error}); expected what Tree.to_json wrote") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the text is JSON, but no tree; expected an object with format {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ValueError(f"the tree is of version {document.get('version')!r}; this library reads version {VERSION}")
    try:
        return _fields(document)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"the text is no sound tree: {reason}") from None


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    attributes = tuple(_attribute(entry) for entry in document["attributes"])
    nodes = document["nodes"]
    threshold = [np.nan if value is None else value for value in nodes["threshold"]]
    fields = {
        "attributes": attributes,
        "classes": np.array(document["classes"]),
        "counts": np.array(nodes["counts"], dtype=float),
        "attribute": _whole("attribute", nodes["attribute"]),
        "threshold": np.array(threshold, dtype=float),
        "n_children": _whole("n_children", nodes["n_children"]),
        "routes": _whole("routes", nodes["routes"]),
    }
    _check(fields)
    return fields


def _attribute(entry: dict[str, Any]) -> Attribute:
    if entry["kind"] == "numeric":
        return Attribute(entry["name"], "numeric", int(entry["values"]))
    if entry["kind"] not in ("ordered", "nominal"):
        raise ValueError(f"the kind of attribute {entry['name']!r} is {entry['kind']!r}")
    return Attribute.categorical(entry["name"], entry["categories"], entry["kind"] == "ordered")


def _check(fields: dict[str, Any]) -> None:
    """Whether the nodes make one tree, and every test can be carried out."""
    attributes, classes, counts, attribute, threshold, n_children, routes = fields.values()
    n = len(attribute)
    inner = attribute >= 0
    nominal = np.array([a.kind == "nominal" for a in attributes])
    widths = np.array([a.n_values for a in attributes])
    _demand(n > 0 and len(attributes) > 0, "it has no nodes or no attributes")
    _demand(classes.ndim == 1 and len(set(classes.tolist())) == len(classes) > 0, "its classes are not distinct")
    _demand(
        counts.shape == (n, len(classes)) and np.isfinite(counts).all(), "its counts are not finite, nodes × classes"
    )
    _demand(len(threshold) == n and len(n_children) == n, "its columns differ in length")
    _demand(((attribute >= -1) & (attribute < len(attributes))).all(), "it tests an attribute that it does not list")
    _demand((n_children[~inner] == 0).all() and (n_children[inner] >= 2).all(), "inner nodes need two children or more")
    _demand(n_children.sum() == n - 1, "its children do not add up to its nodes")
    _demand((np.cumsum(n_children)[:-1] >= np.arange(1, n)).all(), "a node stands before its parent")
    by_number = inner & ~nominal[attribute]
    _demand((n_children[by_number] == 2).all(), "numeric and ordered tests need two children")
    _demand(np.isfinite(threshold[by_number]).all(), "a numeric or ordered test has no threshold")
    by_name = inner & nominal[attribute]
    owners = np.repeat(n_children[by_name], widths[attribute[by_name]])
    _demand(len(routes) == len(owners), "its routes do not match its nominal tests")
    _demand(((routes >= 0) & (routes < owners)).all(), "a route leads to a child that is not there")


def _whole(name: str, values: list[Any]) -> np.ndarray:
    array = np.array(values if values else np.empty(0, dtype=int))
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ValueError(f"{name} is not a list of whole numbers")
    return array


def _demand(holds: Any, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def _plain(value: Any) -> Any:
    """A label or name as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, bool, int, float)):
        raise TypeError(f"{value!r} is a {type(value).__name__}; expected text, a number, True or False, to write JSON")
    return plain
