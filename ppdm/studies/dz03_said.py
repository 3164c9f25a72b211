"""Du & Zhan's claims in their own words, with the settings they speak of, and the facts that some are checked by.

The text is the authors' manuscript on answers in several groups, of which only a scan without its title page is left.
Digits and letters that the scan has lost are restored from the context. What begins with "Ours" is no sentence of the
paper.
"""

from typing import Any

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import GroupedResponse
from ppdm.information import entropy
from ppdm.measure import Intruder
from ppdm.studies.dz03 import TABLES, falls, papers_split, records
from ppdm.studies.dz03_tables import CELL, FEW, surely

SOME = "1 to 3 groups"
TOWARD = f"{SOME}, each θ to the next one nearer ½"
MORE = "1 → 2 → 3 groups, θ from 0.1 to 0.9"
VOTING = f"Voting less each other table; {SOME}, θ from 0.6 to 0.9"
RUNS = "5 runs a setting"
EACH = f"N groups, θ from 0.55 to 0.9; {RUNS}"
ANSWER = (
    "“An adversary cannot guess an user's correct answer to any specific question with a probability better than θ.” "
    "(§1.2)"
)
BEYOND = (
    "“the undesirable performance for schemes beyond the three-group scheme makes them not very useful” (§4.4)"
)
NAIVE = "Ours: trees from estimates are at least as accurate as naive ones, which take sheets for records"
LOST = "“when θ = 0.5, information about the data distribution is lost” (§5.3.2)"

# Of each claim what is said, and of which settings.
SAID = {
    "D1": (
        "“when θ = 1 and θ = 0, the results are exactly the same as the results when the original ID3 algorithm is "
        "applied” (§5.3.1)",
        "three tables; 1, 2, 3 and N groups",
    ),
    "D2a": (
        "“when θ moves from 1 and 0 towards 0.5, the mean of accuracy has the trend of decreasing although there are "
        "some outliers” (§5.3.1)",
        TOWARD,
    ),
    "D2b": (
        "“For each randomization level θ, the mean of the accuracy decreases with the number of group increasing.” "
        "(§5.3.1)",
        MORE,
    ),
    "D2c": (
        "“when N is large, the accuracy of the data mining computations might become too low” (§1.2)",
        "3 → N groups, θ from 0.1 to 0.9",
    ),
    "D3a": (
        "“when θ moves from 1 and 0 towards 0.5, … the variance of the estimation used in our method becomes large” "
        "(§5.3.2)",
        f"{TOWARD}; variance of the accuracy",
    ),
    "D3b": ("“with the number of groups increasing, the variance increases” (§5.3.2)", MORE),
    "D4a": (
        "“when we select the randomization parameter θ from [0.55, 1] and [0, 0.45] for one-group scheme, [0.7, 1] and "
        "[0, 0.3] for two and three-group schemes, we can obtain fairly accurate decision trees comparing to the trees "
        "built from the undisguised data.” (§6)",
        "these θ without 0 and 1; fair: within five points of plain ID3 (choice)",
    ),
    "D4b": (
        "Ours: at the same θ these trees are better than naming the larger class",
        "these θ without 0 and 1",
    ),
    "D5a": (
        "“the results on the Congressional-Voting dataset is not as good as the results on the other two data sets” "
        "(§5.3.1)",
        f"{VOTING}; points lost",
    ),
    "D5b": (
        "Ours: the same by the lead over the larger class, of which Adult has little",
        f"{VOTING}; share lost of that lead",
    ),
    "D5c": (
        "“The possible reason is that the number of records in the Congressional-Voting dataset is only 435” (§5.3.1)",
        f"Voting less Breast-Cancer with 290 training records each; {SOME}; tolerance of a point (choice)",
    ),
    "D6": (
        "“with enough testing data, we can estimate the total accuracy score even though we do not know which test "
        "case produces the correct prediction result” (§4.6)",
        "1, 3 and N groups, θ from 0.6 to 0.9",
    ),
    "D7a": (
        "“once an adversary somehow knows whether data provider tells a truth or not for only one attribute …, he/she "
        "can obtain all the true values” (§1.2) of its group, but none of “the other group” (§4.3)",
        "Voting; 3 groups, θ = 0.7, 50 disguises; what it makes certain: by number of groups",
    ),
    "D7b": (
        "“with the number of groups increasing, the privacy level increases” (§5.3.3)",
        f"1, 2, 3, 5, 8, N groups; answers guessed with the list, by a stranger, sheets found; {RUNS}",
    ),
    "D7c": (
        "“When θ is away from 1 and approaches to 0.5, the privacy level of the data set increases.” (§5.3.3)",
        f"θ from 0.9 to 0.55, all numbers of groups; the same three measures; {RUNS}",
    ),
    "D8a": (ANSWER, f"one answer by itself; {EACH}; charitable: no better than θ or the commoner answer"),
    "D8b": (ANSWER, f"whole sheet, an intruder with the list of true records; {EACH}; beyond that bound"),
    "D8c": (ANSWER, f"whole sheet, a stranger, who knows how others answer; {EACH}; beyond that bound"),
    "D8d": (
        "“Even if one value is disclosed, other values are still hidden.” (§1.2)",
        "N groups, θ = 0.7; another answer, by an intruder who has one true answer, the sheet and the list; that bound",
    ),
    "D9a": (LOST, "its own example: one attribute"),
    "D9b": (
        "Ours: at θ = ½ a whole sheet tells nothing of the record, either",
        "one group of all answers: what a sheet tells of the true record, in bits",
    ),
    "D10": (
        "“To correctly guess all the values for each record, the probability is θ^N … When N is big, the probability "
        "becomes almost zero.” (§1.2)",
        f"{EACH}; an intruder with the list of all records, who is on it",
    ),
    "D11a": (BEYOND, "N groups, the paper's splits, θ from 0.7 to 0.9; points behind plain ID3"),
    "D11b": (BEYOND, "N groups, sure splits, θ = 0.9; points behind ID3 with sure splits on true records"),
    "D12a": (
        "“the scheme in [Agrawal & Srikant] works only when the attributes are independent” (§2)",
        "attributes that depend on each other, but not in a class, at 100 %; points that ByClass loses",
    ),
    "D12b": (
        "“if some attributes are dependent, distribution is not sufficient for building a decision tree” (§2)",
        "three kinds of dependence in a class, and Function 2, at 100 %; points that ByClass loses",
    ),
    "D13": (
        "“In our work, the larger the value of n is, the more accurate the results will be.” (§2)",
        "Adult, 500 to 21,707 records, each size to the next; 1, 3, N groups, θ from 0.7 to 0.9",
    ),
    "D14a": (
        "“2. The between-groups variance … with the number of groups increasing, the variance increases. The reason is "
        "that randomization process is conducted independently for different groups.” (§5.3.2)",
        "from 1 to 2 to 3 groups, which stay as they are from run to run; θ = 0.7, 0.9",
    ),
    "D14b": (
        "Ours: which answers share a coin is a source of variance, too",
        "2 or 3 groups; θ = 0.7, 0.9; the share of the variance between divisions, at least a tenth (choice)",
    ),
    "D15a": (
        "“Feeding the above terms into Eq. (7) …, we can obtain P(E)” (§4.5)",
        "the worked node of three groups, eight masks; 2,400 disguises",
    ),
    "D15b": (
        "“Hence we can get |S| = P(E) · n” (§4.5)",
        "the same node: its estimated size, three tables, θ from 0.6 to 0.9",
    ),
    "D15c": ("Ours: the gain of Equation 10 is right on average, too", "the same node, one candidate (A5)"),
    "D16a": (NAIVE, f"{SOME}, θ from 0.51 to 0.9; the paper's splits"),
    "D16b": (NAIVE, f"{SOME}, θ from 0.51 to 0.9; sure splits"),
}


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


def one_known(table: str, theta: float = 0.7) -> tuple[float, float]:
    """How often another answer is guessed with the list, from a sheet of N groups: without a known answer, and with.

    Exactly; means over the known answers, and over all others.
    """
    people, _ = records(table)
    channel = GroupedResponse(theta, [[column] for column in people])
    means = Intruder(channel, people).known_answer()[["release", "both"]].mean()
    return float(means["release"]), float(means["both"])


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
