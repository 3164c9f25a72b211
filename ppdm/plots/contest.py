"""Figures of strategies that compete: their accuracies, and what a tree decides over a plane."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ppdm import checks
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
from ppdm.trees.rules import readable

SMALL, GREY = 8, "#777777"


def scores(
    values: Mapping[str, float | None],
    *,
    chosen: str | None = None,
    least: float | None = None,
    bound: Collection[str] = (),
    note: str = "",
    label: str = "accuracy",
    low: float = 0.0,
    title: str = "",
) -> Picture:
    """A bar for each accuracy, one of them set off, and from where on some of them are said to be.

    Parameters
    ----------
    values : an accuracy for each name; None where it is still to come
    chosen : the name whose bar is set off
    least : what somebody says that the accuracies of ``bound`` are at least; None: nothing is marked
    bound : names of values
    note : what is marked, or why nothing is, in a few words
    label : below the axis
    low : where the axis begins; at 0, if a bar would end before that
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
    low = checks.number("low", low, 0, 1, open_high=True)
    low = low if min(known.values(), default=1) > low else 0.0
    ax = quick_axes(title, left=1.5, below=0.72 if note else 0.5)
    for place, name in enumerate(values):
        _bar(ax, place, known.get(name), low, name == chosen, least if name in bound else None)
    if note:
        _note(ax, note, least is not None)
    _name_axes(ax, [str(name) for name in values], list(values).index(chosen) if chosen in values else None, low)
    ax.set_xlabel(label, fontsize=SMALL + 1)
    return finished(ax)


def _name_axes(ax: Axes, names: Sequence[str], chosen: int | None, low: float) -> None:
    """A name for each bar, that of the chosen one bold, and an axis of per cent."""
    ax.set_yticks(range(len(names)), names, fontsize=SMALL)
    if chosen is not None:
        ax.get_yticklabels()[chosen].set_fontweight("bold")
    ticks = np.arange(low, 1.01, 0.2)
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks], fontsize=SMALL)
    ax.set(xlim=(low, 1 + 0.03 * (1 - low)), ylim=(len(names) - 0.45, -0.55))


def _bar(ax: Axes, place: int, value: float | None, low: float, set_off: bool, least: float | None) -> None:
    """A bar with its value at its end; from where on it is said to end, an area with a bold edge."""
    if least is not None:
        ax.barh(place, 1 - least, left=least, height=0.94, color=pale(colour(4)), zorder=0)
        ax.plot([least, least], [place - 0.47, place + 0.47], color=colour(1), linewidth=2.5, zorder=3)
    if value is None:
        ax.text(low, place, "  …", va="center", fontsize=SMALL, color=GREY)
        return
    fill, edge = (colour(0), "black") if set_off else (pale(colour(0)), colour(0))
    ax.barh(place, value - low, left=low, height=0.62, color=fill, edgecolor=edge, linewidth=1.6 if set_off else 0.8)
    room = 0.2 * (1 - low)
    end = least if least is not None and 0 < value - least < room else value  # not over the edge
    inside = end - low > room
    style: dict[str, Any] = {"ha": "right" if inside else "left", "fontweight": "bold" if set_off else "normal"}
    style["color"] = "white" if inside and set_off else "black"
    ax.text(end, place, f" {100 * value:.1f} % ", va="center", fontsize=SMALL, zorder=4, **style)


def _note(ax: Axes, note: str, marked: bool) -> None:
    """What is said of the bars, after the edge that marks it."""
    if marked:
        ax.figure.text(0.03, 0.035, "┃", color=colour(1), fontsize=SMALL + 1, fontweight="bold", va="center")
    ax.figure.text(0.055, 0.035, note, fontsize=SMALL, color="black" if marked else GREY, va="center")


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
    across, up = checks.edges("across", across), checks.edges("up", up)
    numbers = checks.matrix("decisions", decisions)
    if numbers.shape != (len(up), len(across)):
        raise ValueError(f"decisions has shape {numbers.shape}; expected {(len(up), len(across))}")
    if numbers.max() >= len(classes):
        raise ValueError(f"decisions holds {numbers.max():g}; expected the number of one of {len(classes)} classes")
    right, top, labels = _records(points, of, classes)
    ax = quick_axes(title, left=0.85)
    colours = ListedColormap([pale(colour(number)) for number in range(len(classes))])
    options: dict[str, Any] = {"interpolation": "nearest", "origin": "lower", "aspect": "auto"}
    options["extent"] = (across[0], across[-1], up[0], up[-1])
    ax.imshow(numbers, cmap=colours, vmin=-0.5, vmax=len(classes) - 0.5, **options)
    _over(ax, classes, right, top, labels)
    (a, b), (low, high) = domain
    ax.plot(
        [a, b, b, a, a], [low, low, high, high, low], color="black", linestyle="--", linewidth=1, label="true range"
    )
    ax.legend(loc="upper right", fontsize=SMALL, framealpha=0.8, markerscale=2, borderpad=0.3, handlelength=1.4)
    _number_axes(ax, x, y)
    return finished(ax)


def _records(points: Any, of: Any, classes: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where records are along both axes, and their classes."""
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
    for number, name in enumerate(classes):
        here = labels == name
        ax.plot(
            right[here], top[here], "ox+^vP*"[number % 7], color=colour(number), label=short(str(name), 14), **style
        )


def _number_axes(ax: Axes, x: str, y: str) -> None:
    ax.set_xlabel(short(x, 46), fontsize=SMALL + 1)
    ax.set_ylabel(short(y, 30), fontsize=SMALL + 1)
    ax.locator_params(nbins=5)
    ax.tick_params(labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: readable(value) if abs(value) < 1e6 else f"{value:.3g}")
