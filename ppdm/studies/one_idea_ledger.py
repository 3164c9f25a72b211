"""Notebook 00 judged: three sentences of Agrawal & Srikant 2000 in the easiest case there is."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm.measure import Ledger

FILES = {"one idea": "one-idea", "strategies": "as00-strategies"}
PROMISED = 60  # years: the range of ages


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results that the claims of notebook 00 are judged by."""
    return {name: pd.read_csv(Path(folder) / f"{file}.csv") for name, file in FILES.items()}


def ledger(results: Mapping[str, pd.DataFrame], width: np.ndarray | pd.Series) -> Ledger:
    """The claims beside what was measured; ``width`` is of the interval that surely holds each person's age."""
    claims = Ledger("START")
    said = (
        "“The advantage of reconstruction can be seen from these graphs by comparing the accuracy of these algorithms "
        "with Randomized.” (§5.2)"
    )
    runs = results["one idea"].pivot_table("accuracy", ["noise", "level", "repeat"], "strategy", sort=False)
    gain = runs["reconstructed"] - runs["as seen"]
    scope = "Function 1, age alone, 10–200 %, both noises"
    claims.check("S1", said, scope=scope, **Ledger.verdict(gain, at_least=0, points=True))
    said = (
        "“Even at as high as 100% privacy, the algorithms are within 5% (absolute) of the original accuracy for "
        "Functions 1 …” (§5.2)"
    )
    scope = "Function 1, all nine attributes, 100 %, both noises; as A5a in notebook 01"
    loss = lost_on_function_1(results["strategies"])
    claims.check("S2", said, scope=scope, **Ledger.verdict(loss, at_most=0.05, points=True))
    said = (
        "“… at 100% privacy, Age cannot be estimated (with 95% confidence) any closer than an interval of width 60 …” "
        "(§5.1)"
    )
    closer = float(np.mean(np.asarray(width) < PROMISED))
    told = f"for certain, not only with 95 %: closer than {PROMISED} years for {closer:.1%} of the people"
    claims.check("S3", said, told, closer == 0, scope="Age, uniform noise", claimed="0 % of the people")
    return claims


def lost_on_function_1(strategies: pd.DataFrame) -> pd.Series:
    """What ByClass and Local lose to Original at 100 % on Function 1: the evidence of claim A5a, too."""
    runs = strategies[(strategies["function"] == 1) & (strategies["level"] == 1)]
    runs = runs.set_index(["noise", "repeat"])
    lost = {name: runs["original"] - runs[name] for name in ("byclass", "local")}
    return pd.concat(lost, names=["strategy"])
