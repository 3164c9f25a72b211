"""How many true records end in a leaf, from test records that were disguised in groups (DZ03 §4.6)."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ppdm.disguise import GroupedResponse, as_disguise


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
    parts: list[Any] = [
        (part, [view for view in views if view.name in part.columns]) for part in as_disguise(channel).parts_
    ]
    parts += [(None, [view]) for view in views if view.name not in channel.answers]
    known: dict[Any, np.ndarray] = {}
    for leaf in range(len(views[0].inside)):
        weights = np.ones(len(views[0].seen))
        for place, (part, members) in enumerate(parts):
            asked = [view for view in members if not view.inside[leaf].all()]
            if asked:
                key = (place, *(view.inside[leaf].tobytes() for view in members))
                if key not in known:
                    seen = {view.name: view.seen for view in asked}
                    inside = {view.name: view.inside[leaf] for view in asked}
                    known[key] = part.weights(seen, inside) if part else asked[0].inside[leaf][asked[0].seen]
                weights = weights * known[key]
        yield weights
