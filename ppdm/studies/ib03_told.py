"""Islam & Brankovic 2003 told: the figures that only notebook 03 draws."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.disguise import LeafNoise, ProportionalNoise
from ppdm.studies.ib03 import CLASSES
from ppdm.studies.ib03_tables import NAMES, depths, doubt_before, in_order, lead
from ppdm.studies.lsl03_told import described

if TYPE_CHECKING:
    from ppdm.plots import Picture


def unique_told(shares: pd.DataFrame, title: str) -> "Picture":
    """How many people are unique (``unique_people``): a point for each combination, and the mean of each number."""
    picture, (ax,) = side_by_side(title, 6.4, 3.4)
    ax.plot(
        shares["known"], shares["unique"], "o", color="#999999", markersize=3, alpha=0.5, label="one combination"
    )
    means = shares.groupby("known")["unique"].mean()
    ax.plot(means.index, means, "o-", color=picture.colour(0), label="mean")
    ax.set(xlabel="attributes that are known", ylabel="people who are unique (%)", ylim=(-3, 103))
    ax.legend(frameon=False)
    told = ", ".join(f"{known} known {share:.0f} per cent" for known, share in means.items())
    return described(picture, f"{title}. Unique on average, by the number of attributes: {told}")


def laws_told(noises: Mapping[str, LeafNoise], labels: pd.Series, title: str, runs: int = 300) -> "Picture":
    """The law of the number of changes by each technique, as lines; and shares of some runs, as points."""
    picture, (ax,) = side_by_side(title, 6.8, 3.6)
    first, last, top = 10**9, 0, 0.0
    told = []
    for number, (name, noise) in enumerate(noises.items()):
        law, expected = noise.law.changes(), noise.expected
        # Changes by "random" come in pairs, if there are two classes.
        there = np.flatnonzero(law > 1e-12)
        inside = np.flatnonzero((np.cumsum(law) > 1e-4) & (np.cumsum(law) < 0.9999))
        first, last = min(first, inside.min()), max(last, inside.max())
        ax.plot(there, law[there], "-", color=picture.colour(number), label=name)
        changed = [int((noise.labels(run) != labels).sum()) for run in range(runs)]
        seen = np.bincount(changed) / runs
        shown = np.flatnonzero(seen)
        ax.plot(shown, seen[shown], "os^"[number], color=picture.colour(number), markersize=4)
        top = max(top, seen.max(), law.max())
        strays = np.sqrt((law * (np.arange(len(law)) - expected) ** 2).sum())
        told.append(f"{name} by {strays:.1f} around {expected:.1f}")
    ax.axvline(expected, color="#888888", linestyle=":", linewidth=1.2)
    style: Any = {"transform": ax.get_xaxis_transform(), "fontsize": 8, "va": "top", "ha": "right"}
    ax.text(expected, 1, f"E(N) = {expected:.1f} ", **style)
    ax.set(xlabel="classes that change", ylabel="probability (points: share of runs)")
    ax.set(xlim=(first - 1, last + 1), ylim=(0, 1.12 * top))
    ax.legend(frameon=False)
    return described(picture, f"{title}. Standard deviations: {', '.join(told)}")


def protected_told(noises: Mapping[str, LeafNoise], title: str) -> "Picture":
    """How sure an intruder is of each person's true class, by technique: the people in the order of that."""
    picture, (ax,) = side_by_side(title, 6.4, 3.4)
    told = []
    for number, (name, noise) in enumerate(noises.items()):
        believed = 100 * np.sort(noise.security()["believed"])
        people = 100 * np.arange(1, len(believed) + 1) / len(believed)
        stroke = ("-", "--", ":")[number]
        ax.step(people, believed, stroke, where="pre", color=picture.colour(number), label=name)
        sure, hidden = (believed > 99.9).mean(), (believed < 50).mean()
        told.append(f"{name}: {sure:.0%} known for certain, {hidden:.1%} believed to be of another class")
    ax.set(xlabel="people (%), the best protected first", ylabel="belief in the true class (%)", ylim=(-3, 104))
    ax.legend(frameon=False, loc="lower right")
    return described(picture, f"{title}. {'; '.join(told)}")


def spread_told(classes: pd.DataFrame, title: str) -> "Picture":
    """S after each kind of noise in the classes: half of all runs in a box, and nine tenths between the ends.

    The dotted line is the bound of claim I3a, which lies half way between 1 and the mean of a bootstrap.
    """
    tables = in_order(classes)
    picture, axes = side_by_side(title, 8.2, 3.4, [NAMES[name] for name in tables])
    told = []
    for ax, name in zip(axes, tables):
        own = classes[classes["table"] == name]
        runs = [own.loc[own["way"] == way, "score"] for way in CLASSES]
        boxes = ax.boxplot(runs, whis=(5, 95), showfliers=False, patch_artist=True, widths=0.6)
        for number, box in enumerate(boxes["boxes"]):
            grey = CLASSES[number] == CLASSES[-1]
            box.set_facecolor("#DDDDDD" if grey else picture.colour(number, pale=True))
        for line in boxes["medians"]:
            line.set_color("black")
        ax.axhline((1 + runs[-1].mean()) / 2, color="#444444", ls=":", lw=1.2, label="bound of I3a: very similar")
        ax.set_xticks(range(1, len(CLASSES) + 1), CLASSES, rotation=30, ha="right", fontsize=8)
        medians = ", ".join(f"{way} {own.median():.2f}" for way, own in zip(CLASSES, runs))
        told.append(f"{NAMES[name]}: {medians}")
    axes[0].set(ylabel="S", ylim=(0, 1.03))
    axes[0].legend(frameon=False, fontsize=8, loc="lower left")
    return described(picture, f"{title}. Medians of S, {'; '.join(told)}")


def blind_told(classes: pd.DataFrame, title: str) -> "Picture":
    """By how much Random is ahead of All leaves, run by run: by S, and by accuracy."""
    picture, (ax,) = side_by_side(title, 6.8, 3.2)
    edges = np.arange(-62.5, 97.6, 5)
    told = []
    for number, (column, name) in enumerate({"score": "S (× 100)", "right after": "accuracy (points)"}.items()):
        ahead = 100 * lead(classes, column)
        counts, _ = np.histogram(ahead, edges)
        style = {"color": picture.colour(number), "alpha": 0.5, "label": name}
        ax.stairs(100 * counts / len(ahead), edges, fill=True, **style)
        low, high = ahead.quantile([0.05, 0.95])
        told.append(f"{name.partition(' ')[0]} from {low:+.0f} to {high:+.0f}, ahead in {(ahead > 0).mean():.0%}")
    ax.axvline(0, color="#444444", linewidth=1)
    ax.set(xlabel="Random ahead of All leaves, in the same run", ylabel="runs (%)")
    ax.legend(frameon=False)
    return described(picture, f"{title}. Leads of nine tenths of the runs: {'; '.join(told)}")


def depths_told(classes: pd.DataFrame, title: str) -> "Picture":
    """What leaves share with their partners (``depths``) after Random and after All leaves, a part for each table."""
    shares = depths(classes)
    tables = in_order(shares)
    picture, axes = side_by_side(title, 7.6, 3.3, [NAMES[name] for name in tables])
    told = []
    for ax, name in zip(axes, tables):
        for number, way in enumerate(("Random", "All leaves")):
            for kind, stroke in (("mixed", "-"), ("pure", "--")):
                own = shares[(shares["table"] == name) & (shares["way"] == way) & (shares["leaves"] == kind)]
                style = {"color": picture.colour(number), "label": f"{way}, {kind} leaves"}
                ax.plot(own["depth"], own["overlap"], stroke, marker="os"[number], **style)
                if way == "Random":
                    first, *_, last = own["overlap"]
                    told.append(f"{NAMES[name]}, {kind} leaves {first:.2f} to {last:.2f}")
        ax.set(xlabel="depth of the leaf", ylim=(0, 1.03))
    axes[0].set_ylabel("overlap with its partner")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, f"{title}. After Random, from shallow to deep: {'; '.join(told)}")


def frontier_told(frontier: pd.DataFrame, title: str) -> "Picture":
    """What is doubted of the classes, and what is kept of the tree: a path for each way, from small leaves to large."""
    tables = in_order(frontier)
    means = frontier.groupby(["table", "way", "least"], sort=False)[["doubted", "score"]].mean()
    picture, axes = side_by_side(title, 8.2, 3.5, [NAMES[name] for name in tables])
    told = []
    for ax, name in zip(axes, tables):
        for number, way in enumerate(frontier["way"].unique()):
            own = means.loc[name, way]
            style = {"color": picture.colour(number), "label": way}
            ax.plot(100 * own["doubted"], own["score"], ("-", "--", ":")[number], marker="os^"[number], **style)
            for least, (doubted, score) in own.iterrows():
                if number != 1:
                    place = (100 * doubted, score)
                    ax.annotate(str(least), place, (4, 4), textcoords="offset points", fontsize=7)
            last = own.iloc[-1]
            told.append(f"{NAMES[name]}, {way}: {last['doubted']:.0%} doubted and S = {last['score']:.2f}")
        ax.set(xlabel="belief in wrong classes (%)", ylim=(0, 1.03))
        ax.set_xlim(0)
    axes[0].set_ylabel("S")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, f"{title}. With the largest leaves: {'; '.join(told)}")


def bell_told(channel: ProportionalNoise, title: str) -> "Picture":
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
    low, high = law[0, 0], law[-1, -1]
    return described(
        picture, f"{title}. The lowest grade stays in {low:.0%} of all cases, the highest in {high:.0%}"
    )


def density_told(density: pd.DataFrame, title: str) -> "Picture":
    """What an intruder finds in small and in large samples: the own record, and the own class.

    The lines are what he believes of a class beforehand, and the bound of claim I7: half of that doubt is left.
    """
    tables = in_order(density)
    picture, axes = side_by_side(title, 7.6, 3.3, [NAMES[name] for name in tables])
    words = {"posterior": "belief in the own record", "own class": "belief in the own class"}
    told = []
    for ax, name in zip(axes, tables):
        means = density[density["table"] == name].groupby("records", sort=False)[list(words)].mean()
        for number, (column, label) in enumerate(words.items()):
            style = {"color": picture.colour(number), "label": label}
            ax.plot(means.index.astype(str), 100 * means[column], "os"[number] + "-", **style)
            told.append(f"{NAMES[name]}, {label} {means[column].iloc[0]:.2f} to {means[column].iloc[-1]:.2f}")
        before = 1 - doubt_before(name)
        ax.axhline(
            50 * (1 + before), color="#444444", ls="--", lw=1, label="bound of I7: half of the doubt is left"
        )
        ax.axhline(100 * before, color="#444444", ls=":", lw=1.2, label="belief in the class before it")
        ax.set(xlabel="people in the table", ylim=(-2, 104))
    axes[0].set_ylabel("mean (%)")
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, f"{title}. From the smallest to the largest table: {'; '.join(told)}")


def builders_told(builders: pd.DataFrame, title: str) -> "Picture":
    """S of each builder, where the noise follows the miner's own tree and where it follows C4.5's."""
    parts = {"own": "noise along the miner's own tree", "C4.5": "noise along C4.5's tree"}
    picture, axes = side_by_side(title, 8.2, 3.0, list(parts.values()))
    told = []
    for ax, (guide, words) in zip(axes, parts.items()):
        for number, way in enumerate(CLASSES[:-1]):
            runs = builders[(builders["guide"] == guide) & (builders["way"] == way)]
            own = runs.groupby(["table", "builder"], sort=False)["score"].mean()
            places = [(NAMES[table], builder) for table, builder in own.index]
            style: Any = {"color": picture.colour(number), "fillstyle": "none" if number == 1 else "full"}
            ax.plot(own, range(len(own)), "os^"[number], label=way, **style)
            told.append(f"{words}, {way} {own.min():.2f} to {own.max():.2f}")
        ax.set_yticks(range(len(places)), [f"{table}, {builder}" for table, builder in places], fontsize=8)
        ax.set(xlabel="S", xlim=(0.3, 1.03))
        ax.grid(axis="x", color="#EEEEEE")
    axes[0].invert_yaxis()
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, f"{title}. Means of S: {'; '.join(told)}")


def innocent_told(attributes: pd.DataFrame, title: str) -> "Picture":
    """What noise in innocent attributes leaves of the tree, by its strength."""
    return _by_strength(attributes, "score", "S (the axis begins at 0.5)", title, (0.5, 1.02))


def hidden_told(attributes: pd.DataFrame, title: str) -> "Picture":
    """How sure an intruder is of the own record of somebody whose innocent attributes he knows, by the strength."""
    return _by_strength(attributes, "posterior", "belief in the own record", title, (-0.02, 1.02))


def _by_strength(attributes, column, label, title, limits):
    from ppdm.plots import lines

    shown = attributes.assign(strength=100 * attributes["share"], table=attributes["table"].map(NAMES))
    labels = {"strength": "noise (sd in % of the value)", column: label, "way": "", "table": ""}
    picture = lines(shown, "strength", column, by="way", panels="table", labels=labels)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    for ax in picture.axes:
        ax.set_ylim(*limits)
    means = shown.pivot_table(column, ["table", "way"], "strength", sort=False)
    told = [f"{', '.join(place)} {row.iloc[0]:.2f} to {row.iloc[-1]:.2f}" for place, row in means.iterrows()]
    return described(picture, f"{title}. From weak to strong noise: {'; '.join(told)}")


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
