"""What trees grow from: rows of true-looking codes, with weights whose sums are estimated counts.

A growing tree asks two questions, for all open nodes of a level at once: how is the weight of each node spread over
values and classes (``histograms``), and which rows go to which child (``descend``)?
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from ppdm import checks
from ppdm.blocks import blocks
from ppdm.reconstruct import Attribute

SORTED = 128  # nodes of a level; the rows of more are sorted by node


class Table(Protocol):
    """What a tree grows from. All state of a growing tree lies in its levels: a table serves several trees at once.

    A level is a ``Level``, or what has ``n_nodes``, ``class_weights``, ``keep`` and ``blocks`` as that has.
    """

    @property
    def attributes(self) -> Sequence[Attribute]:
        """What the codes of each attribute mean."""

    @property
    def classes(self) -> np.ndarray:
        """The class labels."""

    @property
    def has_negative(self) -> bool:
        """Whether any weight is below 0."""

    @property
    def has_missing(self) -> bool:
        """Whether any code is missing."""

    def root(self) -> Any:
        """The level that holds all rows in one node."""

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value of all attributes side by side: a new array, which may be changed."""

    def descend(self, level, splits) -> Any:
        """The level below: the children of all splits, in order."""


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes of one depth of a growing tree, and all that a table must know of them.

    Parameters
    ----------
    rows : row numbers of the table. A row may stand in several nodes, with a part of its weight in each.
    node : the node of each of the rows. Rows of up to ``SORTED`` nodes keep their order, others stand node by node
    class_weights : the weight of each class (rows) in each node (columns)
    codes : the codes of all rows of the table; a table may change them while a tree grows, for this tree
    weights : what each of the rows weighs here; None: one each
    paths : what a table notes of the way to each node, a row each; None: nothing
    """

    rows: np.ndarray
    node: np.ndarray
    class_weights: np.ndarray
    codes: np.ndarray
    weights: Any = None
    paths: Any = None

    @property
    def n_nodes(self) -> int:
        """How many nodes the level has."""
        return self.class_weights.shape[1]

    def keep(self, nodes) -> "Level":
        """The level without the nodes that the mask leaves out."""
        if nodes.all():
            return self
        number, places = np.cumsum(nodes) - 1, nodes[self.node]
        return self._part(nodes, places, number.astype(self.node.dtype)[self.node[places]])

    def blocks(self, most) -> Iterator["Level"]:
        """The level in pieces of at most this number of nodes, which bounds the memory of the histograms."""
        if self.n_nodes <= most:
            yield self
            return
        starts = offsets(np.bincount(self.node, minlength=self.n_nodes))
        for first in range(0, self.n_nodes, most):
            end = min(first + most, self.n_nodes)
            places: Any = slice(starts[first], starts[end])
            if self.n_nodes <= SORTED:  # to look at all rows a few times takes less time than to sort them
                places = (self.node >= first) & (self.node < end)
            yield self._part(slice(first, end), places, self.node[places] - first)

    def _part(self, nodes, places, node):
        """Some nodes, the places of their rows, and the nodes of these rows."""
        return replace(
            self,
            rows=self.rows[places],
            node=node,
            class_weights=self.class_weights[:, nodes],
            weights=None if self.weights is None else self.weights[places],
            paths=None if self.paths is None else self.paths[nodes],
        )


@dataclass(frozen=True, eq=False)
class Splits:
    """What the nodes of a level test. Children are numbered in the order of their nodes.

    Parameters
    ----------
    attribute : the attribute that each node tests
    routes : a row for each node: the child that each code of this attribute is sent to
    n_children : how many children each node has
    class_weights : the weight of each class (rows) in each child (columns)
    shares : the part of a row that each child gets if its code is missing; they add up to 1 in each node
    """

    attribute: np.ndarray
    routes: np.ndarray
    n_children: np.ndarray
    class_weights: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class EstimatedTable:
    """Coded rows with classes and weights. A tree does not see how they were found: counted, reconstructed or released.

    Parameters
    ----------
    attributes : what the codes of each attribute mean
    classes : the class labels; class_codes index them
    codes : whole numbers below each attribute's n_values, or n_values where one is missing: a row for each attribute, a
        column for each record. They are kept in the narrowest type.
    class_codes : the class of each record
    weights : how many true records each row stands for: any finite number, below 0 too; None: one each

    >>> age = Attribute.numeric("age", [40, 60])
    >>> EstimatedTable.from_counts([age], ["A", "B"], [[3, 0], [1, 5], [2.5, -0.5]])
    EstimatedTable(5 rows × 1 attribute, classes A and B, weight 11)
    """

    attributes: Sequence[Attribute]
    classes: Any
    codes: Any
    class_codes: np.ndarray
    weights: np.ndarray | None = None
    has_negative: bool = field(init=False)  # whether any weight is below 0
    has_missing: bool = field(init=False)  # whether any code is missing

    def __post_init__(self):
        widths = _widths(self.attributes)
        attributes = tuple(self.attributes)
        classes = np.asarray(self.classes)
        class_codes = np.asarray(self.class_codes)
        names = checks.distinct("attributes", [attribute.name for attribute in attributes])
        checks.distinct("classes", classes.tolist())
        checks.none_missing("classes", self.classes)
        _check_codes("class_codes", class_codes, len(classes) - 1)
        columns = [np.asarray(column) for column in self.codes]
        shape = (len(attributes), len(class_codes))
        if [column.shape for column in columns] != [shape[1:]] * shape[0] or not shape[1]:
            seen = np.shape(self.codes)
            raise ValueError(f"codes has shape {seen}; expected {shape} (attributes × rows), with rows")
        for name, column, width in zip(names, columns, widths):
            _check_codes(f"codes of {name!r}", column, width)
        codes = np.stack(columns, dtype=np.min_scalar_type(max(widths)), casting="unsafe")
        weights = self.weights
        if weights is not None:
            weights = checks.vector("weights", weights)
            checks.same_length("weights", weights, "class_codes", class_codes)
        # Once more as they are kept, which a frozen object allows in no other way.
        vars(self).update(
            attributes=attributes,
            classes=classes,
            codes=codes,
            class_codes=class_codes,
            weights=weights,
            has_negative=weights is not None and bool((weights < 0).any()),
            has_missing=bool((codes.max(axis=1) == widths).any()),
        )

    @classmethod
    def from_records(cls, attributes: Sequence[Attribute], X, y, classes: Sequence, weights=None) -> Self:
        """A table of true records, by attributes and classes that are known beforehand: some may not occur."""
        _widths(attributes)
        checks.columns("attributes", [attribute.name for attribute in attributes], checks.frame("X", X).columns)
        labels, known = checks.labels("y", y), checks.distinct("classes", classes)
        checks.same_length("y", labels, "X", X)
        class_codes = checks.places("y", labels, known)
        checks.none_wrong("y", labels, class_codes < 0, "unknown labels", f"labels among {known}")
        codes = [attribute.encode(X[attribute.name]) for attribute in attributes]
        return cls(attributes, classes, codes, class_codes, weights)

    @classmethod
    def from_counts(cls, attributes: Sequence[Attribute], classes: Sequence, counts) -> Self:
        """A table of estimated counts: an axis for each attribute, the classes last. Cells of 0 have no row."""
        counts = checks.plain("counts", counts)
        shape = (*_widths(attributes), len(checks.listed("classes", classes, "labels")))
        if counts.shape != shape:
            raise ValueError(f"counts has shape {counts.shape}; expected {shape}: attributes, then classes")
        numbers = checks.vector("counts", counts.ravel())
        if not numbers.any():
            raise ValueError("counts are all 0; expected some that are not")
        *codes, class_codes = np.nonzero(counts)
        return cls(attributes, classes, codes, class_codes, numbers[numbers != 0])

    def __repr__(self):
        rows, width = len(self.class_codes), len(self.attributes)
        weight = rows if self.weights is None else self.weights.sum()
        noun, classes = "attribute" + "s" * (width != 1), " and ".join(map(str, self.classes))
        return f"{type(self).__name__}({rows:,} rows × {width} {noun}, classes {classes}, weight {weight:,.6g})"

    def root(self) -> Level:
        """The level that holds all rows in one node."""
        rows = len(self.class_codes)
        class_weights = np.bincount(self.class_codes, self.weights, len(self.classes))
        return Level(np.arange(rows), np.zeros(rows, np.uint8), class_weights[:, None], self.codes, self.weights)

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value, in this order of the axes; the values of all attributes side by side."""
        widths = _widths(self.attributes)
        starts = offsets(widths)
        kind = np.int32 if level.weights is None else float
        found = np.zeros((len(self.classes), level.n_nodes, starts[-1]), kind)
        for block in blocks(len(level.rows)):
            rows = level.rows[block]
            of_class = np.multiply(self.class_codes[rows], level.n_nodes, dtype=np.intp)
            place = (of_class + level.node[block]) * starts[-1]
            for width, start, column in zip(widths, starts, level.codes):
                code = column.take(rows)
                here = code < width if self.has_missing else slice(None)
                weights = kind(1) if level.weights is None else level.weights[block][here]
                np.add.at(found.reshape(-1)[start:], place[here] + code[here], weights)
        return found

    def descend(self, level, splits) -> Level:
        """The level below: the children of all splits, in order."""
        first, rows, weights = offsets(splits.n_children), level.rows, level.weights
        width = int(first[-1])
        # The child of each code of each node. A missing code has the number behind the last child.
        child_of = np.pad(splits.routes.astype(np.min_scalar_type(width)), ((0, 0), (0, 1)))
        child_of += first[:-1, None].astype(child_of.dtype)
        values = np.array(_widths(self.attributes))
        child_of[np.arange(level.n_nodes), values[splits.attribute]] = width
        # Single numbers into both tables: NumPy takes these much faster than pairs.
        codes_from = splits.attribute * level.codes.shape[1]
        children_from = np.arange(level.n_nodes) * child_of.shape[1]
        child = np.empty(len(rows), child_of.dtype)
        for block in blocks(len(rows)):
            node = level.node[block]
            code = level.codes.take(codes_from.take(node) + rows[block])
            child[block] = child_of.take(children_from.take(node) + code)
        if self.has_missing:
            missing, node = child == width, level.node
            place = np.repeat(np.arange(len(rows)), np.where(missing, splits.n_children[node], 1))
            # A row whose code is missing goes to all children in turn, with the share of each.
            turn = np.arange(len(place)) - np.searchsorted(place, place)
            child = np.where(missing[place], first[node[place]] + turn, child[place]).astype(child.dtype)
            shares = np.where(missing[place], splits.shares[child], 1.0)
            rows = rows[place]
            weights = shares if weights is None else shares * weights[place]
        if width > SORTED:
            # Sixteen-bit keys are sorted by radix, in linear time.
            order = np.argsort(child, kind="stable")
            rows, child = rows[order], child[order]
            weights = None if weights is None else weights[order]
        class_weights = splits.class_weights
        if weights is not None:
            # Added up anew, row by row: with weights of both signs, ties hang on the last digits of a sum.
            cell = np.multiply(self.class_codes[rows], width, dtype=np.intp) + child
            class_weights = np.bincount(cell, weights, len(self.classes) * width).reshape(-1, width)
        return Level(rows, child, class_weights, level.codes, weights)

    def chance(self, level, place) -> np.ndarray:  # noqa: ARG002  (the same for all attributes)
        """For each node: the mean gain by chance, in bits for each record and degree of freedom: χ² / (2 n ln 2)."""
        if self.weights is not None:
            raise ValueError("the table has weights, which do not tell how uncertain they are; expected records")
        return 1 / (2 * np.log(2) * np.maximum(np.bincount(level.node, minlength=level.n_nodes), 1))


def offsets(sizes) -> np.ndarray:
    """Where each of some pieces begins that stand one after the other, and where the last one ends."""
    return np.append(0, np.cumsum(sizes, dtype=int))


def _widths(attributes):
    listed = checks.listed("attributes", attributes, "Attributes")
    return [checks.of_type("one of attributes", own, Attribute, "an Attribute").n_values for own in listed]


def _check_codes(name, codes, most):
    if codes.dtype.kind not in "iu":
        raise TypeError(f"{name} are of type {codes.dtype}; expected whole numbers")
    checks.none_wrong(name, codes, (codes < 0) | (codes > most), "codes outside", f"0 to {most}")
