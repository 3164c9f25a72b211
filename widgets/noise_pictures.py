"""The pictures of the noise explorer: distributions, and the way of the iterations."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ppdm.plots import Picture

from .picture import SMALL, LivePicture, MovingFigure

Steps = tuple[np.ndarray, np.ndarray]  # the shares of intervals, and their edges
PLACES = (0, 1, 10, 100)  # that the axis of iterations names, besides its end


class Shapes(MovingFigure):
    """Distributions as steps, the true one filled: what was true, what is seen, what came back."""

    def __init__(self) -> None:
        super().__init__(left=0.75)
        styles: dict[str, dict[str, Any]] = {
            "true": {"fill": True, "alpha": 0.25},
            "seen": {"linewidth": 1.8, "linestyle": "--"},
            "reconstructed": {"linewidth": 1.8},
        }
        for number, (name, style) in enumerate(styles.items()):
            self.ax.stairs([0], [0, 1], color=Picture.colour(number), label=name, animated=True, **style)
        self.ax.locator_params(nbins=4)
        self.ax.set(ylabel="share of records")
        self.ax.legend(frameon=False, fontsize=SMALL, loc="upper left")

    def show(
        self, shares: Sequence[Steps], *, title: str, label: str, across: tuple[float, float], top: float
    ) -> LivePicture:
        """The picture of three distributions, each with the shares of its intervals and their edges.

        title, label : what stands above, and what the horizontal axis shows, from ``across[0]`` to ``across[1]``
        top : what the vertical axis has to hold
        """
        for patch, (heights, edges) in zip(self.ax.patches, shares):
            cast(Any, patch).set_data(heights, edges)
        self.ax.set(xlabel=label, xlim=across, ylim=(0, roomy(top)))
        return self.shown(title)


class Walk(MovingFigure):
    """The distance to the truth after 0, 1, 2, … steps, on a logarithmic scale, and a dot at the current step.

    rules : the names of the rules whose stops are marked
    """

    def __init__(self, rules: Sequence[str]) -> None:
        super().__init__(left=0.7, headline="How far from the truth?")
        moving: dict[str, Any] = {"linewidth": 1.4, "animated": True}
        self.naive = self.ax.axhline(0, color="#555555", linestyle=":", label="as seen", **moving)
        (self.way,) = self.ax.plot([1], [0], color="black", label="reconstructed", **moving)
        self.marks = {
            name: self.ax.axvline(1, ymax=0.66, color=Picture.colour(k), linestyle=stroke, label=name, **moving)
            for k, (name, stroke) in enumerate(zip(rules, ("--", "-", ":")))
        }
        dot: dict[str, Any] = {"color": Picture.colour(1), "markersize": 9, "markeredgecolor": "black"}
        (self.here,) = self.ax.plot([1], [0], "o", label="you are here", animated=True, **dot)
        self.ax.set(xscale="log", xlabel="iterations (log scale)", ylabel="distance to the truth")
        self.ax.minorticks_off()
        self.ax.locator_params(axis="y", nbins=4)
        words = self.ax.legend(frameon=False, fontsize=SMALL, loc="upper right", ncols=2).get_texts()
        self.words = {name: text for name in rules for text in words if text.get_text() == name}

    def show(
        self, distances: np.ndarray, step: int, *, stops: Mapping[str, int | None], naive: float
    ) -> LivePicture:
        """The picture of these distances.

        Parameters
        ----------
        distances : one for each number of steps, from 0 on
        step : the current step
        stops : where each rule stops; None: not on the way
        naive : the distance of the values as they are seen: a line all across
        """
        self.naive.set_ydata([naive, naive])
        self.way.set_data(np.arange(1, len(distances) + 1), distances)
        self.here.set_data([step + 1], [distances[step]])
        for name, at in stops.items():
            self.marks[name].set_visible(at is not None)
            self.marks[name].set_xdata([1 + (at or 0)] * 2)
            self.words[name].set_text(f"{name} stops" if at is not None else f"{name}: later")
        if self.ax.get_xlim()[1] != 1.1 * len(distances):
            places = [*(at for at in PLACES if 2 * at < len(distances)), len(distances) - 1]
            self.ax.set_xticks([at + 1 for at in places], [str(at) for at in places])
        self.ax.set(xlim=(0.9, 1.1 * len(distances)), ylim=(0, roomy(1.4 * max(distances.max(), naive))))
        return self.shown()


def roomy(top: float) -> float:
    """The end of an axis that holds a height: a round number, so that it changes seldom while the height moves.

    >>> roomy(0.21), roomy(0.31), roomy(7.9), roomy(0)
    (0.3, 0.5, 10.0, 1.0)
    """
    if top <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(top))
    return float(round(unit * next(step for step in (1, 1.5, 2, 3, 5, 7, 10) if top <= step * unit), 12))
