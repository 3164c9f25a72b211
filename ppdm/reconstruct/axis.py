"""A column as an axis of a grid: where it is cut, and how what is seen of it depends on what is true."""

import bisect
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ppdm import checks
from ppdm.disguise.categories import CategoryChannel
from ppdm.disguise.release import MAX_BINS, Channel, NumericChannel
from ppdm.reconstruct.attribute import Attribute, is_number
from ppdm.reconstruct.bayes import seen_through
from ppdm.reconstruct.distribution import interval_of
from ppdm.reconstruct.grid import times

INTERVALS = 20  # of a number, unless told otherwise
MOST_TRUE, MOST_SEEN = 2**21, 2**23  # cells: even with a record in each, all that is held stays below a gigabyte


@dataclass(frozen=True, eq=False)
class Axis:
    """A column of a table, with the values that are seen of it.

    Parameters
    ----------
    attribute : what its true codes mean
    edges : of the true intervals; of categories those of their codes
    values : numbers, or the codes of categories
    channel : what disguised them; None: they are true
    """

    attribute: Attribute
    edges: np.ndarray
    values: np.ndarray
    channel: Channel | None

    @classmethod
    def numeric(cls, name: Any, column: Any, channel: NumericChannel | None, bins: Any, most: int) -> Self:
        """Numbers, over so many intervals or with the given edges; None: at most ``most``."""
        values = checks.vector("values", column) if channel is None else channel.released_values(column)
        if bins is None:
            edges = _cut(values, channel, most)
        elif channel is not None:
            edges = channel.true_bins(bins)
        elif np.ndim(bins) == 0:
            edges = _cut(values, None, checks.whole("bins", bins, 1, MAX_BINS, hint="or edges that cover the values"))
        else:
            edges = _covering(values, bins)
        return cls(Attribute.numeric(name, edges[1:-1]), edges, values, channel)

    @classmethod
    def categorical(cls, name: Any, column: Any, channel: CategoryChannel | None) -> Self:
        """Categories: those of the channel, as it lists them, or those of the column, in the order of its dtype."""
        if channel is not None:
            attribute, codes = Attribute.categorical(name, channel.categories), channel.codes(column)
        else:
            kind = infer_dtype(column)
            if kind not in ("string", "boolean", "categorical"):
                expected = "numbers, text, booleans or a category dtype: convert it to one of these"
                raise TypeError(f"values are {kind} ({column.dtype}); expected {expected}")
            found = pd.Categorical(column)
            attribute = Attribute.categorical(name, found.categories.tolist(), bool(found.ordered))
            codes = found.codes
        return cls(attribute, np.arange(attribute.n_values + 1) - 0.5, codes, channel)

    def sizes(self, most: int | None = None) -> tuple[int, int]:
        """The number of true and of seen intervals; those of at most so many for a number, if that is given."""
        edges = self.edges
        if most is not None and self.attribute.kind == "numeric":
            edges = _cut(self.values, self.channel, most)
        seen = self.channel.seen_bins(edges) if isinstance(self.channel, NumericChannel) else edges
        return len(edges) - 1, len(seen) - 1

    def seen(self, exact: bool) -> tuple[np.ndarray, np.ndarray | None]:
        """The seen interval or category of each record, and P(seen | true); None where the column is true."""
        if isinstance(self.channel, NumericChannel):
            return seen_through(self.channel, self.values, self.edges, exact)
        if isinstance(self.channel, CategoryChannel):
            return self.values, self.channel.matrix()
        numeric = self.attribute.kind == "numeric"
        return interval_of(self.values, self.edges[1:-1]) if numeric else self.values, None


def axes_of(frame: pd.DataFrame, channels: Mapping[Any, Channel], bins: Any) -> dict[Any, Axis]:
    """An axis for each column, if the grid of them all is not too large; bins as in ``reconstruct_joint``."""
    own, most = {}, INTERVALS
    if isinstance(bins, Mapping):
        checks.columns("bins", bins, frame.columns)
        own = dict(bins)
    elif bins is not None:
        most = checks.whole("bins", bins, 1, MAX_BINS, hint="or a dict from columns to numbers or edges")
    axes = {}
    for name in frame.columns:
        with in_column(name):
            axes[name] = _axis(name, frame[name], channels.get(name), own.get(name), most)
    _check_sizes(list(axes.values()))
    return axes


@contextmanager
def in_column(name: Any) -> Iterator[None]:
    """Errors about a column name it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"column {name!r}: {error}") from None


def _axis(name: Any, column: pd.Series, channel: Channel | None, bins: Any, most: int) -> Axis:
    checks.none_missing("values", column)
    if isinstance(channel, NumericChannel) or (channel is None and is_number(column.dtype)):
        return Axis.numeric(name, column, channel, bins, most)
    if channel is not None and not isinstance(channel, CategoryChannel):
        raise TypeError(f"its channel is {channel!r}; expected a NumericChannel or a channel of categories")
    if bins is not None:
        raise ValueError(f"bins is {bins!r}; expected none for categories")
    return Axis.categorical(name, column, channel)


def _cut(values: np.ndarray, channel: Any, most: int) -> np.ndarray:
    """Edges of at most so many intervals: equal ones, or one a value, if there are no more values."""
    if channel is not None:
        return channel.true_bins(min(most, channel.most_bins))
    distinct = np.unique(values)
    if len(distinct) > most:
        return checks.edges("values", np.linspace(distinct[0], distinct[-1], most + 1))
    below, above = distinct[:-1], distinct[1:]
    middle = below / 2 + above / 2
    cuts = np.where(middle > below, middle, above)  # between neighbouring floats there is no middle
    ends = distinct[[0, -1]]
    wide = np.abs(cuts[[0, -1]] - ends) if len(cuts) else np.array([0.5, 0.5])
    low, high = ends + [-1, 1] * np.maximum(wide, np.spacing(np.abs(ends)))
    return checks.edges("values", np.concatenate([[low], cuts, [high]]))


def _covering(values: np.ndarray, bins: Any) -> np.ndarray:
    """The edges, if they cover the values."""
    edges = checks.edges("bins", bins)
    outside = (values < edges[0]) | (values > edges[-1])
    what = f"outside the bins' range [{edges[0]:g}, {edges[-1]:g}]"
    checks.none_wrong("values", values, outside, what, "bins that cover the values")
    return edges


def _check_sizes(axes: list[Axis]) -> None:
    """Nothing, if the grid's cells can be held in memory."""
    true, seen = zip(*(axis.sizes() for axis in axes), strict=True)
    if _fits([true, seen]):
        return
    best = bisect.bisect_left(
        range(1, MAX_BINS + 1),
        True,
        key=lambda most: not _fits(zip(*(axis.sizes(most) for axis in axes), strict=True)),
    )
    way_out = f"with these columns at most {best} intervals for each number" if best else "take fewer columns"
    raise ValueError(
        f"bins comes to {times(true)} cells, {times(seen)} seen ones; "
        f"expected at most {MOST_TRUE:,}, and {MOST_SEEN:,} seen ones: {way_out}"
    )


def _fits(sizes: Iterable[tuple[int, ...]]) -> bool:
    return all(math.prod(cells) <= most for cells, most in zip(sizes, (MOST_TRUE, MOST_SEEN), strict=True))
