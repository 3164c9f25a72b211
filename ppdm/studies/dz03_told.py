"""Du & Zhan told: the figures of notebook 04 about trees and estimates."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.studies.dz03 import MIDDLE, SCHEMES, papers_split
from ppdm.studies.dz03_given import (
    bargain_told,
    dependent_told,
    growth_told,
    guess_told,
    node_told,
    record_told,
    sources_told,
)
from ppdm.studies.dz03_maps import (
    GREY,
    MARKS,
    NAMES,
    STROKES,
    class_told,
    figure6_told,
    gap_told,
    grouped,
    legend,
    levels_told,
    linked_told,
    naive_told,
    panelled,
    style,
)
from ppdm.studies.dz03_tables import CELL, FAIR, RULES, Results, both_rules, hidden

if TYPE_CHECKING:
    from ppdm.plots import Picture

__all__ = [
    "accuracy_told",
    "bargain_told",
    "bias_told",
    "class_told",
    "dependent_told",
    "figure6_told",
    "gap_told",
    "growth_told",
    "guess_told",
    "levels_told",
    "linked_told",
    "naive_told",
    "near_told",
    "node_told",
    "record_told",
    "sources_told",
    "sure_told",
    "turned_told",
    "variance_told",
]
# The paper's ranges of θ for "fairly accurate" trees (§6), the higher half, by numbers of groups.
RANGES = {"1": (0.55, 1), "2": (0.7, 1), "3": (0.7, 1)}


def turned_told(results: Results, title: str | None = None) -> "Picture":
    """Voting with one group: how many sheets are turned, and what the naive tree makes of them."""
    rows = results["schemes"].query("table == 'Voting' and groups == '1' and theta > 0.5")
    naive = 100 * rows.groupby("theta")["naive"].mean()
    records = papers_split("votes").train
    agree = 100 * float((records["v4"] == records["class"]).mean())
    said = title or "Nearly half of all sheets are turned, and the naive tree does not notice"
    picture, (ax,) = panelled(said, ["Voting, one group of all answers"], 4.6, 3.2)
    ax.plot(naive.index, naive, "-o", color=picture.colour(0), label="accuracy of the naive tree")
    ax.axhline(agree, color=picture.colour(2), linestyle="--", label="sheets on which v4 equals the class")
    ax.fill_between(naive.index, 100 * (1 - naive.index), color="#CCCCCC", label="sheets that are turned")
    ax.set(xlabel="θ, the probability of the truth", ylabel="%", ylim=(0, 104), xlim=(1, naive.index.min()))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(0, 0.72))
    low = naive.index.min()
    picture.alt = (
        f"As θ falls from 1 to {low:g} the share of turned sheets rises from 0 to {100 * (1 - low):.0f} %, but the "
        f"naive tree's accuracy only moves between {naive.max():.0f} and {naive.min():.0f} %; "
        f"v4 equals the class on {agree:.1f} % of the sheets, whatever θ is."
    )
    return picture


def accuracy_told(results: Results, title: str | None = None) -> "Picture":
    """Figures 3 to 5 (a): mean accuracy, the benchmark with five points below it, and the larger class."""
    full = results["schemes"]
    said = title or "Accuracy falls towards θ = ½, and with a second and a third group"
    picture, axes = panelled(said, NAMES, 3.2, 3.4, sharey=True)
    for ax, name in zip(axes, NAMES):
        part = full[full["table"] == name]
        best, larger = (100 * part[column].iloc[0] for column in ("benchmark", "majority"))
        ax.axhspan(best - 100 * FAIR, best, color="#DDDDDD", label="within five points of plain ID3")
        ax.axhline(larger, color=GREY, linewidth=1, linestyle=(0, (1, 2)), label="larger class")
        for groups, own in part.groupby("groups", sort=False):
            cells: Any = 100 * own.groupby("theta")["accuracy"].agg(["mean", "sem"])
            drawn = style(picture, str(groups))
            ax.plot(cells.index, cells["mean"], **drawn)
            bands = cells["mean"] - 2 * cells["sem"], cells["mean"] + 2 * cells["sem"]
            ax.fill_between(cells.index, *bands, color=drawn["color"], alpha=0.15, linewidth=0)
        # What the paper says of one group, and below it of two and three; the lower half is its mirror image.
        for height, groups, word in ((33, "1", "1 group"), (30.5, "2", "2, 3 groups")):
            low, high = RANGES[groups]
            look = {"color": picture.colour(SCHEMES.index(groups)), "linewidth": 4, "solid_capstyle": "butt"}
            ax.plot([low, high], [height] * 2, label=f"“fairly accurate” (§6): {word}", **look)
            ax.plot([1 - high, 1 - low], [height] * 2, **look)
        ax.set(xlabel="θ", ylim=(28, 100))
    axes[0].set_ylabel("accuracy (%)")
    legend(picture)
    lost = full[(full["theta"] == 0.7) & (full["groups"] == "3")]
    points = 100 * (lost["benchmark"] - lost["accuracy"]).groupby(lost["table"], sort=False).mean()
    each = ", ".join(f"{name} {value:.0f}" for name, value in points.items())
    picture.alt = (
        "Accuracy against θ for one, two, three and N groups on three tables: at the ends plain ID3's, near θ = ½ "
        f"below that of the larger class. At θ = 0.7 with three groups it loses {each} points."
    )
    return picture


def variance_told(results: Results, title: str | None = None) -> "Picture":
    """Figures 3 to 5 (b): the variance of the accuracy over the runs, on a logarithmic scale."""
    rows = hidden(results["schemes"])
    variance: Any = 1e4 * rows.groupby(CELL, sort=False)["accuracy"].var()
    said = title or "The variance rises with more groups, and towards θ = ½ until hardly a tree is left"
    picture, axes = panelled(said, NAMES, 3.2, 3.2, sharey=True)
    for ax, name in zip(axes, NAMES):
        for groups in SCHEMES:
            own = variance[name, groups]
            ax.plot(own.index, own, **style(picture, groups))
        ax.set(yscale="log", xlabel="θ")
    axes[0].set_ylabel("variance (squared points)")
    legend(picture)
    low, high = variance.min(), variance.max()
    picture.alt = (
        "Variance of the accuracy against θ, on a logarithmic scale, for one, two, three and N groups on three tables: "
        f"from {low:.2g} squared points at the ends to {high:.0f} near θ = ½."
    )
    return picture


def bias_told(results: Results, title: str | None = None) -> "Picture":
    """The accuracy that disguised test records say, less the truth: its mean, the error of that, and of one run."""
    points = results["tested"].assign(error=100 * results["tested"]["error"])
    cells = points.groupby(CELL, sort=False)["error"].agg(["mean", "std", "sem"])
    said = title or "No bias of the estimated accuracy is found, but a single estimate can be far off"
    picture, axes = panelled(said, NAMES, 3.0, 3.2, sharey=True)
    numbers = list(dict.fromkeys(points["groups"]))
    for ax, name in zip(axes, NAMES):
        ax.axhline(0, color=GREY, linewidth=0.8)
        for place, groups in enumerate(numbers):
            own = cells.loc[(name, groups)]
            drawn = {**style(picture, groups), "linestyle": "none"}
            places = np.arange(len(own)) + 0.22 * (place - 1)
            ax.errorbar(
                places, own["mean"], 2 * own["sem"], elinewidth=4, alpha=0.5, color=drawn["color"], fmt="none"
            )
            ax.errorbar(places, own["mean"], own["std"], capsize=3, elinewidth=1, **drawn)
        # In proportion up to ten points, and beyond them by powers: single errors are a hundred times as far apart.
        ax.set_yscale("symlog", linthresh=10)
        ax.set_yticks([-100, -10, -5, 0, 5, 10, 100], ["−100", "−10", "−5", "0", "5", "10", "100"])
        ax.set_xticks(range(len(MIDDLE)), [f"{theta:g}" for theta in MIDDLE])
        ax.set_xlabel("θ")
    axes[0].set_ylabel("estimate − truth (points)")
    legend(picture)
    worst = cells["std"].max()
    near_zero = int((cells["mean"].abs() <= 2 * cells["sem"]).sum())
    near = cells.xs(0.9, level="theta")["std"]
    picture.alt = (
        "Mean and standard deviation of the estimated accuracy less the true one, by θ and groups on three tables. The "
        f"means lie within two errors of 0 in {near_zero} of {len(cells)} settings; the standard deviation is "
        f"{near.min():.1f} to {near.max():.1f} points at θ = 0.9 and up to {worst:.0f} at 0.6."
    )
    return picture


def sure_told(results: Results, title: str | None = None) -> "Picture":
    """Splits that beat their own uncertainty beside the paper's, with three groups and with N."""
    both = both_rules(results).query("theta > 0.5")
    said = title or "Sure splits make trees from many groups usable, except where nothing can be proved"
    names = [f"{name}, {grouped(groups)}" for groups in ("3", "N") for name in NAMES]
    picture, axes = panelled(said, names, 3.0, 2.5, sharey=True, sharex=True)
    for place, (groups, name) in enumerate((groups, name) for groups in ("3", "N") for name in NAMES):
        ax, part = axes[place], both[(both["table"] == name) & (both["groups"] == groups)]
        ax.axhline(100 * part["benchmark"].iloc[0], color="black", linewidth=0.8, label="plain ID3, true records")
        ax.axhline(100 * part["majority"].iloc[0], color=GREY, linestyle=(0, (1, 2)), label="larger class")
        for number, (rule, word) in enumerate(RULES.items()):
            means = 100 * part.groupby("theta")[rule].mean()
            look = {"color": picture.colour(number), "marker": MARKS[number], "markersize": 4}
            ax.plot(means.index, means, STROKES[number], label=word, **look)
        ax.set(xlabel="θ" if place > 2 else "", ylabel="" if place % 3 else "accuracy (%)")
    legend(picture, 2)
    gain = 100 * (both["sure"] - both["accuracy"]).groupby([both[name] for name in CELL], sort=False).mean()
    picture.alt = (
        "Accuracy against θ of trees with the paper's splits and with sure ones, on three tables, with three and N "
        f"groups. Sure splits gain up to {gain.max():.0f} points and lose up to {-gain.min():.0f}."
    )
    return picture


def near_told(results: Results, title: str | None = None) -> "Picture":
    """θ = 0.9: the paper's trees beside sure ones, with the numbers of nodes."""
    means = both_rules(results).query("theta == 0.9").groupby(["table", "groups"], sort=False).mean()
    ahead = int((means["sure"] > means["accuracy"]).sum())
    found = f"At θ = 0.9 the sure tree is the better one in {ahead} of {len(means)} settings, and far smaller"
    picture, axes = panelled(title or found, NAMES, 3.2, 2.2)
    hollow = {"markerfacecolor": "white", "color": picture.colour(0), "label": "the paper's splits"}
    beside = {"textcoords": "offset points", "fontsize": 7.5}
    for ax, name in zip(axes, NAMES):
        own: Any = means.loc[name]
        first, second, lines = 100 * own["accuracy"], 100 * own["sure"], range(len(own))
        ax.hlines(lines, first, second, color="#BBBBBB", linewidth=2)
        ax.plot(first, lines, "o", **hollow)
        ax.plot(second, lines, "s", color=picture.colour(1), label="sure splits")
        for line, place, many, few in zip(lines, second, own["nodes"], own["sure nodes"]):
            ax.annotate(f"{many:.0f} → {few:.0f} nodes", (place, line), (6, 0), **beside)
        ax.set_yticks(lines, [grouped(groups) for groups in own.index])
        ax.set(xlabel="accuracy (%)", ylim=(len(own) - 0.5, -0.5))
        ax.margins(x=0.6)
    legend(picture)
    gain = 100 * (means["sure"] - means["accuracy"])
    picture.alt = (
        f"Accuracy at θ = 0.9 of the paper's trees and of sure ones, by table and groups: sure splits change it by "
        f"{gain.min():+.1f} to {gain.max():+.1f} points and leave {means['sure nodes'].max():.0f} nodes at most, where "
        f"the paper's trees have up to {means['nodes'].max():.0f}."
    )
    return picture
