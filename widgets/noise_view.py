"""What the noise explorer shows, without its controls: an attribute, its noise, and its reconstruction step by step."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks
from ppdm.data import QUEST_DOMAINS, plateau, quest, shape_probabilities, triangles
from ppdm.disguise import NOISES, AdditiveNoise
from ppdm.disguise.release import closed_edges
from ppdm.measure import interval_privacy, linkage_rate
from ppdm.reconstruct import (
    ChiSquareStop,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    reconstruct,
    reconstruct_counts,
)

MOST_STEPS = 500
MOST_WHOLE = 1e7  # a wider range of whole numbers is taken as continuous
INTRUDED = 500  # records among which an intruder looks for one
RULES = {
    "χ² step": ChiSquareStop(cap=MOST_STEPS),
    "discrepancy": DiscrepancyStop(cap=MOST_STEPS),
    "held-out": HeldOutStop(cap=MOST_STEPS),
}


@dataclass(frozen=True, eq=False)
class Source:
    """Where an attribute's true values come from, and what is known of its domain.

    Attributes
    ----------
    name, low, high, step : of the attribute; a step where its values are whole numbers
    values : gives so many values, by a seed
    truth : gives the shares of intervals, where a formula has them; None: the values are counted
    needs : what has to be imported for the values
    code : how to get them, with {records} and {seed} to be filled in
    person : whether it is one of the nine attributes of Quest's people
    """

    name: str
    low: float
    high: float
    step: float | None
    values: Callable[[int, int], np.ndarray]
    truth: Callable[[Any], np.ndarray] | None
    needs: str
    code: str
    person: bool = False

    @classmethod
    def shape(cls, name: str, draw: Callable[[int, int], np.ndarray]) -> Self:
        """One of AS00's two shapes (Figure 2)."""
        needs, code = f"from ppdm.data import {name}", f"{name}({{records}}, rng={{seed}})"
        return cls(name, 0, 1, None, draw, lambda edges: shape_probabilities(name, edges), needs, code)

    @classmethod
    def quest(cls, name: str) -> Self:
        """One of the nine attributes of AS00's records (Table 2)."""
        low, high, step = (QUEST_DOMAINS[name][key] for key in ("low", "high", "step"))
        needs, code = "from ppdm.data import quest", f'quest({{records}}, rng={{seed}})[0]["{name}"]'
        return cls(name, low, high, step, lambda n, seed: _column(name, n, seed), None, needs, code, True)

    @classmethod
    def own(cls, column: Any, bounds: tuple[float, float] | None) -> Self:
        """A column of one's own, in an order drawn at random: its first values, or all where there are not so many."""
        values = checks.vector("own", column)
        if len(np.unique(values)) < 2:
            raise ValueError(f"own holds {len(values)} values, all the same; expected at least two different numbers")
        low, high = (values.min(), values.max()) if bounds is None else _bounds(bounds, values)
        whole = all(np.array_equal(part, np.round(part)) for part in (values, [low, high]))
        step = 1.0 if whole and high - low <= MOST_WHOLE else None

        def some(records: int, seed: int) -> np.ndarray:
            return values[np.random.default_rng(seed).permutation(len(values))[:records]]

        name = getattr(column, "name", None)
        named = "own column" if name is None else str(name)
        needs, code = (
            "import numpy as np",
            "np.asarray(own)[np.random.default_rng({seed}).permutation(len(own))[:{records}]]",
        )
        return cls(named if named not in SOURCES else f"{named} (own)", low, high, step, some, None, needs, code)

    def channel(self, noise: str, privacy: float) -> AdditiveNoise:
        """Noise of a kind and level on this attribute."""
        return NOISES[noise].at_privacy(privacy, low=self.low, high=self.high, step=self.step)


def _bounds(bounds: Any, values: np.ndarray) -> tuple[float, float]:
    ends = checks.vector("bounds", bounds)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ValueError(f"bounds is {bounds!r}; expected two numbers, the lowest and the highest possible value")
    outside = (values < ends[0]) | (values > ends[1])
    checks.none_wrong("own", values, outside, f"outside bounds, [{ends[0]:g}, {ends[1]:g}]", "values within")
    return float(ends[0]), float(ends[1])


@lru_cache(maxsize=4)
def _people(records: int, seed: int) -> pd.DataFrame:
    return quest(records, rng=seed)[0]


def _column(name: str, records: int, seed: int) -> np.ndarray:
    return _people(records, seed)[name].to_numpy()


SOURCES = {
    "plateau": Source.shape("plateau", plateau),
    "triangles": Source.shape("triangles", triangles),
    **{name: Source.quest(name) for name in QUEST_DOMAINS},
}


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
    width : the privacy level that 95 % confidence gives, in units of the attribute
    epsilon : at δ = 1e-5; inf where there is none
    linked : the share of 500 people, or of all if there are fewer, whom an intruder who knows their value finds by what
        they released; and of Quest's people the same by all nine attributes; None: not asked yet
    """

    channel: AdditiveNoise
    true: Distribution
    seen: tuple[np.ndarray, np.ndarray]
    iterates: np.ndarray
    distances: np.ndarray
    as_seen: float
    stops: dict[str, int | None]
    records: int
    width: float
    epsilon: float
    linked: tuple[float, ...] | None = None

    def __repr__(self) -> str:
        return f"NoiseView({len(self.distances)} iterates, distance {self.distances.min():.3g} at best)"


def noise_view(
    shape: str, noise: str, privacy: float, records: int = 20_000, intervals: int = 20, seed: int = 1
) -> NoiseView:
    """Disguise values of a shape and reconstruct their distribution, all iterates kept.

    Parameters
    ----------
    shape : "plateau", "triangles" (AS00 Figure 2), or one of Quest's attributes, "age" say
    noise : "uniform" or "Gaussian"
    privacy : the privacy level at 95 % confidence, above 0 and at most 4; 1 stands for 100 % of the range
    records : how many values, at least 1
    intervals : at least 2; an attribute of fewer values than that has one for each
    seed : a whole number of at least 0: of the values; its successor is that of the noise

    >>> noise_view("plateau", "uniform", 1.0).distances[[0, 10]].round(2).tolist()
    [0.5, 0.15]
    """
    checks.choice("shape", shape, SOURCES)
    checks.choice("noise", noise, NOISES)
    checks.number("privacy", privacy, 0, 4, open_low=True)
    checks.whole("records", records, 1)
    checks.whole("intervals", intervals, 2)
    checks.whole("seed", seed, 0)
    view = view_of(SOURCES[shape], noise, privacy, records, intervals, seed)
    return replace(view, linked=linked(SOURCES[shape], noise, privacy, seed))


@lru_cache(maxsize=64)
def view_of(source: Source, noise: str, privacy: float, records: int, intervals: int, seed: int) -> NoiseView:
    """The same of any source, unchecked, and without asking who is found."""
    channel, values = source.channel(noise, privacy), _values(source, records, seed)
    seen = channel.disguise(values, seed + 1)
    edges = channel.true_bins(min(intervals, channel.most_bins))
    found = reconstruct(seen, channel, edges, FixedStop(MOST_STEPS))
    known = np.histogram(values, edges)[0] / len(values) if source.truth is None else source.truth(edges)
    shares, bins = found.counts / len(values), closed_edges(channel.seen_bins(edges))
    distances = np.abs(found.history - known).sum(axis=1) / 2
    for array in (shares, bins, distances):  # a view is kept and handed out again
        array.setflags(write=False)
    return NoiseView(
        channel=channel,
        true=Distribution(edges, known),
        seen=(shares, bins),
        iterates=found.history,
        distances=distances,
        as_seen=_missed(shares, bins, known, edges),
        stops={name: _stopped(found, rule) for name, rule in RULES.items()},
        records=len(values),
        width=interval_privacy(channel),
        epsilon=channel.epsilon(),
    )


@lru_cache(maxsize=16)
def _values(source: Source, records: int, seed: int) -> np.ndarray:
    return source.values(records, seed)


@lru_cache(maxsize=64)
def linked(source: Source, noise: str, privacy: float, seed: int) -> tuple[float, ...]:
    """The shares of 500 people whom an intruder finds: by their value, and Quest's by all nine attributes too."""
    values = pd.DataFrame({source.name: _values(source, INTRUDED, seed)})
    tables = [values, _people(INTRUDED, seed)] if source.person else [values]
    rates = []
    for table in tables:
        channels = {name: SOURCES.get(str(name), source).channel(noise, privacy) for name in table}
        rates.append(linkage_rate(channels, table, rng=seed))
    return tuple(rates)


def _stopped(found: Any, rule: Any) -> int | None:
    """After how many steps a rule stops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said by the view itself: None
        run = reconstruct_counts(found.counts, found.matrix, stop=rule)
    return run.n_iter if run.converged else None


def _missed(shares: np.ndarray, bins: np.ndarray, known: np.ndarray, edges: np.ndarray) -> float:
    """The total variation of what is seen from the truth; what lies outside the domain is all wrong."""
    middles = (bins[1:] + bins[:-1]) / 2
    place = np.searchsorted(edges, middles) - 1
    inside = (place >= 0) & (place < len(known))
    within = np.bincount(place[inside], shares[inside], minlength=len(known))
    return float(np.maximum(known - within, 0).sum())
