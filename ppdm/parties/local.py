"""Parties as processes on this machine: started from a notebook, told what to do, and gone when the notebook is."""

import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import PrivacyWarning
from ppdm.parties.children import Children
from ppdm.parties.jobs import INTERVALS, rules_job, tree_job
from ppdm.parties.project import project_of
from ppdm.parties.tables import people, revealed
from ppdm.parties.wires import BYTE, MAX_NUMBERS, WORD
from ppdm.reconstruct import Attribute
from ppdm.trees import Stop, Tree

NEEDED = "mpyc", "gmpy2", "cryptography"
SMALL = 10  # smaller counts are told apart in what was opened
SCALE = 1 << 20  # fractions travel as whole numbers of 2^-20


class Session:
    """Parties that mine together, each in a process of its own, within a ``with`` statement: see ``local``.

    Attributes
    ----------
    project, records : what all parties know, and how many records each takes part with
    attributes : what the codes of each column mean, as the parties agreed for the last tree
    openings : what all learned from the last job: pairs of what it is, and the numbers
    bytes, cpu : what each party sent in the last job, and how many seconds its processor worked
    spent : the ε of all trees so far
    """

    def __init__(self, project, files, limit, latency, budget) -> None:
        self.project = project
        self.records: dict = {}
        self.attributes: list[Attribute] = []
        self.openings: list = []
        self.bytes, self.cpu, self.spent = dict[str, int](), dict[str, float](), 0.0
        self._files, self._budget = files, budget
        self._children = Children(project, limit, latency)
        self._processes = self._children.processes  # by name

    def __repr__(self):
        names = ", ".join(self.project["parties"])
        return f"Session({names}: {self.project['held']}, {self.project['engine']!r})"

    def __enter__(self) -> Self:
        self.records = self._children.start(self._files)
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._children.end()

    def sum(self, values: Mapping[str, Sequence]) -> np.ndarray:
        """Add up a list of numbers of each party: whole numbers exactly, others to 2^-20."""
        if self.project["engine"] == "commodity":
            raise ValueError("engine is 'commodity', by which two multiply; expected another one, to add up")
        left = self._processes or self.project["sites"]
        sites = [name for name in self.project["sites"] if name in left]
        if set(checks.mapping("values", values)) != set(sites):
            raise ValueError(f"values names {list(values)}; expected a list of numbers for each of {sites}")
        vectors = {name: checks.vector(f"values of {name!r}", values[name]) for name in sites}
        for name, one in vectors.items():
            checks.same_length(f"values of {name!r}", one, f"values of {sites[0]!r}", vectors[sites[0]])
        table = np.array([*vectors.values()])
        checks.cells("the vector of a party", table.shape[1:], MAX_NUMBERS)
        scale = 1 if (table == np.rint(table)).all() else SCALE
        if not (most := np.abs(table).max()) * scale * len(sites) < 2**60:
            raise ValueError(f"values reach {most:g}; expected sums below 2^60, or 2^40 of fractions")
        words = dict(zip(vectors, np.rint(table * scale).astype(np.int64).tolist()))
        self._do("sum", {name: {"values": words[name]} if name in words else {} for name in self._processes})
        found = self.openings[0][1]
        return found if scale == 1 else found / scale

    def tree(
        self,
        criterion: Literal["gini", "gain"] = "gini",
        stop: Stop | None = None,
        nominal: Literal["binary", "multiway"] = "binary",
        opens: Literal["histograms", "tree"] = "histograms",
        intervals: int | Mapping = INTERVALS,
        cuts: Literal["widths", "counts"] = "widths",
        epsilon: float | None = None,
        channels=None,
        strategy: Literal["byclass", "global", "joint"] = "byclass",
    ) -> Tree:
        """The tree that ``grow`` grows from the records of all parties, which nobody brings together.

        If it takes long, a bar shows how far it is (see ``blocks.bar``).

        Parameters
        ----------
        criterion, stop, nominal : as in ``trees.grow``
        opens : what all learn. "histograms": the class counts of each value in each node, which show records where
            nodes are small. "tree": only the tree with its class counts; by gini, for rows, with engine "shamir"
        intervals : of each number; a dict gives, for some columns, the number or the cuts
        cuts : where the others are cut: "widths" divides their public domains equally; "counts" the records of all in
            about equal parts, by a sum of counts in a fine grid
        epsilon : all parties add noise to their counts, so that the tree is ε-differentially private for each record:
            towards as many parties together, too, as the engine withstands. Class labels are taken as public.
        channels : what disguised the records: a dict of channels by column, or the GroupedResponse of all columns
        strategy : how disguised numbers are reconstructed: "byclass" or "global" each alone, "joint" those of
            ``channels`` together, in each class, without any other columns
        """
        words = {"criterion": criterion, "nominal": nominal, "opens": opens, "cuts": cuts, "strategy": strategy}
        job = tree_job(self.project, stop, intervals, epsilon, channels, **words)
        self._spend(epsilon)
        # What is opened: the classes, the histograms of each level, and those of the fine grid.
        depth = job["stop"]["max_depth"]
        steps = None if depth is None else 1 + depth + (cuts == "counts")
        found = self._do("tree", dict.fromkeys(self._processes, job), steps)
        self.attributes = [Attribute(**one) for one in found["attributes"]]
        if epsilon is None:
            for message in revealed(self.openings, self.attributes, self.project):
                warnings.warn(message, PrivacyWarning, stacklevel=2)
        return Tree.from_json(found["tree"])

    def itemsets(self, min_support: float, most_items: int | None = None) -> pd.DataFrame:
        """The frequent sets of items in the transactions of all parties: see ``patterns.frequent_itemsets``."""
        return self._rules(min_support, None, most_items)

    def rules(self, min_support: float, min_confidence: float, most_items: int | None = None) -> pd.DataFrame:
        """The association rules in the transactions of all parties: see ``patterns.association_rules``."""
        return self._rules(min_support, checks.number("min_confidence", min_confidence, "[0, 1]"), most_items)

    @property
    def opened(self) -> pd.DataFrame:
        """What all learned from the last job: a row for each sum, how many numbers it has, and how many small ones."""
        few = f"1 to {SMALL - 1}"
        rows = [
            (what, one.size, (one == 1).sum(), ((one > 0) & (one < SMALL)).sum()) for what, one in self.openings
        ]
        return pd.DataFrame(rows, columns=["what", "numbers", "ones", few])

    def people(self) -> pd.DataFrame:
        """Whom the histograms of the last tree show whole: who is alone of a class in a node is so in each of them."""
        return people(self.openings, self.attributes, self.project["classes"])

    def view(self, party: str) -> pd.DataFrame:
        """All messages of a party since the start: in which step, which way, with whom, their bytes and their words."""
        checks.choice("party", party, list(self._processes) or self.project["parties"])
        book = self._children.ask("view", {party: {}})[party]["book"]
        words = [np.frombuffer(bytes.fromhex(one.pop()), BYTE if one[3] % 8 != 4 else WORD) for one in book]
        table = pd.DataFrame(book, columns=["step", "way", "party", "bytes"])
        return table.assign(words=pd.Series(words, dtype=object))

    def _rules(self, min_support, min_confidence, most_items):
        self._spend(None)  # counts of sets have no noise
        job = rules_job(self.project, min_support, min_confidence, most_items)
        found = self._do("rules", dict.fromkeys(self._processes, job), None)
        sets = ("items", "if", "then")
        return pd.DataFrame({name: [*map(tuple, one)] if name in sets else one for name, one in found.items()})

    def _spend(self, epsilon):
        # What is left is a sum of floats: its last digits do not count.
        if self._budget is not None and not (epsilon or np.inf) <= (left := self._budget - self.spent) + 1e-9:
            raise ValueError(f"epsilon is {epsilon}, and of the budget {left:g} is left; expected at most that")
        self.spent += epsilon or 0.0

    def _do(self, job, arguments, steps=0):
        """Let the processes do a job; keep what it opened and cost."""
        orders = {name: {"job": job, "given": own} for name, own in arguments.items()}
        answers = self._children.ask("work", orders, steps)
        if lost := [name for name in orders if name not in answers]:
            warnings.warn(f"{', '.join(lost)} lost: what was opened is of the others alone", stacklevel=3)
        self.bytes = {name: answer["bytes"] for name, answer in answers.items()}
        self.cpu = {name: answer["cpu"] for name, answer in answers.items()}
        first = next(answers[name] for name in self.project["sites"] if name in answers)
        self.openings = [(what, np.array(numbers)) for what, numbers in first["opened"]]
        return first["found"]


def local(
    parties: Mapping[str, Any],
    engine: Literal["shamir", "ring", "additive", "mixer", "masks", "commodity"] | None = None,
    domains: Mapping | None = None,
    align: bool = True,
    limit: float = 60.0,
    latency: float = 0.0,
    budget: float | None = None,
) -> Session:
    """Let parties mine together that pool nothing, each in a process of its own on this machine (VC04).

    Parameters
    ----------
    parties : by name, what each holds. Rows held apart: (X, y), with the same columns; X alone for transactions; None
        for a party that holds nothing and computes only. Columns held apart: X, with columns that no other has, and
        (X, y) for the one that has the classes; the index tells whose record it is.
    engine : rows: "shamir" (of m parties, fewer than m / 2 may put together what they saw), "ring" (one), "additive"
        (all but two), "mixer" (all but two, but none with the mixer) or "masks" (m // 2, with the server); columns:
        "commodity" for two holders and a helper, "shamir" for three or more. None: the first of these that fits
    domains : by column, what is public of it: (low, high) or (low, high, step) of a number, else the categories. Of
        other columns all parties are told which range and which categories there are.
    align : whether holders of columns find out which ids they have in common; False: row i is the same person for all
    limit : seconds for which a party that is waited for may be silent
    latency : seconds by which every message is delayed
    budget : the ε that all trees together may spend; None: no bound

    >>> with local({"a": None, "b": None, "c": None}, engine="ring") as session:  # doctest: +SKIP
    ...     session.sum({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    array([ 9, 12])
    """
    if lacking := [name for name in NEEDED if not find_spec(name)]:
        way_out = 'expected an installation by: pip install "ppdm[parties]"'
        raise ImportError(f"parties need {', '.join(lacking)}; {way_out}")
    limit, latency = checks.number("limit", limit, "(0, 1e6]"), checks.number("latency", latency, "[0, 60]")
    if budget is not None:
        budget = checks.number("budget", budget, "(0, inf)")
    given = checks.mapping("parties", parties)
    domains = {} if domains is None else checks.of_type("domains", domains, Mapping, "a dict")
    return Session(*project_of(given, engine, domains, checks.flag("align", align)), limit, latency, budget)
