"""The figure of a sheet of answers: who shares a coin with whom, and what a leak tells (DZ03 §1.2, §4)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ppdm import checks
from ppdm.disguise.grouped import checked_groups
from ppdm.plots.moving import headline, shown
from ppdm.plots.picture import PALETTE, Picture, Rectangle, Word, quick_axes

BLACK, RED = PALETTE[7], PALETTE[1]
SMALL = 8  # points
SIZE = (4.15, 3.0)  # of a picture, in inches; it grows with the groups
WIDE, INDENT, LETTER, AROUND, GAP = 3.93, 0.58, 0.07, 0.14, 0.06  # inches of a row of boxes
LONGEST = 45  # letters that fit into a row
ROW = (0.19, 0.3)  # the height of a row of boxes, in inches
HATCH = {"hatch": "///", "hatchcolor": "#F7D9A0"}
Rows = list[tuple[str, list[Any]]]
BOXES: dict[str, dict[str, Any]] = {
    "leaked": {"facecolor": BLACK, "edgecolor": BLACK},
    "certain then": {"facecolor": "#FFF1D6", "edgecolor": RED, "linewidth": 1.4, **HATCH},
    "not told by it": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1},
    "open": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1, "linestyle": ":"},
}


class Sheet:
    """Who is in which group, a row of boxes a group, and what becomes certain once one answer is known (DZ03 §1.2).

    Its frame is drawn once; then only the boxes and words are set anew.
    """

    def __init__(self) -> None:
        self.state: Any = None  # what the boxes show
        self._begin(SIZE[1])

    def show(
        self,
        groups: Sequence[Sequence[Any]],
        *,
        open_columns: Collection[Any] = (),
        leaked: Any = None,
        certain: Collection[Any] = (),
        names: Mapping[Any, str] | None = None,
        title: str = "",
    ) -> Picture:
        """The picture of these groups; it is the higher, the more of them there are.

        Parameters
        ----------
        groups : lists of columns, as of a ``GroupedResponse``
        open_columns : columns in no group
        leaked : the column whose true answer is known; None: none is
        certain : the columns whose answers are known then
        names : words for columns, where their own names do not do
        """
        rows = _rows(groups, open_columns)
        words = {c: str((names or {}).get(c, c)) for _, group in rows for c in group}
        for name, columns in (("certain", certain), ("leaked", [] if leaked is None else [leaked])):
            checks.columns(name, columns, words)
        kinds = {c: "open" if c in set(open_columns) else "not told by it" for c in words}
        kinds |= dict.fromkeys(certain, "certain then") | ({} if leaked is None else {leaked: "leaked"})
        if self.state != (rows, words, kinds):
            self._redo(rows, words, kinds)
            self.state = rows, words, kinds
        return shown(self.headline, title)

    def _begin(self, height: float) -> None:
        """An empty picture of this height, in inches."""
        self.ax = quick_axes("", SIZE[0], height, left=0.1, below=0.1)
        self.ax.set(xlim=(0, WIDE), ylim=(height - 0.44, 0))
        self.ax.axis("off")
        self.headline = headline(self.ax)
        self.headline.set_y(1 + 0.1 / (height - 0.44))
        self.height = height

    def _redo(self, rows: Rows, words: Mapping[Any, str], kinds: Mapping[Any, str]) -> None:
        """Take boxes and words away, and put up others."""
        places, lines = _places(rows, words)
        pitch = min(max((SIZE[1] - 0.85) / lines, ROW[0]), ROW[1])
        height = max(SIZE[1], lines * pitch + 0.85)
        if height != self.height:
            self._begin(height)
        for patch in list(self.ax.patches):
            patch.remove()
        for column, (left, line) in places.items():
            self._box(left, line * pitch, words[column], kinds[column], pitch)
        for name, group in rows:
            self._word(name, 0, (places[group[0]][1] + 0.5) * pitch)
        self._key(lines * pitch + 0.16, [kind for kind in BOXES if kind in kinds.values()])

    def _box(self, left: float, top: float, word: str, kind: str, pitch: float) -> None:
        style: dict[str, Any] = {"facecolor": "white", "bold": True} if kind == "leaked" else {}
        self._add(Rectangle((left, top + 0.08 * pitch), _width(word), 0.84 * pitch, **BOXES[kind]))
        self._word(shortened(word, LONGEST), left + _width(word) / 2, top + pitch / 2, centred=True, **style)

    def _key(self, top: float, kinds: list[str]) -> None:
        """What the boxes mean."""
        left = 0.0
        for kind in kinds:
            self._add(Rectangle((left, top), 0.2, 0.13, **BOXES[kind]))
            self._word(kind, left + 0.26, top + 0.065)
            left += 0.5 + LETTER * len(kind)

    def _word(self, word: str, left: float, middle: float, **style: Any) -> None:
        self._add(Word(word, left, middle, SMALL, **{"facecolor": BLACK, **style}))

    def _add(self, patch: Any) -> None:
        patch.set_animated(True)
        self.ax.add_artist(patch)  # add_patch would measure it, and the limits stand


def sheet(groups: Sequence[Sequence[Any]], **told: Any) -> Picture:
    """The picture of a ``Sheet``, once; told: what its ``show`` takes."""
    return Sheet().show(groups, **told)


def shortened(word: str, most: int) -> str:
    """The word, of so many letters at most: its beginning and its end, where numbers stand."""
    return word if len(word) <= most else f"{word[: most // 2]}…{word[len(word) + most // 2 + 1 - most :]}"


def _rows(groups: Sequence[Sequence[Any]], open_columns: Collection[Any]) -> Rows:
    """The groups with their names, and what is open."""
    rows = [(f"group {place}", list(group)) for place, group in enumerate(checked_groups(groups), 1)]
    both = [c for group in groups for c in group if c in set(open_columns)]
    if both:
        raise ValueError(f"open_columns names {both[0]!r}, which is in a group; expected columns in no group")
    return rows + ([("open", list(open_columns))] if open_columns else [])


def _places(rows: Rows, words: Mapping[Any, str]) -> tuple[dict[Any, tuple[float, int]], int]:
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
