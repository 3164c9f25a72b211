"""Du & Zhan told: the worked node, two sources of variance, more records, attributes that depend on each other."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ppdm.studies.dz03 import SCHEMES
from ppdm.studies.dz03_style import GREY, MARKS, NAMES, STROKES, legend, panelled, style
from ppdm.studies.dz03_tables import Results, dependent, sources

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
