"""A number that was estimated, with how sure it is."""

from dataclasses import dataclass

from scipy.stats import norm

from ppdm import checks


@dataclass(frozen=True, repr=False)
class Estimate:
    """An estimate without bias, and its standard error.

    >>> Estimate(0.312, 0.014)
    0.312 ± 0.014
    """

    value: float
    error: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The normal interval that holds the truth with that confidence; it may reach beyond what is possible.

        >>> low, high = Estimate(0.5, 0.1).interval(0.95)
        >>> round(low, 3), round(high, 3)
        (0.304, 0.696)
        """
        confidence = checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
        reach = float(norm.ppf((1 + confidence) / 2)) * self.error
        return self.value - reach, self.value + reach

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"
