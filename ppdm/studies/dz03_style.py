"""How notebook 04's figures are drawn: panels, strokes, legends, heat maps."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdm.studies.dz03 import SCHEMES, TABLES

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
