"""What all channels for numbers share: a domain with its grid, bins over it, and widths that hide a value."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like

from ppdm import checks
from ppdm.disguise.release import Channel, warn

MAX_STEPS = 10_000_000  # values that a step grid may have: the exact matrix sums over them
MAX_LEVEL = 10  # of privacy: who asks for more may mean per cent
ROUNDING = 1e-9  # shares that differ by less are the same
MAX_NUMBER = 1e100  # whose square, and many times that, is a float
FINEST = 2.0**-44  # of the largest number of a domain: neighbouring floats are still told apart by far


@dataclass(frozen=True, kw_only=True, repr=False)
class DomainChannel(Channel):
    """A channel for numbers in [low, high]; with a step, for the numbers low, low + step, … high only."""

    low: float
    high: float
    step: float | None = None

    def __post_init__(self):
        largest = f"[{-MAX_NUMBER:g}, {MAX_NUMBER:g}]"
        low = checks.number("low", self.low, largest)
        high = checks.number("high", self.high, largest)
        if not low < high:
            raise ValueError(
                f"low is {low:g} and high is {high:g}; expected low < high, the ends of the true domain"
            )
        step = self.step
        if step is not None:
            step = checks.number("step", step, "(0, inf)")
            steps = (high - low) / step
            if not 0.5 < steps <= MAX_STEPS or abs(steps - round(steps)) > 1e-6:
                raise ValueError(
                    f"step is {step:g}; expected a whole number of steps from low to high, at most {MAX_STEPS}; "
                    "use step=None for a continuous attribute"
                )
        vars(self).update(low=low, high=high, step=step)  # past the guard of a frozen dataclass
        if step is not None and step < self._finest:
            raise ValueError(
                f"step is {step:g}, which floats as large as the ends of the domain cannot tell apart; expected "
                f"at least {self._finest:g}, or numbers counted from low"
            )

    def __repr__(self):
        names = [field.name for field in fields(self)]
        shown = {name: getattr(self, name) for name in [*names[3:], *names[:3]]}  # the domain last
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in shown.items() if value is not None)
        return f"{type(self).__name__}({arguments})"

    @property
    def _domain(self):
        steps = "" if self.step is None else f" in steps of {self.step:g}"
        return f"the domain [{self.low:g}, {self.high:g}]{steps}"

    @property
    def _finest(self):
        return max(abs(self.low), abs(self.high)) * FINEST

    @property
    def _whole_grid(self):
        """Whether all released values are whole numbers, as large as an integer can be at most."""
        whole = self.step is not None and self.step.is_integer() and self.low.is_integer()
        return whole and max(map(abs, self.seen_range())) < 2**53

    @abstractmethod
    def seen_range(self) -> tuple[float, float]:
        """The lowest and the highest value that the channel can release."""

    def true_codes(self, values, name="values") -> np.ndarray:
        """The values as floats. Refuse values outside the domain."""
        expected = "values of it: correct them, or declare low, high and step anew"
        numbers = checks.vector(name, values)
        checks.none_wrong(name, numbers, self._untrue(numbers), f"outside {self._domain}", expected)
        return numbers

    def seen_codes(self, values, name="values") -> np.ndarray:
        """The values as floats. Refuse values that the channel cannot have released."""
        low, high = self.seen_range()
        expected = f"values in [{low:g}, {high:g}], as disguised by {self!r}"
        numbers = checks.vector(name, values)
        checks.none_wrong(name, numbers, self._unseen(numbers), "that the channel cannot have released", expected)
        return numbers

    def _untrue(self, values):
        return self._outside(values, self.low, self.high)

    def _unseen(self, values):
        return self._outside(values, *self.seen_range())

    def _outside(self, values, lowest, highest):
        outside = (values < lowest) | (values > highest)
        if self.step is not None:
            steps = (values - self.low) / self.step
            outside |= np.abs(steps - np.rint(steps)) > 1e-6
        return outside

    def decode(self, codes, like) -> Any:
        """Released values in the container of the true ones. The channel alone says whether they are integers."""
        codes = codes.astype(np.int64 if self._whole_grid else float)
        return pd.Series(codes, index=like.index, name=like.name) if isinstance(like, pd.Series) else codes


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericChannel(DomainChannel):
    """A channel whose noise is the same for all numbers of its domain, so that it has widths, bins and a matrix."""

    @classmethod
    def at_privacy(
        cls, level: float, *, low: float, high: float, confidence: float = 0.95, step: float | None = None
    ) -> Self:
        """Make the channel whose ``privacy(confidence)`` is level × (high − low), the "privacy level" of AS00 §5.

        ``Intervals`` takes the largest number of equal intervals that still has that privacy. A warning says if the
        step is so coarse that most values are released as they are, and if the level looks like one in per cent.

        Parameters
        ----------
        level : number of at least 0; 1 stands for 100 %. For ``Intervals`` at most what one interval gives,
            about the confidence
        low, high, step : the domain of the true values
        confidence : number in (0, 1)

        >>> from ppdm.disguise import Intervals, UniformNoise
        >>> UniformNoise.at_privacy(0.95, low=0, high=1)
        UniformNoise(half_width=0.5, low=0, high=1)
        >>> Intervals.at_privacy(0.25, low=20, high=80)
        Intervals(edges=3, low=20, high=80)
        """
        level = checks.number("level", level, "[0, inf)")
        if level > MAX_LEVEL:
            told = f"level is {level:g}, which asks for {level:.0%} privacy; expected 1 for 100 %"
            warnings.warn(told, stacklevel=2)
        confidence = checks.number("confidence", confidence, "(0, 1)")
        channel = cls._at_level(level, confidence, low=low, high=high, step=step)
        if level > 0 and not channel.privacy(confidence, released=True):
            told = f"{channel!r}, at level {level:g}, tells most values: the step is too coarse; choose a higher level"
            warn(told)
        return channel

    @classmethod
    @abstractmethod
    def _at_level(cls, level, confidence, **domain):
        """The channel of ``at_privacy``."""

    @property
    def grid(self) -> float | None:
        """The smallest distance between two released values; None if there is no grid."""
        return self.step

    @property
    def most_bins(self) -> int:
        """The largest number of equal bins: one for each value of a step grid."""
        if self.step is None:
            return checks.MAX_BINS
        return round((self.high - self.low) / self.step) + 1

    def true_bins(self, bins, name: str = "bins") -> np.ndarray:
        """The edges of a number of equal bins over the domain; or the edges given, if they cover it.

        With a step, equal bins reach half a step beyond the domain at both ends. What given bins have outside the
        domain is cut off, because no true value lies there; with a step, up to one step stays.

        >>> from ppdm.disguise import UniformNoise
        >>> UniformNoise(half_width=1, low=0, high=4).true_bins([-9, 2, 9]).tolist()
        [0.0, 2.0, 4.0]
        """
        margin = self.step or 0.0
        if not is_list_like(bins):
            number = checks.whole(name, bins, 1, self.most_bins, hint="or edges that cover the domain")
            return np.linspace(self.low - margin / 2, self.high + margin / 2, number + 1)
        edges = checks.edges(name, bins)
        if edges[0] > self.low or edges[-1] < self.high:
            raise ValueError(
                f"{name} reaches from {edges[0]:g} to {edges[-1]:g}; expected edges that cover {self._domain}"
            )
        # Where a whole bin is outside nothing is cut off: the matrix refuses such a bin.
        inside = edges[1] > self.low and edges[-2] < self.high
        return np.clip(edges, self.low - margin, self.high + margin) if inside else edges

    def starts(self, bins, name: str = "true_bins") -> np.ndarray:
        """The bins' edges within the domain; with a step, the number of each bin's first value. Refuse empty bins."""
        starts = np.clip(bins, self.low, self.high + (self.step or 0))
        if self.step is not None:
            starts = np.ceil((starts - self.low) / self.step - 1e-6)
            if bins[-1] >= self.high - 1e-6 * self.step:  # the last bin is closed
                starts[-1] = self.most_bins
        empty = np.flatnonzero(np.diff(starts) <= 0)
        if len(empty):
            a, b = bins[empty[0] : empty[0] + 2]
            raise ValueError(
                f"{name} has the interval [{a:g}, {b:g}), which holds no value of {self._domain}; "
                "expected intervals that do"
            )
        return starts

    @abstractmethod
    def seen_bins(self, true_bins) -> np.ndarray:
        """Edges of seen bins that go with true bins; the outermost are open, so that every seen value has one."""

    def matrix(self, true_bins, seen_bins, exact: bool = True) -> np.ndarray:
        """P(seen bin | true bin) of the channel as released, rounding included.

        A bin is [a, b); the last is closed. A true bin stands for values spread evenly over its part of the domain
        (with a step: over its values).

        Parameters
        ----------
        true_bins : increasing edges: a row for each interval
        seen_bins : increasing edges: a column for each interval; the first may be -inf and the last inf
        exact : False gives AS00's approximation for additive noise: the density at the distance of the mid-points times
            the seen bin's width. Where the distance equals the half-width of uniform noise, the density counts half.
            An open bin counts as wide as its neighbour. Noise of scale 0 has no density and stays exact, as
            ``Intervals`` do

        >>> from ppdm.disguise import Intervals, UniformNoise
        >>> UniformNoise(half_width=1, low=0, high=2).matrix([0, 1, 2], [-1, 0, 1, 2, 3]).round(3).tolist()
        [[0.25, 0.5, 0.25, 0.0], [0.0, 0.25, 0.5, 0.25]]
        >>> Intervals(edges=2, low=0, high=4).matrix([0, 1, 4], [0, 2, 4]).round(3).tolist()
        [[1.0, 0.0], [0.333, 0.667]]
        """
        true = checks.edges("true_bins", true_bins)
        seen = checks.edges("seen_bins", seen_bins, open_ends=True)
        checks.cells("the matrix of true and seen bins", (len(true) - 1, len(seen) - 1))
        return self._matrix(true, seen, checks.flag("exact", exact))

    @abstractmethod
    def _matrix(self, true, seen, exact):
        """The matrix for edges that are found good."""

    def privacy(self, confidence: float = 0.95, released: bool = False) -> float:
        """The width of the shortest interval that holds the true value with that confidence (AS00 §2.1, Table 1).

        A coarse step rounds much of the noise away. The width as released is the smallest distance between two values
        of the grid that hold the true value between them with that confidence, both included. It is 0 where most values
        are released unchanged.

        Parameters
        ----------
        confidence : number in (0, 1)
        released : True gives the width as released; False gives the paper's, without the rounding to a step

        >>> from ppdm.disguise import UniformNoise
        >>> noise = UniformNoise(half_width=0.52, low=0, high=4, step=1)
        >>> noise.privacy(), noise.privacy(released=True)
        (0.988, 0.0)
        """
        confidence = checks.number("confidence", confidence, "(0, 1)")
        if not checks.flag("released", released) or self.step is None:
            return self._width(confidence)
        shares = self.spread(self.step)
        held = np.concatenate([[0], np.cumsum(shares)])
        last = np.searchsorted(held, held + confidence - ROUNDING)  # from each start, the first that holds enough
        steps = (last - np.arange(len(held)))[last < len(held)] - 1
        return float(steps.min() * self.step)

    @abstractmethod
    def _width(self, confidence):
        """The paper's width."""

    @abstractmethod
    def spread(self, cell: float) -> np.ndarray:
        """The probability of each neighbouring cell of that width for the true value, once a value is seen."""

    @abstractmethod
    def variance(self) -> float:
        """Variance of the seen value, given the true one."""


def _shown(value):
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else f"{value:.10g}"
