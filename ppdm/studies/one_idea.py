"""The experiment of notebook 00: a tree from one attribute, true, seen or reconstructed."""

from typing import Any

import numpy as np
import pandas as pd

from ppdm.data import quest
from ppdm.disguise import channels_at
from ppdm.reconstruct import (
    Attribute,
    ChiSquareStop,
    Distribution,
    FixedStop,
    reconstruct,
)
from ppdm.tables import EstimatedTable
from ppdm.trees import Mdl, Tree, grow, prune_mdl

STOPS: dict[str, Any] = {"reconstructed": ChiSquareStop(), "1,000 steps": FixedStop(1000)}


def tree_from(shares: dict[str, Distribution], y: pd.Series) -> Tree:
    """A tree from one distribution of ages for each class: counts, a table of them, a pruned tree."""
    age = Attribute.numeric("age", shares["A"].edges[1:-1])
    counts = np.column_stack([shares[label].probabilities * (y == label).sum() for label in ("A", "B")])
    table = EstimatedTable.from_counts([age], ["A", "B"], counts)
    return prune_mdl(grow(table), Mdl("cuts", "errors"))


def one_idea(noise: str, level: float, strategy: str, records: int, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on 5,000 true records of a tree grown from true, seen or reconstructed ages."""
    X, y = quest(records, function=1, rng=rng)
    test, test_y = quest(5000, function=1, rng=rng)
    channel = channels_at(noise, level, {"age": {"low": 20, "high": 80}})["age"]
    seen = channel.disguise(X["age"], rng)
    ages = X["age"] if strategy == "true" else seen
    low, high = (ages.min(), ages.max()) if strategy == "as seen" else (20, 80)
    edges = np.linspace(low, high, 1 + int(np.clip(records / 100, 10, 100)))
    shares = {}
    for label in ("A", "B"):
        if strategy in STOPS:
            found = reconstruct(seen[y == label], channel, edges, STOPS[strategy])
            shares[label] = found.distribution
        else:
            shares[label] = Distribution.from_values(ages[y == label], edges)
    return {"accuracy": float((tree_from(shares, y).predict(test[["age"]]) == test_y).mean())}
