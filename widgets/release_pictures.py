"""What the release explorer shows: risk above utility, and some rows of the released table in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ppdm.disguise import PrivacySpecification
from ppdm.plots import Picture

from .controls import percent
from .picture import GREY, SIZE, SMALL, LivePicture, MovingFigure, apart, placed, short

BLUE, RED, BLACK = Picture.colour(0), Picture.colour(1), Picture.colour(7)
# Inches: a row of bars; around both pairs of axes; a line of the table, a letter, and the space between two columns.
PITCH, LINE, LETTER, GAP = 0.27, 0.24, 0.068, 0.14
ABOVE, BETWEEN, BELOW, LEFT = 0.62, 0.74, 0.5, 0.95
ACROSS, WIDE = SIZE[0] - LEFT - 0.14, 3.95
NAME, VALUE = 11, 14  # letters of a name and of a value
ROOM, ASIDE = 0.21, 0.012  # of the axis: for a number, and beside what it stands next to
# Beside the bar of what is named; by the columns of a report.
MARKS: dict[str, dict[str, Any]] = {
    "inferred": {"label": "inferred", "marker": "D", "markersize": 5},
    "baseline": {"label": "without release", "marker": "o", "markersize": 5},
    "threshold": {"label": "threshold", "marker": "|", "markersize": 16, "markeredgewidth": 3},
}
LEGEND: dict[str, Any] = {"frameon": False, "fontsize": SMALL, "borderaxespad": 0}
LEGEND |= {"columnspacing": 0.9, "handlelength": 0.9, "handletextpad": 0.4}


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """A release by a fitted specification, and its report.

    ``whole`` says whether the report has what takes long, too: what is inferred, and how accurate trees are.
    """

    specification: PrivacySpecification
    released: pd.DataFrame
    report: Any
    whole: bool = False

    @property
    def risks(self) -> pd.DataFrame:
        """The report's rows of the sensitive columns; NaN for what is not inferred yet."""
        rows = self.report.columns.dropna(subset="baseline")
        return rows if self.whole else rows.assign(inferred=float("nan"))

    @property
    def verdict(self) -> str:
        """In a few words; what holds by links alone is still open."""
        words = {True: "held", False: "not held", None: "no threshold"}
        return words[self.report.held] if self.whole or self.report.held is False else "…"

    @property
    def right(self) -> str:
        """How accurate trees are from the true table and from the released one, if something is left to learn from."""
        shares = self.report.utility.get("accuracy", [np.nan, np.nan])
        told = "C4.5 right {} before, {} after".format(*map(percent, shares))
        return told.replace("nan %", "–" if self.whole else "…")


class Balance:
    """Risk above utility: how many sensitive values are named, and how much attributes tell of the class.

    What the true table tells stands still. What a release tells moves over it.

    sensitive : the columns at risk
    gains : what attributes of the true table tell of the class, in bits
    """

    def __init__(self, sensitive: Sequence[str], gains: Mapping[str, float]) -> None:
        risky, telling = PITCH * len(sensitive), PITCH * len(gains)
        self.height = max(ABOVE + risky + BETWEEN + telling + BELOW, SIZE[1])
        self.picture = LivePicture("", SIZE[0], self.height)
        risk = self._axes(sensitive, self.height - ABOVE - risky, risky)
        utility = self._axes(list(gains), BELOW, telling)
        utility.barh(range(len(gains)), list(gains.values()), height=0.72, color="#D5D5D5")
        self.named, self.kept = _bars(risk, 0.6, label="named by a link"), _bars(utility, 0.36)
        self.words = [_words(risk), _words(utility)]
        self.headlines = [_headline(risk, 0.36 / risky), _headline(utility, 0.1 / telling)]
        style: dict[str, Any] = {"linestyle": "none", "color": BLACK, "mfc": "white", "animated": True}
        self.marks = {name: risk.plot([], [], **style, **mark)[0] for name, mark in MARKS.items()}
        ticks = np.linspace(0, 1, 6)
        risk.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])
        risk.set(xlim=(0, 1.03))
        risk.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, **LEGEND)
        utility.set(xlim=(0, 1.25 * max(*gains.values(), 1e-9)))
        utility.set_xlabel("bits about the class; grey: before the release", fontsize=SMALL + 1)
        utility.xaxis.set_label_coords(0.5, -0.34 / telling)

    def show(self, risks: pd.DataFrame, kept: Sequence[float], headlines: tuple[str, str]) -> LivePicture:
        """The picture of a release.

        Parameters
        ----------
        risks : rows of a report's columns, those of the sensitive ones
        kept : what attributes of the released table tell; NaN: they are dropped
        headlines : above risk and above utility
        """
        named, dropped = self.words
        for bar, word, (_, row) in zip(self.named, named, risks.iterrows()):
            wrong = row["verdict"] == "not held" or row["complete"] > 0
            bar.set(width=row["named"], facecolor=RED if wrong else BLUE)
            place, within = _room(row["named"], row[[*MARKS]].astype(float).dropna())
            word.xy = (place, word.xy[1])
            word.set(text=f"{100 * row['named']:.1f} %", color="white" if within else BLACK)
        for name, mark in self.marks.items():
            mark.set_data(risks[name].astype(float), range(len(risks)))
        for bar, word, gain in zip(self.kept, dropped, kept):
            bar.set_width(np.nan_to_num(gain))
            word.set_text("dropped" if np.isnan(gain) else "")
        for text, words in zip(self.headlines, headlines):
            text.set_text(words)
        self.picture.title = "; ".join(headlines)
        return self.picture

    def _axes(self, names, bottom, high):
        """Axes with a row for each name, from the top."""
        width, height = SIZE[0], self.height
        ax = self.picture.add_axes((LEFT / width, bottom / height, ACROSS / width, high / height))
        ax.set_yticks(range(len(names)), [Picture.legible(name) for name in apart(names, NAME).values()])
        ax.tick_params(labelsize=SMALL)
        ax.set(ylim=(len(names) - 0.5, -0.5))
        ax.spines[["top", "right"]].set_visible(False)
        return ax


def _bars(ax, height, **style):
    rows = ax.get_yticks()
    return ax.barh(rows, np.zeros(len(rows)), height=height, facecolor=BLUE, animated=True, **style).patches


def _room(end, marks):
    """Where a bar's number fits between its ends and its marks, first within the bar; and whether that is there."""
    places = np.unique([0, end, *marks])
    place = places[np.diff(places, append=np.inf) > ROOM][0]
    return place + ASIDE * (place > 0), place < end


def _words(ax):
    """A word in each row."""
    style = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": SMALL, "color": GREY}
    return [ax.annotate("", (0, row), animated=True, **style) for row in ax.get_yticks()]


def _headline(ax, above):
    return ax.text((0.1 - LEFT) / ACROSS, 1 + above, "", fontsize=10, transform=ax.transAxes, animated=True)


class Head(MovingFigure):
    """Some rows of a released table, with as many columns as fit; all words of one look are drawn as one shape."""

    def __init__(self) -> None:
        super().__init__(left=0.1, below=0.02, headline="Some rows as released")
        high = SIZE[1] - 0.36
        self.ax.set(xlim=(0, WIDE), ylim=(high, 0))
        self.ax.axis("off")
        self.headline.set_y(1 + 0.1 / high)
        self.state: Any = None  # what the words say

    def show(self, columns: Mapping[str, Sequence[str]], marked: Sequence[str]) -> LivePicture:
        """The picture of columns: their values in words, a line for each row; those of ``marked`` are coloured."""
        if self.state == (columns, marked):
            return self.shown()
        self.state = columns, marked
        for patch in list(self.ax.patches):
            patch.remove()
        looks: dict[str, list[Path]] = {}
        left, names = 0.0, apart(columns, VALUE)
        for number, (name, values) in enumerate(columns.items()):
            words = [names[name], *(short(word, VALUE) for word in values)]
            right = left + LETTER * max(map(len, words))
            if right > WIDE:
                told = f"and {(rest := len(columns) - number)} more column{'s' * (rest > 1)}"
                looks[GREY] = [placed(told, 0, LINE * (len(words) + 0.5))]
                break
            paths = [placed(word, left, LINE * (line + 0.5), bold=not line) for line, word in enumerate(words)]
            looks.setdefault(RED if name in marked else BLACK, []).extend(paths)
            left = right + GAP
        for hue, paths in looks.items():
            shape = Path.make_compound_path(*paths)
            self.ax.add_artist(PathPatch(shape, linewidth=0, facecolor=hue, animated=True))
        return self.shown()
