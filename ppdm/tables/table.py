"""What reconstruction hands over: rows of true-looking codes, with weights whose sums are estimated counts.

A tree grows from such a table and does not care where it comes from. While it grows it asks two questions, for all
open nodes of a level at once: how is the weight of each node spread over values and classes (``histograms``), and
which records go where (``descend``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.reconstruct import Attribute


@dataclass(frozen=True, eq=False)
class Level:
    """The rows of a level's nodes, and what each weighs there: those of node i stand at starts[i] to starts[i + 1].

    A row may stand in several nodes, with a part of its weight in each. No weights: one each.
    """

    rows: np.ndarray
    starts: np.ndarray
    weights: np.ndarray | None = None

    @property
    def n_nodes(self) -> int:
        """How many nodes the level has."""
        return len(self.starts) - 1

    def node_of_row(self) -> np.ndarray:
        """The node of each of the rows."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.starts))

    def keep(self, nodes: np.ndarray) -> "Level":
        """The level without the nodes that the mask leaves out."""
        if nodes.all():
            return self
        sizes = np.diff(self.starts)
        return self.take(np.repeat(nodes, sizes), _offsets(sizes[nodes]))

    def blocks(self, most: int) -> Iterator["Level"]:
        """The level in pieces of at most so many nodes, which bounds the memory of the histograms."""
        for first in range(0, self.n_nodes, most):
            starts = self.starts[first : first + most + 1]
            yield self.take(slice(starts[0], starts[-1]), starts - starts[0])

    def take(self, places: Any, starts: np.ndarray) -> "Level":
        """A level of the rows at some places of this one."""
        weights = None if self.weights is None else self.weights[places]
        return Level(self.rows[places], starts, weights)


@dataclass(frozen=True, eq=False)
class Splits:
    """What a level's nodes test: an attribute, and the child that each of its codes is sent to."""

    attribute: np.ndarray
    routes: np.ndarray
    n_children: np.ndarray

    def keep(self, nodes: np.ndarray) -> "Splits":
        """The splits of the nodes that the mask lets through."""
        return Splits(self.attribute[nodes], self.routes[nodes], self.n_children[nodes])


@dataclass(frozen=True, eq=False)
class EstimatedTable:
    """Coded rows with classes and weights: counted, reconstructed or released, a tree cannot tell.

    Parameters
    ----------
    attributes : what the codes of each attribute mean
    classes : the class labels; class_codes index them
    codes : whole numbers, a row an attribute and a column a record, each below the attribute's n_values
    class_codes : the class of each record
    weights : how many true records each row stands for: any finite number, below 0 too; None: one each

    >>> age = Attribute.numeric("age", [40, 60])
    >>> EstimatedTable.from_counts([age], ["A", "B"], [[3, 0], [1, 5], [2.5, -0.5]])
    EstimatedTable(5 rows × 1 attribute, classes A and B, weight 11)
    """

    attributes: tuple[Attribute, ...]
    classes: np.ndarray
    codes: np.ndarray
    class_codes: np.ndarray
    weights: np.ndarray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        for name in ("classes", "codes", "class_codes"):
            object.__setattr__(self, name, np.asarray(getattr(self, name)))
        checks.distinct("attributes", [attribute.name for attribute in self.attributes])
        checks.distinct("classes", self.classes.tolist())
        shape = (len(self.attributes), len(self.class_codes))
        if np.shape(self.codes) != shape or not shape[1]:
            raise ValueError(f"codes has shape {np.shape(self.codes)}; expected {shape} (attributes × rows), with rows")
        for attribute, codes in zip(self.attributes, self.codes, strict=True):
            _check_codes(f"codes of {attribute.name!r}", codes, attribute.n_values)
        _check_codes("class_codes", self.class_codes, len(self.classes))
        if self.weights is not None:
            object.__setattr__(self, "weights", checks.vector("weights", self.weights))
            checks.same_length("weights", self.weights, "class_codes", self.class_codes)

    @classmethod
    def from_records(cls, attributes: Sequence[Attribute], X: pd.DataFrame, y: Any) -> Self:
        """True records as they are counted: codes by the attributes' own meaning, a weight of 1 each."""
        checks.frame("X", X)
        checks.columns("attributes", [attribute.name for attribute in attributes], X.columns)
        labels = checks.labels("y", y)
        checks.same_length("y", labels, "X", X)
        classes, class_codes = np.unique(labels, return_inverse=True)
        codes = [_known_codes(attribute, X[attribute.name]) for attribute in attributes]
        return cls(tuple(attributes), classes, pack(codes, attributes), class_codes)

    @classmethod
    def from_counts(cls, attributes: Sequence[Attribute], classes: Sequence[Any], counts: Any) -> Self:
        """A table of estimated counts: one axis an attribute, the classes last. Cells of 0 have no row."""
        counts = checks.plain("counts", counts)
        if counts.dtype.kind not in "iuf":
            raise TypeError(f"counts are of type {counts.dtype}; expected numbers")
        counts = counts.astype(float)
        shape = (*(attribute.n_values for attribute in attributes), len(classes))
        if counts.shape != shape:
            raise ValueError(f"counts has shape {counts.shape}; expected {shape}: attributes' values, then classes")
        if not np.isfinite(counts).all() or not counts.any():
            raise ValueError("counts are not finite or all 0; expected finite numbers, some of them not 0")
        *codes, class_codes = np.nonzero(counts)
        return cls(tuple(attributes), np.asarray(classes), pack(codes, attributes), class_codes, counts[counts != 0])

    def __repr__(self) -> str:
        rows, width = len(self.class_codes), len(self.attributes)
        weight = rows if self.weights is None else self.weights.sum()
        noun = "attribute" if width == 1 else "attributes"
        return f"EstimatedTable({rows:,} rows × {width} {noun}, classes {_listed(self.classes)}, weight {weight:,.6g})"

    @property
    def has_negative(self) -> bool:
        """Whether any weight is below 0."""
        return self.weights is not None and bool((self.weights < 0).any())

    def root(self) -> Level:
        """The level that holds all rows in one node."""
        return Level(np.arange(len(self.class_codes)), np.array([0, len(self.class_codes)]), self.weights)

    def class_weights(self, level: Level) -> np.ndarray:
        """The weight of each class (rows) in each node (columns)."""
        shape = (len(self.classes), level.n_nodes)
        group = self.class_codes[level.rows] * level.n_nodes + level.node_of_row()
        return self._total(group, level.weights, shape)

    def histograms(self, level: Level) -> Iterator[np.ndarray]:
        """For each attribute, the weight by class, node and value, in this order of the axes."""
        group = self.class_codes[level.rows] * level.n_nodes + level.node_of_row()
        for attribute, codes in zip(self.attributes, self.codes, strict=True):
            shape = (len(self.classes), level.n_nodes, attribute.n_values)
            yield self._total(group * attribute.n_values + codes[level.rows], level.weights, shape)

    def descend(self, level: Level, splits: Splits) -> Level:
        """The level below: the children of all splits, in order."""
        node = level.node_of_row()
        first = _offsets(splits.n_children)
        child = first[node] + splits.routes[node, self.codes[splits.attribute[node], level.rows]]
        # Sixteen-bit keys are sorted by radix, in linear time.
        order = np.argsort(child.astype(np.min_scalar_type(int(first[-1]))), kind="stable")
        return level.take(order, _offsets(np.bincount(child, minlength=first[-1])))

    def chance(self, level: Level, place: int) -> np.ndarray:  # noqa: ARG002  (the same for all attributes)
        """The gain, in bits a record, that chance gives on average to each degree of freedom of a split, by node.

        Gain times 2 n ln 2 is χ² where an attribute tells nothing of the classes.
        """
        if self.weights is not None:
            raise ValueError("the weights of this table do not tell how uncertain they are; expected counted records")
        return 1 / (2 * np.log(2) * np.maximum(np.diff(level.starts), 1))

    @staticmethod
    def _total(cells: np.ndarray, weights: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
        return np.bincount(cells, weights, minlength=int(np.prod(shape))).reshape(shape)


def pack(codes: Sequence[np.ndarray], attributes: Sequence[Attribute]) -> np.ndarray:
    """Codes of several attributes in one array, in the narrowest type that holds them."""
    for attribute, column in zip(attributes, codes, strict=True):
        _check_codes(f"codes of {attribute.name!r}", column, attribute.n_values)
    most = max((attribute.n_values for attribute in attributes), default=1)
    packed = np.empty((len(attributes), len(codes[0]) if codes else 0), np.min_scalar_type(most - 1))
    for row, column in zip(packed, codes, strict=True):
        row[:] = column
    return packed


def _known_codes(attribute: Attribute, values: Any) -> np.ndarray:
    codes = attribute.encode(values)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        raise ValueError(
            f"column {attribute.name!r} has {np.asarray(values)[unknown[0]]!r} in row {unknown[0]}; "
            f"expected one of {', '.join(map(repr, attribute.categories or ()))}"
        )
    return codes


def _check_codes(name: str, codes: Any, n_values: int) -> None:
    codes = np.asarray(codes)
    if codes.dtype.kind not in "iu":
        raise TypeError(f"{name} are of type {codes.dtype}; expected whole numbers")
    if len(codes) and (codes.min() < 0 or codes.max() >= n_values):
        raise ValueError(f"{name} run from {codes.min()} to {codes.max()}; expected 0 to {n_values - 1}")


def _offsets(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(sizes)))


def _listed(names: np.ndarray) -> str:
    texts = [str(name) for name in names]
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
