"""Trees from disguised records, 100,000 × 9 Quest at 100 % privacy: reconstruct, assign, grow and prune.

Beside scikit-learn's DecisionTreeClassifier on the same disguised array, Joint too; Local beside ByClass; ten times the
records.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from timing import best_times

from ppdm.data import QUEST_DOMAINS, quest
from ppdm.disguise import Disguise, GaussianNoise, UniformNoise
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier

TITLE = (
    "ReconstructedTreeClassifier against scikit-learn's tree on the same disguised array; ten times the records"
)
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
N = 100_000
REPEATS = 3

Records = tuple[np.ndarray, np.ndarray]


def channels(noise: type[UniformNoise] | type[GaussianNoise]) -> dict[int, UniformNoise | GaussianNoise]:
    """A channel at 100 % privacy for the position of each attribute."""
    return {place: noise.at_privacy(1.0, **domain) for place, domain in enumerate(QUEST_DOMAINS.values())}


def disguised(n: int, function: int, noise: type[UniformNoise] | type[GaussianNoise]) -> Records:
    """Disguised values as an array, and their groups."""
    X, y = quest(n, function, rng=function)
    disguise = Disguise(channels(noise), random_state=n + function)
    return disguise.fit_transform(X.to_numpy(dtype=float)), np.asarray(y)


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """Times of interleaved fits, best of several turns."""
    against, local = [], []
    for function in (2, 5):
        for noise in (UniformNoise, GaussianNoise):
            X, y = disguised(N, function, noise)
            models = [ReconstructedTreeClassifier(channels(noise), strategy) for strategy in ("byclass", "local")]
            models.append(DecisionTreeClassifier(random_state=0))
            times = best_times([lambda m=model, X=X, y=y: m.fit(X, y) for model in models], REPEATS)
            against.append(times[0] / times[2])
            local.append(times[1] / times[0])
            shown = f"{times[0]:.2f} s and {times[2]:.2f} s; Local {times[1]:.2f} s"
            yield f"ByClass, Function {function}, {noise.__name__}", against[-1], 0.6, shown
    yield "ByClass, geometric mean", float(np.exp(np.log(against).mean())), 0.6, f"{len(against)} tables"
    yield "Local to ByClass", max(local), 10.0, "worst of them"
    yield from together()
    yield from growth()


def together() -> Iterator[tuple[str, float, float | None, str]]:
    """Joint tries all pairs of attributes, and then one grid after the other.

    It stands beside scikit-learn's tree, because a ratio to ByClass would fall back whenever ByClass gets faster.
    """
    for function in (2, 5):
        for noise in (UniformNoise, GaussianNoise):
            X, y = disguised(N, function, noise)
            models = [
                ReconstructedTreeClassifier(channels(noise), "joint"),
                DecisionTreeClassifier(random_state=0),
            ]
            times = best_times([lambda m=model, X=X, y=y: m.fit(X, y) for model in models], 2)
            what = f"Joint, Function {function}, {noise.__name__}"
            yield what, float(times[0] / times[1]), 15.0, f"{times[0]:.2f} s and {times[1]:.2f} s"


def growth() -> Iterator[tuple[str, float, float | None, str]]:
    """The time for ten times the records over ten times the time: 1 where the cost is linear, which large tables show.

    Trees of equal depth, because more records grow larger trees.
    """
    before = None
    for size in SIZES:
        last = size == SIZES[-1]
        X, y = disguised(size, 2, GaussianNoise)
        model = ReconstructedTreeClassifier(channels(GaussianNoise), tree=GiniTreeClassifier(max_depth=8))
        seconds = float(best_times([lambda m=model, X=X, y=y: m.fit(X, y)], 2 if last else REPEATS)[0])
        if before is not None:
            yield (
                f"ByClass to depth 8, {size:,} records",
                seconds / before / 10,
                1.2 if last else None,
                f"{seconds:.2f} s",
            )
        before = seconds
