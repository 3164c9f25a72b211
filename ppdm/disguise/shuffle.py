"""What can be done with a column (LSL03): what all actions share, and those after which only its own values are left.

These are keep, drop, shuffle and replace.
"""

from collections.abc import Hashable, Iterator
from copy import copy
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import softmax

from ppdm import checks, randomness
from ppdm.disguise.categories import KeepOrReplace, checked_categories
from ppdm.disguise.laws import log
from ppdm.disguise.release import Release
from ppdm.disguise.released import Fault, hashed, known_only, named, no_numbers, refuse, some
from ppdm.information import distinct_codes, shared_codes

UNSAID: Any = None  # a parameter that may be given
LEAST = 5  # records that are shuffled: of fewer, many stay where they are


def one_of(*choices) -> partial:
    """A check for a parameter that is one of several words."""
    return partial(checks.choice, choices=choices)


class Action(Release):
    """What is done with one column. A subclass says what it learns, what it releases and by which law.

    Defaults of the parameters are attributes of the class. A fitted action may hold values of the column.

    Attributes
    ----------
    name, category : as LSL03 §4 has them: "reduction" takes values away, "perturbation" changes them
    takes : "numbers", or "any" column
    takes_missing : whether missing values stay missing; else they are refused
    parameters : a check for each parameter, which takes its name and its value
    required : the parameter without which it cannot be
    notes : sentences on what was learnt from the data
    """

    name: ClassVar[str]
    category = "perturbation"
    takes = "any"
    takes_missing = True
    parameters: ClassVar[dict] = {}
    required: ClassVar[str | None] = None
    notes: list[str]

    def __init__(self, *, _sound=True, **parameters):
        vars(self).update(parameters, notes=[])
        if _sound:
            refuse(self.clashes())

    def clashes(self) -> Iterator:
        """Yield which parameters do not go together."""
        if self.required and self.required not in vars(self):
            yield Fault(self.required, "missing", f"it for {self.name!r}")

    def misfits(self, X) -> Iterator:
        """Yield what this action cannot take of a column, whatever its other parameters are."""
        if not self.takes_missing:
            expected = "none: fill them in, or drop the column; shuffle and keep take them"
            yield from some(X, X.isna(), "missing (NaN)", expected)
        if self.takes == "numbers":
            yield from no_numbers(X)

    def faults(self, values, classes) -> Iterator:
        """Yield what does not fit a column and its companion; where: the parameter, or ""."""
        # A fit says what it cannot work with, before it learns. The action itself stays as it is.
        try:
            copy(self).fit(values, classes)
        except (TypeError, ValueError) as error:
            parameter = str(error).partition(" ")[0]
            yield Fault.of(parameter if parameter in self.parameters else "", error)

    def fit(self, X, y=None) -> "Action":
        """Learn what the release needs from the true column, and from its companion."""
        self.notes = []
        refuse(self.misfits(X))
        self._learn(X, y)
        return self

    def _learn(self, X, y):
        """Learn nothing, unless a subclass does."""

    def log_law(self, released, true) -> np.ndarray | None:
        """The log of P(released | true), up to a constant: a row for each true value, a column for each released one.

        None if the released value of a record does not depend on its true one. This base has no chance: 0 where the
        true value is released as that, else −inf.
        """
        # Objects, because a category and a text do not compare, nor do missing values.
        own = self.release(pd.Series(true))
        both = (column.astype(object) for column in (own, pd.Series(released)))
        rows, columns = shared_codes("true", *both)
        return log(rows[:, None] == columns)

    def posterior(self, released, groups, values, counts) -> np.ndarray:
        """What an intruder believes of the true values of records, once he knows which released ones are theirs.

        By Bayes' rule from the marginal distribution. Where the released value tells nothing it is that of the group.

        Parameters
        ----------
        released : one value for each record; None for a dropped column
        groups : the group of each record in the companion, by its number; zeros if there is none
        values : the distinct true values
        counts : how many true records have each value (rows) in each group (columns)

        Returns
        -------
        a row for each record and a column for each value; rows sum to 1
        """
        distinct = None
        if released is not None:
            # Records that were released alike are believed alike.
            places, distinct = pd.factorize(released, use_na_sentinel=False)
        law = self.log_law(distinct, values)
        if law is None:
            return (counts / counts.sum(axis=0)).T[groups]
        prior = log(counts.sum(axis=1, keepdims=True) / counts.sum())
        belief = law + prior
        # What no true value explains tells nothing.
        belief = np.where(belief.max(axis=0) > -np.inf, belief, prior)
        return softmax(belief, axis=0).T[places]

    def _source(self, X, rng):
        """Where random numbers come from. Those of a seed depend on the action and on what it releases, too."""
        if not isinstance(rng, Integral):
            return rng
        return randomness.stream(rng, told=(repr(self), hashed(X)))

    def __repr__(self):
        # What is taken from the data is not among the parameters, and not shown.
        given = {name: getattr(self, name) for name in self.parameters}
        shown = [f"{name}={value!r}" for name, value in given.items() if value is not None and value != []]
        return f"{self.name}({', '.join(shown)})"


class Keep(Action):
    """Release a column as it is: "ensure that all public attributes are totally accurate" (LSL03 §4)."""

    name = "keep"
    category = "none"

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The column itself."""
        return X


class Drop(Action):
    """Release nothing of a column: attribute selection (LSL03 §4)."""

    name = "drop"
    category = "reduction"

    def release(self, X, y=None, rng=None) -> None:
        """Nothing."""

    def log_law(self, released, true) -> None:
        """None: nothing is released."""


class Shuffle(Action):
    """Move the values between records, at random: LSL03's randomization, over all records or within groups.

    The marginal distribution stays exactly as it is; within a class, so does that of each class, and with it the
    information gain. Every permutation is equally likely, and some values stay where they are.

    Parameters
    ----------
    within : the column within whose values records are shuffled; None for all records. In a small group values hardly
        move: a warning counts them
    with : columns whose values are moved together with this one's
    """

    name = "shuffle"
    parameters: ClassVar[dict] = {
        "within": partial(checks.of_type, kind=Hashable, expected="a column name"),
        "with": partial(checks.listed, what="column names"),
    }
    within = UNSAID

    def _learn(self, X, y):  # noqa: ARG002
        if self.within is not None and y is not None:
            sizes = np.bincount(distinct_codes("within", y))
            few = sizes[sizes < LEAST].sum()
            if few:
                self.notes.append(f"{few} values are in groups of fewer than {LEAST} records, and hardly move")

    def release(self, X, y=None, rng=None) -> Any:
        """The column with its values moved; a frame with its rows moved, all by one permutation."""
        order = randomness.permutation(len(X), self._source(X, rng))
        if self.within is not None and y is not None:
            checks.same_length("y", y, "X", X)
            codes = distinct_codes("within", y)
            # Short integers are sorted faster.
            codes = codes.astype(np.min_scalar_type(len(codes)))
            # Records of each group, in file order, take the values of the same group in random order.
            places = np.argsort(codes, kind="stable")
            order[places] = order[np.argsort(codes[order], kind="stable")]
        return X.take(order).set_axis(X.index)

    def log_law(self, released, true) -> None:
        """None: what a record shows was another one's."""


setattr(Shuffle, "with", [])  # a word of Python's, which a class cannot say for itself


class Replace(Action):
    """Keep a category, or release one of the others (k-ary randomized response).

    Parameters
    ----------
    keep : the probability that a value is kept
    categories : all values; taken from the data if they are not declared
    """

    name = "replace"
    takes_missing = False
    parameters: ClassVar[dict] = {
        "keep": partial(checks.number, interval="[0, 1]"),
        "categories": checked_categories,
    }
    required = "keep"
    keep: float
    categories = UNSAID

    def _learn(self, X, y):  # noqa: ARG002
        categories = self.categories
        if categories is None:
            # In their own order, or in that of the records, which is not released.
            categories = pd.factorize(X, sort=getattr(X.dtype, "ordered", False))[1]
            self.notes.append(f"its {len(categories)} categories are taken from the data")
        if len(categories) < 2:
            raise ValueError(f"{named(X)} has a single value; expected more, or categories declared")
        self.channel = KeepOrReplace(keep=self.keep, categories=categories)
        known_only(X, self.channel.categories, self.categories or ())

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The categories, some replaced."""
        refuse(self.misfits(X))
        known_only(X, self.channel.categories)
        if getattr(X.dtype, "ordered", False):
            # This table may lack some, which may be released.
            X = X.cat.set_categories(self.channel.categories)
        return self.channel.disguise(X, rng)

    def log_law(self, released, true) -> np.ndarray:
        """The channel's law."""
        codes = self.channel.codes
        return self.channel.log_law(codes(released), codes(true)[:, None])


def is_class(name, frame, target) -> bool:
    """Whether a name stands for the class: by its own name, or as "class" if no column is called so."""
    return name == target or (name == "class" and "class" not in frame)


def companion(action, frame, target, classes) -> pd.Series | None:
    """What an action looks at beside its column: the class, the column within whose values it shuffles, or nothing."""
    within = getattr(action, "within", None)
    if within is not None and not is_class(within, frame, target):
        return frame.get(within)
    if within is not None or getattr(action, "method", None) == "mdlp":
        return classes
    return None


def crossed(released, true) -> tuple:
    """Numbers for a law: a column for each released one, a row for each true one."""
    rows = np.asarray(true, dtype=float)
    return np.asarray(released, dtype=float), rows[:, None]
