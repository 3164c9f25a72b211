"""Which attributes to take together, and in how fine a grid: judged by disguised records that were held out.

No true value is needed: half of the records are learnt from, and a grid is the better, the likelier it makes the
classes of the others, given what is seen of them.
"""

import math
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import xlogy

from ppdm import checks
from ppdm.disguise.release import MAX_BINS
from ppdm.reconstruct.coarse import CoarseColumn, TrueColumn
from ppdm.reconstruct.column import DisguisedColumn
from ppdm.reconstruct.heldout import HeldOutStop, Search
from ppdm.reconstruct.joint import disguise_again
from ppdm.reconstruct.shares import ClassGrid
from ppdm.reconstruct.stopping import TINY, FixedStop, Watch

LADDER = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 70, 100)  # intervals that are tried
SEEN_PER_TRUE = 1.25  # of what has an order: with more seen intervals a grid of the same size has fewer true ones
MOST_TOGETHER, SEARCH_INTERVALS = 5, 12
SEARCH_CELLS, MOST_CELLS = 2**16, 2**18  # seen cells, classes included, while attributes are sought and in the end
SEARCH_STEPS, MOST_STEPS = 300, 1_000
DOUBT = 0.01
WORTH = 4.0  # log-likelihood that an attribute or a finer grid has to add: with less, chance decides
Columns = Mapping[Any, DisguisedColumn | TrueColumn]
Told = Sequence[Any] | Mapping[Any, int]


@dataclass(frozen=True)
class Together:
    """Attributes that are reconstructed together.

    Attributes
    ----------
    intervals : of each attribute, in the order in which the attributes were found
    most_seen : the most intervals that what is seen of each was cut in; nominal and true attributes ignore it
    steps : Bayes steps after which held-out classes were likeliest
    gain : how much likelier (log-likelihood) the grid makes the held-out classes than their shares alone
    """

    intervals: dict[Any, int]
    most_seen: dict[Any, int]
    steps: int
    gain: float

    @property
    def stop(self) -> FixedStop:
        """When to stop with all records."""
        return FixedStop(self.steps)

    def grid(self, columns: Columns, class_codes: np.ndarray, n_classes: int) -> ClassGrid:
        """The grid of these attributes, with all records."""
        axes = [CoarseColumn.of(columns[name], most, self.most_seen[name]) for name, most in self.intervals.items()]
        return ClassGrid(axes, class_codes, n_classes)


def find_together(columns: Columns, class_codes: np.ndarray, n_classes: int, seed: int = 0) -> Together | None:
    """The attributes that tell most of the classes together, and their grid; None where none tells anything.

    One attribute at a time joins, or a pair that tells more together than its two attributes do alone, while each
    makes held-out classes likelier by ``WORTH`` or more on the same grid of the others. (Three attributes that tell
    nothing but all together are not found.) In the end one axis after the other is cut finer, as long as that is worth
    as much; one grid that is not may be passed over. Nominal columns of more than SEARCH_INTERVALS categories are left
    out.
    """
    search = _Halves(columns, class_codes, n_classes, seed)
    usable = [name for name in columns if search.usable(name)]
    alone = {name: search.added((), (name,)) for name in usable}
    pairs = [
        pair for pair in combinations(usable, 2) if search.added((), pair) >= sum(alone[one] for one in pair) + WORTH
    ]
    found: tuple[Any, ...] = ()
    while True:
        sets = [(*found, *more) for more in [*zip(usable), *pairs] if not set(more) & set(found)]
        worth = {
            names: search.added(found, names) - WORTH * (len(names) - len(found))
            for names in sets
            if len(names) <= MOST_TOGETHER
        }
        leader = max(worth, key=lambda names: worth[names], default=None)
        if leader is None or worth[leader] < 0:
            return search.refined(found) if any(isinstance(columns[name], DisguisedColumn) for name in found) else None
        found = leader


def told_together(
    columns: Columns, class_codes: np.ndarray, n_classes: int, told: Told, values: Mapping[Any, int], seed: int = 0
) -> Together:
    """Attributes that one is told to take together (``check_told``); what one is not told of their grid is found.

    A list leaves the grid to be found as in ``find_together``; a dict of intervals leaves only the number of steps. An
    attribute of no more values than that has one interval a value; else it must be cut in so many intervals itself.

    Parameters
    ----------
    values : how many values each column can have
    """
    search = _Halves(columns, class_codes, n_classes, seed)
    names = tuple(told)
    if not isinstance(told, Mapping):
        search.check_cells(names, [LADDER[0]] * len(names), SEARCH_CELLS)
        return search.refined(names)
    for name, number in told.items():
        attribute = columns[name].attribute
        if attribute.kind == "nominal" and number < attribute.n_values:
            raise ValueError(
                f"together[{name!r}] is {number}; expected at least {attribute.n_values}: "
                "its categories have no order to be taken together in"
            )
    rungs = [search.told_rung(names, name, number) for name, number in told.items()]
    search.check_cells(names, rungs, MOST_CELLS)
    for name, number in told.items():
        most = columns[name].attribute.n_values
        if most < min(number, values[name]):
            raise ValueError(
                f"together[{name!r}] is {number}; expected at most {most}, the intervals that {name!r} is cut in: "
                "give intervals=... for more"
            )
    return search.trial(names, tuple(rungs), MOST_STEPS)


def check_told(told: Any, columns: Collection[Any], disguised: Collection[Any]) -> None:
    """Nothing, if the told columns are some of these, one or more of them disguised, and all numbers can be used."""
    if isinstance(told, Set):
        raise TypeError(f"together is {told!r}; expected a list, because the order tells, or a dict of intervals")
    names = checks.columns("together", told, list(columns))
    if not names:
        raise ValueError("together is empty; expected at least one column, or None for those that are found")
    if len(set(names)) < len(names):
        raise ValueError(f"together is {told!r}; expected each column once")
    if not set(names) & set(disguised):
        raise ValueError(f"together is {told!r}; expected at least one column that is disguised")
    if isinstance(told, Mapping):
        for name, number in told.items():
            checks.whole(f"together[{name!r}]", number, 2, MAX_BINS)


class _Halves:
    """Grids learnt from one half of the records and judged by the other."""

    def __init__(self, columns: Columns, class_codes: np.ndarray, n_classes: int, seed: int) -> None:
        self.columns, self.class_codes, self.n_classes = columns, class_codes, n_classes
        # Two numbers, or a study that draws its records from the same seed might have halves that go with its classes.
        lots = np.random.default_rng([seed, len(class_codes)])
        self.learnt = lots.permutation(len(class_codes)) < len(class_codes) // 2
        self.of_class = np.bincount(class_codes, minlength=n_classes) / len(class_codes)
        self.axes: dict[tuple[Any, int], CoarseColumn] = {}
        self.trials: dict[tuple[tuple[Any, ...], tuple[int, ...], int], Together] = {}

    def usable(self, name: Any) -> bool:
        """Whether a column can be cut as coarsely as a search needs."""
        attribute = self.columns[name].attribute
        return attribute.kind != "nominal" or attribute.n_values <= SEARCH_INTERVALS

    def coarse(self, name: Any, rung: int) -> CoarseColumn:
        """A column in at most so many intervals."""
        if (name, rung) not in self.axes:
            self.axes[name, rung] = CoarseColumn.of(self.columns[name], rung, _most_seen(rung))
        return self.axes[name, rung]

    def fits(self, names: Sequence[Any], rungs: Sequence[int], cells: int) -> bool:
        """Whether a grid has no more than so many true cells, nor seen ones."""
        sizes = [self.coarse(name, rung).sizes for name, rung in zip(names, rungs, strict=True)]
        return self.n_classes * max(map(math.prod, zip(*sizes, strict=True))) <= cells

    def check_cells(self, names: Sequence[Any], rungs: Sequence[int], most: int) -> None:
        """Nothing, if told attributes make a grid of no more than so many cells."""
        if not self.fits(names, rungs, most):
            shown = ", ".join(map(repr, names))
            raise ValueError(
                f"together makes more than {most:,} cells of {shown} and the {self.n_classes} classes; expected fewer "
                "columns, or a dict of fewer intervals"
            )

    def told_rung(self, names: tuple[Any, ...], name: Any, number: int) -> int:
        """What the search would have called so many intervals: one that has all values is seen as at its start."""
        return number if number < self.columns[name].attribute.n_values else max(number, self.start(names))

    def start(self, names: tuple[Any, ...]) -> int:
        """The finest common number of intervals for a search; 0: there is none."""
        rungs = [rung for rung in LADDER if rung <= SEARCH_INTERVALS]
        return max((rung for rung in rungs if self.fits(names, [rung] * len(names), SEARCH_CELLS)), default=0)

    def added(self, names: tuple[Any, ...], more: tuple[Any, ...]) -> float:
        """How much likelier more attributes make the held-out classes than the first of them do, on grids alike."""
        rung = self.start(more)
        if not rung:
            return -math.inf
        before = self.trial(names, (rung,) * len(names), SEARCH_STEPS).gain if names else 0.0
        return self.trial(more, (rung,) * len(more), SEARCH_STEPS).gain - before

    def refined(self, names: tuple[Any, ...]) -> Together:
        """The grid that is found by cutting one axis after the other finer, as long as one is worth it."""
        rungs = [self.start(names)] * len(names)
        best, untried = self.trial(names, tuple(rungs), SEARCH_STEPS), deque(range(len(names)))
        while untried:
            axis = untried.popleft()
            for finer in self.finer(names, rungs, axis):
                trial = self.trial(names, finer, SEARCH_STEPS)
                if trial.gain >= best.gain + WORTH:
                    best, rungs = trial, [*finer]
                    untried = deque([*(other for other in range(len(names)) if other != axis), axis])
                    break
        return self.trial(names, tuple(rungs), MOST_STEPS)

    def finer(self, names: tuple[Any, ...], rungs: Sequence[int], axis: int) -> Iterator[tuple[int, ...]]:
        """The next grids with one axis cut finer; two, for one of them may have edges in worse places by bad luck."""
        name, known = names[axis], [self.coarse(names[axis], rungs[axis])]
        if rungs[axis] < self.columns[name].attribute.n_values:
            for rung in [rung for rung in LADDER if rung > rungs[axis]][:2]:
                column, grid = self.coarse(name, rung), (*rungs[:axis], rung, *rungs[axis + 1 :])
                if not any(map(column.same_as, known)) and self.fits(names, grid, MOST_CELLS):
                    known.append(column)
                    yield grid

    def trial(self, names: tuple[Any, ...], rungs: tuple[int, ...], cap: int) -> Together:
        """How likely a grid makes the classes of the other half."""
        if (names, rungs, cap) not in self.trials:
            self.trials[names, rungs, cap] = self._trial(names, rungs, cap)
        return self.trials[names, rungs, cap]

    def _trial(self, names: tuple[Any, ...], rungs: tuple[int, ...], cap: int) -> Together:
        axes = [self.coarse(name, rung) for name, rung in zip(names, rungs, strict=True)]
        grid = ClassGrid(axes, self.class_codes, self.n_classes)
        learnt, held = grid.counts(self.learnt), grid.counts(~self.learnt)
        mix, known = grid.mix(learnt), (learnt > 0) | (held > 0)
        anywhere = np.maximum(disguise_again(mix, grid.matrices[1:]), TINY)
        unknowing = np.multiply.outer(self.of_class, anywhere)
        judge = _Judge(held[known], unknowing[known], cap)
        grid.shares(learnt, mix, judge, known)
        gain = judge.search.best - float(xlogy(held, np.maximum(unknowing, TINY)).sum())
        intervals = {name: axis.sizes[0] for name, axis in zip(names, axes, strict=True)}
        most_seen = {name: _most_seen(rung) for name, rung in zip(names, rungs, strict=True)}
        return Together(intervals, most_seen, judge.search.first + 1, gain)


def _most_seen(rung: int) -> int:
    """The most seen intervals of an axis of so many true ones."""
    return int(SEEN_PER_TRUE * rung)


class _Judge:
    """Stops where held-out records are likeliest, and remembers where that was.

    A part of its belief goes to who knows only how frequent each class is: else a single record of a class that the
    learnt half does not have in its cell would outweigh all others.
    """

    def __init__(self, held: np.ndarray, unknowing: np.ndarray, cap: int) -> None:
        self.search, self.unknowing, self.cap = Search(HeldOutStop(margin=0, patience=50), held), unknowing, cap

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        return lambda old, new, seen: self.search(old, new, (1 - DOUBT) * seen + DOUBT * self.unknowing)
