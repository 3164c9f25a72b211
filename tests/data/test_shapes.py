"""The shapes against their closed forms."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from ppdm.data import plateau, triangles
from ppdm.studies.as00_shapes import truth


def plateau_density(x):
    return np.where((x >= 0.25) & (x <= 0.75), 2.0, 0.0)


def triangles_density(x):
    return np.maximum(0, 4 - 16 * np.minimum(np.abs(x - 0.25), np.abs(x - 0.75))) / 2


SHAPES = {"plateau": (plateau, plateau_density), "triangles": (triangles, triangles_density)}
TWENTIETHS = np.linspace(0, 1, 21)


@pytest.mark.parametrize("shape", SHAPES)
def test_probabilities_integrate_the_density(shape):
    density = SHAPES[shape][1]
    expected = [integrate.quad(density, a, b)[0] for a, b in pairwise(TWENTIETHS)]
    assert truth(shape, TWENTIETHS).probabilities == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_draws_follow_the_probabilities(shape):
    """50,000 draws, seed 4: χ² over the intervals that have any mass."""
    values = SHAPES[shape][0](50_000, rng=4)
    expected = truth(shape, TWENTIETHS).probabilities * len(values)
    counts = np.histogram(values, TWENTIETHS)[0]
    occurs = expected > 1e-6
    assert counts[~occurs].sum() == 0
    assert stats.chisquare(counts[occurs], expected[occurs]).pvalue > 0.001


def test_triangles_are_two_triangular_laws():
    values = triangles(20_000, rng=9)
    halves = [stats.triang(0.5, loc, 0.5) for loc in (0, 0.5)]
    assert stats.kstest(values, lambda x: (halves[0].cdf(x) + halves[1].cdf(x)) / 2).pvalue > 0.001


def test_triangles_probability_at_the_peaks():
    assert truth("triangles", [0, 0.25, 0.5, 0.75, 1]).probabilities.tolist() == [0.25] * 4


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=10, unique=True), st.sampled_from(list(SHAPES)))
def test_probabilities_sum_to_one(inner, shape):
    probabilities = truth(shape, [-0.5, 0, *sorted(inner), 1, 1.5]).probabilities
    assert probabilities.min() >= 0
    assert probabilities.sum() == pytest.approx(1)
    assert probabilities[0] == probabilities[-1] == 0


@pytest.mark.parametrize("draw", [plateau, triangles])
def test_seed_range_and_type(draw):
    values = draw(1000, rng=3)
    assert values.dtype == float
    assert (values > 0).all()
    assert (values < 1).all()
    assert (values == draw(1000, rng=np.random.default_rng(3))).all()
    assert (draw(5) != draw(5)).all()


@pytest.mark.parametrize("draw", [plateau, triangles])
@pytest.mark.parametrize(
    ("n", "rng", "error", "message"),
    [
        (0, 0, ValueError, "n is 0"),
        (-1, 0, ValueError, "n is -1"),
        (2.5, 0, TypeError, "n is 2.5; expected a whole number"),
        (5, "seed", TypeError, "rng is 'seed'"),
    ],
)
def test_shapes_refuse(draw, n, rng, error, message):
    with pytest.raises(error, match=message):
        draw(n, rng)


@pytest.mark.parametrize(
    ("shape", "edges", "error", "message"),
    [
        ("hill", [0, 1], ValueError, "shape is 'hill'; expected one of 'plateau', 'triangles'"),
        ("plateau", [0], ValueError, "edges has one entry; expected the edges of at least one interval"),
        ("plateau", [0, 1, 0.5], ValueError, "edges does not increase at position 2"),
        ("plateau", [0, 0, 1], ValueError, "edges does not increase at position 1"),
        ("plateau", [0.1, 1], ValueError, r"edges goes from 0.1 to 1; expected edges that cover \[0, 1\]"),
        ("plateau", [0, 0.9], ValueError, "edges goes from 0 to 0.9"),
        ("plateau", [0, np.nan, 1], ValueError, "edges has 1 .*missing or infinite value"),
        ("plateau", ["0", "1"], TypeError, "edges holds text"),
        ("plateau", [[0, 1]], ValueError, "edges has 2 dimensions"),
    ],
)
def test_probabilities_refuse(shape, edges, error, message):
    with pytest.raises(error, match=message):
        truth(shape, edges)
