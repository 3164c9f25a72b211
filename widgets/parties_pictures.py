"""The pictures of the party explorer: who talks to whom on a circle, and counts and noise as heat maps."""

from collections.abc import Collection
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle

from ppdm.plots import Picture
from ppdm.studies.vc04_known import Found
from ppdm.studies.vc04_wires import ATTRIBUTES, CLASSES, FIELD, INTERVALS, KEY, NAMES, SHAMIR, SUM, WORDS, Run

from .picture import SIZE, SMALL, LivePicture, MovingFigure, Word

BLUE, ORANGE, DARK, PALE = Picture.colour(0), Picture.colour(1), "#444444", "#8C8C8C"
HIGH = 4.65  # inches, of both pictures
RADIUS, NODE, SIDE, OFF = 1.3, 0.25, 0.48, 0.35  # of the circle, a site, a server, and where their arrows end
MIDDLE = np.array([SIZE[0] / 2 - 0.11, 0.42 + RADIUS + NODE])
HEAD, APART = 0.1, 0.05  # of an arrow, and of the two ways of a line
STROKES: dict[str, Any] = {WORDS: "solid", SUM: (0, (1, 1.6)), KEY: (0, (4, 2))}
MARKS = {"put together what they saw": ORANGE, "whose counts they are after": BLUE}
MEANINGS = {WORDS: "counts, masked or not", SUM: "sums", KEY: "keys"}
# Of few colours, so that a small file has them all: Ash's counts, a sum, and noise. Zero is as white as the page.
HUES = ("white", "#6BAED6", "#08306B"), ("white", "#74C476", "#00441B"), ("white", "black")
OWN, TOTAL, NOISE = (LinearSegmentedColormap.from_list(hues[-1], hues, 12) for hues in HUES)
LEFT, WIDE, TALL, EACH = 0.72, 2.85, 1.1, 1.4  # a heat map in inches, and from one to the next
TITLES = f"What {NAMES[0]} has", "", "What all learn: the sum, always exact"
STEPS = np.linspace(0, 1, 12)[:, None]  # of a scale
MOVES: dict[str, Any] = {"animated": True}


class Talk(MovingFigure):
    """The parties on a circle and an arrow for each way that messages go; who puts together what they saw is marked."""

    def __init__(self) -> None:
        super().__init__(HIGH, left=0.1, below=0.1)
        self.ax.set(xlim=(0, 2 * MIDDLE[0]), ylim=(HIGH - 0.44, 0))  # inches, as quick_axes leaves them
        self.ax.axis("off")
        self.headline.set(y=1, va="center")
        self.state: Any = None
        dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 9, "markeredgecolor": "black"}
        dots = [Line2D([], [], color=hue, label=words, **dot) for words, hue in MARKS.items()]
        lines = [Line2D([], [], color=DARK, ls=STROKES[what], label=words) for what, words in MEANINGS.items()]
        self.ax.legend(handles=[*lines, *dots], ncols=2, loc="lower left", frameon=False, fontsize=SMALL)

    def show(self, done: Run, together: Collection[str], headline: str) -> LivePicture:
        """The picture of a sum."""
        if self.state != (state := (done.protocol, done.sites, together)):
            self.state = state
            self._redo(done, {*together})
        return self.shown(headline)

    def _redo(self, done, together):
        for artist in [*self.ax.patches, *self.ax.collections]:
            artist.remove()
        turns = 2 * np.pi * np.arange(len(done.sites)) / len(done.sites)
        around = MIDDLE + RADIUS * np.column_stack([np.sin(turns), -np.cos(turns)])
        places = dict(zip(done.sites, around)) | ({done.server: MIDDLE} if done.server else {})
        self._arrows(_ways(done), places, together)
        for name, place in places.items():
            self._node(name, place, name in together, name == done.sites[0], name == done.server)

    def _arrows(self, ways, places, together):
        """What those saw who put it together goes over the rest; keys go both ways, and have no head."""
        lines, heads, looks = [], [], []
        seen = {ends: bool({*ends} & together) for ends in ways}
        for ends in sorted(ways, key=lambda ends: seen[ends]):
            start, end = (places[name] for name in ends)
            along = (end - start) / np.linalg.norm(end - start)
            aside = np.array([-along[1], along[0]])
            shift, is_key = APART * aside * (ends[::-1] in ways), ways[ends] == KEY
            tip, size = end + shift - OFF * along, 0 if is_key else HEAD
            lines.append([start + shift + OFF * along, tip - 0.7 * size * along])
            heads.append([tip, *(tip - size * (along + side * aside) for side in (-0.4, 0.4))])
            hue, wide = (ORANGE, 1.6) if seen[ends] else (PALE, 0.9)
            looks.append((hue, STROKES[ways[ends]], 0.7 if is_key else wide))
        hues, strokes, widths = zip(*looks)
        self.ax.add_artist(LineCollection(lines, colors=hues, linewidths=widths, linestyles=strokes, **MOVES))
        self.ax.add_artist(PolyCollection(heads, facecolors=hues, linewidths=0, zorder=3, **MOVES))

    def _node(self, name, place, marked, target, server):
        fill, wide = ORANGE if marked else BLUE if target else "white", 2.4 if marked else 1
        style: dict[str, Any] = {"facecolor": fill, "edgecolor": "black", "linewidth": wide, "zorder": 5, **MOVES}
        # add_patch would measure a shape, and the limits stand.
        self.ax.add_artist(
            Rectangle(place - SIDE / 2, SIDE, SIDE, **style) if server else Circle(place, NODE, **style)
        )
        if target:
            ring = style | {"edgecolor": BLUE, "facecolor": "none", "linewidth": 2}
            self.ax.add_artist(Circle(place, NODE + 0.07, **ring))
        letters: dict[str, Any] = {"facecolor": DARK if fill == "white" else "white", "zorder": 6, **MOVES}
        self.ax.add_artist(Word(name, place[0], place[1], fill != "white", True, **letters))


def _ways(done):
    """By sender and receiver what goes there: of several messages that which tells most; keys once for both."""
    found: dict = {}
    for what in (WORDS, SUM, KEY):
        for _, *ends, kind, _ in done.messages:
            if kind == what and not (kind == KEY and (*ends[::-1],) in found):
                found.setdefault((*ends,), what)
    return found


class HeatMaps:
    """Three heat maps: what the first clinic has, what those know who put together what they saw, and the sum."""

    def __init__(self) -> None:
        self.picture = LivePicture("", SIZE[0], HIGH)
        self.maps = [_Map(self.picture, place, title) for place, title in enumerate(TITLES)]
        last = self.maps[-1].ax
        last.set_xticks([0.5, 9.5, 20.5, 29.5, 39.5], ["1", "10", "1", "10", "20"], fontsize=SMALL)
        last.set_xlabel("    ".join(f"intervals, {name} patients" for name in CLASSES), fontsize=SMALL)

    def show(self, done: Run, found: Found) -> LivePicture:
        """The picture of a sum, and of what is known of the first clinic."""
        what = "all of them" if found.secret else "noise" if found.words.size else "nothing"
        self.picture.title = f"What they know of {NAMES[0]}'s counts: {what}"
        self.maps[1].title.set_text(self.picture.title)
        noise = 0 if found.secret else FIELD if done.protocol == SHAMIR else 2**64
        self.maps[0].show(done.own[NAMES[0]], OWN)
        self.maps[1].show(found.words, NOISE if noise else OWN, noise)
        self.maps[2].show(done.total, TOTAL)
        return self.picture


class _Map:
    """A heat map, with a scale beside it."""

    def __init__(self, picture, place, title):
        low, tall = (HIGH - 0.3 - TALL - EACH * place) / HIGH, TALL / HIGH
        self.ax = picture.add_axes((LEFT / SIZE[0], low, WIDE / SIZE[0], tall))
        scale = picture.add_axes(((LEFT + WIDE + 0.08) / SIZE[0], low, 0.1 / SIZE[0], tall))
        self.ax.set_yticks(np.arange(len(ATTRIBUTES)) + 0.5, ATTRIBUTES, fontsize=SMALL)
        self.ax.set(xticks=[], ylim=(len(ATTRIBUTES), 0))
        self.title = self.ax.text(0, len(ATTRIBUTES) * -0.06, title, fontsize=10, animated=not title)
        scale.set_axis_off()
        words: dict[str, Any] = {"transform": scale.transAxes, "fontsize": SMALL, **MOVES}
        self.most = scale.text(1.5, 1, "", va="top", **words)
        # Drawn as shapes, cells take a third of the time that they take as an image.
        cells = np.zeros((len(ATTRIBUTES), INTERVALS * len(CLASSES)))
        self.cells, self.scale = self.ax.pcolormesh(cells, **MOVES), scale.pcolormesh(STEPS, **MOVES)
        self.drawn = [self.cells, self.scale, self.most, scale.text(1.5, 0, "0", **words)]
        self.drawn += [self.ax.axvline(INTERVALS, color=DARK, linewidth=1, **MOVES)]

    def show(self, words, colours, noise=0):
        """Counts, or words that are noise below a number; or nothing."""
        for artist in self.drawn:
            artist.set_visible(bool(words.size))
        if words.size:
            rows = words.astype(float).reshape(len(CLASSES), len(ATTRIBUTES), INTERVALS)
            self.cells.set(array=np.hstack([*rows]), clim=(0, noise or rows.max()), cmap=colours)
            self.scale.set_cmap(colours)
            self.most.set_text({0: f"{rows.max():.0f}", FIELD: "2⁶¹"}.get(noise, "2⁶⁴"))
