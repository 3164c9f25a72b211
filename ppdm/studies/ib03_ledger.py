"""Islam & Brankovic 2003 judged: the claims of the paper in its words, each with its bound, beside the results."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.measure import Ledger
from ppdm.studies.ib03 import SHARE
from ppdm.studies.ib03_tables import doubt_before, lead

FILES = ("classes", "attributes", "frontier", "builders", "threatened", "density", "large", "census")
# Of the ledger: the claim, the paper's words, the settings they speak of; what was measured, its bound and verdicts.
Row = tuple[str, str, str, dict[str, Any]]
WORSE = (
    0.08  # by how much S must fall to be clearly worse (a choice, as all bounds without a number in the words)
)
TWO = "WBC and Boston, 20 samples each"


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 03, by their names without "ib03-"."""
    return {name: pd.read_csv(Path(folder) / f"ib03-{name}.csv") for name in FILES}


def ledger(results: Mapping[str, pd.DataFrame], boston: str = "boston") -> Ledger:
    """The paper's claims beside what was measured; boston: "boston", or "boston without B" where that was run, too."""
    claims = Ledger("IB03")
    names = {"wbc": "WBC", boston: "Boston"}
    classes, attributes = (
        results[name].assign(table=results[name]["table"].map(names)).dropna(subset="table")
        for name in ("classes", "attributes")
    )
    others = {name: results[name].replace({"table": names}) for name in ("builders", "threatened")}
    rows = [
        *_amounts(classes),
        *_orders(classes),
        *_depths(classes),
        *_innocent(attributes),
        *_found(results["density"], results["census"]),
        *_threatened(others["threatened"]),
        *_safer(classes),
        *_builders(others["builders"]),
        *_accuracy(classes),
        *_large(results["large"]),
    ]
    for claim, said, scope, found in rows:
        claims.check(claim, said, scope=scope, **found)
    return claims


def by_sample(runs: pd.Series) -> pd.Series:
    """Runs as a ledger judges them: a setting for each table, in which a sample of records is one repeat.

    Runs on one sample share its records, so their mean stands for it.
    """
    return runs.groupby(level=["table", "number"]).mean().rename_axis(["table", "repeat"])


def _judged(runs, **bound) -> dict[str, Any]:
    return Ledger.verdict(by_sample(runs), **bound)


def _amounts(classes) -> Iterator[Row]:
    noisy = classes[classes["expected"] > 0]
    runs = noisy.groupby(["table", "way"], sort=False)
    off = (runs["changed"].mean() - runs["expected"].mean()).abs()
    # Each sample has a law of its own: the mean over runs has the root of their mean variance.
    error = runs["sd"].agg(lambda sd: np.sqrt((sd**2).sum()) / len(sd))
    found = {
        "claimed": "means of 200 runs within 4 standard errors of E(N)",
        "measured": f"largest distance {(off / error).max():.1f} standard errors",
        "holds": bool((off <= 4 * error).all()),
    }
    said = "“In each of these techniques the same amount of noise is added” (§3.1)"
    yield "I1", said, f"three techniques; {TWO}", found
    moves = noisy.groupby("way", sort=False)["total"].agg(lambda total: np.sqrt((total**2).mean()))
    drift = noisy.groupby("way", sort=False)["total"].mean()
    told = (f"{way} {drift[way]:+.1f} on average, root mean square {move:.1f}" for way, move in moves.items())
    found = {
        "claimed": "Random exactly 0, the others not",
        "measured": f"change of the second class: {', '.join(told)}",
        "holds": bool(moves["Random"] == 0 < moves.drop("Random").min()),
    }
    said = "“the total number of cases having a particular class remains the same” by Random (§3.1)"
    yield "I2", said, f"three techniques; {TWO}", found


def _orders(classes) -> Iterator[Row]:
    runs = classes.pivot_table("score", ["table", "number", "repeat"], "way")
    # How far trees are from 1, in multiples of what the luck of the draw does.
    far = by_sample(1 - runs["Random"]) / by_sample(1 - runs["bootstrap"])
    found = Ledger.verdict(far, at_most=0.5)
    found["claimed"] = "1 − S at most 0.5 of a bootstrap's"
    said = (
        "“trees built from the perturbed data set are very similar to the tree … from the original data set” (§4)"
    )
    yield "I3a", said, f"Random; each sample against its own bootstraps; {TWO}", found
    said = "“the data quality is also slightly worse than in the Random technique” (§3.1)"
    gap = lead(classes, "score", "Random", "Probabilistic")
    yield "I3b", said, f"S of Random above Probabilistic; {TWO}", _judged(gap, at_least=0)
    said = "“our other methods are significantly better, in preserving the decision tree” (§5)"
    yield "I3c", said, f"S of Random above All leaves; {TWO}", _judged(lead(classes, "score"), at_least=WORSE)
    off = classes.assign(off=np.log(classes["leaves"]).abs())
    said = "“All Leaves Probabilistic technique is somewhat unpredictable” (§4)"
    scope = f"log of the ratio of leaves, All leaves above Random; {TWO}"
    yield "I3d", said, scope, _judged(lead(off, "off", "All leaves", "Random"), at_least=0)
    shift = classes[classes["way"] == "Random"].set_index(["table", "number", "repeat"])["shift"]
    said = "“The constants used for these three attributes are very similar in all trees” (§4)"
    yield "I3e", said, f"Random, records between the constants; {TWO}", _judged(shift, at_most=0.05, points=True)


def _depths(classes) -> Iterator[Row]:
    """What leaves share with their partners: shallow ones, behind two tests or fewer, beside deep ones."""
    noisy = classes[classes["way"].isin(["Random", "Probabilistic"])]
    sums = noisy.groupby(["table", "number"]).sum(numeric_only=True)

    def overlap(kind, *depths) -> pd.Series:
        return sum(sums[f"overlap {kind} {one}"] for one in depths) / sum(
            sums[f"leaves {kind} {one}"] for one in depths
        )

    both = "Random and Probabilistic"
    deep = {kind: overlap(kind, "3–4", "5+") for kind in ("mixed", "pure")}
    shallow = {kind: overlap(kind, "1–2") for kind in ("mixed", "pure")}
    said = "“heterogeneous leaves which resided in the deep part of the decision tree appear to be … sensitive” (§3.1)"
    scope = f"{both}; overlap of mixed leaves, shallow above deep"
    yield "I4a", said, scope, _judged((shallow["mixed"] - deep["mixed"]).dropna(), at_least=0)
    said = "“… appear to be the most sensitive to noise” (§3.1)"
    scope = f"{both}; overlap of deep leaves, pure above mixed"
    yield "I4b", said, scope, _judged((deep["pure"] - deep["mixed"]).dropna(), at_least=0)
    scope = f"{both}; overlap of pure leaves, shallow above deep"
    said = "Ours: deep pure leaves are sensitive, too"
    yield "I4c", said, scope, _judged((shallow["pure"] - deep["pure"]).dropna(), at_least=0)


def _innocent(attributes) -> Iterator[Row]:
    own = attributes[np.isclose(attributes["share"], SHARE)]
    several = own[own["way"].isin(["TIA", "TIA, mixed leaves"])].set_index(["table", "number", "repeat"])
    said = "“All trees except for one had the same root as the original tree”, of 20 (§4)"
    yield "I5a", said, f"TIA noise; {TWO}", _judged(several["root"], at_least=0.95, points=True)
    said = "“Most logic rules remained the same as in the original tree” (§4)"
    yield (
        "I5b",
        said,
        f"TIA noise, records in kept rules; {TWO}",
        _judged(several["kept"], at_least=0.5, points=True),
    )
    said = "“In 8 out of 10 experiments we obtained trees very similar … to those from previous experiments” (§4)"
    yield "I5c", said, f"S of LIA above TIA; {TWO}", _judged(lead(own, "score", "LIA", "TIA"), at_least=-0.05)
    # Of the trees with new attributes only.
    new = own[own["way"].str.startswith("TIA") & (own["newcomers"] > 0)].set_index(["table", "number", "repeat"])
    said = "“Some trees introduced new attributes, but used them only in deep nodes” (§4)"
    scope = "of such trees, those with all of them below three tests"
    yield "I5d", said, scope, _judged((new["above"] >= 3).astype(float), at_least=0.5, points=True)


def _found(density, census) -> Iterator[Row]:
    names = {"wbc": "WBC", "boston": "Boston", "adult": "Adult"}
    sizes = list(density["records"].unique())
    runs = density.replace({"table": names}).pivot_table("posterior", ["table", "repeat"], "records")
    noisy = f"TIA and LIA noise of {SHARE:.1%}"
    said = "“Our method works best for dense data sets” (§5)"
    scope = f"{noisy}; fall of the belief in the own record, from {sizes[0]} people to all"
    yield "I6", said, scope, Ledger.verdict(runs[sizes[0]] - runs[sizes[-1]], at_least=0.1, points=True)
    last = density[density["records"] == sizes[-1]]
    dense = census[census["way"] == "TIA and LIA"].assign(table="adult")
    said = "“intruder will have a great deal of uncertainty about the class of X” (§3.2)"
    for claim, runs, word in (("I7a", last, "WBC and Boston"), ("I7b", dense, "10,000 people of Adult")):
        belief = runs.set_index(["table", "repeat"])["own class"]
        left = (1 - belief) / belief.index.get_level_values("table").map(doubt_before)
        scope = f"{word}; {noisy}; share of the uncertainty before the release"
        yield claim, said, scope, Ledger.verdict(left.rename(index=names), at_least=0.5, points=True)


def _threatened(threatened) -> Iterator[Row]:
    runs = threatened.set_index(["way", "table", "number", "repeat"])
    said = "“the cases … are not under greater privacy threat than any other case of that kind” (§3.2)"
    scope = f"no noise in the classes; belief, looked up above stranger; {TWO}"
    gap = (runs["looked up"] - runs["stranger"]).loc["as they are"]
    yield "I8a", said, scope, _judged(gap, at_most=0.02, points=True)
    said = "“Adding noise to the class would annulate this fact” (§3.2)"
    for claim, way in (("I8b", "Random"), ("I8c", "All leaves")):
        gap = (runs["classified"] - runs["stranger"]).loc[way]
        scope = f"{way}; belief, classified above stranger"
        yield claim, said, scope, _judged(gap, at_most=0.02, points=True)


def _safer(classes) -> Iterator[Row]:
    said = (
        "“Although the expected number of changed classes is the same …, the security is slightly higher” (§3.1)"
    )
    gap = lead(classes, "brier", "Probabilistic", "Random")
    yield "I9a", said, "Brier's score in mixed leaves, Probabilistic above Random", _judged(gap, at_least=0)
    said = "Ours: Random is safer than All leaves, for as many changes"
    scope = "Brier's score in mixed leaves, Random above All leaves"
    yield "I9b", said, scope, _judged(lead(classes, "brier"), at_least=0.01)


def _builders(builders) -> Iterator[Row]:
    """What other builders find after noise along C4.5's tree: beside noise along their own, in the paper's order."""
    said = "“equally good results in the case where decision trees … are built with software different” (§5)"
    ours = "Ours: with noise along the miner's own tree Random is ahead of All leaves again"
    rows = []
    for builder in ("gini", "scikit-learn"):
        runs = builders[builders["builder"] == builder]
        along = {guide: runs[runs["guide"] == guide] for guide in ("C4.5", "own")}
        score = {
            guide: some[some["way"] == "Random"].set_index(["table", "number", "repeat"])["score"]
            for guide, some in along.items()
        }
        equal = _judged(score["C4.5"] - score["own"], at_least=-0.05)
        rows.append((said, f"{builder}; S after Random, along C4.5's tree above along its own", equal))
        for words, guide, tree, other, bound in (
            (said, "C4.5", "C4.5's tree", "All leaves", WORSE),
            (said, "C4.5", "C4.5's tree", "Probabilistic", 0),
            (ours, "own", "its own tree", "All leaves", WORSE),
        ):
            scope = f"{builder}, noise along {tree}; S of Random above {other}"
            rows.append((words, scope, _judged(lead(along[guide], "score", "Random", other), at_least=bound)))
    half = len(rows) // 2
    # Both builders side by side, claim by claim.
    pairs = [row for pair in zip(rows[:half], rows[half:]) for row in pair]
    yield from ((f"I10{letter}", *row) for letter, row in zip("abcdefgh", pairs))


def _accuracy(classes) -> Iterator[Row]:
    seen = {name: lead(classes, column) for name, column in (("S", "score"), ("accuracy", "right after"))}
    # Ties are half a win.
    wins = {name: (gap > 0) + 0.5 * (gap == 0) for name, gap in seen.items()}
    said = "Ours: rules tell what accuracy does not. (“we do not evaluate the precision of trees”, §3)"
    scope = "runs in which Random is ahead of All leaves, by S above by accuracy"
    yield "I11", said, scope, _judged(wins["S"] - wins["accuracy"], at_least=0.1, points=True)


def _large(large) -> Iterator[Row]:
    said = "“similar results would have been obtained on other data sets that may be significantly larger” (§5)"
    own = large.assign(table="Adult", number=large["repeat"])
    for claim, other, bound in (("I12a", "All leaves", WORSE), ("I12b", "Probabilistic", 0)):
        scope = f"10,000 people of Adult; S of Random above {other}"
        yield claim, said, scope, _judged(lead(own, "score", "Random", other), at_least=bound)
