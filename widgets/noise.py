"""Noise on one attribute: what was true, what is seen, and what comes back, iteration by iteration."""

from dataclasses import dataclass
from functools import lru_cache

import ipywidgets as ipw
import numpy as np

from ppdm import checks, plots
from ppdm.data import plateau, shape_probabilities, triangles
from ppdm.disguise import NOISES
from ppdm.plots import Picture
from ppdm.reconstruct import Distribution, FixedStop, reconstruct

from .panel import LABEL, WIDE, Panel

SHAPES = {"plateau": plateau, "triangles": triangles}
MOST_STEPS = 200
PRIVACY = (10, 200)


@dataclass(frozen=True, eq=False, repr=False)
class NoiseView:
    """What the explorer shows: distributions over intervals of [0, 1], and how far they are from the truth."""

    true: Distribution
    seen: tuple[np.ndarray, np.ndarray]
    iterates: np.ndarray
    distances: np.ndarray
    epsilon: float

    def __repr__(self) -> str:
        return f"NoiseView({len(self.distances)} iterates, distance {self.distances.min():.3g} at best)"


def noise_view(
    shape: str, noise: str, privacy: float, records: int = 20_000, intervals: int = 20, seed: int = 1
) -> NoiseView:
    """Disguise values of a shape and reconstruct their distribution, all iterates kept.

    Parameters
    ----------
    shape : "plateau" or "triangles" (AS00 Figure 2)
    noise : "uniform" or "Gaussian"
    privacy : the privacy level at 95 % confidence, above 0 and at most 4; 1 stands for 100 % of the range
    records, intervals, seed : whole numbers: at least 1, at least 2, at least 0

    >>> noise_view("plateau", "uniform", 1.0).distances[[0, 10]].round(2).tolist()
    [0.5, 0.15]
    """
    checks.choice("shape", shape, SHAPES)
    checks.choice("noise", noise, NOISES)
    checks.number("privacy", privacy, 0, 4, open_low=True)
    checks.whole("records", records, 1)
    checks.whole("intervals", intervals, 2)
    checks.whole("seed", seed, 0)
    return _view(shape, noise, privacy, records, intervals, seed)


@lru_cache(maxsize=32)
def _view(shape: str, noise: str, privacy: float, records: int, intervals: int, seed: int) -> NoiseView:
    channel = NOISES[noise].at_privacy(privacy, low=0, high=1)
    rng = np.random.default_rng(seed)
    released = channel.disguise(SHAPES[shape](records, rng), rng)
    edges = np.linspace(0, 1, intervals + 1)
    found = reconstruct(released, channel, edges, FixedStop(MOST_STEPS))
    true = Distribution(edges, shape_probabilities(shape, edges))
    distances = np.abs(found.history - true.probabilities).sum(axis=1) / 2
    shares, bins = found.counts / records, channel.seen_bins(edges)
    for array in (shares, bins, distances):  # a view is kept and handed out again
        array.setflags(write=False)
    return NoiseView(true, (shares, bins), found.history, distances, channel.epsilon())


class NoiseExplorer(Panel):
    """Drag the privacy level and the iterations, and watch a distribution disappear and come back.

    >>> NoiseExplorer(privacy=50).numbers()
    'after 10 iterations: distance to the truth 0.108; no finite ε'
    """

    def __init__(
        self, shape: str = "plateau", noise: str = "uniform", privacy: int = 100, iterations: int = 10
    ) -> None:
        checks.choice("shape", shape, SHAPES)
        checks.choice("noise", noise, NOISES)
        checks.whole("privacy", privacy, *PRIVACY)
        checks.whole("iterations", iterations, 0, MOST_STEPS)
        self.shape = ipw.Dropdown(options=list(SHAPES), value=shape, description="shape", style=LABEL, layout=WIDE)
        self.noise = ipw.Dropdown(options=list(NOISES), value=noise, description="noise", style=LABEL, layout=WIDE)
        self.privacy = _slider("privacy %", privacy, *PRIVACY, 10)
        self.iterations = _slider("iterations", iterations, 0, MOST_STEPS, 1)
        self.controls = {
            "shape": self.shape,
            "noise": self.noise,
            "privacy": self.privacy,
            "iterations": self.iterations,
        }
        self._assemble()

    def view(self) -> NoiseView:
        """The data behind the picture."""
        return noise_view(self.shape.value, self.noise.value, self.privacy.value / 100)

    def draw(self) -> Picture:
        """True, seen and reconstructed shares of the intervals."""
        view, step = self.view(), self.iterations.value
        shares = {"true": view.true, "seen": view.seen, "reconstructed": (view.iterates[step], view.true.edges)}
        title = f"{self.shape.value}, {self.noise.value} noise, {self.privacy.value} % privacy, {_times(step)}"
        figure = plots.distributions(shares, title=title, mark="true")
        # The same frame for every state, so that only the steps move.
        figure.axes[0].set(xlim=(-1.2, 2.2), ylim=(0, 1.6 * view.true.probabilities.max()))
        return figure

    def numbers(self) -> str:
        """How far the estimate is from the truth, and what the privacy level is worth in ε."""
        view, step = self.view(), self.iterations.value
        epsilon = "no finite ε" if np.isinf(view.epsilon) else f"ε {view.epsilon:.1f} (δ = 1e-5)"
        return f"after {_times(step)}: distance to the truth {view.distances[step]:.3f}; {epsilon}"

    def code(self) -> str:
        """How to get the reconstructed shares without the panel."""
        shape, noise, level = self.shape.value, self.noise.value, self.privacy.value / 100
        call = f"noise_view({shape!r}, {noise!r}, {level:g}).iterates[{self.iterations.value}]"
        return f"from ppdm.widgets import noise_view\n\n{call}"


def _slider(name: str, value: int, low: int, high: int, step: int) -> ipw.IntSlider:
    return ipw.IntSlider(value, low, high, step, description=name, style=LABEL, layout=WIDE)


def _times(count: int) -> str:
    return f"{count} iteration{'' if count == 1 else 's'}"
