"""True records to disguise in groups and to learn from; and who is in which group, as a text of one line a group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, data
from ppdm.trees import ResponseTreeClassifier

SPLIT = 2003  # the seed of the one division into training and test records
OWN = "own data"
FEWEST, MOST_COLUMNS = 12, 20  # records and columns of one's own
EXPECTED = "expected a group in every line, its columns separated by commas"

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """True records of 0 and 1, the class among the columns, and their one division: two thirds to learn from.

    Attributes
    ----------
    name : of the table
    records : all of them
    target : the name of the class
    ones : what 1 stands for in each column, in words
    """

    name: str
    records: pd.DataFrame
    target: str
    ones: Mapping[str, str]

    @classmethod
    def own(cls, frame: Any, target: Any) -> Self:
        """A table of one's own, if it can be disguised in groups and learnt from."""
        checks.frame("own", frame)
        for column in frame.columns:
            _check_column(frame[column])
        checks.choice("own's target", target, frame.columns)
        if not 2 <= len(frame.columns) <= MOST_COLUMNS:
            raise ValueError(
                f"own has {len(frame.columns)} columns; expected 2 to {MOST_COLUMNS}, the class among them"
            )
        if len(frame) < FEWEST:
            raise ValueError(f"own has {len(frame)} records; expected at least {FEWEST}")
        people = cls(OWN, frame[[c for c in frame if c != target] + [target]].astype(np.int8), target, {})
        if people.train[target].nunique() < 2:
            raise ValueError(f"own has one class only, {target!r}, among the records to learn from; expected both")
        return people

    def __repr__(self) -> str:
        return f"People({self.name!r}, {len(self.records):,} records, class {self.target!r})"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns, the class last."""
        return tuple(map(str, self.records))

    @cached_property
    def attributes(self) -> list[str]:
        """All columns but the class."""
        return [column for column in self.columns if column != self.target]

    @cached_property
    def order(self) -> np.ndarray:
        """The records' places, first those to learn from."""
        return np.random.default_rng(SPLIT).permutation(len(self.records))

    @property
    def learn(self) -> int:
        """How many there are to learn from."""
        return (2 * len(self.records) + 1) // 3

    @cached_property
    def train(self) -> pd.DataFrame:
        """The records to learn from."""
        return self.records.iloc[self.order[: self.learn]]

    @cached_property
    def test(self) -> tuple[pd.DataFrame, pd.Series]:
        """The attributes and the classes of the true records to test on."""
        rest = self.records.iloc[self.order[self.learn :]]
        return rest[self.attributes], rest[self.target]

    @cached_property
    def majority(self) -> float:
        """The share of the test records that are of the larger class of the training records."""
        return float((self.test[1] == self.train[self.target].mode()[0]).mean())

    @cached_property
    def benchmark(self) -> float:
        """The accuracy of plain ID3, from true records."""
        return self.accuracy(ResponseTreeClassifier(theta=1), self.train)

    def accuracy(self, model: ResponseTreeClassifier, seen: pd.DataFrame) -> float:
        """The share of the true test records that a model classifies rightly, once it has learnt from released ones."""
        return float(model.fit(seen[self.attributes], seen[self.target]).score(*self.test))


@lru_cache
def people_of(table: str) -> People:
    """A table as DZ03 §5 takes it, all values cut in two: of Adult the first 10,000 records."""
    whole = data.load(table, part="first10000") if table == "adult" else data.load(table)
    target, last = str(whole.y.name), whole.y.cat.categories[-1]
    cuts = data.BinaryCuts.of(whole.X, whole.listed)
    records = cuts.apply(whole.X).assign(**{target: (whole.y == last).astype(np.int8)})
    return People(table, records, target, {**cuts.describe()["1"], target: str(last)})


def loading(people: People) -> tuple[str, str]:
    """Code that comes by the records of 0 and 1: what it imports, and what it does."""
    if people.name == OWN:
        return "", "people, target = own  # your own data\n"
    part = ', part="first10000"' if people.name == "adult" else ""
    return "from ppdm.data import binarise, load\n", (
        f"table = load({people.name!r}{part})\n"
        "ones = (table.y == table.y.cat.categories[-1]).astype(int)\n"
        f"people = binarise(table.X, table.listed).assign(**{{{people.target!r}: ones}})\n"
    )


def text_of(groups: Sequence[Sequence[str]]) -> str:
    """Groups as a text, one a line."""
    return "\n".join(", ".join(group) for group in groups)


def groups_of(text: str, people: People) -> Groups:
    r"""The groups that a text names, if every name is a column and none is there twice.

    >>> groups_of("v1, v2\nv5, class", people_of("votes"))
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
            if name not in people.columns:
                known = ", ".join(people.columns)
                raise ValueError(f"who names {name!r} in line {place}, which is no column of {people.name}: {known}")
            if name in line_of:
                where = f"in line {place}" if line_of[name] == place else f"in lines {line_of[name]} and {place}"
                raise ValueError(f"who names {name!r} twice, {where}; expected every column in one group at most")
            line_of[name] = place
    return tuple(map(tuple, lines))


def _check_column(column: pd.Series) -> None:
    """Nothing, if a column of one's own is of 0 and 1, and its name can stand in a list of names."""
    name = column.name
    if not isinstance(name, str) or not name or name != name.strip() or "," in name or "\n" in name:
        raise ValueError(f"own has the column {name!r}; expected a name of text without commas, lines and outer spaces")
    values = set(column.unique())
    if not values <= {0, 1}:
        raise ValueError(f"own's column {name!r} holds {sorted(map(str, values))[:5]}; expected 0 and 1 only")
    if len(values) < 2:
        raise ValueError(f"own's column {name!r} holds nothing but {values.pop()}, which tells nothing; leave it out")
