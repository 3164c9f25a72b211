"""Value distortion (AS00 §2): a true value plus zero-mean noise, uniform or Gaussian, released on a grid."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr, ndtri

from ppdm import checks
from ppdm.disguise.laws import GAUSSIAN, UNIFORM, Law, closed_edges
from ppdm.disguise.release import MAX_STEPS, NumericChannel, check_domain

MAX_OUTER_BINS = 1000


@dataclass(frozen=True, kw_only=True, repr=False)
class AdditiveNoise(NumericChannel):
    """x → x + scale × (noise of a law), rounded to ``grid``. A scale of 0 is legal: the identity channel."""

    law: ClassVar[Law]
    scale_name: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(**{self.scale_name: checks.number(self.scale_name, self.scale, 0)})
        if self.step is not None and 2 * self._reach / self.step > MAX_STEPS:
            raise ValueError(
                f"{self.scale_name} is {self.scale:g}, too many steps of {self.step:g} to sum over; "
                "use step=None for a continuous attribute"
            )

    @classmethod
    def at_privacy(
        cls, level: float, *, low: float, high: float, confidence: float = 0.95, step: float | None = None
    ) -> Self:
        """The channel whose ``privacy(confidence)`` is level × (high − low), the "privacy level" of AS00 §5.

        It warns where a step rounds all of the noise away.

        A level is at least 0, and 1 stands for 100 %; low, high and step are the domain of the true values.

        >>> UniformNoise.at_privacy(0.95, low=0, high=1)
        UniformNoise(half_width=0.5, low=0, high=1)
        """
        low, high = check_domain(low, high)
        width = checks.number("level", level, 0) * (high - low)
        scale: Any = {cls.scale_name: width / cls._unit_width(confidence)}
        channel = cls(**scale, low=low, high=high, step=step)
        return channel._warned(level, step is not None and channel._reach <= step / 2)

    @property
    def scale(self) -> float:
        """The noise in units of its law: the half-width, or the standard deviation."""
        return getattr(self, self.scale_name)

    @property
    def grid(self) -> float | None:
        """Spacing of the released values, counted from ``low``; None for the identity channel without a step.

        Without a step it is a power of two, about a millionth of the noise's scale: it changes no result, and hides the
        low-order bits of x + y, which would tell x from its neighbours.
        """
        if self.step is not None or self.scale == 0:
            return self.step
        coarsest_double = max(abs(self.low), abs(self.high)) * 2.0**-44
        return 2.0 ** math.floor(math.log2(max(self.scale * 2.0**-20, coarsest_double)))

    @property
    def _reach(self) -> float:
        return self.scale * self.law.reach

    def draw(self, codes: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """The true values plus noise, on the grid."""
        grid = self.grid
        if grid is None or self.scale == 0:
            return codes
        noise = self.scale * self.law.quantile(uniforms)
        return self.low + grid * np.rint((codes - self.low + noise) / grid)

    def log_law(self, seen: np.ndarray, true: np.ndarray) -> np.ndarray:
        """From the mean density over the noises that are rounded to the seen value."""
        distances = seen - true
        if self.grid is None or self.scale == 0:
            return np.where(np.abs(distances) <= (self.step or 0) / 2, 0.0, -np.inf)
        with np.errstate(over="ignore", divide="ignore"):
            density = self.law.log_mean(distances / self.scale, self.grid / 2 / self.scale)
        return density + math.log((self.step or 1) / self.scale)

    def seen_range(self) -> tuple[float, float]:
        """The ends of the domain, moved outwards by the noise's reach (10 standard deviations for Gaussian noise).

        >>> UniformNoise(half_width=2, low=0, high=9, step=1).seen_range()
        (-3.0, 12.0)
        """
        margin = self._reach + (self.grid or 0)  # rounding may add up to half a grid step
        return self.low - margin, self.high + margin

    def seen_bins(self, true_bins: Any) -> np.ndarray:
        """The true bins, continued at their mean width over 99.99 % of the noise; the outermost are open.

        >>> UniformNoise(half_width=0.5, low=0, high=1).seen_bins([0, 0.5, 1]).tolist()
        [-inf, 0.0, 0.5, 1.0, inf]
        """
        edges = checks.edges("true_bins", true_bins)
        reach = self.privacy(0.9999) / 2
        width = max((edges[-1] - edges[0]) / (len(edges) - 1), reach / MAX_OUTER_BINS)
        outer = width * np.arange(1, math.ceil(reach / width - 1e-9) + 1)
        seen = np.concatenate([edges[0] - outer[::-1], edges, edges[-1] + outer])
        seen[[0, -1]] = -np.inf, np.inf
        return seen

    def matrix(self, true_bins: Any, seen_bins: Any, exact: bool = True) -> np.ndarray:
        """P(seen bin | true bin) of the channel as released, rounding included.

        A bin is [a, b); the last is closed. A true bin stands for values spread evenly over its part of the domain
        (with a step: over its values).

        Parameters
        ----------
        true_bins : increasing edges, one row an interval
        seen_bins : increasing edges, one column an interval; the first may be -inf and the last inf
        exact : False gives AS00's approximation, the density at the distance of the mid-points times the seen
            bin's width (half the density where the distance equals the half-width of uniform noise; an open bin
            counts as wide as its neighbour); noise of scale 0 has no density and stays exact

        >>> UniformNoise(half_width=1, low=0, high=2).matrix([0, 1, 2], [-1, 0, 1, 2, 3]).round(3).tolist()
        [[0.25, 0.5, 0.25, 0.0], [0.0, 0.25, 0.5, 0.25]]
        """
        true, seen = self._checked_bins(true_bins, seen_bins)
        approximate = not checks.flag("exact", exact) and self.scale > 0
        return self._midpoint_matrix(true, seen) if approximate else self._exact_matrix(true, seen)

    def _width(self, confidence: float) -> float:
        return self.scale * self._unit_width(confidence)

    def spread(self, cell: float) -> np.ndarray:
        """The shares of the noise that are rounded to each multiple of the cell."""
        if self.scale == 0:
            return np.ones(1)
        cells = math.ceil(self._reach / cell)
        ends = np.clip((np.arange(-cells, cells + 2) - 0.5) * cell, -self._reach, self._reach)
        return np.diff(self.law.cdf(ends / self.scale))

    def variance(self) -> float:
        """Variance of the released value given the true one (of the rounded noise where there is a step)."""
        if self.step is None or self.scale == 0:
            return self.scale**2 * self.law.variance
        steps = np.arange(1, self._reach / self.step + 2)
        beyond = 2 * self.law.cdf(-self.step * (steps - 0.5) / self.scale)
        return float(self.step**2 * ((2 * steps - 1) * beyond).sum())

    def _exact_matrix(self, true: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """The mean over each true bin of P(released < edge | x), differenced over the seen edges.

        The mean of a function over an interval is a difference of its integral: here of the noise's CDF.
        """
        starts = self._starts(true)
        distances = self._thresholds(seen) - starts[:, None]
        integral = self._cdf_integral(distances) if self.step is None else self._cdf_sum(distances)
        sizes = np.diff(starts)
        matrix = -np.diff(np.diff(integral, axis=0) / sizes[:, None], axis=1)
        rounding = 2 * np.finfo(float).eps * np.abs(distances).max() / sizes
        matrix[matrix < rounding[:, None]] = 0  # an impossible seen bin must be exactly 0, not a rounding error
        return matrix

    def _starts(self, true: np.ndarray) -> np.ndarray:
        """The bins' edges within the domain; with a step, the number of each bin's first value."""
        starts = np.clip(true, self.low, self.high)
        if self.step is not None:
            starts = np.ceil((starts - self.low) / self.step - 1e-6)
            starts[-1] += true[-1] >= self.high - 1e-6 * self.step
        empty = np.flatnonzero(np.diff(starts) <= 0)
        if len(empty):
            a, b = true[empty[0]], true[empty[0] + 1]
            steps = "" if self.step is None else f" in steps of {self.step:g}"
            raise ValueError(
                f"true_bins has the interval [{a:g}, {b:g}), which holds no value of the domain "
                f"[{self.low:g}, {self.high:g}]{steps}; expected intervals that do"
            )
        return starts

    def _thresholds(self, seen: np.ndarray) -> np.ndarray:
        """What x + y must stay below for the released value to be below each seen edge; with a step, in steps."""
        edges = np.clip(seen, *self.seen_range())
        if self.grid is None:
            return edges
        edges[-1] = np.nextafter(edges[-1], np.inf)  # the last bin is closed
        index = np.ceil((edges - self.low) / self.grid)
        # Rounding in the line above must not move an edge past a grid value: judge by the floats that are released.
        index -= self.low + self.grid * (index - 1) >= edges
        index += self.low + self.grid * index < edges
        return index if self.step is not None else self.low + self.grid * (index - 0.5)

    def _cdf_integral(self, distances: np.ndarray) -> np.ndarray:
        if self.scale == 0:
            return np.maximum(distances, 0)
        within = np.clip(distances, -self._reach, self._reach)
        return self.scale * self.law.cdf_integral(within / self.scale) + np.maximum(distances - self._reach, 0)

    def _cdf_sum(self, steps: np.ndarray) -> np.ndarray:
        """The integral's counterpart on the step grid: the CDF at j − ½ steps, summed over j up to each step."""
        first, last = int(steps.min()), int(steps.max())
        middles = (np.arange(first, last + 1) - 0.5) * (self.step or 1)
        within = np.clip(middles, -self._reach, self._reach)
        cdf = self.law.cdf(within / self.scale) if self.scale else (middles > 0).astype(float)
        return np.cumsum(cdf)[(steps - first).astype(int)]

    def _midpoint_matrix(self, true: np.ndarray, seen: np.ndarray) -> np.ndarray:
        edges = closed_edges(seen)
        if not np.isfinite(edges).all():
            raise ValueError("seen_bins has an open interval without a bounded neighbour; use exact=True")
        distances = (edges[1:] + edges[:-1]) / 2 - (true[1:] + true[:-1])[:, None] / 2
        far = 40 * self.scale  # where either density is 0
        return self.law.density(np.clip(distances, -far, far) / self.scale) / self.scale * np.diff(edges)

    @classmethod
    def _unit_width(cls, confidence: float) -> float:
        confidence = checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
        return float(-2 * cls.law.quantile((1 - confidence) / 2))


@dataclass(frozen=True, kw_only=True, repr=False)
class UniformNoise(AdditiveNoise):
    """Noise uniform on [-half_width, half_width] (AS00 §2).

    Parameters
    ----------
    half_width : number of at least 0; AS00's α
    low, high : the domain of the true values, low < high
    step : spacing of the true values from low to high, 1 for whole numbers; None for continuous values

    >>> UniformNoise(half_width=0.5, low=0, high=1).privacy(confidence=0.95)
    0.95
    """

    half_width: float
    law = UNIFORM
    scale_name = "half_width"

    def epsilon(self, delta: float = 1e-5) -> float:
        """Inf, or 0 where delta (in [0, 1)) reaches the total variation range / (2 half_width).

        A value seen near the end of the noise's reach excludes some true values for certain: below that delta no
        finite ε covers it. (Of the noise before rounding, which rounding can only improve.)
        """
        delta = checks.number("delta", delta, 0, 1, open_high=True)
        return 0.0 if self.high - self.low <= delta * 2 * self.half_width else math.inf


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianNoise(AdditiveNoise):
    """Normal noise with mean 0 and standard deviation sd (AS00 §2).

    Parameters
    ----------
    sd : number of at least 0; AS00's σ
    low, high : the domain of the true values, low < high
    step : spacing of the true values from low to high, 1 for whole numbers; None for continuous values

    >>> round(GaussianNoise.at_privacy(1.0, low=20, high=80).epsilon(), 1)
    23.7
    """

    sd: float
    law = GAUSSIAN
    scale_name = "sd"

    def epsilon(self, delta: float = 1e-5) -> float:
        """The analytic Gaussian mechanism's ε at delta, in [0, 1) (Balle & Wang 2018), with sensitivity high − low.

        (Of the noise before rounding, which rounding can only improve. Draws end at 8.2 standard deviations, where
        ideal noise goes once in 10^16 times: an ε beyond 30 or so, which promises nothing, is nominal.)
        """
        delta = checks.number("delta", delta, 0, 1, open_high=True)
        shift = (self.high - self.low) / self.sd if self.sd else math.inf
        if math.isinf(shift) or delta == 0:
            return math.inf
        if _privacy_profile(shift / 2, shift) <= delta:
            return 0.0
        a = brentq(lambda a: _privacy_profile(a, shift) - delta, ndtri(delta) - 1, min(shift / 2, 40.0))
        return shift * (shift / 2 - float(a))


# By the names that experiments and panels call them.
NOISES: dict[str, type[UniformNoise] | type[GaussianNoise]] = {"uniform": UniformNoise, "Gaussian": GaussianNoise}


def _privacy_profile(a: float, shift: float) -> float:
    """The δ that goes with ε for two unit normals ``shift`` apart, Φ(a) − exp(ε) Φ(−b) (Balle & Wang 2018, Theorem 8).

    Here a = shift / 2 − ε / shift and b = shift − a, so that exp(ε) Φ(−b) = exp(−a² / 2) erfcx(b / √2) / 2, which
    does not overflow.
    """
    return float(ndtr(a) - math.exp(-a * a / 2) * erfcx((shift - a) / math.sqrt(2)) / 2)
