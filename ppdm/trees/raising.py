"""Pruning as C4.5 prunes (Quinlan 1993, §4): a subtree becomes a leaf, or its largest branch takes its place.

All nodes of a depth are looked at together, so that nothing is done record by record.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ppdm.trees.criteria import ratio
from ppdm.trees.model import Tree
from ppdm.trees.prune import pessimistic

# Release 8 takes numbers for equal that differ by less than this.
EPSILON = 1e-6
# What a leaf, or a branch, may cost more than the subtree whose place it takes.
MARGIN = 0.1
# What a leaf may cost more in training errors, before pruning.
SLIGHT = 1e-3


class Sketch:
    """A tree while it grows and is pruned, and the table of its records.

    A level has in ``paths`` the number of each of its nodes. The children of a node have numbers in a row. What is
    pruned away keeps its numbers, but nothing leads there any more.
    """

    def __init__(self, table):
        self.table = table
        self.widths = np.array([attribute.n_values for attribute in table.attributes])
        self.named = np.array([attribute.kind == "nominal" for attribute in table.attributes])
        self.nodes = np.empty((4, 0), dtype=int)
        self.counts = np.empty((0, len(table.classes)))

    def add(self, level, attribute, cut) -> None:
        """Add a level: what its nodes test (−1: nothing), and the last code that a cut sends to the first child."""
        sizes = np.where(self.named[attribute], self.widths[attribute], 2)
        sizes[attribute < 0] = 0
        first = len(self.counts) + len(sizes) + np.cumsum(sizes) - sizes
        self.nodes = np.hstack([self.nodes, [attribute, cut, sizes, first]])
        # Parts of one array, so that a branch takes a node's place by a single copy.
        self.attribute, self.cut, self.sizes, self.first = self.nodes
        self.counts = np.vstack([self.counts, level.class_weights.T])
        self.costs = np.zeros(len(self.counts))

    def children(self, nodes) -> tuple:
        """The children of inner nodes, one after the other, and the place of the parent of each among the nodes."""
        parent = np.repeat(np.arange(len(nodes)), self.sizes[nodes])
        children = self.first[nodes][parent] + _turns(parent)
        return children, parent

    def inner(self, level) -> Any:
        """The level without its leaves."""
        return level.keep(self.attribute[level.paths] >= 0)

    def below(self, level) -> Any:
        """The level below some inner nodes.

        A record whose value is missing goes to all children, to each with the share that the child has of the known
        weight, unless that is nearly nothing.
        """
        rows = level.rows
        weights = level.weights
        node = level.node
        nodes = level.paths
        children, parent = self.children(nodes)
        above = nodes[node]
        attribute = self.attribute[above]
        code = level.codes[attribute, rows]
        beyond = code > self.cut[above]
        turn = np.where(self.named[attribute], code, beyond)
        child = np.searchsorted(parent, node) + turn
        missing = code == self.widths[attribute]
        if missing.any():
            known = np.flatnonzero(~missing)
            weight = np.bincount(child[known], weights[known], len(children))
            total = np.bincount(parent, weight)[parent]
            # Where nothing is known, all children have the same share.
            share = ratio(weight, total, 1 / self.sizes[nodes][parent])
            taking = np.flatnonzero(share > EPSILON)
            number = np.bincount(parent[taking], minlength=len(nodes))
            # Only the children that take a part are listed, because of many categories a node has few.
            part = np.repeat(np.flatnonzero(missing), number[node[missing]])
            start = np.searchsorted(parent[taking], node[part])
            to = taking[start + _turns(part)]
            child = np.append(child[known], to)
            rows = np.append(rows[known], rows[part])
            weights = np.append(weights[known], weights[part] * share[to])
        kinds = len(self.table.classes)
        cell = child * kinds + self.table.class_codes[rows]
        counts = np.bincount(cell, weights, len(children) * kinds)
        found = counts.reshape(-1, kinds).T
        return replace(level, rows=rows, node=child, weights=weights, class_weights=found, paths=children)

    def layers(self) -> Iterator:
        """The inner nodes of each depth, from the root down."""
        nodes = np.zeros(1, dtype=int)
        while len(nodes := nodes[self.attribute[nodes] >= 0]):
            yield nodes
            nodes, _ = self.children(nodes)

    def collapse(self) -> None:
        """Make a leaf of every node whose leaves make about as many training errors as itself."""
        wrong = self.counts.sum(axis=1) - self.counts.max(axis=1)
        below = wrong.copy()
        for nodes in reversed([*self.layers()]):
            children, parent = self.children(nodes)
            below[nodes] = np.bincount(parent, below[children])
        self._close(below >= wrong - SLIGHT)

    def prune(self, level, confidence) -> None:
        """Prune what is below the inner nodes of a level, the deepest nodes first."""
        layers = []
        while (level := self.inner(level)).n_nodes:
            layers.append(level)
            level = self.below(level)
            # Counted anew, because after a raising other records come here.
            self.counts[level.paths] = level.class_weights.T
            self.costs[level.paths] = _errors(level, confidence)
        while layers:
            level = layers.pop()
            nodes = level.paths
            children, parent = self.children(nodes)
            # The child with most weight is the last in this order; of equal ones the last.
            weight = self.counts[children].sum(axis=1).round(6)
            order = np.lexsort((weight, parent))
            last = np.cumsum(self.sizes[nodes]) - 1
            branch = children[order[last]]
            as_leaf = _errors(level, confidence)
            as_tree = np.bincount(parent, self.costs[children])
            as_branch = self._errors_below(replace(level, paths=branch), confidence)
            margin = MARGIN + EPSILON
            otherwise = np.minimum(as_tree, as_branch)
            closed = as_leaf <= otherwise + margin
            raised = ~closed & (as_branch <= as_tree + margin)
            self.costs[nodes] = np.where(closed, as_leaf, as_tree)
            self._close(nodes[closed])
            self.nodes[:, nodes[raised]] = self.nodes[:, branch[raised]]
            # All records of such a node go through the branch from now on, and what is below is pruned once more.
            self.prune(level.keep(raised), confidence)

    def _errors_below(self, level, confidence):
        """The pessimistic errors of the subtree of each node of a level, with the records that the node has there."""
        found = np.zeros(level.n_nodes)
        root = np.arange(level.n_nodes)
        while level.n_nodes:
            inner = self.attribute[level.paths] >= 0
            errors = _errors(level, confidence)
            np.add.at(found, root[~inner], errors[~inner])
            level = level.keep(inner)
            _, parent = self.children(level.paths)
            root = root[inner][parent]
            level = self.below(level)
        return found

    def _close(self, nodes):
        """Make leaves of some nodes."""
        self.attribute[nodes] = -1
        self.sizes[nodes] = 0

    def tree(self, values) -> Tree:
        """The tree, its nodes numbered anew; values: what the codes of each attribute stand for."""
        # What was pruned away is not reached, and so left out.
        below = [self.children(nodes)[0] for nodes in self.layers()]
        order = np.concatenate([[0], *below])
        attribute, cut, sizes, _ = self.nodes[:, order]
        threshold = np.full(len(order), np.nan)
        routes = [np.arange(0)]
        for node in np.flatnonzero(attribute >= 0):
            place = attribute[node]
            if self.named[place]:
                routes.append(np.arange(sizes[node]))
            else:
                threshold[node] = values[place][cut[node]]
        found = self.counts[order], attribute, threshold, sizes, np.concatenate(routes)
        return Tree(self.table.attributes, self.table.classes, *found, c45=True)


def _turns(numbers):
    """How many equal ones each of these increasing numbers has before it."""
    return np.arange(len(numbers)) - np.searchsorted(numbers, numbers)


def _errors(level, confidence):
    """The pessimistic errors of the nodes of a level, as leaves."""
    size = level.class_weights.sum(axis=0)
    wrong = size - level.class_weights.max(axis=0)
    return pessimistic(size, wrong, confidence)
