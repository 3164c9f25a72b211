"""Six trees from the same records, true or disguised: the strategies of AS00, and the joint reconstruction.

Records are drawn and disguised once for each state of the controls, and each tree is grown once: what is asked for
again is kept.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks
from ppdm.disguise import NOISES
from ppdm.trees import GiniTreeClassifier, Joint, ReconstructedTreeClassifier, Tree

from .records import GRIDS, Case, OwnData, people, plane_names, released

STRATEGIES = {
    "original": "Original",
    "randomized": "Randomized",
    "global": "Global",
    "byclass": "ByClass",
    "local": "Local",
    "joint": "Joint",
}
DRAWN, PLACES = 400, 120  # points in the plane, and places along each of its axes


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
    """The tree of a strategy; what it does not depend on does not make it grow anew."""
    if strategy == "original":
        case = replace(case, noise="uniform", privacy=100)
    return _grown(case, strategy)


@lru_cache(maxsize=512)
def _grown(case: Case, strategy: str) -> Grown:
    true = people(case.source, case.records, case.seed)
    model = classifier(case, strategy)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(true.X if strategy == "original" else released(case), true.y)
    said = "; ".join(dict.fromkeys(_plain(warning.message) for warning in caught))
    return Grown(model.tree_, float(model.score(true.test, true.group)), said)


def _plain(warning: Warning | str) -> str:
    """What a warning says, in plain words."""
    if isinstance(warning, ConvergenceWarning):
        return "some reconstructions were ended at their cap of steps, before they came to rest"
    return str(warning)


def classifier(case: Case, strategy: str) -> GiniTreeClassifier | ReconstructedTreeClassifier:
    """What is fitted: all numbers cut in as many intervals, and all trees pruned by the same prices."""
    if strategy == "joint":
        return ReconstructedTreeClassifier(case.channels, Joint(case.grid))
    if strategy not in ("original", "randomized"):
        return ReconstructedTreeClassifier(case.channels, strategy)  # type: ignore[arg-type]
    edges = {name: channel.true_bins(min(case.intervals, channel.most_bins)) for name, channel in case.channels.items()}
    if strategy == "randomized":
        edges = {name: channel.seen_bins(edges[name]) for name, channel in case.channels.items()}
    return GiniTreeClassifier({name: cuts[1:-1] for name, cuts in edges.items()})


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
    true, names = people(case.source, case.records, case.seed), list(case.plane)
    learnt = true.X if strategy == "original" else released(case)
    points = learnt[names].to_numpy(dtype=float)[:DRAWN]
    domain = np.array([case.domains[name][:2] for name in names], dtype=float).T
    low, high = (end(np.vstack([points, domain]), axis=0) for end in (np.min, np.max))
    across, up = np.linspace(low, high, PLACES).T
    decided = decisions(grown(case, strategy).tree, learnt, *case.plane, across, up)
    classes = true.y[:DRAWN].copy()
    for array in (across, up, decided, points, classes):
        array.setflags(write=False)
    return Plane(across, up, decided, points, classes)


def decisions(tree: Tree, X: pd.DataFrame, x: Any, y: Any, across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The number of the class that a tree decides for at places of a plane, a row for each place along y.

    The other attributes stay at their median in X, or at their most frequent value where they have none.
    """
    size = len(up) * len(across)
    typical = {
        name: column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0]
        for name, column in X.items()
    }
    places = pd.DataFrame({name: [value] * size for name, value in typical.items()}).astype(X.dtypes.to_dict())
    places[x], places[y] = np.tile(across, len(up)), np.repeat(up, len(across))
    return np.searchsorted(tree.classes, tree.predict(places)).reshape(len(up), len(across))


@dataclass(frozen=True, eq=False, repr=False)
class TreeView:
    """Trees from the same records: the chosen one, and as many others as there are by now.

    Attributes
    ----------
    case : which records
    strategy : whose tree and plane are shown
    trees : by strategy
    """

    case: Case
    strategy: str
    trees: Mapping[str, Grown]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {accuracy:.3f}" for name, accuracy in self.accuracies.items())
        return f"TreeView({shown})"

    @property
    def accuracies(self) -> dict[str, float]:
        """On true test records, in the order of the strategies."""
        return {name: self.trees[name].accuracy for name in STRATEGIES if name in self.trees}

    @property
    def tree(self) -> Tree:
        """The chosen one."""
        return self.trees[self.strategy].tree

    @property
    def plane(self) -> Plane:
        """What it decides."""
        return plane_of(self.case, self.strategy)

    @property
    def majority(self) -> float:
        """The share of the test records that are of the most frequent class of those to learn from."""
        return people(self.case.source, self.case.records, self.case.seed).majority

    @property
    def least(self) -> float | None:
        """The accuracy that ByClass and Local have at least, by the paper; None where it says nothing."""
        points = self.case.points
        return None if points is None else self.trees["original"].accuracy - points / 100


def tree_view(
    function: int = 1,
    noise: str = "uniform",
    privacy: int = 100,
    strategy: str = "byclass",
    records: int = 10_000,
    seed: int = 1,
    own: Any = None,
    plane: tuple[Any, Any] | None = None,
) -> TreeView:
    """All six trees, from the same records, true or disguised.

    Parameters
    ----------
    function : of AS00's Table 3, 1 to 5; with ``own`` it is not used
    noise : "uniform" or "Gaussian", on all attributes
    privacy : the privacy level at 95 % confidence, in per cent of the range, a whole number of 1 to 400
    strategy : whose tree and plane are shown: see ``TreeExplorer``
    records : to learn from, 100 to 1,000,000; at most two thirds of one's own
    seed : a whole number, 0 or more: another one draws other records and other noise
    own, plane : see ``TreeExplorer``

    >>> tree_view(function=1, privacy=25)
    TreeView(original 0.995, randomized 0.924, global 0.962, byclass 0.989, local 0.989, joint 0.995)
    """
    checks.choice("function", function, GRIDS)
    checks.choice("noise", noise, NOISES)
    checks.whole("privacy", privacy, 1, 400)
    checks.choice("strategy", strategy, STRATEGIES)
    checks.whole("records", records, 100, 1_000_000)
    checks.whole("seed", seed, 0)
    source = function if own is None else OwnData.of(own)
    case = Case(source, noise, privacy, records, seed, plane_names(source, plane))
    return TreeView(case, strategy, MappingProxyType({name: grown(case, name) for name in STRATEGIES}))
