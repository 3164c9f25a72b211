"""What a party does with its own records and with sums of all: the same in a notebook's process and in a clinic."""

import math
import time
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, disguise, patterns, randomness
from ppdm.cuts import equal_count_cuts, groups_of
from ppdm.parties.columns import Commodity, meet
from ppdm.parties.jobs import read_channels
from ppdm.parties.net import Net
from ppdm.parties.shamir import Shamir
from ppdm.parties.sums import Additive, Masks, Mixer, Ring
from ppdm.parties.tables import Baskets, ClosedTable, JoinedTable, SummedTable
from ppdm.parties.wires import WORD
from ppdm.reconstruct import Attribute, ChiSquareStop, Column, HeldOutStop, reconstruct_counts
from ppdm.tables import EstimatedTable, grouped_table
from ppdm.trees import Stop, grow

ENGINES = {one.__name__.lower(): one for one in (Ring, Additive, Mixer, Masks, Shamir, Commodity)}
MAX_CELLS = 1 << 20  # of one sum
FINE = 1000  # intervals of the public grid in which all records are counted


class Party:
    """One party: its wires, its records, and the engine by which it computes with the others.

    Parameters
    ----------
    net : the wires
    project : what all agree on
    records : the own records and their classes, as ``own_records`` reads them; None for a party that has none
    """

    def __init__(self, net: Net, project, records=None) -> None:
        self.net = net
        self.project = project
        self.sites, self.classes = project["sites"], project["classes"]
        self.engine: Any = ENGINES[project["engine"]](net, self.sites, project["server"])
        self.weights, self.noise = None, 0.0
        self.opened: list = []
        self.told: Any = None  # if it is a function: told what was opened
        if records is None:  # records that weigh nothing take part in every sum
            columns = project["columns"].items()
            values = {name: one.get("categories", [one.get("low")])[0] for name, one in columns}
            records, self.weights = (pd.DataFrame([values] * 2), self.classes[:1] * 2), np.zeros(2)
        self.X, self.y = records

    @property
    def kinds(self) -> Any:
        """The number of each record's class, if this party knows it."""
        return None if self.y is None else checks.places("classes", self.y, self.classes)

    def meet(self, addresses) -> dict:
        """Let the others in, and start."""
        self.net.run(self.net.meet(addresses))
        self.start()
        return {"records": len(self.X)}

    def view(self) -> dict:
        """All messages so far."""
        return {"book": [[*one[:3], one[4], one[5].hex()] for one in self.net.book]}

    def start(self) -> None:
        """Agree on keys, and, where columns are held apart, on the records that all have."""
        self.net.run(self.engine.start())
        if self.project["align"] and self.net.me in self.sites:
            places = self.net.run(meet(self.net, self.sites, self.X.index.tolist()))
            if not len(places):
                raise ValueError("parties have no common value in their index; expected people whom all know")
            self.X = self.X.iloc[places]
            self.y = self.y if self.y is None else self.y[places]
        self.net.run(self.net.flush())

    def work(self, job, given) -> dict:
        """Do a job with the others: what came out, the bytes that this party sent, its processor's seconds."""
        self.opened, self.engine.whole = [], job != "sum"
        before, cpu = self.net.sent, time.process_time()
        serves = self.net.me not in self.sites
        found = self.net.run(self.engine.serve()) if serves else getattr(self, f"do_{job}")(**given)
        cost = {"bytes": self.net.sent - before, "cpu": time.process_time() - cpu}
        if not serves:
            self.net.run(self.engine.end())
        self.net.run(self.net.flush())
        return {"found": found, "opened": self.opened, **cost}

    def open(self, what, protocol) -> np.ndarray:
        """Wait for whole numbers that are opened, and write them down."""
        self.net.step = what
        found = self.net.run(protocol).view(np.int64)
        lost = [site for site in self.sites if site not in self.engine.sites]
        self._write_down(what + f" without {', '.join(lost)}" * bool(lost), found)
        return found

    def _write_down(self, what, found):
        self.opened.append((what, found))
        if self.told:
            self.told(what)

    def total(self, what, own) -> np.ndarray:
        """The sum of whole numbers over all parties, which is opened."""
        words = np.asarray(own).astype(np.int64)
        if self.noise:
            honest = len(self.sites) - self.engine.withstands
            words += randomness.part_of_noise(words.shape, self.noise, honest)
        return self.open(what, self.engine.total(words.view(WORD)))

    def best_cuts(self, left, totals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The best cut of each node, whether it gains, and its left class counts, which are opened if it does.

        ``left`` are the own left class counts by class, node and cut; ``totals`` those of the nodes, which all know.
        """
        self.net.step = "cuts"
        cut, worth, sides = self.net.run(self.engine.best_cuts(left, totals.astype(np.int64)))
        self._write_down("sides of cuts", sides[:, worth])
        return cut, worth, sides

    def do_sum(self, values) -> None:
        """The sum of a vector of each party."""
        self.total("sum", values)

    def do_tree(self, criterion, stop, nominal, opens, epsilon, channels, strategy, intervals, cuts) -> dict:
        """A tree of the records of all parties, and the attributes that they agreed on."""
        rule, channels = Stop(**stop), read_channels(channels)
        # A record stands in one cell of the classes, and of each histogram of each level (and of each fine grid).
        counted = 1 + len(self.project["columns"]) * ((rule.max_depth or 0) + (cuts == "counts"))
        self.noise = (epsilon or 0.0) / counted
        if isinstance(channels, disguise.GroupedResponse):
            table: Any = self._reversed(channels, rule)
        elif channels and strategy == "joint":
            table = self._joint(channels, intervals)
        elif channels:
            table = SummedTable(self._by_rank(channels, strategy == "byclass", intervals), self)
        elif self.project["held"] == "columns":
            table = JoinedTable(self.attributes(intervals, cuts), self)
        else:
            attributes = self.attributes(intervals, cuts)
            own = EstimatedTable.from_records(attributes, self.X, self.y, self.classes, self.weights)
            table = (ClosedTable if opens == "tree" else SummedTable)(own, self)
        tree = grow(table, criterion, rule, nominal)
        self.noise = 0.0
        return {"tree": tree.to_json(), "attributes": [vars(one) for one in table.attributes]}

    def do_rules(self, min_support, min_confidence, most_items) -> dict:
        """The rules among the records of all parties; without a confidence the frequent sets."""
        baskets: Any = Baskets(self)
        if min_confidence is None:
            found = patterns.frequent_itemsets(baskets, min_support, most_items=most_items)
        else:
            found = patterns.association_rules(baskets, min_support, min_confidence, most_items=most_items)
        return {name: column.tolist() for name, column in found.items()}

    def attributes(self, intervals, cuts) -> list[Attribute]:
        """What the codes of each column mean, by what is public, or by counts of all records in a fine public grid."""
        found, grids = {}, {}
        for name, domain in self.project["columns"].items():
            if "categories" in domain:
                found[name] = Attribute.categorical(name, domain["categories"], domain["ordered"])
                continue
            low, high, step = domain["low"], domain["high"], domain["step"]
            most = intervals[name]
            if np.ndim(most):
                edges = most
            elif step and (high - low) / step < most:  # fewer values than intervals: each has one
                edges = np.arange(low + step / 2, high, step)
            else:
                edges = np.linspace(low, high, most + 1)[1:-1] if low < high else []
                if cuts == "counts" and low < high:
                    grids[name] = np.linspace(low, high, FINE + 1)
            found[name] = Attribute.numeric(name, edges)
        own = [np.histogram(self.X[name], grid, weights=self.weights)[0] for name, grid in grids.items()]
        for (name, grid), counts in zip(grids.items(), self.total("fine grid", own) if own else ()):
            middles = np.repeat(_middles(grid), np.maximum(counts, 0))
            found[name] = Attribute.numeric(name, equal_count_cuts(middles, intervals[name]))
        return list(found.values())

    def _cells(self, codes, shape):
        """How many records of all parties are in each cell of a grid."""
        cells = np.ravel_multi_index(codes, shape)
        return self.total("seen cells", np.bincount(cells, self.weights, math.prod(shape)))

    def _reversed(self, channel, rule):
        """The table of answers in groups: the counts of all cells are summed, and then inverted as everywhere."""
        attributes = []
        for name in self.project["columns"]:
            own = list(channel.answers[name].categories)
            bits = own == [0, 1]
            attributes.append(Attribute.numeric(name, [0.5]) if bits else Attribute.categorical(name, own))
        shape = [*(one.n_values for one in attributes), len(self.classes)]
        checks.cells("the table of all answers", shape, MAX_CELLS)
        counts = self._cells([*(one.encode(self.X[one.name]) for one in attributes), self.kinds], shape)
        cells = np.flatnonzero(counts)
        # As many records in each cell as were counted: as good as the records themselves.
        pooled = np.repeat(np.array(np.unravel_index(cells, shape)), counts[cells], axis=1)
        tested = rule.confidence is not None
        return grouped_table(attributes, np.array(self.classes), pooled, channel.parts, tested)

    def _joint(self, channels, intervals):
        """The table of the joint distribution of some columns in each class, from summed counts of what is seen."""
        bins = {name: channel.true_bins(intervals[name]) for name, channel in channels.items()}
        columns = [Column.over(name, self.X[name].to_numpy(), channels[name], bins[name]) for name in channels]
        true, seen = zip(*(column.sizes for column in columns))
        checks.cells("the grid of these columns", [math.prod(true), math.prod(seen)])
        counts = self._cells([self.kinds, *(column.seen for column in columns)], [len(self.classes), *seen])
        matrix = np.ones((1, 1))  # P(seen cell | true cell): disguises of several columns are independent
        for column in columns:
            matrix = np.kron(matrix, column.matrix)
        found = []
        for own in counts.reshape(len(self.classes), -1):
            distribution = reconstruct_counts(own, matrix, stop=HeldOutStop()).distribution
            found.append(own.sum() * distribution.probabilities.reshape(true))
        attributes = [column.attribute for column in columns]
        return EstimatedTable.from_counts(attributes, self.classes, np.stack(found, axis=-1))

    def _by_rank(self, channels, by_class, intervals):
        """The own records with codes that the reconstructed distributions of all records give them, class by class.

        The summed counts of what is seen, in a fine grid, say how many records have lower values. So every party knows
        which code a value gets by rank, up to the width of the grid.
        """
        attributes = {one.name: one for one in self.attributes(intervals, "widths")}
        codes = {name: one.encode(self.X[name]) for name, one in attributes.items() if name not in channels}
        strata = len(self.classes) if by_class else 1
        ends = {name: channel.seen_range() for name, channel in channels.items()}
        grids = {name: np.linspace(low, high, FINE + 1) for name, (low, high) in ends.items()}
        first = FINE * (self.kinds if by_class else 0)  # cell of the own stratum
        cells = {name: first + groups_of(self.X[name], grid[1:-1]) for name, grid in grids.items()}
        own = [np.bincount(cell, self.weights, strata * FINE) for cell in cells.values()]
        for (name, channel), counts in zip(channels.items(), self.total("seen cells", own)):
            middles = _middles(grids[name])
            if channel.step is not None:
                middles = channel.low + channel.step * np.rint((middles - channel.low) / channel.step)
            cell = np.repeat(np.arange(len(counts)), counts)
            column = Column.of(name, middles[cell % FINE], channel, intervals[name], rng=0)
            found = np.empty(len(cell), int)
            column.recode(found, cell // FINE, strata, lambda one, seen: one.estimate(seen, ChiSquareStop()))
            # Where a code ends within a cell, the whole cell gets the code of its middle record.
            middle = np.cumsum(counts) - (counts + 1) // 2
            of_cell = found[np.lexsort((found, cell))][np.minimum(middle, len(cell) - 1)]
            codes[name], attributes[name] = of_cell[cells[name]], column.attribute
        rows = [codes[name] for name in attributes]
        return EstimatedTable([*attributes.values()], self.classes, rows, self.kinds, self.weights)


def _middles(grid):
    return (grid[1:] + grid[:-1]) / 2
