"""A tree as JSON: versioned, and checked in full before anything is built from it."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm import checks
from ppdm.reconstruct.attribute import Attribute

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
    except (ValueError, RecursionError) as error:
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
        "classes": _classes(document["classes"]),
        "counts": _numbers("counts", nodes["counts"]),
        "attribute": _whole("attribute", nodes["attribute"]),
        "threshold": _numbers("threshold", threshold),
        "n_children": _whole("n_children", nodes["n_children"]),
        "routes": _whole("routes", nodes["routes"]),
    }
    _check(fields)
    return fields


def _attribute(entry: dict[str, Any]) -> Attribute:
    name, kind = _labels("name", [entry["name"]])[0], entry["kind"]
    if kind == "numeric":
        return Attribute(name, kind, checks.whole(f"values of {name!r}", entry["values"], 1))
    checks.choice(f"kind of {name!r}", kind, ("numeric", "ordered", "nominal"))
    return Attribute.categorical(name, _labels(f"categories of {name!r}", entry["categories"]), kind == "ordered")


def _check(fields: dict[str, Any]) -> None:
    """Whether the nodes make one tree."""
    attributes, classes, counts, attribute, threshold, n_children, _ = fields.values()
    n = len(attribute)
    inner = attribute >= 0
    _demand(n > 0 and len(attributes) > 0, "it has no nodes or no attributes")
    _demand(len({a.name for a in attributes}) == len(attributes), "its attributes are not distinct")
    _demand(counts.shape == (n, len(classes)), "its counts are not nodes × classes")
    _demand(threshold.shape == (n,) and len(n_children) == n, "its columns differ in length")
    _demand(((attribute >= -1) & (attribute < len(attributes))).all(), "it tests an attribute that it does not list")
    _demand((n_children[~inner] == 0).all() and (n_children[inner] >= 2).all(), "inner nodes need two children or more")
    _demand((n_children <= n).all() and n_children.sum() == n - 1, "its children do not add up to its nodes")
    _demand((np.cumsum(n_children)[:-1] >= np.arange(1, n)).all(), "a node stands before its parent")
    _check_tests(fields)


def _check_tests(fields: dict[str, Any]) -> None:
    """Whether every test can be carried out, and each of its children be reached."""
    attributes, _, _, attribute, threshold, n_children, routes = fields.values()
    kind = np.array([*(a.kind for a in attributes), "leaf"])[attribute]
    width = np.array([*(a.n_values for a in attributes), 0])[attribute]
    cut, by_name = np.isin(kind, ["numeric", "ordered"]), kind == "nominal"
    _demand((n_children[cut] == 2).all(), "numeric and ordered tests need two children")
    _demand((np.isfinite(threshold) == cut).all(), "numeric and ordered tests, and no others, need a threshold")
    place, most = threshold[kind == "ordered"], width[kind == "ordered"]
    _demand(((place % 1 == 0) & (place >= 1) & (place < most)).all(), "an ordered test cuts outside its categories")
    owner = np.repeat(np.flatnonzero(by_name), width[by_name])
    _demand(len(routes) == len(owner), "its routes do not match its nominal tests")
    _demand(((routes >= 0) & (routes < n_children[owner])).all(), "a route leads to a child that is not there")
    reached = np.unique((np.cumsum(n_children) - n_children)[owner] + routes)
    _demand(len(reached) == n_children[by_name].sum(), "no category leads to one of the children")


def _classes(values: list[Any]) -> np.ndarray:
    array = np.array(_labels("classes", values))
    if array.tolist() != values or len(set(values)) < len(values):
        raise ValueError(f"classes are {values!r}; expected distinct labels of one type")
    return array


def _whole(name: str, values: list[Any]) -> np.ndarray:
    array = np.array(values if values else np.empty(0, dtype=int))
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ValueError(f"{name} is not a list of whole numbers")
    return array


def _numbers(name: str, values: list[Any]) -> np.ndarray:
    array = np.array(values)
    if array.dtype.kind not in "if" or np.isinf(array).any() or (name == "counts" and np.isnan(array).any()):
        raise ValueError(f"{name} are not finite numbers")
    return array


def _labels(name: str, values: list[Any]) -> list[Any]:
    """Names, classes or categories: text, numbers, True or False."""
    good = [isinstance(value, (str, bool, int)) or (isinstance(value, float) and isfinite(value)) for value in values]
    if not isinstance(values, list) or not good or not all(good):
        raise ValueError(f"{name} are {values!r}; expected a list of texts, numbers, True or False")
    return values


def _demand(holds: Any, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def _plain(value: Any) -> Any:
    """A label or name as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, bool, int, float)):
        raise TypeError(
            f"{value!r} is of type {type(value).__name__}, which JSON does not have; "
            "expected text, a number, True or False: convert names and categories before growing"
        )
    return plain
