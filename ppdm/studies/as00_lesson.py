"""Agrawal & Srikant 2000 for the lesson: what notebook 01 and its companions compute by the way, in short cells."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.data import quest, triangles
from ppdm.disguise import KeepOrReplace, NumericChannel
from ppdm.measure import attacks
from ppdm.reconstruct import Attribute, Distribution, reconstruct
from ppdm.studies.as00 import Channels, Study, grown
from ppdm.studies.as00_claims import NAMES
from ppdm.tables import EstimatedTable
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier

if TYPE_CHECKING:
    from ppdm.plots import Picture


# A key for study, so that notebooks repeat their numbers; a real one is drawn, and kept secret.
KEY = bytes(range(1, 33))


def by_rank(seen, found: Distribution) -> np.ndarray:
    """A value for each record: the lowest N(1) seen values get the first interval's mid-point, and so on (§4.2).

    Parameters
    ----------
    seen : the disguised values of some records
    found : the distribution that was reconstructed from them

    >>> by_rank([0.9, -0.4, 0.1], Distribution([0, 1, 2], [2 / 3, 1 / 3])).tolist()
    [1.5, 0.5, 0.5]
    """
    values = np.asarray(seen, dtype=float)
    # How many records lie in this interval or below it.
    up_to = np.rint(len(values) * np.cumsum(found.probabilities)).astype(int)
    interval = np.empty(len(values), dtype=int)
    interval[np.argsort(values, kind="stable")] = np.repeat(np.arange(len(up_to)), np.diff(up_to, prepend=0))
    return found.midpoints[interval]


def given_ages(seen: pd.Series, true: pd.Series, classes: pd.Series, channel: NumericChannel) -> pd.DataFrame:
    """Ages by rank: by one rule for all records (Global), and by one for each class (ByClass); beside the true ones."""
    merged = by_rank(seen, reconstruct(seen, channel, 30).distribution)
    apart = pd.Series(0.0, index=seen.index)  # filled class by class
    for label in classes.unique():
        own = classes == label
        apart[own] = by_rank(seen[own], reconstruct(seen[own], channel, 30).distribution)
    return pd.DataFrame({"true": true, "Global": merged, "ByClass": apart}, index=seen.index)


def share_of_a(ages: pd.DataFrame, classes: pd.Series, edges) -> pd.DataFrame:
    """The share of class A among the records of each stretch of ages, for each column of ages."""
    # Lines are drawn through the middles of the stretches.
    middles = pd.Index((np.asarray(edges)[1:] + np.asarray(edges)[:-1]) / 2, name="age")
    is_a = (classes == "A").to_numpy()
    shares = {
        name: pd.Series(is_a).groupby(np.digitize(column, edges[1:-1])).mean().to_numpy()
        for name, column in ages.items()
    }
    return pd.DataFrame(shares, index=middles)


def given_pairs(X: pd.DataFrame, channels: Channels, rng: np.random.Generator, bins: int = 26) -> pd.DataFrame:
    """Each column disguised, reconstructed and dealt out by rank: what a strategy makes of the records of a class.

    A point stands anywhere in the middle of its interval, so that a picture shows the crowd.
    """
    given = {}
    for name, channel in channels.items():
        values = channel.disguise(X[name], rng=rng)
        place = by_rank(values, reconstruct(values, channel, bins).distribution)
        width = (channel.high - channel.low) / bins
        given[name] = place + rng.uniform(-0.3, 0.3, len(X)) * width
    return pd.DataFrame(given, index=X.index)


def asked_again(table: pd.DataFrame, channel: NumericChannel, releases: int, rng=None) -> pd.DataFrame:
    """How far off the mean of so many releases is, each with new noise; beside it the law of independent draws."""
    source = np.random.default_rng(rng)  # one stream, so that the noise is new each time
    answers = [table.apply(channel.disguise, rng=source) for _ in range(releases)]
    counts = sorted({int(k) for k in np.geomspace(2, releases, 12).round()})
    off = [float((attacks.averaging(answers[:k]) - table).std().iloc[0]) for k in counts]
    law = np.sqrt(channel.variance() / np.array(counts))
    return pd.DataFrame({"measured": off, "law": law}, index=pd.Index(counts, name="releases"))


def customers(people: pd.DataFrame) -> pd.DataFrame:
    """The ages of these people in whole years, and a number for each of them."""
    return people[["age"]].round().astype(int).rename_axis("customer").reset_index()


def values_left(guess: pd.DataFrame) -> pd.Series:
    """The share of records for which an oracle leaves one possible value, two, three, or more."""
    words = ["one age left", "two", "three", "four or more"]
    left = (guess > 0).sum(axis=1).clip(upper=len(words))  # the last word stands for all higher numbers
    return left.map(dict(enumerate(words, 1))).value_counts(normalize=True).reindex(words)


def years_off(guess: pd.DataFrame, released: pd.Series, true: pd.Series) -> pd.DataFrame:
    """The error of the released values, and of the mean of the values that an oracle leaves."""
    # A row of guess holds the probabilities of the values that are its columns.
    mean = guess @ guess.columns.to_numpy(dtype=float)
    off = {"released age": released - true, "mean of the ages left": mean - true}
    return pd.DataFrame(off).std().to_frame("years off")


def seen_as(channel: NumericChannel, values: int) -> pd.DataFrame:
    """How often each true value is seen as which one, for an attribute of whole numbers."""
    edges = channel.true_bins(values)
    seen = channel.seen_bins(edges)
    # The outer bins are open: their values are one step beyond the next edge.
    names = np.r_[seen[1] - 0.5, seen[1:-1] + 0.5].astype(int)
    rows = pd.RangeIndex(values, name="true")
    return pd.DataFrame(channel.matrix(edges, seen), rows, pd.Index(names, name="seen"))


def directions(tables: dict[str, tuple[pd.DataFrame, Channels]]) -> pd.DataFrame:
    """The variances along the directions of tables whose columns are divided by the deviation of their noise."""
    found = {}
    for name, (seen, channels) in tables.items():
        deviations = pd.Series({column: np.sqrt(channels[column].variance()) for column in seen})
        found[name] = np.linalg.eigvalsh((seen / deviations).cov())[::-1]  # the largest first
    most = max(map(len, found.values()))
    return pd.DataFrame(found | {"noise alone": 1.0}, pd.RangeIndex(1, most + 1, name="direction"))


def as_if(report: pd.DataFrame, X: pd.DataFrame, channels: Channels) -> pd.DataFrame:
    """The level of noise at which a column alone would give away what all columns give away of it.

    Precisions add up: that of the best linear guess is that of the true column and that of the noise.
    """
    rms = report.loc[list(X), ["alone rms %", "together rms %"]].astype(float)
    # All in per cent of the range, like the report.
    width = pd.Series({name: channels[name].high - channels[name].low for name in X}) / 100
    tau = 1 / np.sqrt(1 / rms["together rms %"] ** 2 - 1 / (X.std() / width) ** 2)
    noise = pd.Series({name: np.sqrt(channels[name].variance()) for name in X}) / width
    return rms.assign(**{"as if at %": 100 * tau / noise})


def by_neighbours(tables: dict[str, pd.DataFrame], channel: NumericChannel, windows, rng=None) -> pd.DataFrame:
    """The error of a mean over neighbouring rows, for tables of one column in some order."""
    off = {}
    for name, table in tables.items():
        seen = table.apply(channel.disguise, rng=np.random.default_rng(rng))
        off[name] = [float((attacks.neighbours(seen, w) - table).std().iloc[0]) for w in windows]
    return pd.DataFrame(off, index=pd.Index(windows, name="mean over so many rows"))


def intervals_told(intervals: pd.DataFrame) -> "Picture":
    """Discretisation beside noise at equal privacy: accuracy on the five functions, by the number of intervals."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    keys = ["function", "pieces", "repeat"]
    long = intervals.rename(columns={"uniform": "uniform noise", "Gaussian": "Gaussian noise"})
    long = long.melt(keys, var_name="tree", value_name="accuracy")
    long["panel"] = long["pieces"].map("{} intervals".format)
    title = "At equal privacy, trees from noise are better than trees from intervals"
    how: Any = {"by": "tree", "panels": "panel", "labels": {"tree": ""}, "points": True, "percent": "y"}
    return lines(long, "function", "accuracy", title=title, **how)


def mid_point_distances(edges: np.ndarray, beyond: float) -> np.ndarray:
    """The distances between the mid-points of true intervals and of seen ones, which go so far beyond the domain."""
    middles = (edges[1:] + edges[:-1]) / 2
    width = edges[1] - edges[0]
    # Half a width more, because the last mid-point itself belongs to the range.
    seen = np.arange(middles[0] - beyond, middles[-1] + beyond + width / 2, width)
    return np.abs(seen - middles[:, None])


def inside(bands: dict[str, np.ndarray], true: Distribution) -> pd.DataFrame:
    """The share of intervals whose true share lies in the band, for each band."""
    held = {}
    for name, (low, high) in bands.items():
        held[name] = ((low <= true.probabilities) & (true.probabilities <= high)).mean()
    return pd.Series(held).to_frame("share of intervals whose band holds the truth")


def exact_xor() -> EstimatedTable:
    """Four cells of nine people each: class A on one diagonal, class B on the other."""
    halves = [Attribute.numeric("age", [60]), Attribute.numeric("salary", [75])]
    return EstimatedTable.from_counts(halves, ["A", "B"], [[[9, 0], [0, 9]], [[0, 9], [9, 0]]])


def other_experiments(experiments: pd.DataFrame) -> pd.DataFrame:
    """Points that ByClass loses against Original on Function 2, under other readings of the experiment."""
    wanted = ["our reading", "classes as they fall", "only age and salary disguised", "1,000,000 records"]
    return _lost(experiments[experiments["reading"].isin(wanted)])


def what_is_missing(experiments: pd.DataFrame) -> pd.DataFrame:
    """Points lost against Original on Function 2, if something is put right that no miner can put right."""
    words = {
        "our reading": "ByClass",
        "true split points": "ByClass, with the true split points",
        "true split points, Local": "Local, with the true split points",
        "true records, split points 5K off": "true records, all split points 5K off",
        "true margins, seen ranks": "true margins, in the seen order",
        "true margins, dealt at random": "true margins, dealt out at random",
    }
    here = experiments[experiments["reading"].isin(list(words))]
    return _lost(here.replace({"reading": words})).reindex(list(words.values()))


def _lost(experiments):
    points = experiments.assign(lost=100 * (experiments["original"] - experiments["accuracy"]))
    return points.pivot_table("lost", "reading", "noise", sort=False)


def planes_by(
    X: pd.DataFrame, y: pd.Series, kind, columns: list[str]
) -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Two columns and the classes of the records of each kind, for ``plots.planes``."""
    kinds = pd.Series(kind, index=X.index)
    name = kinds.name or ""
    return {
        f"{name} {one}".strip(): (X.loc[kinds == one, columns], y[kinds == one]) for one in sorted(kinds.unique())
    }


def kept_answers(study: Study, column: str, keep: list[float], rng=None) -> pd.DataFrame:
    """Accuracy if one column alone is disguised, by keeping answers or replacing them: of three ways to read it."""
    categories = sorted(study.X[column].unique())
    found = {}
    for p in keep:
        channel = KeepOrReplace(keep=p, categories=categories)
        seen = study.X.assign(**{column: channel.disguise(study.X[column], rng=np.random.default_rng(rng))})
        trees = {
            "ByClass": ReconstructedTreeClassifier({column: channel}, "byclass"),
            "Local": ReconstructedTreeClassifier({column: channel}, "local"),
            "as seen": GiniTreeClassifier(),
        }
        found[p] = {name: tree.fit(seen, study.y).score(study.test, study.test_y) for name, tree in trees.items()}
    return pd.DataFrame(found).T.rename_axis("kept with probability")


def rows_near(beliefs: np.ndarray, seen: np.ndarray, places: list[float]) -> dict[str, np.ndarray]:
    """The beliefs about the people who are seen nearest to some places, by name."""
    return {f"seen at {place:g}": beliefs[np.abs(seen - place).argmin()] for place in places}


def nine_people(seen: np.ndarray, estimates: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The pencil example for ``plots.distributions``: what is seen reaches one place farther on both sides."""
    shares = {"seen": (seen / seen.sum(), np.arange(len(seen) + 1) - 1.5)}
    return shares | {name: (found, np.arange(len(found) + 1) - 0.5) for name, found in estimates.items()}


def widths(methods: dict[str, NumericChannel], confidences) -> pd.DataFrame:
    """Table 1: the width of the shortest interval that holds the true value, for each confidence and method."""
    found = {name: [method.privacy(c) for c in confidences] for name, method in methods.items()}
    return pd.DataFrame(found, index=pd.Index(confidences, name="confidence"))


def rounds_needed(crowds: list[int], channel: NumericChannel, edges) -> pd.DataFrame:
    """After how many rounds the paper's rule stops, for crowds of different sizes with one true distribution."""
    found = {n: reconstruct(channel.disguise(triangles(n, rng=7), rng=8), channel, edges).n_iter for n in crowds}
    return pd.Series(found).rename_axis("people").to_frame("rounds")


def plane(function: int, columns: list[str], records: int = 1_500) -> tuple[pd.DataFrame, pd.Series]:
    """Records of a function in a plane, with their classes; "income" is the salary with the commission."""
    X, y = quest(records, function, rng=1)
    return X.assign(income=X["salary"] + X["commission"])[columns], y


def five_trees(run: Study) -> dict[str, Any]:
    """The five trees of a study, grown, by their prose names."""
    return {NAMES[name]: tree for name, tree in grown(run).items()}


def learners_told(learners: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on Function 2 of other learners than the paper's tree, from the records of ByClass."""
    words = {
        "original": "Original",
        "byclass": "ByClass",
        "byclass: boosting": "boosting on ByClass's records",
        "byclass: best size": "best tree of any size on them",
    }
    here = learners[learners["function"] == 2]
    return here.groupby("noise", sort=False)[list(words)].mean().rename(columns=words)
