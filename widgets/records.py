"""Records for the tree explorer: Quest's or one's own, true and as they are seen."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ppdm import checks
from ppdm.data import QUEST_DOMAINS, quest
from ppdm.disguise import NOISES, Disguise
from ppdm.disguise.noise import AdditiveNoise
from ppdm.reconstruct import papers_intervals

# What "joint" is told for each function: the attributes that it looks at; and where to find a grid for them would take
# seconds, one that 10,000 records do well with. (Its edges of the age are not the function's own, 40 and 60.)
GRIDS: dict[int, list[str] | dict[str, int]] = {
    1: ["age"],
    2: ["age", "salary"],
    3: {"age": 14, "elevel": 5, "salary": 12},
    4: {"salary": 12, "commission": 6, "loan": 12},
    5: {"salary": 6, "commission": 3, "loan": 6, "hvalue": 3, "hyears": 3},
}
OWN_INTERVALS = 12
TEST = 5_000  # records
FEWEST, MOST_CLASSES, MOST_STEPS = 30, 7, 1_000
OF_EACH = 3  # records of a class, so that one of them is held out, and one is among those to learn from


@dataclass(frozen=True, eq=False, repr=False)
class OwnData:
    """Records of one's own; their numbers are disguised, each on the range that it has."""

    X: pd.DataFrame
    y: np.ndarray

    @classmethod
    def of(cls, own: Any) -> Self:
        """The records, if they can be learnt from: a frame with two columns of numbers, and two classes or more."""
        if not isinstance(own, (tuple, list)) or len(own) != 2:
            raise TypeError(f"own is a {type(own).__name__}; expected a pair: a frame, and a class for each record")
        X, y = checks.frame("own[0]", own[0]), _labels(own[1])
        checks.same_length("own[0]", X, "own[1]", y)
        if len(X) < FEWEST:
            raise ValueError(f"own has {len(X)} records; expected at least {FEWEST}, a third of them to test on")
        _check_classes(y)
        if infer_dtype(X.columns) not in ("string", "integer"):
            raise TypeError(f"own[0] has the columns {list(X.columns)}; expected names that are all text")
        for name in X.columns:
            _check_column(name, X[name])
        found = cls(X.reset_index(drop=True).copy(), y.copy())
        if len(found.domains) < 2:
            raise ValueError(f"own[0] has {len(found.domains)} columns of numbers; expected two or more, for the plane")
        return found

    def __repr__(self) -> str:
        return f"OwnData({len(self.X):,} records, {len(self.domains)} of {len(self.X.columns)} columns are numbers)"

    @cached_property
    def domains(self) -> dict[Any, tuple[float, float, float | None]]:
        """The low, high and step of each number; whole numbers over a short range stay whole."""
        found: dict[Any, tuple[float, float, float | None]] = {}
        for name in [name for name, dtype in self.X.dtypes.items() if checks.is_number(dtype)]:
            low, high = float(self.X[name].min()), float(self.X[name].max())
            whole = self.X[name].dtype.kind in "iu" and high - low <= MOST_STEPS
            found[name] = (low, high, 1 if whole else None)
        return found


def _labels(y: Any) -> np.ndarray:
    """The class of each record, if all are of one kind: NumPy would take a list of text and numbers as text."""
    asked = np.asarray(y, dtype=object) if isinstance(y, (tuple, list)) else y
    labels = checks.labels("own[1]", asked)
    kind, expected = infer_dtype(labels), "classes that are all text, all whole numbers or all booleans"
    if kind not in ("string", "boolean", "integer", "floating", "mixed-integer-float"):
        several = "values of several kinds" if kind.startswith("mixed") else f"{kind} values"
        raise TypeError(f"own[1] holds {several}; expected {expected}")
    if "float" in kind and (labels.astype(float) % 1 != 0).any():
        raise ValueError(f"own[1] holds fractions; expected {expected}")
    return np.array(list(y))


def _check_classes(y: np.ndarray) -> None:
    """Nothing, if there are two classes or a few more, with enough records of each."""
    classes, counts = np.unique(y, return_counts=True)
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise ValueError(f"own[1] has {len(classes)} different classes; expected 2 to {MOST_CLASSES}")
    least = int(counts.argmin())
    if counts[least] < OF_EACH:
        number = "1 record" if counts[least] == 1 else f"{counts[least]} records"
        shown = classes.tolist()[least]
        raise ValueError(f"own[1] has {number} of the class {shown!r}; expected at least {OF_EACH} of each class")


def _check_column(name: Any, column: pd.Series) -> None:
    """Nothing, if a column can be disguised, or taken as it is."""
    if not checks.is_number(column.dtype):
        checks.none_missing(f"own[0][{name!r}]", column)
        kind = infer_dtype(column)
        if kind not in ("string", "boolean", "categorical"):
            expected = "numbers, text, booleans or a category dtype"
            raise TypeError(f"own[0][{name!r}] holds {kind} values; expected {expected}: convert it, or leave it out")
        return
    values = checks.vector(f"own[0][{name!r}]", column)
    if values.min() == values.max():
        raise ValueError(f"own[0][{name!r}] is always {values[0]:g}; expected two values or more: drop the column")


@dataclass(frozen=True)
class Case:
    """Which records, and how they are disguised.

    Attributes
    ----------
    source : a function of Quest's, 1 to 5, or records of one's own
    noise, privacy : "uniform" or "Gaussian", and the level in per cent
    records : to learn from; of one's own as many as there are, if that is fewer
    seed : of the draw and the noise
    plane : the two attributes that the plane shows; of one's own records they are also what "joint" takes together
    """

    source: int | OwnData
    noise: str
    privacy: int
    records: int
    seed: int
    plane: tuple[Any, Any]

    @property
    def function(self) -> int | None:
        """Quest's function; None for records of one's own."""
        return None if isinstance(self.source, OwnData) else self.source

    @property
    def domains(self) -> Mapping[Any, tuple[float, float, float | None]]:
        """The low, high and step of each attribute that is disguised."""
        if isinstance(self.source, OwnData):
            return self.source.domains
        return {name: (domain["low"], domain["high"], domain["step"]) for name, domain in QUEST_DOMAINS.items()}

    @cached_property
    def channels(self) -> dict[Any, AdditiveNoise]:
        """A channel for each of them, all at one level."""
        kind, level = NOISES[self.noise], self.privacy / 100
        return {
            name: kind.at_privacy(level, low=low, high=high, step=step)
            for name, (low, high, step) in self.domains.items()
        }

    @property
    def grid(self) -> list[Any] | dict[Any, int]:
        """The attributes that "joint" is told to take together; where it has not to find them, with their intervals.

        They are no more than the attributes are cut in.
        """
        told = dict.fromkeys(self.plane, OWN_INTERVALS) if self.function is None else GRIDS[self.function]
        return {name: min(number, self.intervals) for name, number in told.items()} if isinstance(told, dict) else told

    @property
    def intervals(self) -> int:
        """How many the paper cuts an attribute in, with as many records as there are to learn from."""
        return papers_intervals(len(people(self.source, self.records, self.seed).X))

    @property
    def open(self) -> list[Any]:
        """The attributes that are released as they are."""
        known = self.source.X.columns if isinstance(self.source, OwnData) else QUEST_DOMAINS
        return [name for name in known if name not in self.domains]

    @property
    def kept(self) -> dict[Any, float]:
        """The share of the values of each disguised attribute that are released as they are."""
        true, seen = people(self.source, self.records, self.seed).X, released(self)
        return {name: float((seen[name] == true[name]).mean()) for name in self.domains}

    @property
    def points(self) -> int | None:
        """How near to Original ByClass and Local are, in points, by AS00 §5.2; None where it says nothing.

        "Very close", at 25 and 50 %, is read as 5 points.
        """
        if self.function is None or self.privacy not in (25, 50, 100):
            return None
        return 15 if self.privacy == 100 and self.function in (2, 3) else 5


@dataclass(frozen=True, eq=False)
class People:
    """True records to learn from and to test on, and the chance that goes on with their noise."""

    X: pd.DataFrame
    y: np.ndarray
    test: pd.DataFrame
    group: np.ndarray
    rng: np.random.Generator

    @cached_property
    def majority(self) -> float:
        """The share of the test records that are of the most frequent class of those to learn from."""
        classes, counts = np.unique(self.y, return_counts=True)
        return float(np.mean(self.group == classes[counts.argmax()]))


@lru_cache(maxsize=8)
def people(source: int | OwnData, records: int, seed: int) -> People:
    """Records of a function, half of each group; or of one's own, a third of each class to test on."""
    rng = np.random.default_rng(seed)
    if isinstance(source, OwnData):
        rows, held = _parted(source.y, records, rng)
        return People(source.X.iloc[rows], source.y[rows], source.X.iloc[held], source.y[held], rng)
    X, y = quest(records, source, rng=rng)
    test, group = quest(TEST, source, rng=rng)
    return People(X, np.asarray(y), test, np.asarray(group), rng)


def _parted(labels: np.ndarray, records: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The places of so many records to learn from, at least one of each class, and of a third of each class."""
    order = rng.permutation(len(labels))
    classes = pd.Series(order).groupby(labels[order])
    rank, third = classes.cumcount().to_numpy(), classes.transform("size").to_numpy() // 3
    return np.r_[order[rank == third], order[rank > third]][:records], order[rank < third]


@lru_cache(maxsize=8)
def released(case: Case) -> pd.DataFrame:
    """What is seen of the records to learn from."""
    true = people(case.source, case.records, case.seed)
    return Disguise(case.channels, random_state=copy.deepcopy(true.rng)).fit_transform(true.X)


def plane_names(source: int | OwnData, plane: Any) -> tuple[Any, Any]:
    """Two attributes that are disguised: the given ones, or (age, salary), or the first two numbers of one's own."""
    known = list(source.domains) if isinstance(source, OwnData) else list(QUEST_DOMAINS)
    if plane is None:
        return (known[0], known[1]) if isinstance(source, OwnData) else ("age", "salary")
    if isinstance(plane, str) or not isinstance(plane, (tuple, list)) or len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"plane is {plane!r}; expected two different columns, of {', '.join(map(repr, known))}")
    for name in plane:
        checks.choice("plane", name, known, hint="columns of numbers")
    return plane[0], plane[1]
