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
from ppdm.studies import as00
from ppdm.trees import Joint, ReconstructedTreeClassifier, Tree

from .cases import GRIDS, Case, plane_names
from .own import OwnRecords

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
    run = case.study
    if strategy in ("original", "randomized"):
        model: Any = getattr(as00, strategy)(run.channels, len(run.X))
    else:
        how: Any = Joint(case.grid) if strategy == "joint" else strategy
        model = ReconstructedTreeClassifier(run.channels, how)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        accuracy = run.accuracy(model, seen=strategy != "original")
    capped = "some reconstructions were ended at their cap of steps, before they came to rest"
    said = [capped if issubclass(warning.category, ConvergenceWarning) else str(warning.message) for warning in caught]
    return Grown(model.tree_, accuracy, "; ".join(dict.fromkeys(said)))


def code_of(case: Case, strategy: str) -> str:
    """The lines that grow the tree of a strategy and score it; records of one's own are the pair ``own``."""
    noise, level, rng = repr(case.noise), case.privacy / 100, f"np.random.default_rng({case.seed})"
    if case.function is None:
        drawn = f"""\
X, y = own
channels = as00.channels_at({noise}, {level}, {dict(case.domains)})
run = as00.Study.held_out(X, y, channels, {rng}, {case.records})
"""
    else:
        drawn = f"run = as00.study({case.function}, {noise}, {level}, {rng}, {case.records})\n"
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
    domain = np.array([[case.domains[name][end] for name in names] for end in ("low", "high")], dtype=float)
    low, high = (end(np.vstack([points, domain]), axis=0) for end in (np.min, np.max))
    across, up = np.linspace(low, high, PLACES).T
    decided = _decisions(grown(case, strategy).tree, learnt, names, across, up)
    classes = np.array(case.study.y)[:DRAWN]
    for array in (across, up, decided, points, classes):
        array.setflags(write=False)
    return Plane(across, up, decided, points, classes)


def _decisions(tree: Tree, X: pd.DataFrame, names: list[Any], across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The number of the class that a tree decides for at places of a plane, a row for each place along y.

    The other attributes stay at their median in X, or at their most frequent value where they have none.
    """
    typical = {
        name: column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0]
        for name, column in X.items()
        if name not in names
    }
    places = pd.DataFrame(dict.fromkeys(X, 0.0), index=range(len(up) * len(across)))
    for name, value in typical.items():
        places[name] = pd.Series([value] * len(places)).astype(X[name].dtype)
    places[names[0]], places[names[1]] = np.tile(across, len(up)), np.repeat(up, len(across))
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
        classes, counts = np.unique(self.case.study.y, return_counts=True)
        return float(np.mean(self.case.study.test_y == classes[counts.argmax()]))

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
    source = function if own is None else OwnRecords.of(own)
    case = Case(source, noise, privacy, records, seed, plane_names(source, plane))
    return TreeView(case, strategy, MappingProxyType({name: grown(case, name) for name in STRATEGIES}))
