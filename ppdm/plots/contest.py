"""Figures of strategies that compete: their accuracies, and what a tree decides over a plane."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.checks import readable
from ppdm.plots.picture import (
    Axes,
    ListedColormap,
    Picture,
    colour,
    finished,
    pale,
    quick_axes,
)
from ppdm.plots.treetop import short

SMALL, GREY = 8, "#777777"
NOTED, LINE = 0.95, 0.15  # inches below the axes of a picture with a note; where that begins, as a share of the height
ROOM = 0.2  # as much accuracy as its number takes up
ROW, IN_A_ROW = 0.19, 4  # of the legend: inches, entries


def scores(
    values: Mapping[str, float | None],
    *,
    chosen: str | None = None,
    least: float | None = None,
    bound: Collection[str] = (),
    note: str = "",
    label: str = "accuracy",
    title: str = "",
) -> Picture:
    """A bar for each accuracy, one of them set off, and a line from where on some of them are said to be.

    Parameters
    ----------
    values : an accuracy for each name; None where it is still to come
    chosen : the name whose bar is set off
    least : what somebody says that the accuracies of ``bound`` are at least; None: nothing is marked
    bound : names of values
    note : what is marked, or why nothing is, in a line or two
    label : below the axis
    """
    values = checks.mapping("values", values)
    there = {name: value for name, value in values.items() if value is not None}
    known = {name: checks.number(f"values[{name!r}]", value, 0, 1) for name, value in there.items()}
    for name in bound:
        checks.choice("bound", name, values)
    if chosen is not None:
        checks.choice("chosen", chosen, values)
    if least is not None:
        checks.number("least", least, 0, 1)
    ax = quick_axes(title, left=1.5, below=NOTED if note else 0.5)
    for place, name in enumerate(values):
        _bar(ax, place, known.get(name), name == chosen, least if name in bound else None)
    if note:
        _note(ax, note, least is not None)
    _name_axes(ax, [str(name) for name in values], list(values).index(chosen) if chosen in values else None)
    ax.set_xlabel(label, fontsize=SMALL + 1)
    return finished(ax)


def _name_axes(ax: Axes, names: Sequence[str], chosen: int | None) -> None:
    """A name for each bar, that of the chosen one bold, and an axis of per cent."""
    ax.set_yticks(range(len(names)), names, fontsize=SMALL)
    if chosen is not None:
        ax.get_yticklabels()[chosen].set_fontweight("bold")
    ticks = np.arange(0, 1.01, 0.2)
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks], fontsize=SMALL)
    ax.set(xlim=(0, 1.03), ylim=(len(names) - 0.45, -0.55))


def _bar(ax: Axes, place: int, value: float | None, set_off: bool, least: float | None) -> None:
    """A bar with its value at its end, and a bold line from where on it is said to end."""
    if least is not None:
        ax.plot([least, least], [place - 0.47, place + 0.47], color=colour(1), linewidth=2.5, zorder=3)
    if value is None:
        ax.text(0, place, "  …", va="center", fontsize=SMALL, color=GREY)
        return
    fill, edge = (colour(0), "black") if set_off else (pale(colour(0)), colour(0))
    ax.barh(place, value, height=0.62, color=fill, edgecolor=edge, linewidth=1.6 if set_off else 0.8)
    end = least if least is not None and 0 < value - least < ROOM else value  # not over the line
    inside = end > ROOM
    style: dict[str, Any] = {"ha": "right" if inside else "left", "fontweight": "bold" if set_off else "normal"}
    style["color"] = "white" if inside and set_off else "black"
    ax.text(end, place, f" {100 * value:.1f} % ", va="center", fontsize=SMALL, zorder=4, **style)


def _note(ax: Axes, note: str, marked: bool) -> None:
    """What is said of the bars, after the line that marks it."""
    if marked:
        ax.figure.text(0.03, LINE, "┃", color=colour(1), fontsize=SMALL + 1, fontweight="bold", va="top")
    ax.figure.text(0.055, LINE, note, fontsize=SMALL, color="black" if marked else GREY, va="top", linespacing=1.15)


def decided(
    classes: Sequence[Any],
    across: Any,
    up: Any,
    decisions: Any,
    *,
    points: tuple[Any, Any],
    of: Any,
    domain: tuple[tuple[float, float], tuple[float, float]],
    x: str = "",
    y: str = "",
    title: str = "",
) -> Picture:
    """What is decided over a plane, as areas, and records over it, each class with a colour and a mark.

    Parameters
    ----------
    classes : their labels
    across, up : places along both axes, increasing
    decisions : the number of the class at each place, a row for each place of ``up``
    points : where records are: a pair of arrays, along both axes
    of : the class of each of these
    domain : the low and high that true values can have, of both axes: a dashed frame
    x, y : names of the axes
    """
    across, up = _even("across", across), _even("up", up)
    numbers, box = checks.matrix("decisions", decisions), _box(domain)
    if numbers.shape != (len(up), len(across)):
        raise ValueError(f"decisions has shape {numbers.shape}; expected {(len(up), len(across))}")
    if numbers.max() >= len(classes):
        raise ValueError(f"decisions holds {numbers.max():g}; expected the number of one of {len(classes)} classes")
    checks.none_wrong("decisions", numbers.ravel(), numbers.ravel() % 1 != 0, "fractions", "numbers of classes")
    right, top, labels = _records(points, of, classes)
    rows = -(-(len(classes) + 1) // IN_A_ROW)
    ax = quick_axes(title, left=0.85, below=0.52 + ROW * rows)
    colours = ListedColormap([pale(colour(number)) for number in range(len(classes))])
    options: dict[str, Any] = {"interpolation": "nearest", "origin": "lower", "aspect": "auto"}
    options["extent"] = (across[0], across[-1], up[0], up[-1])
    ax.imshow(numbers, cmap=colours, vmin=-0.5, vmax=len(classes) - 0.5, **options)
    _over(ax, classes, right, top, labels)
    ax.plot(*box, color="black", linestyle="--", linewidth=1, label="true range")
    _legend_below(ax)
    _number_axes(ax, x, y)
    return finished(ax)


def _even(name: str, places: Any) -> np.ndarray:
    """Places along an axis, if they are as far from each other all the way."""
    found = checks.edges(name, places)
    steps = np.diff(found)
    if not np.allclose(steps, steps[0]):
        raise ValueError(f"{name} has steps from {steps.min():g} to {steps.max():g}; expected even steps")
    return found


def _box(domain: Any) -> tuple[list[float], list[float]]:
    """The corners of a domain along both axes, back to the first."""
    expected = "expected two pairs, the low and high of each axis"
    if not isinstance(domain, (tuple, list)) or len(domain) != 2:
        raise ValueError(f"domain is {domain!r}; {expected}")
    if not all(isinstance(pair, (tuple, list, np.ndarray)) and len(pair) == 2 for pair in domain):
        raise ValueError(f"domain is {domain!r}; {expected}")
    (a, b), (low, high) = (checks.edges(f"domain[{axis}]", domain[axis]).tolist() for axis in (0, 1))
    return [a, b, b, a, a], [low, low, high, high, low]


def _legend_below(ax: Axes) -> None:
    """What the marks mean, in rows at the picture's foot, where they hide nothing."""
    named = ax.get_legend_handles_labels()[1]
    ax.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.figure.transFigure,
        ncols=min(len(named), IN_A_ROW),
        fontsize=SMALL,
        frameon=False,
        markerscale=2,
        borderpad=0.3,
        handlelength=1.4,
        handletextpad=0.4,
        columnspacing=1.2,
        labelspacing=0.25,
    )


def _records(points: Any, of: Any, classes: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where records are along both axes, and their classes."""
    if not isinstance(points, (tuple, list)) or len(points) != 2:
        count = f"{len(points)} parts" if isinstance(points, (tuple, list)) else repr(points)
        raise ValueError(f"points is {count}; expected a pair of arrays, one for each axis")
    right, top = (checks.vector(f"points[{axis}]", points[axis]) for axis in (0, 1))
    labels = checks.labels("of", of)
    checks.same_length("of", labels, "points[0]", right)
    checks.same_length("points[1]", top, "points[0]", right)
    known = checks.labels("classes", classes).tolist()
    for name in np.unique(labels).tolist():
        checks.choice("of", name, known)
    return right, top, labels


def _over(ax: Axes, classes: Sequence[Any], right: np.ndarray, top: np.ndarray, labels: np.ndarray) -> None:
    """Records, each class with a colour and a mark."""
    style: dict[str, Any] = {"markersize": 2.2, "linestyle": "none", "markeredgewidth": 0.6}
    most = 14 if len(classes) < IN_A_ROW - 1 else 9  # characters, so that a row of the legend fits
    for number, name in enumerate(classes):
        here, label = labels == name, short(str(name), most)
        ax.plot(right[here], top[here], "ox+^vP*"[number % 7], color=colour(number), label=label, **style)


def _number_axes(ax: Axes, x: str, y: str) -> None:
    ax.set_xlabel(short(x, 46), fontsize=SMALL + 1)
    ax.set_ylabel(short(y, 30), fontsize=SMALL + 1)
    ax.locator_params(nbins=5)
    ax.tick_params(labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: readable(value) if abs(value) < 1e6 else f"{value:.3g}")
