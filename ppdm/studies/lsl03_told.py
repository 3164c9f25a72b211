"""Li, Shaw & Lin 2003 told: the figures that only notebook 02 draws."""

from typing import TYPE_CHECKING

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


def gains_told(gains: pd.DataFrame, title: str) -> "Picture":
    """Table 1 as it is printed, beside the gains of the true values."""
    from ppdm.plots import lines  # here, because the measures need no extra for plots

    both = gains[["printed", "as it is"]].set_axis(["printed", "on true values"], axis=1)
    long = both.rename_axis("attribute").reset_index().melt("attribute", var_name="values", value_name="gain")
    labels = {"gain": "information gain (bits)", "attribute": ""}
    return lines(long, "attribute", "gain", by="values", labels=labels, points=True, title=title)


def described(picture: "Picture", words: str) -> "Picture":
    """The picture, with what it shows in words for those who cannot see it."""
    picture.title = words  # becomes the alternative text; the title is drawn already
    return picture


def scale_told(near: pd.DataFrame, title: str) -> "Picture":
    """The problem of scale: how many salaries of each fifth are named, with noise and with a factor."""
    from ppdm.plots import lines

    long = near.reset_index().melt("fifth", var_name="way", value_name="named")
    labels = {"fifth": "fifth of the salaries", "named": "within 10 % of the true one (%)"}
    picture = lines(long, "fifth", "named", by="way", labels=labels, points=True, title=title)
    picture.axes[0].set_ylim(0)
    return picture


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
    axes[-1].set_xlabel(str(beliefs.index.name))
    axes[0].set_ylim(0, top)
    axes[0].legend(frameon=False, fontsize=8, loc="upper right")
    return picture


def named_told(shares: pd.Series, title: str) -> "Picture":
    """How many are named after each release, in per cent; the two that the release is compared with are grey."""
    from ppdm.plots import bars

    values = {str(name): float(share) for name, share in shares.round(1).items()}
    picture = bars(values, title=title, label="named (%)")
    for patch, name in zip(picture.axes[0].patches, values):
        patch.set_color("#999999" if name.startswith(("kept", "dropped")) else picture.colour(0))
    return picture


def frontier_told(means: pd.DataFrame, threshold: float, title: str) -> "Picture":
    """What a released age tells of a person and of the class: a line for each method, from strong to weak."""
    from ppdm.plots import lines

    # Both stand in one place.
    both = means.drop(index="shuffle globally").rename(index={"drop": "drop, shuffle globally"}).reset_index()
    method = both["way"].str.partition(":")[0]
    shown = both.assign(method=method, named=100 * both["named"], gain=1000 * both["gain"])
    labels = {"named": "ages named within three years (%)", "gain": "gain after cuts (thousandths of a bit)"}
    picture = lines(shown, "named", "gain", by="method", labels=labels, title=title)
    (ax,) = picture.axes
    ax.axvline(threshold, color="#888888", linestyle=":", linewidth=1.2)
    ax.annotate(f"threshold {threshold:g} %", (threshold, 0), (4, 0), textcoords="offset points")
    return picture


def framework() -> "Picture":
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
    return picture


def figure2(cells: pd.DataFrame, title: str) -> "Picture":
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
    return picture


def table2(splits: pd.DataFrame, title: str) -> "Picture":
    """Table 2 over many splits: half of them in the box, 90 % within its whiskers; diamonds are what is printed."""
    from ppdm.plots import Picture

    ways = list(splits["way"].unique())
    picture = Picture(title, 9.0, 0.9 + 0.36 * len(ways))
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    sizes = {"train": TRAIN, "test": TEST}
    words = {"train": "training", "test": "test"}
    for place, (ax, (part, size)) in enumerate(zip(picture.subplots(1, 2, sharey=True), sizes.items())):
        share = [100 * splits.loc[splits["way"] == way, part] / size for way in ways]
        line = {"color": "black"}
        ax.boxplot(share, orientation="horizontal", whis=(5, 95), sym="", widths=0.6, medianprops=line)
        printed = {row: TABLE2[way][place] for row, way in enumerate(ways, 1) if way in TABLE2}
        ax.plot(printed.values(), printed.keys(), "D", color=picture.colour(1), label="printed in Table 2")
        ax.set(
            xlabel=f"{words[part]} records classified rightly (%)",
            yticks=range(1, len(ways) + 1),
            yticklabels=ways,
        )
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    picture.axes[0].invert_yaxis()  # in the order of the table
    picture.axes[-1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return picture
