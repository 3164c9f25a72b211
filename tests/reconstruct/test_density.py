"""Equation 1 without intervals: beside its own print, and beside the reconstruction over narrow intervals."""

import numpy as np
import pytest
from scipy import stats

from ppdm.data import triangles
from ppdm.disguise import GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.reconstruct import FixedStop, reconstruct, reconstruct_density

GAUSSIAN = GaussianNoise(sd=0.25, low=0, high=1)
UNIFORM = UniformNoise(half_width=0.5, low=0, high=1)


def equation_1(w, f_Y, f_X, a):
    """AS00 Equation 1, as printed, its integral by the trapezium rule over the points a."""
    updated = []
    for p in range(len(a)):
        total = 0.0
        for seen in w:
            products = [f_Y(seen - z) * f_X[t] for t, z in enumerate(a)]
            integral = sum((a[t + 1] - a[t]) * (products[t] + products[t + 1]) / 2 for t in range(len(a) - 1))
            total += f_Y(seen - a[p]) * f_X[p] / integral
        updated.append(total / len(w))
    return updated


@pytest.mark.parametrize(
    ("channel", "density"),
    [(GAUSSIAN, stats.norm(scale=0.25).pdf), (UNIFORM, stats.uniform(-0.5, 1).pdf)],
    ids=["gaussian", "uniform"],
)
def test_a_step_is_equation_1(channel, density):
    seen = channel.disguise(triangles(40, rng=1), rng=2)
    points = np.linspace(0, 1, 8)
    f_X = np.ones(8)
    for steps in (1, 2):
        f_X = equation_1(seen, density, f_X, points)
        found = reconstruct_density(seen, channel, points=8, stop=FixedStop(steps))
        assert found.distribution.density == pytest.approx(f_X, rel=1e-9)


@pytest.mark.parametrize("steps", [1, 20])
@pytest.mark.parametrize(("channel", "tolerance"), [(GAUSSIAN, 0.004), (UNIFORM, 0.02)], ids=["gaussian", "uniform"])
def test_it_agrees_with_narrow_intervals(channel, tolerance, steps):
    # Measured: up to 0.002 and 0.011; 100 and 200 intervals are 0.001 and 0.007 apart.
    seen = channel.disguise(triangles(20_000, rng=1), rng=2)
    found = reconstruct_density(seen, channel, stop=FixedStop(steps)).distribution
    assert found.distance(reconstruct(seen, channel, 100, FixedStop(steps)).distribution) < tolerance


def test_it_starts_at_the_prior():
    prior = reconstruct_density([0.2, 0.4], UNIFORM, points=3, stop=FixedStop(1)).distribution
    again = reconstruct_density([0.2, 0.4], UNIFORM, points=3, prior=prior)
    assert again.history[0] == pytest.approx(prior.probabilities)
    assert again.distribution.edges.tolist() == [0, 0.25, 0.75, 1]


def test_a_value_at_the_end_of_the_reach_has_a_point():
    # Only true values of 0.001 and less can have led to -0.499.
    found = reconstruct_density([-0.499], UNIFORM, points=5, stop=FixedStop(1))
    assert found.distribution.probabilities.tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"channel": KeepOrReplace(keep=0.7, categories=["a", "b"])}, TypeError, "channel is KeepOrReplace"),
        ({"channel": UniformNoise(half_width=2, low=0, high=9, step=1)}, TypeError, "reconstruct takes any"),
        ({"values": [1.6]}, ValueError, "values has 1 of 1 that the channel cannot have released"),
        ({"values": []}, ValueError, "values is empty"),
        ({"points": 1}, ValueError, "points is 1"),
        ({"points": 10.0}, TypeError, "points is 10.0"),
        (
            {"values": np.zeros(20_000), "points": 501},
            ValueError,
            r"20,000 × 501; .* reconstruct\(values, channel, bin",
        ),
        ({"channel": UniformNoise(half_width=0.01, low=0, high=1)}, ValueError, "out of reach .* expected more points"),
        ({"stop": None}, TypeError, "stop is None"),
        ({"prior": [0.5, 0.5]}, ValueError, "prior has 2 entries for a matrix of 10 rows"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        reconstruct_density(**{"values": [0.5], "channel": UNIFORM, "points": 10, **arguments})
