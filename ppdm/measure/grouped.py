"""How many true records end in a leaf, from test records that were disguised in groups (DZ03 §4.6)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np

from ppdm.disguise import GroupedResponse
from ppdm.reconstruct.inverse import group_weights


class View(Protocol):
    """What the records show of an attribute, or of the class, and which of its true values each leaf can hold."""

    @property
    def name(self) -> Any:
        """The column."""

    @property
    def seen(self) -> np.ndarray:
        """The code of what is seen of each record."""

    @property
    def inside(self) -> np.ndarray:
        """A row a leaf, a column a code."""


def leaf_weights(views: Sequence[View], channel: GroupedResponse) -> Iterator[np.ndarray]:
    """For each leaf, what every record counts for in it; the mean is 1 for who is in it truly, and 0 for who is not.

    The paper runs all 2^g reversals of the test records through the tree and solves M_g for the share of hits. To count
    each record in each leaf by the inverse comes to the same, for any number of groups.
    """
    parts = [(theta, [view for view in views if view.name in group]) for theta, group in channel.parts]
    parts += [(1.0, [view]) for view in views if view.name not in channel.answers]
    known: dict[Any, np.ndarray] = {}
    for leaf in range(len(views[0].inside)):
        weights = np.ones(len(views[0].seen))
        for place, (theta, members) in enumerate(parts):
            restricted = [view for view in members if not view.inside[leaf].all()]
            if restricted:
                key = (place, *(view.inside[leaf].tobytes() for view in members))
                if key not in known:
                    known[key] = _weights(theta, restricted, leaf)
                weights = weights * known[key]
        yield weights


def _weights(theta: float, views: Sequence[View], leaf: int) -> np.ndarray:
    """The weights of one group: those of all combinations of values that the leaf can hold, added up."""
    if theta == 1:
        return np.logical_and.reduce([view.inside[leaf][view.seen] for view in views]).astype(float)
    sizes = [view.inside.shape[1] for view in views]
    total = np.zeros(len(views[0].seen))
    for values in product(*(np.flatnonzero(view.inside[leaf]) for view in views)):
        total += group_weights(theta, sizes, [view.seen == value for view, value in zip(views, values, strict=True)])
    return total
