"""What a joint estimate tells of single people: the price that notebook 06 names."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdm.studies.as00 import TRAIN, Study, bins, study
from ppdm.trees import ReconstructedTreeClassifier

PRIVATE = ["age", "salary"]  # whose privacy is measured
PEOPLE, CANDIDATES = 5_000, 1_000  # people looked at; the number of people among whom each is to be found
TINY = np.finfo(float).tiny
TIE = 1e-6  # log-likelihoods that differ by less are equal: those of uniform noise differ by rounding


def price(noise: str, level: float, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """What the estimate tells of single people whose class is known, beside what was released of them.

    For 5,000 of them and their age, and salary:

    - true tenth: the probability given to the tenth of the range in which it is; mean
    - error: of the posterior mean; mean, in years or dollars
    - 99 %: the highest probability of a tenth, which 99 % of the people do not exceed

    each with the reconstruction by class and no release ("class alone"), with the same and this attribute's release
    ("margins"), with the joint reconstruction and the releases of age and salary ("pair"), and with those of all
    attributes that it took together ("joint").

    And the share that is found of 1,000 people by an intruder who knows their ages and salaries ("linked"); who also
    takes from the joint estimate what these tell of the class ("linked: joint"); who also knows the class ("linked:
    class known").
    """
    run = study(2, noise, level, rng, records)
    people = rng.choice(records, PEOPLE, replace=False)
    intruder = JointIntruder(run, ReconstructedTreeClassifier(run.channels, "joint").fit(run.seen, run.y))
    found: dict[str, float] = {}
    for name in PRIVATE:
        edges, true = intruder.model.joint_.edges[name], run.X[name].to_numpy()[people]
        for kind, posterior in intruder.posteriors(name, people).items():
            found |= {
                f"{name}: {what}, {kind}": number for what, number in certainty(posterior, edges, true).items()
            }
    linked = pd.DataFrame([intruder.linked(some) for some in people.reshape(-1, CANDIDATES)])
    return found | {str(name): float(share) for name, share in linked.mean().items()}


@dataclass(frozen=True, eq=False)
class JointIntruder:
    """Somebody who has the released records, the joint estimate from them, and knows the classes of people."""

    run: Study
    model: Any

    @cached_property
    def classes(self) -> np.ndarray:
        """The number of each record's class."""
        return pd.Index(self.model.classes_).get_indexer(self.run.y)

    def released(self, names: Sequence[Any], people) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Of each attribute P(seen | true), over the joint estimate's intervals, and what is seen of people."""
        matrices, seen = [], []
        for name in names:
            channel = self.run.channels[name]
            cuts = channel.seen_bins(bins(channel, len(self.run.X)))
            matrices.append(channel.matrix(self.model.joint_.edges[name], cuts))
            seen.append(interval_of(self.run.seen[name].to_numpy()[people], cuts))
        return matrices, seen

    def margins(self, name) -> np.ndarray:
        """P(interval | class) of one attribute by class, a row for each, in the joint estimate's intervals."""
        edges = self.model.joint_.edges[name]
        return np.array(
            [np.diff(of_class.distribution.cdf(edges)) for of_class in self.model.reconstructions_[name]]
        )

    def from_margins(self, name, people) -> np.ndarray:
        """P(interval | class, what was released of this attribute) of some people."""
        matrices, seen = self.released([name], people)
        return posterior_of(self.margins(name), [None, *matrices], [self.classes[people], *seen], 1)

    def posteriors(self, name, people) -> dict[str, np.ndarray]:
        """P(interval | class, what was released) of some people's attribute, in the joint estimate's intervals."""
        joint, known = self.model.joint_, self.classes[people]
        found = {"class alone": self.margins(name)[known], "margins": self.from_margins(name, people)}
        of_class, *others = joint.edges
        for kind, names in {"pair": PRIVATE, "joint": others}.items():
            shares = joint.marginal([of_class, *names]).probabilities
            matrices, seen = self.released(names, people)
            found[kind] = posterior_of(shares, [None, *matrices], [known, *seen], 1 + names.index(name))
        return found

    def believed(self, person: int) -> dict[str, np.ndarray]:
        """What is believed of the age and salary of one person whose class is known: P(cell), in three ways.

        By the joint estimate before anything was released; then, with the releases, by margins and by the estimate.
        """
        joint, known = self.model.joint_, self.classes[person]
        of_class, *others = joint.edges
        before = joint.marginal([of_class, *PRIVATE]).probabilities[known]
        after = joint.probabilities[known] + TINY
        for axis, (matrix, code) in enumerate(zip(*self.released(others, [person]))):
            after = after * matrix[:, code].reshape(-1, *(1,) * (len(others) - 1 - axis))
        pair = np.einsum(after, range(len(others)), [others.index(name) for name in PRIVATE])
        age, salary = (self.from_margins(name, np.array([person]))[0] for name in PRIVATE)
        return {
            "joint, no release": before / before.sum(),
            "margins": np.outer(age, salary),
            "joint": pair / pair.sum(),
        }

    def linked(self, people: np.ndarray) -> dict[str, float]:
        """The shares of some people who are found among what was released of them."""
        known, joint = self.classes[people], self.model.joint_
        values = {name: self.run.X[name].to_numpy()[people] for name in PRIVATE}
        # A row for each person, a column for each release.
        scores: Any = sum(
            self.run.channels[name].log_likelihood(self.run.seen[name].to_numpy()[people], true[:, None])
            for name, true in values.items()
        )
        shares = joint.marginal([next(iter(joint.edges)), *PRIVATE]).probabilities + TINY
        at = tuple(interval_of(true, joint.edges[name]) for name, true in values.items())
        of_class = (shares / shares.sum(axis=0))[:, *at]
        return {
            "linked": found_among(scores),
            "linked: joint": found_among(scores + np.log(of_class[known].T)),
            "linked: class known": found_among(np.where(known[:, None] == known, scores, -np.inf)),
        }


def interval_of(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The number of each value's interval; the outermost are open."""
    return np.searchsorted(edges[1:-1], values, side="right")


def posterior_of(
    shares: np.ndarray, matrices: Sequence[Any], seen: Sequence[np.ndarray], axis: int
) -> np.ndarray:
    """P(code of one axis | what is seen of all), a row for each record; an axis without a matrix is seen as it is."""
    ahead = shares + TINY
    for other, matrix in enumerate(matrices):
        if matrix is not None and other != axis:
            ahead = np.moveaxis(np.tensordot(ahead, matrix, (other, 0)), -1, other)
    at = tuple(codes for other, codes in enumerate(seen) if other != axis)
    weights = np.moveaxis(ahead, axis, -1)[at] * matrices[axis][:, seen[axis]].T
    return weights / weights.sum(axis=1, keepdims=True)


def certainty(posterior: np.ndarray, edges: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """How much posteriors tell of true values.

    Intervals are spread evenly over tenths of the range, so that estimates on any two grids can be compared.
    """
    tenths = np.linspace(edges[0], edges[-1], 11)
    within = np.minimum(edges[1:, None], tenths[1:]) - np.maximum(edges[:-1, None], tenths[:-1])
    shares = posterior @ (np.maximum(within, 0) / np.diff(edges)[:, None])
    own = shares[np.arange(len(true)), interval_of(true, tenths)]
    off = posterior @ ((edges[1:] + edges[:-1]) / 2) - true
    return {
        "true tenth": float(own.mean()),
        "error": float(np.abs(off).mean()),
        "99 %": float(np.quantile(shares.max(axis=1), 0.99)),
    }


def found_among(scores: np.ndarray) -> float:
    """The share of people whose own release, on the diagonal, is the likeliest one; a tie of t counts 1 / t."""
    best = scores.max(axis=1)
    likeliest = scores > best[:, None] - TIE
    return float((likeliest.diagonal() / likeliest.sum(axis=1)).mean())
