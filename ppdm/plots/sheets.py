"""The figure of a sheet of answers: who shares a coin with whom, and what a leak tells (DZ03 §1.2, §4)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ppdm import checks
from ppdm.disguise.grouped import checked_groups
from ppdm.plots.picture import PALETTE, Axes, Picture, Rectangle, finished, quick_axes

BLACK, RED = PALETTE[7], PALETTE[1]
SMALL = 8  # points
SIZE = (4.15, 3.0)  # of a picture, in inches; it grows with the groups
WIDE, INDENT, LETTER, AROUND, GAP = 3.93, 0.58, 0.07, 0.14, 0.06  # inches of a row of boxes
LONGEST = 45  # letters that fit into a row
ROW = (0.19, 0.3)  # the height of a row of boxes, in inches
HATCH = {"hatch": "///", "hatchcolor": "#F7D9A0"}
BOXES: dict[str, dict[str, Any]] = {
    "leaked": {"facecolor": BLACK, "edgecolor": BLACK},
    "certain then": {"facecolor": "#FFF1D6", "edgecolor": RED, "linewidth": 1.4, **HATCH},
    "hidden": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1},
    "open": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1, "linestyle": ":"},
}


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
    both = [c for group in groups for c in group if c in set(open_columns)]
    if both:
        raise ValueError(f"open_columns names {both[0]!r}, which is in a group; expected columns in no group")
    words = {c: str((names or {}).get(c, c)) for _, group in rows for c in group}
    for name, columns in (("certain", certain), ("leaked", [] if leaked is None else [leaked])):
        checks.columns(name, columns, words)
    places, lines = _places(rows, words)
    pitch = min(max((SIZE[1] - 0.85) / lines, ROW[0]), ROW[1])
    ax = quick_axes(title, SIZE[0], max(SIZE[1], lines * pitch + 0.85), left=0.1, below=0.1)
    kinds = {c: "open" if c in set(open_columns) else "hidden" for c in words}
    kinds |= dict.fromkeys(certain, "certain then") | ({} if leaked is None else {leaked: "leaked"})
    _boxes(ax, places, words, kinds, pitch)
    for name, column in ((name, group[0]) for name, group in rows):
        ax.text(0, (places[column][1] + 0.5) * pitch, name, va="center", fontsize=SMALL)
    _key(ax, lines * pitch + 0.16, [kind for kind in BOXES if kind in kinds.values()])
    ax.set(xlim=(0, WIDE), ylim=(max(lines * pitch + 0.41, SIZE[1] - 0.44), 0))
    ax.axis("off")
    return finished(ax)


def shortened(word: str, most: int) -> str:
    """The word, of so many letters at most: its beginning and its end, where numbers stand."""
    return word if len(word) <= most else f"{word[: most // 2]}…{word[len(word) + most // 2 + 1 - most :]}"


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
    ax.add_patch(Rectangle((left, top + 0.08 * pitch), _width(word), 0.84 * pitch, **BOXES[kind]))
    ax.text(
        left + _width(word) / 2,
        top + pitch / 2,
        shortened(word, LONGEST),
        ha="center",
        va="center",
        fontsize=SMALL,
        **style,
    )


def _key(ax: Axes, top: float, kinds: list[str]) -> None:
    """What the boxes mean."""
    left = 0.0
    for kind in kinds:
        ax.add_patch(Rectangle((left, top), 0.2, 0.13, **BOXES[kind]))
        ax.text(left + 0.26, top + 0.065, kind, va="center", fontsize=SMALL)
        left += 0.5 + LETTER * len(kind)
