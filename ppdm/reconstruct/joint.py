"""AS00 §3 for several columns at once: the joint distribution of their true values, from disguised ones.

Columns are disguised independently, so that the channel of the grid is the Kronecker product of one matrix for each
axis. A Bayes step takes products with these along the axes; the large matrix is never made.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import Channel, Disguise, as_disguise
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.axis import Axis, axes_of, in_column
from ppdm.reconstruct.bayes import smoothed, told
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.grid import JointDistribution
from ppdm.reconstruct.iteration import Map, iterate
from ppdm.reconstruct.stopping import TINY, ChiSquareStop, StoppingRule, check_rule


@dataclass(frozen=True, eq=False, repr=False)
class JointReconstruction:
    """What a reconstruction of several columns found, and how it got there.

    Attributes
    ----------
    distribution : the estimate over the cells of the grid
    history : all iterates, the first index the step, if they were asked for; else None
    log_likelihood : of the counts under each iterate, from the start on: Σ N(s) log P(s)
    converged : whether the stopping rule was met; if not, the iteration ended at the rule's cap
    counts, matrices : what it was reconstructed from: the records in each seen cell, and for each axis
        P(seen interval | true interval), None where the column is true
    stop, smooth : how
    """

    distribution: JointDistribution
    history: np.ndarray | None
    log_likelihood: np.ndarray
    converged: bool
    counts: np.ndarray
    matrices: tuple[np.ndarray | None, ...]
    stop: StoppingRule
    smooth: float

    @property
    def n_iter(self) -> int:
        """The number of Bayes steps taken."""
        return len(self.log_likelihood) - 1

    @property
    def probabilities(self) -> np.ndarray:
        """Those of the estimate, an axis for each column."""
        return self.distribution.probabilities

    def __repr__(self) -> str:
        ending = "converged" if self.converged else "stopped at the cap"
        grid = repr(self.distribution).removeprefix("JointDistribution(").removesuffix(")")
        return f"JointReconstruction({grid}, {ending} after {self.n_iter} iterations)"


def reconstruct_joint(
    frame: pd.DataFrame,
    channels: Mapping[Any, Channel] | Channel | Disguise | None,
    bins: Any = None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    exact: bool = True,
    prior: Any = None,
    history: bool = False,
) -> JointReconstruction:
    """The joint distribution of the true values of several columns, estimated from disguised ones (AS00 §3).

    Parameters
    ----------
    frame : what is seen; each column is an axis of the grid
    channels : a dict from columns to the channels that disguised them, others are true; one channel for all; the
        ``Disguise`` that was applied, perhaps to more columns than these; None: all are true
    bins : a number of intervals for every number, None for 20, or one a value where there are no more values; or a
        dict from columns to a number or edges that cover the domain (20 for the others). True numbers are cut at
        equal widths from the lowest to the highest. Categories take none.
    stop : as in ``reconstruct``. ChiSquareStop allows for a change in all cells together, and ends early on a grid of
        thousands, where HeldOutStop is the better choice.
    smooth : share in [0, 1) of each cell's mass that moves to its neighbours after each step, along the axis of every
        number; None for none
    exact : as in ``reconstruct``, of the channels of numbers
    prior : where to start: an array of the grid's shape, or a JointDistribution over it; None for uniform
    history : whether to keep all iterates, each of which is as large as the grid

    >>> from ppdm.disguise import UniformNoise
    >>> true = np.random.default_rng(1).uniform(0, 1, 10_000)
    >>> noise = UniformNoise(half_width=0.25, low=0, high=1)
    >>> seen = pd.DataFrame({"size": noise.disguise(true, rng=2), "large": true > 0.5})
    >>> reconstruct_joint(seen, {"size": noise}, bins=2).probabilities.round(2).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    checks.frame("frame", frame)
    checks.flag("exact", exact)
    checks.flag("history", history)
    share = 0.0 if smooth is None else checks.number("smooth", smooth, 0, 1, open_high=True)
    check_rule(stop)
    axes = axes_of(frame, as_disguise(channels, frame.columns).by_column(), bins)
    counts, matrices = _seen(axes, exact)
    even = _even(axes)
    start = _start(prior, even)
    _check_reachable(counts, disguise_again(start, matrices))
    return told(solve_joint(counts, matrices, start, stop, share, even.attributes, even.edges, history))


def solve_joint(
    counts: np.ndarray,
    matrices: Sequence[np.ndarray | None],
    start: np.ndarray,
    stop: StoppingRule,
    smooth: float,
    attributes: Sequence[Attribute],
    edges: Mapping[Any, np.ndarray],
    history: bool = False,
) -> JointReconstruction:
    """``reconstruct_joint`` from counts of the seen cells, for arguments that are checked already; silent."""
    held = np.flatnonzero(counts)
    N = counts.ravel()[held]
    numeric = [axis for axis, attribute in enumerate(attributes) if attribute.kind == "numeric"]
    likelihoods: list[float] = []
    iterates: list[np.ndarray] = []

    forward, backward = maps_between(start.shape, counts.shape, held, matrices)

    def after(shares: np.ndarray) -> np.ndarray:
        return _smoothed_along(numeric, shares.reshape(start.shape), smooth).ravel()

    def note(shares: np.ndarray, seen: np.ndarray) -> None:
        likelihoods.append(float(N.dot(np.log(seen))))
        if history:
            iterates.append(shares)

    last, met = iterate(forward, backward, N, start.ravel(), stop, after if smooth else None, note)
    found = JointDistribution(tuple(attributes), dict(edges), last.reshape(start.shape))
    kept = np.array(iterates).reshape(-1, *start.shape) if history else None
    path = np.array(likelihoods)
    for array in (kept, path, counts, *matrices):
        if array is not None:
            array.setflags(write=False)
    return JointReconstruction(found, kept, path, met, counts, tuple(matrices), stop, smooth)


def disguise_again(shares: np.ndarray, matrices: Sequence[np.ndarray | None]) -> np.ndarray:
    """What the shares of the true cells come to in the seen ones: a product with one matrix along each axis.

    Along an axis of None nothing changes. The axes that grow least come first, which keeps what is between small.

    >>> disguise_again(np.array([[0.5, 0.0], [0.0, 0.5]]), [None, np.array([[0.75, 0.25], [0.25, 0.75]])]).tolist()
    [[0.375, 0.125], [0.125, 0.375]]
    """
    given = {axis: matrix for axis, matrix in enumerate(matrices) if matrix is not None}
    for axis in sorted(given, key=lambda axis: given[axis].shape[1] / given[axis].shape[0]):
        shares = _along(axis, shares, given[axis])
    return shares


def carry_back(seen: np.ndarray, matrices: Sequence[np.ndarray | None]) -> np.ndarray:
    """The transpose of ``disguise_again``: for each true cell the mean of what stands in the cells it is seen in."""
    return disguise_again(seen, [None if matrix is None else matrix.T for matrix in matrices])


def maps_between(
    true: tuple[int, ...], seen: tuple[int, ...], held: np.ndarray, matrices: Sequence[np.ndarray | None]
) -> tuple[Map, Map]:
    """``disguise_again`` and ``carry_back`` for ``iterate``: of flat arrays of true cells, and of held seen ones."""
    ratio_grid = np.zeros(seen)

    def forward(shares: np.ndarray) -> np.ndarray:
        return disguise_again(shares.reshape(true), matrices).ravel()[held]

    def backward(ratios: np.ndarray) -> np.ndarray:
        ratio_grid.ravel()[held] = ratios  # the other cells stay at 0
        return carry_back(ratio_grid, matrices).ravel()

    return forward, backward


def _along(axis: int, array: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The product with a matrix along one axis, without a copy of the array."""
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    if after:
        product = matrix.T @ array.reshape(math.prod(before), len(matrix), math.prod(after))
    else:
        product = array.reshape(-1, len(matrix)) @ matrix
    return product.reshape(*before, matrix.shape[1], *after)


def _smoothed_along(axes: Sequence[int], shares: np.ndarray, smooth: float) -> np.ndarray:
    for axis in axes:
        shares = smoothed(shares.swapaxes(0, axis), smooth).swapaxes(0, axis)
    return shares


def _seen(axes: Mapping[Any, Axis], exact: bool) -> tuple[np.ndarray, list[np.ndarray | None]]:
    """The number of records in each seen cell, and the matrix of each axis."""
    codes, matrices = [], []
    for name, axis in axes.items():
        with in_column(name):
            seen, matrix = axis.seen(exact)
        codes.append(seen)
        matrices.append(matrix)
    shape = tuple(axis.sizes()[1] for axis in axes.values())
    counts = np.bincount(np.ravel_multi_index(codes, shape), minlength=math.prod(shape))
    return counts.reshape(shape), matrices


def _even(axes: Mapping[Any, Axis]) -> JointDistribution:
    """Even density over the grid."""
    shares = [Distribution.uniform(axis.edges).probabilities for axis in axes.values()]
    attributes = tuple(axis.attribute for axis in axes.values())
    edges = {name: axis.edges for name, axis in axes.items()}
    return JointDistribution(attributes, edges, reduce(np.multiply.outer, shares))


def _start(prior: Any, even: JointDistribution) -> np.ndarray:
    if prior is None or even.same_grid(prior):
        return (even if prior is None else prior).probabilities
    if isinstance(prior, JointDistribution):
        raise ValueError(f"prior is {prior!r}; expected a JointDistribution over the same grid as the estimate")
    shares, shape = checks.plain("prior", prior), even.probabilities.shape
    if shares.shape != shape:
        raise ValueError(f"prior has shape {shares.shape}; expected {shape}, that of the grid")
    shares = checks.shares("prior", shares.ravel()).reshape(shape)
    return shares / shares.sum()


def _check_reachable(counts: np.ndarray, expected: np.ndarray) -> None:
    """Nothing, if every seen cell with a count can be reached from the start."""
    impossible = np.argwhere((expected <= TINY) & (counts > 0))
    if len(impossible):
        first = tuple(impossible[0].tolist())
        raise ValueError(
            f"the channels and the prior rule out the seen cell {first}, which holds {counts[first]:,} of the records; "
            "expected a prior that rules out nothing that occurred"
        )
