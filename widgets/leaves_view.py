"""What noise in the leaves does to a tree: the sample, the noise, both trees and the intruder, each worked out once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ppdm.data import load
from ppdm.disguise import LeafNoise
from ppdm.measure import CaseIntruder, tree_similarity
from ppdm.studies import ib03, ib03_attributes
from ppdm.trees import C45Classifier, Tree

from .own import classed_records

# What gets noise: the method for the classes, and which attributes.
TECHNIQUES: dict[str, tuple[str | None, str | None]] = {
    "random": ("random", None),
    "probabilistic": ("probabilistic", None),
    "all leaves": ("all", None),
    "TIA": (None, "total"),
    "LIA": (None, "leaf"),
    "TIA + LIA": (None, "both"),
    "all at once": ("random", "both"),
}
# The tables as the study knows them. Nobody should learn from Boston's column B.
TABLES = {"wbc": "wbc", "boston": "boston without B"}
# The paper's own records. Those of Boston were found by a search for its Figure 2, which has this cut.
PAPERS = {"wbc": "first350", "boston": "figure2"}
CUT = 29.0
MOST_OWN = 2_000  # records of your own table; of more a sample is taken, because a panel has to be quick
KNOWS = {"innocent": "the innocent attributes", "all": "all attributes"}  # what intruders know of a person


@dataclass(frozen=True, eq=False, repr=False)
class OwnTable:
    """Your own records, each with its class; is_part: whether they are a sample of a longer table."""

    X: pd.DataFrame
    y: pd.Series
    is_part: bool

    @classmethod
    def of(cls, own) -> "OwnTable":
        """The records, checked; of a long table a sample."""
        X, labels = classed_records(own)
        y = pd.Series(labels, name="class")
        is_part = len(X) > MOST_OWN
        if is_part:
            X = X.sample(MOST_OWN, random_state=0)
        return cls(X, y[X.index], is_part)


@dataclass(frozen=True)
class LeafCase:
    """Which records, which tree, which noise.

    Attributes
    ----------
    source : "wbc", "boston", or your own table
    sample : 0 for the paper's own records, or the number of a random sample
    least : the least leaf size of both trees
    technique : of TECHNIQUES
    strength : the standard deviation of noise in attributes, in per cent of the value
    seed : of the draw of the noise
    """

    source: str | OwnTable
    sample: int
    least: int
    technique: str
    strength: float
    seed: int

    @property
    def is_own(self) -> bool:
        """Whether the records are your own."""
        return isinstance(self.source, OwnTable)

    @property
    def in_classes(self) -> bool:
        """Whether classes get noise."""
        return TECHNIQUES[self.technique][0] is not None

    @property
    def in_attributes(self) -> bool:
        """Whether attributes get noise."""
        return TECHNIQUES[self.technique][1] is not None

    @property
    def drawn(self) -> ib03.Sample:
        """The records to learn from, and the strangers."""
        return _drawn(self.source, self.sample)

    @property
    def first(self) -> Tree:
        """The tree from the true records."""
        return _first(self.source, self.sample, self.least)[0]

    @property
    def noise(self) -> LeafNoise:
        """The noise that follows the first tree."""
        # The strength does not matter where classes alone get noise.
        strength = self.strength if self.in_attributes else 0
        return _noise(replace(self, strength=strength, seed=0))


@lru_cache(maxsize=16)
def _drawn(source, number):
    if isinstance(source, str) and number:
        return ib03.sample(TABLES[source], number)
    if isinstance(source, str):
        X, y = ib03.whole(TABLES[source])
        y = load(source).classes(CUT) if source == "boston" else y
        own = load(source, PAPERS[source]).X.index
    else:
        X, y = source.X, source.y
        # Two thirds of each class, in their old order.
        own = y.groupby(y).sample(frac=2 / 3, random_state=number).index.sort_values()
    return ib03.Sample(X.loc[own], y.loc[own], X.drop(own), y.drop(own))


@lru_cache(maxsize=64)
def _first(source, sample, least):
    drawn = _drawn(source, sample)
    tree = C45Classifier(min_leaf=least).fit(drawn.X, drawn.y).tree_
    return tree, _right(tree, drawn)


def _right(tree, drawn):
    return float((tree.predict(drawn.strangers) == drawn.classes).mean())


@lru_cache(maxsize=32)
def _noise(case):
    return LeafNoise(
        case.first, case.drawn.X, case.drawn.y, *TECHNIQUES[case.technique], noise=case.strength / 100
    )


@dataclass(frozen=True, eq=False, repr=False)
class LeafView:
    """A release, and the tree that grows from it.

    Attributes
    ----------
    case : what was asked for
    X, y : the released records and their classes
    second : the tree from them
    after : the share of the strangers whose true class the second tree names
    alike : how alike both trees are on the true records
    intruders : the means of what intruders find, by what they know
    """

    case: LeafCase
    X: pd.DataFrame
    y: pd.Series
    second: Tree
    after: float
    alike: Any
    intruders: Mapping[str, pd.Series] = field(default_factory=dict)

    @property
    def right(self) -> tuple[float, float]:
        """The shares of the strangers whose true class the first and the second tree name."""
        case = self.case
        return _first(case.source, case.sample, case.least)[1], self.after


@lru_cache(maxsize=32)
def released(case: LeafCase) -> LeafView:
    """The release of a case, its tree, and how alike both trees are."""
    # A seed alone would draw anew for another strength, too.
    X, y = ib03.released(case.noise, np.random.default_rng(case.seed))
    second = C45Classifier(min_leaf=case.least).fit(X, y).tree_
    alike = tree_similarity(case.first, second, case.drawn.X)
    return LeafView(case, X, y, second, _right(second, case.drawn), alike)


@lru_cache(maxsize=64)
def intruder(case: LeafCase, knows: str) -> pd.Series:
    """The means of what an intruder finds about some persons, by what he knows of them."""
    view = released(case)
    report = CaseIntruder(case.noise, view.X, view.y, knows).report(ib03_attributes.PERSONS)
    return report[["posterior", "own class"]].mean()


def code_of(case: LeafCase) -> str:
    """The lines that do the same by the library; your own records are the pair ``own``."""
    method, innocent = TECHNIQUES[case.technique]
    told = f"method={method!r}, innocent={innocent!r}" + f", noise={case.strength / 100:g}" * case.in_attributes
    found = ['"S": alike.score', '"before": before', '"after": after', '"E(N)": noise.expected']
    lines = [
        *_code_of_sample(case),
        f"grower = C45Classifier(min_leaf={case.least})",
        "first = grower.fit(X, y).tree_",
        f"noise = LeafNoise(first, X, y, {told})",
        f"released, classes = noise.release(np.random.default_rng({case.seed}))  # None for a release",
        "second = grower.fit(released, classes).tree_",
        "alike = tree_similarity(first, second, X)",
        "before, after = ((tree.predict(strangers) == truth).mean() for tree in (first, second))",
    ]
    if case.in_classes:
        lines.append('security = noise.security()[["changed", "believed"]].mean()')
        found.append("**security")
    if case.in_attributes:
        report = f"CaseIntruder(noise, released, classes).report({ib03_attributes.PERSONS})"
        lines.append(f'intruder = {report}[["posterior", "own class"]].mean()')
        found.append("**intruder")
    imports = [
        "import numpy as np",
        *["import pandas as pd"] * case.is_own,
        *["from ppdm.data import load"] * (not case.is_own and not case.sample),
        "from ppdm.disguise import LeafNoise",
        "from ppdm.measure import " + "CaseIntruder, " * case.in_attributes + "tree_similarity",
        *["from ppdm.studies import ib03"] * (not case.is_own),
        "from ppdm.trees import C45Classifier",
    ]
    return "\n".join([*imports, "", *lines, f"{{{', '.join(found)}}}"])


def _code_of_sample(case):
    """The lines that draw the records and the strangers."""
    if case.is_own:
        # A sample of a long table keeps its rows' numbers.
        some = f".sample({MOST_OWN}, random_state=0)" * case.source.is_part
        drawn = [
            f"whole = own[0].reset_index(drop=True){some}",
            'known = pd.Series([*own[1]], name="class")[whole.index]',
            f"mine = known.groupby(known).sample(frac=2 / 3, random_state={case.sample}).index.sort_values()",
        ]
    elif case.sample:
        return [f"X, y, strangers, truth = ib03.sample({TABLES[case.source]!r}, {case.sample})"]
    else:
        drawn = [
            f"whole, known = ib03.whole({TABLES[case.source]!r})",
            *[f'known = load("boston").classes({CUT:g})'] * (case.source == "boston"),
            f"mine = load({case.source!r}, {PAPERS[case.source]!r}).X.index",
        ]
    return [*drawn, "X, y, strangers, truth = whole.loc[mine], known[mine], whole.drop(mine), known.drop(mine)"]
