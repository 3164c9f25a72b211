"""Li, Shaw & Lin 2003 told: the figures that only notebook 02 draws."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.lsl03 import TABLE2, TEST, TRAIN

if TYPE_CHECKING:
    from ppdm.plots import Picture

FRAMEWORK = {
    "Data": "numbers, categories, text …\npublic and private attributes",
    "Privacy-control criteria": "no complete disclosure;\nthe threshold is satisfied",
    "Privacy-enhancing methods": "reduction: select, discretise\nperturbation: noise, redraw, shuffle",
    "Data mining tasks": "prediction, discovery,\ndeviation detection",
}
# Levels of the frontier that are named, and how far from their points, in points to the right and upwards.
PLACED = {
    ("groups of one size", "2"): ("2 groups", -6, 3),
    ("groups of one size", "5"): ("5 groups", 2, -13),
    ("Gaussian noise", "50%"): ("50 %", -6, 2),
    ("Gaussian noise", "100%"): ("100 %", 7, -3),
    ("uniform noise", "50%"): ("50 %", 7, -4),
    ("uniform noise", "100%"): ("100 %", 7, -4),
    ("redraw", "lognormal"): ("lognormal", -6, 5),
}
RELEVANT = 0.1  # bits, from which on the paper calls an attribute relevant
EXPERIMENTS = {
    "dropped": "E1",
    "discretised": "E2",
    "in class, literally": "E3",
    "in class": "E3",
    "globally": "E4",
}


def gains_told(gains: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """Table 1 as it is printed, beside the gains of the true values."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    both = gains[["printed", "as it is"]].set_axis(["printed", "on true values"], axis=1)
    long = both.rename_axis("attribute").reset_index().melt("attribute", var_name="values", value_name="gain")
    labels = {"gain": "information gain (bits)", "attribute": ""}
    mark = ("relevant from here on", RELEVANT)
    picture = lines(long, "attribute", "gain", by="values", labels=labels, points=True, mark=mark, title=title)
    return described(picture, alt)


def planes_told(tables: Mapping[str, pd.DataFrame], title: str, alt: str = "") -> "Picture":
    """Age and pregnancies of each table. Whole numbers are moved a little, so that all women can be seen."""
    from ppdm.plots import planes

    rng = np.random.default_rng(1)
    parts = {}
    for name, table in tables.items():
        shown = table[["age", "preg"]] + rng.uniform(-0.4, 0.4, (len(table), 2))
        parts[name] = (shown.set_axis(["age (years)", "pregnancies"], axis=1), table["class"])
    return described(planes(parts, title=title), alt)


def described(picture: "Picture", alt: str) -> "Picture":
    """The picture, with what it shows in words: these alone if they begin with the title, or before its own words."""
    if alt:
        picture.alt = alt if alt.startswith(picture.title) else f"{alt.rstrip('.')}. {picture.alt}"
    return picture


def scale_told(near: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """The problem of scale: how many salaries of each fifth are named, with noise and with a factor."""
    from ppdm.plots import lines

    long = near.reset_index().melt("fifth", var_name="way", value_name="named")
    labels = {"fifth": "fifth of the salaries", "named": "salaries named (%)"}
    picture = lines(long, "fifth", "named", by="way", labels=labels, points=True, title=title)
    picture.axes[0].set_ylim(0)
    return described(picture, alt)


def woman_told(table: pd.DataFrame, woman, believed: Mapping[str, Any], title: str, alt: str = "") -> "Picture":
    """What an intruder believes of a woman's age after each of some releases (``lsl03_privacy.believed``)."""
    prior = 100 * table["age"].value_counts(normalize=True).sort_index()
    shown = {}
    for name, own in believed.items():
        released = str(own.seen[woman]).replace(">=", "≥")
        shown[f"{name}: released {released}"] = 100 * own.belief[woman]
    return beliefs_told(pd.DataFrame(shown, prior.index), prior, table["age"][woman], title, alt)


def sizes_told(size: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """How many are named in small and in large tables, by method."""
    from ppdm.plots import lines

    labels = {"named": "ages named within three years (%)", "records": "people in the table", "way": ""}
    shown = size.assign(named=100 * size["named"])
    picture = lines(shown, "records", "named", by="way", labels=labels, log="x", title=title)
    picture.axes[0].set_ylim(0)
    return described(picture, alt)


def beliefs_told(beliefs: pd.DataFrame, prior: pd.Series, true: float, title: str, alt: str = "") -> "Picture":
    """A panel for each release, on one scale: what an intruder believes (%), and in grey what he believed before.

    The scale is that of the belief before. What rises above it is cut off, and the panel's title says how high it is.
    """
    from ppdm.plots import Picture

    picture = Picture(title, 6.4, 1.15 * len(beliefs.columns) + 0.2)
    axes = picture.subplots(len(beliefs.columns), 1, sharex=True, sharey=True)
    top = 1.3 * prior.max()
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    for ax, (name, belief) in zip(axes, beliefs.items()):
        ax.fill_between(prior.index, prior, color="#CCCCCC", label="before the release")
        ax.plot(belief.index, belief, color=picture.colour(0), label="after it")
        ax.axvline(true, color=picture.colour(1), linestyle="--", linewidth=1.2, label="true age")
        # Above the panel, where no line is.
        cut = ", cut off here" if belief.max() > top else ""
        ax.set_title(f"{name} (highest: {belief.max():.0f} %{cut})", loc="left", fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
        ax.margins(x=0)
    axes[-1].set_xlabel(f"{beliefs.index.name} (years)")
    picture.supylabel("belief (%)", fontsize=10)
    axes[0].set_ylim(0, top)
    axes[0].legend(frameon=False, fontsize=8, loc="upper right")
    return described(picture, alt)


def named_told(shares: pd.Series, threshold: float, title: str, alt: str = "") -> "Picture":
    """How many are named after each release, in per cent; what the releases are compared with is grey."""
    from ppdm.plots import bars

    values = {str(name): float(share) for name, share in shares.round(1).items()}
    picture = bars(values, title=title, label="named (%)")
    (ax,) = picture.axes
    ax.axvline(threshold, color="#888888", linestyle=":", linewidth=1.2)
    ax.text(threshold, 1.0, f" threshold {threshold:g} %", transform=ax.get_xaxis_transform(), fontsize=8)
    for patch, name in zip(ax.patches, values):
        patch.set_color("#999999" if name.startswith(("kept", "dropped")) else picture.colour(0))
    return described(picture, alt)


def frontier_told(frontier: pd.DataFrame, threshold: float, title: str, alt: str = "") -> "Picture":
    """What a released age tells of a person and of the class: a path for each method, from strong to weak."""
    from ppdm.plots import Picture

    means = frontier.groupby("way", sort=False)[["named", "gain"]].mean()
    picture = Picture(title, 7.2, 4.2)
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    # What is dropped, or shuffled globally, tells nothing of the person, and hardly anything of the class.
    least = 100 * means["named"]["drop"]
    marks = ((least, 0.026, "dropped, or shuffled globally"), (threshold, 0, f"threshold {threshold:g} %"))
    for x, y, word in marks:
        ax.axvline(x, color="#888888", linestyle=":", linewidth=1.2)
        ax.annotate(word, (x, y), (3, 0), textcoords="offset points", rotation=90, fontsize=8)
    method = means.index.to_series().str.partition(": ")
    for number, (name, levels) in enumerate(method.groupby(0, sort=False)[2]):
        if name in ("drop", "shuffle globally"):
            continue
        own = means.loc[levels.index]
        # Densities are no levels: nothing lies between them.
        style = "none" if name == "redraw" else "-"
        sign = "os^vDPX*"[number - 2]
        ax.plot(100 * own["named"], own["gain"], sign, ls=style, color=picture.colour(number - 2), label=name)
        for level, place in zip(levels, zip(100 * own["named"], own["gain"])):
            word, right, up = PLACED.get((str(name), level), ("", 0, 0))
            side = "right" if right < 0 else "left"
            ax.annotate(word, place, (right, up), ha=side, textcoords="offset points", fontsize=8)
    ax.set(xlabel="ages named within three years (%)", ylabel="gain after cuts (bits)", ylim=(-0.002, 0.078))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, alt)


def framework(alt: str = "") -> "Picture":
    """The paper's Figure 1, after its text: four parts, and what goes from one to the other."""
    from ppdm.plots import Picture

    picture = Picture("Figure 1: the framework, after the paper's text", 8.6, 2.9)
    ax = picture.add_subplot()
    ax.set_title(picture.title, loc="left", fontsize=11)
    # Data, methods and tasks from left to right; the criteria stand above the methods.
    places = [(0, 0), (1, 1), (1, 0), (2, 0)]
    for number, ((name, parts), (x, y)) in enumerate(zip(FRAMEWORK.items(), places)):
        colours = {"facecolor": picture.colour(number, pale=True), "edgecolor": picture.colour(number)}
        style = {"boxstyle": "round,pad=0.5", **colours}
        ax.text(x, y, f"{name}\n{parts}", ha="center", va="center", fontsize=8.5, bbox=style)
    arrow = {"arrowstyle": "-|>", "color": "#555555"}
    arrows = [((0.36, 0), (0.58, 0), "table"), ((1.42, 0), (1.68, 0), "released"), ((1, 0.72), (1, 0.28), "")]
    for start, end, word in arrows:
        ax.annotate("", end, start, arrowprops=arrow)
        ax.text((start[0] + end[0]) / 2, start[1] + 0.1, word, ha="center", fontsize=8)
    ax.set(xlim=(-0.45, 2.4), ylim=(-0.4, 1.4))
    ax.axis("off")
    return described(picture, alt)


def figure2(cells: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """The paper's Figure 2 from data: each attribute in its cell of sensitivity × relevance, with the advice for it."""
    from ppdm.plots import Picture

    picture = Picture(title, 6.8, 3.4)
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    # False is 0 and True is 1: the cell's place, too.
    for x in (False, True):
        for y in (False, True):
            here = cells[(cells["relevant"] == x) & (cells["sensitive"] == y)]
            ax.fill_between([x + 0.02, x + 0.98], y + 0.02, y + 0.98, color=picture.colour(3 * y, pale=True))
            ax.text(x + 0.5, y + 0.6, ", ".join(map(str, here.index)) or "none", ha="center", fontsize=11)
            ax.text(x + 0.5, y + 0.25, " / ".join(here["advice"].unique()), ha="center", fontsize=9)
    ax.set_xticks([0.5, 1.5], ["irrelevant", "relevant"])
    ax.set_yticks([0.5, 1.5], ["public", "sensitive"])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return described(picture, alt)


def table2(splits: pd.DataFrame, title: str, alt: str = "") -> "Picture":
    """Table 2 over many splits: half of them in the box, 90 % within its whiskers; diamonds are what is printed.

    Rows that the paper does not have are grey.
    """
    from ppdm.plots import Picture

    ways = list(splits["way"].unique())
    picture = Picture(title, 9.0, 0.9 + 0.36 * len(ways))
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    sizes = {"train": TRAIN, "test": TEST}
    words = {"train": "training", "test": "test"}
    for place, (ax, (part, size)) in enumerate(zip(picture.subplots(1, 2, sharey=True), sizes.items())):
        share = [100 * splits.loc[splits["way"] == way, part] / size for way in ways]
        line = {"color": "black"}
        boxes = {"orientation": "horizontal", "whis": (5, 95), "sym": "", "widths": 0.6, "patch_artist": True}
        found = ax.boxplot(share, medianprops=line, **boxes)
        for patch, way in zip(found["boxes"], ways):
            patch.set_facecolor("white" if way in TABLE2 else "#DDDDDD")
        printed = {row: TABLE2[way][place] for row, way in enumerate(ways, 1) if way in TABLE2}
        ax.plot(printed.values(), printed.keys(), "D", color=picture.colour(1), label="printed in Table 2")
        ax.set(
            xlabel=f"{words[part]} records classified rightly (%)",
            yticks=range(1, len(ways) + 1),
            yticklabels=[f"{EXPERIMENTS.get(way, '')} {way}" for way in ways],
        )
        ax.locator_params(axis="x", integer=True)
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    picture.axes[0].invert_yaxis()  # in the order of the table
    picture.axes[-1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, alt)
