"""Agrawal & Srikant 2000 judged: the claims of the paper, in its words, beside the full-scale results.

Where the paper prints a bound, it is that one; the others are choices. "Very close", "well", "similar", "comparable"
are 5 points of accuracy, "fairly close" is 15 (the most that §5.2 concedes at 100 %), "almost identical" is 2. "Much
large" is 5 points or more, and what has an effect has one of a point. A shape comes back if half of the distance of
what is seen is gone. A density is very close after one step from the truth if 1 % of it is elsewhere, at the end of
an iteration 5 %. A distance is no reliable indicator of another one if their ranks correlate by at most a half. What
happened once in the paper should happen in one run of twenty. A sentence that says "overall", or that compares two
algorithms or two noises in one word, is judged by the mean of its settings; every other one in every setting.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.data import quest
from ppdm.measure import Ledger
from ppdm.studies.as00_claims import (
    FIFTEEN,
    FIVE,
    Results,
    Row,
    apart,
    at,
    cost,
    discretised,
    fact,
    lost,
    points,
    privacy,
    samples,
    shapes,
    trees_of,
)
from ppdm.studies.as00_early import AT_100, early, explained, stuck

FILES = (
    "strategies",
    "intervals",
    "shapes",
    "samples",
    "growing",
    "gains",
    "experiments",
    "learners",
    "sides",
    "work",
    "seconds",
    "readings",
)


def read(folder: str | Path = "results") -> dict[str, pd.DataFrame]:
    """The full-scale results of notebook 01, by their names without "as00-"."""
    return {name: pd.read_csv(Path(folder) / f"as00-{name}.csv") for name in FILES}


def ledger(results: Results) -> Ledger:
    """The paper's claims beside what was measured."""
    claims = Ledger("AS00")
    rows = [
        *privacy(),
        *shapes(results["shapes"]),
        *samples(results["samples"]),
        *cost(),
        *discretised(results["intervals"]),
        *close(trees_of(results["strategies"])),
        *compared(trees_of(results["strategies"])),
        *noises(trees_of(results["strategies"])),
        *diagonal(results["sides"]),
        *costs_of(results["work"], results["seconds"]),
        *early(trees_of(results["growing"]), results["learners"]),
        *stuck(trees_of(results["gains"])),
        *explained(results["experiments"]),
    ]
    # In the order of the paper, which is not that of what they are measured on.
    for claim, statement, scope, verdict in sorted(
        rows, key=lambda row: (int(row[0][1:].rstrip("abcdefgh")), row[0])
    ):
        claims.check(claim, statement, scope=scope, **verdict)
    return claims


def close(trees: pd.DataFrame) -> Iterator[Row]:
    """How close trees from disguised records come to Original, and to each other."""
    loss = lost(trees, "ByClass", "Local")
    said = (
        "“Overall, the ByClass and Local algorithms do remarkably well at 25% and 50% privacy, with accuracy numbers "
        "very close to those on the original data.” (§5.2)"
    )
    for claim, level in (("A4a", 0.25), ("A4b", 0.5)):
        yield (
            claim,
            said,
            f"Functions 1–5, {100 * level:.0f} %; points lost",
            points(at(loss, level=[level]), FIVE, "overall"),
        )
    for claim, functions, words, bound in (
        ("A5a", [1], "Function 1", FIVE),
        ("A5b", [2, 3], "Functions 2 and 3", FIFTEEN),
        ("A5c", [4, 5], "Functions 4 and 5", FIVE),
    ):
        here = at(loss, level=[1.0], function=functions)
        yield claim, AT_100, f"{words}, 100 %, our reading; points lost", points(here, bound)
    figure6 = at(loss, function=[1, 2, 3, 5])
    said = (
        "“The accuracy of the classifier developed using perturbed data, although not identical, comes fairly close to "
        "Original” (§5.3)"
    )
    scope = "Figure 6: Functions 1, 2, 3, 5, 10–200 %, ByClass; points lost"
    yield "A12", said, scope, points(at(figure6, tree=["ByClass"]), FIFTEEN)
    said = "“Similar results were obtained for the Local algorithm.” (§5.3)"
    similar = apart(at(lost(trees, "Local", against="ByClass"), function=[1, 2, 3, 5]))
    yield "A14", said, "Figure 6, 10–200 %; points between Local and ByClass", points(similar, FIVE)
    said = "“the results were almost identical to those for Function 5.” (§5.3, of Function 4)"
    for claim, name in (("A13a", "ByClass"), ("A13b", "Randomized")):
        between = trees[name].xs(4, level="function") - trees[name].xs(5, level="function")
        yield claim, said, f"10–200 %, {name}; points between the functions", points(apart(between), 0.02)


def compared(trees: pd.DataFrame) -> Iterator[Row]:
    """Which strategy is better, by the accuracies of Figures 5 and 6."""
    ahead = -lost(trees, "ByClass", "Local", against="Randomized")
    said = (
        "“The advantage of reconstruction can be seen from these graphs by comparing the accuracy of these algorithms "
        "with Randomized.” (§5.2)"
    )
    figure5 = at(trees, level=[0.25, 1.0])
    for claim, values, words in (
        ("A6a", at(ahead, level=[0.25, 1.0]), "Figure 5: 25 and 100 %"),
        ("A6b", ahead, "10–200 %"),
    ):
        found = Ledger.verdict(values, at_least=0, says="overall", points=True)
        yield claim, said, f"Functions 1–5, {words}; points ahead of Randomized", found
    said = "“Overall, the Global algorithm performs worse than ByClass and Local algorithms.” (§5.2)"
    behind = pd.concat({name: figure5[name] - figure5["Global"] for name in ("ByClass", "Local")}, names=["than"])
    scope = "Functions 1–5, 25 and 100 %; points behind ByClass and Local"
    yield "A7a", said, scope, Ledger.verdict(behind, at_least=0, says="overall", points=True)
    slanted = at(figure5, function=[4, 5])
    said = (
        "“It fares well on Functions 4 and 5, but the performance of even Randomized is quite close to Original on "
        "these functions.” (§5.2)"
    )
    for claim, name, against in (
        ("A7b", "Global", "Original"),
        ("A7c", "Randomized", "Original"),
        ("A7d", "Global", "ByClass"),
    ):
        scope = f"Functions 4 and 5, 25 and 100 %; points that {name} is behind {against}"
        yield claim, said, scope, points(lost(slanted, name, against=against), FIVE)
    said = "“Local performed marginally better than ByClass” (§6)"
    better = -lost(trees, "Local", against="ByClass")
    found = Ledger.verdict(better, at_least=0, says="overall", points=True)
    yield "A8a", said, "Functions 1–5, 10–200 %; points ahead of ByClass", found


def noises(trees: pd.DataFrame) -> Iterator[Row]:
    """Uniform beside Gaussian noise, before correction and after it."""
    gap: Any = trees.xs("Gaussian", level="noise") - trees.xs("uniform", level="noise")
    said = (
        "“Uniform perturbation of original data results in a much large degradation of accuracy before correction "
        "compared to Gaussian” (§5.3)"
    )
    scope = "Functions 1–5, 100–200 %, Randomized; points that uniform noise is behind"
    before = at(gap["Randomized"], level=[1.0, 1.5, 2.0])
    yield "A10a", said, scope, Ledger.verdict(before, at_least=FIVE, says="overall", points=True)
    said = "“the effect of both distributions is quite comparable after correction” (§5.3)"
    scope = "Functions 1–5, 10–200 %, ByClass; points between the noises"
    yield "A10b", said, scope, points(apart(gap["ByClass"]), FIVE, "overall")


def diagonal(results: pd.DataFrame) -> Iterator[Row]:
    """§5.2 on Functions 4 and 5: equal numbers on both sides of the diagonal, "hence" little harm from noise."""
    said = (
        "“These functions have a diagonal decision surface, with equal number of points on each side of the diagonal "
        "surface. Hence addition of noise does not significantly affect the ability of the classifier” (§5.2)"
    )
    shares = {}
    for function in (4, 5):
        for balanced, word in ((True, "as drawn (§5.1)"), (False, "as they fall")):
            y = quest(200_000, function, balanced, rng=1)[1]
            shares[f"Function {function} {word}"] = float((y == "A").mean())
    told = "class A: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    right = [abs(share - 0.5) < 0.05 for share in shares.values()]
    yield "A7e", said, "the premise: equal numbers", fact("45 to 55 % on each side", told, right)
    loss = lost(trees_of(results), "Randomized")
    unequal, equal = (loss.xs(balanced, level="balanced") for balanced in (False, True))
    scope = "“hence”: 25 and 100 %; points that Randomized loses more if the sides are unequal"
    yield "A7f", said, scope, Ledger.verdict(unequal - equal, at_least=0.01, points=True)


def costs_of(work: pd.DataFrame, seconds: pd.DataFrame) -> Iterator[Row]:
    """What the strategies cost. Times are pooled over the sizes, because each was taken twice only."""
    steps = work.pivot_table("steps", ["function", "noise", "level", "repeat"], "strategy", sort=False)
    times = seconds.pivot_table("value", ["records", "repeat"], "strategy").reset_index(drop=True)
    times = times.rename_axis("repeat")
    said = (
        "“Local is the most expensive algorithm in terms of execution time. Global is the cheapest algorithm. ByClass "
        "falls in between.” (§4.2)"
    )
    closer = "“However, it is closer to Global than Local” (§4.2)"
    for claims, costs, words in (
        (("A8b", "A8d"), steps, "Bayes steps, Functions 1–5, 25 and 100 %"),
        (("A8c", "A8e"), times, "seconds of a fit, 10,000 to 10,000,000 records"),
    ):
        ratios = {
            "ByClass to Global": costs["byclass"] / costs["global"],
            "Local to ByClass": costs["local"] / costs["byclass"],
        }
        dearer = pd.concat(ratios, names=["ratio"])
        yield claims[0], said, f"{words}; ratio of costs", Ledger.verdict(dearer, at_least=1)
        nearer = ratios["Local to ByClass"] / ratios["ByClass to Global"]
        if nearer.index.nlevels == 1:
            nearer = pd.concat({"all": nearer}, names=["sizes"])
        scope = f"{words}; (Local to ByClass) / (ByClass to Global)"
        yield claims[1], closer, scope, Ledger.verdict(nearer, at_least=1)
