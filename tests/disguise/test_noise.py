"""The laws of the noises: closed forms against simulation, quadrature and the definitions."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from ppdm.disguise import GaussianNoise, Intervals, UniformNoise, channels_at

UNIT = {"low": 0, "high": 1}
CHANNELS = [
    UniformNoise(half_width=0.5, **UNIT),
    UniformNoise(half_width=0.03, **UNIT),
    GaussianNoise(sd=0.25, **UNIT),
    GaussianNoise(sd=0.01, low=-3, high=-2),
    GaussianNoise(sd=30_000, low=20_000, high=150_000),
]
STEPPED = [
    UniformNoise(half_width=2.3, low=0, high=9, step=1),
    UniformNoise(half_width=0.25, low=0, high=1, step=0.1),
    GaussianNoise(sd=3, low=1, high=20, step=1),
    GaussianNoise(sd=0.2, low=0, high=4, step=1),
]
IDENTITIES = [UniformNoise(half_width=0, **UNIT), GaussianNoise(sd=0, low=0, high=9, step=1)]


def bins(channel, k=7):
    margin = (channel.step or 0) / 2
    return np.linspace(channel.low - margin, channel.high + margin, k + 1)


def law(channel):
    if isinstance(channel, GaussianNoise):
        return stats.norm(scale=channel.sd)
    return stats.uniform(-channel.half_width, 2 * channel.half_width)


def spread(channel, edges, row, n):
    """The n values that stand for a true bin: evenly spread, or its grid values in turn."""
    if channel.step is None:
        return edges[row] + (edges[row + 1] - edges[row]) * (np.arange(n) + 0.5) / n
    grid = channel.low + channel.step * np.arange(round((channel.high - channel.low) / channel.step) + 1)
    inside = grid[(grid >= edges[row]) & (grid < edges[row + 1])]
    return np.resize(inside, n // len(inside) * len(inside))


@pytest.mark.parametrize("channel", [*CHANNELS, *STEPPED, *IDENTITIES], ids=repr)
def test_rows_sum_to_one_when_the_ends_are_open(channel):
    edges = bins(channel, 5)
    matrix = channel.matrix(edges, channel.seen_bins(edges))
    assert matrix.min() >= 0
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12


@pytest.mark.parametrize("channel", [*CHANNELS, *STEPPED], ids=repr)
def test_exact_matrix_against_simulation(channel):
    edges = np.linspace(channel.low - (channel.step or 0) / 2, channel.high + (channel.step or 0) / 2, 4)
    seen = np.concatenate([[-np.inf], np.linspace(channel.low - 0.31, channel.high + 0.77, 5), [np.inf]])
    matrix = channel.matrix(edges, seen)
    for row in range(3):
        released = channel.disguise(spread(channel, edges, row, 100_000), rng=row)
        shares = np.histogram(released, np.clip(seen, -1e9, 1e9))[0] / len(released)
        # 100,000 draws: five standard errors are at most 5 × 0.5 / √100,000 = 0.0079
        assert shares == pytest.approx(matrix[row], abs=0.008)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_exact_matrix_against_quadrature(channel):
    edges = bins(channel, 3)
    seen = channel.seen_bins(edges)[1:-1]
    cdf, scale = law(channel).cdf, channel.scale
    matrix = channel.matrix(edges, seen)
    for p, s in np.ndindex(matrix.shape):
        kinks = [seen[s + i] + j * scale for i in (0, 1) for j in (-1, 1)]
        inside = [x for x in kinks if edges[p] < x < edges[p + 1]] or None
        area = quad(
            lambda x, s=s: cdf(seen[s + 1] - x) - cdf(seen[s] - x), edges[p], edges[p + 1], points=inside
        )[0]
        # The grid is below a millionth of the scale: rounding moves at most that share of the density's height.
        assert matrix[p, s] == pytest.approx(area / (edges[p + 1] - edges[p]), abs=2e-6)


def test_exact_matrix_counts_rounding_exactly():
    # Two grid values are seen, each with exactly the mass of its rounding interval.
    channel = UniformNoise(half_width=0.5, **UNIT)
    grid = channel.grid
    x, edge = 0.25, 0.25 + 3 * grid
    tight = channel.matrix([x - grid, x + grid], [edge, np.nextafter(edge + grid, 0)])
    assert tight[0, 0] == pytest.approx(grid, rel=1e-6)
    beside = channel.matrix([x - grid, x + grid], [edge + 0.1 * grid, edge + 0.9 * grid])
    assert beside[0, 0] == 0


@pytest.mark.parametrize("channel", STEPPED, ids=repr)
def test_exact_matrix_on_a_step_grid_is_the_sum_over_its_values(channel):
    count = round((channel.high - channel.low) / channel.step) + 1
    values = channel.low + channel.step * np.arange(count)
    seen = channel.low + channel.step * (np.arange(-4, count + 4) - 0.5)
    cdf = law(channel).cdf
    each = np.diff(cdf(seen - values[:, None]), axis=1)
    edges = np.concatenate([values[:-1:2], [channel.high]])
    parts = np.array([each[(values >= a) & (values < b)].mean(axis=0) for a, b in itertools.pairwise(edges)])
    parts[-1] = each[values >= edges[-2]].mean(axis=0)
    assert channel.matrix(edges, seen) == pytest.approx(parts, abs=1e-12)


@pytest.mark.parametrize("channel", IDENTITIES, ids=repr)
@pytest.mark.parametrize("exact", [True, False])
def test_no_noise_gives_the_overlap_of_the_bins(channel, exact):
    edges = bins(channel, 5)
    assert np.array_equal(channel.matrix(edges, edges, exact=exact), np.eye(5))
    assert np.array_equal(channel.matrix(edges, channel.seen_bins(edges), exact=exact), np.eye(5))
    halves = channel.matrix(edges[[0, 5]], edges)
    assert halves == pytest.approx(np.full((1, 5), 0.2))


def test_a_true_bin_stands_for_its_part_of_the_domain():
    channel = UniformNoise(half_width=0, **UNIT)
    assert channel.matrix([-9, 0.5, 9], [0, 0.25, 0.75, 1]) == pytest.approx(
        np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]])
    )


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_midpoint_matrix_is_density_times_width(channel):
    edges, seen = bins(channel, 4), np.linspace(channel.low - 0.7, channel.high + 0.4, 6)
    middles = (seen[1:] + seen[:-1]) / 2 - ((edges[1:] + edges[:-1]) / 2)[:, None]
    expected = law(channel).pdf(middles) * np.diff(seen)
    assert channel.matrix(edges, seen, exact=False) == pytest.approx(expected, rel=1e-12)


def test_midpoints_at_the_very_edge_of_uniform_noise_count_half():
    channel = UniformNoise(half_width=0.5, **UNIT)
    edges = np.linspace(0, 1, 21)
    matrix = channel.matrix(edges, np.linspace(-0.5, 1.5, 41), exact=False)
    for row in range(20):
        assert matrix[row, [row, row + 20]] == pytest.approx(0.025, rel=1e-12)
        assert matrix[row, row + 1 : row + 20] == pytest.approx(0.05, rel=1e-12)
        assert matrix[row].sum() == pytest.approx(1)


def test_midpoints_give_an_open_end_its_neighbours_width():
    channel = GaussianNoise(sd=0.25, **UNIT)
    closed, opened = np.array([-1, 0, 1, 2.0]), np.array([-np.inf, 0, 1, np.inf])
    edges = [0, 0.5, 1]
    assert np.array_equal(channel.matrix(edges, closed, exact=False), channel.matrix(edges, opened, exact=False))


@pytest.mark.parametrize("channel", [*CHANNELS, *STEPPED], ids=repr)
def test_midpoints_come_near_the_exact_matrix_on_fine_bins(channel):
    if channel.step is None:
        edges = np.linspace(channel.low, channel.high, 401)
        seen = channel.seen_bins(edges)[1:-1]
        exact, middle = (channel.matrix(edges, seen, exact=flag) for flag in (True, False))
        assert np.abs(exact - middle).sum(axis=1).max() < 0.1


@pytest.mark.parametrize("channel", [*CHANNELS, *STEPPED, *IDENTITIES], ids=repr)
def test_variance_against_simulation(channel):
    edges = bins(channel, 1)
    true = spread(channel, edges, 0, 200_000)
    noise = channel.disguise(true, rng=11) - true
    five_errors = 5 / math.sqrt(len(noise))
    assert np.mean(noise**2) == pytest.approx(channel.variance(), abs=five_errors * np.std(noise**2))
    assert abs(noise.mean()) <= five_errors * math.sqrt(channel.variance())


def test_variance_closed_forms():
    assert UniformNoise(half_width=3, **UNIT).variance() == pytest.approx(3)
    assert GaussianNoise(sd=3, **UNIT).variance() == pytest.approx(9)
    # ±2 on whole numbers: shares 1/8, 1/4, 1/4, 1/4, 1/8
    assert UniformNoise(half_width=2, low=0, high=9, step=1).variance() == pytest.approx(1.5)


@pytest.mark.parametrize(("confidence", "widths"), [(0.5, 1.349), (0.95, 3.920), (0.999, 6.581)])
def test_table_1(confidence, widths):
    assert GaussianNoise(sd=2, **UNIT).privacy(confidence) == pytest.approx(2 * widths, abs=1e-3)
    assert UniformNoise(half_width=2, **UNIT).privacy(confidence) == pytest.approx(4 * confidence)


@pytest.mark.parametrize("channel", [*CHANNELS, *IDENTITIES], ids=repr)
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_privacy_holds_that_share_of_the_noise(channel, confidence):
    true = np.full(100_000, channel.low)
    noise = channel.disguise(true, rng=2) - true
    within = (np.abs(noise) <= channel.privacy(confidence) / 2).mean()
    # Five standard errors: 5 × 0.5 / √100,000 = 0.008
    assert within == pytest.approx(1 if channel.scale == 0 else confidence, abs=0.008)


@given(
    st.sampled_from([UniformNoise, GaussianNoise]),
    st.floats(0.01, 10),
    st.floats(0.01, 0.999),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_at_privacy_gives_that_level(noise, level, confidence, low, width):
    assume(level * width > 1e-7 * max(abs(low), abs(low + width)))  # or floats round the noise away
    channel = noise.at_privacy(level, low=low, high=low + width, confidence=confidence)
    assert channel.privacy(confidence) == pytest.approx(level * (channel.high - channel.low), rel=1e-9)


def test_at_privacy_zero_is_the_identity():
    assert GaussianNoise.at_privacy(0, low=0, high=5, step=1) == GaussianNoise(sd=0, low=0, high=5, step=1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"level": -0.1, "low": 0, "high": 1}, ValueError, r"level is -0.1; expected a number in \[0, inf\)"),
        ({"level": "high", "low": 0, "high": 1}, TypeError, "level is 'high'"),
        ({"level": 1, "low": 1, "high": 0}, ValueError, "expected low < high"),
        ({"level": 1, "low": 0, "high": 1, "confidence": 1}, ValueError, r"confidence is 1; .* \(0, 1\)"),
        ({"level": 1, "low": 0, "high": 1, "confidence": 95}, ValueError, "confidence is 95"),
        ({"level": 1, "low": 0, "high": 1, "step": 0.3}, ValueError, "step is 0.3"),
    ],
)
def test_bad_privacy_levels_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        GaussianNoise.at_privacy(**arguments)


def test_a_level_in_per_cent_warns():
    with pytest.warns(UserWarning, match="level is 100, which asks for 10000% privacy; expected 1 for 100 %"):
        UniformNoise.at_privacy(100, low=0, high=1)


def profile(epsilon, shift):
    """The δ at ε between N(0, 1) and N(shift, 1), straight from its definition: ∫ max(p − exp(ε) q, 0)."""
    p, q = stats.norm(shift).pdf, stats.norm(0).pdf
    start = epsilon / shift + shift / 2  # where p = exp(ε) q
    return quad(lambda x: p(x) - math.exp(epsilon) * q(x), start, start + 40, epsabs=1e-14)[0]


@pytest.mark.parametrize("level", [0.5, 1, 2, 5])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-7])
def test_gaussian_epsilon_against_the_privacy_profile(level, delta):
    channel = GaussianNoise.at_privacy(level, low=20, high=80)
    epsilon = channel.epsilon(delta)
    assert profile(epsilon, 60 / channel.sd) == pytest.approx(delta, rel=1e-5)


def test_gaussian_epsilon_at_full_privacy():
    assert GaussianNoise.at_privacy(1.0, low=0, high=1).epsilon(delta=1e-5) == pytest.approx(23.7, abs=0.05)


@given(st.floats(-10, 6), st.floats(1e-300, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_gaussian_epsilon_falls_as_delta_grows(exponent, delta, share):
    channel = GaussianNoise(sd=10.0**exponent, **UNIT)
    assert 0 <= channel.epsilon(delta) <= channel.epsilon(delta * share) * (1 + 1e-9) + 1e-9


def test_gaussian_epsilon_at_its_ends():
    channel = GaussianNoise(sd=1, **UNIT)
    total_variation = 2 * stats.norm.cdf(0.5) - 1
    assert channel.epsilon(0) == math.inf
    assert channel.epsilon(total_variation) == 0
    assert channel.epsilon(total_variation * 0.99) > 0
    assert GaussianNoise(sd=0, **UNIT).epsilon() == math.inf


def test_uniform_noise_has_no_epsilon_below_its_total_variation():
    channel = UniformNoise(half_width=5, **UNIT)
    assert channel.epsilon() == math.inf
    assert channel.epsilon(0.0999) == math.inf
    assert channel.epsilon(0.1) == 0
    assert UniformNoise(half_width=0, **UNIT).epsilon(0.999) == math.inf


@pytest.mark.parametrize("channel", [CHANNELS[0], CHANNELS[2]], ids=repr)
@pytest.mark.parametrize("delta", [-0.1, 1, 1.5, np.nan])
def test_bad_delta_is_refused(channel, delta):
    with pytest.raises(ValueError, match="delta is"):
        channel.epsilon(delta)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_seen_bins_continue_the_true_ones(channel):
    edges = bins(channel, 10)
    seen = channel.seen_bins(edges)
    assert np.isneginf(seen[0])
    assert np.isposinf(seen[-1])
    assert np.isin(edges[1:-1], seen).all()
    assert np.diff(seen[1:-1]) == pytest.approx(edges[1] - edges[0])
    matrix = channel.matrix(edges, seen)
    outside = channel.matrix(edges, [-np.inf, seen[1], seen[-2], np.inf])
    assert matrix.shape == (10, len(seen) - 1)
    assert outside[:, 1].min() > 0.5 if channel.scale < 0.1 else outside.sum() == pytest.approx(10)


def test_seen_bins_stay_within_reason_for_much_noise():
    assert len(GaussianNoise(sd=1e6, **UNIT).seen_bins([0, 0.5, 1])) <= 2003


@given(
    st.sampled_from([UniformNoise, GaussianNoise]),
    st.one_of(st.just(0), st.floats(0.51, 3)),
    st.integers(1, 12),
    st.integers(1, 30),
    st.sampled_from([None, 0.5, 1.0]),
)
def test_any_matrix_is_a_channel(noise, scale, k, width, step):
    channel = noise(**{noise.scale_name: scale * width}, low=-3, high=width - 3, step=step)
    edges = bins(channel, min(k, 2 * width if step == 0.5 else width))
    matrix = channel.matrix(edges, channel.seen_bins(edges))
    assert matrix.min() >= 0
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-10


GOOD = [0, 0.5, 1]
BAD_BINS = [
    ({"true_bins": [0], "seen_bins": GOOD}, ValueError, "true_bins has one entry"),
    ({"true_bins": [0, 1, 1], "seen_bins": GOOD}, ValueError, "true_bins does not increase at position 2"),
    ({"true_bins": [-np.inf, 1], "seen_bins": GOOD}, ValueError, "true_bins has 1 .*missing or infinite value"),
    (
        {"true_bins": "ab", "seen_bins": GOOD},
        ValueError,
        "true_bins has 0 dimensions; expected one, a list of numbers",
    ),
    ({"true_bins": GOOD, "seen_bins": [0, np.nan, 1]}, ValueError, "seen_bins has 1 .*missing"),
    (
        {"true_bins": GOOD, "seen_bins": [0, np.inf, np.inf]},
        ValueError,
        "seen_bins does not increase at position 2",
    ),
    ({"true_bins": GOOD, "seen_bins": [[0, 1]]}, ValueError, "seen_bins has 2 dimensions"),
    (
        {"true_bins": [0, 1, 2], "seen_bins": GOOD},
        ValueError,
        r"true_bins has the interval \[1, 2\), which holds no",
    ),
    ({"true_bins": GOOD, "seen_bins": GOOD, "exact": "no"}, ValueError, "exact is 'no'"),
    ({"true_bins": GOOD, "seen_bins": [-np.inf, np.inf], "exact": False}, ValueError, "use exact=True"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_BINS)
def test_bad_bins_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        UniformNoise(half_width=0.5, **UNIT).matrix(**arguments)


def test_a_true_bin_between_two_steps_is_refused():
    with pytest.raises(
        ValueError, match=r"\[1.2, 1.8\), which holds no value of the domain \[0, 9\] in steps of 1"
    ):
        GaussianNoise(sd=1, low=0, high=9, step=1).matrix([0, 1.2, 1.8, 9], [-1, 10])


@pytest.mark.parametrize("channel", [*STEPPED, IDENTITIES[1]], ids=repr)
def test_log_likelihoods_on_a_grid_are_the_matrix_and_sum_to_one(channel):
    count = channel.most_bins
    outer = math.ceil((channel.seen_range()[1] - channel.high) / channel.step) - 1
    seen = channel.low + channel.step * np.arange(-outer, count + outer)
    true = seen[outer : outer + count]
    likelihood = np.exp(channel.log_likelihood(seen, true[:, None]))
    assert likelihood.sum(axis=1) == pytest.approx(1, abs=1e-12)
    edges = np.append(seen - channel.step / 2, seen[-1] + channel.step / 2)
    assert likelihood == pytest.approx(channel.matrix(channel.true_bins(count), edges), abs=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_log_likelihood_is_the_derivative_of_the_distribution(channel):
    true = channel.low + (channel.high - channel.low) * 0.3
    seen = true + channel.scale * np.array([-0.99, -0.5, 0, 0.2, 0.99])
    reach = channel.scale * 1e-3
    slope = (law(channel).cdf(seen + reach - true) - law(channel).cdf(seen - reach - true)) / (2 * reach)
    # The second derivative's share over a thousandth of the scale is below a millionth.
    assert np.exp(channel.log_likelihood(seen, true)) == pytest.approx(slope, rel=1e-6)
    assert channel.log_likelihood(seen, true) == pytest.approx(
        law(channel).logpdf(seen - true), rel=1e-9, abs=1e-9
    )


def test_at_the_very_edge_of_uniform_noise_rounding_counts():
    channel = UniformNoise(half_width=0.5, **UNIT)
    seen = 0.25 + 0.5 + channel.grid * np.array([-1, 0, 1])
    # A value is seen if the noise is within half a grid step of it: in the middle place half of these exceed the edge.
    assert np.exp(channel.log_likelihood(seen, 0.25)).tolist() == pytest.approx([1, 0.5, 0])
    assert np.exp(channel.log_likelihood(seen, 0.25 + channel.grid / 4))[1] == pytest.approx(0.75)


@pytest.mark.parametrize(("sd", "step"), [(1, 1), (0.2, 1), (3, 0.5)])
def test_unlikely_is_not_impossible(sd, step):
    channel = GaussianNoise(sd=sd, low=0, high=60, step=step)
    for true in (0, 20, 57):
        start, end = (60 - true - step / 2) / sd, (60 - true + step / 2) / sd
        tail = quad(
            lambda z, start=start: math.exp((start - z) * (start + z) / 2), start, min(end, start + 40 / start)
        )[0]
        expected = -(start**2) / 2 + math.log(tail / math.sqrt(2 * math.pi))
        assert channel.log_likelihood(60, true) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(("sd", "step"), [(1e-9, None), (0.2, 1), (1, None), (1, 1), (9e6, None)])
def test_log_likelihoods_of_extreme_noise_are_numbers(sd, step):
    found = GaussianNoise(sd=sd, low=0, high=9, step=step).log_likelihood([0, 4, 9], 4)
    assert not np.isnan(found).any()
    assert found[1] == found.max()


@pytest.mark.parametrize("channel", IDENTITIES, ids=repr)
def test_without_noise_a_value_is_seen_as_it_is(channel):
    assert channel.log_likelihood([0, 1], [[0], [1]]).tolist() == [[0, -math.inf], [-math.inf, 0]]


def test_a_level_of_which_a_step_leaves_nothing_warns():
    # Noise of 0.26 and 0.53 steps: the first is rounded away, so that none is left, the second moves 1 value in 20.
    # Where 95 % stay as they are, nothing is hidden at a confidence of 95 %.
    for noise, level, hidden in (
        (UniformNoise, 0.1, False),
        (UniformNoise, 0.2, False),
        (UniformNoise, 0.4, True),
        (GaussianNoise, 0.1, False),
        (GaussianNoise, 0.4, True),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            channel = noise.at_privacy(level, low=0, high=5, step=1)
        assert [one.category.__name__ for one in told] == ([] if hidden else ["PrivacyWarning"])
        assert (channel.privacy(released=True) > 0) == hidden
        assert (channel.scale > 0) == (level > 0.1)
    with pytest.warns(UserWarning, match="at level 0.5, tells most values: the step is too coarse"):
        Intervals.at_privacy(0.5, low=0, high=1, step=1)


@pytest.mark.parametrize("edges", [[0, 9.5, 20], [0, 5, 9.2, 9.8], [20, 30], [-7, -3, 9]])
def test_intervals_beyond_the_last_value_of_a_step_grid_are_refused(edges):
    channel = UniformNoise(half_width=0, low=0, high=9, step=1)
    with pytest.raises(ValueError, match="which holds no value of the domain"):
        channel.matrix(edges, [0, 10])
    # What reaches beyond the domain is fine, if it holds values.
    assert channel.matrix([-1, 5, 8.5, 9.2], [0, 5, 9, 10]).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_a_matrix_of_too_many_cells_is_refused():
    edges = np.linspace(0, 1, 5_000)
    for channel in (UniformNoise(half_width=1, low=0, high=1), Intervals(edges=3, low=0, high=1)):
        with pytest.raises(ValueError, match="has 4,999 × 4,999 cells; expected at most 10,000,000"):
            channel.matrix(edges, edges)


def test_channels_at_one_level():
    domains = {"age": {"low": 20, "high": 80}, "cars": {"low": 0, "high": 9, "step": 1}}
    for kind, one in (("uniform", UniformNoise), ("Gaussian", GaussianNoise), ("intervals", Intervals)):
        expected = {name: one.at_privacy(0.5, **domain) for name, domain in domains.items()}
        assert channels_at(kind, 0.5, domains) == expected
    with pytest.raises(ValueError, match="kind is 'cauchy'; expected one of 'intervals', 'uniform', 'Gaussian'"):
        channels_at("cauchy", 0.5, domains)
    for domain in ((20, 80), {"lo": 20, "high": 80}, {"low": 20}, {"low": 20, "high": 80, "width": 1}):
        with pytest.raises(
            TypeError, match=r"domains\['age'\] is .*; expected a dict of low, high and perhaps step"
        ):
            channels_at("uniform", 1.0, {"age": domain})
