"""The contract of every disguise: a channel P(seen | true) that knows the domain of its attribute.

The true domain cannot be read off disguised values, so a channel states it; a value outside is refused, never
clipped. A channel is frozen, checks its parameters once, and tells its law besides sampling from it.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.randomness import Rng

MOST_STEPS = 10_000_000  # values that a step grid may have: the exact matrix sums over them
MOST_BINS = 2_000  # more intervals than this ask for matrices of hundreds of megabytes


def check_domain(low: float, high: float) -> tuple[float, float]:
    """The bounds as floats, if they are finite and low < high."""
    low, high = checks.number("low", low), checks.number("high", high)
    if not 0 < high - low < np.inf:
        raise ValueError(f"low is {low:g} and high is {high:g}; expected low < high, the ends of the true domain")
    return low, high


def closed_edges(edges: np.ndarray) -> np.ndarray:
    """The edges, an open end at the distance at which its interval is as wide as its neighbour.

    Without two finite edges there is nothing to go by: the ends stay open.

    >>> closed_edges(np.array([-np.inf, 0, 2])).tolist()
    [-2.0, 0.0, 2.0]
    """
    finite = edges[np.isfinite(edges)]
    if len(finite) < 2:
        return edges
    low = edges[0] if np.isfinite(edges[0]) else 2 * finite[0] - finite[1]
    high = edges[-1] if np.isfinite(edges[-1]) else 2 * finite[-1] - finite[-2]
    return np.concatenate(([low], edges[1:-1], [high]))


class Channel(ABC):
    """A disguise for one attribute: P(seen | true)."""

    def disguise(self, values: Any, rng: Rng = None) -> Any:
        """The values, each disguised afresh.

        Parameters
        ----------
        values : true values; a Series gives a Series with its index and name
        rng : a seed or Generator to repeat a study; None, for a release, takes the system's secure source

        >>> from ppdm.disguise import UniformNoise
        >>> UniformNoise(half_width=2, low=0, high=9, step=1).disguise([0, 5, 9], rng=1).tolist()
        [-1, 5, 9]
        """
        return self.release(values, randomness.uniform(checks.plain("values", values).size, rng))

    def release(self, values: Any, uniforms: Any) -> Any:
        """The disguised values that go with given uniform numbers, by inversion: nothing else is left to chance.

        Parameters
        ----------
        values : true values; a Series gives a Series with its index and name
        uniforms : a number in (0, 1) for each value
        """
        true = self._true_values(values)
        numbers = checks.vector("uniforms", uniforms)
        checks.same_length("uniforms", numbers, "values", true)
        checks.none_wrong("uniforms", numbers, (numbers <= 0) | (numbers >= 1), "outside (0, 1)", "numbers within")
        return self._like(values, self._released(true, numbers))

    def log_likelihood(self, seen: Any, true: Any) -> np.ndarray:
        """The log of P(seen | true), or of its density for a continuous channel; -inf where it cannot happen.

        Parameters
        ----------
        seen : values that the channel can have released
        true : values of its domain; both are numbers or arrays of shapes that go together
        """
        left, right = checks.plain("seen", seen), checks.plain("true", true)
        try:
            np.broadcast_shapes(left.shape, right.shape)
        except ValueError:
            message = f"seen has shape {left.shape} and true has {right.shape}; expected shapes that go together"
            raise ValueError(message) from None
        left = self._seen_values(left.ravel(), "seen").reshape(left.shape)
        return self._log_likelihood(left, self._true_values(right.ravel(), "true").reshape(right.shape))

    def released_values(self, values: Any, name: str = "values") -> np.ndarray:
        """The values as an array, if the channel can have released them all."""
        self._seen_values(values, name)
        return checks.plain(name, values)

    @abstractmethod
    def epsilon(self, delta: float = 1e-5) -> float:
        """The smallest ε with which the channel is (ε, δ)-locally differentially private; inf where there is none."""

    @abstractmethod
    def _true_values(self, values: Any, name: str = "values") -> np.ndarray:
        """The values as numbers that the channel works with, if all are of its domain."""

    @abstractmethod
    def _seen_values(self, values: Any, name: str = "values") -> np.ndarray:
        """The same for values that the channel can have released."""

    @abstractmethod
    def _released(self, true: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """What checked values become."""

    @abstractmethod
    def _log_likelihood(self, seen: np.ndarray, true: np.ndarray) -> np.ndarray:
        """The log-likelihood of checked values."""

    @abstractmethod
    def _like(self, values: Any, released: np.ndarray) -> Any:
        """What was released, in the container of the true values."""


def checked_channels(name: str, value: Any) -> dict[Any, Channel]:
    """The value as a dict, if it is one from columns to channels."""
    channels = checks.mapping(name, value)
    for column, channel in channels.items():
        if not isinstance(channel, Channel):
            raise TypeError(f"{name}[{column!r}] is {channel!r}; expected a channel, say UniformNoise(...)")
    return channels


def channels_by_column(channels: Any, columns: Collection[Any]) -> dict[Any, Channel]:
    """The channel of each disguised column, in the columns' order: a dict names them, a single channel is for all."""
    if isinstance(channels, Channel):
        return dict.fromkeys(columns, channels)
    given = checked_channels("channels", channels)
    checks.columns("channels", given, columns)
    return {column: given[column] for column in columns if column in given}


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericChannel(Channel):
    """A channel for numbers in [low, high]; with a step, for the numbers low, low + step, … high only."""

    low: float
    high: float
    step: float | None = None

    def __post_init__(self) -> None:
        low, high = check_domain(self.low, self.high)
        self._set(low=low, high=high)
        if self.step is not None:
            self._set(step=self._checked_step(checks.number("step", self.step, 0, open_low=True)))

    @abstractmethod
    def seen_range(self) -> tuple[float, float]:
        """The lowest and the highest value that the channel can release."""

    def released_values(self, values: Any, name: str = "values") -> np.ndarray:
        """The values as floats, if the channel can have released them all."""
        return self._seen_values(values, name)

    def _seen_values(self, values: Any, name: str = "values") -> np.ndarray:
        seen = checks.vector(name, values)
        lowest, highest = self.seen_range()
        wrong = (seen < lowest) | (seen > highest) | self._off_grid(seen)
        grid = "" if self.step is None else f" on the grid {self.low:g} + k × {self.step:g}"
        expected = f"values in [{lowest:g}, {highest:g}]{grid}, as disguised by {self!r}"
        checks.none_wrong(name, seen, wrong, "that the channel cannot have released", expected)
        return seen

    @property
    def grid(self) -> float | None:
        """The least distance between two values that are released; None: there is none."""
        return self.step

    @property
    def most_bins(self) -> int:
        """The largest number of equal bins: one for each value of a step grid."""
        return MOST_BINS if self.step is None else round((self.high - self.low) / self.step) + 1

    def true_bins(self, bins: Any, name: str = "bins") -> np.ndarray:
        """Edges of so many equal bins over the domain; or the edges given, if they cover it.

        With a step, the domain reaches half a step beyond its lowest and its highest value. What a first or last bin
        has outside the domain (with a step, a whole one is allowed for) is cut off: no true value is there, so that a
        distribution must not spread into it.

        >>> from ppdm.disguise import UniformNoise
        >>> UniformNoise(half_width=1, low=0, high=4).true_bins([-9, 2, 9]).tolist()
        [0.0, 2.0, 4.0]
        """
        if np.ndim(bins) == 0:
            number = checks.whole(name, bins, 1, self.most_bins, hint="or edges that cover the domain")
            margin = (self.step or 0) / 2
            return np.linspace(self.low - margin, self.high + margin, number + 1)
        edges = checks.edges(name, bins)
        if edges[0] > self.low or edges[-1] < self.high:
            raise ValueError(
                f"{name} reaches from {edges[0]:g} to {edges[-1]:g}; "
                f"expected edges that cover the channel's domain [{self.low:g}, {self.high:g}]"
            )
        margin = self.step or 0.0
        if edges[1] > self.low and edges[-2] < self.high:  # else a whole bin is outside, which the matrix refuses
            edges[0], edges[-1] = max(edges[0], self.low - margin), min(edges[-1], self.high + margin)
        return edges

    @abstractmethod
    def seen_bins(self, true_bins: Any) -> np.ndarray:
        """Edges of seen bins that go with true bins; the outermost are open, so that every seen value has one."""

    @abstractmethod
    def matrix(self, true_bins: Any, seen_bins: Any, exact: bool = True) -> np.ndarray:
        """P(seen bin | true bin): a row for each true bin, a column for each seen bin."""

    @abstractmethod
    def privacy(self, confidence: float = 0.95) -> float:
        """Width of the shortest interval that holds the true value with that confidence (AS00 §2.1)."""

    @abstractmethod
    def variance(self) -> float:
        """Variance of the seen value, given the true one."""

    def __repr__(self) -> str:
        own = [field.name for field in fields(self) if field.name not in ("low", "high", "step")]
        shown = {name: getattr(self, name) for name in [*own, "low", "high", "step"]}
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in shown.items() if value is not None)
        return f"{type(self).__name__}({arguments})"

    @property
    def _whole_grid(self) -> bool:
        return self.step is not None and self.step.is_integer() and self.low.is_integer()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _checked_step(self, step: float) -> float:
        steps = (self.high - self.low) / step
        if steps > MOST_STEPS:
            raise ValueError(
                f"step is {step:g}, which cuts the domain into {steps:g} steps; "
                f"expected at most {MOST_STEPS}; use step=None for a continuous attribute"
            )
        if round(steps) < 1 or abs(steps - round(steps)) > 1e-6:
            raise ValueError(
                f"step is {step:g}; expected a whole number of steps from low to high, {self.low:g} to {self.high:g}"
            )
        return step

    def _true_values(self, values: Any, name: str = "values") -> np.ndarray:
        true = checks.vector(name, values)
        expected = "the channel's own domain: correct the values or declare low, high and step anew"
        outside = (true < self.low) | (true > self.high)
        checks.none_wrong(name, true, outside, f"outside the domain [{self.low:g}, {self.high:g}]", expected)
        if self.step is not None:
            what = f"off the grid {self.low:g} + k × {self.step:g}"
            checks.none_wrong(name, true, self._off_grid(true), what, expected)
        return true

    def _off_grid(self, values: np.ndarray) -> np.ndarray:
        """Which values are no whole number of steps from the lowest; none where there is no step."""
        if self.step is None:
            return np.zeros(len(values), dtype=bool)
        steps = (values - self.low) / self.step
        return np.abs(steps - np.rint(steps)) > 1e-6

    def _like(self, values: Any, released: np.ndarray) -> Any:
        """Released values in the container of the true ones; whole numbers stay whole on a grid of whole numbers."""
        if self._whole_grid and np.asarray(values).dtype.kind in "iu":
            released = released.astype(np.int64)
        if isinstance(values, pd.Series):
            return pd.Series(released, index=values.index, name=values.name)
        return released


def _shown(value: Any) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else f"{value:.10g}"
