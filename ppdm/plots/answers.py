"""Figures of answers in groups that move: what a guess is worth, how accurate trees are, privacy against accuracy."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.measure.response import best_guess
from ppdm.plots.moving import headline, shown
from ppdm.plots.picture import MARKS, PALETTE, STROKES, Axes, Picture, quick_axes
from ppdm.plots.sheets import shortened

BLUE, RED, GREEN, GREY, BLACK = PALETTE[0], PALETTE[1], PALETTE[2], "#6B6B6B", PALETTE[7]
SMALL = 8  # points
LONGEST = 28  # letters of a name in a legend
SIZE = (4.15, 3.0)  # of a picture, in inches
GRID = np.linspace(0, 1, 101)
TICKS = (0.51, 0.7, 0.8, 0.9, 0.95, 0.99, 1)  # of θ, along an axis of ε
ALMOST, INFINITE, BEYOND = 5.1, 5.3, 5.55  # on an axis of ε: the most that is drawn, ∞, and the end
ABOVE: dict[str, Any] = {  # a legend in the head of a picture
    "frameon": False,
    "loc": "upper left",
    "fontsize": SMALL,
    "borderaxespad": 0,
    "labelspacing": 0.25,
}
HEAD = 0.24  # the share of a picture's height that its legend takes
LOW = 0.3  # an accuracy that few curves go below: an axis that holds it stands still while they fill in
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between ticks
STEP = 0.05  # an axis of accuracies begins and ends at a multiple of it


class Repeats:
    """Accuracies of several runs as points, a column for each kind, with the mean and two standard errors beside them.

    It is drawn once; then only what changes is set anew.

    Parameters
    ----------
    kinds : the names of the columns
    levels : the names of heights to compare with
    """

    def __init__(self, kinds: Sequence[str], levels: Sequence[str]) -> None:
        self.ax = quick_axes("", *SIZE)
        self.headline = headline(self.ax)
        right = len(kinds) + 0.25
        self.levels = {name: _level(self.ax, place) for place, name in enumerate(levels)}
        self.names = {name: _words(self.ax, right) for name in levels}
        self.columns = {name: _Column(self.ax, place) for place, name in enumerate(kinds)}
        self.ax.set_xticks(range(len(kinds)), list(kinds))
        self.ax.set(xlim=(-0.5, right + 0.05), ylabel="accuracy, %")

    def show(self, values: Mapping[str, Any], *, lines: Mapping[str, float], title: str) -> Picture:
        """The picture of these accuracies.

        Parameters
        ----------
        values : for each kind the accuracies of its runs; none yet is an empty list
        lines : the heights to compare with, by name
        """
        _check_names("values", values, self.columns)
        _check_names("lines", lines, self.levels)
        runs = {name: _accuracies(f"values[{name!r}]", values[name]) for name in self.columns}
        for name, column in self.columns.items():
            column.show(runs[name])
        for place, (name, height) in enumerate(sorted(lines.items(), key=lambda line: -line[1])):
            self.levels[name].set_ydata([height, height])
            self.names[name].set(text=_named(name, height), va="top" if place else "bottom")
            self.names[name].xy = (self.names[name].xy[0], height)
            self.names[name].xyann = (0, -3 if place else 2)  # the highest has its name above it
        _percent(self.ax, [*runs.values(), np.array([*lines.values()])], 0.08)
        return shown(self.headline, title)


class _Column:
    """The runs of one kind."""

    def __init__(self, ax: Axes, place: int) -> None:
        style: dict[str, Any] = {"color": PALETTE[place], "markersize": 5, "marker": MARKS[place], "animated": True}
        self.place = place
        (self.points,) = ax.plot([], [], linestyle="none", markerfacecolor="none", **style)
        (self.reach,) = ax.plot([], [], color=PALETTE[place], marker="_", markersize=7, animated=True)
        (self.mean,) = ax.plot([], [], linestyle="none", **style)
        self.none = ax.text(place, 0.5, "no run", transform=ax.get_xaxis_transform(), ha="center", color=GREY)
        self.none.set_animated(True)

    def show(self, runs: np.ndarray) -> None:
        spread = 0.3 * (np.arange(len(runs)) / max(len(runs) - 1, 1) - 0.5)
        self.points.set_data(self.place + spread - 0.12, runs)
        _show_mean(self.mean, self.reach, self.place + 0.22, runs)
        self.none.set_visible(not len(runs))


class TradeOff:
    """Accuracy over the ε of one answer: the more to the left, the more private.

    One answer's ε is |ln θ / (1 − θ)| whatever the table and the groups, so that pictures of both can be compared. It
    is no bound on what a whole sheet tells. It is drawn once; then only what changes is set anew.

    Parameters
    ----------
    kinds : the names of the curves
    levels : the names of heights to compare with
    """

    def __init__(self, kinds: Sequence[str], levels: Sequence[str]) -> None:
        self.ax = quick_axes("", *SIZE, below=0.66)
        self.headline = headline(self.ax)
        self.curves = {}
        for place, name in enumerate(kinds):
            style: dict[str, Any] = {"color": PALETTE[place], "markersize": 4, "label": name, "animated": True}
            (self.curves[name],) = self.ax.plot([], [], STROKES[place] + MARKS[place], **style)
        mark: dict[str, Any] = {
            "color": BLACK,
            "markerfacecolor": PALETTE[4],
            "markersize": 8,
            "zorder": 5,
            "animated": True,
        }
        (self.reach,) = self.ax.plot([], [], color=BLACK, linewidth=2, zorder=4, animated=True)
        (self.here,) = self.ax.plot([], [], "D", label="you are here", **mark)
        self.plumb = self.ax.axvline(0, 0, 1 - HEAD, color=BLACK, linewidth=1, linestyle=":", animated=True)
        self.levels = {name: _level(self.ax, place, name) for place, name in enumerate(levels)}
        ticks = [f"{_epsilon(theta):.2g}\n{theta:g}".replace("inf", "∞") for theta in TICKS]
        self.ax.set_xticks([_along(theta) for theta in TICKS], ticks, fontsize=SMALL)
        self.ax.xaxis.set_label_coords(0.5, -0.46 / (SIZE[1] - 0.66 - 0.34))
        self.ax.set(xlim=(-0.15, BEYOND), xlabel="ε of one answer, and below it its θ", ylabel="accuracy, %")
        self.words = self.ax.legend(ncols=2, **ABOVE).get_texts()[-len(levels) :]

    def show(
        self,
        curves: Mapping[str, tuple[Any, Any]],
        *,
        here: tuple[float, Any],
        lines: Mapping[str, float],
        title: str,
    ) -> Picture:
        """The picture of these curves.

        Parameters
        ----------
        curves : for each name a pair, the θ and the accuracy of its points, from the smallest ε to the largest
        here : θ, and the accuracies of some runs at it, which may be none
        lines : the heights to compare with, by name
        """
        _check_names("curves", curves, self.curves)
        _check_names("lines", lines, self.levels)
        theta, runs = checks.number("here", here[0], 0, 1), _accuracies("here", here[1])
        heights = {name: _accuracies(f"curves[{name!r}]", curves[name][1]) for name in self.curves}
        for name, line in self.curves.items():
            checks.same_length(f"thetas of {name!r}", curves[name][0], "its accuracies", heights[name])
            line.set_data([_along(one) for one in curves[name][0]], heights[name])
        _show_mean(self.here, self.reach, _along(theta), runs)
        self.plumb.set_xdata([_along(theta)] * 2)
        for (name, line), words in zip(self.levels.items(), self.words, strict=True):
            line.set_ydata([lines[name]] * 2)
            words.set_text(_named(name, lines[name]))
        _percent(self.ax, [*heights.values(), runs, np.array([LOW, *lines.values()])], HEAD)
        return shown(self.headline, title)


class Guesses:
    """The probability of the truth after an answer, and of the best guess, over θ (DZ03 §1.2).

    It is drawn once; then only what changes is set anew.
    """

    def __init__(self) -> None:
        self.share = float("nan")  # of the curves as they stand
        self.ax = quick_axes("", *SIZE)
        self.headline = headline(self.ax)
        (self.yes,) = self.ax.plot([], [], STROKES[0], color=BLUE, animated=True)
        (self.no,) = self.ax.plot([], [], STROKES[1], color=GREEN, animated=True)
        (self.best,) = self.ax.plot([], [], color=BLACK, linewidth=2.4, animated=True)
        (bound,) = self.ax.plot(GRID, np.maximum(GRID, 1 - GRID), ":", color=RED, linewidth=2)
        (self.plumb,) = self.ax.plot([0, 0], [-0.03, 1.05], ":", color=BLACK, linewidth=1, animated=True)
        (self.here,) = self.ax.plot([], [], "D", color=BLACK, markerfacecolor=PALETTE[4], markersize=7, animated=True)
        self.ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        self.ax.set(xlim=(-0.02, 1.02), ylim=(-0.03, 1.48), xlabel="θ", ylabel="probability")
        names = ["yes", "no", "best guess: how often right", "bound of the paper: θ, or 1 − θ"]
        self.words = self.ax.legend([self.yes, self.no, self.best, bound], names, **ABOVE).get_texts()

    def show(self, share: float, *, theta: float, name: str, title: str) -> Picture:
        """The picture for one answer.

        Parameters
        ----------
        share : of the people whose truth is 1, in (0, 1)
        theta : where one is
        name : of the answer
        """
        if share != self.share:
            points = [best_guess(at, share) for at in GRID]
            self.yes.set_data(GRID, [one.yes for one in points])
            self.no.set_data(GRID, [1 - one.no for one in points])
            self.best.set_data(GRID, [one.right for one in points])
            self.share = share
        for value, words in zip((1, 0), self.words, strict=False):
            words.set_text(f"{shortened(name, LONGEST)} truly {value}, where {value} is released")
        at = best_guess(theta, share)
        self.plumb.set_xdata([theta, theta])
        self.here.set_data([theta] * 3, [at.yes, 1 - at.no, at.right])
        return shown(self.headline, title)


def _check_names(name: str, given: Any, expected: Collection[str]) -> None:
    """Nothing, if there is what was announced when the figure was made."""
    if set(checks.mapping(name, given)) != set(expected):
        raise ValueError(f"{name} has {', '.join(map(repr, given))}; expected {', '.join(map(repr, expected))}")


def _accuracies(name: str, values: Any) -> np.ndarray:
    """The values as an array, if they are accuracies; there may be none."""
    if not len(values):
        return np.empty(0)
    array = checks.vector(name, values)
    checks.none_wrong(name, array, (array < 0) | (array > 1), "outside [0, 1]", "accuracies")
    return array


def _level(ax: Axes, place: int, label: str = "") -> Any:
    """A line all across, yet without its height."""
    style: dict[str, Any] = {
        "color": GREY,
        "linestyle": STROKES[1 + place % 4],
        "linewidth": 1,
        "zorder": 0,
        "animated": True,
    }
    return ax.axhline(0, label=label or None, **style)


def _words(ax: Axes, right: float) -> Any:
    """The name of a line, yet without its text, that ends at the right."""
    style: dict[str, Any] = {"fontsize": SMALL, "color": "#444444", "ha": "right", "animated": True}
    return ax.annotate("", (right, 0), (0, 0), textcoords="offset points", **style)


def _show_mean(mark: Any, reach: Any, place: float, runs: np.ndarray) -> None:
    """The mean and two standard errors, where there are runs."""
    mean, error = (runs.mean(), 2 * _error(runs)) if len(runs) else (np.nan, 0.0)
    mark.set_data([place], [mean])
    reach.set_data([place] * 2, [mean - error, mean + error])


def _named(name: str, height: float) -> str:
    return f"{name} {100 * height:.1f} %"


def _percent(ax: Axes, found: Sequence[np.ndarray], head: float = 0.0) -> None:
    """An axis of accuracies in per cent that holds all that was found, below a head for the legend."""
    every = np.concatenate(found)
    low, high = (every.min(), every.max()) if len(every) else (0.0, 1.0)
    low, high = STEP * np.floor(low / STEP - 0.2), STEP * np.ceil(high / STEP + 0.1)
    step = next(step for step in STEPS if high - low <= 5.5 * step)
    ticks = np.arange(np.ceil(low / step - 1e-9), high / step + 1e-9) * step
    ticks = np.abs(ticks[(ticks > -1e-9) & (ticks < 1 + 1e-9)])  # no accuracy is beyond
    top = low + (high - low) / (1 - head)
    if ax.get_ylim() != (low, top):
        ax.set_yticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
        ax.set_ylim(low, top)


def _error(runs: np.ndarray) -> float:
    """The standard error of the mean; 0 for a single run, which tells none."""
    return float(runs.std(ddof=1) / len(runs) ** 0.5) if len(runs) > 1 else 0.0


def _epsilon(theta: float) -> float:
    return float(abs(np.log(theta / (1 - theta)))) if 0 < theta < 1 else float("inf")


def _along(theta: float) -> float:
    """Where a θ stands on the axis of ε."""
    return min(_epsilon(theta), INFINITE if theta in (0, 1) else ALMOST)
