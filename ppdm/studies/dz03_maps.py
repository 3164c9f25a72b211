"""How notebook 04's figures are drawn, and its heat maps: the tables that have too many numbers to be read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.dz03 import HIDDEN, LEVELS, SCHEMES, TABLES
from ppdm.studies.dz03_tables import FEW, RULES, Results, ahead, contest, pivoted

if TYPE_CHECKING:
    from ppdm.plots import Picture

NAMES = list(TABLES.values())
NO_NAME = {"1": "1 group", "N": "N groups"}  # all others: "3 groups"
STROKES, MARKS = ["-", "--", "-.", ":"], "osD^"  # of one, two, three and N groups
GREY = "#777777"
FILLED = {
    False: "cividis",
    True: "PuOr_r",
}  # sequential, or with 0 in the middle: both safe for colour-blind eyes


def grouped(number: str) -> str:
    """The name of a number of groups: 1 group, 2 groups, N groups."""
    return NO_NAME.get(number, f"{number} groups")


def panelled(
    title: str, names, width: float, height: float, columns: int = 3, **sharing
) -> tuple[Any, list[Any]]:
    """A picture headed by its title, and its axes, one for each name."""
    from ppdm.plots import Picture  # here, because the measures need no extra for plots

    columns = min(columns, len(names))
    rows = -(-len(names) // columns)
    picture = Picture(title, 1.6 + width * columns, 0.3 + height * rows)
    axes = list(picture.subplots(rows, columns, squeeze=False, **sharing).flat)
    picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    for ax, name in zip(axes, names):
        ax.set_title(name, loc="left", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    return picture, axes


def heat(
    parts: Mapping[str, pd.DataFrame],
    title: str,
    alt: str,
    *,
    label: str,
    x: str = "θ",
    centred: bool = False,
    digits: int = 1,
) -> "Picture":
    """Tables side by side, each cell in a colour and with its number; all on one scale.

    ``centred``: 0 is white, what is above it has one colour and what is below it another.
    """
    rows, wide = next(iter(parts.values())).shape
    picture, axes = panelled(title, parts, 0.9 + 0.42 * wide, 0.75 + 0.3 * rows, sharey=True)
    values = np.concatenate([part.to_numpy().ravel() for part in parts.values()])
    most = np.abs(values).max()
    low, high = (-most, most) if centred else (values.min(), values.max())
    for ax, part in zip(axes, parts.values()):
        filled = ax.imshow(part.to_numpy(), cmap=FILLED[centred], vmin=low, vmax=high, aspect="auto")
        for (row, column), value in np.ndenumerate(part.to_numpy()):
            # White on what is dark: both ends of the centred scale, the lower half of the other one.
            dark = abs(value) > 0.6 * most if centred else value < (low + high) / 2
            text = f"{value:+.{digits}f}" if centred else f"{value:.{digits}f}"
            ink = "white" if dark else "black"
            ax.text(column, row, text.replace("-", "−"), ha="center", va="center", fontsize=7.5, color=ink)
        names = [", ".join(name) if isinstance(name, tuple) else str(name) for name in part.index]
        ax.set_yticks(range(rows), names)
        ax.set_xticks(range(wide), [f"{name:g}" if isinstance(name, float) else str(name) for name in part])
        ax.set_xlabel(x)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    picture.colorbar(filled, ax=axes, shrink=0.9).set_label(label)
    picture.alt = alt
    return picture


def by_table(wide: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A table's rows as parts of a heat map: those of each data set, with groups by their names."""
    parts = {}
    for name in NAMES:
        part = wide.xs(name, level="table")
        groups = part.index.get_level_values(0).map(grouped)
        rest = [part.index.get_level_values(place) for place in range(1, part.index.nlevels)]
        index = pd.MultiIndex.from_arrays([groups, *rest]) if rest else groups
        parts[name] = pd.DataFrame(part.to_numpy(), index, part.columns)
    return parts


def style(picture: Any, groups: str) -> dict[str, Any]:
    """How a number of groups is drawn in all figures: colour, stroke, mark and name."""
    place = SCHEMES.index(groups)
    marked = {"marker": MARKS[place], "markersize": 4, "color": picture.colour(place)}
    return {**marked, "linestyle": STROKES[place], "label": grouped(groups)}


def legend(picture: Any, place: int = -1) -> None:
    """The legend of one of the axes, to the right of all."""
    ax = picture.axes[place]
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), fontsize=9)


def gap_told(results: Results, sure: bool = False, title: str | None = None) -> "Picture":
    """Who is ahead, the naive tree or the tree from estimates, in points; sure: that with sure splits."""
    rule = "sure" if sure else "accuracy"
    runs = ahead(results, rule).reset_index()
    gap = pivoted(runs, "ahead", ["table", "groups"])
    shown = gap[[0.51, 0.55, 0.6, 0.7, 0.8, 0.9]]
    above = contest(results).xs((RULES[rule], "1 to 3")).astype(int)
    score = f"{above['ahead']} of {above['settings']} settings"
    whom = "sure trees" if sure else "trees from estimates"
    few = shown.loc[pd.IndexSlice[:, FEW], :]
    alt = (
        f"Heat maps of the naive tree's accuracy less that of {whom}, in points, by groups and θ above ½. With one to "
        f"three groups it is ahead in {score}, by {few.max().max():.0f} points at most; "
        f"with N groups it is behind by up to {-shown.min().min():.0f}."
    )
    said = title or f"With one to three groups and θ above ½ the naive tree is ahead of {whom} in {score}"
    return heat(by_table(shown), said, alt, label="naive − estimates (points)", centred=True, digits=0)


def naive_told(results: Results, title: str | None = None) -> "Picture":
    """The accuracy of the naive tree."""
    wide = pivoted(results["schemes"], "naive", ["table", "groups"])[[0.1, 0.3, 0.45, 0.55, 0.7, 0.9]]
    one = wide.loc[("Voting", "1"), 0.55]
    each = wide.loc[("Voting", "N"), 0.55]
    alt = (
        "Heat maps of the naive tree's accuracy in per cent, by groups and θ. "
        f"On Voting at θ = 0.55 it has {one:.0f} % with one group and {each:.0f} % with N groups."
    )
    said = title or "With one group the naive tree hardly feels the coin, with N groups it fails"
    return heat(by_table(wide), said, alt, label="accuracy (%)", digits=0)


def figure6_told(results: Results, title: str | None = None) -> "Picture":
    """The paper's Figure 6, a surface over θ and the number of groups, as a map: Adult."""
    full = results["schemes"]
    wide = pivoted(full[full["table"] == "Adult"], "accuracy", ["table", "groups"])
    part = {"Adult": pd.DataFrame(wide.xs("Adult")).rename(index=grouped)}
    lowest = wide.min().min()
    alt = (
        f"Heat map of the accuracy on Adult in per cent by θ and groups: {wide[1.0].iloc[0]:.1f} at both ends, "
        f"{lowest:.1f} at the lowest, near θ = ½."
    )
    said = title or "Figure 6: accuracy falls towards θ = ½, and the faster, the more groups there are"
    return heat(part, said, alt, label="accuracy (%)")


def levels_told(results: Results, title: str | None = None) -> "Picture":
    """Accuracy by how sure a split must be; means over θ from 0.6 to 0.9."""
    wide = pivoted(results["levels"], "accuracy", ["table", "groups"], "confidence")[LEVELS]
    gain = wide["0.5"] - wide["none"]
    helped = f"{(gain > 0).sum()} of {len(gain)}"
    alt = (
        "Heat maps of accuracy in per cent by groups and confidence. "
        f"A confidence of 0.5 is better than none in {helped} rows, by up to {gain.max():.1f} points."
    )
    said = title or f"Splits with a confidence of 0.5 help in {helped} schemes; more confidence rarely helps more"
    return heat(by_table(wide), said, alt, label="accuracy (%)", x="confidence")


def class_told(results: Results, title: str | None = None) -> "Picture":
    """Sure trees with the class in a group, in a group of its own, or open."""
    wide = pivoted(results["class"], "confident", ["table", "groups", "hidden"])
    order: Any = [NAMES, list(dict.fromkeys(wide.index.get_level_values("groups"))), HIDDEN]
    wide = wide.reindex(pd.MultiIndex.from_product(order, names=["table", "groups", "hidden"]))
    among, alone = (wide.loc[("Voting", "1", hidden), 0.7] for hidden in HIDDEN[:2])
    alt = (
        "Heat maps of the sure trees' accuracy in per cent by groups, where the class is, and θ. On Voting with one "
        f"group at θ = 0.7 a group of its own for the class takes accuracy from {among:.0f} to {alone:.0f} %."
    )
    said = title or "A class in a group of its own is dearest: every count of a class mentions one group more"
    return heat(by_table(wide), said, alt, label="accuracy (%)", digits=0)


def linked_told(results: Results, title: str | None = None) -> "Picture":
    """How many sheets of the test records are found by somebody who knows all true answers of a person."""
    frame = results["privacy"]
    wide = pivoted(frame, "linked", ["table", "groups"])
    # As a share of the most that are found, which are nearly all that can be told apart.
    few = wide.loc[pd.IndexSlice[:, FEW], :].groupby(level="table")
    kept = (few.min().min(axis=1) / few.max().max(axis=1)).min()
    alt = (
        "Heat maps of the share of sheets that are found, in per cent, by groups and θ. With one to three groups at "
        f"least {100 * kept:.0f} % of the most that are found anywhere stay found; on Voting with N groups "
        f"{wide.loc[('Voting', 'N'), 0.55]:.0f} % at θ = 0.55 and {wide.loc[('Voting', 'N'), 0.9]:.0f} % at 0.9."
    )
    said = title or "With up to three groups nearly all who can be found are found, whatever θ is"
    return heat(by_table(wide), said, alt, label="sheets found (%)", digits=0)
