"""The contract of every disguise: a release, and a channel P(seen | true), which is a release whose law is known.

The true domain cannot be read off disguised values, so a channel states it; a value outside is refused, never
clipped. A channel is frozen, checks its parameters once, and states its law besides sampling from it.
"""

import sys
import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from ppdm import checks, randomness
from ppdm.randomness import Rng


class PrivacyWarning(UserWarning):
    """What is released gives away more than its disguise says."""


def warn(*told) -> None:
    """Warn whoever called the library, by whatever way: Python shows a warning once for the place that it names."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("ppdm", "sklearn"):
        level, frame = level + 1, frame.f_back
    for one in told:
        warnings.warn(one, PrivacyWarning, stacklevel=level)


class Release(ABC):
    """The step from a true column to a released one.

    ``needs_class`` (True unless a subclass says otherwise): ``release`` needs the class of each record, so that a
    ``Disguise`` refuses a table without y.
    """

    needs_class = True

    def fit(self, X, y=None) -> Self:  # noqa: ARG002
        """Learn what ``release`` needs from the true column and the classes. This base learns nothing."""
        return self

    @abstractmethod
    def release(self, X, y=None, rng: Rng = None) -> Any:
        """Release the column X, with random numbers from rng; y: the class of each record, if it is needed."""


class Channel(Release):
    """A disguise for one attribute: P(seen | true).

    It works with codes: the code of a number is the number itself, the code of a category is its place.
    """

    needs_class = False
    # Whether ``draw`` takes numbers as ``randomness.uniform(two_ended=True)`` has them.
    two_ended = False

    def disguise(self, values, rng: Rng = None) -> Any:
        """The values, each disguised with new noise.

        A Series gives a Series with its index and name. For a release, leave rng None: the random numbers come from the
        system's secure source. A seed or a Generator makes a study repeatable. With a seed, the same values always get
        the same noise, and other values get other noise.

        >>> from ppdm.disguise import UniformNoise
        >>> UniformNoise(half_width=2, low=0, high=9, step=1).disguise([0, 5, 9], rng=1).tolist()
        [1, 5, 10]
        """
        return self._disguised("values", values, rng)

    def release(self, X, y=None, rng: Rng = None) -> Any:  # noqa: ARG002
        """The values disguised, whatever their classes."""
        return self._disguised("X", X, rng)

    def _disguised(self, name, values, rng):
        codes = self.true_codes(values, name)
        source = randomness.stream(rng, told=(repr(self), codes))
        return self.decode(self.draw(codes, randomness.uniform(len(codes), source, self.two_ended)), values)

    def log_likelihood(self, seen, true) -> np.ndarray:
        """The log of P(seen | true), or of its density for a continuous channel; -inf where it cannot happen.

        Both are numbers, or arrays that can be broadcast: released values, and values of the domain.
        """
        left, right = checks.plain("seen", seen), checks.plain("true", true)
        try:
            np.broadcast_shapes(left.shape, right.shape)
        except ValueError:
            shapes = f"seen has shape {left.shape} and true has {right.shape}"
            raise ValueError(f"{shapes}; expected shapes that go together") from None
        left = self.seen_codes(left.ravel(), "seen").reshape(left.shape)
        return self.log_law(left, self.true_codes(right.ravel(), "true").reshape(right.shape))

    def epsilon(self, delta: float = 1e-5) -> float:
        """The smallest ε with which the channel is (ε, δ)-locally differentially private; inf where there is none.

        Parameters
        ----------
        delta : number in [0, 1)
        """
        return self._epsilon(checks.number("delta", delta, "[0, 1)"))

    @abstractmethod
    def _epsilon(self, delta):
        """That ε, for a delta that is found good."""

    @abstractmethod
    def true_codes(self, values, name: str = "values") -> np.ndarray:
        """The codes of true values, in a new array. Refuse values outside the channel's domain."""

    @abstractmethod
    def seen_codes(self, values, name: str = "values") -> np.ndarray:
        """The codes of released values. Refuse values that the channel cannot have released."""

    @abstractmethod
    def draw(self, codes, uniforms) -> np.ndarray:
        """Turn true codes into released ones by inversion: all chance is in the uniforms, numbers in (0, 1)."""

    @abstractmethod
    def decode(self, codes, like) -> Any:
        """The values that released codes stand for, in the container of the true ones, with a dtype of their own."""

    @abstractmethod
    def log_law(self, seen, true) -> np.ndarray:
        """The log-likelihood of codes."""

    def codes(self, values, name: str = "values") -> np.ndarray:  # noqa: ARG002
        """The place of each value among the categories. A channel of numbers has none."""
        raise TypeError(
            f"{name} was disguised by {self!r}, which gives records no weights; expected a channel of categories: "
            "reconstruct the distribution, or disguise the attribute as a category"
        )
