"""The picture of a sheet of answers: who shares a coin with whom, and what a leak tells (DZ03 §1.2, §4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import Rectangle

from ppdm.plots import Picture

from .picture import SIZE, LivePicture, MovingFigure, Word, short

BLACK, RED = Picture.colour(7), Picture.colour(1)
WIDE, INDENT, LETTER, AROUND, GAP = 3.93, 0.58, 0.07, 0.14, 0.06  # inches of a row of boxes
LONGEST = 45  # letters that fit into a row
ROW = (0.19, 0.3)  # the height of a row of boxes, in inches
HATCH = {"hatch": "///", "hatchcolor": "#F7D9A0"}
BOXES: dict[str, dict[str, Any]] = {
    "leaked": {"facecolor": BLACK, "edgecolor": BLACK},
    "certain then": {"facecolor": "#FFF1D6", "edgecolor": RED, "linewidth": 1.4, **HATCH},
    "not told by it": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1},
    "open": {"facecolor": "white", "edgecolor": "#888888", "linewidth": 1, "linestyle": ":"},
}


class Sheet(MovingFigure):
    """Who is in which group, a row of boxes a group, and what becomes certain once one answer is known (DZ03 §1.2).

    Its frame is drawn once for each height; then only the boxes and words are set anew.
    """

    def __init__(self) -> None:
        self.state: Any = None  # what the boxes show
        self._begin(SIZE[1])

    def show(self, rows: Mapping[str, Sequence[str]], kinds: Mapping[str, str], target: str) -> LivePicture:
        """The picture of these groups; more of them make it higher.

        Parameters
        ----------
        rows : the columns of each row, by its name
        kinds : what is known of each column: a key of ``BOXES``
        target : the column that is the class
        """
        words = {column: column for row in rows.values() for column in row}
        if target != "class" and target in words:
            words[target] = f"{target} (class)"
        if self.state != (rows, words, kinds):
            self._redo(rows, words, kinds)
            self.state = rows, words, kinds
        return self.shown()

    def _begin(self, height):
        """An empty picture of this height, in inches."""
        super().__init__(height, left=0.1, below=0.1, headline="A coin a group; and what a leak tells")
        self.ax.set(xlim=(0, WIDE), ylim=(height - 0.44, 0))
        self.ax.axis("off")
        self.headline.set_y(1 + 0.1 / (height - 0.44))
        self.height = height

    def _redo(self, rows, words, kinds):
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
        for name, row in rows.items():
            self._word(name, 0, (places[row[0]][1] + 0.5) * pitch)
        left, top = 0.0, lines * pitch + 0.16  # what the boxes mean
        for kind in BOXES:
            if kind in kinds.values():
                self._add(Rectangle((left, top), 0.2, 0.13, **BOXES[kind]))
                self._word(kind, left + 0.26, top + 0.065)
                left += 0.5 + LETTER * len(kind)

    def _box(self, left, top, word, kind, pitch):
        style: dict[str, Any] = {"facecolor": "white", "bold": True} if kind == "leaked" else {}
        self._add(Rectangle((left, top + 0.08 * pitch), _width(word), 0.84 * pitch, **BOXES[kind]))
        self._word(short(word, LONGEST), left + _width(word) / 2, top + pitch / 2, centred=True, **style)

    def _word(self, word, left, middle, **style):
        self._add(Word(word, left, middle, **{"facecolor": BLACK, **style}))

    def _add(self, patch):
        patch.set_animated(True)
        self.ax.add_artist(patch)  # add_patch would measure it, and the limits stand


def _places(rows, words):
    """Where each box begins, and in which line; a group that is too long goes on in the next one."""
    places: dict[str, tuple[float, int]] = {}
    line = 0
    for row in rows.values():
        left = INDENT
        for column in row:
            if left > INDENT and left + _width(words[column]) > WIDE:
                left, line = INDENT, line + 1
            places[column] = (left, line)
            left += _width(words[column]) + GAP
        line += 1
    return places, line


def _width(word):
    return LETTER * min(len(word), LONGEST) + AROUND
