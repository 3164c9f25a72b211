"""Li, Shaw & Lin 2003 told: the figures that only notebook 02 draws of its table."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ppdm.plots import Picture

FRAMEWORK = {
    "Data": "numbers, categories, text …\npublic and private attributes",
    "Privacy-control criteria": "no complete disclosure;\nthe threshold is satisfied",
    "Privacy-enhancing methods": "reduction: select, discretise\nperturbation: noise, redraw, shuffle",
    "Data mining tasks": "prediction, discovery,\ndeviation detection",
}
RELEVANT = 0.1  # bits, from which on the paper calls an attribute relevant


def gains_told(gains: pd.DataFrame, title: str) -> "Picture":
    """Table 1 as it is printed, beside the gains of the true values."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    both = gains[["printed", "as it is"]].set_axis(["printed", "on true values"], axis=1)
    long = both.rename_axis("attribute").reset_index().melt("attribute", var_name="values", value_name="gain")
    labels = {"gain": "information gain (bits)", "attribute": ""}
    mark = ("relevant from here on", RELEVANT)
    picture = lines(long, "attribute", "gain", by="values", labels=labels, points=True, mark=mark, title=title)
    told = ", ".join(f"{name} {one:.2f} and {other:.2f}" for name, one, other in both.itertuples())
    return described(picture, f"{title}. Bits as printed and on true values: {told}")


def relevance_told(ranks: pd.DataFrame, title: str) -> "Picture":
    """The gain of each attribute, what chance alone gives, and the gain after cuts."""
    picture, (ax,) = _rows(title, 6.4, ranks.index)
    places = range(len(ranks))
    ax.hlines(places, ranks["chance"], ranks["gain"], color="#BBBBBB")
    ax.plot(ranks["gain"], places, "o", color=picture.colour(0), label="gain, as the paper measures it")
    ax.plot(ranks["chance"], places, "o", color="black", fillstyle="none", markersize=9, label="by chance alone")
    ax.plot(ranks["gain_after_cuts"], places, "s", color=picture.colour(1), label="gain after cuts")
    ax.axvline(RELEVANT, color="#888888", linestyle=":", linewidth=1.2)
    ax.set(xlabel="bits about the class (dotted: the paper's threshold)", xlim=(-0.02, 1))
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    told = (
        f"{one.Index} {one.gain:.2f}, {one.chance:.2f}, {one.gain_after_cuts:.2f}" for one in ranks.itertuples()
    )
    return described(picture, f"{title}. Gain, by chance, after cuts: {'; '.join(told)}")


def _rows(title, width, names):
    """A picture with a row for each name."""
    from ppdm.plots import Picture

    picture = Picture(title, width, 0.9 + 0.27 * len(names))
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_yticks(range(len(names)), names)
    ax.spines[["top", "right"]].set_visible(False)
    ax.invert_yaxis()
    return picture, (ax,)


def planes_told(tables: Mapping[str, pd.DataFrame], title: str) -> "Picture":
    """Age and pregnancies of each table. Whole numbers are moved a little, so that all women can be seen."""
    from ppdm.plots import planes

    rng = np.random.default_rng(1)
    parts, told = {}, []
    for name, table in tables.items():
        shown = table[["age", "preg"]] + rng.uniform(-0.4, 0.4, (len(table), 2))
        parts[name] = (shown.set_axis(["age (years)", "pregnancies"], axis=1), table["class"])
        many = ((table["age"] < 26) & (table["preg"] >= 8)).sum()
        told.append(f"{name} {many}")
    return described(planes(parts, title=title), f"{title}. Women under 26 with eight or more: {', '.join(told)}")


def described(picture: "Picture", alt: str) -> "Picture":
    """The picture, with what it shows in words: these alone if they begin with the title, or before its own words."""
    if alt:
        picture.alt = alt if alt.startswith(picture.title) else f"{alt.rstrip('.')}. {picture.alt}"
    return picture


def scale_told(near: pd.DataFrame, title: str) -> "Picture":
    """The problem of scale: how many salaries of each fifth are named, with noise and with a factor."""
    from ppdm.plots import lines

    long = near.reset_index().melt("fifth", var_name="way", value_name="named")
    labels = {"fifth": "fifth of the salaries", "named": "salaries named (%)"}
    picture = lines(long, "fifth", "named", by="way", labels=labels, points=True, title=title)
    picture.axes[0].set_ylim(0)
    told = "; ".join(f"{name} {own.iloc[0]:.0f} and {own.iloc[-1]:.0f} per cent" for name, own in near.items())
    return described(picture, f"{title}. Lowest and highest fifth: {told}")


def woman_told(table: pd.DataFrame, woman, believed: Mapping[str, Any], title: str) -> "Picture":
    """What an intruder believes of a woman's age after each of some releases (``lsl03_privacy.believed``)."""
    prior = 100 * table["age"].value_counts(normalize=True).sort_index()
    shown = {}
    for name, own in believed.items():
        released = str(own.seen[woman]).replace(">=", "≥")
        shown[f"{name}: released {released}"] = 100 * own.belief[woman]
    return beliefs_told(pd.DataFrame(shown, prior.index), prior, table["age"][woman], title)


def beliefs_told(beliefs: pd.DataFrame, prior: pd.Series, true: float, title: str) -> "Picture":
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
    told = ", ".join(f"{name} {belief.max():.0f}" for name, belief in beliefs.items())
    return described(picture, f"{title}. Highest belief in per cent: {told}")


def framework() -> "Picture":
    """The paper's Figure 1, after its text: four parts, and what goes from one to the other."""
    from ppdm.plots import Picture

    picture = Picture("Data go to the miner through a method, and criteria judge the method", 8.6, 2.9)
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
    told = "; ".join(f"{name}: {' '.join(parts.split())}" for name, parts in FRAMEWORK.items())
    return described(picture, f"{picture.title}. {told}")


def figure2(cells: pd.DataFrame, title: str) -> "Picture":
    """The paper's Figure 2 from data: each attribute in its cell of sensitivity × relevance, with the advice for it."""
    from ppdm.plots import Picture

    picture = Picture(title, 6.8, 3.4)
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    told = []
    # False is 0 and True is 1: the cell's place, too.
    for x in (False, True):
        for y in (False, True):
            here = cells[(cells["relevant"] == x) & (cells["sensitive"] == y)]
            ax.fill_between([x + 0.02, x + 0.98], y + 0.02, y + 0.98, color=picture.colour(3 * y, pale=True))
            names, advice = ", ".join(map(str, here.index)) or "none", " / ".join(here["advice"].unique())
            ax.text(x + 0.5, y + 0.6, names, ha="center", fontsize=11)
            ax.text(x + 0.5, y + 0.25, advice, ha="center", fontsize=9)
            told.append(f"{'sensitive' if y else 'public'} and {'relevant' if x else 'irrelevant'}: {names}")
    ax.set_xticks([0.5, 1.5], ["irrelevant", "relevant"])
    ax.set_yticks([0.5, 1.5], ["public", "sensitive"])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return described(picture, f"{title}. {'; '.join(told)}")
