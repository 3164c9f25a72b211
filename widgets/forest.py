"""Records of one of Quest's functions or your own, and six trees from them: AS00's strategies, and "joint".

Records are drawn and disguised once for each state of the controls, and each tree is grown once: both are kept.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks
from ppdm.data import QUEST_DOMAINS
from ppdm.studies import as00
from ppdm.trees import Joint, ReconstructedTreeClassifier, Tree

from .own import OwnRecords

STRATEGIES = {name.lower(): name for name in ("Original", "Randomized", "Global", "ByClass", "Local", "Joint")}
DRAWN, PLACES = 400, 120  # points in the plane, and places along each of its axes
# What "joint" is given for each function: the attributes that the function looks at. Where a search for a grid would
# take seconds, also numbers of intervals that do well with 10,000 records. (Its edges of the age are not the function's
# own, 40 and 60.)
GRIDS: dict[int, list[str] | dict[str, int]] = {
    1: ["age"],
    2: ["age", "salary"],
    3: {"age": 14, "elevel": 5, "salary": 12},
    4: {"salary": 12, "commission": 6, "loan": 12},
    5: {"salary": 6, "commission": 3, "loan": 6, "hvalue": 3, "hyears": 3},
}
OWN_INTERVALS = 12


@dataclass(frozen=True)
class Case:
    """Which records, and how they are disguised.

    Attributes
    ----------
    source : a function of Quest's, 1 to 5, or your own records
    noise, privacy : "uniform" or "Gaussian", and the level in per cent
    records : to learn from; at most two thirds of your own
    seed : of the draw and the noise
    plane : the two attributes that the plane shows; of your own records they are also what "joint" takes together
    """

    source: int | OwnRecords
    noise: str
    privacy: int
    records: int
    seed: int
    plane: tuple[Any, Any]

    @property
    def function(self) -> int | None:
        """Quest's function; None for your own records."""
        return None if isinstance(self.source, OwnRecords) else self.source

    @property
    def study(self) -> as00.Study:
        """The records, true and as they are seen."""
        return _study(replace(self, plane=(None, None)))

    @property
    def grid(self) -> list[Any] | dict[Any, int]:
        """What "joint" is given: attributes, and where it shall not search, their numbers of intervals."""
        return dict.fromkeys(self.plane, OWN_INTERVALS) if self.function is None else GRIDS[self.function]

    @property
    def points(self) -> int | None:
        """How near to Original ByClass and Local are, in points, by AS00 §5.2; None where it says nothing.

        "Very close", at 25 and 50 %, is read as 5 points.
        """
        if self.function is None or self.privacy not in (25, 50, 100):
            return None
        return 15 if self.privacy == 100 and self.function in (2, 3) else 5


@lru_cache(maxsize=8)
def _study(case):
    rng, level = np.random.default_rng(case.seed), case.privacy / 100
    if isinstance(case.source, int):
        return as00.study(case.source, case.noise, level, rng, case.records)
    channels = as00.channels_at(case.noise, level, case.source.domains)
    return as00.Study.held_out(case.source.X, case.source.y, channels, rng, case.records)


def plane_names(source: int | OwnRecords, plane) -> tuple[Any, Any]:
    """Two attributes that are disguised: the given ones, or (age, salary), or the first two numbers of your own."""
    known = list(source.domains if isinstance(source, OwnRecords) else QUEST_DOMAINS)
    if plane is None:
        return (known[0], known[1]) if isinstance(source, OwnRecords) else ("age", "salary")
    if isinstance(plane, str) or not isinstance(plane, (tuple, list)) or len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"plane is {plane!r}; expected two different columns, of {', '.join(map(repr, known))}")
    for name in plane:
        checks.choice("plane", name, known, hint="these are columns of numbers")
    return plane[0], plane[1]


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree.

    Attributes
    ----------
    tree : that was grown
    accuracy : on true test records
    said : what the fit warned of, in plain words; empty: nothing
    """

    tree: Tree
    accuracy: float
    said: str = ""


def grown(case: Case, strategy: str) -> Grown:
    """The tree of a strategy; it is grown anew only where something changes on which it depends."""
    if strategy == "original":  # it never sees the noise
        case = replace(case, noise="uniform", privacy=100)
    return _grown(case, strategy)


@lru_cache(maxsize=512)
def _grown(case, strategy):
    run = case.study
    if strategy in ("original", "randomized"):
        model = getattr(as00, strategy)(run.channels, len(run.X))
    else:
        how = Joint(case.grid) if strategy == "joint" else strategy
        model = ReconstructedTreeClassifier(run.channels, how)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        accuracy = run.accuracy(model, seen=strategy != "original")
    capped = "some reconstructions were ended at their cap of steps, before they came to rest"
    said = [capped if issubclass(one.category, ConvergenceWarning) else str(one.message) for one in caught]
    return Grown(model.tree_, accuracy, "; ".join(dict.fromkeys(said)))


def code_of(case: Case, strategy: str) -> str:
    """The lines that grow the tree of a strategy and score it; your own records are the pair ``own``."""
    noise, level, rng = repr(case.noise), case.privacy / 100, f"np.random.default_rng({case.seed})"
    if isinstance(case.source, OwnRecords):
        drawn = f"""\
X, y = own
channels = as00.channels_at({noise}, {level}, {case.source.domains})
run = as00.Study.held_out(X, y, channels, {rng}, {case.records})
"""
    else:
        drawn = f"run = as00.study({case.source}, {noise}, {level}, {rng}, {case.records})\n"
    if strategy in ("original", "randomized"):
        model, imported = f"as00.{strategy}(run.channels, len(run.X))", ""
    else:
        told = f"Joint({case.grid!r})" if strategy == "joint" else repr(strategy)
        model = f"ReconstructedTreeClassifier(run.channels, {told})"
        imported = "from ppdm.trees import Joint, ReconstructedTreeClassifier\n"
    seen = ", seen=False" if strategy == "original" else ""
    return f"import numpy as np\nfrom ppdm.studies import as00\n{imported}\n{drawn}run.accuracy({model}{seen})"


@dataclass(frozen=True, eq=False)
class Plane:
    """What a tree decides over the plane of two attributes, the others at their median.

    Attributes
    ----------
    across, up : the places along both axes
    decided : the number of the class at each place, a row for each place of ``up``
    points, classes : records that the tree learnt from, and the class of each
    """

    across: np.ndarray
    up: np.ndarray
    decided: np.ndarray
    points: np.ndarray
    classes: np.ndarray


@lru_cache(maxsize=64)
def plane_of(case: Case, strategy: str) -> Plane:
    """The plane of a strategy's tree; it spans the true domain and the points."""
    names = list(case.plane)
    learnt = case.study.X if strategy == "original" else case.study.seen
    points = learnt[names].to_numpy(dtype=float)[:DRAWN]
    channels = [case.study.channels[name] for name in names]
    spanned = np.vstack([points, [channel.low for channel in channels], [channel.high for channel in channels]])
    low, high = spanned.min(axis=0), spanned.max(axis=0)
    across, up = np.linspace(low, high, PLACES).T
    decided = _decisions(grown(case, strategy).tree, learnt, names, across, up)
    classes = np.array(case.study.y)[:DRAWN]
    for array in (across, up, decided, points, classes):
        array.setflags(write=False)
    return Plane(across, up, decided, points, classes)


def _decisions(tree, X, names, across, up):
    """The number of the class that a tree decides for at places of a plane, a row for each place along y.

    The other attributes stay at their median in X, or at their most frequent value where they have none.
    """
    places = pd.DataFrame(dict.fromkeys(X, 0.0), index=range(len(up) * len(across)))
    for name, column in X.items():
        if name not in names:
            typical = column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0]
            places[name] = pd.Series([typical] * len(places)).astype(column.dtype)
    places[names[0]], places[names[1]] = np.tile(across, len(up)), np.repeat(up, len(across))
    return np.searchsorted(tree.classes, tree.predict(places)).reshape(len(up), len(across))


@dataclass(frozen=True, eq=False, repr=False)
class TreeView:
    """Trees from the same records: the chosen one, and the others that are ready.

    Attributes
    ----------
    case : which records
    strategy : whose tree and plane are shown
    trees : by strategy
    """

    case: Case
    strategy: str
    trees: Mapping[str, Grown]

    @property
    def accuracies(self) -> dict[str, float]:
        """On true test records, in the order of the strategies."""
        return {name: self.trees[name].accuracy for name in STRATEGIES if name in self.trees}

    @property
    def tree(self) -> Tree:
        """The chosen one."""
        return self.trees[self.strategy].tree

    @property
    def majority(self) -> float:
        """The share of the test records that are of the most frequent class of those to learn from."""
        study = self.case.study
        return float((study.test_y == study.y.mode()[0]).mean())

    @property
    def least(self) -> float | None:
        """The accuracy that ByClass and Local have at least, by the paper; None where it says nothing."""
        points = self.case.points
        return None if points is None else self.trees["original"].accuracy - points / 100
