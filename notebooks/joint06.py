"""Joint reconstruction at full scale: what notebook 06 runs small, and quotes in full from results/."""

import numpy as np
import pandas as pd
from as00 import TEST, TRAIN, Study, channels_at, original, study

from ppdm.data import quest, quest_class
from ppdm.disguise import Disguise
from ppdm.trees import ReconstructedTreeClassifier

YEARS, DOLLARS = 3, 7_000  # by which the functions' constants are shifted


def strategies(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy by class and jointly, from the records of Figures 5 and 6."""
    return _both(study(function, noise, level, rng))


def shifted(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The same with all constants for age and salary shifted, so that no grid can lie on them by luck."""
    X, y = _shifted_records(TRAIN, function, rng)
    test, group = _shifted_records(TEST, function, rng)
    channels = channels_at(noise, level)
    seen = Disguise(channels, random_state=rng).fit_transform(X)
    run = Study(X, y, channels, seen, test, group)
    return {"original": run.accuracy(original(channels, TRAIN), seen=False), **_both(run)}


def records(function: int, noise: str, level: float, records: int, rng: np.random.Generator) -> dict[str, float]:
    """How accuracy grows with the training records."""
    run = study(function, noise, level, rng, records)
    return {"original": run.accuracy(original(run.channels, records), seen=False), **_both(run)}


def _both(run: Study) -> dict[str, float]:
    return {
        strategy: run.accuracy(ReconstructedTreeClassifier(run.channels, strategy)) for strategy in ("byclass", "joint")
    }


def _shifted_records(n: int, function: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """So many records, half of them in each group, of a function whose constants are larger by YEARS and DOLLARS."""
    X, _ = quest(6 * n, function, balanced=False, rng=rng)
    y = quest_class(X.assign(age=X["age"] - YEARS, salary=X["salary"] - DOLLARS), function)
    chosen = np.concatenate([np.flatnonzero(y == group)[: n // 2] for group in ("A", "B")])
    if len(chosen) < n:
        raise ValueError(f"group counts are {y.value_counts().to_dict()}; expected {n // 2:,} of each")
    return X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)
