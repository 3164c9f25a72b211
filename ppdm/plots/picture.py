"""What every figure shares: a picture that shows itself, colours, strokes, axes, legends."""

import io
import re
from html import escape
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from ppdm import checks
from ppdm.plots.words import told

# Okabe & Ito's colours (2008), the darker ones first: colour-blind readers can tell them apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
STROKES = ("-", "--", "-", ":", "-.")
MARKS = "osD^vP"  # one more than strokes, so that the sixth line looks like no other
# Control characters, but not the end of a line; signs that turn a line round; halves of characters.
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
SCALES = {False: "(-inf, inf)", True: "(0, inf)"}  # what a scale shows: a logarithmic one leaves out the rest
# No dollar begins a formula, neither in JupyterLab nor on a page of nbconvert's.
FOLD = (
    '<details class="in-words mathjax_ignore tex2jax_ignore">'
    "<summary><small>What the picture shows</small></summary>{}</details>"
)
MAX_WORD = 200  # letters: of a longer word most would lie outside, and a very long one never ends


class Picture(Figure):
    """A figure that shows itself as the last value of a cell, without any global state.

    Words are drawn as they are: a ``$`` in the name of a column begins no formula.

    >>> Picture("Ages")
    <Picture 'Ages', 640×380>
    """

    def __init__(self, title: str = "", width: float = 6.4, height: float = 3.8, layout="constrained"):
        super().__init__(figsize=(width, height), dpi=100, layout=layout)
        self.title = checks.of_type("title", title, str, "text")
        self._alt = ""

    @property
    def alt(self) -> str:
        """What the picture shows, in sentences; told from what is drawn, unless it was set.

        >>> picture = Picture("Ages")
        >>> picture.alt = "Half of all people are younger than 40."
        """
        return CONTROLS.sub("\ufffd", self._alt or told(self))

    @alt.setter
    def alt(self, sentence: str) -> None:
        if not checks.of_type("alt", sentence, str, "a sentence").strip():
            raise ValueError("alt is blank; expected a sentence")
        self._alt = sentence

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
        axes = [axis for ax in self.axes for axis in (ax.xaxis, ax.yaxis)]
        powers = {
            text for axis in axes if axis.get_scale() == "log" for text in axis.get_ticklabels(which="both")
        }
        for text in set(self.findobj(Text)) - powers:
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
        """A word with a sign in place of each control character, for which fonts have no letter; a long one cut."""
        text = str(word)
        return CONTROLS.sub("\ufffd", text if len(text) <= MAX_WORD else f"{text[:MAX_WORD]}…")

    def _repr_png_(self):
        return self.png(), {"alt": self.alt}

    def _ipython_display_(self):
        """Show the picture, and below it in a fold what it shows: JupyterLab has no alternative text for pictures."""
        from IPython.display import display  # who calls this has it

        png, metadata = self._repr_png_()
        faces = {"image/png": png, "text/plain": repr(self)}
        display(faces, raw=True, metadata={"image/png": metadata})
        display({"text/html": FOLD.format(escape(metadata["alt"], quote=False))}, raw=True)


colour, legible = Picture.colour, Picture.legible


def grid(
    title,
    names=("",),
    width=4.6,
    height=3.8,
    *,
    columns=3,
    above=False,
    size=10,
    x="",
    y="",
    **sharing,
) -> Picture:
    """A picture with axes for each name, in rows of ``columns``; without names it has one, headed by the title.

    Parameters
    ----------
    width, height : of each, in inches
    above : whether the title stands above all axes; otherwise it heads each of them, before its name
    size : of the names' letters, where the title stands above
    x, y : what the axes show; y stands at the left of each row only
    sharing : as in matplotlib's ``subplots``
    """
    number = len(names)
    columns = min(columns, number)
    rows = -(-number // columns)  # rounded up
    picture = Picture(title, 1.8 + width * columns, height * rows)  # 1.8 inches for axis labels and a legend
    picture.subplots(rows, columns, squeeze=False, **sharing)
    for place, (ax, name) in enumerate(zip(picture.axes, names)):
        words = [name] if above else filter(None, [title, name])
        ax.set_title(": ".join(map(str, words)), loc="left", fontsize=size if above else 11)
        ax.set(xlabel=x, ylabel="" if place % columns else y)
        ax.spines[["top", "right"]].set_visible(False)  # they show nothing
    for ax in picture.axes[number:]:
        ax.axis("off")
    for ax in picture.axes[number - columns : number]:  # below which there is nothing
        ax.tick_params(labelbottom=True)
    if above and title:
        picture.suptitle(title, x=0.01, ha="left", fontsize=11)
    return picture


def legend_of(picture, **style) -> None:
    """One legend of all that a picture's axes show: in an empty place, or to the right."""
    named: dict = {}
    for ax in picture.axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            named.setdefault(label, handle)  # a line that only some of the axes have is entry, too
    handles, labels = list(named.values()), list(named)
    style = {"frameon": False, "alignment": "left", **style}
    empty = [ax for ax in picture.axes if not ax.axison]
    if empty:
        empty[0].legend(handles, labels, loc="center left", **style)
    else:
        last = picture.axes[0].get_gridspec().ncols - 1  # of the first row
        picture.axes[last].legend(handles, labels, loc="upper left", bbox_to_anchor=(1, 1), **style)


def entry(word) -> str:
    """A word for a legend, from which matplotlib leaves out what begins with "_"."""
    return " " * (str(word)[:1] in "_") + str(word)


def on_scale(name, values, log) -> None:
    """Refuse what a scale would leave out in silence."""
    checks.none_missing(name, values)
    if log or checks.is_real(values.dtype):
        array = checks.vector(name, values)
        wrong = array <= (0 if log else -np.inf)
        checks.none_wrong(name, array, wrong, "values of 0 or less", "numbers above 0, or no log")


def closed_ends(name, edges) -> np.ndarray:
    """Edges that can be drawn: an interval with an open end becomes as wide as its neighbour."""
    ends = checks.edges(name, edges, open_ends=True)
    inner = ends[np.isfinite(ends)]
    if len(inner) < 2:
        raise ValueError(f"{name} are {ends.tolist()}; expected at least two that are finite")
    missing = np.isinf(ends[[0, -1]]).astype(int)
    return np.pad(inner, missing, "reflect", reflect_type="odd")  # mirrors the width beside each open end


def of_shape(name, values, rows, columns) -> np.ndarray:
    """The values as a matrix of so many rows and columns."""
    matrix = checks.matrix(name, values)
    if matrix.shape != (rows, columns):
        raise ValueError(f"{name} has shape {matrix.shape}; expected {(rows, columns)}")
    return matrix
