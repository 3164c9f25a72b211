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


def _judged(claim, said, differences, bound=0.0) -> Row:
    """A row about differences that must be at least the bound."""
    verdict = Ledger.verdict(by_sample(differences) - bound)
    return claim, said, _told(differences), verdict["holds"]


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


def _depths(classes) -> Iterator[Row]:
    """Overlaps of shallow leaves minus those of deep ones, of samples that have both."""
    noisy = classes[classes["way"].isin(["Random", "Probabilistic"])]
    for claim, kind, said in (
        ("I4a", "mixed", "Deep heterogeneous leaves are more sensitive than shallow ones (bound: 0)"),
        ("I4b", "pure", "Ours: deep homogeneous leaves are so, too (bound: 0)"),
    ):
        sums = noisy.groupby(["table", "number"]).sum(numeric_only=True)
        deep = [f"{kind} 3–4", f"{kind} 5+"]
        shallow = sums[f"overlap {kind} 1–2"] / sums[f"leaves {kind} 1–2"]
        below = sum(sums[f"overlap {one}"] for one in deep) / sum(sums[f"leaves {one}"] for one in deep)
        yield _judged(claim, said, (shallow - below).dropna())


def _innocent(attributes) -> Iterator[Row]:
    own = attributes[np.isclose(attributes["share"], SHARE)]
    for claim, column, word, bound in (
        ("I5a", "root", "the same root", 0.95),
        ("I5b", "kept", "most rules", 0.5),
    ):
        several = own[own["way"].isin(["TIA", "TIA, mixed leaves"])]
        runs = several.set_index(["table", "number", "repeat"])[column]
        told = ", ".join(
            f"{name} {share:.3f}" for name, share in runs.groupby("table", sort=False).mean().items()
        )
        holds = Ledger.verdict(by_sample(runs) - bound)["holds"]
        said = f"TIA noise leaves {word} (bound: a share of {bound})"
        yield claim, said, told, holds
    gap = lead(own, "score", "LIA", "TIA")
    said = "LIA noise leaves trees very similar to those (bound: S at most 0.05 lower)"
    yield _judged("I5c", said, gap, -0.05)


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
    last = pd.concat([last, dense]).set_index(["table", "repeat"])["own class"]
    # Before he sees anything, he believes in a class as often as it occurs.
    names = [*TABLES, "adult"]
    before = {name: 1 - (whole(name)[1].value_counts(normalize=True) ** 2).sum() for name in names}
    left = (1 - last) / last.index.get_level_values("table").map(before)
    told = ", ".join(f"{name} {share:.0%}" for name, share in left.groupby("table", sort=False).mean().items())
    said = "In a dense table he has great uncertainty about the class (bound: half of that before the release)"
    yield "I7", said, f"of the uncertainty is left: {told}", Ledger.verdict(left - 0.5)["holds"]


def _threatened(threatened) -> Iterator[Row]:
    runs = threatened.set_index(["way", "table", "number", "repeat"])
    gap = (runs["stranger"] - runs["looked up"]).loc["as they are"]
    said = "People in the table are under no greater threat than strangers (bound: 0.02 of belief)"
    yield _judged("I8a", said, gap, -0.02)
    for claim, way in (("I8b", "Random"), ("I8c", "All leaves")):
        own = (runs["stranger"] - runs["looked up"]).loc[way]
        said = f"Noise in the classes annuls what remains: {way} (bound: 0.02 of belief)"
        yield _judged(claim, said, own, -0.02)


def _safer(classes) -> Iterator[Row]:
    said = "Probabilistic is slightly safer than Random (bound: 0.005 of belief in true classes of mixed leaves)"
    yield _judged("I9a", said, lead(classes, "believed", "Random", "Probabilistic"), 0.005)
    said = "Ours: Random is safer there than All leaves, for as many changes (bound: 0.01)"
    yield _judged("I9b", said, lead(classes, "believed", "All leaves", "Random"), 0.01)


def _builders(builders) -> Iterator[Row]:
    for claim, builder in (("I10a", "gini"), ("I10b", "scikit-learn")):
        own = builders[builders["builder"] == builder]
        gaps = {
            pair: by_sample(lead(own, "score", *pair))
            for pair in (("Random", "Probabilistic"), ("Random", "All leaves"))
        }
        bounds = (0, WORSE)
        cells = pd.concat(
            {" over ".join(pair): gap - bound for (pair, gap), bound in zip(gaps.items(), bounds)}, names=["pair"]
        )
        told = ", ".join(f"{second} {gap.mean():+.3f}" for (_, second), gap in gaps.items())
        said = f"Other builders give similar results: the same order by {builder} (bounds as in I3)"
        yield claim, said, f"S of Random over {told}", Ledger.verdict(cells)["holds"]


def _accuracy(classes) -> Iterator[Row]:
    seen = {name: lead(classes, column) for name, column in (("S", "score"), ("accuracy", "right after"))}
    # Ties are half a win.
    wins = {name: (gap > 0) + 0.5 * (gap == 0) for name, gap in seen.items()}
    told = ", ".join(f"{name} {share.mean():.0%}" for name, share in wins.items())
    ahead = Ledger.verdict(by_sample(wins["S"] - wins["accuracy"]) - 0.1)
    said = "Ours: rules tell what accuracy does not (bound: S ranks Random first in 10 points more of the runs)"
    yield "I11", said, f"Random ahead of All leaves: {told}", ahead["holds"]
