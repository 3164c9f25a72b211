"""Notebook 04 and its companions: small tables and steps, so that their cells need only say what they show."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import proportion_variance
from ppdm.studies.dz03 import TABLES, papers_split

KINDS = {  # columns of the results about privacy, and what they say
    "before": "no sheet",
    "one answer": "one answer",
    "stranger": "the whole sheet, a stranger",
    "whole record": "the whole sheet, with the list",
}


def stressed_people(number: int = 2000, seed: int = 3) -> pd.DataFrame:
    """People who smoke, drink or run; stress makes them smoke and drink more, and run less."""
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    stress = rng.random(checks.whole("number", number, 1)) < 0.4
    shares = {"smokes": 0.1 + 0.5 * stress, "drinks": 0.3 + 0.4 * stress, "runs": 0.6 - 0.4 * stress}
    return pd.DataFrame({name: (rng.random(number) < share).astype(int) for name, share in shares.items()})


def sizes() -> pd.DataFrame:
    """The three tables: attributes, records to learn from and to test on, and accuracies without a disguise."""
    rows = {}
    for table, name in TABLES.items():
        split = papers_split(table)
        benchmark = split.accuracy(split.fit(None, split.train))
        counts = [len(split.columns), len(split.train), len(split.test)]
        rows[name] = [*counts, 100 * benchmark, 100 * split.majority]
    columns = ["attributes", "learn", "test", "benchmark, %", "majority, %"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def spread(
    people: pd.DataFrame, asked: Mapping[Any, int], divisions: Mapping[int, Sequence[Sequence[Any]]]
) -> pd.DataFrame:
    """The standard error of a share in points, for θ from 0.65 on: a column for each way to divide the questions."""
    thetas = pd.Index(np.linspace(0.65, 1, 36), name="θ")
    columns = {}
    for number, groups in divisions.items():
        variances = [proportion_variance(people, GroupedResponse(theta, groups), asked) for theta in thetas]
        word = "1 group" if number == 1 else f"{number} groups"
        columns[word] = 100 * np.sqrt(variances)
    return pd.DataFrame(columns, thetas)


def given_away(
    privacy: pd.DataFrame, table: str = "Voting", groups: str = "1", theta: float = 0.7
) -> dict[str, float]:
    """How often an answer is guessed on average, by what an intruder has."""
    here = (privacy["table"] == table) & (privacy["groups"] == groups) & (privacy["theta"] == theta)
    found = {word: float(privacy.loc[here, kind].mean()) for kind, word in KINDS.items()}
    if groups == "1":
        found["the sheet and one true answer"] = 1.0  # which tells how the only coin fell
    return found


def differences(rows: pd.DataFrame, first: str) -> pd.DataFrame:
    """Every answer as different from the first one or not, and the first one dropped."""
    return rows.drop(columns=first).ne(rows[first], axis=0).astype(int)


def cases(seen: pd.DataFrame, channel: GroupedResponse, asked: Mapping[Any, int]) -> pd.DataFrame:
    """The left side of Equation 7: how many sheets show each part of what is asked as it is, or turned.

    A row for each of the 2^g cases of the g groups that are mentioned, with the product of the weights of its groups.

    >>> sheets = pd.DataFrame({"smokes": [1, 1, 0, 0], "drinks": [0, 1, 1, 0]})
    >>> found = cases(sheets, GroupedResponse(0.8, [["smokes", "drinks"]]), {"smokes": 1, "drinks": 0})
    >>> found.round(2).to_dict("index")
    {'as asked': {'sheets': 1.0, 'weight': 1.33}, 'turned': {'sheets': 1.0, 'weight': -0.33}}
    """
    parts = []
    for theta, group in zip(channel.thetas, channel.groups):
        part = [column for column in group if column in asked]
        if part:
            parts.append((theta, part))
    rows = {}
    for turns in product([0, 1], repeat=len(parts)):
        fits = np.ones(len(seen), dtype=bool)
        weight = 1.0
        for turn, (theta, part) in zip(turns, parts):
            weight *= (theta - turn) / (2 * theta - 1)
            for column in part:
                fits &= seen[column].to_numpy() == (asked[column] ^ turn)
        rows[tuple(("as asked", "turned")[turn] for turn in turns)] = (float(fits.sum()), weight)
    names = [", ".join(map(str, part)) for _, part in parts]
    told = pd.DataFrame(list(rows), columns=names)
    return told.assign(sheets=[n for n, _ in rows.values()], weight=[w for _, w in rows.values()]).set_index(
        names
    )


def turned(rows: pd.DataFrame, channel: GroupedResponse, way: Sequence[int]) -> pd.DataFrame:
    """Records with some of their groups turned: those for which ``way`` has a 1."""
    version = rows.copy()
    for turn, group in zip(way, channel.groups, strict=True):
        version[list(group)] = version[list(group)] ^ turn
    return version


def off_and_said(tested: pd.DataFrame) -> pd.DataFrame:
    """How far off estimated accuracies are, and what they say of their own error: root mean squares, in points."""
    squares = (100 * tested[["error", "said"]]) ** 2
    rows = tested[["table", "groups", "theta"]].join(squares).rename(columns={"error": "off"})
    some = rows[rows["theta"].isin([0.7, 0.9])]
    return some.pivot_table(["off", "said"], ["table", "groups"], "theta", sort=False) ** 0.5


def found_and_missed(ways: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Of the sets of items that the first way finds, how many each way finds and misses, and how many it adds."""
    sets = {name: set(table["items"]) for name, table in ways.items()}
    wanted = next(iter(sets.values()))
    rows = {
        name: {"found": len(wanted & some), "missed": len(wanted - some), "false": len(some - wanted)}
        for name, some in sets.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index")
