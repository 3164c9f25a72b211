"""A tree on 100,000 × 9 Quest records: our fit, binning included, beside scikit-learn's and LightGBM's.

Ours is pruned by description length, at the prices for true records; scikit-learn's grows to the end, its default.
"""

import tracemalloc
from collections.abc import Iterator

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from timing import best_times

from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import GaussianNoise
from ppdm.trees import GiniTreeClassifier, Mdl

try:
    from lightgbm import LGBMClassifier
except (ImportError, OSError):  # its wheel needs the system's OpenMP library
    LGBMClassifier = None

TITLE = "Growing a tree, binning included, against scikit-learn's DecisionTreeClassifier"
N, N_TEST = 100_000, 50_000
FUNCTIONS = (1, 2, 4, 5)
REPEATS = 3
SLIQ = Mdl("constant", "errors")  # the prices for true records: the default prunes harder, for noise

Records = tuple[np.ndarray, np.ndarray]


def disguised(X: np.ndarray, rng: int) -> np.ndarray:
    """Every attribute under Gaussian noise at 100 % privacy."""
    streams = np.random.default_rng(rng).spawn(len(QUEST_RANGES))
    noises = [GaussianNoise.at_privacy(1.0, low=low, high=high) for low, high in QUEST_RANGES.values()]
    columns = [noise.disguise(x, rng=stream) for noise, x, stream in zip(noises, X.T, streams, strict=True)]
    return np.column_stack(columns)


def compare(train: Records, test: Records) -> tuple[np.ndarray, np.ndarray]:
    """The best times of interleaved fits, ours, scikit-learn's and LightGBM's, and the test accuracies in percent."""
    ours = GiniTreeClassifier(prune=SLIQ).fit(*train)
    models = [ours, DecisionTreeClassifier(random_state=0)]
    if LGBMClassifier is not None:
        leaves = max(2, len(ours.tree_.leaves()))
        models.append(LGBMClassifier(n_estimators=1, learning_rate=1.0, num_leaves=leaves, n_jobs=1, verbose=-1))
    times = best_times([lambda m=model: m.fit(*train) for model in models], REPEATS)
    return times, np.array([100 * np.mean(model.predict(test[0]) == test[1]) for model in models])


def peak(X: np.ndarray, y: np.ndarray) -> float:
    """The most memory that a fit takes beyond its input, over the input's."""
    tracemalloc.start()
    GiniTreeClassifier(prune=SLIQ).fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / X.nbytes


def run() -> Iterator[tuple[str, float, float | None, str]]:
    ratios, memory, behind = [], [], []
    for function in FUNCTIONS:
        X, y = (np.asarray(part) for part in quest(N, function, rng=function))
        test = tuple(np.asarray(part) for part in quest(N_TEST, function, rng=100 + function))
        for name, values in (("true", X.astype(float)), ("disguised", disguised(X.astype(float), function))):
            times, accuracies = compare((values, y), test)
            ratios.append(times[0] / times)
            memory.append(peak(values, y))
            behind.append(accuracies[1] - accuracies[0])
            what = f"fit, Function {function}, {name} values"
            shown = "{:.2f} s to {:.2f} s; accuracy {:.2f} to {:.2f} %, {:+.2f} points"
            yield what, ratios[-1][1], None, shown.format(*times[:2], *accuracies[:2], -behind[-1])
            if LGBMClassifier is not None:
                shown = "{:.2f} s; accuracy {:.2f} %"
                yield "  to a single tree of LightGBM", ratios[-1][2], None, shown.format(times[2], accuracies[2])
    means = np.exp(np.log(ratios).mean(axis=0))
    yield "fit, geometric mean", means[1], 0.5, f"{len(ratios)} tables"
    if LGBMClassifier is not None:
        yield "  to a single tree of LightGBM", means[2], 0.9, f"{len(ratios)} tables"
    yield "memory of a fit over its input", max(memory), 3.0, "worst of them"
    yield "points of accuracy behind scikit-learn", max(behind), 0.5, "worst of them; below 0: ahead"
