"""Du & Zhan's full-scale results as small tables: what notebook 04 shows, and what its ledger and figures read."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ppdm.studies.dz03 import READINGS, TABLES, papers_split

Results = Mapping[str, pd.DataFrame]
CELL = ["table", "groups", "theta"]
FEW = ["1", "2", "3"]  # the numbers of groups that the paper has
FAIR = 0.05  # of accuracy below the benchmark: our choice, the paper does not say
ALPHA = 0.025  # one-sided, as everywhere in the ledger
RULES = {"accuracy": "the paper's splits", "sure": "sure splits"}


def both_rules(results: Results) -> pd.DataFrame:
    """The runs of Figures 3 to 5, beside each the sure tree of the same sheets, and that of true records."""
    sure = results["confident"].set_index([*CELL, "repeat"])[["accuracy", "nodes", "benchmark"]]
    named = sure.set_axis(["sure", "sure nodes", "sure benchmark"], axis=1)
    return results["schemes"].join(named, on=[*CELL, "repeat"])


def hidden(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in which something is hidden: θ is neither 0 nor 1."""
    return frame[frame["theta"].between(0.05, 0.95)]


def surely(values: pd.Series, alpha: float = ALPHA) -> pd.DataFrame:
    """For every cell its mean, the error of that, and whether it is surely above or below 0.

    ``values`` is indexed by the arguments of its cells, and "repeat" last. By t tests, with Holm's correction for the
    number of cells on either side.
    """
    groups: Any = values.groupby(level=values.index.names[:-1], sort=False)
    found = pd.DataFrame({"mean": groups.mean(), "error": groups.sem(), "n": groups.size()})
    with np.errstate(divide="ignore", invalid="ignore"):
        t = found["mean"] / found["error"]
    # Runs that all agree have no error: their mean is what it is.
    t = t.where(found["error"] > 0, np.sign(found["mean"]) * np.inf).fillna(0)
    for name, side in (("above", t), ("below", -t)):
        found[name] = _holm(stats.t.sf(side, found["n"] - 1), alpha)
    return found.drop(columns="n")


def _holm(chances, alpha):
    """Which of some tests are significant together: the smallest chance first, until one is too large."""
    order = np.argsort(chances)
    passed = chances[order] <= alpha / np.arange(len(chances), 0, -1)
    found = np.zeros(len(chances), dtype=bool)
    found[order] = np.logical_and.accumulate(passed)
    return found


def ahead(results: Results, rule: str = "accuracy") -> pd.Series:
    """By how much the naive tree is ahead of a tree from estimates, in every run with something hidden.

    ``rule`` is one of RULES: "accuracy" for trees as the paper grows them, "sure" for those with sure splits.
    """
    rows = hidden(both_rules(results)).set_index([*CELL, "repeat"])
    return (rows["naive"] - rows[rule]).rename("ahead")


def contest(results: Results) -> pd.DataFrame:
    """In how many settings with θ above ½ the naive tree is ahead of trees from estimates, and how surely."""
    rows = {}
    for rule, name in RULES.items():
        gap = ahead(results, rule)
        above = gap[gap.index.get_level_values("theta") > 0.5]
        few = above.index.get_level_values("groups") != "N"
        for groups, part in (("1 to 3", above[few]), ("N", above[~few])):
            cells = surely(part)
            rows[name, groups] = {
                "settings": len(cells),
                "ahead": int((cells["mean"] > 0).sum()),
                "surely ahead": int(cells["above"].sum()),
                "surely behind": int(cells["below"].sum()),
                "points, mean": 100 * cells["mean"].mean(),
            }
    return pd.DataFrame(rows.values(), pd.MultiIndex.from_tuples(rows, names=["against", "groups"]))


def pivoted(frame: pd.DataFrame, column: str, rows, columns: str = "theta") -> pd.DataFrame:
    """Means of a measure in per cent, in the order in which the levels appear."""
    return 100 * frame.pivot_table(column, rows, columns, sort=False)


def fair(results: Results) -> pd.DataFrame:
    """The smallest θ above ½ with a mean accuracy within five points of the benchmark."""
    full = results["schemes"]
    near = full[full["theta"] > 0.5].assign(lost=full["benchmark"] - full["accuracy"])
    means = near.groupby(CELL, sort=False)["lost"].mean().reset_index()
    enough = means[means["lost"] <= FAIR]
    return enough.pivot_table("theta", "groups", "table", "min", sort=False)


def readings(results: Results) -> pd.DataFrame:
    """The benchmark under each reading of the cut in two, and the majority, in per cent."""
    frame = results["readings"]
    means = pivoted(frame, "benchmark", "table", "reading")[list(READINGS)]
    return means.assign(majority=100 * frame.groupby("table")["majority"].mean())


def gives_away(results: Results, theta: float = 0.7) -> pd.DataFrame:
    """What a sheet gives away (``dz03_privacy.privacy``), in per cent; "unmasked" is a number of answers."""
    rows = results["privacy"][results["privacy"]["theta"] == theta]
    shares = {
        "before": "before",
        "one answer": "one answer",
        "whole record": "whole sheet",
        "stranger": "stranger",
        "record": "all answers",
    }
    means = rows.groupby(["table", "groups"], sort=False)[[*shares, "unmasked"]].mean()
    found = (100 * means[list(shares)]).rename(columns=shares)
    answers = {name: len(papers_split(table).columns) + 1 for table, name in TABLES.items()}
    found["θ to the N"] = [100 * theta ** answers[table] for table in found.index.get_level_values("table")]
    return found.assign(unmasked=means["unmasked"])


def variances(results: Results, column: str = "accuracy") -> pd.DataFrame:
    """The law of total variance, in squared points: within a division into groups, by coins, and between divisions.

    The between part is the variance of the divisions' means, less what coins add to that; where it is nothing, it
    comes out a little above or below 0.
    """
    frame = results["sources"].assign(value=100 * results["sources"][column])
    divisions = frame.groupby([*CELL, "division"], sort=False)["value"]
    each = pd.DataFrame({"mean": divisions.mean(), "within": divisions.var(), "runs": divisions.size()})
    cells = each.groupby(CELL, sort=False)
    within = cells["within"].mean()
    between = cells["mean"].var() - within / cells["runs"].mean()
    return pd.DataFrame({"within": within, "between": between, "total": within + between})


def sources(results: Results) -> pd.DataFrame:
    """The standard deviation of accuracy, in points: groups fixed, groups redrawn; and the share that is between."""
    found = variances(results)
    share = 100 * (found["between"] / found["total"]).clip(0, 1)
    total = found[["within", "total"]].max(axis=1)
    shown = {"groups fixed": found["within"] ** 0.5, "groups redrawn": total**0.5, "between, %": share}
    return pd.DataFrame(shown)


def node(results: Results) -> pd.DataFrame:
    """The worked node: its true count beside the estimates, their spread by measure and by formula; gains in bits."""
    cells = results["node"].groupby(["table", "theta"], sort=False)
    sizes = cells["size"]
    found = pd.DataFrame({"true": cells["true"].first(), "estimated": sizes.mean(), "± ": sizes.sem()})
    found = found.assign(sd=sizes.std(), formula=cells["coins"].first(), said=cells["said"].mean())
    return found.assign(**{"true gain": cells["true gain"].first(), "gain": cells["gain"].mean()})


def growth(results: Results, theta: float = 0.9, column: str = "accuracy") -> pd.DataFrame:
    """How many points a tree from estimates is behind that of as many true records, by their number."""
    rows = results["growth"][results["growth"]["theta"] == theta]
    return pivoted(rows.assign(lost=rows["benchmark"] - rows[column]), "lost", "records", "groups")


def dependent(results: Results) -> pd.DataFrame:
    """Agrawal & Srikant's trees by how two attributes go together, in per cent; what these share, in bits."""
    names = {"original": "Original", "randomized": "Randomized", "byclass": "ByClass", "joint": "Joint"}
    means = (
        results["dependent"].groupby(["dependence", "noise"], sort=False)[[*names, "together", "in class"]].mean()
    )
    bits = means[["together", "in class"]].set_axis(["bits in all", "bits in a class"], axis=1)
    return (100 * means[list(names)].rename(columns=names)).join(bits)


def wide(results: Results) -> pd.DataFrame:
    """All values beside two values at the same θ, in per cent: means over θ = 0.7, 0.8, 0.9; and the benchmark."""
    frame = results["wide"]
    benchmark = 100 * frame[frame["groups"] == "1"].groupby(["table", "way"])["benchmark"].mean()
    return pivoted(frame, "accuracy", ["table", "way"], "groups").assign(benchmark=benchmark)


def wide_epsilon(results: Results) -> pd.DataFrame:
    """All values beside two values, N groups, by the ε of an answer with two values; in per cent."""
    frame = results["wide-epsilon"]
    epsilon = np.log(frame["theta"] / (1 - frame["theta"])).round(2)
    return pivoted(frame.assign(ε=epsilon), "accuracy", ["table", "way"], "ε")
