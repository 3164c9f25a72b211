"""Notebook 00 judged: three sentences of Agrawal & Srikant 2000 in the easiest case there is."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm.measure import Ledger
from ppdm.studies.as00_claims import FIVE, at, lost, points, trees_of
from ppdm.studies.as00_early import AT_100

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
    lost_at_100 = at(lost(trees_of(results["strategies"]), "ByClass", "Local"), level=[1.0], function=[1])
    scope = "Function 1, all nine attributes, 100 %, both noises; as A5a in notebook 01"
    claims.check("S2", AT_100, scope=scope, **points(lost_at_100, FIVE))
    said = (
        "“… at 100% privacy, Age cannot be estimated (with 95% confidence) any closer than an interval of width 60 …” "
        "(§5.1)"
    )
    closer = float(np.mean(np.asarray(width) < PROMISED))
    told = f"for certain, not only with 95 %: closer than {PROMISED} years for {closer:.1%} of the people"
    claims.check("S3", said, told, closer == 0, scope="Age, uniform noise", claimed="0 % of the people")
    return claims
