"""Numbers changed within their domain (LSL03 §4): noise is added, or they are redrawn from their distribution."""

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ppdm import checks, randomness
from ppdm.cuts import frequency_cuts
from ppdm.disguise.laws import FAMILIES, distance, fitted
from ppdm.disguise.noise import GaussianNoise, UniformNoise
from ppdm.disguise.numeric import MAX_LEVEL, MAX_NUMBER, MAX_STEPS, NumericChannel
from ppdm.disguise.released import Fault, ends, known_only, lost, named, no_numbers, numbers, refuse, some
from ppdm.disguise.shuffle import UNSAID, Action, crossed, one_of

POSITIVE = partial(checks.number, interval="(0, inf)")
CONFIDENCE = 0.95  # at which the privacy of noise is a share of the range (AS00 §2.1)
CELLS = 1_000  # of one kind, at most: densities are fitted to the counts in them
MISFIT = 0.1  # the largest Kolmogorov-Smirnov distance of a density from the values
MASS, OFTEN = 0.05, 10  # a point mass has such a share of the records, and so many times those of other values


class Numeric(Action):
    """An action for numbers of a domain: what ``low``, ``high`` and ``step`` do not declare is taken from the data."""

    takes = "numbers"
    takes_missing = False
    most_steps = MAX_STEPS
    parameters: ClassVar[dict] = {"low": checks.number, "high": checks.number, "step": POSITIVE}
    low = high = step = UNSAID
    channel: NumericChannel  # for the numbers of the domain

    @property
    def _sizes(self):
        return [name for name in ("privacy", "sd", "half_width") if getattr(self, name, None) is not None]

    def _span(self, X, make):
        """Make the channel for the domain of a column. No error tells an end that is taken from the data."""
        values = numbers(X)
        expected = "smaller ones: count them in another unit"
        refuse(some(X, abs(values) > MAX_NUMBER, f"numbers beyond {MAX_NUMBER:g}", expected))
        low, high = ends(self, X)
        if low == high:
            raise ValueError(f"{named(X)} has a single value; expected more, or low below high")
        domain = {"low": low, "high": high, "step": self.step}
        taken = [name for name in domain if getattr(self, name) is None]
        whole = (np.append(values, [low, high]) % 1 == 0).all()
        if "step" in taken and whole and high - low <= self.most_steps:
            domain["step"] = 1
        if taken:
            self.notes.append(f"{' and '.join(taken)} taken from the data, of whose ends the release may tell")
        try:
            self.channel = make(**domain)
        except ValueError as error:
            if not taken:
                raise
            name = str(error).partition(" ")[0]
            name = name if name in domain else self._sizes[0]
            if "takes away" in str(error):
                raise lost(name) from None
            told = f"{name} does not go with the range"
            raise ValueError(f"{told}; expected another, or low, high and step declared") from None
        return self._inside(X)

    def _inside(self, X):
        """The numbers of a column, if all are in the domain."""
        values = numbers(X)
        expected = "values of it: correct them, or declare low, high and step"
        refuse(some(X, self.channel._untrue(values), "values outside the domain", expected))
        return values


class Add(Numeric):
    """Add noise with mean 0: LSL03's fixed-data perturbation, by the channels of AS00.

    Parameters
    ----------
    noise : "gaussian" or "uniform"
    privacy : how much, as a share of the range that hides a value with a confidence of 95 %; 1 is 100 %
    sd, half_width : or how much in units of the column, for Gaussian and for uniform noise
    low, high, step : the domain; taken from the data if they are not declared
    """

    name = "add"
    # Sums over Gaussian noise of several times the range, step by step, stay possible.
    most_steps = 100_000
    parameters: ClassVar[dict] = {
        "noise": one_of("gaussian", "uniform"),
        "privacy": partial(checks.number, interval=f"(0, {MAX_LEVEL}]"),
        "sd": POSITIVE,
        "half_width": POSITIVE,
        **Numeric.parameters,
    }
    noise = "gaussian"
    privacy = sd = half_width = UNSAID

    @property
    def _law(self):
        return UniformNoise if self.noise == "uniform" else GaussianNoise

    def clashes(self) -> Iterator:
        """Yield that the noise has no size, or several."""
        sizes, scale = self._sizes, self._law.scale_name
        if sizes not in (["privacy"], [scale]):
            seen = " and ".join(sizes) or "no size of the noise"
            yield Fault(self.name, f"has {seen}", f"exactly one of privacy and {scale}")

    def _learn(self, X, y):  # noqa: ARG002
        make = partial(self._law._at_level, self.privacy, CONFIDENCE)
        if self.privacy is None:
            make = partial(self._law, **{self._law.scale_name: self.sd or self.half_width})
        self._span(X, make)
        if not self.channel.privacy(CONFIDENCE, released=True):
            raise lost(self._sizes[0])

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The numbers plus noise, on the channel's grid."""
        refuse(self.misfits(X))
        values = pd.Series(self._inside(X), X.index, name=X.name)
        return self.channel.disguise(values, rng)

    def log_law(self, released, true) -> np.ndarray:
        """The channel's law of the rounded sums."""
        return self.channel.log_law(*crossed(released, true))


class Redraw(Numeric):
    """Fit a density, draw a new sample from it, and put it back in the old rank order (LSL03 §4, three steps).

    A higher true value never gets a lower new one; ties are ordered by chance. So a record keeps about its value: the
    larger the table, the less a value moves, and with it the protection. What is redrawn stays in the domain.

    Values that are far more frequent than others, as zeros that stand for "none", are point masses beside the density.
    Ordered categories are drawn by their shares and put back by rank. Other categories have no ranks: what is drawn
    does not depend on the true value.

    Parameters
    ----------
    density : a family, which is refused if it does not fit; "kernel", reflected at the ends of the domain; or "best",
        the family that makes the values most likely, and the kernel if no family fits. A kernel that does not fit is
        narrowed
    low, high, step : the domain; taken from the data if they are not declared
    """

    name = "redraw"
    takes = "any"
    parameters: ClassVar[dict] = {
        "density": one_of("best", "kernel", *FAMILIES),
        **Numeric.parameters,
    }
    density = "best"

    def misfits(self, X) -> Iterator:
        """Yield also what is no number among numbers."""
        yield from super().misfits(X)
        if checks.is_real(X.dtype):
            yield from no_numbers(X)

    def _learn(self, X, y):  # noqa: ARG002
        self._labels: Any = None
        self._ranked = True
        if checks.is_real(X.dtype):
            codes = self._span(X, partial(UniformNoise, half_width=0))
            self._masses, counts = self._point_masses(codes)
            rest = codes[~np.isin(codes, self._masses)]
            if len(rest):
                self._fit_density(rest)
        else:
            given = [name for name in self.parameters if getattr(self, name) != getattr(Redraw, name)]
            if given:
                raise ValueError(f"{given[0]} is given; expected it for numbers only")
            self._ranked = getattr(X.dtype, "ordered", False)
            codes, self._labels = pd.factorize(X, sort=self._ranked)
            self._masses, counts = np.unique(codes, return_counts=True)
        n = len(codes)
        self._shares = np.cumsum(counts) / n
        # How far a record moves on average, for what the release tells: a trial with lots of our own. One move over the
        # whole range stands for what the trial did not show.
        trial = self._sample(n, randomness.lots(n))
        moves = np.abs(np.sort(trial) - np.sort(codes))
        self._move = (moves.sum() + np.ptp(codes)) / n or 1.0

    def _point_masses(self, values):
        """Values that are far more frequent than others, and how many records have each."""
        distinct, counts = np.unique(values, return_counts=True)
        others = (len(values) - counts) / max(len(counts) - 1, 1)
        many = (counts > MASS * len(values)) & (counts > OFTEN * others)
        if len(many) - many.sum() < 2:
            many[:] = True  # one value more has no density
        if many.any():
            self.notes.append("values that are far more frequent than others are drawn apart, as point masses")
        return distinct[many], counts[many]

    def _fit_density(self, rest):
        """Choose a density: its cumulated shares at the ends of cells, or a width of the kernel about the values."""
        self._ends = self.channel.true_bins(min(CELLS, self.channel.most_bins))
        if self.channel.most_bins > CELLS:
            # Of a skewed column one of the equal cells may hold nearly all values: it is divided where they are.
            self._ends = np.union1d(self._ends, frequency_cuts(rest, CELLS))
        shares = np.histogram(rest, self._ends)[0] / len(rest)
        found = []
        for family in FAMILIES if self.density == "best" else {self.density} & set(FAMILIES):
            loss, below = fitted(FAMILIES[family], self._ends, shares)
            found.append((loss, self._distance(below, rest), below, family))
        fits = [one for one in found if one[1] <= MISFIT]
        if fits:
            _, far, self._below, family = min(fits, key=lambda one: one[0])
            self._kernel = None
            self.notes.append(f"the density is {family}, at a distance of {far:.3f} from the values")
        elif self.density in FAMILIES:
            told = f"density is {self.density!r}, at a Kolmogorov-Smirnov distance of {found[0][1]:.2f} from the values"
            raise ValueError(f"{told}; expected at most {MISFIT:g}: another family, best or kernel")
        else:
            if found:
                self.notes.append(f"no family is within {MISFIT:g} of the values: the density is a kernel's")
            self._fit_kernel(rest)

    def _distance(self, below, values):
        return distance(self._ends, below, values, (self.channel.step or 0) / 2)

    def _fit_kernel(self, rest):
        """Choose the kernel's width: Scott's rule, which a few far values make too wide, halved until it fits."""
        self._kernel = rest
        scott = rest.std(ddof=1) * len(rest) ** -0.2
        # The law without chance: values at even distances in their order, with noise at even chances.
        even = np.linspace(0, len(rest) - 1, min(len(rest), CELLS)).astype(int)
        values = np.sort(rest)[even]
        noise = ndtri((np.arange(99)[:, None] + 0.5) / 99)
        # Few values are by chance as far from their own law: the quantile of 99 %.
        most = max(MISFIT, 1.63 * len(rest) ** -0.5)
        for self._width in scott / 2.0 ** np.arange(40):
            drawn = np.sort(self._reflected(values + self._width * noise), axis=None)
            if self._distance(np.searchsorted(drawn, self._ends) / drawn.size, values) <= most:
                break
        else:
            self._width = scott
            self.notes.append(f"no kernel is within {most:.2g} of the values, of which many are equal")
        if self._width < scott:
            self.notes.append("the kernel is narrower than by Scott's rule, which does not fit the values")

    def _reflected(self, values):
        """Values brought into the domain, as often as it takes: clipped values would pile up at the ends."""
        first = self._ends[0]
        span = self._ends[-1] - first
        return first + span - np.abs(span - (values - first) % (2 * span))

    def _sample(self, n, source):
        """Draw from point masses and density."""
        place = np.searchsorted(self._shares, randomness.uniform(n, source), side="right")
        drawn = np.append(self._masses, np.nan)[place]
        rest = np.flatnonzero(place == len(self._masses))
        if len(rest):
            drawn[rest] = self._smooth(len(rest), source)
        return drawn

    def _smooth(self, n, source):
        """Draw from the density."""
        chance = randomness.uniform(n, source)
        if self._kernel is None:
            drawn = np.interp(chance, self._below, self._ends)
        else:
            # A record at random, and noise: nothing is evaluated, which would take the square of the records.
            chosen = self._kernel[(chance * len(self._kernel)).astype(int)]
            drawn = self._reflected(chosen + self._width * ndtri(randomness.uniform(n, source)))
        low, step = self.channel.low, self.channel.step
        if step is None:
            return drawn
        steps = np.rint((drawn - low) / step)
        return low + step * np.clip(steps, 0, self.channel.most_bins - 1)  # an end itself may round outwards

    def _codes(self, values):
        """Numbers, or the places of categories."""
        return values if self._labels is None else checks.places("values", values, self._labels)

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """A new sample in the rank order of the column."""
        refuse(self.misfits(X))
        codes = self._inside(X) if self._labels is None else known_only(X, self._labels)
        source = self._source(X, rng)
        drawn = self._sample(len(X), source)
        if self._ranked:
            order = randomness.permutation(len(X), source)
            order = order[np.argsort(codes[order], kind="stable")]
            drawn[order] = np.sort(drawn)
        if self._labels is None:
            return self.channel.decode(drawn, X)
        return pd.Series(self._labels.take(drawn.astype(int)), X.index, name=X.name)

    def log_law(self, released, true) -> np.ndarray | None:
        """Laplace noise about as large as the moves of records are; None for categories without an order."""
        if not self._ranked:
            return None
        seen, known = crossed(self._codes(released), self._codes(true))
        return -np.abs(seen - known) / self._move
