"""Noise in per cent of the value (Islam & Brankovic 2003, Figure 3): a bell over whole per cents, cut at both ends."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from ppdm import checks
from ppdm.disguise.categories import KeepOrReplace
from ppdm.disguise.laws import log
from ppdm.disguise.numeric import ROUNDING, DomainChannel
from ppdm.disguise.release import Channel
from ppdm.disguise.released import hashed

EXPECTED = "a channel, say ProportionalNoise(sd=0.276, low=1, high=10, step=1)"
SHARE = 0.276  # the paper's standard deviation
CUT = 60 / 27.6  # standard deviations at which the bell ends: the paper's noise ends at 60 per cent
MAX_DIGITS = 6  # of a number's fraction, where its step is taken from the data
LEAST, MOST = 0.01, 10  # standard deviations
MAX_COMPARED = 99  # steps of a domain whose values are compared


@dataclass(frozen=True, kw_only=True, repr=False)
class ProportionalNoise(DomainChannel):
    """Add whole per cents of the value, by a bell with mean 0 that is cut at 60 / 27.6 standard deviations (IB03 §4).

    Of the paper's Figure 3 only the standard deviation is known, 27.6 %: a bell that ends at ±60 % is our choice. What
    lies beyond an end of the domain is reflected into it, and rounded to the step. So zeros never change, small whole
    numbers hardly ever, and near the ends the noise has another mean than 0.

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
            raise ValueError(
                f"sd is {sd:g}, less than a whole per cent; expected at least {LEAST}, or 0 for none"
            )
        vars(self)["sd"] = sd

    @cached_property
    def noise(self) -> tuple[np.ndarray, np.ndarray]:
        """The whole per cents, and the probability of each."""
        reach = round(100 * self.sd * CUT)
        cents = np.arange(-reach, reach + 1)

        def bell(width) -> np.ndarray:
            shares = np.exp(-((cents / width) ** 2) / 2)
            return shares / shares.sum()

        def excess(width) -> float:
            return float(bell(width) @ cents**2) - (100 * self.sd) ** 2

        # Cut bells are narrower than whole ones: for 27.6 % the bell has 32.57 % before the cut.
        return cents, bell(brentq(excess, 0.1, 1e6)) if reach else np.ones(1)

    def seen_range(self) -> tuple[float, float]:
        """The ends of the domain: noise beyond them is reflected."""
        return self.low, self.high

    def draw(self, codes, uniforms) -> np.ndarray:
        """The true values plus noise, on the grid and within the domain."""
        cents, shares = self.noise
        drawn = np.searchsorted(np.cumsum(shares)[:-1], uniforms, side="right")
        places = self._places(codes, cents[drawn])
        # By a division, where it can be: 0.3 and not 0.1 × 3, whose last digit would tell who got noise.
        parts, start = np.rint(1 / self.step), np.rint(self.low / self.step)
        if abs(parts * self.step - 1) < ROUNDING and abs(start * self.step - self.low) < ROUNDING * self.step:
            return (start + places) / parts
        return np.clip(self.low + self.step * places, self.low, self.high)

    def log_law(self, seen, true) -> np.ndarray:
        """The log of the probability of all noises that are released as the seen value."""
        values, row = np.unique(true, return_inverse=True)
        cells, column = np.unique(np.rint((seen - self.low) / self.step), return_inverse=True)
        cents, shares = self.noise
        # A true value has few outcomes: each is looked up among what is seen.
        places = self._places(values[:, None], cents)
        found = np.searchsorted(cells, places)
        hit = np.append(cells, np.nan)[found] == places
        table = np.zeros((len(values), len(cells)))
        np.add.at(table, (np.nonzero(hit)[0], found[hit]), np.broadcast_to(shares, hit.shape)[hit])
        return log(table)[row.reshape(np.shape(true)), column.reshape(np.shape(seen))]

    @property
    def _span(self):
        return round((self.high - self.low) / self.step)

    def _places(self, values, cents):
        """How many steps above low the values lie after that noise."""
        span = self._span
        moved = np.rint((values * (1 + cents / 100) - self.low) / self.step)
        # Mirrors at both ends make a pattern that returns after two spans.
        beyond = np.mod(moved, 2 * span)
        return np.minimum(beyond, 2 * span - beyond)

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
    if isinstance(known.dtype, pd.CategoricalDtype):
        return KeepOrReplace(keep=1 - share, categories=list(known.dtype.categories))
    if not checks.is_number(known.dtype):
        try:
            _, distinct = pd.factorize(known, sort=True)
        except TypeError:  # of pandas, which knows no name
            told = f"column {name!r} holds lists or the like; expected text, numbers, True or False"
            raise TypeError(told) from None
        return KeepOrReplace(keep=1 - share, categories=list(distinct))
    values = checks.vector(f"column {name!r}", known)
    for digits in range(MAX_DIGITS + 1):
        if np.allclose(values * 10**digits, np.rint(values * 10**digits), rtol=0, atol=1e-6):
            try:
                return ProportionalNoise(sd=share, low=values.min(), high=values.max(), step=10.0**-digits)
            except ValueError:
                break
    raise ValueError(
        f"column {name!r} has numbers with too many digits for noise by the data; expected a channel for it: "
        f"noise={{{name!r}: ProportionalNoise(low=…, high=…, step=…)}}, or numbers rounded to fewer digits"
    )
