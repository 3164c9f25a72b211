"""What all channels for numbers share: a domain with its grid, bins over it, and widths that hide a value."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.release import Channel

MAX_STEPS = 10_000_000  # values that a step grid may have: the exact matrix sums over them
ROUNDING = 1e-9  # shares that differ by less are the same


class NothingHiddenWarning(UserWarning):
    """You asked for a privacy level, but true values are released as they are."""


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericChannel(Channel):
    """A channel for numbers in [low, high]; with a step, for the numbers low, low + step, … high only."""

    low: float
    high: float
    step: float | None = None

    def __post_init__(self):
        low, high = _checked_domain(self.low, self.high)
        self._set(low=low, high=high)
        if self.step is None:
            return
        step = checks.number("step", self.step, 0, open_low=True)
        steps = (high - low) / step
        if steps > MAX_STEPS:
            raise ValueError(
                f"step is {step:g}, which cuts the domain into {steps:g} steps; "
                f"expected at most {MAX_STEPS}; use step=None for a continuous attribute"
            )
        if round(steps) < 1 or abs(steps - round(steps)) > 1e-6:
            raise ValueError(
                f"step is {step:g}; expected a whole number of steps from low to high, {low:g} to {high:g}"
            )
        self._set(step=step)

    @classmethod
    def at_privacy(
        cls, level: float, *, low: float, high: float, confidence: float = 0.95, step: float | None = None
    ) -> Self:
        """The channel whose ``privacy(confidence)`` is level × (high − low), the "privacy level" of AS00 §5.

        ``Intervals`` takes the largest number of equal intervals that still has that privacy. A warning says so if the
        step is so coarse that every value is released as it is.

        Parameters
        ----------
        level : number of at least 0; 1 stands for 100 %. For ``Intervals`` at most the confidence, as for one interval
        low, high, step : the domain of the true values
        confidence : number in (0, 1)

        >>> from ppdm.disguise import Intervals, UniformNoise
        >>> UniformNoise.at_privacy(0.95, low=0, high=1)
        UniformNoise(half_width=0.5, low=0, high=1)
        >>> Intervals.at_privacy(0.25, low=20, high=80)
        Intervals(edges=3, low=20, high=80)
        """
        low, high = _checked_domain(low, high)
        confidence = checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
        channel = cls._at_level(checks.number("level", level, 0), confidence, low=low, high=high, step=step)
        if level > 0 and step is not None and channel.spread(step).max() == 1:
            message = (
                f"{channel!r}, at level {level:g}, tells every value: the step is too coarse; choose a higher level"
            )
            warnings.warn(message, NothingHiddenWarning, stacklevel=2)
        return channel

    @classmethod
    @abstractmethod
    def _at_level(cls, level, confidence, **domain):
        """The channel of ``at_privacy``."""

    @abstractmethod
    def seen_range(self) -> tuple[float, float]:
        """The lowest and the highest value that the channel can release."""

    def seen_codes(self, values, name: str = "values") -> np.ndarray:
        """The values as floats. Refuse values that the channel cannot have released."""
        seen = checks.vector(name, values)
        lowest, highest = self.seen_range()
        wrong = (seen < lowest) | (seen > highest) | self._off_grid(seen)
        if wrong.any():
            grid = "" if self.step is None else f" on the grid {self.low:g} + k × {self.step:g}"
            expected = f"values in [{lowest:g}, {highest:g}]{grid}, as disguised by {self!r}"
            checks.none_wrong(name, seen, wrong, "that the channel cannot have released", expected)
        return seen

    @property
    def grid(self) -> float | None:
        """The smallest distance between two released values; None if there is no grid."""
        return self.step

    @property
    def most_bins(self) -> int:
        """The largest number of equal bins: one for each value of a step grid."""
        return checks.MAX_BINS if self.step is None else round((self.high - self.low) / self.step) + 1

    def true_bins(self, bins, name: str = "bins") -> np.ndarray:
        """Edges of a number of equal bins over the domain; or the edges given, if they cover it.

        With a step, the domain is extended by half a step at both ends. What the first and last bin have outside the
        domain is cut off (with a step, up to one step stays), because no true value lies there.

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

    def starts(self, bins: np.ndarray, name: str = "true_bins") -> np.ndarray:
        """The bins' edges within the domain; with a step, the number of each bin's first value. Refuse empty bins."""
        starts = np.clip(bins, self.low, self.high)
        if self.step is not None:
            starts = np.ceil((starts - self.low) / self.step - 1e-6)
            starts[-1] += bins[-1] >= self.high - 1e-6 * self.step
        empty = np.flatnonzero(np.diff(starts) <= 0)
        if len(empty):
            a, b = bins[empty[0] : empty[0] + 2]
            steps = "" if self.step is None else f" in steps of {self.step:g}"
            raise ValueError(
                f"{name} has the interval [{a:g}, {b:g}), which holds no value of the domain "
                f"[{self.low:g}, {self.high:g}]{steps}; expected intervals that do"
            )
        return starts

    @abstractmethod
    def seen_bins(self, true_bins) -> np.ndarray:
        """Edges of seen bins that go with true bins; the outermost are open, so that every seen value has one."""

    @abstractmethod
    def matrix(self, true_bins, seen_bins, exact: bool = True) -> np.ndarray:
        """P(seen bin | true bin): a row for each true bin, a column for each seen bin."""

    def privacy(self, confidence: float = 0.95, released: bool = False) -> float:
        """Width of the shortest interval that holds the true value with that confidence (AS00 §2.1, Table 1).

        A coarse step rounds much of the noise away. As released, the width is the smallest distance between two values
        of the grid such that the true value lies between them, both included: 0 where most are released unchanged.

        Parameters
        ----------
        confidence : number in (0, 1)
        released : the width of what is released; False is the paper's, without the rounding to a step

        >>> from ppdm.disguise import UniformNoise
        >>> noise = UniformNoise(half_width=0.5, low=0, high=4, step=1)
        >>> noise.privacy(), noise.privacy(released=True)
        (0.95, 0.0)
        """
        confidence = checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
        if not checks.flag("released", released) or self.step is None:
            return self._width(confidence)
        held = np.concatenate([[0], np.cumsum(self.spread(self.step))])
        last = np.searchsorted(held, held + confidence - ROUNDING)  # from each start, the first that holds enough
        steps = (last - np.arange(len(held)))[last < len(held)] - 1
        return float(steps.min() * self.step)

    @abstractmethod
    def _width(self, confidence):
        """The paper's width."""

    @abstractmethod
    def spread(self, cell: float) -> np.ndarray:
        """The probability of each neighbouring cell of that width for the true value, once a value is seen."""

    def _checked_bins(self, true_bins, seen_bins):
        """The edges of a matrix. Refuse one that is too large."""
        true = checks.edges("true_bins", true_bins)
        seen = checks.edges("seen_bins", seen_bins, open_ends=True)
        checks.cells("the matrix of true and seen bins", (len(true) - 1, len(seen) - 1))
        return true, seen

    @abstractmethod
    def variance(self) -> float:
        """Variance of the seen value, given the true one."""

    def __repr__(self):
        own = [field.name for field in fields(self) if field.name not in ("low", "high", "step")]
        shown = {name: getattr(self, name) for name in [*own, "low", "high", "step"]}
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in shown.items() if value is not None)
        return f"{type(self).__name__}({arguments})"

    @property
    def _whole_grid(self):
        return self.step is not None and self.step.is_integer() and self.low.is_integer()

    def _set(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def true_codes(self, values, name: str = "values") -> np.ndarray:
        """The values as floats. Refuse values outside the domain."""
        true = checks.vector(name, values)
        outside = (true < self.low) | (true > self.high)
        off_grid = self._off_grid(true)
        if outside.any() or off_grid.any():
            expected = "the channel's own domain: correct the values or declare low, high and step anew"
            checks.none_wrong(name, true, outside, f"outside the domain [{self.low:g}, {self.high:g}]", expected)
            checks.none_wrong(name, true, off_grid, f"off the grid {self.low:g} + k × {self.step:g}", expected)
        return true

    def _off_grid(self, values):
        """Which values are not on the step grid; without a step none."""
        if self.step is None:
            return np.zeros(1, dtype=bool)
        steps = (values - self.low) / self.step
        return np.abs(steps - np.rint(steps)) > 1e-6

    def decode(self, codes: np.ndarray, like) -> Any:
        """Released values in the container of the true ones; whole numbers stay whole on a grid of whole numbers."""
        if self._whole_grid and np.asarray(like).dtype.kind in "iu":
            codes = codes.astype(np.int64)
        return pd.Series(codes, index=like.index, name=like.name) if isinstance(like, pd.Series) else codes


def _shown(value):
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else f"{value:.10g}"


def _checked_domain(low, high):
    """The bounds as floats, if they are finite and low < high."""
    low, high = checks.number("low", low), checks.number("high", high)
    if not 0 < high - low < np.inf:
        raise ValueError(f"low is {low:g} and high is {high:g}; expected low < high, the ends of the true domain")
    return low, high
