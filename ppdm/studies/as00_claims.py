"""Agrawal & Srikant 2000, §§2 and 3 judged: privacy, shapes, samples, cost; and what all rows of the ledger share."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from ppdm.disguise import GaussianNoise, Intervals, UniformNoise
from ppdm.measure import Ledger
from ppdm.reconstruct import em_step
from ppdm.studies.as00_shapes import counted_step

NAMES = {
    "original": "Original",
    "randomized": "Randomized",
    "global": "Global",
    "byclass": "ByClass",
    "local": "Local",
}
FIVE, FIFTEEN = 0.05, 0.15
Results = Mapping[str, pd.DataFrame]
Row = tuple[
    str, str, str, dict[str, Any]
]  # of the ledger: the claim, the paper's words, their scope, the verdict


def keyed(results: pd.DataFrame, *measured: str) -> pd.DataFrame:
    """The measured columns, by their prose names, indexed by the arguments and "repeat"."""
    keys = list(results.columns[: list(results.columns).index("repeat") + 1])
    found = results.set_index(keys)
    return found[list(measured)] if measured else found


def trees_of(results: pd.DataFrame) -> pd.DataFrame:
    """The accuracies of the five trees, by their prose names."""
    return keyed(results, *NAMES).rename(columns=NAMES)


def lost(trees: pd.DataFrame, *names: str, against: str = "Original") -> pd.Series:
    """By how much the accuracy of each of some trees is below that of another one, run by run."""
    return pd.concat({name: trees[against] - trees[name] for name in names}, names=["tree"])


def apart(difference: pd.Series) -> pd.Series:
    """Differences without regard to their direction: those of a cell are turned so that their mean is not below 0.

    The size of each by itself would be above 0 from sampling error alone.
    """
    cells: Any = difference.groupby(level=difference.index.names[:-1], sort=False)
    return difference * np.where(cells.transform("mean") < 0, -1, 1)


def at(values, **levels) -> Any:
    """What was measured at some levels of some arguments."""
    for name, wanted in levels.items():
        values = values[values.index.isin(wanted, level=name)]
    return values


def fact(claimed: str, measured: str, right: list[bool]) -> dict[str, Any]:
    """The verdict on single facts: it holds if all are right, not if more than half are wrong."""
    share = float(np.mean(right))
    holds: Any = True if share == 1 else False if share < 0.5 else "partly"
    return {"claimed": claimed, "measured": measured, "holds": holds}


def points(values: pd.Series, bound: float, says: Any = "every setting", more: str = "") -> dict[str, Any]:
    """The verdict on points of accuracy that may be lost."""
    return also(Ledger.verdict(values, at_most=bound, says=says, points=True), more)


def also(verdict: dict[str, Any], more: str) -> dict[str, Any]:
    """The verdict, with something else that was measured."""
    return {**verdict, "measured": verdict["measured"] + more}


def privacy() -> Iterator[Row]:
    """Table 1, and where a disguised value lies: printed numbers beside exact ones."""
    printed = np.array([[0.5, 0.95, 0.999], [1, 1.9, 1.998], [1.34, 3.92, 6.8]])
    units = (
        Intervals(edges=1, low=0, high=1),
        UniformNoise(half_width=1, low=0, high=1),
        GaussianNoise(sd=1, low=0, high=1),
    )
    widths = np.array([[unit.privacy(confidence) for confidence in (0.5, 0.95, 0.999)] for unit in units])
    right = np.abs(widths - printed) < 0.005
    told = ", ".join(f"{own:.2f} for {said:g}" for own, said in zip(widths[~right], printed[~right]))
    said = "“Table 1 shows the privacy offered by the different methods using this metric.” (§2.1)"
    found = fact(
        "nine widths as printed", f"{right.sum()} of {right.size} are right; {told}", list(right.ravel())
    )
    yield "A1", said, "nine entries", found
    quantiles = norm.ppf([0.975, 0.9995]) * 0.25
    ends = np.array([0.25 + side * quantile for quantile in quantiles for side in (-1, 1)])
    said = (
        "“0.25 has a 95% chance of being mapped to a value between -0.26 and 0.74, and a 99.9% chance of being mapped "
        "to a value between -0.6 and 1.1” (§3)"
    )
    close = [round(end, digits) == own for end, own, digits in zip(ends, (-0.26, 0.74, -0.6, 1.1), (2, 2, 1, 1))]
    told = f"{sum(close)} of 4 ends are right; {', '.join(f'{end:.2f}' for end in ends)}"
    yield "A17", said, "σ = 0.25", fact("four ends as printed", told, close)


def shapes(results: pd.DataFrame) -> Iterator[Row]:
    """Figure 2, and what tells when to stop."""
    found = keyed(results)
    said = (
        "“Notice that we are able to pick out the original shape of the distribution even though the randomized "
        "version looks nothing like the original.” (§3)"
    )
    scope = "two shapes, two noises; distance left by the paper's rule, as a share of that of what is seen"
    yield "A2", said, scope, Ledger.verdict(found["χ² step"] / found["as seen"], at_most=0.5)
    said = (
        "“the difference between the two randomized distributions is not a reliable indicator of the difference "
        "between the original and reconstructed distributions” (§3)"
    )
    scope = "two shapes, two noises; rank correlation of the two distances along 5,000 steps"
    yield "A11a", said, scope, Ledger.verdict(found["agreement"], at_most=0.5)
    scope = "the same, each doubling of the number of steps counted alike"
    yield "A11c", said, scope, Ledger.verdict(found["agreement by doublings"], at_most=0.5)
    said = "Ours, of “Instead, we compare successive estimates” (§3): the χ² step ends nearer than the discrepancy rule"
    scope = "two shapes, two noises; by how much the discrepancy rule ends farther from the truth"
    yield "A11b", said, scope, Ledger.verdict(found["discrepancy"] - found["χ² step"], at_least=0)


def samples(results: pd.DataFrame) -> Iterator[Row]:
    """Equation 1 with many values: one step from the truth, and the iteration from a uniform guess."""
    many = results["records"].max()
    here = keyed(results).xs(many, level="records")
    said = (
        "“Given a sufficiently large number of samples, we expect f′_X in the above equation to be very close to the "
        "real density function f_X.” (§3)"
    )
    scope = "two shapes, two noises, {:,} values; one step of Equation 1 from the true density"
    yield "A16a", said, scope.format(many), Ledger.verdict(here["one step from the truth"], at_most=0.01)
    for claim, rule, words in (
        ("A16b", "χ² step", "from the uniform guess to the paper's stop"),
        ("A16c", "5,000 steps", "from the uniform guess, 5,000 steps"),
    ):
        yield claim, said, f"the same, {words}", Ledger.verdict(here[rule], at_most=FIVE)


def cost() -> Iterator[Row]:
    """Footnote 2: the products of one step with 10 and with 20 intervals, and the power with which they grow."""
    counts: dict[bool, list[int]] = {True: [], False: []}
    same = True
    for intervals in (10, 20):
        edges = np.linspace(0, 1, intervals + 1)
        channel = GaussianNoise(sd=0.25, low=0, high=1)
        # The paper's own m intervals for what is seen, too.
        matrix = channel.matrix(edges, edges)
        seen, prior = np.arange(1, intervals + 1), np.full(intervals, 1 / intervals)
        for reuse, found in counts.items():
            new, products = counted_step(matrix, seen, prior, reuse)
            same &= np.allclose(new, em_step(matrix, seen, prior))
            found.append(products)
    power = {reuse: float(np.log2(some[1] / some[0])) for reuse, some in counts.items()}
    told = f"products with 10 and 20 intervals: {counts[True]}, naively {counts[False]}"
    said = "“we can re-use the results of that computation to get O(m²) time” (footnote 2)"
    right = [same, abs(power[True] - 2) < 0.1, abs(power[False] - 3) < 0.1]
    yield "A18", said, "one step of Equation 3, counted", fact("m², naively m³", told, right)


def discretised(results: pd.DataFrame) -> Iterator[Row]:
    """Intervals beside noise of equal privacy."""
    found = keyed(results)
    ahead = found["uniform"] - found[["intervals", "intervals as seen"]].max(axis=1)
    said = "“Hence Discretization will lead to poor model accuracy compared to Uniform” (§2.1)"
    scope = "Functions 1–5, noise of the privacy that 9, 3 and 2 intervals have; by how much it is ahead"
    yield "A3", said, scope, Ledger.verdict(ahead, at_least=0, says="overall", points=True)
