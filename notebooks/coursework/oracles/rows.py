"""A row of a ledger that a student writes: whether it says what its runs say.

The verdict itself is given by the one rule of all ledgers, `Ledger.verdict`. No answer is looked up here.
"""

import re
from typing import Any

import numpy as np
import pandas as pd

from oracles import WrongAnswerError
from oracles.answers import numbers, refuse
from ppdm.measure import Ledger

BOUND = re.compile(r"at (least|most) (-?[\d,]*\.?\d+)( points)?")
QUOTED = re.compile(r"[“\"„«].{15,}[”\"“»]")
PRINTED = {1: 0.05, 2: 0.15, 3: 0.15, 4: 0.05, 5: 0.05}  # the bounds of the paper's sentence, by function
RUNS = "a DataFrame with the columns function, repeat and lost, one row for each run"


def losses(runs: Any) -> pd.Series:
    """The losses by function and repeat, if the table of the runs is what it should be."""
    if not isinstance(runs, pd.DataFrame) or not {"function", "repeat", "lost"} <= set(runs):
        refuse("runs", runs, RUNS)
    lost = numbers("the column lost of runs", runs["lost"].tolist(), (len(runs),))
    keys = runs[["function", "repeat"]].astype(str)
    counts = keys["function"].value_counts()
    if keys.duplicated().any() or counts.empty or counts.min() < 5:
        raise WrongAnswerError("runs should have five repeats or more of each function, and each run once.")
    if np.abs(lost).max() > 1:
        text = f"The largest number in lost is {np.abs(lost).max():.4g}. We expect shares, as lost_by gives them"
        raise WrongAnswerError(f"{text}. points=True writes them as points.")
    if not set(counts.index) <= {str(one) for one in PRINTED}:
        named = ", ".join(counts.index[:5])
        raise WrongAnswerError(f"The column function of runs has {named}; we expect numbers from 1 to 5.")
    by_function = runs.groupby(keys["function"])["lost"]
    if (by_function.max() == by_function.min()).all():
        raise WrongAnswerError("All repeats of a function have the same loss. Does lost_by get repeat?")
    if lost.mean() < -0.03:
        text = "ByClass would be ahead of Original. A loss is Original minus ByClass"
        raise WrongAnswerError(f"The mean of lost is {lost.mean():.4g}, so {text}: is the sign turned?")
    return runs.set_index(["function", "repeat"])["lost"].astype(float)


def read(row: Any) -> dict[str, str]:
    """What a row says, by its columns, if it says all that a row should say."""
    if not isinstance(row, pd.DataFrame) or len(row) != 1:
        refuse("row", row, "claims.to_frame() of a ledger with one claim")
    said = {str(name): str(row[name].iloc[0]) for name in row}
    for column, hint in (
        ("scope", "Name the function, the level and your reading in scope=."),
        ("claimed", "It comes from Ledger.verdict: write **found."),
        ("measured", "It comes from Ledger.verdict: write **found."),
    ):
        if not said.get(column):
            raise WrongAnswerError(f"Your row has nothing in its column {column!r}. {hint}")
    if not QUOTED.search(said["statement"]) or "§" not in said["statement"]:
        text = "quote the paper, in quotation marks, and say where it says so: “…” (§5.2)"
        raise WrongAnswerError(f"The statement of your row is {said['statement']!r}. Please {text}.")
    return said


def judged(losses: pd.Series, row: Any) -> str:
    """Compare what a row says with the verdict on its runs by the bound that it states."""
    said = read(row)
    bound = BOUND.fullmatch(said["claimed"])
    if not bound:
        raise WrongAnswerError(
            f"claimed is {said['claimed']!r}; we expect 'at most … points', as Ledger.verdict says."
        )
    if bound[1] == "least":
        text = "“Within …” is a bound from above on what is lost: at_most=…"
        raise WrongAnswerError(f"Your row asks for a loss of {said['claimed']}. {text}.")
    number = float(bound[2].replace(",", "")) / (100 if bound[3] else 1)
    functions = losses.index.get_level_values("function").astype(str).unique()
    printed = {PRINTED[int(one)] for one in functions}
    if len(printed) > 1:
        text = "take one function, or functions that share a bound"
        raise WrongAnswerError(f"The paper gives Functions {', '.join(functions)} different bounds: {text}.")
    if abs(number - printed.pop()) > 1e-9:
        text = "lost holds shares, so at_most is a share, too" if number >= 1 else "read the sentence again"
        raise WrongAnswerError(
            f"Your bound is {said['claimed']}. The paper promises another one for Function {functions[0]}: {text}."
        )
    right: dict[str, Any] = {}
    rules: list[Any] = ["every setting", "overall"]
    for says in rules:
        found = Ledger.verdict(losses, at_most=number, says=says, points=bool(bound[3]))
        claims = Ledger("check")
        claims.check("A1", "of these runs", **found)
        right[says] = claims.to_frame().iloc[0]
    measured = right["overall"]["measured"]
    if said["measured"] != measured:
        text = f"Your runs give {measured!r}, and the row says {said['measured']!r}"
        raise WrongAnswerError(f"{text}. Put the verdict of these runs into it: **found.")
    verdicts = list(dict.fromkeys(str(one["verdict"]) for one in right.values()))
    if said["verdict"] not in verdicts:
        text = f"By the rule it is {' or '.join(map(repr, verdicts))}, and the row says {said['verdict']!r}"
        raise WrongAnswerError(f"{measured}, and the bound is {said['claimed']}. {text}.")
    return (
        f"{measured}, {said['claimed']}: {said['verdict']}. The row says what its runs say. People read the rest."
    )
