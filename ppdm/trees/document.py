"""A tree as JSON, for the machine that applies it; what is read is checked first. And trees of scikit-learn as ours."""

import json
import math
import re
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ppdm import checks
from ppdm.reconstruct import Attribute
from ppdm.trees.text import bounded

FORMAT = "ppdm-tree"
VERSION = 1
# The columns of the nodes, with the NumPy kinds that their numbers may have.
COLUMNS = {"counts": "if", "attribute": "i", "threshold": "if", "n_children": "i", "routes": "i"}
MAX_COUNT = 1e15
MAX_DEPTH = 1000


def to_json(tree) -> str:
    """The tree as text, which is shipped and applied where the records are (AS00 §4.3).

    It says what the tree tests and how it decides. Of the records it holds only the counts in each node.
    """
    text = json.dumps(_document(tree), ensure_ascii=False, allow_nan=False)
    bounded("the tree as JSON", len(text))
    return text


def from_json(make, text) -> Any:
    """The tree that ``to_json`` wrote. A text that is no sound tree is refused, and the error says why."""
    checks.of_type("text", text, str | bytes, "the JSON text of a tree")
    bounded("text", len(text))  # before it is read, which takes twenty times the memory
    try:
        document = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the text is not JSON as Tree.to_json writes it ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the text is JSON, but no tree; expected an object with format {FORMAT!r}")
    checks.choice("the tree's version", document.get("version"), [VERSION], hint="this library reads no other")
    try:
        tree = make(**_fields(document))
        for holds, reason in _demands(tree):
            if not np.all(holds):
                raise ValueError(reason)
        # Unknown keys must not pass: a reader of the text might take them to mean something.
        if json.loads(to_json(tree)) != document:
            raise ValueError("it holds keys that are unknown; expected those that Tree.to_json writes")
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        # What is expected stands at the end, so that of a long value the middle is left out.
        reason = re.sub("(?s)(.{200}).+(.{200})", r"\1 … \2", reason)
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
    # Only such trees have the key: a reader that does not know it must not read them in another way.
    c45 = {"c45": True} if tree.c45 else {}
    found = {"classes": classes, "attributes": attributes, "nodes": nodes}
    return {"format": FORMAT, "version": VERSION} | found | c45


def _distinct(pairs):
    """An object of JSON, if no key stands twice: Python would take the later value in silence."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return dict(pairs)


def _fields(document):
    """The fields of a tree, its columns of whatever shape they are."""
    columns = {}
    nodes = checks.of_type("nodes", document["nodes"], dict, "an object")
    for name in COLUMNS:
        values = [math.nan if value is None else value for value in _list(nodes, name)]
        # NumPy would take True for 1 among numbers, and rows of several lengths for none.
        if not set(map(type, np.array(values, dtype=object).ravel())) <= {int, float}:
            raise ValueError(f"{name} holds what is no number, or rows of several lengths; expected numbers")
        # NumPy would take an empty list for one of floats.
        columns[name] = np.array(values or np.empty(0, dtype=int))
    attributes = tuple(map(_attribute, _list(document, "attributes")))
    labels = checks.distinct("classes", _list(document, "classes"))
    if len(set(map(type, labels))) > 1:  # NumPy would make one type of them
        raise ValueError("classes holds labels of several types; expected labels of one type")
    c45 = "c45" in document and checks.choice("c45", document["c45"], [True], hint="other trees lack it")
    return columns | {"attributes": attributes, "classes": np.array(list(map(_plain, labels))), "c45": c45}


def _attribute(entry):
    kind = checks.of_type("an entry of attributes", entry, dict, "an object")["kind"]
    values = checks.whole("values", entry["values"], 1, MAX_COUNT)
    categories = None if kind == "numeric" else tuple(map(_plain, _list(entry, "categories")))
    return Attribute(entry["name"], kind, values, categories=categories)


def _list(document, name):
    """The list that stands at a key."""
    return checks.of_type(name, document[name], list, "a list")


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
    # Sums of larger counts lose records, and pictures of them never end. Of the least integer there is no |count|.
    most = MAX_COUNT / len(tree.classes)
    yield abs(tree.counts.astype(float)) < most, f"counts holds numbers beyond {most:g}; expected smaller ones"
    inner = tree.attribute >= 0
    children = tree.n_children
    holds = np.isin(tree.attribute, range(-1, len(tree.attributes)))
    yield holds, "attribute holds what is no place in attributes; expected places, or −1 for a leaf"
    holds = np.where(inner, children >= 2, children == 0)
    yield holds, "n_children does not fit; expected 2 or more, of a leaf 0"
    # The children of the first nodes reach beyond the next one, whose parent is then known: there is no cycle.
    reached = 1 + np.cumsum(np.minimum(children, n))
    in_order = reached[-1] == n and np.all(reached[:-1] > np.arange(1, n))
    yield in_order, "not every node is a child of one other; expected children in the order of parents"
    yield tree.depth <= MAX_DEPTH, f"it is {tree.depth} tests deep; expected {MAX_DEPTH} at most"
    yield from _demands_of_tests(tree)


def _demands_of_tests(tree):
    """What must hold of the tests, once every node has its place."""
    children = tree.n_children
    nominal = tree.kinds == "nominal"
    ordered = tree.kinds == "ordered"
    cut = (tree.attribute >= 0) & ~nominal
    threshold = tree.threshold
    yield children[cut] == 2, "n_children does not fit; expected two of a numeric or ordered test"
    holds = np.where(cut, np.isfinite(threshold), np.isnan(threshold))
    yield holds, "threshold does not fit; expected a finite number for numeric and ordered tests, else null"
    place = threshold[ordered]
    widths = np.array([test.n_values for test in tree.attributes])
    most = widths[tree.attribute[ordered]]
    holds = (place % 1 == 0) & (place >= 1) & (place < most)
    yield holds, "an ordered test cuts outside its categories; expected a place between two of them"
    routes = tree.routes
    owner = tree.route_owner
    yield len(routes) == len(owner), "routes does not fit; expected one for each category of a nominal test"
    holds = (routes >= 0) & (routes < children[owner])
    yield holds, "a route leads to a child that is not there; expected numbers of children, from 0"
    reached = np.unique(tree.first_child[owner] + routes)
    holds = len(reached) == children[nominal].sum()
    yield holds, "there is a child that no category leads to; expected a category for each"


def _plain(value):
    """A label or name as JSON has it."""
    plain = checks.scalar(value)
    expected = "text, a number, True or False, which JSON has: convert it before growing"
    checks.of_type("a name, class or category", plain, str | int | float, expected)
    if any("\ud800" <= sign <= "\udfff" for sign in str(plain)):
        raise ValueError("a name, class or category holds half a character; expected text that UTF-8 has")
    if isinstance(plain, float):
        checks.number("a name, class or category", plain)
    return plain


def as_tree(make, model, columns=None, name="model") -> Any:
    """A fitted tree as a ``Tree``: one of scikit-learn's classifiers, a classifier that has a Tree, or a Tree itself.

    scikit-learn rounds values to 32 bits before it compares them. The tests of the Tree are moved to where the answer
    changes after this rounding, so that both send all numbers to the same leaf. Missing values are refused.

    Parameters
    ----------
    model : fitted
    columns : the names of the attributes, where scikit-learn's tree knows none; None: their places
    name : how errors call the model

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from ppdm.trees import Tree
    >>> Tree.of(DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"]), columns=["x"]).rules().splitlines()
    ['x < 1.5   a  1 record, 100.0 %', 'x ≥ 1.5   b  2 records, 100.0 %']
    """
    own = getattr(model, "tree_", model)
    if isinstance(own, make):
        return own
    from sklearn.tree import DecisionTreeClassifier  # only here: it takes long

    expected = "a Tree, a fitted classifier that has one, or scikit-learn's DecisionTreeClassifier"
    checks.of_type(name, model, DecisionTreeClassifier, expected)
    check_is_fitted(model)
    if model.n_outputs_ > 1:
        raise ValueError(f"{name} predicts {model.n_outputs_} classes at once; expected one")
    places = range(model.n_features_in_)
    given = places if columns is None else checks.distinct("columns", columns)
    checks.none_missing("columns", given)
    names = getattr(model, "feature_names_in_", given)
    checks.same_length("columns", names, "the tree", places)
    children = np.column_stack([own.children_left, own.children_right])
    order = level = np.zeros(1, dtype=int)
    # Ours are numbered level by level.
    while len(level):
        below = children[level]
        level = below[below >= 0]  # a leaf has −1 for both
        order = np.append(order, level)
    inner = own.feature[order] >= 0
    threshold = _before_rounding(own.threshold[order])
    counts = own.value[:, 0] * own.weighted_n_node_samples[:, None]
    return make(
        attributes=tuple(Attribute(checks.scalar(name), "numeric", 1) for name in names),
        classes=model.classes_,
        counts=counts[order],
        attribute=np.where(inner, own.feature[order], -1),
        threshold=np.where(inner, threshold, np.nan),
        n_children=np.where(inner, 2, 0),
        routes=np.empty(0, dtype=int),
    )


def _before_rounding(cut):
    """The least number that is above each cut once it is rounded to 32 bits."""
    # The neighbours of 32 bits between which the cut lies.
    infinity = np.float32(np.inf)
    low = cut.astype(np.float32)
    low = np.where(low > cut, np.nextafter(low, -infinity), low)
    high = np.nextafter(low, infinity)
    middle = np.mean([low, high], axis=0, dtype=float)
    # The middle itself is rounded to the even one of both.
    rounded = middle.astype(np.float32)
    return np.where(rounded > cut, middle, np.nextafter(middle, np.inf))
