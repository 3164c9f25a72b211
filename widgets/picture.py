"""Pictures that move with the controls: what stands still is drawn once, what moves is drawn over it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from PIL import Image

from ppdm.plots import Picture

SIZE = (4.15, 3.0)  # of a panel's picture, in inches
SMALL = 8  # points
SPACE = 0.045  # inches between two words
GREY = "#777777"


class LivePicture(Picture):
    """A picture whose animated parts are drawn over a kept background; all its places are given, in inches."""

    def __init__(self, title: str, width: float, height: float) -> None:
        super().__init__(title, width, height, layout="none")
        self._still: tuple[Any, ...] = (None, None, None)
        self._moved: Sequence[Artist] = ()
        self._pixels, self._sharp = np.empty(0), b""

    def image(self) -> Image.Image:
        """The picture as pixels."""
        canvas = FigureCanvasAgg(self)
        canvas.draw()
        self._draw_over(canvas)
        self._moved = ()  # drawing marks all as drawn, here at another size
        return _opaque(canvas)

    def sharp(self) -> bytes:
        """A PNG file with twice as many pixels each way, for a page that shows it at its size.

        Quick to make: what is not animated is drawn anew only where the frame changes, its limits and its words. Where
        nothing moved, and where the same pixels come out, they are the same bytes as before.
        """
        moving, frame = self._moving(), [_frame(ax) for ax in self.axes]
        framed = bool(moving) and self._still[0] == frame
        if framed and self._moved == moving and not any(artist.stale for artist in moving):
            return self._sharp
        self.set_dpi(200)
        if not framed:
            canvas = FigureCanvasAgg(self)
            canvas.draw()
            self._still = (frame, canvas, canvas.copy_from_bbox(self.bbox))
        _, canvas, still = self._still
        canvas.restore_region(still)
        self._draw_over(canvas)
        self.set_dpi(100)
        self._moved, pixels = moving, np.array(canvas.buffer_rgba())
        if not np.array_equal(pixels, self._pixels):
            self._pixels, self._sharp = pixels, self.packed(_opaque(canvas), quickly=True)
        return self._sharp

    def _moving(self):
        return [artist for ax in self.axes for artist in ax.get_children() if artist.get_animated()]

    def _draw_over(self, canvas):
        for artist in sorted(self._moving(), key=lambda artist: artist.get_zorder()):
            artist.draw(canvas.get_renderer())


def _opaque(canvas):
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _frame(ax):
    """What the parts that stand still depend on."""
    legend = ax.get_legend()
    words = [text.get_text() for text in legend.get_texts()] if legend else []
    words += [ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")]
    words += [text.get_text() for text in ax.texts if not text.get_animated()]
    return (*ax.get_xlim(), *ax.get_ylim(), *ax.get_yticks(), *words)


class MovingFigure:
    """A figure that is drawn once; then only what changes is set anew, so that it can follow a slider.

    headline : one that stays, which saves time; without it ``shown`` brings one
    """

    def __init__(
        self, height: float = SIZE[1], left: float = 0.62, below: float = 0.5, headline: str = ""
    ) -> None:
        self.ax = quick_axes("", height, left, below)
        style: dict[str, Any] = {"fontsize": 10, "animated": not headline}
        self.headline = self.ax.text(0, 1.04, headline, transform=self.ax.transAxes, **style)

    def shown(self, headline: str = "") -> LivePicture:
        """The picture, with this headline if none stays."""
        if headline:
            self.headline.set_text(headline)
        picture = cast(LivePicture, self.ax.figure)
        picture.title = self.headline.get_text()
        return picture


def quick_axes(title: str, height: float = SIZE[1], left: float = 0.62, below: float = 0.5) -> Axes:
    """The axes of a panel's picture: with all places given, in inches, it is drawn in a third of the time."""
    width = SIZE[0]
    across, up = width - left - 0.12, height - below - 0.34
    ax = LivePicture(title, width, height).add_axes((left / width, below / height, across / width, up / height))
    ax.set_title(title, loc="left", fontsize=10, y=1 + 0.12 / up)
    ax.xaxis.set_label_coords(0.5, -0.3 / up)
    ax.yaxis.set_label_coords((0.2 - left) / across, 0.5)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


class Word(PathPatch):
    """A word in axes that measure in inches downwards; its outline is kept, so it is drawn faster than a text.

    Parameters
    ----------
    left, middle : where it begins, or with ``centred`` its middle; and half of the height of its letters
    """

    def __init__(
        self, word: str, left: float, middle: float, bold: bool = False, centred: bool = False, **style
    ) -> None:
        super().__init__(placed(word, left, middle, bold, centred), linewidth=0, label=word, **style)


def placed(word: str, left: float, middle: float, bold: bool = False, centred: bool = False) -> Path:
    """The outline of a ``Word``, where it stands."""
    outline, width = _outline(word, bold)
    return Path(np.add(outline.vertices, (left - centred * width / 2, middle)), outline.codes)


@lru_cache(maxsize=512)
def phrase(text: str, left: float, middle: float, bold: bool = False) -> tuple[Path, ...]:
    """The outlines of all words of a text, side by side: quick where texts have most of their words in common."""
    found = []
    for word in text.split(" "):
        found.append(placed(word, left, middle, bold))
        left += _outline(word, bold)[1] + SPACE
    return tuple(found)


@lru_cache(maxsize=2048)
def _outline(word, bold):
    """The outline of a small word in inches, and its width."""
    if not word.strip():
        return Path(np.empty((0, 2))), 0.0
    letters = FontProperties(weight="bold" if bold else "normal")
    path = TextPath((0, -0.26 * SMALL), Picture.legible(word).replace("$", r"\$"), size=SMALL, prop=letters)
    inches = Affine2D().scale(1 / 72, -1 / 72).transform_path(path)
    return inches, float(np.max(inches.vertices, axis=0)[0])


def beside(pictures: Sequence[Picture], columns: int = 2) -> bytes:
    """Several pictures, ``columns`` in a row, as the bytes of one PNG file."""
    starts = range(0, len(pictures), columns)
    rows = [[picture.image() for picture in pictures[start : start + columns]] for start in starts]
    width = max(sum(one.width for one in row) for row in rows)
    heights = [max(one.height for one in row) for row in rows]
    whole = Image.new("RGB", (width, sum(heights)), "white")
    for above, row in zip(np.cumsum([0, *heights]), rows):
        for left, one in zip(np.cumsum([0, *(one.width for one in row)]), row):
            whole.paste(one, (int(left), int(above)))
    return Picture.packed(whole)


def short(text: str, most: int) -> str:
    """A text of at most ``most`` characters: its beginning and its end, because names of classes often differ there."""
    end = (most - 1) // 3
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def apart(names: Iterable[str], most: int) -> dict[str, str]:
    """Each name in at most ``most`` characters, 7 or more: what tells names apart stays, or a number is added."""
    found = {name: short(name, most) for name in names}
    for label in [*found.values()]:
        alike = [name for name in found if found[name] == label]
        same = sum(1 for _ in takewhile(lambda letters: len({*letters}) == 1, zip(*alike)))
        found |= {name: short(f"{name[:2]}…{name[same:]}", most) for name in alike if len(alike) > 1}
    numbered = {name: f"{place} {label}"[:most] for place, (name, label) in enumerate(found.items(), 1)}
    labels = [*found.values()]
    return {name: label if labels.count(label) == 1 else numbered[name] for name, label in found.items()}
