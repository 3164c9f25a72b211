"""A table with its parts disguised, and what else of it would tell: order, index, labels, notes."""

from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd

from ppdm import randomness
from ppdm.disguise.parts import Group

# A column goes with the rows where neighbours are nearer than by chance: by a tenth, and by five standard errors.
NEARER, SURE = 0.9, 5.0


def coded(parts, frame) -> list[np.ndarray]:
    """The true codes of each part, if all values are in their domains."""
    return [part.true_codes(frame) for part in parts]


def told(parts, codes) -> list:
    """What the stream of a seed depends on: the law of each part, and what it disguises."""
    return [*(part.purposes for part in parts), *codes]


def row_warnings(parts, codes, index) -> list[str]:
    """A warning for each column that the order of the rows, or of a unique index, gives away."""
    orders: dict = {"row number": slice(None)}
    if index.is_unique and not index.is_monotonic_increasing:
        with suppress(TypeError):  # of labels that have no order
            orders["index"] = np.argsort(index, kind="stable")
    return [
        f"column {name!r} goes with the {what}: a mean over neighbouring rows removes its noise; choose "
        "Disguise(..., shuffle=True)"
        for part, own in zip(parts, codes)
        for name, values in zip(part.columns, own.T)
        for what, order in orders.items()
        if _goes_with_rows(values[order])
    ]


def _goes_with_rows(values):
    """Whether neighbouring values are nearer to each other than in a random order (von Neumann's ratio, 1941)."""
    values = values.astype(float)
    spread = values.var()
    if len(values) < 2 or not spread > 0:
        return False
    nearness = np.mean(np.diff(values) ** 2) / (2 * spread)  # 1 on average, with a standard error of 1 / √n
    return nearness < NEARER and (1 - nearness) * len(values) ** 0.5 > SURE


def _used(index):
    """An index with the labels that it shows, and no others that it remembers."""
    if isinstance(index, pd.MultiIndex):
        return index.remove_unused_levels()
    return index.remove_unused_categories() if isinstance(index, pd.CategoricalIndex) else index


def disguised(parts, frame, codes, source, keyed=None) -> pd.DataFrame:
    """The table with the parts' columns released: its index, names and values, and nothing else of it.

    ``codes``: of the true records, for each part; ``source``: a generator, or None for the system's secure source;
    ``keyed``: what makes the numbers of a part from its codes, instead of chance.
    """
    numbers = _fresh(parts, len(frame), source) if keyed is None else map(keyed, parts, codes)
    released = pd.DataFrame(frame).copy(deep=False)
    released.attrs = {}
    released.index, released.columns = _used(frame.index), _used(frame.columns)
    for name in frame.select_dtypes("category"):  # a category that no record has may be somebody's name
        released[name] = frame[name].cat.remove_unused_categories()
    for part, own, uniforms in zip(parts, codes, numbers):
        for column, seen in zip(part.columns, part.draw(own, uniforms).T):
            released[column] = part.channels[column].decode(seen, frame[column])
    return released


def _fresh(parts, records, source):
    """Uniform numbers for each part in turn: a row for each record, a number for each purpose."""
    if not any(isinstance(part, Group) for part in parts):
        for part in parts:
            yield randomness.uniform(records, source, part.two_ended)[:, None]
        return
    # A record's numbers for all groups are drawn in a row: first one for each, then what they take beyond that.
    beyond = [len(part.purposes) - 1 for part in parts]
    ends = np.cumsum([len(parts), *beyond])
    rows = randomness.uniform(records * ends[-1], source).reshape(records, -1)
    for place, (start, end) in enumerate(pairwise(ends)):
        yield rows[:, [place, *range(start, end)]]
