"""Du & Zhan told: the worked node, two sources of variance, more records, attributes that depend on each other."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.studies.dz03 import SCHEMES
from ppdm.studies.dz03_style import GREY, MARKS, NAMES, STROKES, grouped, legend, panelled, style
from ppdm.studies.dz03_tables import Results, dependent, variances

if TYPE_CHECKING:
    from ppdm.plots import Picture


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
    """The law of total variance: how much of the variance comes from coins, and how much from the division."""
    found: Any = variances(results)
    shares = (100 * found["between"] / found["total"]).clip(0, 100)
    some = shares[shares.index.get_level_values("groups").isin(["2", "3"])]
    said = title or (
        f"With two or three groups {some.min():.0f} to {some.max():.0f} % of the variance is which answers share a coin"
    )
    names = [f"{name}, θ = {theta:g}" for theta in (0.7, 0.9) for name in NAMES]
    picture, axes = panelled(said, names, 3.0, 1.7, sharex=True, sharey=True)
    for place, (theta, name) in enumerate((theta, name) for theta in (0.7, 0.9) for name in NAMES):
        ax = axes[place]
        between = [shares[name, groups, theta] for groups in SCHEMES]
        lines = range(len(SCHEMES))
        ax.barh(lines, np.subtract(100, between), color=picture.colour(0), label="within: coins")
        ax.barh(
            lines, between, left=np.subtract(100, between), color=picture.colour(1), label="between: divisions"
        )
        for line, groups in enumerate(SCHEMES):
            spread = max(found.loc[(name, groups, theta), ["within", "total"]]) ** 0.5
            ax.text(3, line, f"sd {spread:.1f} points", color="white", va="center", fontsize=8)
        ax.set_yticks(lines, [grouped(groups) for groups in SCHEMES])
        ax.set(xlabel="share of the variance (%)" if place > 2 else "", xlim=(0, 100), ylim=(3.5, -0.5))
    legend(picture, 2)
    picture.alt = (
        "Bars of the variance of accuracy, split into coins within a division into groups and differences between "
        f"divisions, for three tables and two values of θ. "
        f"Between divisions lie {some.min():.0f} to {some.max():.0f} % with two or three groups; with one group "
        "and with N there is one division only."
    )
    return picture


def growth_told(results: Results, title: str | None = None) -> "Picture":
    """Adult: accuracy from more and more records."""
    frame = results["growth"]
    thetas = list(dict.fromkeys(frame["theta"]))
    most = frame[frame["records"] == frame["records"].max()]
    lost: Any = (100 * (most["benchmark"] - most["accuracy"])).groupby([most["groups"], most["theta"]]).mean()
    said = title or "More records help, the more so the more groups there are (Adult)"
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
