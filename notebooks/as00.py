"""Agrawal & Srikant 2000 at its own scale: what notebook 01 runs small, and quotes in full from results/.

Every measure draws its records first and then disguises them, so that what differs afterwards, strategy or stopping
rule, meets the same records.
"""

import time
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from scipy.special import xlogy

from ppdm.data import QUEST_RANGES, plateau, quest, shape_probabilities, triangles
from ppdm.disguise import NOISES, Disguise, Intervals, NumericChannel
from ppdm.measure import linkage_rate
from ppdm.reconstruct import (
    ChiSquareStop,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    reconstruct,
)
from ppdm.reconstruct.stopping import TINY
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier
from ppdm.trees.reconstructed import Strategy

STEPS = {"elevel": 1, "car": 1, "zipcode": 1}
LEVELS = [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0]
TRAIN, TEST = 100_000, 5_000
SHAPES = {"plateau": plateau, "triangles": triangles}
RULES: dict[str, dict[str, Any]] = {
    "χ² step": {"stop": ChiSquareStop()},
    "discrepancy": {"stop": DiscrepancyStop()},
    "held-out": {"stop": HeldOutStop()},
    "100 steps": {"stop": FixedStop(100)},
    "1,000 steps": {"stop": FixedStop(1000)},
    "χ² step, smoothed": {"stop": ChiSquareStop(), "smooth": 0.01},
}
# All five trees are pruned by the same prices; see "readings" for others.
PRICES: dict[str, Any] = {"test_bits": "cuts", "leaf_bits": "both"}
Channels = dict[Any, NumericChannel]


@dataclass(frozen=True, eq=False)
class Study:
    """True records, their disguise and what is seen of them; and true records to test on."""

    X: pd.DataFrame
    y: pd.Series
    channels: Channels
    seen: pd.DataFrame
    test: pd.DataFrame
    group: pd.Series

    def accuracy(self, model: Any, seen: bool = True) -> float:
        """Accuracy on the test records of a classifier that learns from the seen records, or from the true ones."""
        return float(model.fit(self.seen if seen else self.X, self.y).score(self.test, self.group))


def channels_at(noise: str, level: float) -> Channels:
    """A channel for each attribute, all at one privacy level: a noise by its name, or "intervals"."""
    kind = {"intervals": Intervals, **NOISES}[noise]
    return {
        name: kind.at_privacy(level, low=low, high=high, step=STEPS.get(name))
        for name, (low, high) in QUEST_RANGES.items()
    }


def study(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN, balanced: bool = True
) -> Study:
    """Records of a function, every attribute disguised."""
    X, y = quest(records, function, balanced, rng)
    test, group = quest(TEST, function, balanced, rng)
    channels = channels_at(noise, level)
    return Study(X, y, channels, Disguise(channels, random_state=rng).fit_transform(X), test, group)


def bins(channel: NumericChannel, records: int) -> np.ndarray:
    """The intervals of an attribute's domain: one for 100 records, from 10 to 100, or one a value (§4.2)."""
    return channel.true_bins(min(int(np.clip(records / 100, 10, 100)), channel.most_bins))


def original(channels: Channels, records: int) -> GiniTreeClassifier:
    """The tree for true values, cut in the same intervals."""
    cuts = {name: bins(channel, records)[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts, **PRICES)


def randomized(channels: Channels, records: int) -> GiniTreeClassifier:
    """The tree for disguised values as they are, their range cut in intervals of the same width."""
    cuts = {name: channel.seen_bins(bins(channel, records))[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts, **PRICES)


def strategies(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """Accuracy of the five trees of Figures 5 and 6, from the same records."""
    run = study(function, noise, level, rng, records)
    found = {
        "original": run.accuracy(original(run.channels, records), seen=False),
        "randomized": run.accuracy(randomized(run.channels, records)),
    }
    for strategy in get_args(Strategy):
        found[strategy] = run.accuracy(ReconstructedTreeClassifier(run.channels, strategy))
    return found


def shapes(shape: str, noise: str, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """Figure 2: how far from the truth each stopping rule ends, and after how many steps."""
    channel = NOISES[noise](**{NOISES[noise].scale_name: 0.25 if noise == "Gaussian" else 0.5}, low=0, high=1)
    edges = np.linspace(0, 1, 21)
    true = Distribution(edges, shape_probabilities(shape, edges))
    seen = channel.disguise(SHAPES[shape](records, rng), rng)
    found: dict[str, float] = {}
    for name, rule in RULES.items():
        run = reconstruct(seen, channel, edges, **rule)
        found |= {name: run.distribution.distance(true), f"{name}: steps": run.n_iter}
    run = reconstruct(seen, channel, edges, FixedStop(5000))
    path = np.abs(run.history - true.probabilities).sum(axis=1) / 2
    again = np.abs(run.history @ run.matrix - run.counts / records).sum(axis=1) / 2
    best = int(path.argmin())
    found |= {"as seen": float(np.maximum(run.counts / records - _inside(true, channel), 0).sum())}
    found |= {"best": path[best], "best: steps": best, "best: again": again[best]}
    return found | {"5,000 steps": path[-1], "5,000 steps: again": again[-1]}


def _inside(true: Distribution, channel: NumericChannel) -> np.ndarray:
    """The true shares of the seen intervals: none beyond the domain."""
    beyond = (len(channel.seen_bins(true.edges)) - len(true.edges)) // 2
    return np.pad(true.probabilities, beyond)


def rules(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """What the stopping rule does to the tree."""
    run = study(function, noise, level, rng)
    return {name: run.accuracy(ReconstructedTreeClassifier(run.channels, **rule)) for name, rule in RULES.items()}


def discretised(intervals: int) -> dict[str, Channels]:
    """Every attribute in so many intervals (or one a value), and both noises with the privacy that these give."""
    cut: Channels = {}
    for name, (low, high) in QUEST_RANGES.items():
        most = intervals if name not in STEPS else min(intervals, high - low + 1)
        cut[name] = Intervals(edges=int(most), low=low, high=high, step=STEPS.get(name))
    noises: dict[str, Channels] = {
        noise: {
            name: kind.at_privacy(c.privacy() / (c.high - c.low), low=c.low, high=c.high, step=c.step)
            for name, c in cut.items()
        }
        for noise, kind in NOISES.items()
    }
    return {"intervals": cut, **noises}


def classes(function: int, intervals: int, rng: np.random.Generator) -> dict[str, float]:
    """Discretisation beside noise at equal privacy (§2.1): all attributes, the same records."""
    X, y = quest(TRAIN, function, rng=rng)
    test, group = quest(TEST, function, rng=rng)
    found = {}
    for name, channels in discretised(intervals).items():
        seen = Disguise(channels, random_state=rng).fit_transform(X)
        found[name] = ReconstructedTreeClassifier(channels).fit(seen, y).score(test, group)
        if name == "intervals":
            found["intervals as seen"] = GiniTreeClassifier(**PRICES).fit(seen, y).score(test, group)
    return found


READINGS: dict[str, dict[str, Any]] = {
    "our reading": {},
    "mid-points": {"exact": False},
    "1,000 steps": {"stop": FixedStop(1000)},
    "held-out stop": {"stop": HeldOutStop()},
    "smoothed by 1 %": {"smooth": 0.01},
    "10 intervals": {"intervals": 10},
    "25 intervals": {"intervals": 25},
    "50 intervals": {"intervals": 50},
    "a test costs 1 bit": {"test_bits": "constant"},
    "a leaf costs its errors": {"leaf_bits": "errors"},
    "a leaf costs its classes": {"leaf_bits": "classes"},
    "pruned as C4.5": {"prune": "pessimistic"},
    "Local": {"strategy": "local"},
    "Local, 100 steps": {"strategy": "local", "stop": FixedStop(100)},
    "Local, held-out stop": {"strategy": "local", "stop": HeldOutStop()},
    "Local, from 200 records on": {"strategy": "local", "small": 200},
    "Local, from 5,000 records on": {"strategy": "local", "small": 5000},
    "Local, tested again": {"strategy": "local", "retain": False},
}


def readings(function: int, noise: str, level: float, reading: str, rng: np.random.Generator) -> float:
    """Accuracy by class under other readings of what the paper leaves open."""
    run = study(function, noise, level, rng)
    return run.accuracy(ReconstructedTreeClassifier(run.channels, **READINGS[reading]))


# Other readings of the experiment itself: what is disguised, how many records there are, in what proportion. And two
# that no miner can carry out, which tell what is missing: the true margins of each group, given by the ranks of the
# seen values, or dealt out at random.
EXPERIMENTS = (
    "our reading",
    "groups as they fall",
    "only age and salary disguised",
    "1,000,000 records",
    "true margins, seen ranks",
    "true margins, dealt at random",
)


def experiments(function: int, noise: str, level: float, reading: str, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy by class under other readings of the experiment, and of Original there."""
    records = 1_000_000 if reading == "1,000,000 records" else TRAIN
    run = study(function, noise, level, rng, records, balanced=reading != "groups as they fall")
    found = {"original": run.accuracy(original(run.channels, records), seen=False)}
    if reading.startswith("true margins"):
        ranked = run.seen if reading.endswith("ranks") else run.seen.apply(lambda column: rng.random(len(column)))
        model, seen = original(run.channels, records), true_margins(run.X, run.y, ranked)
    elif reading == "only age and salary disguised":
        model = ReconstructedTreeClassifier({name: run.channels[name] for name in ("age", "salary")})
        seen = run.X.assign(age=run.seen["age"], salary=run.seen["salary"])
    else:
        model, seen = ReconstructedTreeClassifier(run.channels), run.seen
    return found | {"accuracy": float(model.fit(seen, run.y).score(run.test, run.group))}


def true_margins(X: pd.DataFrame, y: pd.Series, ranked: pd.DataFrame) -> pd.DataFrame:
    """In each group the lowest true value to the record that ranks lowest, and so on, column by column."""
    given = {name: X[name].to_numpy().copy() for name in X.columns}
    for rows in (np.flatnonzero(y == group) for group in y.unique()):
        for name, values in given.items():
            order = rows[np.argsort(ranked[name].to_numpy()[rows], kind="stable")]
            values[order] = np.sort(values[rows])
    return X.assign(**given)


def linkage(noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The share of 5,000 people whom an intruder finds who knows some of their attributes (or all nine)."""
    X, _ = quest(TEST, rng=rng)
    channels = channels_at(noise, level)
    seen = Disguise(channels, random_state=rng).fit_transform(X)
    known = {"age": ["age"], "age, salary, loan": ["age", "salary", "loan"], "all nine": list(X.columns)}
    return {
        name: linkage_rate({a: channels[a] for a in some}, X[some], released=seen[some]) for name, some in known.items()
    }


def seconds(records: int, strategy: Strategy, rng: np.random.Generator) -> float:
    """The time of a fit; to a depth of 8, because more records grow larger trees."""
    run = study(2, "Gaussian", 1.0, rng, records)
    model = ReconstructedTreeClassifier(run.channels, strategy, max_depth=8)
    start = time.perf_counter()
    model.fit(run.seen, run.y)
    return time.perf_counter() - start


# What notebook 01 draws


def figure2(edges: np.ndarray, rng: np.random.Generator, records: int = TRAIN) -> dict[str, dict[str, Any]]:
    """The four panels of Figure 2: true, seen and reconstructed shares, for ``plots.distribution_panels``."""
    panels = {}
    for noise, scale in {"Gaussian": 0.25, "uniform": 0.5}.items():
        channel = NOISES[noise](**{NOISES[noise].scale_name: scale}, low=0, high=1)
        for shape, draw in SHAPES.items():
            run = reconstruct(channel.disguise(draw(records, rng), rng), channel, edges)
            panels[f"{shape}, {noise} noise"] = {
                "true": Distribution(edges, shape_probabilities(shape, edges)),
                "seen": (run.counts / run.counts.sum(), channel.seen_bins(edges)),
                "reconstructed": run.distribution,
            }
    return panels


def watch(
    seen: np.ndarray, others: np.ndarray, channel: NumericChannel, true: Distribution, steps: int
) -> pd.DataFrame:
    """After each Bayes step: what only a teacher knows, what the miner can see, and what other people's values say."""
    run = reconstruct(seen, channel, true.edges, FixedStop(steps))
    fresh = reconstruct(others, channel, true.edges, FixedStop(1)).counts
    again = run.history @ run.matrix
    columns = {
        "distance to the truth": np.abs(run.history - true.probabilities).sum(axis=1) / 2,
        "distance disguised again": np.abs(again - run.counts / run.counts.sum()).sum(axis=1) / 2,
        "held-out log-likelihood": xlogy(fresh, np.maximum(again, TINY)).sum(axis=1),
    }
    return pd.DataFrame(columns).rename_axis("Bayes steps")


def differences(
    strategies: pd.DataFrame, shapes: pd.DataFrame, intervals: pd.DataFrame
) -> dict[str, tuple[str, pd.Series]]:
    """For the claims about distances and accuracies: what is said, and differences that are at least 0 if it is so.

    The three tables are those of the results, indexed by their arguments and "repeat".
    """
    start = shapes.index.get_level_values("shape").map({"plateau": 0.5, "triangles": 0.24})
    cut = intervals[["intervals", "intervals as seen"]].max(axis=1)
    loss, above = (
        pd.concat({k: strategies[k] - strategies[other] for k in ("byclass", "local")}, names=["strategy"])
        for other in ("original", "randomized")
    )
    points = loss.index.get_level_values("function").map({2: 0.15, 3: 0.15}).fillna(0.05)
    shown = _at(strategies, [0.25, 1.0])
    worse = shown[["byclass", "local"]].min(axis=1) - shown["global"]
    near = 0.05 + shown["randomized"] - shown["original"]
    gap: Any = strategies.xs("Gaussian", level="noise") - strategies.xs("uniform", level="noise")
    parts = {"before": _at(gap["randomized"], [1.0, 1.5, 2.0]) - 0.05, "after": 0.05 - gap["byclass"].abs()}
    return {
        "A2": ("Figure 2: the shapes come back", start / 2 - shapes["χ² step"]),
        "A3": (
            "At equal privacy, discretisation gives worse trees than uniform noise (§2.1)",
            intervals["uniform"] - cut,
        ),
        "A4": ("At 25 and 50 %, ByClass and Local are very close to Original (§5.2)", 0.05 + _at(loss, [0.25, 0.5])),
        "A5": ("At 100 % within 5 points (Functions 1, 4, 5) or 15 (2, 3) (§5.2)", _at(loss + points, [1.0])),
        "A6": ("Reconstruction beats Randomized (§5.2)", above),
        "A7": (
            "Global is worse, but near on Functions 4 and 5, as even Randomized is (§5.2)",
            pd.concat([worse.loc[[1, 2, 3]], near.loc[[4, 5]]]),
        ),
        "A8": (
            "Local is slightly better than ByClass and much dearer, Global is cheapest (§4.2, §6)",
            strategies["local"] - strategies["byclass"],
        ),
        "A10": (
            "Before correction uniform noise hurts far more, after it both are comparable (§5.3)",
            pd.concat(parts, names=["correction"]),
        ),
    }


def _at(values: Any, levels: list[float]) -> Any:
    return values[values.index.isin(levels, level="level")]


def verdict(gain: pd.Series) -> dict[str, Any]:
    """Whether a difference is at least 0, cell by cell, and how to say it: for ``Ledger.check``.

    A cell counts as yes or no if its mean over the repeats is two standard errors on that side of 0, else as undecided.
    All yes: the claim holds; all no: it does not; else it holds partly.

    gain : indexed by the cell's arguments, of which one is "repeat"
    """
    cells = gain.groupby(level=[place for place, name in enumerate(gain.index.names) if name != "repeat"], sort=False)
    mean, error = cells.mean(), cells.sem()
    yes, no = mean - 2 * error >= 0, mean + 2 * error < 0
    lowest: Any = mean.idxmin()
    where = ", ".join(
        value if isinstance(value, str) else f"{name} {value:g}"
        for name, value in zip(mean.index.names, lowest, strict=True)
    )
    return {
        "measured": f"{yes.sum()} of {len(mean)} cells yes, {no.sum()} no; "
        f"least margin {mean[lowest]:+.3f} ± {error[lowest]:.3f} ({where})",
        "holds": True if yes.all() else False if no.all() else "partly",
    }
