"""A tree as a few flat arrays: it predicts, explains itself in words, and is shipped as JSON."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ppdm import checks
from ppdm.reconstruct import Attribute
from ppdm.trees.document import as_tree, from_json, to_json
from ppdm.trees.text import branch_of, condition_of, conditions, leaf_holds, outline, regions, rules


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree, its nodes numbered level by level from the root, 0.

    Parameters
    ----------
    attributes : what is known of each attribute (without edges)
    classes : the class labels
    counts : the weight of each class (columns) in each node (rows); estimates can be below 0
    attribute : the attribute that each node tests; −1: a leaf
    threshold : a numeric test sends value < threshold to the first child, other values to the second. An ordered test
        does so with the place of a category in the order. NaN elsewhere.
    n_children : the number of children of each node; children are numbered in the order of their parents
    routes : the child that each category goes to, for all nodes that test a nominal attribute, one after the other
    c45 : whether the tree is read as C4.5 reads its own: a numeric test sends value ≤ threshold to the first child, and
        a record whose value is missing goes to all children, to each with the part of it that the child has of the
        weight. Other trees refuse missing values.
    """

    attributes: tuple[Attribute, ...]
    classes: np.ndarray
    counts: np.ndarray
    attribute: np.ndarray
    threshold: np.ndarray
    n_children: np.ndarray
    routes: np.ndarray
    c45: bool = field(default=False, kw_only=True)

    def __repr__(self):
        leaves = len(self.leaves())
        noun = "leaf" if leaves == 1 else "leaves"
        return f"Tree({len(self.attribute)} nodes, {leaves} {noun}, depth {self.depth})"

    @cached_property
    def cuts(self) -> np.ndarray:
        """The least number that each numeric or ordered test sends to the second child; NaN elsewhere."""
        above = self.c45 & (self.kinds == "numeric")
        with np.errstate(over="ignore"):  # above the largest number there is infinity
            return np.where(above, np.nextafter(self.threshold, np.inf), self.threshold)

    @cached_property
    def parent(self) -> np.ndarray:
        """The node above each node; −1 above the root."""
        # Children are numbered in the order of their parents, so that nothing else need be stored.
        return np.append(-1, np.repeat(np.arange(len(self.n_children)), self.n_children))

    @cached_property
    def first_child(self) -> np.ndarray:
        """The first of each node's children; meaningless for a leaf."""
        return 1 + np.cumsum(self.n_children) - self.n_children

    def children(self, node: int) -> range:
        """The nodes right below a node, from left to right."""
        first = int(self.first_child[self._known(node)])
        return range(first, first + int(self.n_children[node]))

    @cached_property
    def levels(self) -> list[slice]:
        """The nodes of each depth, from the root down."""
        levels = [slice(0, 1)]
        while size := self.n_children[levels[-1]].sum():
            first = levels[-1].stop
            levels.append(slice(first, first + size))
        return levels

    @property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        return len(self.levels) - 1

    @cached_property
    def shares(self) -> np.ndarray:
        """Each node's class shares: counts floored at 0; where nothing is positive, those of the parent."""
        positive = np.maximum(self.counts, 0)
        total = positive.sum(axis=1, keepdims=True)
        shares = positive / np.where(total > 0, total, 1)
        # From the root down, because the parent's shares can be those of its own parent.
        for node in np.flatnonzero(total <= 0):
            shares[node] = shares[self.parent[node]] if node else 1 / len(self.classes)
        return shares

    @cached_property
    def predicted(self) -> np.ndarray:
        """The place of each node's largest class; of those that differ by rounding only, the first."""
        return self._largest(self.shares)

    def leaves(self) -> np.ndarray:
        """The nodes without a test."""
        return np.flatnonzero(self.attribute < 0)

    def path(self, node: int) -> list[int]:
        """The nodes from the root down to a node, both included."""
        path = [self._known(node)]
        while path[-1]:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def path_attributes(self, node: int) -> list:
        """The names of the attributes tested on the way to a node, in the order of their first test."""
        return list(dict.fromkeys(self.attributes[self.attribute[test]].name for test in self.path(node)[:-1]))

    @cached_property
    def tested_attributes(self) -> list:
        """The names of the attributes tested anywhere, from the root down, in the order of their first test."""
        return list(dict.fromkeys(self.attributes[place].name for place in self.attribute if place >= 0))

    def apply(self, X) -> np.ndarray:
        """The leaf that each record ends in; the one that has most of it, if the record is divided.

        X is a DataFrame, of which the columns that the tree tests are read, or an array with a column for each of
        the tree's attributes. A category that the tree never saw goes the way of most records.
        """
        return self._ends(X)[0]

    def predict(self, X) -> np.ndarray:
        """The most frequent class of the leaf that each record ends in."""
        leaf, divided, shares = self._ends(X)
        place = self.predicted[leaf]
        place[divided] = self._largest(shares)
        return self.classes[place]

    def predict_proba(self, X) -> np.ndarray:
        """The class shares of the leaf that each record ends in, a column for each class.

        If the value of a test is missing, they are the mean over the leaves, by the parts that these have of the
        record.
        """
        leaf, divided, shares = self._ends(X)
        found = self.shares[leaf]
        found[divided] = shares
        return found

    def _ends(self, X):
        """The leaf of each record, which of them are divided because a value is missing, and their class shares."""
        values, place = self._values(X)
        node = np.zeros(values.shape[1], dtype=int)
        divided = np.isnan(values).any(axis=0)
        rows = np.flatnonzero(~divided)
        # All records that are still on their way take a step at once, whatever their nodes.
        while len(rows := rows[self.attribute[node[rows]] >= 0]):
            at = node[rows]
            node[rows] = self.next_nodes(at, values[place[at], rows])
        divided = np.flatnonzero(divided)
        node[divided], shares = self._parts(values[:, divided], place)
        return node, divided, shares

    def _parts(self, values, place):
        """For records with missing values, the leaf with the largest part, the first of equal ones, and the shares."""
        records = values.shape[1]
        leaf = np.zeros(records, dtype=int)
        most = np.zeros(records)
        shares = np.zeros((records, len(self.classes)))
        waiting = [iter([(0, np.arange(records), np.ones(records))])]
        # Child after child, because a record may stand in all leaves: only those of one path are held.
        while waiting:
            step = next(waiting[-1], None)
            if step is None:
                waiting.pop()
                continue
            node, rows, parts = step
            if self.attribute[node] >= 0:
                waiting.append(self._divided(node, rows, parts, values[place[node]]))
            else:
                shares[rows] += parts[:, None] * self.shares[node]
                larger = parts > most[rows]
                rows = rows[larger]
                leaf[rows] = node
                most[rows] = parts[larger]
        return leaf, shares

    def _divided(self, node, rows, parts, values):
        """The children of a node, each with its records of these rows, and with their parts."""
        missing = np.isnan(values[rows])
        child = np.where(missing, -1, 0)
        child[~missing] = self.next_nodes(node, values[rows[~missing]])
        children = self.children(node)
        weight = np.maximum(self.counts[children].sum(axis=1), 0)
        weight = weight if weight.any() else np.ones(len(weight))
        for below, share in zip(children, weight / weight.sum()):
            own = (child == below) | (missing & (share > 0))
            if own.any():
                yield below, rows[own], parts[own] * np.where(missing[own], share, 1)

    @cached_property
    def kinds(self) -> np.ndarray:
        """What each node tests: "numeric", "ordered" or "nominal"; "leaf" for nothing."""
        # The last entry is that of leaves, whose attribute is −1.
        return np.array([*(test.kind for test in self.attributes), "leaf"])[self.attribute]

    @cached_property
    def route_owner(self) -> np.ndarray:
        """The node that each of the routes belongs to: only nominal tests have any."""
        widths = np.array([test.n_values for test in self.attributes])[self.attribute]
        return np.repeat(np.arange(len(widths)), np.where(self.kinds == "nominal", widths, 0))

    @cached_property
    def route_starts(self) -> np.ndarray:
        """Where the routes of each node begin, and those of the last one end."""
        return np.searchsorted(self.route_owner, range(len(self.attribute) + 1))

    def _known(self, node):
        """The number of a node, if the tree has it: NumPy would count negative ones from the end."""
        return checks.whole("node", node, 0, len(self.attribute) - 1)

    def routes_of(self, node: int) -> np.ndarray:
        """The child that each category goes to, for a node that tests a nominal attribute."""
        node = self._known(node)
        return self.routes[self.route_starts[node] : self.route_starts[node + 1]]

    # As regions, in words and as JSON; and what scikit-learn grew.
    leaf_holds = leaf_holds
    regions = regions
    of = classmethod(as_tree)
    conditions = conditions
    condition_of = condition_of
    branch_of = branch_of
    rules = rules
    outline = outline
    to_json = to_json
    from_json = classmethod(from_json)

    def collapse(self, nodes) -> "Tree":
        """The tree in which the marked nodes are leaves and everything below them is gone."""
        inner = (self.attribute >= 0) & ~nodes
        kept = np.ones(len(inner), dtype=bool)
        for level in self.levels[1:]:
            above = self.parent[level]
            kept[level] = kept[above] & inner[above]
        return replace(
            self,
            counts=self.counts[kept],
            attribute=np.where(inner, self.attribute, -1)[kept],
            threshold=np.where(inner, self.threshold, np.nan)[kept],
            n_children=np.where(inner, self.n_children, 0)[kept],
            routes=self.routes[(kept & inner)[self.route_owner]],
        )

    @cached_property
    def _heaviest(self):
        """The child of each node that holds most weight; meaningless for a leaf."""
        # Brothers and sisters stand side by side, in the order of their parents: sorted by weight, the heaviest first.
        order = np.lexsort((-self.counts[1:].sum(axis=1), self.parent[1:]))
        return np.append(order + 1, 0)[self.first_child - 1] - self.first_child

    def next_nodes(self, node, values) -> np.ndarray:
        """The children that nodes, or one for all, send records to with these values of what is tested there."""
        node = np.broadcast_to(node, values.shape)
        kind = self.kinds[node]
        child = (values >= self.cuts[node]).astype(int)
        # A category that no record had when the tree grew goes where most records went; numbers below 0 are numbers.
        unseen = (values < 0) & (kind != "numeric")
        child[unseen] = self._heaviest[node[unseen]]
        named = (kind == "nominal") & ~unseen
        child[named] = self.routes[self.route_starts[node[named]] + values[named].astype(int)]
        return self.first_child[node] + child

    def _values(self, X):
        """What the tests read, numbers or the places of categories (−1: never seen), and the row of each node's.

        There is a row for each attribute that is tested.
        """
        names = [attribute.name for attribute in self.attributes]
        X = checks.frame("X", X, names)
        # Only what is tested is read, so that a table may lack the rest.
        tested = np.unique(self.attribute[self.attribute >= 0])
        checks.columns("the tree", self.tested_attributes, X.columns)
        values = np.empty((len(tested), len(X)))
        for row, index in zip(values, tested):
            test = self.attributes[index]
            column = X[names[index]]
            if self.c45:
                row[:] = test.read(column)
            else:
                row[:] = test.complete(column) if test.kind == "numeric" else test.encode(column)
        return values, np.searchsorted(tested, self.attribute)

    def _largest(self, shares):
        """The place of the largest share in each row; the first of those that differ by rounding, or C4.5's ε."""
        equal = 1e-6 if self.c45 else 1e-9
        return (shares >= shares.max(axis=1, keepdims=True) - equal).argmax(axis=1)
