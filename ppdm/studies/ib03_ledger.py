"""Islam & Brankovic 2003 judged: the claims of the paper, each with its bound, beside the full-scale results."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.measure import Ledger
from ppdm.studies.ib03 import SHARE, whole
from ppdm.studies.ib03_tables import lead

FILES = ("classes", "attributes", "frontier", "builders", "threatened", "density", "large", "census")
Row = tuple[str, str, str, Any]  # of the ledger: the claim, what the paper says, what was measured, the verdict
TABLES = ("wbc", "boston")  # of the paper; without B is beside it
WORSE = 0.08  # by how much S must fall to be clearly worse


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 03, by their names without "ib03-"."""
    return {name: pd.read_csv(Path(folder) / f"ib03-{name}.csv") for name in FILES}


def ledger(results: Mapping[str, pd.DataFrame], boston: str = "boston") -> Ledger:
    """The paper's claims beside what was measured; boston: "boston", or "boston without B" where that was run, too."""
    claims = Ledger("IB03")
    names = {"wbc": "wbc", boston: "boston"}
    classes, attributes = (
        results[name].assign(table=results[name]["table"].map(names)).dropna(subset="table")
        for name in ("classes", "attributes")
    )
    rows = [
        *_amounts(classes),
        *_orders(classes),
        *_depths(classes),
        *_innocent(attributes),
        *_found(results["density"], results["census"]),
        *_threatened(results["threatened"]),
        *_safer(classes),
        *_builders(results["builders"]),
        *_accuracy(classes),
        *_large(results["large"]),
    ]
    for row in rows:
        claims.check(*row)
    return claims


def by_sample(differences: pd.Series) -> pd.Series:
    """Differences as a ledger judges them: a cell for each table, in which a sample of records is one run.

    Runs on one sample share its records, so their mean stands for it.
    """
    return differences.groupby(level=["table", "number"]).mean().rename_axis(["table", "repeat"])


def _told(differences, digits=3) -> str:
    """The mean of each table, with the error of the mean over samples."""
    cells = by_sample(differences).groupby(level="table", sort=False).agg(["mean", "sem"])
    return ", ".join(
        f"{name} {mean:+.{digits}f} ± {error:.{digits}f}" for name, mean, error in cells.itertuples()
    )


def _judged(claim, said, differences, bound=0.0, told="") -> Row:
    """A row about differences that must be at least the bound."""
    verdict = Ledger.verdict(by_sample(differences) - bound)
    return claim, said, told or _told(differences), verdict["holds"]


def _amounts(classes) -> Iterator[Row]:
    noisy = classes[classes["expected"] > 0]
    runs = noisy.groupby(["table", "way"], sort=False)
    off = (runs["changed"].mean() - runs["expected"].mean()).abs()
    # Each sample has a law of its own: the mean over runs has the root of their mean variance.
    error = runs["sd"].agg(lambda sd: np.sqrt((sd**2).sum()) / len(sd))
    told = f"largest distance of a mean of 200 runs {(off / error).max():.1f} standard errors"
    said = "All techniques change E(N) classes on average (bound: 4 standard errors)"
    yield "I1", said, told, bool((off <= 4 * error).all())
    moves = noisy.groupby("way", sort=False)["total"].agg(lambda total: np.sqrt((total**2).mean()))
    drift = noisy.groupby("way", sort=False)["total"].mean()
    told = ", ".join(
        f"{way} {drift[way]:+.1f} on average, root mean square {move:.1f}" for way, move in moves.items()
    )
    said = "Random keeps the number of records of each class, the others do not"
    yield (
        "I2",
        said,
        f"change of the second class: {told}",
        bool(moves["Random"] == 0 < moves.drop("Random").min()),
    )


def _orders(classes) -> Iterator[Row]:
    runs = classes.pivot_table("score", ["table", "number", "repeat"], "way")
    means = runs.groupby("table", sort=False)["Random"].mean()
    told = ", ".join(f"{name} S = {mean:.3f}" for name, mean in means.items())
    scale = (1 + runs["bootstrap"]) / 2
    above = Ledger.verdict(by_sample(runs["Random"] - scale))
    said = "Trees after Random are very similar (bound: nearer to 1 than to a bootstrap's tree)"
    yield "I3a", said, told, above["holds"]
    said = "After Probabilistic they are slightly worse than after Random (bound: 0)"
    yield _judged("I3b", said, lead(classes, "score", "Random", "Probabilistic"))
    said = f"After All leaves they are significantly different (bound: S lower by {WORSE} than after Random)"
    yield _judged("I3c", said, lead(classes, "score"), WORSE)
    off = classes.assign(off=np.log(classes["leaves"]).abs())
    said = "All leaves is unpredictable: the log of the ratio of leaves is farther from 0 (bound: 0)"
    yield _judged("I3d", said, lead(off, "off", "All leaves", "Random"))

    runs = classes[classes["way"] == "Random"].set_index(["table", "number", "repeat"])["shift"]
    said = "After Random the constants are very similar (bound: 5 % of the records between them)"
    yield _judged("I3e", said, 0.05 - runs, told=f"{runs.mean():.1%} of the records lie between them")


def _depths(classes) -> Iterator[Row]:
    """What leaves share with their partners: shallow ones, behind two tests or fewer, beside deep ones."""
    noisy = classes[classes["way"].isin(["Random", "Probabilistic"])]
    sums = noisy.groupby(["table", "number"]).sum(numeric_only=True)

    def overlap(kind, *depths) -> pd.Series:
        return sum(sums[f"overlap {kind} {one}"] for one in depths) / sum(
            sums[f"leaves {kind} {one}"] for one in depths
        )

    deep = {kind: overlap(kind, "3–4", "5+") for kind in ("mixed", "pure")}
    shallow = {kind: overlap(kind, "1–2") for kind in ("mixed", "pure")}
    said = "Deep heterogeneous leaves are more sensitive than shallow ones (bound: 0)"
    yield _judged("I4a", said, (shallow["mixed"] - deep["mixed"]).dropna())
    said = "They are the most sensitive: more than deep homogeneous ones (bound: 0)"
    yield _judged("I4b", said, (deep["pure"] - deep["mixed"]).dropna())
    said = "Ours: deep homogeneous leaves are more sensitive than shallow ones, too (bound: 0)"
    yield _judged("I4c", said, (shallow["pure"] - deep["pure"]).dropna())


def _innocent(attributes) -> Iterator[Row]:
    own = attributes[np.isclose(attributes["share"], SHARE)]
    rows = (("I5a", "root", "the same root", 0.95, "trees"), ("I5b", "kept", "most rules", 0.5, "records"))
    for claim, column, word, bound, unit in rows:
        several = own[own["way"].isin(["TIA", "TIA, mixed leaves"])]
        runs = several.set_index(["table", "number", "repeat"])[column]
        told = ", ".join(
            f"{name} {share:.3f}" for name, share in runs.groupby("table", sort=False).mean().items()
        )
        holds = Ledger.verdict(by_sample(runs) - bound)["holds"]
        said = f"TIA noise leaves {word} (bound: a share of {bound} of the {unit})"
        yield claim, said, told, holds
    gap = lead(own, "score", "LIA", "TIA")
    said = "LIA noise leaves trees very similar to those (bound: S at most 0.05 lower)"
    yield _judged("I5c", said, gap, -0.05)
    # Of the trees with new attributes only.
    new = own[own["way"].str.startswith("TIA") & (own["newcomers"] > 0)].set_index(["table", "number", "repeat"])
    share = (new["above"] >= 3).astype(float)
    parts = share.groupby("table", sort=False).mean().items()
    told = ", ".join(f"{name} {part:.0%} of the trees" for name, part in parts)
    said = "Trees use new attributes in deep nodes only (bound: below three tests, in half of such trees)"
    yield _judged("I5d", said, share, 0.5, told)


def _found(density, census) -> Iterator[Row]:
    sizes = list(density["records"].unique())
    runs = density.pivot_table("posterior", ["table", "repeat"], "records")
    fall = runs[sizes[0]] - runs[sizes[-1]]
    means = density.groupby(["table", "records"], sort=False)[["posterior", "own class"]].mean()
    ends = [means.xs(size, level="records") for size in (sizes[0], sizes[-1])]
    told = ", ".join(
        f"{name} {ends[0].loc[name, 'posterior']:.2f} → {ends[1].loc[name, 'posterior']:.2f}" for name in TABLES
    )
    said = (
        "The denser the table, the less certain an intruder is of the record (bound: 0.1 from 50 people to all)"
    )
    yield "I6", said, told, Ledger.verdict(fall - 0.1)["holds"]
    last = density[density["records"] == sizes[-1]]
    dense = census[census["way"] == "TIA and LIA"].assign(table="adult")
    for claim, runs, word in (("I7a", last, "on the paper's tables"), ("I7b", dense, "among 10,000 people")):
        belief = runs.set_index(["table", "repeat"])["own class"]
        # Before he sees anything, he believes in a class as often as it occurs.
        before = {
            name: 1 - (whole(name)[1].value_counts(normalize=True) ** 2).sum() for name in runs["table"].unique()
        }
        left = (1 - belief) / belief.index.get_level_values("table").map(before)
        shares = left.groupby("table", sort=False).mean().items()
        told = "of the uncertainty is left: " + ", ".join(f"{name} {share:.0%}" for name, share in shares)
        said = f"He has great uncertainty about the class, {word} (bound: half of that before)"
        yield claim, said, told, Ledger.verdict(left - 0.5)["holds"]


def _threatened(threatened) -> Iterator[Row]:
    runs = threatened.set_index(["way", "table", "number", "repeat"])
    gap = (runs["stranger"] - runs["looked up"]).loc["as they are"]
    said = "People in the table are under no greater threat than strangers (bound: 0.02 of belief)"
    yield _judged("I8a", said, gap, -0.02)
    for claim, way in (("I8b", "Random"), ("I8c", "All leaves")):
        own = (runs["stranger"] - runs["classified"]).loc[way]
        said = (
            f"Noise in the classes annuls that trees know their own records better: {way} (bound: 0.02 of belief)"
        )
        yield _judged(claim, said, own, -0.02)


def _safer(classes) -> Iterator[Row]:
    said = "Probabilistic is slightly safer than Random (bound: 0, by Brier's score of beliefs in mixed leaves)"
    yield _judged("I9a", said, lead(classes, "brier", "Probabilistic", "Random"))
    said = "Ours: Random is safer than All leaves, for as many changes (bound: 0.01 of Brier's score in mixed leaves)"
    yield _judged("I9b", said, lead(classes, "brier"), 0.01)


def _builders(builders) -> Iterator[Row]:
    kinds = {
        "C4.5": "Mined by {}, noise along C4.5's tree gives equally good results",
        "own": "Ours: mined by {}, noise along its own tree gives the same order",
    }
    claims = iter("abcd")
    for guide, word in kinds.items():
        for builder in ("gini", "scikit-learn"):
            own = builders[(builders["builder"] == builder) & (builders["guide"] == guide)]
            mean = own.loc[own["way"] == "Random", "score"].mean()
            told, holds = _in_order(own)
            said = f"{word.format(builder)} (bounds as in I3)"
            yield f"I10{next(claims)}", said, f"S after Random {mean:.3f}, {told}", holds


def _in_order(runs) -> tuple[str, Any]:
    """Whether S comes in the paper's order: by how much Random is ahead."""
    gaps = {other: by_sample(lead(runs, "score", "Random", other)) for other in ("Probabilistic", "All leaves")}
    told = ", ".join(f"{gap.mean():+.3f} over {other}" for other, gap in gaps.items())
    cells = pd.concat(
        {other: gap - (WORSE if other == "All leaves" else 0) for other, gap in gaps.items()}, names=["other"]
    )
    return told, Ledger.verdict(cells)["holds"]


def _accuracy(classes) -> Iterator[Row]:
    seen = {name: lead(classes, column) for name, column in (("S", "score"), ("accuracy", "right after"))}
    # Ties are half a win.
    wins = {name: (gap > 0) + 0.5 * (gap == 0) for name, gap in seen.items()}
    told = ", ".join(f"{name} {share.mean():.0%}" for name, share in wins.items())
    ahead = Ledger.verdict(by_sample(wins["S"] - wins["accuracy"]) - 0.1)
    said = "Ours: rules tell what accuracy does not (bound: S ranks Random first in 10 points more of the runs)"
    yield "I11", said, f"Random ahead of All leaves: {told}", ahead["holds"]


def _large(large) -> Iterator[Row]:
    told, holds = _in_order(large.assign(table="adult", number=large["repeat"]))
    said = "Tables of 10,000 give similar results: the same order (Adult; bounds as in I3)"
    yield "I12", said, f"S of Random {told}", holds
