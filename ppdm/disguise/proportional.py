"""Noise in proportion to the value (Islam & Brankovic 2003, Figure 3): a bell that is cut at both ends."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from ppdm import checks
from ppdm.disguise.categories import KeepOrReplace
from ppdm.disguise.laws import log
from ppdm.disguise.numeric import ROUNDING, DomainChannel
from ppdm.disguise.release import Channel
from ppdm.disguise.released import hashed
from ppdm.information import coded

EXPECTED = "a channel, say ProportionalNoise(sd=0.276, low=1, high=10, step=1)"
SHARE = 0.276  # the paper's standard deviation
CUT = 60 / 27.6  # of those after the cut, where the bell ends: the paper's noise ends at 60 per cent
WHOLE = 1.1916674535274396  # of those, what the whole bell has: 32.9 per cent where 27.6 are left
BEYOND = ndtr(-CUT / WHOLE)  # the share of the whole bell that is cut off at either end
MAX_TURNS = 1_000  # that the law sums over
MAX_DIGITS = 6  # of a number's fraction, where its step is taken from the data
LEAST, MOST = 0.01, 10  # standard deviations
MAX_COMPARED = 99  # steps of a domain whose values are compared


@dataclass(frozen=True, kw_only=True, repr=False)
class ProportionalNoise(DomainChannel):
    """Add a share of the value, by a bell with mean 0 that is cut at 60 / 27.6 standard deviations (IB03 §4).

    Of the paper's Figure 3 only the standard deviation is known, 27.6 %: a bell that ends at ±60 % is our choice. What
    lies beyond an end of the domain is reflected into it. All is rounded to the step, which makes the noise discrete.
    (Noise of whole per cents would do so, too. But on a fine grid a released value would then be a whole number of per
    cents of its true value, and of hardly any other: that would name people.) So zeros never change, ones among
    whole numbers hardly ever, and near the ends the noise has another mean than 0.

    ``epsilon`` is that of δ = 0, which holds for every δ. On most domains it is inf, because one true value can be
    released as what another cannot be; domains of more than 100 values are not looked at, and have inf, too.

    Parameters
    ----------
    sd : of the noise after the cut, as a share of the value: 0, or from 0.01 to 10
    low, high : the domain of the true values, low < high
    step : spacing of the true values from low to high, 1 for whole numbers. Finer digits would give the true value away

    >>> ProportionalNoise(sd=0.276, low=1, high=10, step=1).disguise([1, 5, 5, 10], rng=1).tolist()
    [1, 4, 6, 5]
    """

    step: Any = None
    sd: float = SHARE

    def __post_init__(self):
        if self.step is None:
            raise ValueError(
                "step is None; expected the spacing of the values, because the digits of a product tell its factors"
            )
        super().__post_init__()
        sd = checks.number("sd", self.sd, f"[0, {MOST}]")
        if 0 < sd < LEAST:
            raise ValueError(f"sd is {sd:g}, which is hardly any noise; expected at least {LEAST}, or 0 for none")
        vars(self)["sd"] = sd
        if self._turns > MAX_TURNS:
            raise ValueError(
                f"sd is {sd:g}, which moves the largest values through the whole domain more than {MAX_TURNS} times; "
                "expected less noise, or numbers counted from a value nearer to them"
            )

    def below(self, shares) -> np.ndarray:
        """The probability that the noise is below these shares of the value."""
        if not self.sd:
            return np.greater(shares, 0).astype(float)
        whole = ndtr(np.divide(shares, WHOLE * self.sd))
        return np.clip((whole - BEYOND) / (1 - 2 * BEYOND), 0, 1)

    def seen_range(self) -> tuple[float, float]:
        """The ends of the domain: noise beyond them is reflected."""
        return self.low, self.high

    def draw(self, codes, uniforms) -> np.ndarray:
        """The true values plus noise, on the grid and within the domain."""
        noise = WHOLE * self.sd * ndtri(BEYOND + uniforms * (1 - 2 * BEYOND))
        span = self._span
        # Mirrors at both ends make a pattern that returns after two spans.
        moved = codes * (1 + noise)
        steps = np.rint((moved - self.low) / self.step)
        beyond = np.mod(steps, 2 * span)
        places = np.minimum(beyond, 2 * span - beyond)
        # By a division, where it can be: 0.3 and not 0.1 × 3, whose last digit would tell who got noise.
        parts = np.rint(1 / self.step)
        start = np.rint(self.low / self.step)
        found = self.low + self.step * places
        if abs(parts * self.step - 1) < ROUNDING and abs(start * self.step - self.low) < ROUNDING * self.step:
            found = (start + places) / parts
        # Ends that were computed may lie a last digit inside.
        return np.clip(found, self.low, self.high)

    def log_law(self, seen, true) -> np.ndarray:
        """The log of the probability of all noises that are released as the seen value."""
        span = self._span
        place = np.rint((seen - self.low) / self.step)
        # Both ends are their own images.
        inner = (place > 0) & (place < span)
        total = 0.0
        for start in range(-2 * span * self._turns, 2 * span * self._turns + 1, 2 * span):
            mirrored = np.where(inner, self._chance(start - place, true), 0)
            total = total + self._chance(start + place, true) + mirrored
        return log(total)

    def _chance(self, places, true):
        """The probability that noise moves true values to these steps from low, before any is reflected."""
        middle = self.low + self.step * places
        half = self.step / 2
        there = abs(true - middle) < half
        with np.errstate(divide="ignore", invalid="ignore"):
            low = self.below((middle - half) / true - 1)
            high = self.below((middle + half) / true - 1)
        # A negative value turns the ends round; zero never moves.
        return np.where(np.equal(true, 0), there, abs(high - low))

    @property
    def _turns(self):
        """How often what is seen is mirrored at both ends, as far as the noise reaches."""
        reach = self.sd * CUT * max(abs(self.low), abs(self.high)) / self.step
        return math.ceil((reach + 1) / (2 * self._span))

    @property
    def _span(self):
        return round((self.high - self.low) / self.step)

    def _epsilon(self, delta):  # noqa: ARG002
        if self._span > MAX_COMPARED:
            return math.inf
        values = self.low + self.step * np.arange(self._span + 1)
        logs = self.log_law(values, values[:, None])
        # What no value is released as says nothing.
        return float(np.ptp(logs[:, logs.max(axis=0) > -np.inf], axis=0).max())


def given_noise(noise, X) -> tuple[dict, float]:
    """The channels that are given for columns of the whole table; and the share of the others' noise."""
    if isinstance(noise, Channel):
        return dict.fromkeys(X, noise), SHARE
    if not isinstance(noise, Mapping | pd.Series):
        share = checks.number("noise", noise, "[0, 1]")
        return {}, checks.number("noise", noise, "[0.01, 1]") if share else 0
    given = checks.mapping("noise", noise)
    checks.columns("noise", given, X.columns)
    for name, channel in given.items():
        checks.of_type(f"noise[{name!r}]", channel, Channel, EXPECTED)
    return given, SHARE


def channels_of(given, share, X) -> dict:
    """The channel of each column of a table that gets noise."""
    found = {}
    for name, column in X.items():
        known = column.dropna()
        channel = given.get(name)
        # A column with a single value has nothing to hide.
        if channel is None and share and len(np.unique(hashed(known))) > 1:
            channel = _by_data(name, known, share)
        if channel is not None:
            channel.true_codes(known, f"column {name!r}")
            found[name] = channel
    return found


def _by_data(name, known, share):
    """The channel of a column of which nothing is declared."""
    if not checks.is_number(known.dtype):
        # A category that no record has may be somebody's name, and is not among them.
        _, distinct = coded(f"column {name!r}", known, sort=True)
        return KeepOrReplace(keep=1 - share, categories=list(distinct))
    values = checks.vector(f"column {name!r}", known)
    for digits in range(MAX_DIGITS + 1):
        scaled = values * 10**digits
        if np.allclose(scaled, np.rint(scaled), rtol=0, atol=1e-6):
            try:
                return ProportionalNoise(sd=share, low=values.min(), high=values.max(), step=10.0**-digits)
            except ValueError:
                break
    raise ValueError(
        f"column {name!r} has numbers with too many digits for noise by the data; expected a channel for it: "
        f"noise={{{name!r}: ProportionalNoise(low=…, high=…, step=…)}}, or numbers rounded to fewer digits"
    )
