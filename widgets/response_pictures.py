"""The pictures of the response explorer: what a guess is worth, how accurate trees are, accuracy against privacy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ppdm.plots import Picture
from ppdm.studies.dz03_privacy import best_guess, log_odds

from .answers import Curve
from .picture import SIZE, SMALL, LivePicture, MovingFigure, short

BLUE, RED, GREEN, _, ORANGE, *_, BLACK = map(Picture.colour, range(8))
GREY, DARK = "#6B6B6B", "#444444"
GRID = np.linspace(0, 1, 101)
TICKS = (0.51, 0.7, 0.8, 0.9, 0.95, 0.99, 1)  # of θ, along an axis of ε
ALMOST, INFINITE, BEYOND = 5.1, 5.3, 5.55  # on an axis of ε: the most that is drawn, ∞, and the end
# A legend in the head of a picture.
TOP: dict[str, Any] = {"frameon": False, "loc": "upper left", "fontsize": SMALL}
TOP |= {"borderaxespad": 0, "labelspacing": 0.25}
HEAD = 0.24  # the share of a picture's height that its legend takes
LOW = 0.3  # an accuracy that few curves go below: an axis that holds it stands still while they fill in
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between ticks
STEP = 0.05  # an axis of accuracies begins and ends at a multiple of it
LEVEL: dict[str, Any] = {"color": GREY, "linewidth": 1, "zorder": 0, "animated": True}
KINDS = ("from estimates", "naive")  # of trees
LEVELS = {"plain ID3": "--", "majority": "-"}  # to compare with, and the strokes of their lines
LONGEST = 28  # letters of a name in a legend


class Repeats(MovingFigure):
    """Accuracies of several runs as points, a column for each kind, with the mean and two standard errors beside them.

    Two lines are to compare with: the accuracies of plain ID3, and of always the larger class.
    """

    def __init__(self) -> None:
        super().__init__()
        right = len(KINDS) + 0.25
        words: dict[str, Any] = {"fontsize": SMALL, "color": DARK, "ha": "right"}
        self.levels = _level_lines(self.ax)
        places: dict[str, Any] = {"xy": (right, 0), "xytext": (0, 0), "textcoords": "offset points"}
        self.names = {name: self.ax.annotate("", **places, **words) for name in LEVELS}
        self.columns = [_Column(self.ax, place) for place in range(len(KINDS))]
        self.ax.set_xticks(range(len(KINDS)), KINDS)
        self.ax.set(xlim=(-0.5, right + 0.05), ylabel="accuracy, %")

    def show(self, runs: Sequence[np.ndarray], levels: Sequence[float], *, title: str) -> LivePicture:
        """The picture of the accuracies of each kind's runs, and of the two to compare with."""
        for column, accuracies in zip(self.columns, runs):
            column.show(accuracies)
        lines = zip(LEVELS, levels)
        for place, (name, height) in enumerate(sorted(lines, key=lambda line: -line[1])):
            self.levels[name].set_ydata([height, height])
            self.names[name].set(text=_named(name, height), va="top" if place else "bottom")
            self.names[name].xy = (self.names[name].xy[0], height)
            self.names[name].xyann = (0, -3 if place else 2)  # the highest has its name above it
        _percent(self.ax, [*runs, np.array(levels)], 0.08)
        return self.shown(title)


class _Column:
    """The runs of one kind."""

    def __init__(self, ax, place):
        hue = Picture.colour(place)
        style: dict[str, Any] = {"color": hue, "markersize": 5, "marker": "os"[place], "animated": True}
        self.place = place
        (self.points,) = ax.plot([], [], linestyle="none", markerfacecolor="none", **style)
        (self.reach,) = ax.plot([], [], color=hue, marker="_", markersize=7, animated=True)
        (self.mean,) = ax.plot([], [], linestyle="none", **style)
        self.none = ax.text(place, 0.5, "no run", transform=ax.get_xaxis_transform(), ha="center", color=GREY)
        self.none.set_animated(True)

    def show(self, runs):
        """Show these accuracies."""
        spread = 0.3 * (np.arange(len(runs)) / max(len(runs) - 1, 1) - 0.5)
        self.points.set_data(self.place + spread - 0.12, runs)
        _show_mean(self.mean, self.reach, self.place + 0.22, runs)
        self.none.set_visible(not len(runs))


class TradeOff(MovingFigure):
    """Accuracy over the ε of one answer: the more to the left, the more private.

    The ε of one answer is |ln θ / (1 − θ)| for every table and all groups, so pictures of different ones can be
    compared. It is no bound on what a whole sheet tells.
    """

    def __init__(self) -> None:
        super().__init__(below=0.66, headline="Accuracy against privacy")
        self.curves = []
        for name, stroke, hue in zip(KINDS, ("-o", "--s"), (BLUE, RED)):
            self.curves += self.ax.plot([], [], stroke, color=hue, markersize=4, label=name, animated=True)
        mark: dict[str, Any] = {"color": BLACK, "markerfacecolor": ORANGE, "markersize": 8, "zorder": 5}
        (self.reach,) = self.ax.plot([], [], color=BLACK, linewidth=2, zorder=4, animated=True)
        (self.here,) = self.ax.plot([], [], "D", label="you are here", animated=True, **mark)
        self.plumb = self.ax.axvline(0, 0, 1 - HEAD, color=BLACK, linewidth=1, linestyle=":", animated=True)
        self.levels = _level_lines(self.ax)
        ticks = [f"{log_odds(theta):.2g}\n{theta:g}".replace("inf", "∞") for theta in TICKS]
        self.ax.set_xticks([_along(theta) for theta in TICKS], ticks, fontsize=SMALL)
        self.ax.xaxis.set_label_coords(0.5, -0.46 / (SIZE[1] - 0.66 - 0.34))
        self.ax.set(xlim=(-0.15, BEYOND), xlabel="ε of one answer, and below it its θ", ylabel="accuracy, %")
        self.words = self.ax.legend(ncols=2, **TOP).get_texts()[-len(LEVELS) :]

    def show(self, curve: Curve, levels: Sequence[float], *, theta: float, runs: np.ndarray) -> LivePicture:
        """The picture of these curves.

        Parameters
        ----------
        curve : for some θ the accuracies of both kinds
        levels : the two accuracies to compare with
        theta, runs : the current θ, and the accuracies of some runs there, which may be none
        """
        thetas = sorted(curve)
        for kind, line in enumerate(self.curves):
            line.set_data([_along(one) for one in thetas], [curve[one][kind] for one in thetas])
        _show_mean(self.here, self.reach, _along(theta), runs)
        self.plumb.set_xdata([_along(theta)] * 2)
        for name, words, height in zip(LEVELS, self.words, levels):
            self.levels[name].set_ydata([height, height])
            words.set_text(_named(name, height))
        _percent(self.ax, [np.array([*curve.values()]).ravel(), runs, np.array([LOW, *levels])], HEAD)
        return self.shown()


class Guesses(MovingFigure):
    """The probability of the truth after an answer, and of the best guess, over θ (DZ03 §1.2)."""

    def __init__(self) -> None:
        super().__init__(headline="What one answer tells")
        self.share = float("nan")  # of the curves as they stand
        (self.yes,) = self.ax.plot([], [], "-", color=BLUE, animated=True)
        (self.no,) = self.ax.plot([], [], "--", color=GREEN, animated=True)
        (self.best,) = self.ax.plot([], [], color=BLACK, linewidth=2.4, animated=True)
        (bound,) = self.ax.plot(GRID, np.maximum(GRID, 1 - GRID), ":", color=RED, linewidth=2)
        (self.plumb,) = self.ax.plot([0, 0], [-0.03, 1.05], ":", color=BLACK, linewidth=1, animated=True)
        (self.here,) = self.ax.plot([], [], "D", color=BLACK, markerfacecolor=ORANGE, markersize=7, animated=True)
        self.ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        self.ax.set(xlim=(-0.02, 1.02), ylim=(-0.03, 1.48), xlabel="θ", ylabel="probability")
        names = ["yes", "no", "best guess: how often right", "bound of the paper: θ, or 1 − θ"]
        self.words = self.ax.legend([self.yes, self.no, self.best, bound], names, **TOP).get_texts()

    def show(self, share: float, *, theta: float, name: str) -> LivePicture:
        """The picture for one answer.

        Parameters
        ----------
        share : of the people whose truth is 1, in (0, 1)
        theta : the current θ
        name : of the answer
        """
        if share != self.share:
            points = [best_guess(at, share) for at in GRID]
            self.yes.set_data(GRID, [one.yes for one in points])
            self.no.set_data(GRID, [1 - one.no for one in points])
            self.best.set_data(GRID, [one.right for one in points])
            self.share = share
        for value, words in zip((1, 0), self.words):
            words.set_text(f"{short(name, LONGEST)} truly {value}, where {value} is released")
        at = best_guess(theta, share)
        self.plumb.set_xdata([theta, theta])
        self.here.set_data([theta] * 3, [at.yes, 1 - at.no, at.right])
        return self.shown()


def two_errors(runs: np.ndarray) -> float:
    """Two standard errors of a mean."""
    return float(2 * runs.std(ddof=1) / len(runs) ** 0.5)


def _show_mean(mark, reach, place, runs):
    """The mean and two standard errors, where there are runs."""
    mean = runs.mean() if len(runs) else np.nan
    error = two_errors(runs) if len(runs) > 1 else 0.0  # a single run has none
    mark.set_data([place], [mean])
    reach.set_data([place] * 2, [mean - error, mean + error])


def _level_lines(ax):
    """A line for each accuracy to compare with."""
    return {name: ax.axhline(0, linestyle=stroke, label=name, **LEVEL) for name, stroke in LEVELS.items()}


def _named(name, height):
    return f"{name} {100 * height:.1f} %"


def _percent(ax, found, head):
    """An axis in per cent that holds all accuracies, with room for the legend above."""
    every = np.concatenate(found)
    low, high = STEP * np.floor(every.min() / STEP - 0.2), STEP * np.ceil(every.max() / STEP + 0.1)
    step = next(step for step in STEPS if high - low <= 5.5 * step)
    ticks = np.arange(np.ceil(low / step - 1e-9), high / step + 1e-9) * step
    ticks = np.abs(ticks[(ticks > -1e-9) & (ticks < 1 + 1e-9)])  # no accuracy is beyond
    top = low + (high - low) / (1 - head)
    if ax.get_ylim() != (low, top):
        ax.set_yticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
        ax.set_ylim(low, top)


def _along(theta):
    """Where a θ stands on the axis of ε."""
    return min(log_odds(theta), INFINITE if theta in (0, 1) else ALMOST)
