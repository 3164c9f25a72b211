"""What every figure shares: a picture that shows itself, colours, strokes. The only module that imports matplotlib."""

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from PIL import Image

__all__ = [
    "MARKS",
    "PALETTE",
    "STROKES",
    "Axes",
    "LineCollection",
    "ListedColormap",
    "Picture",
    "Rectangle",
    "Text",
    "Word",
    "beside",
    "colour",
    "finished",
    "grid",
    "legend_of",
    "legend_outside",
    "new_axes",
    "pale",
    "quick_axes",
]

# Okabe & Ito's colours (2008), the darker ones first.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
STROKES = ("-", "--", "-", ":", "-.")
QUICKLY = 1  # the least effort of a PNG's compression
MARKS = "osD^vP"  # one more than strokes, so that the sixth line looks like no other


class Picture(Figure):
    """A figure that shows itself as the last value of a cell, without any global state.

    >>> Picture("Ages")
    <Picture 'Ages', 640×380>
    """

    def __init__(
        self, title: str = "", width: float = 6.4, height: float = 3.8, layout: Any = "constrained", **options: Any
    ) -> None:
        super().__init__(figsize=(width, height), dpi=100, layout=layout, **options)
        self.title = title
        self._still: tuple[Any, ...] = (None, None, None)
        self._moved: Sequence[Artist] = ()
        self._pixels, self._sharp = np.empty(0), b""

    def __repr__(self) -> str:
        width, height = self.size
        return f"<Picture {self.title!r}, {width}×{height}>"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self.get_size_inches()
        return round(100 * width), round(100 * height)

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file, of 128 colours: a third of the size, and no eye sees it."""
        return _small(_drawn(self))

    def sharp(self) -> bytes:
        """The same with twice as many pixels each way, for a page that shows it at its size.

        Quick to make: what is not animated is drawn anew only where the frame changes, its limits and its words. Where
        nothing moved, and where the same pixels come out, they are the same bytes as before.
        """
        moving, frame = _animated(self), [_frame(ax) for ax in self.axes]
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
        _draw_over(canvas, moving)
        self.set_dpi(100)
        self._moved, pixels = moving, np.array(canvas.buffer_rgba())
        if not np.array_equal(pixels, self._pixels):
            self._pixels, self._sharp = pixels, _small(_opaque(pixels), Image.Quantize.FASTOCTREE, QUICKLY)
        return self._sharp

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        return self.png(), {"alt": self.title}


def beside(pictures: Sequence[Picture], columns: int = 2) -> bytes:
    """Several pictures in rows of so many, as the bytes of one PNG file."""
    rows = [
        [_drawn(picture) for picture in pictures[start : start + columns]] for start in range(0, len(pictures), columns)
    ]
    width = max(sum(one.width for one in row) for row in rows)
    heights = [max(one.height for one in row) for row in rows]
    whole = Image.new("RGB", (width, sum(heights)), "white")
    for above, row in zip(np.cumsum([0, *heights]), rows, strict=False):
        for left, one in zip(np.cumsum([0, *(one.width for one in row)]), row, strict=False):
            whole.paste(one, (int(left), int(above)))
    return _small(whole)


class Word(PathPatch):
    """A word in axes that measure in inches downwards, several times as quick to draw as a text: its outline is kept.

    Parameters
    ----------
    left, middle : where it begins, or with ``centred`` its middle; and half of the height of its letters
    size : of the letters, in points
    """

    def __init__(
        self,
        word: str,
        left: float,
        middle: float,
        size: float,
        bold: bool = False,
        centred: bool = False,
        **style: Any,
    ) -> None:
        outline, width = _outline(word, size, bold)
        place = Affine2D().translate(left - centred * width / 2, middle)
        super().__init__(place.transform_path(outline), linewidth=0, label=word, **style)


@lru_cache(maxsize=2048)
def _outline(word: str, size: float, bold: bool) -> tuple[Path, float]:
    """The outline of a word in inches, and its width."""
    if not word.strip():
        return Path(np.empty((0, 2))), 0.0
    letters = FontProperties(weight="bold" if bold else "normal")
    path = TextPath((0, -0.26 * size), word.replace("$", r"\$"), size=size, prop=letters)
    inches = Affine2D().scale(1 / 72, -1 / 72).transform_path(path)
    return inches, float(np.max(inches.vertices, axis=0)[0])


def _frame(ax: Axes) -> tuple[Any, ...]:
    """What the parts that stand still depend on."""
    legend = ax.get_legend()
    words = [text.get_text() for text in legend.get_texts()] if legend else []
    words += [ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")]
    return (*ax.get_xlim(), *ax.get_ylim(), *ax.get_yticks(), *words)


def _animated(figure: Figure) -> list[Artist]:
    """What is drawn over the rest, for it moves."""
    return [artist for ax in figure.axes for artist in ax.get_children() if artist.get_animated()]


def _drawn(figure: Picture) -> Image.Image:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    _draw_over(canvas, _animated(figure))
    figure._moved = ()  # drawing marks all as drawn, here at another size
    return _opaque(np.asarray(canvas.buffer_rgba()))


def _draw_over(canvas: FigureCanvasAgg, moving: Sequence[Artist]) -> None:
    for artist in sorted(moving, key=lambda artist: artist.get_zorder()):
        artist.draw(canvas.get_renderer())


def _opaque(pixels: np.ndarray) -> Image.Image:
    return Image.fromarray(pixels).convert("RGB")


def _small(picture: Image.Image, method: Image.Quantize = Image.Quantize.MEDIANCUT, effort: int = 6) -> bytes:
    few = picture.quantize(128, method, dither=Image.Dither.NONE)
    few.putpalette([255 if value == 254 else value for value in few.getpalette() or []])  # white stays white
    buffer = io.BytesIO()
    few.save(buffer, "png", compress_level=effort)
    return buffer.getvalue()


def quick_axes(title: str, width: float = 4.15, height: float = 3.0, left: float = 0.62, below: float = 0.5) -> Axes:
    """The axes of a panel's picture: with all places given, in inches, it is drawn in a third of the time."""
    across, up = width - left - 0.12, height - below - 0.34
    figure = Picture(title, width, height, layout="none")
    ax = figure.add_axes((left / width, below / height, across / width, up / height))
    ax.set_title(title, loc="left", fontsize=10, y=1 + 0.12 / up)
    ax.xaxis.set_label_coords(0.5, -0.3 / up)
    ax.yaxis.set_label_coords((0.2 - left) / across, 0.5)
    return ax


def new_axes(ax: Axes | None, title: str, width: float = 6.4, height: float = 3.8) -> Axes:
    """The axes to draw in, titled: the given ones, or those of a new picture."""
    ax = Picture(title, width, height).add_subplot() if ax is None else ax
    if title:
        ax.set_title(title, loc="left", fontsize=11)
    return ax


def grid(number: int, title: str, columns: int, width: float, height: float, **sharing: Any) -> list[Axes]:
    """Axes of one size in rows of so many, in a new picture; sharing: as in matplotlib's ``subplots``."""
    columns = min(columns, number)
    rows = -(-number // columns)
    figure = Picture(title, 1.8 + width * columns, height * rows)
    frames = list(figure.subplots(rows, columns, squeeze=False, **sharing).flat)
    for ax in frames[number:]:
        ax.axis("off")
    for ax in frames[number - columns : number]:  # below which there is nothing
        ax.tick_params(labelbottom=True)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return frames


def finished(ax: Axes) -> Picture:
    """The picture of the axes, without the frame lines that show nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    return cast(Picture, ax.figure)


def colour(number: int) -> str:
    """The colour of a class or series, by its number."""
    return PALETTE[number % len(PALETTE)]


def pale(colour: str) -> tuple[float, float, float]:
    """The same colour, lighter, for areas."""
    red, green, blue = to_rgb(colour)
    return (1 - 0.3 * (1 - red), 1 - 0.3 * (1 - green), 1 - 0.3 * (1 - blue))


def legend_outside(ax: Axes, markerscale: float = 2.0, title: str = "") -> None:
    """A legend to the right of the axes."""
    corner: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    ax.legend(frameon=False, markerscale=markerscale, title=title, alignment="left", **corner)


def legend_of(frames: list[Axes], drawn: int, title: str = "") -> None:
    """One legend of all that several axes draw: in an empty place, or to the right."""
    named: dict[str, Any] = {}
    for frame in frames:
        for handle, label in zip(*frame.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    handles, labels = list(named.values()), list(named)
    style: dict[str, Any] = {"frameon": False, "title": title, "alignment": "left"}
    if drawn < len(frames):
        frames[drawn].legend(handles, labels, loc="center left", **style)
    else:
        layout = frames[0].get_gridspec()
        frames[layout.ncols - 1 if layout else 0].legend(
            handles, labels, loc="upper left", bbox_to_anchor=(1, 1), **style
        )
