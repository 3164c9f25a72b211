"""AS00 §3, Equation 1 as it stands: no intervals, each disguised value for itself."""

from typing import Any

import numpy as np

from ppdm import checks
from ppdm.disguise.release import NumericChannel
from ppdm.reconstruct.bayes import Reconstruction, reconstruct_counts
from ppdm.reconstruct.stopping import ChiSquareStop, StoppingRule

MOST_CELLS = 10_000_000  # of the matrix, a row for each point and a column for each value: over 400 MB while it is made


def reconstruct_density(
    values: Any,
    channel: NumericChannel,
    points: int = 100,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    prior: Any = None,
) -> Reconstruction:
    """The density of the true values, estimated by Equation 1 of AS00 on a grid of points.

    f'(a) = 1/n Σ_i g(w_i - a) f(a) / ∫ g(w_i - z) f(z) dz, g the density of the noise

    The points go from one end of the domain to the other at equal distances, and the integral is a sum over them by
    the trapezium rule: each point stands for the part of the domain that is nearest to it. A step costs as much as
    there are points times values. For teaching, and to check the intervals of ``reconstruct``, which costs far less.

    Parameters
    ----------
    values : disguised values
    channel : the channel that disguised them, of an attribute without a step
    points : whole number of at least 2
    stop : as in ``reconstruct``
    prior : where to start: a probability for each point, or a Distribution over their parts of the domain; None
        for uniform

    >>> from ppdm.disguise import UniformNoise
    >>> noise = UniformNoise(half_width=0.25, low=0, high=1)
    >>> seen = noise.disguise(np.linspace(0, 0.5, 1000), rng=1)
    >>> reconstruct_density(seen, noise, points=5).distribution.density.round(1).tolist()
    [2.0, 2.0, 1.0, 0.0, 0.0]
    """
    if not isinstance(channel, NumericChannel) or channel.step is not None:
        raise TypeError(f"channel is {channel!r}; expected one for numbers without a step; reconstruct takes any")
    array = channel.released_values(values)
    points = checks.whole("points", points, 2)
    if len(array) * points > MOST_CELLS:
        raise ValueError(
            f"values times points is {len(array):,} × {points:,}; expected at most {MOST_CELLS:,}, for all are held "
            "in memory; reconstruct(values, channel, bins) needs no more for many values than for few"
        )
    places = np.linspace(channel.low, channel.high, points)
    edges = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
    matrix = np.exp(channel.log_likelihood(array, places[:, None]))
    lost = ~matrix.any(axis=0)
    checks.none_wrong("values", array, lost, "out of reach of every point", "more points, for the noise is narrow")
    return reconstruct_counts(np.ones(len(array)), matrix, prior, stop, edges=edges)
