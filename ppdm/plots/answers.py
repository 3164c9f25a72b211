"""Figures of answers in groups: who shares a coin, what a leak tells, how accurate trees are, what a guess is worth."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.disguise.grouped import checked_groups
from ppdm.measure.response import best_guess
from ppdm.plots.picture import MARKS, PALETTE, STROKES, Axes, Picture, finished, quick_axes

BLUE, RED, GREEN, GREY, BLACK = PALETTE[0], PALETTE[1], PALETTE[2], "#6B6B6B", PALETTE[7]
SMALL = 8  # points
WIDE, INDENT, LETTER, AROUND, GAP = 4.18, 0.58, 0.07, 0.14, 0.06  # inches of a row of boxes
LONGEST = 47  # letters that fit into a row
ROW, LOWEST = (0.19, 0.3), 3.2  # inches: the height of a row of boxes, and of the picture
BOXES: dict[str, dict[str, Any]] = {
    "leaked": {"color": BLACK, "edgecolor": BLACK},
    "certain then": {"color": "#FFF1D6", "edgecolor": RED, "hatch": "///", "hatchcolor": "#F7D9A0", "linewidth": 1.4},
    "hidden": {"color": "white", "edgecolor": "#888888", "linewidth": 1},
    "open": {"color": "white", "edgecolor": "#888888", "linewidth": 1, "linestyle": ":"},
}
TICKS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1)  # of θ, along an axis of ε
INFINITE, BEYOND = 5.3, 5.55  # where ∞ stands on an axis of ε, and where it ends
ABOVE: dict[str, Any] = {  # a legend in the head of a picture
    "frameon": False,
    "loc": "upper left",
    "fontsize": SMALL,
    "borderaxespad": 0,
    "labelspacing": 0.25,
}
HEAD = 0.24  # the share of a picture's height that its legend takes
STEP = 0.05  # an axis of accuracies begins and ends at a multiple of it


def sheet(
    groups: Sequence[Sequence[Any]],
    *,
    open_columns: Collection[Any] = (),
    leaked: Any = None,
    certain: Collection[Any] = (),
    names: Mapping[Any, str] | None = None,
    title: str = "",
) -> Picture:
    """Who is in which group, a row of boxes a group, and what becomes certain once one answer is known (DZ03 §1.2).

    Parameters
    ----------
    groups : lists of columns, as of a ``GroupedResponse``
    open_columns : columns in no group
    leaked : the column whose true answer is known; None: none is
    certain : the columns whose answers are known then
    names : words for columns, where their own names do not do
    """
    rows = [(f"group {place}", list(group)) for place, group in enumerate(checked_groups(groups), 1)]
    rows += [("open", list(open_columns))] if open_columns else []
    words = {c: str((names or {}).get(c, c)) for _, group in rows for c in group}
    places, lines = _places(rows, words)
    pitch = min(max((LOWEST - 0.85) / lines, ROW[0]), ROW[1])
    ax = quick_axes(title, height=max(LOWEST, lines * pitch + 0.85), left=0.1, below=0.1)
    kinds = {c: "open" if c in set(open_columns) else "hidden" for c in words}
    kinds |= dict.fromkeys(certain, "certain then") | ({} if leaked is None else {leaked: "leaked"})
    _boxes(ax, places, words, kinds, pitch)
    for name, column in ((name, group[0]) for name, group in rows):
        ax.text(0, (places[column][1] + 0.5) * pitch, name, va="center", fontsize=SMALL)
    _key(ax, lines * pitch + 0.16, [kind for kind in BOXES if kind in kinds.values()])
    ax.set(xlim=(0, WIDE), ylim=(max(lines * pitch + 0.41, LOWEST - 0.44), 0))
    ax.axis("off")
    return finished(ax)


def repeats(values: Mapping[str, Any], *, lines: Mapping[str, float] | None = None, title: str = "") -> Picture:
    """Accuracies of several runs as points, a column for each kind, with the mean and two standard errors beside them.

    Parameters
    ----------
    values : for each kind the accuracies of its runs; none yet is an empty list
    lines : heights to compare with, by name
    """
    kinds = {name: np.asarray(runs, dtype=float) for name, runs in checks.mapping("values", values).items()}
    ax = quick_axes(title)
    for place, runs in enumerate(kinds.values()):
        style: dict[str, Any] = {"color": PALETTE[place], "markersize": 5}
        spread = 0.3 * (np.arange(len(runs)) / max(len(runs) - 1, 1) - 0.5)
        ax.plot(place + spread - 0.12, runs, MARKS[place], markerfacecolor="none", linestyle="none", **style)
        if len(runs):
            ax.errorbar(place + 0.22, runs.mean(), 2 * _error(runs), fmt=MARKS[place], capsize=3, **style)
        else:
            ax.text(place, 0.5, "none", transform=ax.get_xaxis_transform(), ha="center", fontsize=9, color=GREY)
    edge = len(kinds) - 0.5
    _across(ax, lines or {}, edge + 0.75)
    _percent(ax, [*kinds.values(), np.array([*(lines or {}).values()])])
    ax.set_xticks(range(len(kinds)), list(kinds))
    ax.set(xlim=(-0.5, edge + 0.8), ylabel="accuracy, %")
    return finished(ax)


def trade_off(
    curves: Mapping[str, tuple[Any, Any]],
    *,
    here: tuple[float, Any] | None = None,
    lines: Mapping[str, float] | None = None,
    title: str = "",
) -> Picture:
    """Accuracy over the ε of one answer: the more to the left, the more private.

    One answer's ε is |ln θ / (1 − θ)| whatever the table and the groups, so that pictures of both can be compared. It
    is no bound on what a whole sheet tells.

    Parameters
    ----------
    curves : for each name a pair, the θ and the accuracy of its points, from the smallest ε to the largest
    here : θ, and the accuracies of some runs at it, which may be none
    lines : heights to compare with, by name
    """
    ax = quick_axes(title, below=0.66)
    found = [np.array([*(lines or {}).values()])]
    for place, (name, (thetas, heights)) in enumerate(checks.mapping("curves", curves).items()):
        style: dict[str, Any] = {"color": PALETTE[place], "markersize": 4, "label": name}
        ax.plot([_along(theta) for theta in thetas], heights, STROKES[place] + MARKS[place], **style)
        found.append(np.asarray(heights, dtype=float))
    if here is not None:
        theta, runs = checks.number("here", here[0], 0, 1), np.asarray(here[1], dtype=float)
        ax.axvline(_along(theta), 0, 1 - HEAD, color=BLACK, linewidth=1, linestyle=":")
        if len(runs):
            mark: dict[str, Any] = {"fmt": "D", "color": BLACK, "markerfacecolor": PALETTE[4], "markersize": 8}
            ax.errorbar(_along(theta), runs.mean(), 2 * _error(runs), label="you are here", zorder=5, **mark)
        found.append(runs)
    for place, (name, height) in enumerate((lines or {}).items()):
        level: dict[str, Any] = {"color": GREY, "linestyle": STROKES[1 + place % 4], "linewidth": 1, "zorder": 0}
        ax.axhline(height, label=_named(name, height), **level)
    _percent(ax, found, HEAD)
    ticks = [f"{_epsilon(theta):.1f}\n{theta:g}".replace("inf", "∞") for theta in TICKS]
    ax.set_xticks([_along(theta) for theta in TICKS], ticks, fontsize=SMALL)
    ax.xaxis.set_label_coords(0.5, -0.46 / (3.2 - 0.66 - 0.34))
    ax.set(xlim=(-0.15, BEYOND), xlabel="ε of one answer, and below it its θ", ylabel="accuracy, %")
    ax.legend(ncols=2, **ABOVE)
    return finished(ax)


def guesses(share: float, *, theta: float | None = None, name: str = "an answer", title: str = "") -> Picture:
    """The probability of the truth after an answer, and of the best guess, over θ (DZ03 §1.2).

    Parameters
    ----------
    share : of the people whose truth is 1, in (0, 1)
    theta : where one is; None: nowhere
    name : of the answer
    """
    grid = np.linspace(0, 1, 101)
    points = [best_guess(at, share) for at in grid]
    ax = quick_axes(title)
    ax.plot(grid, [one.yes for one in points], STROKES[0], color=BLUE, label=f"{name} is 1, after a 1")
    ax.plot(grid, [1 - one.no for one in points], STROKES[1], color=GREEN, label=f"{name} is 0, after a 0")
    ax.plot(grid, [one.right for one in points], color=BLACK, linewidth=2.4, label="the best guess is right")
    ax.plot(grid, np.maximum(grid, 1 - grid), ":", color=RED, linewidth=2, label="bound of the paper: θ, or 1 − θ")
    if theta is not None:
        at = best_guess(theta, share)
        ax.plot([theta] * 2, [-0.03, 1.05], ":", color=BLACK, linewidth=1)
        ax.plot([theta] * 3, [at.yes, 1 - at.no, at.right], "D", color=BLACK, markerfacecolor=PALETTE[4], markersize=7)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.03, 1.48), xlabel="θ", ylabel="probability")
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.legend(**ABOVE)
    return finished(ax)


def _places(rows: list[tuple[str, list[Any]]], words: Mapping[Any, str]) -> tuple[dict[Any, tuple[float, int]], int]:
    """Where each box begins, and in which line; a group that is too long goes on in the next one."""
    places: dict[Any, tuple[float, int]] = {}
    line = 0
    for _, group in rows:
        left = INDENT
        for column in group:
            if left > INDENT and left + _width(words[column]) > WIDE:
                left, line = INDENT, line + 1
            places[column] = (left, line)
            left += _width(words[column]) + GAP
        line += 1
    return places, line


def _width(word: str) -> float:
    return LETTER * min(len(word), LONGEST) + AROUND


def _boxes(
    ax: Axes, places: Mapping[Any, Any], words: Mapping[Any, str], kinds: Mapping[Any, str], pitch: float
) -> None:
    for column, (left, line) in places.items():
        _box(ax, left, line * pitch, words[column], kinds[column], pitch)


def _box(ax: Axes, left: float, top: float, word: str, kind: str, pitch: float) -> None:
    style: dict[str, Any] = {"color": "white", "weight": "bold"} if kind == "leaked" else {}
    ax.bar(left, 0.84 * pitch, _width(word), top + 0.08 * pitch, align="edge", **BOXES[kind])
    short = word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"
    ax.text(left + _width(word) / 2, top + pitch / 2, short, ha="center", va="center", fontsize=SMALL, **style)


def _key(ax: Axes, top: float, kinds: list[str]) -> None:
    """What the boxes mean."""
    left = 0.0
    for kind in kinds:
        ax.bar(left, 0.13, 0.2, top, align="edge", **BOXES[kind])
        ax.text(left + 0.26, top + 0.065, kind, va="center", fontsize=SMALL)
        left += 0.5 + LETTER * len(kind)


def _across(ax: Axes, lines: Mapping[str, float], right: float) -> None:
    """Lines all across, named at the right: the highest above it, others below."""
    for place, (name, height) in enumerate(sorted(lines.items(), key=lambda line: -line[1])):
        ax.axhline(height, color=GREY, linewidth=1, linestyle=STROKES[1 + place % 4], zorder=0)
        style: dict[str, Any] = {"fontsize": SMALL, "color": "#444444", "ha": "right", "textcoords": "offset points"}
        above: dict[str, Any] = {"va": "top", "xytext": (0, -3)} if place else {"va": "bottom", "xytext": (0, 2)}
        ax.annotate(_named(name, height), (right, height), **above, **style)


def _named(name: str, height: float) -> str:
    return f"{name} {100 * height:.1f} %"


def _percent(ax: Axes, found: Sequence[np.ndarray], head: float = 0.0) -> None:
    """An axis of accuracies in per cent that holds all that was found, below a head for the legend."""
    every = np.concatenate(found)
    low, high = (every.min(), every.max()) if len(every) else (0.0, 1.0)
    low, high = STEP * np.floor(low / STEP - 0.2), STEP * np.ceil(high / STEP + 0.1)
    step = STEP * max(round((high - low) / STEP / 5), 1)
    ticks = np.arange(np.ceil(low / step - 1e-9), high / step + 1e-9) * step
    ax.set_yticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    ax.set_ylim(low, low + (high - low) / (1 - head))


def _error(runs: np.ndarray) -> float:
    """The standard error of the mean; 0 for a single run, which tells none."""
    return float(runs.std(ddof=1) / len(runs) ** 0.5) if len(runs) > 1 else 0.0


def _epsilon(theta: float) -> float:
    return float(abs(np.log(theta / (1 - theta)))) if 0 < theta < 1 else float("inf")


def _along(theta: float) -> float:
    """Where a θ stands on the axis of ε."""
    return min(_epsilon(theta), INFINITE)
