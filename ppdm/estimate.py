"""An estimate and its standard error, for every stage that estimates."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ppdm import checks


def reach(confidence) -> float:
    """How many standard errors a normal interval reaches to either side.

    >>> round(reach(0.95), 2)
    1.96
    """
    confidence = checks.number("confidence", confidence, "(0, 1)")
    return -float(ndtri((1 - confidence) / 2))  # of the lower end: (1 + confidence) / 2 may be rounded to 1


@dataclass(frozen=True, repr=False)
class Estimate:
    """An estimated number, and how far chance may have moved it.

    Parameters
    ----------
    value : finite number
    error : its standard error, at least 0

    >>> share = Estimate(0.312, 0.014)
    >>> share, [round(end, 3) for end in share.interval()]
    (0.312 ± 0.014, [0.285, 0.339])
    """

    value: float
    error: float

    def __post_init__(self):
        value = checks.number("value", self.value)
        error = checks.number("error", self.error, "[0, inf)")
        vars(self).update(value=value, error=error)  # past the guard of a frozen dataclass

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The ends of the normal interval that holds the truth with that confidence. For a share it may leave [0, 1].

        Parameters
        ----------
        confidence : number in (0, 1)
        """
        margin = reach(confidence) * self.error
        return self.value - margin, self.value + margin

    def __float__(self):
        return self.value

    def __repr__(self):
        """Both numbers, to the second digit of the error."""
        if not 1e-9 <= self.error < 1e9:
            return f"{self.value:g} ± {self.error:g}"
        decimals = max(1 - math.floor(math.log10(self.error)), 0)
        return f"{self.value:z.{decimals}f} ± {self.error:.{decimals}f}"


def doubt(shares, errors) -> None:
    """Warn of estimates that say nothing of a share."""
    # Where all records show the same, the error is 0, whatever a record weighs: then the estimate itself is far out.
    if np.max(errors) > 1 or np.max(np.abs(shares)) > 2:
        told = "the standard error of a share is more than 1, its whole range, or the share is far outside"
        warnings.warn(f"{told}: expected more records, or a channel that keeps more", stacklevel=3)
