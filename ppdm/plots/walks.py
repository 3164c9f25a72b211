"""An iteration on its way: how far each step is from the truth."""

from collections.abc import Mapping
from typing import Any

from ppdm import checks
from ppdm.plots.picture import STROKES, Axes, Picture, colour, finished, new_axes


def walk(
    distances: Any,
    step: int,
    *,
    marks: Mapping[str, int] | None = None,
    naive: float | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Picture:
    """The distance to the truth after 0, 1, 2, … steps, on a logarithmic scale, and a dot where one stands.

    Parameters
    ----------
    distances : one for each number of steps, from 0 on
    step : where one stands
    marks : steps by name: where rules stop, say
    naive : the distance of the values as they are seen: a line all across
    title, ax : what stands above, and axes to draw in; None makes a new picture
    """
    heights = checks.vector("distances", distances)
    step = checks.whole("step", step, 0, len(heights) - 1)
    marks = {name: checks.whole(f"marks[{name!r}]", at, 0, len(heights) - 1) for name, at in (marks or {}).items()}
    ax = new_axes(ax, title)
    if naive is not None:
        ax.axhline(checks.number("naive", naive, 0), color="#555555", linestyle=":", linewidth=1.4, label="as seen")
    ax.plot(range(1, len(heights) + 1), heights, color="#000000", linewidth=1.4)
    for number, (name, at) in enumerate(marks.items()):
        hue, stroke = colour(number), STROKES[1:][number % 4]
        ax.axvline(at + 1, color=hue, linestyle=stroke, linewidth=1.4, label=f"{name}: {at}")
    ax.plot(step + 1, heights[step], "o", color=colour(1), markersize=9, markeredgecolor="#000000", label="here")
    places = [at for at in (0, 1, 10, 100, 1000, 10_000) if at < len(heights)]
    ax.set_xscale("log")
    ax.set_xticks([at + 1 for at in places], [str(at) for at in places])
    ax.minorticks_off()
    ax.set(xlabel="iterations", ylabel="distance to the truth", ylim=(0, 1.1 * max(heights.max(), naive or 0)))
    ax.locator_params(axis="y", nbins=4)
    ax.legend(frameon=False, fontsize=8, loc="upper right")
    return finished(ax)
