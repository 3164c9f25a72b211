"""Disguises for categories: a value is kept, or another one is answered instead."""

import math
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.laws import log
from ppdm.disguise.release import Channel
from ppdm.estimate import Estimate, doubt

MIN_DIFFERENCE = 1e-9  # an answer whose probability depends less on the truth is of no use


class CategoryChannel(Channel):
    """A channel for categories: true and released values are both among them."""

    categories: Sequence

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.categories)

    def codes(self, values, name: str = "values") -> np.ndarray:
        """The place of each value among the categories. Refuse missing and unknown values.

        True and False are accepted as the categories 1 and 0.

        >>> KeepOrReplace(keep=0.7, categories=["no", "yes"]).codes(["yes", "no", "yes"]).tolist()
        [1, 0, 1]
        """
        array = checks.plain(name, values, 1, "one, a list of categories")
        if array.dtype.kind == "U" and not hasattr(values, "dtype"):
            array = np.array(values, dtype=object)  # NumPy makes text of a number among texts
        index = self._index
        if not len(array):
            raise ValueError(f"{name} is empty; expected at least one value")
        if array.dtype == bool and index.dtype == int:
            array = array.astype(int)  # an index of numbers takes True for no 1
        codes = checks.places(name, array, index)
        expected = (
            f"values of {list(self.categories)}; if values may be missing, give them a category of their own"
        )
        checks.none_wrong(name, array, codes < 0, "that are none of the categories", expected)
        return codes

    @abstractmethod
    def matrix(self) -> np.ndarray:
        """P(seen category | true category): a row for each true one, a column for each seen one."""

    @property
    def _index(self):
        return pd.Index(list(self.categories), tupleize_cols=False)  # tuples are categories, too

    def true_codes(self, values, name="values") -> np.ndarray:
        """The place of each value. Refuse a Series whose order does not know all values that may be released."""
        dtype: Any = getattr(values, "dtype", None)
        if getattr(dtype, "ordered", False) and not self._index.isin(dtype.categories).all():
            raise ValueError(
                f"{name} has an ordered dtype that does not hold all of {list(self.categories)}, as the channel may "
                "release them; expected one that does: see .cat.set_categories"
            )
        return self.codes(values, name)

    seen_codes = codes

    def decode(self, codes, like) -> Any:
        """The categories at these places, in the container of the true values.

        A category dtype stays one, of the channel's categories only: others may be what a release must not tell.
        """
        labels = self._index.take(codes)
        if not isinstance(like, pd.Series):
            return labels.to_numpy()
        own = None
        if isinstance(like.dtype, pd.CategoricalDtype):
            ordered = bool(like.dtype.ordered)
            known = like.dtype.categories if ordered else self._index
            own = pd.CategoricalDtype(known[known.isin(self._index)], ordered)
        return pd.Series(labels, index=like.index, name=like.name, dtype=own)

    def log_law(self, seen, true) -> np.ndarray:
        """The log of the matrix's entries."""
        return log(self.matrix())[true, seen]

    def _epsilon(self, delta):
        # The ε at which no probability of a seen category is larger than exp(ε) times another one of it, plus delta.
        matrix = self.matrix()
        larger = matrix.max(axis=0) - delta
        smaller = matrix.min(axis=0)
        told = larger > smaller
        ratios = log(larger[told]) - log(smaller[told])  # a quotient may overflow
        return float(ratios.max(initial=0))

    def weights(self, inside) -> np.ndarray:
        """The weight of each seen category in a count of true categories that are inside; by the matrix's inverse."""
        matrix = checks.invertible(f"the matrix of {self!r}", self.matrix())
        return np.linalg.solve(matrix, inside.astype(float))


@dataclass(frozen=True, kw_only=True)
class KeepOrReplace(CategoryChannel):
    """Keep a value with probability keep; otherwise release one of the others, all as likely (AS00 §6).

    ``epsilon`` is the log of (the larger probability − delta) / (the smaller one), at least 0. That is enough: for two
    true values, only two seen ones have different probabilities.

    Parameters
    ----------
    keep : number in [0, 1]; at 1 / k, for k categories, the seen value says nothing about the true one
    categories : all values that the attribute can have, at least two; they are released as they are listed here

    >>> KeepOrReplace(keep=0.7, categories=["a", "b", "c", "d"]).matrix()[0].round(3).tolist()
    [0.7, 0.1, 0.1, 0.1]
    """

    keep: float
    categories: Sequence

    def __post_init__(self):
        keep = checks.number("keep", self.keep, "[0, 1]")
        vars(self).update(keep=keep, categories=checked_categories("categories", self.categories))

    @property
    def replace(self) -> float:
        """The probability of each other category, (1 − keep) / (k − 1)."""
        return (1 - self.keep) / (self.k - 1)

    def matrix(self) -> np.ndarray:
        """P(seen category | true category): a row for each true one, a column for each seen one."""
        checks.cells("the matrix of categories", (self.k, self.k))
        return np.where(np.eye(self.k), self.keep, self.replace)

    def log_law(self, seen, true) -> np.ndarray:
        """The log of the matrix's entries, which need not all be made."""
        return log(np.where(seen == true, self.keep, self.replace))

    def draw(self, codes, uniforms) -> np.ndarray:
        """A number below keep gives the true code; the rest of (0, 1) is divided equally among the others."""
        other = (uniforms - self.keep) / (self.replace or 1)
        other = np.clip(other, 0, self.k - 2).astype(int)
        return np.where(uniforms < self.keep, codes, other + (other >= codes))


@dataclass(frozen=True)
class RandomizedResponse(CategoryChannel):
    """Answer yes or no; chance decides whether the answer is the truth (Warner 1965; DZ03 §3).

    With probability theta the answer is the truth, otherwise its opposite. Or people answer an unrelated question
    instead: then nobody has to lie (Horvitz, Shah & Simmons 1967; Greenberg et al. 1969).

    ``epsilon`` is the log of (the larger P(answer | truth) − delta) / (the smaller one), at least 0. Yes and no each
    give such a number; the larger one counts.

    Parameters
    ----------
    theta : number in [0, 1], except 0.5; with an unrelated question in (0, 1]
    unrelated : the known share of people, in [0, 1], whose answer to the unrelated question is yes, whatever their
        truth is. None: there is no such question
    categories : no and yes, as they are answered

    >>> ask, truth = RandomizedResponse(0.8), np.repeat([1, 0], [300, 700])
    >>> ask.estimate(ask.disguise(truth, rng=1)), round(ask.standard_error(share=0.3, n=1000), 3)
    (0.285 ± 0.025, 0.026)
    """

    theta: float
    unrelated: float | None = None
    categories: Sequence = (0, 1)

    def __post_init__(self):
        if self.unrelated is not None:
            vars(self).update(unrelated=checks.number("unrelated", self.unrelated, "[0, 1]"))
        theta = checks.number("theta", self.theta, "[0, 1]")
        vars(self).update(theta=theta, categories=checked_categories("categories", self.categories))
        if abs(self._difference) < MIN_DIFFERENCE:
            raise ValueError(
                f"theta is {theta:g}: an answer carries no information; choose one farther from 0.5, or farther from 0 "
                "with an unrelated question: unrelated=…, the share of people who answer it with yes"
            )
        if self.k != 2:
            raise ValueError(f"categories is {list(self.categories)}; expected two values, no and yes")

    def matrix(self) -> np.ndarray:
        """P(answer | truth): a row for each truth, a column for each answer, no first."""
        truth = np.eye(2)
        other = truth[::-1]
        if self.unrelated is not None:
            other = np.array([1 - self.unrelated, self.unrelated])  # the same for either truth
        return self.theta * truth + (1 - self.theta) * other

    def estimate(self, answers) -> Estimate:
        """The share of people whose truth is yes, (λ − q) / (p − q), from the share λ that answers yes.

        Here p = P(yes | yes) and q = P(yes | no). The estimate has no bias, so it may lie outside [0, 1]. The square
        of its standard error, λ (1 − λ) / ((n − 1) (p − q)²), is an unbiased estimate of its variance.

        Parameters
        ----------
        answers : two or more, as released
        """
        codes = self.codes(answers, "answers")
        if len(codes) < 2:
            raise ValueError(
                "answers has one answer; expected two or more, because one does not tell how sure it is"
            )
        share = codes.mean()
        lies = self.matrix()[0, 1]
        found = Estimate((share - lies) / self._difference, self._error(share, len(codes) - 1))
        doubt(found.value, found.error)
        return found

    def standard_error(self, share: float, n: int) -> float:
        """The standard error of the estimate in closed form, which needs no answers yet.

        Without an unrelated question it is the root of π (1 − π) / n + θ (1 − θ) / (n (2θ − 1)²) for the share π
        (Warner 1965): what every sample costs, and what the disguise adds.

        Parameters
        ----------
        share : of the people whose truth is yes, a number in [0, 1]
        n : the number of answers, at least 1

        >>> [round(RandomizedResponse(theta).standard_error(0.5, 100), 3) for theta in (1, 0.6)]
        [0.05, 0.25]
        """
        share = checks.number("share", share, "[0, 1]")
        _, yes = np.array([1 - share, share]) @ self.matrix()
        return self._error(yes, checks.whole("n", n, 1, 2**53))

    @property
    def _difference(self):
        """P(yes | yes) − P(yes | no)."""
        return 2 * self.theta - 1 if self.unrelated is None else self.theta

    def _error(self, yes, n):
        return math.sqrt(yes * (1 - yes) / n) / abs(self._difference)

    def draw(self, codes, uniforms) -> np.ndarray:
        """The truth below theta, its opposite above. With an unrelated question: no below P(no | truth), yes above."""
        if self.unrelated is None:
            return np.where(uniforms < self.theta, codes, 1 - codes)
        return (uniforms >= self.matrix()[codes, 0]).astype(int)


def checked_categories(name, categories) -> tuple:
    """The categories as plain Python values, if there are two or more, none twice, none missing."""
    expected = "expected a list of at least two single values, all different, none missing"
    checks.listed(name, categories, "two single values or more")
    values = plain_values(categories)
    single = len(values) > 1 and all(isinstance(value, Hashable) for value in values)
    if not single or len(set(values)) < len(values) or pd.isna(list(values)).any():
        raise ValueError(f"{name} is {list(values)}; {expected}")
    return values


def plain_values(values) -> tuple:
    """The values with Python's own types instead of NumPy's, which print otherwise."""
    return tuple(map(checks.scalar, values))
