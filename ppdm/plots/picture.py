"""What every figure shares: a picture that shows itself, colours, strokes, axes, legends."""

import io
import re
from collections.abc import Collection
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from ppdm import checks

# Okabe & Ito's colours (2008), the darker ones first: colour-blind readers can tell them apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
STROKES = ("-", "--", "-", ":", "-.")
MARKS = "osD^vP"  # one more than strokes, so that the sixth line looks like no other
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # all control characters but the end of a line


class Picture(Figure):
    """A figure that shows itself as the last value of a cell, without any global state.

    Words are drawn as they are: a ``$`` in the name of a column begins no formula.

    >>> Picture("Ages")
    <Picture 'Ages', 640×380>
    """

    def __init__(
        self, title: str = "", width: float = 6.4, height: float = 3.8, layout="constrained", **options
    ) -> None:
        super().__init__(figsize=(width, height), dpi=100, layout=layout, **options)
        self.title = title

    def __repr__(self):
        width, height = self.size
        return f"<Picture {self.title!r}, {width}×{height}>"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self.get_size_inches()
        return round(100 * width), round(100 * height)

    def draw(self, renderer) -> None:
        """Draw with matplotlib; every word as it is, but the powers of ten along a logarithmic axis."""
        words = cast(list[Text], self.findobj(Text))  # asks for the ticks, so that their labels are there by now
        logarithmic = [axis for ax in self.axes for axis in (ax.xaxis, ax.yaxis) if axis.get_scale() == "log"]
        ticks = [tick for axis in logarithmic for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]]
        powers = [id(text) for tick in ticks for text in tick.findobj(Text)]
        for text in words:
            if id(text) not in powers:
                text.set_parse_math(False)
                text.set_text(self.legible(text.get_text()))
        super().draw(renderer)

    def image(self) -> Image.Image:
        """The picture as pixels."""
        canvas = FigureCanvasAgg(self)  # a canvas of its own: pyplot keeps every figure until it is closed
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file."""
        return self.packed(self.image())

    @staticmethod
    def packed(image: Image.Image, quickly: bool = False) -> bytes:
        """Pixels as the bytes of a PNG file, of 128 colours: a third of the size, and no eye sees the difference."""
        method = Image.Quantize.FASTOCTREE if quickly else Image.Quantize.MEDIANCUT
        few = image.quantize(128, method, dither=Image.Dither.NONE)
        few.putpalette([255 if value == 254 else value for value in few.getpalette() or []])  # white stays white
        buffer = io.BytesIO()
        few.save(buffer, "png", compress_level=1 if quickly else 6)
        return buffer.getvalue()

    @staticmethod
    def colour(number: int, pale: bool = False) -> Any:
        """The colour of a class or a series, by its number; a pale one is for areas."""
        hue = PALETTE[number % len(PALETTE)]
        return tuple(1 - 0.3 * (1 - part) for part in to_rgb(hue)) if pale else hue

    @staticmethod
    def legible(word) -> str:
        """A word with a sign in place of each control character, for which fonts have no letter."""
        return CONTROLS.sub("\ufffd", str(word))

    def _repr_png_(self):
        return self.png(), {"alt": self.title}


colour, legible = Picture.colour, Picture.legible


def new_axes(title: str, width: float = 6.4, height: float = 3.8, x: str = "", y: str = "") -> Axes:
    """The axes of a new picture; x and y: what they show."""
    ax = Picture(title, width, height).add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    ax.set(xlabel=x, ylabel=y)
    return ax


def grid(
    names: Collection[Any],
    title: str,
    columns: int,
    width: float,
    height: float,
    *,
    x: str = "",
    y: str = "",
    size: int = 10,
    **sharing,
) -> list[Axes]:
    """Axes for each name, in rows of ``columns``, in a new picture.

    Parameters
    ----------
    width, height : of each, in inches
    x, y : what the axes show; y stands at the left of each row only
    size : of the names' letters
    sharing : as in matplotlib's ``subplots``
    """
    number = len(names)
    columns = min(columns, number)
    rows = -(-number // columns)  # rounded up
    figure = Picture(title, 1.8 + width * columns, height * rows)  # 1.8 inches for axis labels and a legend
    frames = list(figure.subplots(rows, columns, squeeze=False, **sharing).flat)
    for place, (ax, name) in enumerate(zip(frames, names, strict=False)):
        ax.set_title(str(name), loc="left", fontsize=size)
        ax.set(xlabel=x, ylabel="" if place % columns else y)
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


def legend_of(frames: list[Axes], drawn: int = 1, **style) -> None:
    """One legend of all that the first ``drawn`` of several axes show: in an empty place, or to the right."""
    named: dict[str, Any] = {}
    for frame in frames:
        for handle, label in zip(*frame.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)  # a line that only some of the axes have is named, too
    handles, labels = list(named.values()), list(named)
    style = {"frameon": False, "alignment": "left", **style}
    if drawn < len(frames):
        frames[drawn].legend(handles, labels, loc="center left", **style)
    else:
        last = frames[cast(Any, frames[0].get_gridspec()).ncols - 1]  # of the first row
        last.legend(handles, labels, loc="upper left", bbox_to_anchor=(1, 1), **style)


def closed_ends(name: str, edges) -> np.ndarray:
    """Edges that can be drawn: an interval with an open end becomes as wide as its neighbour."""
    ends = checks.edges(name, edges, open_ends=True).copy()
    if np.isfinite(ends).sum() < 2:
        raise ValueError(f"{name} are {ends.tolist()}; expected at least two that are finite")
    for end, step in ((0, 1), (-1, -1)):
        if np.isinf(ends[end]):
            ends[end] = 2 * ends[end + step] - ends[end + 2 * step]
    return ends
