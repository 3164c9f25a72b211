"""What a privacy specification can do with a column (LSL03 §4): the actions that change values, and all by name."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import chain, pairwise
from typing import ClassVar

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.cuts import frequency_cuts, groups_of, increasing, mdlp_cuts, width_cuts
from ppdm.disguise.laws import GAUSSIAN, UNIFORM, log
from ppdm.disguise.numeric import FINEST
from ppdm.disguise.redraw import CONFIDENCE, Add, Redraw
from ppdm.disguise.released import Fault, as_text, ends, known_only, lost, numbers, refuse, some
from ppdm.disguise.shuffle import UNSAID, Action, Drop, Keep, Replace, Shuffle, crossed, one_of

METHODS = {"mdlp": mdlp_cuts, "width": width_cuts, "frequency": frequency_cuts}


def _disjoint(name, value):
    groups = checks.mapping(name, value)
    order = sorted(groups, key=str)  # the first fault is the same one, whatever the order
    values = {one: checks.listed(name, groups[one], "values, for each group") for one in order}
    for group, own in values.items():
        if not own:
            raise ValueError(f"{name} has the empty group {group!r}; expected values for each group")
    hash(tuple(checks.distinct(name, [*chain(*values.values())])))  # which refuses lists within lists
    return {one: values[one] for one in groups}


def large_groups(action, X) -> Iterator:
    """Yield what an action with groups cannot take, and that its groups are too large."""
    yield from Action.misfits(action, X)
    # Of more than half of the records there is one group at most.
    if 2 * action.min_group > X.count() > 1:
        yield Fault("min_group", f"{action.min_group} of {X.count()}", "at most half the records")


class Discretise(Action):
    """Release the interval in which a number lies (LSL03 §4). Nothing is random; missing values stay missing.

    Parameters
    ----------
    method : "mdlp" cuts by the class, "width" and "frequency" into equal parts, "cuts" where ``cuts`` says
    min_group : the least number of records in an interval
    intervals : how many, for "width" and "frequency"
    cuts : increasing numbers; a cut belongs to the interval above it
    label : "interval", text in order that does not tell the ends; "middle", a number; or "code", 0 for the lowest
    low, high : the ends, for "middle"; taken from the data if they are not declared
    """

    name = "discretise"
    category = "reduction"
    takes = "numbers"
    parameters: ClassVar[dict] = {
        "method": one_of(*METHODS, "cuts"),
        "min_group": partial(checks.whole, low=1),
        "intervals": partial(checks.whole, low=1, high=checks.MAX_BINS),
        "cuts": increasing,
        "label": one_of("interval", "middle", "code"),
        "low": checks.number,
        "high": checks.number,
    }
    method = "mdlp"
    min_group = 1
    label = "interval"
    intervals = cuts = low = high = UNSAID

    def clashes(self) -> Iterator:
        """Yield what the method needs, and what neither it nor the labels use."""
        needed = {"mdlp": None, "cuts": "cuts"}.get(self.method, "intervals")
        of_use = [needed]
        if self.label == "middle":
            of_use += ["low", "high"]
        for name in ("intervals", "cuts", "low", "high"):
            missing = getattr(self, name) is None
            if missing and name == needed:
                yield Fault(name, "missing", f"it for the method {self.method!r}")
            if not missing and name not in of_use:
                yield Fault(name, "given", f"none for {self.method!r} and {self.label!r}")

    misfits = large_groups

    def _learn(self, X, y):
        known = X.notna().to_numpy()
        if not known.any():
            refuse(some(X, X.isna(), "missing (NaN)", "a known value, or to drop the column"))
        values = numbers(X)[known]
        if self.method == "mdlp" and y is None:
            raise ValueError("method is 'mdlp', without a class; expected one, or another method")
        if self.method == "cuts":
            self._cuts = np.array(self.cuts)
        else:
            by = self.intervals or np.asarray(y)[known]
            self._cuts = METHODS[self.method](values, by, self.min_group)
            # Of cuts that divide the values alike, a reader likes those with few digits.
            short = np.array([float(f"{cut:.12g}") for cut in self._cuts])
            if (np.searchsorted(short, values, "right") == groups_of(values, self._cuts)).all():
                self._cuts = short
            self.notes.append(f"its {len(self._cuts)} cuts are taken from the data, and tell some of its values")
        group = groups_of(values, self._cuts)
        sizes = np.bincount(group, minlength=len(self._cuts) + 1)
        if sizes.min() < self.min_group:
            told = f"cuts leave a group of {sizes.min()} records, interval {sizes.argmin() + 1} of {len(sizes)}"
            raise ValueError(f"{told}; expected at least {self.min_group}")
        self._labels = self._labelled(X)

    def _labelled(self, X):
        """The labels of the intervals, in order."""
        if self.label == "code":
            return np.arange(len(self._cuts) + 1)
        if self.label == "middle":
            if self.low is None or self.high is None:
                self.notes.append("the middles of the outer intervals tell the lowest and the highest value")
            low, high = ends(self, X)
            edges = np.concatenate([[low], self._cuts, [high]])
            # Halved first, because the sum of two very large ends overflows.
            halves = edges / 2
            return halves[1:] + halves[:-1]
        # The outer intervals are open: their labels tell no value but the cut.
        texts = [repr(cut).removesuffix(".0") for cut in self._cuts.tolist()]
        inner = [f"{low} to {high}" for low, high in pairwise(texts)]
        labels = ["any"]
        if texts:
            labels = [f"< {texts[0]}", *inner, f">= {texts[-1]}"]
        return pd.Categorical(labels, labels, ordered=True)

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The label of each value's interval."""
        group = groups_of(numbers(X), self._cuts)
        # The place −1 has no label, and becomes a missing value.
        codes = np.where(X.notna(), group, -1)
        labels = pd.api.extensions.take(self._labels, codes, allow_fill=True)
        return pd.Series(labels, X.index, name=X.name)


class Multiply(Action):
    """Multiply by noise with mean 1, which hides large numbers as well as small ones (LSL03 §2: the scale problem).

    A factor keeps signs and zeros. So all numbers must be above 0. Whole numbers stay whole.

    Parameters
    ----------
    noise : "lognormal", "gaussian" or "uniform"
    sd : the standard deviation of the factor, at most 0.5. Of Gaussian factors 2 % are then below 0, of 1/3 hardly any
    """

    name = "multiply"
    takes = "numbers"
    takes_missing = False
    parameters: ClassVar[dict] = {
        "noise": one_of("lognormal", "gaussian", "uniform"),
        "sd": partial(checks.number, interval="(0, 0.5]"),
    }
    required = "sd"
    noise = "lognormal"
    sd: float

    @property
    def _law(self):
        return UNIFORM if self.noise == "uniform" else GAUSSIAN

    @property
    def _scale(self):
        """Of the factor, or of its logarithm, in units of the law."""
        variance = self.sd**2
        if self.noise == "lognormal":
            variance = math.log1p(variance)
        return math.sqrt(variance / self._law.variance)

    def misfits(self, X) -> Iterator:
        """Yield also numbers that no factor can hide."""
        yield from super().misfits(X)
        if checks.is_real(X.dtype):
            expected = "numbers above 0, or to add noise or to redraw: a factor keeps zeros and signs"
            yield from some(X, X.fillna(1) <= 0, "numbers of at most 0", expected)

    def _learn(self, X, y):  # noqa: ARG002
        values = numbers(X)
        self._grid = 1.0
        if (values != np.rint(values)).any():
            # A power of two, fine enough to change no result, hides the low-order bits, which could give x away.
            finest = max(values.min() * self.sd * 2.0**-20, values.max() * FINEST)
            self._grid = 2.0 ** math.floor(math.log2(finest))
            self.notes.append("the grid of what is released is taken from the data")
        unchanged = np.exp(self._log_chance(values, values))
        if unchanged.mean() > CONFIDENCE:
            raise lost("sd")

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The numbers times noise, on a grid."""
        refuse(self.misfits(X))
        values = numbers(X)
        source = self._source(X, rng)
        chance = randomness.uniform(len(X), source, two_ended=self._law is GAUSSIAN)
        noise = self._scale * self._law.quantile(chance)
        factors = 1 + noise
        if self.noise == "lognormal":
            factors = np.exp(noise - self._scale**2 / 2)
        steps = np.rint(values * factors / self._grid)
        released = self._grid * steps
        if self._grid == 1 and X.dtype.kind in "iu":
            released = released.astype(int)
        return pd.Series(released, X.index, name=X.name)

    def log_law(self, released, true) -> np.ndarray:
        """The log of the probability of all factors that round to the released value."""
        return self._log_chance(*crossed(released, true))

    def _log_chance(self, values, true):
        half = self._grid / 2
        low = self._units((values - half) / true)
        high = self._units((values + half) / true)
        # The law is symmetric: where both ends are above its middle, those below it have more digits.
        above = low + high > 0
        first = np.where(above, -high, low)
        last = np.where(above, -low, high)
        return log(self._law.cdf(last) - self._law.cdf(first))

    def _units(self, factors):
        """The noise that makes these factors, in units of the law."""
        noise = factors - 1
        if self.noise == "lognormal":
            noise = log(np.maximum(factors, 0)) + self._scale**2 / 2
        return noise / self._scale


class Generalise(Action):
    """Release the group of a category (LSL03 §4). Nothing is random; missing values stay missing.

    Parameters
    ----------
    groups : dict from the name of a group to its values; other values stay as they are
    min_group : the least number of records of what is released. Rarer values that are in no group are joined as
        "other", with the next rarest if these are too few
    """

    name = "generalise"
    category = "reduction"
    parameters: ClassVar[dict] = {
        "groups": _disjoint,
        "min_group": partial(checks.whole, low=1),
    }
    groups: ClassVar[dict] = {}
    min_group = 1

    def clashes(self) -> Iterator:
        """Yield that nothing would change."""
        if not self.groups and self.min_group == 1:
            yield Fault("groups", "missing", "groups, or a min_group above 1")

    misfits = large_groups

    def _learn(self, X, y):  # noqa: ARG002
        counts = X.astype(object).value_counts(ascending=True)
        grouped = {value: group for group, values in self.groups.items() for value in values}
        unknown = [value for value in grouped if value not in counts.index]
        if unknown:
            expected = f"its values{as_text(unknown, set(counts.index))}"
            raise ValueError(f"groups names {unknown}, which the column does not have; expected {expected}")
        free = counts[~counts.index.isin(list(grouped))]
        # If a value is joined, so are others until "other" is large enough.
        if free.min() < self.min_group:
            rarer = free.cumsum() - free
            free = free[np.minimum(free, rarer) < self.min_group]
            self.notes.append(f"{len(free)} values are joined as 'other'")
            grouped |= dict.fromkeys(free.index, "other")
        for group in dict.fromkeys(grouped.values()):
            if group in counts.index and grouped.get(group) != group:
                self.notes.append(
                    f"{group!r} is a group and a value outside of it: nobody can tell them apart now"
                )
        self._labels = dict(zip(counts.index, counts.index)) | grouped
        smallest = self.release(X).value_counts().min()
        if smallest < self.min_group:
            raise ValueError(f"groups leave one of {smallest} records; expected at least {self.min_group}")

    def release(self, X, y=None, rng=None) -> pd.Series:  # noqa: ARG002
        """The group of each value, or the value itself."""
        known_only(X, self._labels)
        # A category dtype would not map two categories to one label.
        released = X.astype(object).map(self._labels)
        if isinstance(X.dtype, pd.CategoricalDtype):
            return released.astype("category")
        return released.infer_objects()


ACTIONS: dict = {
    action.name: action
    for action in (Keep, Drop, Discretise, Add, Multiply, Redraw, Shuffle, Replace, Generalise)
}
