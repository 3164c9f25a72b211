"""Noise on one attribute: drag its level and the iterations, and see what was true, what is seen, what comes back."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import zip_longest

import ipywidgets as ipw
import numpy as np

from ppdm.checks import readable
from ppdm.measure import interval_privacy
from ppdm.studies.as00 import NOISES

from .controls import UNBOUNDED, choice, percent, slider
from .noise_pictures import Shapes, Walk
from .noise_view import INTRUDED, MAX_STEPS, RULES, SOURCES, NoiseView, linked, own_source, view_of
from .panel import Panel, Stage
from .picture import LivePicture

BY_HAND, FIRST = "by hand", 10
PRIVACY, INTERVALS, SEEDS = (10, 200, 5), (5, 100), (1, 20)
RECORDS = (1_000, 5_000, 20_000, 100_000)
MARGIN = 1.1  # of the range, on either side: as far as uniform noise reaches at the highest level


class NoiseExplorer(Panel):
    """Drag the privacy level and the iterations: noise hides a distribution, and reconstruction finds it again.

    Parameters
    ----------
    shape : "plateau" or "triangles" (AS00 Figure 2), one of Quest's attributes, "age" say, or the name of ``own``;
        None: ``own`` where there is one, else "plateau"
    noise : "uniform" or "Gaussian"
    privacy : the privacy level at 95 % confidence, in per cent of the range: 10, 15, … 200
    records : 1,000, 5,000, 20,000 or 100,000
    intervals : 5 to 100; an attribute of fewer values has one for each
    stop : "by hand", or the rule that moves the iterations: "χ² step" (AS00's), "discrepancy", "held-out"
    iterations : 0 to 500 Bayes steps; None: 10, or as the rule has them
    seed : 1 to 20: another one draws other values and other noise
    own : a column of your own, with true numbers
    bounds : the lowest and the highest possible value of that; None: those that it has

    >>> NoiseExplorer(privacy=50).numbers()[:59]
    'distance to the truth: 0.091 after reconstruction, 0.268 as'
    """

    def __init__(
        self,
        shape: str | None = None,
        noise: str = "uniform",
        privacy: int = 100,
        records: int = 20_000,
        intervals: int = 20,
        stop: str = BY_HAND,
        iterations: int | None = None,
        seed: int = 1,
        own=None,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        mine = [] if own is None and bounds is None else [own_source(own, bounds)]
        self.given = ("own",) * (own is not None) + ("bounds",) * (bounds is not None)
        self.sources = {source.name: source for source in [*mine, *SOURCES.values()]}
        if shape is None:
            shape = next(iter(self.sources))
        self.controls = {
            "shape": choice("shape", shape, self.sources),
            "noise": choice("noise", noise, NOISES),
            "privacy": slider("privacy", privacy, *PRIVACY, label="privacy %"),
            "records": choice("records", records, RECORDS),
            "intervals": slider("intervals", intervals, *INTERVALS),
            "stop": choice("stop", stop, (BY_HAND, *RULES)),
            "seed": slider("seed", seed, *SEEDS, label="draw"),
            "iterations": slider("iterations", FIRST if iterations is None else iterations, 0, MAX_STEPS),
        }
        self._shapes, self._walk = Shapes(), Walk(list(RULES))
        if iterations is None:
            self.follow({"stop"})
        walk = ipw.Play(max=MAX_STEPS, interval=120, tooltip="Walk through the iterations")
        self._link = ipw.jslink((self.controls["iterations"], "value"), (walk, "value"))
        self._assemble(walk)

    def follow(self, moved: Collection[str]) -> None:
        """The stopping rule sets the iterations, until you move them by hand."""
        stop = self.controls["stop"]
        if "iterations" in moved:
            stop.value = BY_HAND
        elif stop.value != BY_HAND:
            self.controls["iterations"].value = self._found().stops[stop.value] or MAX_STEPS

    def stages(self) -> Iterator[Stage]:
        """All at once, then how many people are found: it takes a little longer, and changes no picture."""
        view, at = self._found(), self.state
        if at["stop"] != BY_HAND and at["iterations"] != (last := view.stops[at["stop"]] or MAX_STEPS):
            expected = f"{last} by stop, {at['stop']!r}"
            raise ValueError(f"iterations is {at['iterations']}, but {expected}; give one of both")
        yield Stage(view)
        found = linked(self._source, at["noise"], at["privacy"] / 100, at["seed"])
        yield Stage(replace(view, linked=found), redraw=False)

    def draw(self, view: NoiseView) -> list[LivePicture]:
        """True, seen and reconstructed shares of the intervals; and the distance to the truth, step by step."""
        at, domain, edges = self.state, view.channel, view.true.edges
        step, estimate = at["iterations"], view.iterates[at["iterations"]]
        reach, highest = MARGIN * (domain.high - domain.low), view.true.probabilities.max()
        lines = [(view.true.probabilities, edges), view.seen, (estimate, edges)]
        words = {"title": f"{at['noise']} noise, {at['privacy']} %, {_times(step)}"}
        words["label"] = at["shape"] if self._source.truth is None else f"value ({at['shape']})"
        # The same frame for every level and step, so that only the lines move, unless a spike leaves it.
        across, top = (domain.low - reach, domain.high + reach), max(1.6 * highest, 1.05 * estimate.max())
        shapes = self._shapes.show(lines, **words, across=across, top=top)
        walk = self._walk.show(view.distances, step, stops=view.stops, naive=view.as_seen)
        return [shapes, walk]

    def facts(self, view: NoiseView) -> dict[str, str]:
        """How far the estimate is from the truth, and what the noise is worth, in more than one number."""
        at, domain = self.state, view.channel
        width, epsilon = interval_privacy(domain), domain.epsilon()
        share = percent(width / (domain.high - domain.low))
        here, lowest = view.distances[at["iterations"]], int(view.distances.argmin())
        stops = {name: steps or f"more than {MAX_STEPS}" for name, steps in view.stops.items()}
        facts = {
            "distance to the truth": f"{here:.3f} after reconstruction, {view.as_seen:.3f} as seen",
            f"lowest distance within {MAX_STEPS} iterations": f"{view.distances[lowest]:.3f}, after {_times(lowest)}",
            "iterations until a rule stops": ", ".join(f"{at} by {name}" for name, at in stops.items()),
            "95 % interval of a true value": f"{readable(width)} wide, which is {share} of the range",
            "ε": UNBOUNDED if np.isinf(epsilon) else f"{epsilon:.1f}, with δ = 1e-5",
        }
        if view.records < at["records"]:
            facts["records"] = f"{view.records:,}, because there are no more"
        by = [self._source.name, "all nine attributes"] if self._source.person else ["the value"]
        rates = [f"{percent(rate)} of {min(INTRUDED, view.records)}" for rate in view.linked or ()]
        return facts | {f"people found by {name}": rate for name, rate in zip_longest(by, rates, fillvalue="…")}

    def code(self) -> str:
        """How to get the reconstructed shares by the library alone."""
        at, source, channel = self.state, self._source, self._found().channel
        kind = type(channel).__name__
        domain = ", ".join(f"{end}={value:.17g}" for end, value in source.domain.items() if value is not None)
        lines = [
            source.needs,
            f"from ppdm.disguise import {kind}",
            "from ppdm.reconstruct import FixedStop, reconstruct",
            "",
            "values = " + source.code.format(records=at["records"], seed=at["seed"]),
            f"noise = {kind}.at_privacy({at['privacy'] / 100:g}, {domain})",
            f"seen = noise.disguise(values, rng={at['seed'] + 1})",
            f"found = reconstruct(seen, noise, {len(self._found().true.probabilities)}, FixedStop({MAX_STEPS}))",
            f"found.history[{at['iterations']}]",
        ]
        return "\n".join(lines)

    @property
    def _source(self):
        return self.sources[self.controls["shape"].value]

    def _found(self):
        at = self.state
        return view_of(self._source, at["noise"], at["privacy"] / 100, at["records"], at["intervals"], at["seed"])


def _times(count):
    return f"{count} iteration{'' if count == 1 else 's'}"
