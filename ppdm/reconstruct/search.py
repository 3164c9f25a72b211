"""Which attributes to take together, and in how fine a grid: judged by disguised records that were held out.

No true value is needed. A grid is learnt from half of the records. It is the better, the likelier it makes the classes
of the other half, given what is seen of them.
"""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import xlogy

from ppdm import checks
from ppdm.reconstruct.em import through
from ppdm.reconstruct.grid import Grid
from ppdm.reconstruct.stopping import TINY, FixedStop, Judge

# The share of the class frequencies that is mixed into each prediction. Without it a single held-out record in a cell
# where its class was not learnt would dominate the likelihood.
DOUBT = 0.01


@dataclass(frozen=True)
class Together:
    """Attributes that are reconstructed together.

    Attributes
    ----------
    intervals : of each attribute, in the order in which the attributes were found
    steps : Bayes steps after which held-out classes were likeliest
    gain : how much likelier (log-likelihood) the grid makes the held-out classes than their shares alone
    """

    intervals: dict[Any, int]
    steps: int
    gain: float


@dataclass(frozen=True)
class Search:
    """How to find attributes that predict the classes better together than one by one.

    Attributes join one by one, or as a pair that predicts more together than its two attributes alone. Each step must
    raise the log-likelihood of held-out classes by ``worth`` or more, on the same grid of the others. (The search does
    not find three attributes of which no two predict anything.) Then one axis after the other is cut finer, as long as
    that adds ``worth``; the search may pass over one grid that does not. Nominal columns of more than ``intervals``
    categories are left out.

    Parameters
    ----------
    sizes : the numbers of intervals that are tried
    max_together : the largest number of attributes
    intervals : the largest number of intervals of each while attributes are sought
    cells : the largest number of cells, true or seen, classes included, while attributes are sought and in the end
    steps : the largest number of Bayes steps, while attributes are sought and in the end
    mix_steps : Bayes steps for the distribution of all records: 10 blur it, 500 fit chance (notebook 06, section 4)
    seen_per_true : seen intervals for each true one; with more of them a grid of the same size has fewer true ones
    worth : the log-likelihood that an attribute or a finer grid must add; smaller gains are chance
    seed : of the two halves
    """

    sizes: tuple[int, ...] = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 70, 100)
    max_together: int = 5
    intervals: int = 12
    cells: tuple[int, int] = (2**16, 2**18)
    steps: tuple[int, int] = (300, 1_000)
    mix_steps: int = 50
    seen_per_true: float = 1.25
    worth: float = 4.0
    seed: int = 0

    def __post_init__(self):
        for name, low in {"max_together": 1, "intervals": 2, "mix_steps": 1, "seed": 0}.items():
            checks.whole(name, getattr(self, name), low)
        for name in ("seen_per_true", "worth"):
            checks.number(name, getattr(self, name), "(0, inf)")
        for name in ("sizes", "cells", "steps"):
            for number in checks.listed(name, getattr(self, name), "whole numbers"):
                checks.whole(name, number, 1)
        if not len(self.cells) == len(self.steps) == 2:
            raise ValueError(f"cells is {self.cells} and steps is {self.steps}; expected two numbers each")
        if list(self.sizes) != sorted(self.sizes) or min(self.sizes, default=math.inf) > self.intervals:
            raise ValueError(
                f"sizes is {self.sizes}; expected numbers that increase from at most {self.intervals} on"
            )

    def find(self, columns, classes, together=None) -> tuple[Together, Grid] | None:
        """Find the attributes that together tell most about the classes, and their grid, the classes first.

        None if no attribute helps, or if all that help are true.

        Parameters
        ----------
        columns : by name
        classes : the true column of the classes
        together : None, to find all; a list of columns, to find a grid for them; a dict from columns to numbers of
            intervals, to find the number of steps only. (A column of fewer intervals keeps those that it has.)
        """
        halves = _Halves(self, columns, classes)
        if together is None:
            return halves.found()
        names = _checked(together, columns)
        numbers = isinstance(together, Mapping)
        axes = tuple((name, self.sizes[0]) for name in names)
        cells = self.cells[numbers]
        if numbers:
            # Of few values each has an interval. The search starts from more, and so sees these as finely as it does.
            least = halves.start(names)
            axes = tuple(
                (name, size if size < columns[name].sizes[0] else max(size, least))
                for name, size in together.items()
            )
        if not halves.fits(axes, cells):
            raise ValueError(
                f"together makes more than {cells:,} cells of {', '.join(map(repr, names))} and the "
                f"{classes.sizes[0]} classes; expected fewer columns, or a dict of fewer intervals"
            )
        return halves.trial(axes, self.steps[1]) if numbers else halves.refined(names)


def _checked(together, columns):
    """The names of columns to be taken together, if one of them at least is disguised and all numbers can be used."""
    names = checks.distinct("together", checks.columns("together", together, list(columns)))
    if all(columns[name].matrix is None for name in names):
        raise ValueError(f"together is {together!r}; expected at least one column that is disguised")
    for name, number in together.items() if isinstance(together, Mapping) else ():
        checks.whole(f"together[{name!r}]", number, 2, checks.MAX_BINS)
        attribute = columns[name].attribute
        if attribute.kind == "nominal" and number < attribute.n_values:
            raise ValueError(
                f"together[{name!r}] is {number}; expected at least {attribute.n_values}: "
                "its categories have no order to be taken together in"
            )
    return names


class _Halves:
    """Grids that are learnt from one half of the records and judged by the other.

    A grid is given by its axes, a tuple of pairs of a name and a number of intervals.
    """

    def __init__(self, search, columns, classes):
        self.search = search
        self.columns = columns
        self.classes = classes
        records = len(classes.seen)
        # Two numbers, or a study that draws its records from the same seed might have halves that go with its classes.
        source = np.random.default_rng([search.seed, records])
        self.learnt = source.permutation(records) < records // 2
        self.of_class = np.bincount(classes.seen, minlength=classes.sizes[0]) / records
        self.coarse = cache(self._coarse)
        self.trial = cache(self._trial)

    def found(self) -> Any:
        """Attributes that join one or two at a time, while the best of those left is worth it."""
        search = self.search
        columns = self.columns
        usable = [
            name
            for name, column in columns.items()
            if column.attribute.kind != "nominal" or column.sizes[0] <= search.intervals
        ]
        alone = {name: self.added((name,), 0) for name in usable}
        pairs = [
            pair
            for pair in combinations(usable, 2)
            if self.added(pair, 0) >= sum(alone[one] for one in pair) + search.worth
        ]
        names: tuple = ()
        # Larger sets are judged beside the smaller one on grids alike, or a finer grid would look like more knowledge.
        while True:
            larger = [(*names, *more) for more in [*zip(usable), *pairs]]
            surplus = {
                more: self.added(more, len(names)) - search.worth * (len(more) - len(names))
                for more in larger
                if len(set(more)) == len(more) <= search.max_together
            }
            leader = max(surplus, key=lambda more: surplus[more], default=None)
            if leader is None or surplus[leader] < 0:
                return self.refined(names) if any(columns[name].matrix is not None for name in names) else None
            names = leader

    def refined(self, names) -> tuple:
        """The grid that is found by cutting one axis after the other finer, as long as one is worth it."""
        size = self.start(names)
        axes = tuple((name, size) for name in names)
        # Every axis is tried again after another one was cut, for the grid it would be cut in is another one.
        best = self.gain(axes)
        untried = deque(range(len(names)))
        while untried:
            place = untried.popleft()
            for finer in self.finer(axes, place):
                gain = self.gain(finer)
                if gain >= best + self.search.worth:
                    best = gain
                    axes = finer
                    others = [other for other in range(len(names)) if other != place]
                    untried = deque([*others, place])
                    break
        return self.trial(axes, self.search.steps[1])

    def finer(self, axes, place) -> Any:
        """The next grids with one axis cut finer; two, for one of them may have edges in worse places by bad luck."""
        name, known_size = axes[place]
        known = [self.coarse(name, known_size)]
        if known_size >= self.columns[name].sizes[0]:
            return
        finer = [size for size in self.search.sizes if size > known_size]
        for size in finer[:2]:
            column = self.coarse(name, size)
            grid = (*axes[:place], (name, size), *axes[place + 1 :])
            other = all(column.sizes != one.sizes or not np.array_equal(column.seen, one.seen) for one in known)
            if other and self.fits(grid, self.search.cells[1]):
                known.append(column)
                yield grid

    def added(self, names, number) -> float:
        """How much likelier attributes make the held-out classes than that number of them alone, on grids alike."""
        size = self.start(names)
        axes = tuple((name, size) for name in names)
        return self.gain(axes) - self.gain(axes[:number]) if size else -math.inf

    def gain(self, axes) -> float:
        """How much likelier a grid makes the held-out classes, while attributes are sought."""
        return self.trial(axes, self.search.steps[0])[0].gain if axes else 0.0

    def start(self, names) -> int:
        """The finest common number of intervals for a search; 0: there is none."""
        sizes = [size for size in self.search.sizes if size <= self.search.intervals]
        fitting = (size for size in sizes if self.fits([(name, size) for name in names], self.search.cells[0]))
        return max(fitting, default=0)

    def _coarse(self, name, size):
        """A column in at most ``size`` intervals."""
        return self.columns[name].coarse(size, int(self.search.seen_per_true * size))

    def fits(self, axes, cells) -> bool:
        """Whether a grid has at most that number of true cells, and of seen ones."""
        both = zip(*(self.coarse(*axis).sizes for axis in axes))
        return self.classes.sizes[0] * max(map(math.prod, both)) <= cells

    def _trial(self, axes, cap):
        """How likely a grid makes the classes of the other half."""
        columns = [self.coarse(*axis) for axis in axes]
        grid = Grid([self.classes, *columns])
        learnt = grid.counts(self.learnt)
        held = grid.counts(~self.learnt)
        mix = grid.mix(learnt, FixedStop(self.search.mix_steps))
        watched = (learnt > 0) | (held > 0)
        # What would be predicted by the class frequencies alone, wherever a record is seen.
        anybody = np.maximum(through(mix, grid.matrices[1:]), TINY)
        blind = np.multiply.outer(self.of_class, anybody)
        # A curve has its top where held-out classes do.
        judge = Judge(held[watched], 0, 50, cap, DOUBT, blind[watched])
        grid.class_shares(learnt, mix, judge, watched)
        gain = judge.best - float(xlogy(held, np.maximum(blind, TINY)).sum())
        intervals = {column.attribute.name: column.sizes[0] for column in columns}
        return Together(intervals, judge.steps, gain), grid
