"""What a party does with its own records and with sums of all: the same in a notebook's process and in a clinic."""

import json
import math
import os
import queue
import threading
import time
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, disguise, patterns, randomness
from ppdm.cuts import equal_count_cuts, groups_of
from ppdm.parties.columns import Commodity, SharedColumns, meet
from ppdm.parties.jobs import read_channels
from ppdm.parties.net import Net
from ppdm.parties.project import own_records
from ppdm.parties.shamir import Shamir
from ppdm.parties.sums import Additive, Masks, Mixer, Ring
from ppdm.parties.tables import Baskets, ClosedTable, JoinedTable, SummedTable
from ppdm.parties.wires import WORD, PartyError, write
from ppdm.reconstruct import Attribute, ChiSquareStop, Column, HeldOutStop, reconstruct_counts
from ppdm.tables import EstimatedTable, grouped_table
from ppdm.trees import Stop, grow

ENGINES: dict[str, dict] = {
    "rows": {"ring": Ring, "additive": Additive, "mixer": Mixer, "masks": Masks, "shamir": Shamir},
    "columns": {"commodity": Commodity, "shamir": SharedColumns},
}
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
        self.sites = project["sites"]
        self.weights, self.noise = None, 0.0
        self.opened: list = []
        self.engine: Any = ENGINES[project["held"]][project["engine"]](net, self.sites, project["server"])
        if records is not None:
            self.X, self.y = records
        else:  # records that weigh nothing take part in every sum
            values = {
                name: one.get("categories", [one.get("low")])[0] for name, one in project["columns"].items()
            }
            self.X, self.y, self.weights = pd.DataFrame([values] * 2), self.classes[:1] * 2, np.zeros(2)

    @property
    def classes(self) -> list:
        """The class labels."""
        return self.project["classes"]

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

    def do(self, job, arguments) -> dict:
        """Do a job with the others: what came out, the bytes that this party sent, its processor's seconds."""
        self.opened = []
        before, cpu = self.net.sent, time.process_time()
        serves = self.net.me not in self.sites
        found = self.net.run(self.engine.serve()) if serves else getattr(self, f"do_{job}")(**arguments)
        cost = {"bytes": self.net.sent - before, "cpu": time.process_time() - cpu}
        if not serves:
            self.net.run(self.engine.end())
        self.net.run(self.net.flush())
        return {"found": found, "opened": self.opened, **cost}

    def open(self, what, protocol) -> np.ndarray:
        """Wait for numbers that are opened, and write them down."""
        self.net.step = what
        found = self.net.run(protocol)
        lost = [site for site in self.sites if site not in self.engine.sites]
        if lost and what != "sum":
            raise PartyError(lost[0], "is lost: begin again without it")
        self.opened.append((what + f" without {', '.join(lost)}" * bool(lost), found))
        return found

    def total(self, what, own) -> np.ndarray:
        """The sum of whole numbers over all parties, which is opened."""
        words = np.asarray(own).astype(np.int64)
        if self.noise:
            honest = len(self.sites) - self.engine.withstands
            words += randomness.part_of_noise(words.shape, self.noise, honest)

        async def added() -> np.ndarray:
            return (await self.engine.total(words.view(WORD))).view(np.int64)

        return self.open(what, added())

    def do_sum(self, values) -> None:
        """The sum of a vector of each party."""
        self.total("sum", values)

    def do_tree(self, criterion, stop, nominal, opens, epsilon, channels, strategy, **cuts) -> dict:
        """A tree of the records of all parties, and the attributes that they agreed on."""
        rule = Stop(**stop)
        columns = self.project["columns"]
        # A record stands in one cell of the classes, and of each histogram of each level (and of each fine grid).
        counted = 1 + len(columns) * ((rule.max_depth or 0) + (cuts["cuts"] == "counts"))
        self.noise = (epsilon or 0.0) / counted
        attributes = [] if channels else self.attributes(**cuts)
        channels = read_channels(channels)
        if self.project["held"] == "columns":
            table: Any = self._joined(attributes)
        elif isinstance(channels, disguise.GroupedResponse):
            table = self._reversed(channels, rule)
        elif strategy == "joint":
            table = self._joint(channels, cuts["intervals"])
        else:
            if channels:
                own = self._by_class(channels, strategy, cuts["intervals"])
            else:
                own = EstimatedTable.from_records(attributes, self.X, self.y, self.classes, self.weights)
            table = SummedTable(own, self.total, self.noise > 0)
            if opens == "tree":
                table = ClosedTable(own, self.total, best=self._best)
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
        found: list = []
        fine = {}
        for name, domain in self.project["columns"].items():
            most = intervals.get(name, 20) if isinstance(intervals, dict) else intervals
            if "categories" in domain:
                found.append(Attribute.categorical(name, domain["categories"], domain.get("ordered", False)))
                continue
            low, high, step = (domain.get(what) for what in ("low", "high", "step"))
            edges = most if np.ndim(most) else np.linspace(low, high, most + 1)[1:-1] if low < high else []
            if step and not np.ndim(most) and (high - low) / step < most:
                edges = np.arange(low + step / 2, high, step)
            elif cuts == "counts" and not np.ndim(most) and low < high:
                fine[name] = len(found), most, np.linspace(low, high, FINE + 1)
            found.append(Attribute.numeric(name, edges))
        if fine:
            own = [np.histogram(self.X[name], grid, weights=self.weights)[0] for name, (*_, grid) in fine.items()]
            for (name, (place, most, grid)), counts in zip(fine.items(), self.total("fine grid", own)):
                middles = np.repeat((grid[1:] + grid[:-1]) / 2, np.maximum(counts, 0))
                found[place] = Attribute.numeric(name, equal_count_cuts(middles, most))
        return found

    def _best(self, left, totals):
        """The best cut of each node, whether it gains, and its left class counts, which are opened if it does."""
        self.net.step = "cuts"
        cut, worth, sides = self.net.run(self.engine.best_cuts(left, totals.astype(np.int64)))
        self.opened.append(("sides of cuts", sides[:, worth]))
        return cut, worth, sides

    def _joined(self, attributes):
        """The table of columns that are held apart."""
        holder = {name: site for site, names in self.project["holders"].items() for name in names}
        [target] = self.project["target"]
        own = [one.encode(self.X[one.name]) for one in attributes if holder[one.name] == self.net.me]
        known = None if self.y is None else np.searchsorted(self.classes, self.y)
        names = [holder[one.name] for one in attributes]
        classes = np.array(self.classes)
        return JoinedTable(attributes, classes, names, np.array(own), target, known, self.engine, self.open)

    def _reversed(self, channel, rule):
        """The table of answers in groups: the counts of all cells are summed, and then inverted as everywhere."""
        names = list(self.project["columns"])
        values = [list(channel.answers[name].categories) for name in names]
        attributes = [
            Attribute.numeric(name, [0.5]) if own == [0, 1] else Attribute.categorical(name, own)
            for name, own in zip(names, values)
        ]
        of_class = Attribute.categorical("class", self.classes)
        shape = [one.n_values for one in [*attributes, of_class]]
        checks.cells("the table of all answers", shape, MAX_CELLS)
        codes = [*(one.encode(self.X[one.name]) for one in attributes), of_class.encode(self.y)]
        counts = np.bincount(np.ravel_multi_index(codes, shape), self.weights, math.prod(shape))
        counts = self.total("seen cells", counts)
        cells = np.flatnonzero(counts)
        pooled = np.repeat(np.array(np.unravel_index(cells, shape)), counts[cells], axis=1)
        return grouped_table(
            attributes, np.array(self.classes), pooled, channel.parts, rule.confidence is not None
        )

    def _joint(self, channels, intervals):
        """The table of the joint distribution of some columns in each class, from summed counts of what is seen."""
        columns = [
            Column.over(name, self.X[name].to_numpy(), channel, channel.true_bins(intervals), exact=True)
            for name, channel in channels.items()
        ]
        kinds = np.searchsorted(self.classes, self.y)
        shape = [len(self.classes), *(column.sizes[1] for column in columns)]
        checks.cells("the grid of these columns", [math.prod(column.sizes) for column in columns])
        cells = np.ravel_multi_index([kinds, *(column.seen for column in columns)], shape)
        counts = self.total("seen cells", np.bincount(cells, self.weights, math.prod(shape)))
        matrix = np.ones((1, 1))
        for column in columns:
            matrix = np.kron(matrix, column.matrix)
        found = [
            own.sum() * reconstruct_counts(own, matrix, stop=HeldOutStop()).distribution.probabilities
            for own in counts.reshape(shape[0], -1)
        ]
        true = [column.sizes[0] for column in columns]
        return EstimatedTable.from_counts(
            [column.attribute for column in columns], self.classes, np.stack(found, axis=-1).reshape(*true, -1)
        )

    def _by_class(self, channels, strategy, intervals):
        """The own records with codes that the reconstructed distributions of all records give them, class by class.

        The summed counts of what is seen, in a fine grid, say how many records have lower values. So every party knows
        which code a value gets by rank, up to the width of the grid.
        """
        attributes = {one.name: one for one in self.attributes(intervals, "widths")}
        codes = {name: one.encode(self.X[name]) for name, one in attributes.items() if name not in channels}
        kinds = np.searchsorted(self.classes, self.y) * (strategy == "byclass")
        strata = len(self.classes) if strategy == "byclass" else 1
        ranges = {name: channel.seen_range() for name, channel in channels.items()}
        grids = {name: np.linspace(low, high, FINE + 1) for name, (low, high) in ranges.items()}
        cells = {name: kinds * FINE + groups_of(self.X[name], grid[1:-1]) for name, grid in grids.items()}
        own = [np.bincount(cell, self.weights, strata * FINE) for cell in cells.values()]
        for name, counts in zip(channels, self.total("seen cells", own)):
            middles = (grids[name][1:] + grids[name][:-1]) / 2
            low, step = channels[name].low, channels[name].step
            if step is not None:
                middles = low + step * np.rint((middles - low) / step)
            cell = np.repeat(np.arange(len(counts)), counts)
            column = Column.of(name, middles[cell % FINE], channels[name], intervals, rng=0)
            found = np.empty(len(cell), int)
            column.recode(found, cell // FINE, strata, lambda one, seen: one.estimate(seen, ChiSquareStop()))
            # Where a code ends within a cell, the whole cell gets the code of its middle record.
            middle = np.cumsum(counts) - (counts + 1) // 2
            of_cell = found[np.lexsort((found, cell))][np.minimum(middle, len(cell) - 1)]
            codes[name] = of_cell[cells[name]]
            attributes[name] = column.attribute
        rows = [codes[name] for name in attributes], np.searchsorted(self.classes, self.y)
        return EstimatedTable([*attributes.values()], self.classes, *rows, self.weights)


def serve() -> None:
    """A party's process: do what the session says, until its pipe ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed here must not look like an answer
    orders: queue.SimpleQueue = queue.SimpleQueue()

    def listen() -> None:
        with open(0, "rb") as pipe:
            for line in pipe:
                orders.put(json.loads(line))
        os._exit(0)  # the session is gone, in whatever way: so is its party

    threading.Thread(target=listen, daemon=True).start()
    party: Any = None
    while True:
        order = orders.get()
        try:
            if "me" in order:
                file, secret, project = order.pop("file"), bytes.fromhex(order.pop("secret")), order["project"]
                net = Net(order.pop("me"), project["parties"], secret, **order)
                party = Party(net, project, None if file is None else own_records(project, net.me, file))
                answer = {"port": net.run(net.listen())}
            elif "addresses" in order:
                net.run(net.meet(order["addresses"]))
                party.start()
                answer = {"records": len(party.X)}
            elif order["do"] == "view":
                answer = {"book": [[*one[:3], one[4], one[5].hex()] for one in net.book]}
            else:
                answer = party.do(order["do"], order["with"])
        except PartyError as error:
            answer = {"fault": [error.party, error.why]}
        except (TypeError, ValueError) as error:
            answer = {"fault": ["", str(error)]}
        write(answers, answer)
