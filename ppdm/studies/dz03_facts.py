"""Facts that Du & Zhan's claims are checked by: what coins give away, what is left at θ = ½, two variances, slips."""

from typing import Any

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.information import entropy
from ppdm.studies.dz03 import TABLES, falls, papers_split, records
from ppdm.studies.dz03_tables import CELL, FEW, surely


def unbiased(errors: pd.Series) -> tuple[int, int, Any]:
    """In how many settings a mean error is surely not 0, of how many, and the verdict: none, at most half, more."""
    cells = surely(errors)
    off = int((cells["above"] | cells["below"]).sum())
    return off, len(cells), off == 0 or ("partly" if 2 * off <= len(cells) else False)


def coins_read(disguises: int = 50) -> tuple[float, pd.Series]:
    """One known answer of each group of Voting: what it makes of the others in its group, and of other groups.

    The share of the other answers of the group that come out right; and by how much likelier another group is turned
    where this one is, for each pair of groups in each disguise.
    """
    split = papers_split("votes")
    channel = split.channel(0.7, "3", np.random.default_rng(1))
    right, apart = [], {}
    for repeat in range(disguises):
        seen = channel.disguise(split.train, np.random.default_rng([1, repeat]))
        turned = []
        for known, *others in channel.groups:
            own = (seen[known] != split.train[known]).to_numpy()
            turned.append(own)
            right.append((seen[others].to_numpy() ^ own[:, None] == split.train[others].to_numpy()).mean())
        for pair in ((0, 1), (0, 2), (1, 2)):
            one, other = (turned[place] for place in pair)
            apart[str(pair), repeat] = other[one].mean() - other[~one].mean()
    index = pd.MultiIndex.from_tuples(apart, names=["pair", "repeat"])
    return float(np.mean(right)), pd.Series(list(apart.values()), index)


def information_kept(table: str) -> float:
    """How much a sheet of one group tells of the true record at θ = ½, as a share of all there is to tell.

    Exactly: the sheet's entropy less the coin's one bit, over the entropy of the records. A record and its opposite
    are seen equally often then. A single answer would come out as 0.
    """
    people, _ = records(table)
    true = people.value_counts(normalize=True)
    sheets = pd.concat([true, (1 - people).value_counts(normalize=True)]).groupby(
        level=list(range(people.shape[1]))
    )
    return float((entropy(sheets.sum().to_numpy() / 2) - 1) / entropy(true.to_numpy()))


def sources_of(frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """How much the variance within a division rises with groups, and the share that lies between divisions.

    Each division is a "repeat". The part between is the product of the distances of two halves of its runs from the
    mean of all, whose coins have nothing in common.
    """
    points = frame.assign(value=100 * frame["accuracy"])
    cells = points.groupby([*CELL, "division"], sort=False)["value"]
    steady = (-cells.var()).rename("steady").rename_axis([*CELL, "repeat"]).reset_index()
    within = falls(steady[steady["groups"].isin(FEW)], "steady", "groups", FEW)
    half = points["repeat"] < points["repeat"].max() / 2
    means = [points[part].groupby([*CELL, "division"], sort=False)["value"].mean() for part in (half, ~half)]
    first, second = (mean - mean.groupby(level=CELL).transform("mean") for mean in means)
    product = first * second * frame["division"].nunique() / (frame["division"].nunique() - 1)
    total = product.groupby(level=CELL).transform("mean") + cells.var().groupby(level=CELL).transform("mean")
    share = (product / total).rename_axis([*CELL, "repeat"])
    return within, share[share.index.get_level_values("groups").isin(["2", "3"])]


def slips() -> pd.DataFrame:
    """Slips in the paper's text: where, what it says, and what is the case."""
    sizes = {table: len(data.load(table).X) for table in TABLES}
    breast = data.load("wbc")
    missing = data.load("votes").X.isna().any(axis=1).sum()
    split = papers_split("adult")
    larger = f"naming the larger class is right for {split.majority:.1%} of our test records of Adult"
    rows = [
        ("Table 1", "Breast-Cancer has 786 records", f"it has {sizes['wbc']}, as the paper's own §5.1 says"),
        (
            "Table 1, §5.1",
            "Breast-Cancer has 10 attributes",
            f"{breast.X.shape[1]}, and the sample's number, which tells nothing; we leave it out",
        ),
        (
            "§5.1",
            "Breast-Cancer's owner is the National Institute of Diabetes and Digestive and Kidney Diseases",
            "that is Pima's; these records come from the University of Wisconsin Hospitals, as the next sentence says",
        ),
        (
            "§5.1",
            "Voting has 435 instances, treated as binary",
            f"{missing} of {sizes['votes']} people have a vote that is neither yes nor no",
        ),
        ("Footnote 5", "“0.5 is a very low accuracy”, for guessing at random has it", larger),
        (
            "§5.2",
            "θ = 0.45 and 0.51, both next to ½",
            "the other values come in pairs θ and 1 − θ; 0.49 or 0.55 would make the figures symmetrical",
        ),
    ]
    return pd.DataFrame(rows, columns=["where", "the paper says", "it is"])
