"""Joint reconstruction at full scale: what notebook 06 runs small, and quotes in full from results/."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.special import xlogy

from ppdm.data import QUEST_RANGES, load, quest, quest_class
from ppdm.disguise import NOISES
from ppdm.measure.risk import hits
from ppdm.reconstruct import Distribution, FixedStop, JointDistribution, together
from ppdm.reconstruct import shares as class_shares
from ppdm.reconstruct.distribution import interval_of
from ppdm.reconstruct.joint import carry_back, disguise_again
from ppdm.reconstruct.stopping import TINY
from ppdm.studies.as00 import TEST, TRAIN, Channels, Study, bins, channels_at, original, study
from ppdm.studies.synthesis import synthesise
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier
from ppdm.trees.reconstructed import Strategy

YEARS, DOLLARS = 3, 7_000  # by which the functions' constants are shifted
# What each number can be (low, high, step), as a questionnaire or a measuring device tells, never the records.
DOMAINS: dict[str, dict[str, tuple[float, float, float | None]]] = {
    "adult": {
        "age": (17, 90, 1),
        "fnlwgt": (0, 1_500_000, None),
        "education-num": (1, 16, 1),
        "capital-gain": (0, 100_000, None),
        "capital-loss": (0, 5_000, None),
        "hours-per-week": (1, 99, 1),
    },
    "pima": {
        "preg": (0, 20, 1),
        "plas": (0, 200, 1),
        "pres": (0, 130, 1),
        "skin": (0, 100, 1),
        "insu": (0, 900, 1),
        "mass": (0, 70, 0.1),
        "pedi": (0, 2.5, 0.001),
        "age": (21, 90, 1),
    },
}
STRATEGIES: tuple[Strategy, ...] = ("byclass", "local", "joint")
DELTA, MOST = 1e-5, 20  # of the synthesiser; the intervals of a number that it is told
PRIVATE = ("age", "salary")  # whose privacy is measured
# What else might have been chosen, with the names of the library's constants.
CHOICES: dict[str, tuple[Any, dict[str, Any]]] = {
    "as they are": (together, {"WORTH": together.WORTH}),
    "mix of 10 steps": (class_shares, {"MIX_STOP": FixedStop(10)}),
    "mix of 500 steps": (class_shares, {"MIX_STOP": FixedStop(500)}),
    "worth of 1 unit": (together, {"WORTH": 1.0}),
    "worth of 16 units": (together, {"WORTH": 16.0}),
    "as many seen intervals": (together, {"SEEN_PER_TRUE": 1.0}),
    "twice as many seen": (together, {"SEEN_PER_TRUE": 2.0}),
    "at most 100 steps": (together, {"SEARCH_STEPS": 100, "MOST_STEPS": 100}),
    "at most 16 intervals": (together, {"LADDER": tuple(rung for rung in together.LADDER if rung <= 16)}),
}
FINE = {"age": 30, "salary": 26}  # intervals that all constants of Function 2 are edges of
PEOPLE, CANDIDATES, PARTS = 5_000, 1_000, 10  # people looked at; so many at a time to be found among; parts of a range


def strategies(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy by class and jointly, from the records of Figures 5 and 6."""
    return _both(study(function, noise, level, rng))


def shifted(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The same with all constants for age and salary shifted, so that no grid can lie on them by luck."""
    X, y = _shifted_records(TRAIN, function, rng)
    test, test_y = _shifted_records(TEST, function, rng)
    return _beside_original(Study.of(X, y, channels_at(noise, level), test, test_y, rng))


def records(function: int, noise: str, level: float, records: int, rng: np.random.Generator) -> dict[str, float]:
    """How accuracy grows with the training records."""
    return _beside_original(study(function, noise, level, rng, records))


def choices(noise: str, records: int, choice: str, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on Function 2 at 100 % with other constants of the joint reconstruction."""
    run = study(2, noise, 1.0, rng, records)
    module, constants = CHOICES[choice]
    with patch.multiple(module, **constants):
        return {"joint": run.accuracy(ReconstructedTreeClassifier(run.channels, "joint"))}


def real(table: str, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on true records of a real table, of which every number is disguised; and of the larger class."""
    X, y, test, test_y = _real_records(table, rng)
    channels: Channels = {
        name: NOISES[noise].at_privacy(level, low=low, high=high, step=step)
        for name, (low, high, step) in DOMAINS[table].items()
    }
    run = Study.of(X, y, channels, test, test_y, rng)
    found = _without_disguise(run) | {"randomized": run.accuracy(GiniTreeClassifier())}
    for strategy in STRATEGIES:
        found[strategy] = run.accuracy(ReconstructedTreeClassifier(channels, strategy))
    return found


def synthesiser(table: str, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on true records of a tree that grew from synthetic ones; somebody trusted held the true ones.

    Beside it that of a tree from true records that know their intervals only, as the synthesiser does ("intervals").
    """
    X, y, test, test_y = _real_records(table, rng)
    edges = {name: _twenty(*domain) for name, domain in DOMAINS[table].items()}
    codes = pd.DataFrame({name: interval_of(X[name].to_numpy(), cuts[1:-1]) for name, cuts in edges.items()})
    sizes = {"class": len(y.cat.categories)} | {name: len(cuts) - 1 for name, cuts in edges.items()}
    made = synthesise(codes.assign(**{"class": y.cat.codes})[list(sizes)], sizes, epsilon, DELTA, rng)
    labels = pd.Series(y.cat.categories[made["class"]])
    found = _without_disguise(Study(X, y, {}, X, test, test_y))
    for name, (kept, classes) in {"intervals": (codes, y), "synthetic": (made, labels)}.items():
        middles = {column: ((cuts[1:] + cuts[:-1]) / 2)[kept[column]] for column, cuts in edges.items()}
        found[name] = float(GiniTreeClassifier().fit(pd.DataFrame(middles), classes).score(test, test_y))
    return found


def price(noise: str, level: float, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """What the estimate tells of single people whose class is known, beside what was released of them.

    For 5,000 of them and their age, and salary:

    - true tenth: the probability given to the tenth of the range in which it is; mean
    - error: of the posterior mean; mean, in years or dollars
    - 99 %: the highest probability of a tenth, which 99 % of the people do not exceed

    each with the reconstruction by class and no release ("class alone"), with the same and this attribute's release
    ("margins"), with the joint reconstruction and the releases of age and salary ("pair"), and with those of all
    attributes that it took together ("joint"). And the share that is found of 1,000 people by who knows their ages and
    salaries ("linked"); who takes what these tell of the class from the joint estimate, too ("linked: joint"); who
    knows the class, too ("linked: class known").
    """
    run = study(2, noise, level, rng, records)
    people = rng.choice(records, PEOPLE, replace=False)
    model = ReconstructedTreeClassifier(run.channels, "joint").fit(run.seen, run.y)
    assert model.joint_ is not None
    found: dict[str, float] = {}
    for name in PRIVATE:
        edges, true = model.joint_.edges[name], run.X[name].to_numpy()[people]
        for kind, posterior in _posteriors(run, model, name, people).items():
            found |= {f"{name}: {what}, {kind}": number for what, number in _told(posterior, edges, true).items()}
    linked = pd.DataFrame([_linked(run, model, some) for some in people.reshape(-1, CANDIDATES)])
    return found | {str(name): float(share) for name, share in linked.mean().items()}


def _both(run: Study) -> dict[str, float]:
    return {
        strategy: run.accuracy(ReconstructedTreeClassifier(run.channels, strategy)) for strategy in ("byclass", "joint")
    }


def _beside_original(run: Study) -> dict[str, float]:
    return {"original": run.accuracy(original(run.channels, len(run.X)), seen=False), **_both(run)}


def _shifted_records(n: int, function: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """So many records, half of them in each group, of a function whose constants are larger by YEARS and DOLLARS."""
    X, _ = quest(6 * n, function, balanced=False, rng=rng)
    y = quest_class(X.assign(age=X["age"] - YEARS, salary=X["salary"] - DOLLARS), function)
    chosen = np.concatenate([np.flatnonzero(y == group)[: n // 2] for group in ("A", "B")])
    if len(chosen) < n:
        raise ValueError(f"group counts are {y.value_counts().to_dict()}; expected {n // 2:,} of each")
    return X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)


# What notebook 06 runs


def cells_right(share: np.ndarray, edges: dict[str, np.ndarray], X: pd.DataFrame, group: pd.Series) -> float:
    """The share of people who are classified rightly by the larger group of their cell, given the share of A."""
    cell = tuple(np.searchsorted(cuts[1:-1], X[name], side="right") for name, cuts in edges.items())
    return float((np.where(share[cell] > 0.5, "A", "B") == group).mean())


def by_rank(values: pd.Series, found: Distribution) -> np.ndarray:
    """The middle of the interval that ByClass gives each value of a class: the lowest to the first (AS00 §4.2).

    Equal values in the order of the records, where the library breaks ties by lot.
    """
    upto = np.rint(np.cumsum(found.probabilities) * len(values))
    place = np.searchsorted(upto[:-1], values.rank(method="first") - 0.5)
    return found.midpoints[place]


def believed(run: Study, model: Any, person: int) -> dict[str, np.ndarray]:
    """What is believed of the age and salary of one person whose class is known: P(cell), in three ways.

    By the joint estimate before anything was released; by the margins, and by the joint estimate, with the releases.
    """
    joint, group, pair = model.joint_, _group(run, model)[person], list(PRIVATE)
    assert joint is not None
    of_class, *others = joint.edges
    before = joint.marginal([of_class, *pair]).probabilities[group]
    age, salary = (_by_margin(run, model, name, np.array([person]))[0] for name in pair)
    after = joint.probabilities[group] + TINY
    for axis, (matrix, code) in enumerate(zip(*_released(run, joint, others, [person]), strict=True)):
        after = after * matrix[:, code].reshape(-1, *(1,) * (len(others) - 1 - axis))
    known = JointDistribution(joint.attributes[1:], joint.edges, after / after.sum())
    return {
        "joint, no release": before / before.sum(),
        "margins": np.outer(age, salary),
        "joint": known.marginal(pair).probabilities,
    }


def blurred(noise: str, level: float, steps: Sequence[int] = (100, 300, 1_000, 3_000)) -> pd.DataFrame:
    """How much less likely than Function 2 wrong answers make 100,000 disguised records, chance taken away.

    The answers are shares of group A in cells of two years and 5K: those after so many Bayes steps from even ones, if
    the distribution of all people is known and every count is what is to be expected; and the function itself with its
    bounds moved by a cell or two. Of each the points of accuracy and the units of log-likelihood that it loses.
    """
    channels = {name: channels_at(noise, level)[name] for name in PRIVATE}
    edges = {name: channel.true_bins(FINE[name]) for name, channel in channels.items()}
    matrices = [None, *(c.matrix(edges[n], c.seen_bins(edges[n])) for n, c in channels.items())]
    truth = _in_a(edges)
    mix = np.where(truth, 0.5 / truth.sum(), 0.5 / (~truth).sum())
    seen = disguise_again(_by_class(truth, mix), matrices)
    lost = {}

    def note(name: str, share: np.ndarray) -> None:
        again = disguise_again(_by_class(share, mix), matrices)
        lost[name] = {
            "points lost": 100 * mix[(share > 0.5) != truth].sum(),
            "units": TRAIN * xlogy(seen, seen / np.maximum(again, TINY)).sum(),
        }

    share = np.full(truth.shape, 0.5)
    for step in range(1, max(steps) + 1):
        cells = _by_class(share, mix)
        cells = cells * carry_back(seen / np.maximum(disguise_again(cells, matrices), TINY), matrices)
        share = cells[0] / cells.sum(axis=0)
        if step in steps:
            note(f"{step:,} steps", share)
    note("salaries 5K up", _in_a(edges, salary=5_000))
    note("ages 4 years up", _in_a(edges, age=4))
    return pd.DataFrame(lost).T


def _by_class(share: np.ndarray, mix: np.ndarray) -> np.ndarray:
    """P(class, cell) from the share of group A in each cell and the distribution of all people."""
    return np.stack([share * mix, (1 - share) * mix])


def _in_a(edges: dict[str, np.ndarray], **moved: float) -> np.ndarray:
    """Whether each cell is in group A of Function 2 with its bounds moved up."""
    middles = [(cuts[1:] + cuts[:-1]) / 2 - moved.get(name, 0) for name, cuts in edges.items()]
    age, salary = (part.ravel() for part in np.meshgrid(*middles, indexing="ij"))
    cells = pd.DataFrame({name: np.zeros(len(age)) for name in QUEST_RANGES}).assign(age=age, salary=salary)
    return (quest_class(cells, 2) == "A").to_numpy().reshape([len(part) for part in middles])


def _real_records(table: str, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]:
    """Numbers and classes to learn from, and those to test on: Adult's own parts; two thirds of Pima and the rest."""
    if table == "adult":
        train, test = load(table, "data"), load(table, "test")
        return train.X[list(DOMAINS[table])], train.y, test.X[list(DOMAINS[table])], test.y
    whole = load(table)
    X, rows, cut = whole.X[list(DOMAINS[table])], rng.permutation(len(whole.X)), 2 * len(whole.X) // 3
    parts = (frame.iloc[some].reset_index(drop=True) for some in (rows[:cut], rows[cut:]) for frame in (X, whole.y))
    return tuple(parts)  # type: ignore[return-value]


def _without_disguise(run: Study) -> dict[str, float]:
    """Accuracy of the larger class, and of the tree from true records."""
    larger = float((run.test_y == run.y.mode()[0]).mean())
    return {"majority": larger, "original": run.accuracy(GiniTreeClassifier(), seen=False)}


def _twenty(low: float, high: float, step: float | None) -> np.ndarray:
    """The edges of 20 equal intervals of a domain, or of one a value where there are fewer values."""
    most = MOST if step is None else min(MOST, round((high - low) / step) + 1)
    return np.linspace(low - (step or 0) / 2, high + (step or 0) / 2, most + 1)


def _posteriors(run: Study, model: Any, name: Any, people: np.ndarray) -> dict[str, np.ndarray]:
    """P(interval | class, what was released) of some people's attribute, in the joint estimate's intervals."""
    joint, group = model.joint_, _group(run, model)[people]
    found = {"class alone": _margins(model, name)[group], "margins": _by_margin(run, model, name, people)}
    of_class, *others = joint.edges
    for kind, names in {"pair": list(PRIVATE), "joint": others}.items():
        shares = joint.marginal([of_class, *names]).probabilities
        matrices, seen = _released(run, joint, names, people)
        found[kind] = _posterior(shares, [None, *matrices], [group, *seen], 1 + names.index(name))
    return found


def _margins(model: Any, name: Any) -> np.ndarray:
    """P(interval | class) of one attribute by class, a row for each, in the joint estimate's intervals."""
    edges = model.joint_.edges[name]
    return np.array([np.diff(of_class.distribution.cdf(edges)) for of_class in model.reconstructions_[name]])


def _by_margin(run: Study, model: Any, name: Any, people: np.ndarray) -> np.ndarray:
    """P(interval | class, what was released of this attribute) of some people."""
    matrices, seen = _released(run, model.joint_, [name], people)
    return _posterior(_margins(model, name), [None, *matrices], [_group(run, model)[people], *seen], 1)


def _released(
    run: Study, joint: JointDistribution, names: Sequence[Any], people: Any
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Of each attribute the matrix P(seen | true), over the joint estimate's intervals, and what is seen of people."""
    matrices, seen = [], []
    for name in names:
        channel = run.channels[name]
        cuts = channel.seen_bins(bins(channel, len(run.X)))
        matrices.append(channel.matrix(joint.edges[name], cuts))
        seen.append(interval_of(run.seen[name].to_numpy()[people], cuts[1:-1]))
    return matrices, seen


def _posterior(
    shares: np.ndarray, matrices: Sequence[np.ndarray | None], seen: Sequence[np.ndarray], axis: int
) -> np.ndarray:
    """P(code of one axis | what is seen of all), a row for each record."""
    own = matrices[axis]
    assert own is not None
    ahead = disguise_again(shares + TINY, [*matrices[:axis], None, *matrices[axis + 1 :]])
    at = tuple(codes for other, codes in enumerate(seen) if other != axis)
    weights = np.moveaxis(ahead, axis, -1)[at] * own[:, seen[axis]].T
    return weights / weights.sum(axis=1, keepdims=True)


def _told(posterior: np.ndarray, edges: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """How much posteriors tell of true values. Tenths, that any two grids may be compared: intervals are spread evenly
    over them.
    """
    tenths = np.linspace(edges[0], edges[-1], PARTS + 1)
    within = np.minimum(edges[1:, None], tenths[1:]) - np.maximum(edges[:-1, None], tenths[:-1])
    shares = posterior @ (np.maximum(within, 0) / np.diff(edges)[:, None])
    own = shares[np.arange(len(true)), interval_of(true, tenths[1:-1])]
    off = posterior @ ((edges[1:] + edges[:-1]) / 2) - true
    return {
        "true tenth": float(own.mean()),
        "error": float(np.abs(off).mean()),
        "99 %": float(np.quantile(shares.max(axis=1), 0.99)),
    }


def _linked(run: Study, model: Any, people: np.ndarray) -> dict[str, float]:
    """The shares of some people who are found among what was released of them, a row for each person in the scores."""
    group, joint = _group(run, model)[people], model.joint_
    values = {name: run.X[name].to_numpy()[people] for name in PRIVATE}
    scores: Any = sum(
        run.channels[name].log_likelihood(run.seen[name].to_numpy()[people], true[:, None])
        for name, true in values.items()
    )
    shares = joint.marginal([joint.attributes[0].name, *PRIVATE]).probabilities + TINY
    at = tuple(interval_of(true, joint.edges[name][1:-1]) for name, true in values.items())
    of_class = (shares / shares.sum(axis=0))[:, *at]
    known = {
        "linked": scores,
        "linked: joint": scores + np.log(of_class[group].T),
        "linked: class known": np.where(group[:, None] == group, scores, -np.inf),
    }
    return {name: hits(those) / len(people) for name, those in known.items()}


def _group(run: Study, model: Any) -> np.ndarray:
    """The number of each record's class."""
    return pd.Index(model.classes_).get_indexer(run.y)
