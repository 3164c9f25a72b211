"""Li, Shaw & Lin 2003 told: the figures that only notebook 02 draws of its full-scale results."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.lsl03 import TABLE2, TEST, TRAIN
from ppdm.studies.lsl03_told import described

if TYPE_CHECKING:
    from ppdm.plots import Picture

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
EXPERIMENTS = {
    "dropped": "E1",
    "discretised": "E2",
    "in class, literally": "E3",
    "in class": "E3",
    "globally": "E4",
}


def sizes_told(size: pd.DataFrame, title: str) -> "Picture":
    """How many are named in small and in large tables, by method."""
    from ppdm.plots import lines

    labels = {"named": "ages named within three years (%)", "records": "people in the table", "way": ""}
    shown = size.assign(named=100 * size["named"])
    picture = lines(shown, "records", "named", by="way", labels=labels, log="x", title=title)
    picture.axes[0].set_ylim(0)
    means = shown.pivot_table("named", "way", "records", sort=False)
    told = "; ".join(f"{way} {row.iloc[0]:.0f} to {row.iloc[-1]:.0f} per cent" for way, row in means.iterrows())
    return described(picture, f"{title}. Named in the smallest and in the largest table: {told}")


def named_told(shares: pd.Series, threshold: float, title: str) -> "Picture":
    """How many are named after each release, in per cent; what the releases are compared with is grey."""
    from ppdm.plots import bars

    values = {str(name): float(share) for name, share in shares.round(1).items()}
    picture = bars(values, title=title, label="named (%)")
    (ax,) = picture.axes
    ax.axvline(threshold, color="#888888", linestyle=":", linewidth=1.2)
    ax.text(threshold, 0.01, f" threshold {threshold:g} %", transform=ax.get_xaxis_transform(), fontsize=8)
    for patch, name in zip(ax.patches, values):
        patch.set_color("#999999" if name.startswith(("kept", "dropped")) else picture.colour(0))
    told = ", ".join(f"{name} {share:.0f}" for name, share in values.items())
    return described(picture, f"{title}. Named in per cent: {told}")


def frontier_told(frontier: pd.DataFrame, threshold: float, title: str) -> "Picture":
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
    told = []
    for number, (name, levels) in enumerate(method.groupby(0, sort=False)[2]):
        if name in ("drop", "shuffle globally"):
            continue
        own = means.loc[levels.index]
        # Densities are no levels: nothing lies between them.
        style = "none" if name == "redraw" else "-"
        sign = "os^vDPX*"[number - 2]
        ax.plot(100 * own["named"], own["gain"], sign, ls=style, color=picture.colour(number - 2), label=name)
        told.append(f"{name} {_beside(own, threshold / 100)}")
        for level, place in zip(levels, zip(100 * own["named"], own["gain"])):
            word, right, up = PLACED.get((str(name), level), ("", 0, 0))
            side = "right" if right < 0 else "left"
            ax.annotate(word, place, (right, up), ha=side, textcoords="offset points", fontsize=8)
    ax.set(xlabel="ages named within three years (%)", ylabel="gain after cuts (bits)", ylim=(-0.002, 0.078))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return described(picture, f"{title}. Next to the threshold: {'; '.join(told)}")


def _beside(path: pd.DataFrame, threshold: float) -> str:
    """The points of a path on either side of a threshold, in words."""
    ordered = path.sort_values("named")
    below = (ordered["named"] <= threshold).sum()
    near = ordered.iloc[max(below - 1, 0) : below + 1]
    return " and ".join(
        f"{100 * named:.0f} per cent named for {gain:.3f} bits"
        for named, gain in zip(near["named"], near["gain"])
    )


def table2(splits: pd.DataFrame, title: str) -> "Picture":
    """Table 2 over many splits: half of them in the box, 90 % within its whiskers; diamonds are what is printed.

    Rows that the paper does not have are grey. The dotted line is the bound of claim L13, on the test records.
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
    tests = 100 * splits.groupby("way", sort=False)["test"].mean() / TEST
    bound: Any = {"color": "#444444", "linestyle": ":", "label": "bound of L13:\na point below original"}
    picture.axes[-1].axvline(tests["original"] - 1, **bound)
    picture.axes[-1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    told = ", ".join(f"{way} {mean:.1f}" for way, mean in tests.items())
    return described(picture, f"{title}. Means of the test records in per cent: {told}")


def redraw_told(redrawn: pd.DataFrame, title: str) -> "Picture":
    """By how many years redrawn ages miss the true ones, by density, as a heat map."""
    from ppdm.plots import Picture

    names = ["mean", "sd", "q05", "q50", "q75", "q95", "move"]
    missed = redrawn.groupby("density", sort=False)[names].mean()
    picture = Picture(title, 6.8, 3.2)
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    ax.imshow(missed, cmap="RdBu_r", vmin=-3, vmax=3, aspect="auto")
    for row, column in np.ndindex(missed.shape):
        years = float(missed.to_numpy()[row, column])
        ax.text(
            column,
            row,
            f"{years:+.1f}",
            ha="center",
            va="center",
            fontsize=9,
            color="w" if abs(years) > 1.8 else "k",
        )
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(missed)), missed.index)
    ax.set_xlabel("years too high (move: years by which one age changes)")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    told = ", ".join(
        f"{name} {mean:+.1f} and {high:+.1f}" for name, mean, high in missed[["mean", "q75"]].itertuples()
    )
    return described(picture, f"{title}. Error of the mean and of the upper quartile: {told}")
