"""The pictures of the leaf explorer: two trees as C5.0 prints them, each line marked by what became of its rule."""

import re
from collections.abc import Sequence
from typing import Any

from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ppdm.plots import Picture

from .picture import GREY, LivePicture, MovingFigure, phrase, placed, short

LINE, MARK = 0.18, 0.17  # inches: a line, and what its mark takes up
LETTERS = 50  # of a line
# Pictures grow in steps, so that a page moves seldom.
ROWS = (6, 12, 18, 24, 30, 36, 41)
MOST = ROWS[-1] - 1  # lines of a tree; then it is told how many more there are
ABOVE, BELOW = 0.34, 0.3
# By what became of a rule; a test has no mark.
MARKS = {
    "kept": ("●", "#444444"),
    "moved": ("◐", Picture.colour(0)),
    "in one tree only": ("✚", Picture.colour(1)),
    None: ("", GREY),
}
DEPTH = re.compile(r"((?:\. )*)(.*)", re.DOTALL)  # a dot for each test above the line
DOT = 0.07  # inches
BOLD = "bold: the other tree never tests this attribute"
# The words, what became of the rule, and whether the line is bold.
Line = tuple[str, str | None, bool]


class TwoTrees:
    """Two trees, a picture each; both are as high as the larger one needs."""

    def __init__(self) -> None:
        self.figures: dict[tuple[int, int], Outline] = {}

    def show(self, trees: Sequence[Sequence[Line]], headlines: Sequence[str]) -> list[LivePicture]:
        """The pictures of trees, of which the lines are given."""
        most = min(max(map(len, trees)), ROWS[-1])
        rows = next(rows for rows in ROWS if rows >= most)
        found = []
        for place, (lines, headline) in enumerate(zip(trees, headlines)):
            if (place, rows) not in self.figures:
                self.figures[place, rows] = Outline(rows, foot=BOLD if place else "")
            found.append(self.figures[place, rows].show(lines, headline))
        return found


class Outline(MovingFigure):
    """A tree, a line for each branch; all lines of one look are drawn as one shape.

    rows : the lines that there is room for
    foot : what stands below; empty: what the marks mean
    """

    def __init__(self, rows: int, foot: str = "") -> None:
        high = LINE * rows
        super().__init__(ABOVE + high + BELOW, left=0.1, below=BELOW)
        width = self.ax.get_position().width * self.ax.figure.get_figwidth()  # type: ignore[union-attr]
        self.ax.set(xlim=(0, width), ylim=(high, 0))
        self.ax.axis("off")
        self.headline.set_y(1 + 0.1 / high)
        self.state: Any = None
        style: dict[str, Any] = {"linewidth": 0, "clip_on": False}
        known = [(mark, fate, hue) for fate, (mark, hue) in MARKS.items() if fate]
        for number, (mark, words, hue) in enumerate([("", foot, GREY)] if foot else known):
            path = placed(f"{mark} {words}".strip(), number * 0.85, high + 0.15)
            self.ax.add_artist(PathPatch(path, facecolor=hue, **style))

    def show(self, lines: Sequence[Line], headline: str) -> LivePicture:
        """The picture of a tree's lines, the first 40 of them."""
        if self.state == lines:
            return self.shown(headline)
        self.state = lines
        for patch in [patch for patch in self.ax.patches if patch.get_animated()]:
            patch.remove()
        looks: dict[str, list[Path]] = {}
        for number, (words, fate, bold) in enumerate(lines[:MOST]):
            mark, hue = MARKS[fate]
            middle = LINE * (number + 0.5)
            # Dots are never bold, so that lines of one depth begin at one place.
            dots, text = DEPTH.fullmatch(short(words, LETTERS)).groups()  # type: ignore[union-attr]
            paths = [placed(mark, 0, middle), *phrase(dots, MARK, middle)]
            paths += phrase(text, MARK + DOT * (len(dots) // 2), middle, bold)
            looks.setdefault(hue, []).extend(paths)
        if len(lines) > MOST:
            told = f"… {len(lines) - MOST} more line{'s' * (len(lines) > MOST + 1)}"
            looks.setdefault(GREY, []).append(placed(told, MARK, LINE * (MOST + 0.5)))
        for hue, paths in looks.items():
            shape = Path.make_compound_path(*paths)
            self.ax.add_artist(PathPatch(shape, linewidth=0, facecolor=hue, animated=True))
        return self.shown(headline)
