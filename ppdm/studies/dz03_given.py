"""Du & Zhan told: what a sheet gives away; the worked node, sources of variance, more records, dependent attributes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.studies.dz03 import SCHEMES
from ppdm.studies.dz03_maps import GREY, MARKS, NAMES, STROKES, grouped, legend, panelled, style
from ppdm.studies.dz03_tables import CELL, FEW, Results, dependent, gives_away, sources

if TYPE_CHECKING:
    from ppdm.plots import Picture

STEPS = {
    "before": "no\nsheet",
    "one answer": "that\nanswer",
    "stranger": "sheet, a\nstranger",
    "whole sheet": "sheet,\nwith the list",
}


def _look(picture, groups) -> dict[str, Any]:
    """As in all figures; five and eight groups, which only these have, are grey."""
    if groups in SCHEMES:
        return style(picture, groups)
    mark = "v" if groups == "5" else "P"
    return {"color": GREY, "linestyle": "-", "marker": mark, "markersize": 4, "label": grouped(groups)}


def guess_told(results: Results, theta: float = 0.7, title: str | None = None) -> "Picture":
    """How often an answer is guessed: without a sheet, from what is released of it, and from the whole sheet."""
    shares: Any = gives_away(results, theta)
    few = shares[shares.index.get_level_values("groups").isin(FEW)]["whole sheet"]
    said = title or (
        f"The whole sheet tells more than its answers one by one: with the list {few.min():.0f} to {few.max():.0f} % "
        f"are guessed at θ = {theta:g} (one to three groups)"
    )
    picture, axes = panelled(said, NAMES, 3.2, 3.4, sharey=True)
    for ax, name in zip(axes, NAMES):
        own = shares.loc[name]
        ax.axhline(100 * theta, color=GREY, linestyle=(0, (1, 2)), label="θ, the paper's bound")
        for groups, row in own.iterrows():
            ax.plot(range(len(STEPS)), row[list(STEPS)], **_look(picture, groups))
        ax.set_xticks(range(len(STEPS)), list(STEPS.values()), fontsize=8)
    axes[0].set_ylabel("answers guessed rightly (%)")
    legend(picture)
    before = shares["before"].groupby(level="table", sort=False).first()
    each = ", ".join(f"{name} {number:.0f}" for name, number in before.items())
    last = ", ".join(f"{name} {shares.loc[(name, 'N'), 'whole sheet']:.0f}" for name in NAMES)
    picture.alt = (
        f"Answers guessed rightly in per cent at θ = {theta:g}, by what the intruder has and by groups. Without a "
        f"sheet: {each}. From the whole sheet with the list of true records {few.min():.0f} to {few.max():.0f} with "
        f"one to three groups; with N groups {last}."
    )
    return picture


def record_told(results: Results, title: str | None = None) -> "Picture":
    """N groups: how often all answers are guessed together by somebody with the list, beside the paper's θ^N."""
    thetas = sorted(set(results["privacy"]["theta"]))
    rows: dict[float, Any] = {theta: gives_away(results, theta).xs("N", level="groups") for theta in thetas}
    found = [rows[0.7].loc[name, "all answers"] for name in NAMES]
    said = title or (
        f"“Almost zero” is {min(found):.0f} to {max(found):.0f} % at θ = 0.7: whole records guessed from N groups"
    )
    picture, axes = panelled(said, NAMES, 3.0, 3.0, sharey=True)
    words = {"all answers": "measured, with the list", "θ to the N": "the paper's θ to the power N"}
    for ax, name in zip(axes, NAMES):
        for place, (column, word) in enumerate(words.items()):
            shares = [rows[theta].loc[name, column] for theta in thetas]
            mark = "os"[place]
            ax.plot(thetas, shares, STROKES[place], marker=mark, color=picture.colour(place), label=word)
        ax.set(yscale="log", xlabel="θ")
        ax.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    axes[0].set_ylabel("records guessed whole (%)")
    legend(picture)
    said_of = [rows[0.7].loc[name, "θ to the N"] for name in NAMES]
    each = ", ".join(f"{name} {one:.0f} against {two:.1f}" for name, one, two in zip(NAMES, found, said_of))
    picture.alt = (
        f"Records of which all answers are guessed, in per cent, with N groups, against θ. At 0.7: {each}."
    )
    return picture


def bargain_told(results: Results, title: str | None = None) -> "Picture":
    """Accuracy of a sure tree against what the list and the sheet give away: a path for each scheme, along θ."""
    told = results["privacy"].groupby(CELL, sort=False)["whole record"].mean()
    before = 100 * results["privacy"].groupby("table")["before"].mean()
    right = results["confident"].groupby(CELL, sort=False)[["accuracy"]].mean()
    both: Any = 100 * right.join(told, how="inner").sort_index()
    said = (
        title or "With one to three groups a smaller θ costs accuracy and hides little; only N groups buy privacy"
    )
    picture, axes = panelled(said, NAMES, 3.4, 3.6)
    for ax, name in zip(axes, NAMES):
        for groups in SCHEMES:
            own = both.loc[(name, groups)].sort_index()
            drawn = style(picture, groups)
            ax.plot(own["whole record"], own["accuracy"], **drawn)
            # θ at both ends of the path, where there is room; the others have the same θ at theirs.
            for theta in (own.index[0], own.index[-1]) if groups in "1N" else ():
                place = own.loc[theta, ["whole record", "accuracy"]]
                shift = (4, 4) if theta > 0.7 else (4, -10) if groups == "1" else (3, 6)
                look = {"fontsize": 7.5, "color": drawn["color"], "textcoords": "offset points"}
                ax.annotate(f"{theta:g}", place, shift, **look)
        ax.axvline(before[name], color=GREY, linestyle=(0, (1, 2)), label="guessed without any sheet")
        ax.set(xlabel="answers guessed with the list (%)")
        ax.margins(x=0.12, y=0.1)
    axes[0].set_ylabel("accuracy of a sure tree (%)")
    legend(picture)
    few = both[both.index.get_level_values("groups").isin(FEW)]["whole record"]
    spread = few.groupby(level=["table", "groups"]).agg(np.ptp).max()
    wide = both.xs("N", level="groups")["whole record"].groupby(level="table").agg(["min", "max"]).loc[NAMES]
    ends = wide.assign(before=before).itertuples()
    each = ", ".join(f"{name} {low:.0f} to {high:.0f} (no sheet: {none:.0f})" for name, low, high, none in ends)
    picture.alt = (
        f"Paths of accuracy against answers guessed as θ goes from {own.index[0]:g} to {own.index[-1]:g}. With one to "
        f"three groups what is guessed moves by {spread:.1f} points at most; with N groups it goes, "
        f"in per cent: {each}."
    )
    return picture


def node_told(results: Results, title: str | None = None) -> "Picture":
    """The worked three-group node: estimates of its size over many disguises, and the spread that theory says."""
    cells = results["node"].groupby(["table", "theta"], sort=False)
    sizes: Any = (
        cells["size"].agg(["mean", "std"]).assign(true=cells["true"].first(), coins=cells["coins"].first())
    )
    said = title or "The worked node of three groups: right on average, and as uncertain as theory says"
    picture, axes = panelled(said, NAMES, 3.0, 3.0)
    for ax, name in zip(axes, NAMES):
        own = sizes.loc[name]
        low, high = own["true"] - own["coins"], own["true"] + own["coins"]
        ax.fill_between(own.index, low, high, color="#CCCCCC", label="true ± sd by formula")
        ax.axhline(own["true"].iloc[0], color="black", linewidth=0.8, label="true count")
        found = {"color": picture.colour(0), "label": "mean ± sd, 200 disguises"}
        ax.errorbar(own.index, own["mean"], own["std"], fmt="o", capsize=4, **found)
        ax.set(xlabel="θ")
    axes[0].set_ylabel("records at the node")
    legend(picture)
    ratio = sizes["std"] / sizes["coins"]
    true = ", ".join(f"{number:.0f}" for number in sizes["true"].groupby(level="table", sort=False).first())
    picture.alt = (
        "Estimated size of the paper's node of three groups against θ, mean and standard deviation of 200 disguises, "
        f"on three tables: the means lie on the true counts, {true}; the spread is {ratio.min():.2f} to "
        f"{ratio.max():.2f} times that of the formula."
    )
    return picture


def sources_told(results: Results, title: str | None = None) -> "Picture":
    """The law of total variance: the spread that coins make with groups fixed, and with groups redrawn."""
    found: Any = sources(results)
    share = found["between, %"][found.index.get_level_values("groups").isin(["2", "3"])].max()
    said = (
        title or f"Nearly all variance is the coins': which answers share a coin adds {share:.0f} % of it at most"
    )
    picture, axes = panelled(said, NAMES, 2.7, 3.0, sharey=True)
    places = np.arange(len(SCHEMES))
    for ax, name in zip(axes, NAMES):
        for number, theta in enumerate((0.7, 0.9)):
            own = found.xs((name, theta), level=["table", "theta"]).loc[SCHEMES]
            hue = picture.colour(number)
            ax.plot(places, own["groups fixed"], "os"[number], color=hue, label=f"groups fixed, θ = {theta:g}")
            hollow = {"markerfacecolor": "none", "markersize": 11, "color": hue, "linestyle": STROKES[number]}
            ax.plot(places, own["groups redrawn"], marker="os"[number], label=f"redrawn, θ = {theta:g}", **hollow)
        ax.set_xticks(places, SCHEMES)
        ax.set(yscale="log", xlabel="groups")
        ax.set_yticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"])
    axes[0].set_ylabel("sd of the accuracy (points)")
    legend(picture)
    fixed = found["groups fixed"].xs(0.7, level="theta")
    each = ", ".join(f"{name} from {fixed[name, '1']:.1f} to {fixed[name, '3']:.1f}" for name in NAMES)
    picture.alt = (
        "Standard deviation of accuracy in points by groups, for two values of θ on three tables, with the division "
        "into groups fixed and with it redrawn; both lie on each other. At θ = 0.7 it rises from one to three groups, "
        f"{each}; of the variance at most {share:.0f} % lies between divisions."
    )
    return picture


def growth_told(results: Results, title: str | None = None) -> "Picture":
    """Adult: accuracy from more and more records."""
    frame = results["growth"]
    thetas = list(dict.fromkeys(frame["theta"]))
    most = frame[frame["records"] == frame["records"].max()]
    lost: Any = (100 * (most["benchmark"] - most["accuracy"])).groupby([most["groups"], most["theta"]]).mean()
    said = title or "More records help, but with N groups all of Adult is not enough to beat the larger class"
    picture, axes = panelled(said, [f"θ = {theta:g}" for theta in thetas], 3.2, 3.0, sharey=True)
    for ax, theta in zip(axes, thetas):
        part: Any = 100 * frame[frame["theta"] == theta].groupby(["groups", "records"], sort=False).mean(
            numeric_only=True
        )
        true = part.loc["1"]
        ax.plot(true.index, true["benchmark"], color="black", linewidth=1, label="plain ID3, true records")
        ax.plot(true.index, true["majority"], color=GREY, linestyle=(0, (1, 2)), label="larger class")
        for groups in dict.fromkeys(frame["groups"]):
            ax.plot(true.index, part.loc[groups, "accuracy"], **style(picture, groups))
        ax.set(xscale="log", xlabel="records to learn from")
    axes[0].set_ylabel("accuracy (%)")
    legend(picture)
    picture.alt = (
        f"Accuracy on Adult against the number of records, {frame['records'].min():,} to {frame['records'].max():,}, "
        "for one, three and N groups and three values of θ. With all records trees from estimates are behind plain ID3 "
        f"by {lost['1', 0.9]:.1f}, {lost['3', 0.9]:.1f} and {lost['N', 0.9]:.1f} points at θ = 0.9, "
        f"and by {lost['1', 0.7]:.1f}, {lost['3', 0.7]:.1f} and {lost['N', 0.7]:.1f} at 0.7."
    )
    return picture


def dependent_told(results: Results, title: str | None = None) -> "Picture":
    """What Agrawal & Srikant's trees make of attributes that depend on each other in all records, or in a class."""
    table: Any = dependent(results)
    ways = list(dict.fromkeys(table.index.get_level_values("dependence")))
    noises = list(dict.fromkeys(table.index.get_level_values("noise")))
    said = (
        title
        or "Agrawal & Srikant's trees need attributes that are independent in each class, not in all records"
    )
    picture, axes = panelled(said, [f"{noise} noise, 100 %" for noise in noises], 4.2, 3.2, sharey=True)
    words = [way.replace(", ", ",\n").replace(": ", ":\n") for way in ways]
    for ax, noise in zip(axes, noises):
        own = table.xs(noise, level="noise").loc[ways]
        for place, name in enumerate(["Original", "Randomized", "ByClass", "Joint"]):
            look = {"color": picture.colour(place), "marker": MARKS[place], "label": name}
            ax.plot(range(len(ways)), own[name], STROKES[place], **look)
        ax.set_xticks(range(len(ways)), words, fontsize=8)
    axes[0].set_ylabel("accuracy (%)")
    legend(picture)
    lost = table["Original"] - table["ByClass"]
    first, last = (lost.xs(way, level="dependence") for way in (ways[0], ways[-1]))
    picture.alt = (
        "Accuracy of Original, Randomized, ByClass and Joint by how two attributes depend on each other, for two "
        f"noises. ByClass is within {first.abs().max():.1f} points of Original where they depend on each other in all "
        f"records but not in a class, and {last.min():.0f} to {last.max():.0f} points behind on a chessboard of 16 "
        "squares, where they are independent in all records."
    )
    return picture
