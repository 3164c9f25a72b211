"""Li, Shaw & Lin 2003, the other side: what a released column gives away, beside what it is good for."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.data import quest
from ppdm.disguise import GaussianNoise, PrivacySpecification, mdlp_cuts
from ppdm.measure import information_gain, release_report
from ppdm.reconstruct import Distribution, reconstruct
from ppdm.studies.lsl03 import AGE, DROP, pima, quietly, released, specification, split
from ppdm.trees import C45Classifier

DENSITIES = ["best", "kernel", "normal", "lognormal", "gamma", "weibull", "exponential"]
YEARS = 3  # a value is named if the guess is at most so far from it
AGES: dict[str, Any] = {"low": 21, "high": 90, "step": 1}
KERNEL = {"action": "redraw", "density": "kernel", **AGES}
SHUFFLES: dict[str, dict[str, Any]] = {
    "shuffle globally": {"action": "shuffle"},
    "shuffle in class": {"action": "shuffle", "within": "class"},
}


FIFTHS = ["lowest", "second", "third", "fourth", "highest"]
SALARIES = {"low": 20_000, "high": 150_000}
SCALES: dict[str, dict[str, Any]] = {
    "added noise": {"action": "add", "noise": "gaussian", "sd": 20_000, **SALARIES},
    "random factor": {"action": "multiply", "noise": "gaussian", "sd": 0.27},
}


def _noise(noise, privacy):
    return {"action": "add", "noise": noise, "privacy": privacy, **AGES}


# What can be done to age: for each method its levels, from weak to strong.
LEVELS: dict[str, dict[str, dict[str, Any]]] = {
    "drop": {"": {"action": "drop"}},
    **{method: {"": action} for method, action in SHUFFLES.items()},
    "MDLP": {"": {"action": "discretise", "method": "mdlp"}},
    "groups of one size": {
        str(k): {"action": "discretise", "method": "frequency", "intervals": k} for k in (20, 10, 5, 3, 2)
    },
    "Gaussian noise": {f"{level:.0%}": _noise("gaussian", level) for level in (0.1, 0.25, 0.5, 1.0, 2.0)},
    "uniform noise": {f"{level:.0%}": _noise("uniform", level) for level in (0.1, 0.25, 0.5, 1.0, 2.0)},
    "factor": {f"{sd:.0%}": {"action": "multiply", "noise": "gaussian", "sd": sd} for sd in (0.05, 0.1, 0.276)},
    "redraw": {density: {**KERNEL, "density": density} for density in ("kernel", "best", "lognormal")},
}
RELEASES = {
    f"{method}: {level}".strip(": "): action for method, own in LEVELS.items() for level, action in own.items()
}


# Of these, those that notebook 02 compares, by the names that it gives them.
CHOSEN = {
    "strong noise": "Gaussian noise: 100%",
    "MDLP": "MDLP",
    "redrawn (kernel)": "redraw: kernel",
    "shuffled in class": "shuffle in class",
    "shuffled globally": "shuffle globally",
}


class Believed(NamedTuple):
    """A released column, and what an intruder believes of the true values, record by record."""

    seen: pd.Series
    belief: np.ndarray
    values: np.ndarray


def believed(table: pd.DataFrame, seed: int) -> dict[str, Believed]:
    """What an intruder believes of the ages, after each of the chosen releases."""
    found = {}
    for name, way in CHOSEN.items():
        fitted, seen = released({"age": {**AGE, **RELEASES[way]}}, table, seed)
        found[name] = Believed(seen["age"], *beliefs(fitted, table, seen))
    return found


def beliefs(
    fitted: PrivacySpecification, table: pd.DataFrame, seen: pd.DataFrame, column: str = "age"
) -> tuple[np.ndarray, np.ndarray]:
    """What an intruder believes of each person's true value who knows which released record is theirs.

    Returns a row for each record, which adds up to 1 over the true values; and these values. The intruder knows the
    specification, the released table and how frequent each true value is.
    """
    values, places = np.unique(table[column], return_inverse=True)
    companion = fitted.companion(column, table)
    groups = np.zeros(len(table), dtype=int) if companion is None else pd.factorize(companion)[0]
    counts = np.zeros((len(values), groups.max() + 1))
    np.add.at(counts, (places, groups), 1)
    shown = seen[column].to_numpy() if column in seen else None
    return fitted.actions_[column].posterior(shown, groups, values, counts), values


def guesses(belief: np.ndarray, values: np.ndarray, tolerance: float) -> np.ndarray:
    """The best guess of each record: the middle of the window, twice the tolerance wide, that holds most belief.

    A window begins at a value, because one that begins elsewhere holds no more. Of equally good ones the middle one
    counts: who is certain of a value guesses this value.
    """
    # A row for each window, by its first value.
    inside = (values >= values[:, None]) & (values <= values[:, None] + 2 * tolerance)
    mass = belief @ inside.T
    best = mass > mass.max(axis=1, keepdims=True) - 1e-9
    middle = (best.argmax(axis=1) + len(values) - 1 - best[:, ::-1].argmax(axis=1)) // 2
    # Two good windows far apart have none between them that is as good.
    chosen = np.where(best[np.arange(len(best)), middle], middle, best.argmax(axis=1))
    # The middle of the window: a guess is right on either side of it.
    return values[chosen] + tolerance


def named(belief: np.ndarray, values: np.ndarray, true, tolerance: float = YEARS) -> float:
    """The share of people whose true value lies within the tolerance of the intruder's guess."""
    guess = guesses(belief, values, tolerance)
    return float((np.abs(guess - np.asarray(true)) <= tolerance).mean())


def ranked(true: pd.Series, seen: pd.Series, tolerance: float = YEARS) -> float:
    """What is named of a column in its old rank order, by somebody who knows how frequent each true value is.

    He sorts the released values: the record at the 700th place has the 700th true value, whatever was drawn.
    """
    places = seen.rank(method="first").astype(int) - 1
    return float((np.abs(np.sort(true)[places] - true) <= tolerance).mean())


def useful(column: pd.Series | None, classes: pd.Series) -> float:
    """The gain of a released column, after the cuts that MDLP makes between its numbers or intervals; 0 of none."""
    if column is None:
        return 0.0
    values = column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column
    return information_gain(np.searchsorted(mdlp_cuts(values, classes), values, side="right"), classes)


def report(
    columns: dict[str, Any], table: pd.DataFrame, seed: int | None = None, quick: bool = False, **settings: Any
) -> Any:
    """The report of a release of the whole table; settings: what the specification says beside the columns."""
    whole = {"class": "class", "others": "keep", "columns": columns, **settings}
    fitted = PrivacySpecification(whole, seed)
    return release_report(fitted, table, quietly(fitted.release, table), quick)


def walked_back(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Which ages are named or inferred if the pregnancies are kept, and if they are dropped."""
    rows = {}
    for name, first in {"preg: keep": {"action": "keep"}, "preg: drop": DROP}.items():
        for way in ("drop", "shuffle in class"):
            found = report({"preg": first, "age": {**AGE, **RELEASES[way]}}, table, seed=seed)
            rows[name, f"age: {way}"] = found.columns.loc["age", ["baseline", "named", "inferred"]]
    return pd.DataFrame(rows).T.astype(float)


def frontier(way: str, rng: np.random.Generator) -> dict[str, float]:
    """Privacy and use of age, released in one way (preg is dropped).

    - named : the share of people whose age is named within three years, by somebody who knows their released record
    - gain : what the released age tells of the class, after cuts
    - test : of 192 records with their true ages, how many C4.5 classifies rightly, grown from 576 released ones
    """
    table, entry = pima(), {**AGE, **RELEASES[way]}
    train, test = split(rng)
    seed = int(rng.integers(2**62))
    y, test_y = train.pop("class"), test.pop("class")
    # Privacy and gain are those of the whole table; only the accuracy needs a division.
    whole, seen = released({"age": entry}, table, seed)
    own = specification({"preg": DROP, "age": entry}, seed)
    model = C45Classifier().fit(quietly(own.fit_transform, train, y), y)
    # Noise of the test ages would only hide what the tree is worth.
    true = own.transform(test) if entry["action"] in ("drop", "discretise") else test.drop(columns="preg")
    return {
        "named": named(*beliefs(whole, table, seen), table["age"]),
        "gain": useful(seen.get("age"), table["class"]),
        "test": int((model.predict(true) == test_y).sum()),
    }


def people(records: int, rng: np.random.Generator) -> pd.DataFrame:
    """Ages and classes of a large population like Pima's: records drawn from it, each moved by about two years."""
    rows = pima()[["age", "class"]].sample(records, replace=True, random_state=rng, ignore_index=True)
    moved = rows["age"] + rng.normal(0, 2, records)
    # Nobody in the table is below 21, so that who would be is reflected there.
    years = np.rint(21 + np.abs(moved - 21)).clip(upper=90)
    return rows.assign(age=years)


SIZED = {
    "Gaussian noise": _noise("gaussian", 1.0),
    "redraw, kernel": KERNEL,
    "redraw, best": {**KERNEL, "density": "best"},
    **SHUFFLES,
}


def size(way: str, records: int, rng: np.random.Generator) -> dict[str, float]:
    """What the same method hides in a small and in a large table.

    - named : as in ``frontier``; of a redrawn age by somebody who takes it for the nearest true one
    - told : how far what is told of the distribution of ages lies from the truth, in total variation over three years
    - bias : by how much the mean age is too high
    - move : by how many years an age changes, in the mean
    """
    table = people(records, rng)
    fitted, seen = released({"age": {**AGE, **SIZED[way]}}, table, int(rng.integers(2**62)))
    edges = np.linspace(21, 90, 24)
    if way == "Gaussian noise":
        # What the noise leaves is not what the miner ends with: it is undone for all people together.
        channel = GaussianNoise.at_privacy(1.0, **AGES)
        found = reconstruct(seen["age"], channel, edges).distribution
    else:
        found = Distribution.from_values(seen["age"], edges)
    return {
        "named": named(*beliefs(fitted, table, seen), table["age"]),
        "told": found.distance(Distribution.from_values(table["age"], edges)),
        "bias": float(seen["age"].mean() - table["age"].mean()),
        "move": float((seen["age"] - table["age"]).abs().mean()),
    }


def redrawn(density: str, rng: np.random.Generator) -> dict[str, float]:
    """By how much redrawn ages of Pima miss the true mean, standard deviation and quantiles; and what they hide.

    - move : by how many years an age changes, in the mean
    - named : within three years, by somebody who takes each released age for the nearest true one
    - ranked : by somebody who goes by the rank order
    """
    table = pima()
    columns = {"age": {**AGE, **KERNEL, "density": density}}
    fitted, seen = released(columns, table, int(rng.integers(2**62)))
    true, new = table["age"], seen["age"]
    off = {f"q{q:02d}": float(new.quantile(q / 100) - true.quantile(q / 100)) for q in (5, 50, 75, 95)}
    return {
        "mean": float(new.mean() - true.mean()),
        "sd": float(new.std(ddof=0) - true.std(ddof=0)),
        **off,
        "move": float((new - true).abs().mean()),
        "named": named(*beliefs(fitted, table, seen), true),
        "ranked": ranked(true, new),
    }


def shares(frontier: pd.DataFrame) -> pd.Series:
    """What is named after the chosen releases (%), the most first; and if the age is kept, or dropped."""
    named_after = 100 * frontier.groupby("way")["named"].mean()
    chosen = pd.Series({name: named_after[way] for name, way in CHOSEN.items()}).sort_values(ascending=False)
    return pd.concat([pd.Series({"kept": 100.0}), chosen, pd.Series({"dropped (baseline)": named_after["drop"]})])


def by_size(size: pd.DataFrame) -> pd.DataFrame:
    """What is told of the distribution in small and large tables; the bias of the mean age, and its error (years)."""
    # Within class a shuffle tells as much as globally.
    some = size[size["records"].isin([50, 1_000, 100_000]) & (size["way"] != "shuffle in class")]
    long = some.assign(error=some["bias"].abs()).melt(["way", "records"], ["told", "bias", "error"], "measure")
    return long.pivot_table("value", ["measure", "way"], "records", sort=False)


def scale_problem(seed: int) -> pd.DataFrame:
    """How many of 20,000 salaries are released within 10 % of the true one, in per cent, by fifths from low to high."""
    X, y = quest(20_000, function=1, rng=seed)
    table = X[["salary"]].assign(**{"class": y})
    near = pd.DataFrame({"fifth": pd.qcut(table["salary"], 5, labels=FIFTHS).astype(str)})
    for way, action in SCALES.items():
        seen = released({"salary": action}, table, seed)[1]["salary"]
        near[way] = 100 * ((seen / table["salary"] - 1).abs() <= 0.1)
    return near.groupby("fifth").mean().loc[FIFTHS]
