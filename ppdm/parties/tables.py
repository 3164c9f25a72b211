"""What trees grow from when rows or columns are held apart: tables that answer by sums of all parties.

``grow`` does not notice. It asks for histograms, and every party gets the same answer. So all parties grow one tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ppdm import patterns
from ppdm.information import people_in
from ppdm.reconstruct import Attribute


class SummedTable:
    """Rows that are held apart: histograms are summed over all parties, and the sums are opened.

    Parameters
    ----------
    own : the own rows, an ``EstimatedTable`` by attributes and classes that all have agreed on
    party : who sums up with the others; with noise sums can be below 0
    """

    has_missing = False

    def __init__(self, own, party) -> None:
        self.own, self.party = own, party
        self.attributes: Sequence[Attribute] = own.attributes
        self.classes: np.ndarray = own.classes
        self.has_negative: bool = party.noise > 0

    def root(self) -> Any:
        """The level that holds all own rows in one node, and the class weights of all parties."""
        level = self.own.root()
        return replace(level, class_weights=self.party.total("classes", level.class_weights))

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value, of all parties together."""
        found = self.party.total("histograms", self.own.histograms(level))
        return found.copy()  # growing puts names in another order

    def descend(self, level, splits) -> Any:
        """The level below. What its nodes weigh follows from the histograms: no further sum is needed."""
        return replace(self.own.descend(level, splits), class_weights=splits.class_weights)


class ClosedTable(SummedTable):
    """Rows that are held apart, whose histograms stay shared: only the classes in the nodes of the tree are opened.

    ``grow`` gets histograms that hold one cut for each node, the best one, which the parties find without opening any
    count. So it can do nothing but choose that cut.
    """

    def histograms(self, level) -> np.ndarray:
        """The class weights on both sides of each node's best cut, at the two values next to it."""
        widths = np.array([attribute.n_values for attribute in self.attributes])
        starts = np.cumsum(widths) - widths
        # Own records on the left side of each cut: those of its value, and of the lower ones of its attribute.
        own = np.split(self.own.histograms(level), starts[1:], axis=2)
        left = np.concatenate([one.cumsum(axis=2)[:, :, :-1] for one in own], axis=2)
        cut, worth, sides = self.party.best_cuts(left, level.class_weights)
        # A cut stands behind a value; behind the last value of an attribute there is none.
        behind = np.delete(np.arange(widths.sum()), np.cumsum(widths) - 1)
        chosen = behind[cut[worth]]
        first = starts[np.searchsorted(starts, chosen, side="right") - 1]
        found = np.zeros((len(self.classes), level.n_nodes, widths.sum()), np.int64)
        found[:, :, starts] = level.class_weights[:, :, None]  # without a cut all stand at the first value
        nodes = np.flatnonzero(worth)
        found[:, nodes, first] = 0
        found[:, nodes, chosen] = sides[:, worth]
        found[:, nodes, chosen + 1] = level.class_weights[:, worth] - sides[:, worth]
        return found


@dataclass(frozen=True, eq=False)
class Shared:
    """A level of a tree over columns held apart: for each node shares of who is in it (classes × records)."""

    class_weights: np.ndarray
    nodes: list

    @property
    def n_nodes(self) -> int:
        """How many nodes the level has."""
        return len(self.nodes)

    def keep(self, nodes) -> "Shared":
        """The level without the nodes that the mask leaves out."""
        return Shared(self.class_weights[:, nodes], [own for own, kept in zip(self.nodes, nodes) if kept])

    def blocks(self, most) -> Iterator["Shared"]:
        """The level in pieces of at most this number of nodes."""
        for first in range(0, self.n_nodes, most):
            yield Shared(self.class_weights[:, first : first + most], self.nodes[first : first + most])


class JoinedTable:
    """Columns of the same people that are held apart: histograms are opened, but not who is in which node.

    Parameters
    ----------
    attributes : of all holders; those of one holder stand together
    party : who has the own columns, and multiplies them with what the others have
    """

    has_negative = has_missing = False

    def __init__(self, attributes, party) -> None:
        self.attributes: Sequence[Attribute] = attributes
        self.classes = np.array(party.classes)
        self.party, self.engine = party, party.engine
        holders = party.project["holders"]
        sites = {name: site for site, names in holders.items() for name in names}
        self.holders = [sites[one.name] for one in attributes]
        self.widths = {
            site: sum(one.n_values for one in attributes if one.name in holders[site]) for site in holders
        }
        own = [one for one in attributes if sites[one.name] == party.net.me]
        self.own = {one.name: one.encode(party.X[one.name]) for one in own}
        # A row of 0 and 1 for each value of each own attribute.
        ones = [self.own[one.name] == np.arange(one.n_values)[:, None] for one in own]
        self.columns = np.concatenate(ones).astype(np.uint32)

    def root(self) -> Shared:
        """The level that holds all records in one node."""
        shape = len(self.classes), self.columns.shape[1]
        known = None if self.party.kinds is None else self.party.kinds == np.arange(shape[0])[:, None]
        shares = self.engine.enter(self.party.project["target"][0], known, shape)
        weights = self.party.open("classes", self.engine.open(self.engine.sums(shares)))
        return Shared(weights[:, None], [shares])

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value: products of the columns with the memberships, opened."""

        async def counted() -> np.ndarray:
            memberships = np.concatenate(level.nodes)
            found = await self.engine.open(await self.engine.products(self.columns, self.widths, memberships))
            return found.reshape(len(found), level.n_nodes, -1).transpose(2, 1, 0)

        return self.party.open("histograms", counted()).copy()

    def descend(self, level, splits) -> Shared:
        """The level below: the holder of a tested attribute multiplies the memberships by where its values go."""
        below: list = [[] for _ in level.nodes]
        holders = np.array(self.holders)[splits.attribute]
        for holder in dict.fromkeys(self.holders):
            nodes = np.flatnonzero(holders == holder)
            ways = [(node, way) for node in nodes for way in range(splits.n_children[node] - 1)]
            if not ways:
                continue
            own = None
            if holder == self.party.net.me:  # who alone knows the values, and thus where the records go
                codes = {node: self.own[self.attributes[splits.attribute[node]].name] for node in nodes}
                goes = [splits.routes[node][codes[node]] == way for node, way in ways]
                own = np.repeat(goes, len(self.classes), axis=0)
            shares = np.concatenate([level.nodes[node] for node, _ in ways])
            found = self.party.net.run(self.engine.times(holder, own, shares))
            for place, (node, _) in enumerate(ways):
                below[node].append(found[place * len(self.classes) : (place + 1) * len(self.classes)])
        # What went nowhere else goes to the last child.
        for node, children in zip(level.nodes, below):
            children.append(node - sum(children[1:], children[0]))
        return Shared(splits.class_weights, [child for children in below for child in children])


class Baskets:
    """The transactions of all parties, as ``patterns`` asks for them: only counts of sets are opened."""

    def __init__(self, party) -> None:
        self.party = party
        self.items = list(party.project["columns"])
        self.known: dict = {}
        self.number = len(party.X)
        self.rows = party.project["held"] == "rows"
        if self.rows:
            self.own = patterns.Transactions(party.X)
            self.weight = 1 if party.weights is None else 0
            self.number = int(party.total("transactions", [self.weight * self.number])[0])

    def totals(self, sets) -> np.ndarray:
        """The number of transactions that hold each set, and below it the same: their weights are 0 and 1."""
        what = f"sets of {len(sets[0])}"
        if self.rows:
            found = self.party.total(what, self.weight * self.own.totals(sets)[0])
        else:
            found = self.party.open(what, self._across(sets))
        self.known.update(zip(sets, found.tolist()))
        return np.array([found, found])

    def products(self, sets, _) -> np.ndarray:
        """The number of transactions that hold a set: whoever holds the set holds a part of it."""
        return np.array([self.known[one] for one in sets])

    async def _across(self, sets):
        """The holders multiply, one after the other, what they know of each set."""
        engine, X, me = self.party.engine, self.party.X, self.party.net.me
        own = np.array([X[[item for item in one if item in X]].all(axis=1) for one in sets])
        first, *others = self.party.sites
        shares = engine.enter(first, own if me == first else None, own.shape)
        for holder in others:
            shares = await engine.times(holder, own if me == holder else None, shares)
        return await engine.open(engine.sums(shares))


def people(openings, attributes, classes) -> pd.DataFrame:
    """The people whom opened histograms show whole.

    Parameters
    ----------
    openings : pairs of what was opened and the numbers
    attributes, classes : what the numbers count
    """
    *codes, kinds = _codes(openings, attributes).T
    shown = {}
    for one, own in zip(attributes, codes):
        breaks = [-np.inf, *(one.edges or ()), np.inf]
        meant = one.categories or pd.IntervalIndex.from_breaks(breaks, closed="left")
        shown[one.name] = pd.Series(list(meant), dtype=object)[own].to_numpy()
    return pd.DataFrame({**shown, "class": np.array(classes)[kinds]})


def revealed(openings, attributes, project) -> Iterator[str]:
    """Warnings of what the opened histograms tell of single people, given the project that all know."""
    if number := len(_codes(openings, attributes)):
        shown = "can be read off the opened histograms, whole and with their class: session.people() lists them"
        yield f'{_people(number)} {shown}; opens="tree", epsilon, or a lower max_depth shows fewer'
    # Holders of columns know whose value is whose. At the root, a value that one class alone has tells them the class.
    root = next((numbers[:, 0] for what, numbers in openings if what == "histograms"), None)
    starts = np.cumsum([0, *(one.n_values for one in attributes[:-1])])
    if root is None:  # a closed tree, or all are of one class, and no histogram is opened
        root, starts = openings[0][1][:, None], 0 * starts
    told = np.where((root > 0).sum(axis=0) == 1, root.sum(axis=0), 0)
    known = dict(zip([one.name for one in attributes], np.add.reduceat(told, starts).tolist()))
    for holder, names in project["holders"].items():
        if holder not in project["target"] and (number := max(known[name] for name in names)):
            yield f"{holder!r} learns the class of {_people(number)} or more by name: their value has no other class"


def _codes(openings, attributes):
    """The codes and the class of those whom opened histograms show whole."""
    histograms = [numbers for what, numbers in openings if what == "histograms"]
    return people_in(histograms, [one.n_values for one in attributes])


def _people(number):
    return "1 person" if number == 1 else f"{number} people"
