"""What the noise explorer shows, without its controls: an attribute, its noise, and its reconstruction step by step."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ppdm.data import QUEST_DOMAINS, quest
from ppdm.disguise import NumericChannel
from ppdm.measure import linkage_rate
from ppdm.reconstruct import Distribution, FixedStop, reconstruct, reconstruct_counts
from ppdm.studies import as00, as00_shapes

from .own import own_column

MAX_STEPS = 500
INTRUDED = 500  # records among which an intruder looks for one
STOPS = ("χ² step", "discrepancy", "held-out")
RULES = {name: replace(as00_shapes.RULES[name]["stop"], cap=MAX_STEPS) for name in STOPS}


@dataclass(frozen=True, eq=False)
class Source:
    """Where an attribute's true values come from, and what is known of its domain.

    Attributes
    ----------
    name : of the attribute
    domain : its low, high and step; a step where its values are whole numbers
    values : gives values, by their number and a seed
    needs, code : what has to be imported for the values; how to get them, with {records} and {seed} to be filled in
    truth : gives the distribution over intervals, where a formula has it; None: the values are counted
    person : whether it is one of the nine attributes of Quest's people
    """

    name: str
    domain: dict[str, Any]
    values: Callable[[int, int], np.ndarray]
    needs: str
    code: str
    truth: Callable[[Any], Distribution] | None = None
    person: bool = False

    def channel(self, noise: str, privacy: float) -> NumericChannel:
        """Noise of a kind and level on this attribute."""
        return as00.channels_at(noise, privacy, {self.name: self.domain})[self.name]


def shape_source(name: str) -> Source:
    """One of AS00's two shapes (Figure 2)."""
    domain, values = {"low": 0, "high": 1, "step": None}, as00_shapes.SHAPES[name]
    needs, code = f"from ppdm.data import {name}", f"{name}({{records}}, rng={{seed}})"
    return Source(name, domain, values, needs, code, truth=partial(as00_shapes.truth, name))


def quest_source(name: str) -> Source:
    """One of the nine attributes of AS00's records (Table 2)."""
    needs, code = "from ppdm.data import quest", f'quest({{records}}, rng={{seed}})[0]["{name}"]'
    return Source(name, QUEST_DOMAINS[name], partial(_attribute, name), needs, code, person=True)


def own_source(column, bounds: tuple[float, float] | None) -> Source:
    """A column of your own: its first values in a random order, or all of them where there are fewer."""
    values, domain = own_column(column, bounds)
    name = str("own column" if getattr(column, "name", None) is None else column.name)
    return Source(
        name if name not in SOURCES else f"{name} (own)",
        domain,
        lambda records, seed: values[np.random.default_rng(seed).permutation(len(values))[:records]],
        "import numpy as np",
        "np.asarray(own)[np.random.default_rng({seed}).permutation(len(own))[:{records}]]",
    )


@lru_cache(maxsize=4)
def _people(records, seed):
    return quest(records, rng=seed)[0]


def _attribute(name, records, seed):
    return _people(records, seed)[name].to_numpy()


SOURCES = {name: shape_source(name) for name in as00_shapes.SHAPES}
SOURCES |= {name: quest_source(name) for name in QUEST_DOMAINS}


@dataclass(frozen=True, eq=False, repr=False)
class NoiseView:
    """What the explorer shows: distributions over intervals of the domain, and how far they are from the truth.

    Attributes
    ----------
    channel : the noise
    true : the true distribution: a formula's, or that of the values
    seen : the shares of the values as seen, and the edges of their intervals, which reach beyond the domain
    iterates : the estimate after 0, 1, 2, … 500 Bayes steps, a row each
    distances : their total variation from the truth
    as_seen : that of the values as they are seen
    stops : after how many steps each rule stops; None: not within 500
    records : how many values there are
    linked : the share of 500 people, or of all if there are fewer, whom an intruder who knows their value finds by what
        they released; and of Quest's people the same by all nine attributes; None: not asked yet
    """

    channel: NumericChannel
    true: Distribution
    seen: tuple[np.ndarray, np.ndarray]
    iterates: np.ndarray
    distances: np.ndarray
    as_seen: float
    stops: dict[str, int | None]
    records: int
    linked: tuple[float, ...] | None = None


@lru_cache(maxsize=64)
def view_of(source: Source, noise: str, privacy: float, records: int, intervals: int, seed: int) -> NoiseView:
    """Disguise values of a source and reconstruct their distribution, all iterates kept. ``linked`` is left open."""
    channel, values = source.channel(noise, privacy), source.values(records, seed)
    edges = channel.true_bins(min(intervals, channel.most_bins))
    found = reconstruct(channel.disguise(values, seed + 1), channel, edges, FixedStop(MAX_STEPS))
    truth = Distribution.from_values(values, edges) if source.truth is None else source.truth(edges)
    shares, bins = found.counts / len(values), channel.seen_bins(edges).copy()
    ends, closed = bins[[0, -1]], 2 * bins[[1, -2]] - bins[[2, -3]]  # as wide as the intervals beside them
    bins[[0, -1]] = np.where(np.isinf(ends), closed, ends)
    distances, _ = as00_shapes.distances(found, truth)
    for array in (shares, bins, distances):  # a view is kept and handed out again
        array.setflags(write=False)
    stops = {name: _stopped(found, rule) for name, rule in RULES.items()}
    steps = found.history, distances, as00_shapes.as_seen(found, truth), stops
    return NoiseView(channel, truth, (shares, bins), *steps, records=len(values))


@lru_cache(maxsize=64)
def linked(source: Source, noise: str, privacy: float, seed: int) -> tuple[float, ...]:
    """The share of 500 people whom an intruder finds by their value; and of Quest's people by all nine attributes."""
    values = pd.DataFrame({source.name: source.values(INTRUDED, seed)})
    alone = linkage_rate({source.name: source.channel(noise, privacy)}, values, rng=seed)
    if not source.person:
        return (alone,)
    return alone, linkage_rate(as00.channels_at(noise, privacy), _people(INTRUDED, seed), rng=seed)


def _stopped(found, rule):
    """The number of steps after which a rule stops; None: not within its cap."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # the view says it: None
        run = reconstruct_counts(found.counts, found.matrix, stop=rule)
    return run.n_iter if run.converged else None
