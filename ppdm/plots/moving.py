"""Figures that are drawn once and then move: only what changes is set anew, so that a slider can be followed."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ppdm import checks
from ppdm.plots.picture import STROKES, Axes, Picture, Text, colour, finished, quick_axes

PLACES = (0, 1, 10, 100)  # that the axis of iterations names, besides its end


class Shapes:
    """Distributions as steps, the first one filled: what was true, what is seen, what came back."""

    def __init__(self, names: Sequence[str]) -> None:
        self.ax = quick_axes("", left=0.75)
        self.headline = headline(self.ax)
        for number, name in enumerate(names):
            style: dict[str, Any] = {"linewidth": 1.8, "linestyle": STROKES[number % len(STROKES)]}
            style = style if number else {"fill": True, "alpha": 0.25}
            self.ax.stairs([0], [0, 1], color=colour(number), label=name, animated=True, **style)
        self.ax.locator_params(nbins=4)
        self.ax.set(ylabel="share of records")
        self.ax.legend(frameon=False, fontsize=8, loc="upper left")

    def show(
        self,
        shares: Sequence[tuple[np.ndarray, np.ndarray]],
        *,
        title: str,
        label: str,
        across: tuple[float, float],
        top: float,
    ) -> Picture:
        """The picture with these shares of intervals and their edges, in the order of the names.

        title, label : what stands above, and what the horizontal axis shows, from ``across[0]`` to ``across[1]``
        top : what the vertical axis has to hold
        """
        if len(shares) != len(self.ax.patches):
            raise ValueError(f"shares are {len(shares)}; expected {len(self.ax.patches)}, one for each name")
        for patch, (heights, edges) in zip(self.ax.patches, shares, strict=True):
            cast(Any, patch).set_data(heights, edges)
        self.ax.set(xlabel=label, xlim=across, ylim=(0, roomy(top)))
        return shown(self.headline, title)


class Walk:
    """The distance to the truth after 0, 1, 2, … steps, on a logarithmic scale, and a dot where one stands.

    names : of the rules whose stops are marked
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.ax = quick_axes("", left=0.7)
        self.headline = headline(self.ax)
        moving: dict[str, Any] = {"linewidth": 1.4, "animated": True}
        self.naive = self.ax.axhline(0, color="#555555", linestyle=":", label="as seen", **moving)
        (self.way,) = self.ax.plot([1], [0], color="#000000", label="reconstructed", **moving)
        self.marks = {
            name: self.ax.axvline(1, ymax=0.66, color=colour(k), linestyle=STROKES[1:][k % 4], label=name, **moving)
            for k, name in enumerate(names)
        }
        dot: dict[str, Any] = {"color": colour(1), "markersize": 9, "markeredgecolor": "#000000", "animated": True}
        (self.here,) = self.ax.plot([1], [0], "o", label="you are here", **dot)
        self.ax.set(xscale="log", xlabel="iterations (log scale)", ylabel="distance to the truth")
        self.ax.minorticks_off()
        self.ax.locator_params(axis="y", nbins=4)
        words = self.ax.legend(frameon=False, fontsize=8, loc="upper right", ncols=2).get_texts()
        self.words = {name: text for name in names for text in words if text.get_text() == name}

    def show(self, distances: Any, step: int, *, marks: Mapping[str, int | None], naive: float, title: str) -> Picture:
        """The picture of these distances.

        Parameters
        ----------
        distances : one for each number of steps, from 0 on
        step : where one stands
        marks : where each rule stops; None: not on the way
        naive : the distance of the values as they are seen: a line all across
        """
        heights = checks.vector("distances", distances)
        last = len(heights) - 1
        checks.whole("step", step, 0, last)
        checks.number("naive", naive, 0)
        if set(checks.mapping("marks", marks)) != set(self.marks):
            raise ValueError(f"marks has {', '.join(marks)}; expected {', '.join(self.marks)}")
        for name, at in marks.items():
            if at is not None:
                checks.whole(f"marks[{name!r}]", at, 0, last)
        self.naive.set_ydata([naive, naive])
        self.way.set_data(np.arange(1, len(heights) + 1), heights)
        self.here.set_data([step + 1], [heights[step]])
        for name, line in self.marks.items():
            at = marks[name]
            line.set_visible(at is not None)
            line.set_xdata([1 + (at or 0)] * 2)
            self.words[name].set_text(f"{name} stops" if at is not None else f"{name}: later")
        if self.ax.get_xlim()[1] != 1.1 * len(heights):
            places = [*(at for at in PLACES if 2 * at < len(heights)), len(heights) - 1]
            self.ax.set_xticks([at + 1 for at in places], [str(at) for at in places])
        self.ax.set(xlim=(0.9, 1.1 * len(heights)), ylim=(0, roomy(1.4 * max(heights.max(), naive))))
        return shown(self.headline, title)


def roomy(top: float) -> float:
    """The end of an axis that holds a height: a round number, so that it changes seldom while the height moves.

    >>> roomy(0.21), roomy(0.31), roomy(7.9), roomy(0)
    (0.3, 0.5, 10.0, 1.0)
    """
    if top <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(top))
    return float(round(unit * next(step for step in (1, 1.5, 2, 3, 5, 7, 10) if top <= step * unit), 12))


def headline(ax: Axes) -> Text:
    """A title that moves."""
    return ax.text(0, 1.04, "", transform=ax.transAxes, fontsize=10, animated=True)


def shown(headline: Text, title: str) -> Picture:
    """The picture with this title."""
    headline.set_text(title)
    picture = finished(cast(Axes, headline.axes))
    picture.title = title
    return picture
