"""Parties that pool nothing, at full scale (Vaidya & Clifton 2004): what notebook 05 runs small, and quotes in full.

Here all records lie in one process. What parties open follows from sums, and is the same in any case: the tests compare
it with what processes of their own open.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Barrier
from typing import Any

import numpy as np
import pandas as pd

from ppdm import randomness
from ppdm.data import QUEST_DOMAINS, load, quest
from ppdm.information import people_in
from ppdm.reconstruct import Attribute
from ppdm.studies.as00 import TEST, original, study
from ppdm.tables import EstimatedTable
from ppdm.trees import ReconstructedTreeClassifier, Stop, grow

SEED = 2004
RECORDS, INTERVALS = 30_000, 20
PARTIES, WITHSTOOD = 3, 1  # how many parties there are, and how many of them may put together what they saw
# As texts, so that a table of results keeps them.
DEPTHS = {"depth 2": 2, "depth 4": 4, "depth 6": 6, "depth 8": 8, "to purity": None}
EPSILONS = [0.25, 0.5, 1.0, 2.0, 4.0]  # of a whole tree
DELTA = 1e-5  # of the local disguise by Gaussian noise, which is private in this weaker sense only
SMALL = 10  # smaller counts are told apart


def attributes() -> list[Attribute]:
    """The nine attributes, cut as parties cut them: equally in their public domains, or one interval a value."""
    found = []
    for name, domain in QUEST_DOMAINS.items():
        low, high, step = domain.values()
        edges = np.linspace(low, high, INTERVALS + 1)[1:-1]
        found.append(Attribute.numeric(name, edges if step is None else np.arange(low + step / 2, high, step)))
    return found


def coded(X: pd.DataFrame, y: pd.Series) -> EstimatedTable:
    """The records of all parties, as one table."""
    return EstimatedTable.from_records(attributes(), X, y, ["A", "B"])


@dataclass(eq=False)
class Opened:
    """The rows of all parties in one process, and a list of the histograms that they would open.

    Parameters
    ----------
    own : all rows
    noise : what the parties add to numbers of a shape, all together; None: nothing
    first : how many rows the first party has: the first ones. It can take them off from what is opened.
    """

    own: EstimatedTable
    noise: Callable[[tuple], np.ndarray] | None = None
    first: int = 0
    histograms_of_all: list = field(default_factory=list)
    histograms_of_others: list = field(default_factory=list)
    has_missing = False

    @property
    def attributes(self) -> Sequence[Attribute]:
        """What the codes of each attribute mean."""
        return self.own.attributes

    @property
    def classes(self) -> np.ndarray:
        """The class labels."""
        return self.own.classes

    @property
    def has_negative(self) -> bool:
        """Whether counts can be below 0."""
        return self.noise is not None

    def root(self) -> Any:
        """The level that holds all rows in one node."""
        level = self.own.root()
        return replace(level, class_weights=self._noisy(level.class_weights))

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value."""
        found = self._noisy(self.own.histograms(level))
        self.histograms_of_all.append(found.copy())
        if self.first:
            others = level.rows >= self.first
            rest = replace(level, rows=level.rows[others], node=level.node[others])
            self.histograms_of_others.append(self.own.histograms(rest))
        return found

    def descend(self, level, splits) -> Any:
        """The level below, whose weights follow from the histograms."""
        return replace(self.own.descend(level, splits), class_weights=splits.class_weights)

    def _noisy(self, numbers):
        return numbers if self.noise is None else numbers + self.noise(numbers.shape)


def opened(function: int, min_records: int, depth: str, rng: np.random.Generator) -> dict[str, float]:
    """What three parties open who grow a tree from 30,000 records.

    - nodes, levels: of the tree
    - sums, numbers: how many sums are opened, and how many numbers in all; "ones" and "small" (1 to 9) among them
    - people: how many can be read off with all nine values and their class
    - others: how many of the others the first party reads, which takes off what it added
    """
    X, y = quest(RECORDS, function, rng=rng)
    table = Opened(coded(X, y), first=RECORDS // PARTIES)
    tree = grow(table, stop=Stop(min_records=min_records, max_depth=DEPTHS[depth]))
    numbers = np.concatenate([one.ravel() for one in (tree.counts[0], *table.histograms_of_all)])
    widths = [one.n_values for one in table.attributes]
    return {
        "nodes": len(tree.attribute),
        "levels": tree.depth,
        "sums": 1 + len(table.histograms_of_all),
        "numbers": numbers.size,
        "ones": int((numbers == 1).sum()),
        "small": int(((numbers > 0) & (numbers < SMALL)).sum()),
        "people": len(people_in(table.histograms_of_all, widths)),
        "others": len(people_in(table.histograms_of_others, widths)),
    }


def private(table: EstimatedTable, epsilon: float, depth: int, rng: np.random.Generator) -> Opened:
    """The table of parties who all add noise: a tree of this depth is ε-differentially private for each record.

    A record stands in one cell of the classes, and in one of each attribute's histogram at each level. The promise
    holds towards as many parties together, too, as the engine withstands.
    """
    each = epsilon / (1 + len(table.attributes) * depth)

    def noise(shape) -> np.ndarray:
        parts = (randomness.part_of_noise(shape, each, PARTIES - WITHSTOOD, rng) for _ in range(PARTIES))
        return sum(parts, np.zeros(shape, np.int64))

    return Opened(table, noise)


def noise(function: int, records: int, depth: int, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on true test records of trees of parties who all add noise, and of the tree without noise."""
    X, y = quest(records, function, rng=rng)
    test, test_y = quest(TEST, function, rng=rng)
    table = coded(X, y)
    stop = Stop(max_depth=depth)
    trees = {"no noise": grow(table, stop=stop)}
    for epsilon in EPSILONS:
        trees[f"ε = {epsilon:g}"] = grow(private(table, epsilon, depth, rng), stop=stop)
    return {name: float((tree.predict(test) == test_y).mean()) for name, tree in trees.items()}


def disguised(
    function: int, records: int, noise: str, level: float, rng: np.random.Generator
) -> dict[str, float]:
    """Accuracy by class (AS00) on the records of ``noise``, where every person disguises the own record.

    - original: of the tree from true records, in the same intervals
    - 1/epsilon: of one attribute, at δ = 1e-5; 0 where no ε holds, because some values rule others out
    """
    run = study(function, noise, level, rng, records)
    return {
        "byclass": run.accuracy(ReconstructedTreeClassifier(run.channels)),
        "original": run.accuracy(original(run.channels, records), seen=False),
        "1/epsilon": 1 / run.channels["age"].epsilon(DELTA),
    }


def three_clinics(seed: int = 2) -> tuple[pd.DataFrame, pd.Series, dict[str, tuple[pd.DataFrame, pd.Series]]]:
    """The patients of WBC without a missing grade, their diagnoses; and both as three clinics hold them, by name."""
    wbc = load("wbc")
    patients = wbc.X.dropna().astype(int)
    diagnoses = wbc.y[patients.index]
    names = ["Ash", "Birch", "Cedar"]
    where = np.random.default_rng(seed).choice(names, len(patients), p=[0.6, 0.3, 0.1])
    return patients, diagnoses, {name: (patients[where == name], diagnoses[where == name]) for name in names}


def table_of(patients: pd.DataFrame, diagnoses: pd.Series) -> EstimatedTable:
    """The table that ``grow`` asks: a value for each grade, and both diagnoses."""
    grades = [Attribute.numeric(name, np.arange(1.5, 10)) for name in patients]
    return EstimatedTable.from_records(grades, patients, diagnoses, ["benign", "malignant"])


def root_counts(table: EstimatedTable) -> np.ndarray:
    """How many patients of a diagnosis have each grade of each property: the histograms of the root, as words."""
    return table.histograms(table.root()).reshape(2, 9, 10).astype(np.uint64)


def in_step(parties: Sequence[str], job: Callable[[str, Callable], Any]) -> dict[str, Any]:
    """Let threads play the parties: what ``job(name, total)`` returns, where ``total`` adds up what all parties say."""
    said: dict[str, Any] = {}
    meeting = Barrier(len(parties))

    def play(name) -> Any:
        def total(numbers) -> Any:
            said[name] = numbers
            meeting.wait()  # until all have said theirs
            found = sum(said[party] for party in parties)
            meeting.wait()  # until all have added
            return found

        try:
            return job(name, total)
        except BaseException:
            meeting.abort()  # so that the others do not wait for ever
            raise

    with ThreadPoolExecutor(len(parties)) as threads:
        return dict(zip(parties, threads.map(play, parties)))
