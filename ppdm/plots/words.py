"""What a picture shows, told from what is drawn on it: for those who cannot see it."""

import math

import numpy as np
from matplotlib.category import StrCategoryLocator
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.ticker import FixedLocator

from ppdm import checks

NAMELESS = 4  # lines without a name that are told of: more of them are boxes or a drawing
STILL = 0.031  # a line that moves by less of its axis stays where it is
DIGITS = "0123456789.,-− "
NAMED = Line2D, StepPatch, ErrorbarContainer, LineCollection


def told(picture) -> str:
    """Sentences: the title, what the axes show, how many parts there are, and how each line of each part runs."""
    parts = {ax: named for ax in picture.axes if ax.get_label() != "<colorbar>" and (named := _named(ax))}
    runs = []
    for ax, named in parts.items():
        clauses = []
        before = ""
        for one, word in named:
            verb, rest = _course(ax, one)
            clauses.append(_joined(" ", word, verb * (verb != before), rest))  # no verb is said twice
            before = verb
        runs.append(_joined(": ", ax.get_title(loc="left") * (len(parts) > 1), ", ".join(clauses)))
    head = _head(picture, parts) if parts else ""
    if len(parts) == 1:
        head = _joined(": ", head, runs.pop())
    return in_sentences(picture.title, head[:1].upper() + head[1:], *runs)  # names of parts stay as they are


def in_sentences(*parts) -> str:
    """The parts that say something, one after the other, each with a sign at its end."""
    return " ".join(one if one.endswith((".", "?", "!")) else f"{one}." for one in parts if one)


def steady(value) -> float:
    """A number without the digits in which machines differ."""
    return float(f"{value:.9g}")


def in_percent(ax, which) -> None:
    """Let axes of shares, "x" or "y" or both, show per cent."""
    for letter in which:
        axis = getattr(ax, f"{letter}axis")
        if _words_of(axis):
            raise ValueError(f"percent names the {letter} axis, which has words; expected an axis of shares")
        axis.set_major_formatter(_per_cent)


def _per_cent(share, place):  # noqa: ARG001
    return f"{100 * share:.6g} %"


def _joined(between, *words):
    return between.join(filter(None, words))


def _named(ax):
    """What can be told of: all that the legend names, and lines without a name; or the cells, the bars, the points."""
    legends = [legend for one in ax.figure.axes if (legend := one.get_legend())]
    noun = legends[0].get_title().get_text() if legends else ""
    # What has no name is called _child0, _container0 …; what belongs to a larger thing is called _nolegend_.
    bare = [one for one in (*ax.lines, *ax.containers) if one.get_label().startswith(("_child", "_container"))]
    found = [(one, "") for one in bare if _is_drawn(one) or isinstance(one, ErrorbarContainer)]
    found = found if len(found) <= NAMELESS else []
    for one, word in zip(*ax.get_legend_handles_labels()):
        only_there = isinstance(one, Line2D) and not np.size(one.get_xdata())
        if isinstance(one, NAMED) and not only_there:
            found.append((one, _joined(" ", noun * (not word.strip(DIGITS)), word.strip())))
    others = [one for one in (*ax.collections, *ax.containers) if isinstance(one, QuadMesh | BarContainer)]
    others = others or (ax.lines if len(ax.lines) <= NAMELESS else [])
    return found or [(one, "") for one in others]


def _is_drawn(one):
    """Whether it is a line through points of the data, not one to compare with, and not points alone."""
    if not isinstance(one, Line2D) or one.axes is None:
        return False
    return one.get_linestyle() != "None" and one.get_transform() is one.axes.transData


def _head(picture, parts):
    """What the axes show, how many parts there are, and how many lines each has at most."""
    across = _joined(" or ", *dict.fromkeys(ax.get_xlabel() for ax in parts))
    up = _joined(" or ", *dict.fromkeys(ax.get_ylabel() for ax in parts))
    up = up or picture.get_supylabel()
    shown = _joined(" against ", up, across)
    for bar in picture.axes:
        if bar.get_label() == "<colorbar>":
            shown = _joined(" by ", bar.get_ylabel(), _joined(" and ", across, up))
    lines = max(sum(_is_drawn(one) for one, _ in named) for named in parts.values())
    counts = [f"{many} {noun}" for many, noun in ((len(parts), "parts"), (lines, "lines")) if many > 1]
    return _joined(", ", shown, " of ".join(counts))


def _words_of(axis):
    """The words along an axis by their places; none along an axis of numbers."""
    if (
        not isinstance(axis.get_major_locator(), FixedLocator | StrCategoryLocator)
        or axis.get_scale() != "linear"
    ):
        return {}
    return dict(zip(axis.get_ticklocs(), (text.get_text() for text in axis.get_ticklabels())))


def _speech(axis, low=None, high=None):
    """How places on an axis are said: as its words, or as numbers to about a hundredth of its length."""
    percent = getattr(axis.get_major_formatter(), "func", None) is _per_cent
    times = 100 if percent else 1
    first = getattr(axis.get_figure().axes[0], f"{axis.axis_name}axis")  # other parts need not repeat its label
    unit = " %" if percent or "(%)" in (axis.get_label_text() or first.get_label_text()) else ""
    words = _words_of(axis) if low is None else {}
    if low is None:
        low, high = axis.get_view_interval()
    size = math.floor(math.log10(0.9 * times * abs(high - low)))
    digits = 2 - size if size > 3 else max(0, 1 - size)

    def say(value) -> str:
        if words:
            return words[min(words, key=lambda place: abs(place - value))]
        exact = steady(times * value)
        if axis.get_scale() != "linear" or not -9 < size < 15:
            return checks.readable(float(f"{exact:.2g}")) + unit
        return f"{round(exact, digits) + 0.0:,.{max(digits, 0)}f}{unit}".replace("-", "−")

    return say


def _course(ax, one):
    """What a line, a distribution, bars or cells do, as a verb and the rest."""
    across = _speech(ax.xaxis)
    up = _speech(ax.yaxis)
    if isinstance(one, QuadMesh):
        return _cells(one, across, up)
    if isinstance(one, StepPatch):
        return _distribution(one, across, up)
    if isinstance(one, BarContainer):
        words = (text.get_text() for _, text in zip(one, ax.texts))
        told_of = [f"{up(place)}{word}" for place, word in enumerate(words)]
        return "", ", ".join(told_of)
    if isinstance(one, LineCollection):
        return "lies", _bounds(one, across, up)
    line = one.lines[0] if isinstance(one, ErrorbarContainer) else one
    x, y = np.asarray(line.get_data(orig=False), dtype=float)
    if line.get_transform() is ax.get_xaxis_transform(which="grid"):
        return "stands", f"at {across(x[0])}"
    scale = ax.yaxis.get_transform()
    drawn = np.isfinite(y)
    x = x[drawn]
    y = y[drawn]
    ends = scale.transform(ax.get_ylim())
    level = ((scale.transform(y) - ends[0]) / np.ptp(ends)).round(9)  # shares of the axis
    if line.get_transform() is ax.get_yaxis_transform(which="grid") or len(y) < 2:
        return _between(*map(up, y[[0, -1]]))
    if _words_of(ax.xaxis):
        return _between(*(f"{up(y[place])} ({across(x[place])})" for place in (level.argmin(), level.argmax())))
    if line.get_linestyle() == "None":
        return _cloud(ax, x, y, across, up)
    return _way(x, y, level, across, up)


def _between(low, high):
    return "lies", f"at {low}" if low == high else f"between {low} and {high}"


def _bounds(ticks, across, up):
    """Between which heights bounds lie; where these differ, at which places."""
    heights: dict = {}
    for (left, height), (right, _) in ticks.get_segments():
        place = across((left + right) / 2)
        heights.setdefault(place, []).append(up(height))
    words = {}
    for place, ends in heights.items():
        words[place] = _between(ends[0], ends[-1])[1]
    if len(set(words.values())) == 1:
        return words.popitem()[1]
    return ", ".join(f"{word} ({place})" for place, word in words.items())


def _way(x, y, level, across, up):
    """How a line runs from its first point to its last, if its points stand at such levels of the axis."""
    low = level.argmin()
    high = level.argmax()
    if np.ptp(level) < STILL or up(y[low]) == up(y[high]):
        return "stays", f"at {up((y[low] + y[high]) / 2)}"
    first, last = level[[0, -1]]
    peak = level[high] - max(first, last) >= STILL
    valley = min(first, last) - level[low] >= STILL
    quarters = np.round(2 * (level - level[low]) / np.ptp(level))  # 0 in the lowest, 2 in the highest
    ways = np.diff(quarters[quarters != 1])
    if (peak and valley) or np.count_nonzero(ways) > 2:
        return "moves", f"between {up(y[low])} and {up(y[high])}"
    start = up(y[0])
    end = up(y[-1])
    if peak:
        return "rises", f"from {start} to {up(y[high])} at {across(x[high])} and falls to {end}"
    if valley:
        return "falls", f"from {start} to {up(y[low])} at {across(x[low])} and rises to {end}"
    return "rises" if last > first else "falls", f"from {start} to {end}"


def _distribution(steps, across, up):
    """Where the middle half of a distribution lies, and its highest step, if there is one."""
    heights, edges, _ = steps.get_data()
    if not heights.any():
        return "is", "0 everywhere"
    grown = np.append(0, np.cumsum(heights)) / heights.sum()
    ends = " and ".join(across(end) for end in np.interp((0.25, 0.75), grown, edges))
    top = np.argmax(heights > (1 - 1e-9) * heights.max())
    near = across((edges[top] + edges[top + 1]) / 2)
    return "has", f"its middle half between {ends}, most near {near} ({up(heights.max())})"


def _cloud(ax, x, y, across, up):
    """How many points there are, and where half of them lie, by each axis."""
    halves = []
    for axis, values, say in (
        (ax.xaxis, x, across),
        (ax.yaxis, y, up),
    ):
        if not _words_of(axis):
            ends = " to ".join(map(say, np.quantile(values, (0.25, 0.75))))
            label = axis.get_label_text()
            halves.append(f", half of them at {_joined(' ', label, ends)}")
    return "has", f"{len(x):,} points{''.join(halves)}"


def _cells(mesh, across, up):
    """The least and the greatest number of all cells; and where that is, if no other cell holds the same."""
    cells = mesh.get_array()
    tiny = 1e-9 * np.ptp(cells)
    say = _speech(mesh.axes.yaxis, mesh.norm.vmin, mesh.norm.vmax)
    words = np.reshape([text.get_text() for text in mesh.axes.texts] or [*map(say, cells.flat)], cells.shape)
    ends = []
    for value in (cells.min(), cells.max()):
        rows, columns = np.nonzero(abs(cells - value) <= tiny)
        row = rows[0]
        column = columns[0]
        corners = mesh.get_coordinates()[row : row + 2, column : column + 2]
        x, y = corners.mean(axis=(0, 1))
        place = f" ({across(x)}, {up(y)})" if len(rows) == 1 else ""
        ends.append(words[row, column] + place)
    signs = f", {(cells > tiny).sum()} of {cells.size} above 0" if cells.min() < -tiny else ""
    return "", f"from {ends[0]} to {ends[1]}{signs}"
