"""Value distortion (AS00 §2): a true value plus zero-mean noise, uniform or Gaussian, released on a grid."""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import scipy
from scipy.special import ndtr, ndtri

from ppdm import checks
from ppdm.disguise.laws import GAUSSIAN, UNIFORM, log
from ppdm.disguise.numeric import MAX_STEPS, NumericChannel

MAX_OUTER_BINS = 1000
MIN_CHANGED = 0.01  # of the values: noise that changes fewer was rounded away
MAX_SCALE = 1e6  # of noise, beside the range: more leaves nothing to be seen, and its matrix few digits


@dataclass(frozen=True, kw_only=True, repr=False)
class AdditiveNoise(NumericChannel):
    """Add noise: x + scale × (a draw from a law), rounded to ``grid``. A scale of 0 gives the identity channel."""

    _law: ClassVar[SimpleNamespace]
    scale_name: ClassVar[str]

    def __post_init__(self):
        super().__post_init__()
        name = self.scale_name
        scale = checks.number(name, self.scale, f"[0, {MAX_SCALE * (self.high - self.low):g}]")
        vars(self)[name] = scale
        if 0 < scale < self._least_scale:
            raise ValueError(
                f"{name} is {scale:g}, which rounding takes away on {self._domain}; expected at least "
                f"{self._least_scale:.3g}, or 0 for no noise"
            )
        if self.step is not None and 2 * self.reach / self.step > MAX_STEPS:
            raise ValueError(
                f"{name} is {scale:g}, too many steps of {self.step:g} to sum over; "
                "use step=None for a continuous attribute"
            )

    @classmethod
    def _at_level(cls, level, confidence, **domain):
        without = cls(**{cls.scale_name: 0}, **domain)
        scale = level * (without.high - without.low) / cls._unit_width(confidence)
        # Noise that a step rounds away is none; the caller warns of it.
        lost = without.step is not None and scale < without._least_scale
        return without if lost else replace(without, **{cls.scale_name: scale})

    @property
    def _least_scale(self):
        """The least noise that rounding leaves, to a step or, where floats are coarse, to a thousandth of the noise."""
        if self.step is None:
            return 1024 * self._finest
        return self.step / self._unit_width(1 - MIN_CHANGED)

    @classmethod
    def _unit_width(cls, confidence):
        """The width of the shortest interval that holds noise of scale 1 with that confidence."""
        return float(-2 * cls._law.quantile((1 - confidence) / 2))

    @abstractmethod
    def _continuous_epsilon(self, delta, shift, log_ratio):
        """That ε for values without a step: they are so many units apart, and seen below any threshold."""

    @property
    def scale(self) -> float:
        """The noise in units of its law: the half-width, or the standard deviation."""
        return getattr(self, self.scale_name)

    @property
    def grid(self) -> float | None:
        """Spacing of the released values, counted from ``low``; None for the identity channel without a step.

        Without a step it is a power of two, about a millionth of the noise's scale: it changes no result, and hides the
        low-order bits of x + y, which could give x away.
        """
        if self.step is not None or self.scale == 0:
            return self.step
        spacing = max(self.scale * 2.0**-20, self._finest)
        return 2.0 ** math.floor(math.log2(spacing))

    @property
    def reach(self) -> float:
        """A bound on the noise: the half-width, or 37 standard deviations."""
        return self.scale * self._law.reach

    def draw(self, codes, uniforms) -> np.ndarray:
        """The true values plus noise, on the grid."""
        grid = self.grid
        if grid is None or self.scale == 0:
            return codes
        noise = self.scale * self._law.quantile(uniforms)
        return self.low + grid * np.rint((codes - self.low + noise) / grid)

    def log_law(self, seen, true) -> np.ndarray:
        """The log of the mean density over all noises that round to the seen value."""
        distances = seen - true
        if self.grid is None or self.scale == 0:
            return np.where(np.abs(distances) <= (self.step or 0) / 2, 0.0, -np.inf)
        with np.errstate(over="ignore", divide="ignore"):
            density = self._law.log_mean(distances / self.scale, self.grid / 2 / self.scale)
        return density + math.log((self.step or 1) / self.scale)

    def seen_range(self) -> tuple[float, float]:
        """The ends of the domain, moved outwards by the noise's reach (37 standard deviations for Gaussian noise)."""
        margin = self.reach + (self.grid or 0)  # rounding may add up to half a grid step
        return self.low - margin, self.high + margin

    def seen_bins(self, true_bins) -> np.ndarray:
        """Continue the true bins, at their mean width, over 99.99 % of the noise; the outermost bins are open.

        >>> UniformNoise(half_width=0.5, low=0, high=1).seen_bins([0, 0.5, 1]).tolist()
        [-inf, 0.0, 0.5, 1.0, inf]
        """
        edges = checks.edges("true_bins", true_bins)
        reach = self.privacy(0.9999) / 2
        mean = (edges[-1] - edges[0]) / (len(edges) - 1)
        width = max(mean, reach / MAX_OUTER_BINS)  # or much noise over narrow bins would ask for a huge matrix
        number = math.ceil(reach / width - 1e-9)  # rounding must not add a bin
        outer = width * np.arange(1, number + 1)
        seen = np.concatenate([edges[0] - outer[::-1], edges, edges[-1] + outer])
        seen[[0, -1]] = -np.inf, np.inf
        return seen

    def _matrix(self, true, seen, exact):
        if not exact and self.scale > 0:
            return self._midpoint_matrix(true, seen)
        # The mean of P(released < edge | x) over a true bin is a difference of the integral of the noise's CDF.
        starts = self.starts(true)
        distances = self._thresholds(seen) - starts[:, None]
        integral = self._cdf_integral(distances) if self.step is None else self._cdf_sum(distances)
        sizes = np.diff(starts)
        below = np.diff(integral, axis=0) / sizes[:, None]
        matrix = -np.diff(below, axis=1)  # the later a bin starts, the less is below an edge
        rounding = 2 * np.finfo(float).eps * np.abs(distances).max() / sizes
        matrix[matrix < rounding[:, None]] = 0  # an impossible seen bin must be exactly 0, not a rounding error
        return matrix

    def _epsilon(self, delta):
        # Noise is log-concave: the smaller a value that is seen, the more it speaks for the lowest true value and
        # against the highest, which are the two that are told apart best. So the worst set of seen values is all below
        # some threshold t, and ε is the largest log of (P(seen < t | lowest) − δ) / P(seen < t | highest).
        if self.scale == 0:
            return math.inf
        law, shift = self._law, (self.high - self.low) / self.scale

        def log_ratio(t) -> np.ndarray:
            """The log for thresholds that are so much above the lowest true value, in units of the noise."""
            told = law.cdf(t) - delta
            with np.errstate(invalid="ignore"):  # of what neither true value gives
                return np.where(told > 0, log(told) - law.log_cdf(t - shift), -np.inf)

        if self.step is None:
            return self._continuous_epsilon(delta, shift, log_ratio)
        cell = self.step / self.scale
        steps = np.arange(math.floor(-law.reach / cell), math.ceil(shift / cell) + 1)
        return max(float(log_ratio((steps + 0.5) * cell).max()), 0.0)

    def _width(self, confidence):
        return self.scale * self._unit_width(confidence)

    def spread(self, cell: float) -> np.ndarray:
        """The share of the noise that rounds to each multiple of the cell."""
        cells = math.ceil(self.reach / cell)
        ends = (np.arange(-cells, cells + 2) - 0.5) * cell
        return np.diff(self._cdf(ends))

    def variance(self) -> float:
        """Variance of the released value given the true one (of the rounded noise where there is a step)."""
        if self.step is None:
            return self.scale**2 * self._law.variance
        shares = self.spread(self.step)
        steps = np.arange(len(shares)) - len(shares) // 2  # the middle one is no noise
        return float(shares @ (self.step * steps) ** 2)

    def _thresholds(self, seen):
        """What x + y must stay below for the released value to be below each seen edge; with a step, in steps."""
        edges = np.clip(seen, *self.seen_range())
        grid = self.grid
        if grid is None:
            return edges
        edges[-1] = np.nextafter(edges[-1], np.inf)  # the last bin is closed
        index = np.ceil((edges - self.low) / grid)
        # Rounding in the line above must not move an edge past a grid value: judge by the floats that are released.
        index -= self.low + grid * (index - 1) >= edges
        index += self.low + grid * index < edges
        return index if self.step is not None else self.low + grid * (index - 0.5)

    def _cdf(self, distances):
        """The probability of noise below these distances."""
        if self.scale == 0:
            return (distances > 0).astype(float)
        # Beyond the reach a float may overflow when it is divided by a tiny scale.
        within = np.clip(distances, -self.reach, self.reach)
        return self._law.cdf(within / self.scale)

    def _cdf_integral(self, distances):
        if self.scale == 0:
            return np.maximum(distances, 0)
        within = np.clip(distances, -self.reach, self.reach)
        beyond = np.maximum(distances - self.reach, 0)  # where the CDF is 1
        return self.scale * self._law.cdf_integral(within / self.scale) + beyond

    def _cdf_sum(self, steps):
        """The integral's counterpart on the step grid: the CDF at j − ½ steps, summed over j up to each step."""
        first = int(steps.min())
        last = int(steps.max())
        middles = (np.arange(first, last + 1) - 0.5) * (self.step or 1)
        sums = np.cumsum(self._cdf(middles))
        return sums[(steps - first).astype(int)]

    def _midpoint_matrix(self, true, seen):
        finite = seen[np.isfinite(seen)]
        if len(finite) < 2:
            raise ValueError("seen_bins has an open interval without a bounded neighbour; use exact=True")
        # An open interval counts as wide as its neighbour.
        edges = np.nan_to_num(seen, neginf=2 * finite[0] - finite[1], posinf=2 * finite[-1] - finite[-2])
        seen_middles = (edges[1:] + edges[:-1]) / 2
        true_middles = (true[1:] + true[:-1]) / 2
        far = 40 * self.scale  # where either density is 0
        distances = np.clip(seen_middles - true_middles[:, None], -far, far)
        density = self._law.density(distances / self.scale) / self.scale
        return density * np.diff(edges)


@dataclass(frozen=True, kw_only=True, repr=False)
class UniformNoise(AdditiveNoise):
    """Noise uniform on [-half_width, half_width] (AS00 §2).

    A value that is seen near the end of the noise's reach rules out some true values, and no ε covers that. So
    ``epsilon`` is inf. Where delta reaches the total variation, range / (2 half_width), it is 0. With a step, the
    outermost values are rarer than the others, so that it can be finite in between.

    Parameters
    ----------
    half_width : number of at least 0; AS00's α
    low, high : the domain of the true values, low < high
    step : spacing of the true values from low to high, 1 for whole numbers; None for continuous values
    """

    half_width: float
    _law = UNIFORM
    scale_name = "half_width"

    def _continuous_epsilon(self, delta, shift, log_ratio):  # noqa: ARG002  (what Gaussian noise needs)
        return 0.0 if shift <= 2 * delta else math.inf


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianNoise(AdditiveNoise):
    """Normal noise with mean 0 and standard deviation sd (AS00 §2).

    ``epsilon`` is that of the values as they are released. With a step it is that of the rounded noise. Without one it
    is that of the analytic Gaussian mechanism (Balle & Wang 2018), with sensitivity high − low, which rounding to the
    fine grid can only make smaller. Draws reach every value of the grid, to 37 standard deviations, where the
    probability is 1e-299. So ε is inf from a range of about 33 standard deviations on.

    Parameters
    ----------
    sd : number of at least 0; AS00's σ
    low, high : the domain of the true values, low < high
    step : spacing of the true values from low to high, 1 for whole numbers; None for continuous values
    """

    sd: float
    _law = GAUSSIAN
    scale_name = "sd"
    two_ended = True

    def _continuous_epsilon(self, delta, shift, log_ratio):
        if ndtr(shift / 2) - ndtr(-shift / 2) <= delta:  # the total variation
            return 0.0
        lowest = ndtri(delta)
        if lowest < shift - GAUSSIAN.reach:  # where no draw from the highest value comes
            return math.inf
        # The ratio rises and then falls, and Balle & Wang's Theorem 8 puts its top below the middle. Where nothing is
        # told its log is -inf, with which the search could not reckon.
        bounds = lowest, shift / 2
        loss = scipy.optimize.minimize_scalar(
            lambda t: min(-log_ratio(t), 1e9), bounds=bounds, options={"xatol": 1e-9}
        )
        return max(float(-loss.fun), 0.0)


# By the names that experiments and panels call them.
NOISES: dict = {"uniform": UniformNoise, "Gaussian": GaussianNoise}
