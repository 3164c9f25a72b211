"""True records to disguise in groups and to learn from; and who is in which group, as a text of one line a group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from ppdm.data import BinaryCuts, load
from ppdm.studies import dz03

from .own import OWN, own_answers

EXPECTED = "expected a group in every line, its columns separated by commas"

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class AnswerTable:
    """True records of 0 and 1, the class as the last column, and their one division: two thirds to learn from.

    Attributes
    ----------
    name : of the table
    records : all of them
    split : their division
    ones : what 1 stands for in each column, in words
    """

    name: str
    records: pd.DataFrame
    split: dz03.Split
    ones: Mapping[str, str]

    @classmethod
    def own(cls, own: object) -> "AnswerTable":
        """A table of one's own, if it can be disguised in groups and learnt from."""
        records, target = own_answers(own)
        split = dz03.Split.of(records, target, np.random.default_rng(dz03.SPLIT))
        if split.train[target].nunique() < 2:
            raise ValueError(f"own has one class only, {target!r}, among the records to learn from; expected both")
        return cls(OWN, records, split, {})

    def __repr__(self) -> str:
        return f"AnswerTable({self.name!r}, {len(self.records):,} records, class {self.target!r})"

    @property
    def target(self) -> str:
        """The name of the class."""
        return self.split.target

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns, the class last."""
        return tuple(map(str, self.records))

    @cached_property
    def majority(self) -> float:
        """The share of the test records that are of the larger class of the training records."""
        return self.split.majority

    @cached_property
    def benchmark(self) -> float:
        """The accuracy of plain ID3, from true records."""
        return self.split.accuracy(self.split.fit(None, self.split.train))


@lru_cache
def table_of(name: str) -> AnswerTable:
    """A table as DZ03 §5 takes it, all values cut in two."""
    whole, (records, target) = load(name, dz03.PARTS.get(name)), dz03.records(name)
    cuts = BinaryCuts.of(whole.X, whole.listed)
    ones = {**cuts.describe()["1"], target: str(whole.y.cat.categories[-1])}
    return AnswerTable(name, records, dz03.papers_split(name), ones)


def text_of(groups: Sequence[Sequence[str]]) -> str:
    """Groups as a text, one a line."""
    return "\n".join(", ".join(group) for group in groups)


def groups_of(text: str, table: AnswerTable) -> Groups:
    r"""The groups that a text names, if every name is a column and none is there twice.

    >>> groups_of("v1, v2\nv5, class", table_of("votes"))
    (('v1', 'v2'), ('v5', 'class'))
    """
    if not text.strip():
        raise ValueError(f"who is empty; {EXPECTED}")
    lines = [[name.strip() for name in line.split(",")] for line in text.split("\n")]
    line_of: dict[str, int] = {}
    for place, line in enumerate(lines, 1):
        if line == [""]:
            raise ValueError(f"who has nothing in line {place}; {EXPECTED}")
        if "" in line:
            raise ValueError(f"who has a comma without a name beside it in line {place}; {EXPECTED}")
        for name in line:
            if name not in table.columns:
                known = ", ".join(table.columns)
                raise ValueError(f"who names {name!r} in line {place}, which is no column of {table.name}: {known}")
            if name in line_of:
                where = f"in line {place}" if line_of[name] == place else f"in lines {line_of[name]} and {place}"
                raise ValueError(f"who names {name!r} twice, {where}; expected every column in one group at most")
            line_of[name] = place
    return tuple(map(tuple, lines))
