"""An intruder who looks for all of 50,000 people among 50,000 released records; and trees of 1,000 leaves compared.

Memory is what Python and NumPy hold at most, as a share of the bound.
"""

import time
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from timing import best_times

from ppdm.data import load, quest
from ppdm.disguise import LeafNoise
from ppdm.measure import CaseIntruder, tree_similarity
from ppdm.trees import C45Classifier

TITLE = "Noise along a tree: 50,000 × 50,000 links of six attributes, and S of trees with 1,000 leaves"
PEOPLE, SOME = 50_000, 2_000
KNOWN = ["age", "workclass", "education-num", "race", "sex", "hours-per-week"]
MEMORY = 1e9
LEAVES, FLIPPED = 1_000, 0.2
SIMILARITY_BOUND = 5.0  # times what it takes to grow one of the trees


def crowd() -> tuple[LeafNoise, pd.DataFrame, pd.Series]:
    """Adult's people, some of them twice, with noise in six attributes that a tree of three others leaves innocent."""
    parts = [load("adult", part) for part in ("data", "test")]
    X = pd.concat([part.X for part in parts], ignore_index=True)
    y = pd.concat([part.y for part in parts], ignore_index=True)
    rows = np.arange(PEOPLE) % len(X)
    X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    tested = X[["marital-status", "capital-gain", "capital-loss"]]
    tree = C45Classifier(min_leaf=100).fit(tested, y)
    noise = LeafNoise(tree, X[[*tested, *KNOWN]], y, "random", "both")
    released, labels = noise.release(1, shuffle=False)
    return noise, released, labels


def large_trees() -> tuple[pd.DataFrame, list]:
    """Two trees of 1,000 leaves that grew from the same records, each with its own errors in the classes."""
    X, y = quest(PEOPLE, rng=1)
    numbers = X.astype(float)
    rng = np.random.default_rng(0)
    labels = [np.where(rng.random(PEOPLE) < FLIPPED, one, np.asarray(y)) for one in ("A", "B")]
    grow = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0)
    return numbers, [grow.__class__(**grow.get_params()).fit(numbers, own) for own in labels]


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """Memory and seconds of all links; seconds of S beside those of a tree."""
    noise, released, labels = crowd()
    tracemalloc.start()
    CaseIntruder(noise, released, labels, KNOWN).report(SOME)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield "memory of the links, to 1 GB", peak / MEMORY, 1.0, f"{peak / 1e6:.0f} MB"
    intruder = CaseIntruder(noise, released, labels, KNOWN)
    start = time.perf_counter()
    found = intruder.report(None)
    took = time.perf_counter() - start
    some = best_times([lambda: intruder.report(SOME)], 1)[0]
    note = f"{took:.0f} s; own class {found['own class'].mean():.3f}"
    yield f"all {PEOPLE:,} people to {SOME:,} of them", took / some, 1.5 * PEOPLE / SOME, note
    X, trees = large_trees()
    first = trees[0]
    calls = [
        lambda: tree_similarity(*trees, X),
        lambda: first.__class__(**first.get_params()).fit(X, first.predict(X)),
    ]
    ours, other = best_times(calls, 2)
    yield f"S of trees with {LEAVES:,} leaves, to growing one", ours / other, SIMILARITY_BOUND, f"{ours:.2f} s"
