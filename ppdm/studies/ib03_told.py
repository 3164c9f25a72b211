"""Islam & Brankovic 2003 told: the figures that only notebook 03 draws."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.disguise import ProportionalNoise
from ppdm.studies.ib03 import CLASSES
from ppdm.studies.ib03_tables import depths, lead
from ppdm.studies.lsl03_told import described

if TYPE_CHECKING:
    from ppdm.plots import Picture


def unique_told(shares: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """How many people are unique (``unique_people``): a point for each combination, and the mean of each number."""
    picture, (ax,) = side_by_side(title, 6.4, 3.4)
    ax.plot(
        shares["known"], shares["unique"], "o", color="#999999", markersize=3, alpha=0.5, label="one combination"
    )
    means = shares.groupby("known")["unique"].mean()
    ax.plot(means.index, means, "o-", color=picture.colour(0), label="mean")
    ax.set(xlabel="attributes that are known", ylabel="people who are unique (%)", ylim=(-3, 103))
    ax.legend(frameon=False)
    return described(picture, alt)


def laws_told(
    laws: Mapping[str, Any], counted: Mapping[str, Any], expected: float, title: str, alt: str = ""
) -> "Picture":
    """The law of the number of changes by each technique, as lines; and shares of runs, as points."""
    picture, (ax,) = side_by_side(title, 6.8, 3.6)
    first, last, top = 10**9, 0, 0.0
    for number, (name, law) in enumerate(laws.items()):
        # Changes by "random" come in pairs, if there are two classes.
        there = np.flatnonzero(law > 1e-12)
        inside = np.flatnonzero((np.cumsum(law) > 1e-4) & (np.cumsum(law) < 0.9999))
        first, last = min(first, inside.min()), max(last, inside.max())
        ax.plot(there, law[there], "-", color=picture.colour(number), label=name)
        seen = np.bincount(np.asarray(counted[name], int)) / len(counted[name])
        shown = np.flatnonzero(seen)
        ax.plot(shown, seen[shown], "os^"[number], color=picture.colour(number), markersize=4)
        top = max(top, seen.max(), law.max())
    ax.axvline(expected, color="#888888", linestyle=":", linewidth=1.2)
    style: Any = {"transform": ax.get_xaxis_transform(), "fontsize": 8, "va": "top", "ha": "right"}
    ax.text(expected, 1, f"E(N) = {expected:.1f} ", **style)
    ax.set(
        xlabel="classes that change",
        ylabel="probability (points: share of runs)",
        xlim=(first - 1, last + 1),
        ylim=(0, 1.12 * top),
    )
    ax.legend(frameon=False)
    return described(picture, alt)


def protected_told(security: Mapping[str, pd.DataFrame], title: str, alt: str = "") -> "Picture":
    """How sure an intruder is of each person's true class, by technique: the people in the order of that."""
    picture, (ax,) = side_by_side(title, 6.4, 3.4)
    for number, (name, own) in enumerate(security.items()):
        believed = 100 * np.sort(own["believed"])
        people = 100 * np.arange(1, len(believed) + 1) / len(believed)
        stroke = ("-", "--", ":")[number]
        ax.step(people, believed, stroke, where="pre", color=picture.colour(number), label=name)
    ax.set(xlabel="people (%), the best protected first", ylabel="belief in the true class (%)", ylim=(-3, 104))
    ax.legend(frameon=False, loc="lower right")
    return described(picture, alt)


def spread_told(classes: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """S after each kind of noise in the classes: half of all runs in a box, and nine tenths between the ends."""
    tables = list(classes["table"].unique())
    picture, axes = side_by_side(title, 8.2, 3.4, tables)
    for ax, name in zip(axes, tables):
        own = classes[classes["table"] == name]
        runs = [own.loc[own["way"] == way, "score"] for way in CLASSES]
        boxes = ax.boxplot(runs, whis=(5, 95), showfliers=False, patch_artist=True, widths=0.6)
        for number, box in enumerate(boxes["boxes"]):
            grey = CLASSES[number] == CLASSES[-1]
            box.set_facecolor("#DDDDDD" if grey else picture.colour(number, pale=True))
        for line in boxes["medians"]:
            line.set_color("black")
        ax.set_xticks(range(1, len(CLASSES) + 1), CLASSES, rotation=30, ha="right", fontsize=8)
    axes[0].set(ylabel="S", ylim=(0, 1.03))
    return described(picture, alt)


def blind_told(classes: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """By how much Random is ahead of All leaves, run by run: by S, and by accuracy."""
    picture, (ax,) = side_by_side(title, 6.8, 3.2)
    edges = np.arange(-62.5, 97.6, 5)
    for number, (column, name) in enumerate({"score": "S (× 100)", "right after": "accuracy (points)"}.items()):
        ahead = 100 * lead(classes, column)
        counts, _ = np.histogram(ahead, edges)
        ax.stairs(
            100 * counts / len(ahead), edges, fill=True, color=picture.colour(number), alpha=0.5, label=name
        )
    ax.axvline(0, color="#444444", linewidth=1)
    ax.set(xlabel="Random ahead of All leaves, in the same run", ylabel="runs (%)")
    ax.legend(frameon=False)
    return described(picture, alt)


def depths_told(classes: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """What leaves share with their partners (``depths``) after Random and after All leaves, a part for each table."""
    shares = depths(classes)
    tables = list(shares["table"].unique())
    picture, axes = side_by_side(title, 7.6, 3.3, tables)
    for ax, name in zip(axes, tables):
        for number, way in enumerate(("Random", "All leaves")):
            for kind, stroke in (("mixed", "-"), ("pure", "--")):
                own = shares[(shares["table"] == name) & (shares["way"] == way) & (shares["leaves"] == kind)]
                style = {"color": picture.colour(number), "label": f"{way}, {kind} leaves"}
                ax.plot(own["depth"], own["overlap"], stroke, marker="os"[number], **style)
        ax.set(xlabel="depth of the leaf", ylim=(0, 1.03))
    axes[0].set_ylabel("overlap with its partner")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, alt)


def frontier_told(frontier: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """What is doubted of the classes, and what is kept of the tree: a path for each way, from small leaves to large."""
    tables = list(frontier["table"].unique())
    means = frontier.groupby(["table", "way", "least"], sort=False)[["doubted", "score"]].mean()
    picture, axes = side_by_side(title, 8.2, 3.5, tables)
    for ax, name in zip(axes, tables):
        for number, way in enumerate(frontier["way"].unique()):
            own = means.loc[name, way]
            style = {"color": picture.colour(number), "label": way}
            ax.plot(100 * own["doubted"], own["score"], ("-", "--", ":")[number], marker="os^"[number], **style)
            for least, (doubted, score) in own.iterrows():
                if number != 1:
                    ax.annotate(
                        str(least), (100 * doubted, score), (4, 4), textcoords="offset points", fontsize=7
                    )
        ax.set(xlabel="belief in wrong classes (%)", ylim=(0, 1.03))
        ax.set_xlim(0)
    axes[0].set_ylabel("S")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, alt)


def bell_told(channel: ProportionalNoise, title: str, alt: str = "") -> "Picture":
    """The paper's Figure 3 after its text: the law of the per cents; and what the grades 1 to 10 are released as."""
    from ppdm.plots import Picture

    cents = np.arange(-65, 66)
    shares = np.diff(channel.below(np.append(cents - 0.5, 65.5) / 100))
    values = np.arange(channel.low, channel.high + 1)
    law = np.exp(channel.log_law(values, values[:, None]))
    picture = Picture(title, 8.0, 3.4)
    bell, map_ = picture.subplots(1, 2, width_ratios=[1.1, 1])
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    bell.bar(cents, 100 * shares, width=1, color=picture.colour(0))
    bell.set(xlabel="noise (% of the value)", ylabel="probability (%)")
    bell.spines[["top", "right"]].set_visible(False)
    ends = np.append(values - 0.5, values[-1] + 0.5)
    shown = map_.pcolormesh(ends, ends, 100 * law, cmap="Blues", vmin=0, vmax=100)
    map_.plot(values, values, "k.", markersize=2)
    map_.set(xlabel="released grade", ylabel="true grade", xticks=values, yticks=values)
    picture.colorbar(shown, ax=map_, label="probability (%)")
    return described(picture, alt)


def density_told(density: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """What an intruder finds in small and in large samples: the own record, and the own class."""
    tables = list(density["table"].unique())
    picture, axes = side_by_side(title, 7.6, 3.3, tables)
    words = {"posterior": "belief in the own record", "own class": "belief in the own class"}
    for ax, name in zip(axes, tables):
        means = density[density["table"] == name].groupby("records", sort=False)[list(words)].mean()
        for number, (column, label) in enumerate(words.items()):
            ax.plot(
                means.index.astype(str),
                100 * means[column],
                "os"[number] + "-",
                color=picture.colour(number),
                label=label,
            )
        ax.set(xlabel="people in the table", ylim=(-2, 104))
    axes[0].set_ylabel("mean (%)")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, alt)


def innocent_told(attributes: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """What noise in innocent attributes leaves of the tree, by its strength."""
    picture = _by_strength(attributes, "score", "S", title)
    for ax in picture.axes:
        ax.set_ylim(0.5, 1.02)
    return described(picture, alt)


def hidden_told(attributes: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """How sure an intruder is of the own record of somebody whose innocent attributes he knows, by the strength."""
    picture = _by_strength(attributes, "posterior", "belief in the own record", title)
    for ax in picture.axes:
        ax.set_ylim(-0.02, 1.02)
    return described(picture, alt)


def _by_strength(attributes, column, label, title):
    from ppdm.plots import lines

    shown = attributes.assign(strength=100 * attributes["share"])
    labels = {"strength": "noise (sd in % of the value)", column: label, "way": ""}
    picture = lines(shown, "strength", column, by="way", panels="table", labels=labels)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    return picture


def side_by_side(title, width, height, names=("",)) -> tuple["Picture", Any]:
    """A picture with axes for each name, side by side on one scale; those without a name have the title above them."""
    from ppdm.plots import Picture  # here, because the measures need no extra for plots

    picture = Picture(title, width, height)
    (axes,) = picture.subplots(1, len(names), sharey=True, squeeze=False)
    for ax, name in zip(axes, names):
        ax.set_title(name or title, loc="left", fontsize=10 if name else 11)
        ax.spines[["top", "right"]].set_visible(False)
    if names[0]:
        picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    return picture, axes
