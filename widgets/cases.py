"""Records for the tree explorer: of one of Quest's functions or one's own, true and as they are seen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.data import QUEST_DOMAINS
from ppdm.studies import as00

from .own import OwnRecords

# What "joint" is told for each function: the attributes that it looks at; and where to find a grid for them would take
# seconds, one that 10,000 records do well with. (Its edges of the age are not the function's own, 40 and 60.)
GRIDS: dict[int, list[str] | dict[str, int]] = {
    1: ["age"],
    2: ["age", "salary"],
    3: {"age": 14, "elevel": 5, "salary": 12},
    4: {"salary": 12, "commission": 6, "loan": 12},
    5: {"salary": 6, "commission": 3, "loan": 6, "hvalue": 3, "hyears": 3},
}
OWN_INTERVALS = 12


@dataclass(frozen=True)
class Case:
    """Which records, and how they are disguised.

    Attributes
    ----------
    source : a function of Quest's, 1 to 5, or records of one's own
    noise, privacy : "uniform" or "Gaussian", and the level in per cent
    records : to learn from; of one's own at most two thirds
    seed : of the draw and the noise
    plane : the two attributes that the plane shows; of one's own records they are also what "joint" takes together
    """

    source: int | OwnRecords
    noise: str
    privacy: int
    records: int
    seed: int
    plane: tuple[Any, Any]

    @property
    def function(self) -> int | None:
        """Quest's function; None for records of one's own."""
        return None if isinstance(self.source, OwnRecords) else self.source

    @property
    def domains(self) -> Mapping[Any, dict[str, Any]]:
        """The low, high and step of each attribute that is disguised."""
        return self.source.domains if isinstance(self.source, OwnRecords) else QUEST_DOMAINS

    @property
    def study(self) -> as00.Study:
        """The records, true and as they are seen."""
        return _study(replace(self, plane=(None, None)))

    @property
    def grid(self) -> list[Any] | dict[Any, int]:
        """What "joint" is told: attributes, and where it shall not search, in how many intervals."""
        return dict.fromkeys(self.plane, OWN_INTERVALS) if self.function is None else GRIDS[self.function]

    @property
    def open(self) -> list[Any]:
        """The attributes that are released as they are."""
        return [name for name in self.study.X if name not in self.domains]

    @property
    def kept(self) -> dict[Any, float]:
        """The share of the values of each disguised attribute that are released as they are."""
        return {name: float((self.study.seen[name] == self.study.X[name]).mean()) for name in self.domains}

    @property
    def points(self) -> int | None:
        """How near to Original ByClass and Local are, in points, by AS00 §5.2; None where it says nothing.

        "Very close", at 25 and 50 %, is read as 5 points.
        """
        if self.function is None or self.privacy not in (25, 50, 100):
            return None
        return 15 if self.privacy == 100 and self.function in (2, 3) else 5


@lru_cache(maxsize=8)
def _study(case: Case) -> as00.Study:
    rng, level = np.random.default_rng(case.seed), case.privacy / 100
    if isinstance(case.source, int):
        return as00.study(case.source, case.noise, level, rng, case.records)
    channels = as00.channels_at(case.noise, level, case.source.domains)
    return as00.Study.held_out(case.source.X, case.source.y, channels, rng, case.records)


def plane_names(source: int | OwnRecords, plane: Any) -> tuple[Any, Any]:
    """Two attributes that are disguised: the given ones, or (age, salary), or the first two numbers of one's own."""
    known = list(source.domains if isinstance(source, OwnRecords) else QUEST_DOMAINS)
    if plane is None:
        return (known[0], known[1]) if isinstance(source, OwnRecords) else ("age", "salary")
    if isinstance(plane, str) or not isinstance(plane, (tuple, list)) or len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"plane is {plane!r}; expected two different columns, of {', '.join(map(repr, known))}")
    for name in plane:
        checks.choice("plane", name, known, hint="columns of numbers")
    return plane[0], plane[1]
