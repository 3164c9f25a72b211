"""What a disguised value gives away: closed forms, exhaustive sums over grids, and what each measure must obey."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from ppdm.data import QUEST_RANGES
from ppdm.disguise import (
    Disguise,
    GaussianNoise,
    GroupedResponse,
    Intervals,
    KeepOrReplace,
    NumericChannel,
    RandomizedResponse,
    UniformNoise,
)
from ppdm.measure import entropy_privacy, epsilon, interval_privacy, worst_posterior
from ppdm.reconstruct import Distribution
from ppdm.trees import ReconstructedTreeClassifier

UNIT = {"low": 0, "high": 1}
EVEN = Distribution.uniform([0, 1])
TWENTIETHS = Distribution.uniform(np.linspace(0, 1, 21))
NOISE = UniformNoise(half_width=0.5, **UNIT)
KEPT = KeepOrReplace(keep=0.7, categories=["a", "b", "c"])

scales = st.one_of(st.just(0), st.floats(0.6, 6))  # less is rounded away
noises = st.one_of(
    st.builds(UniformNoise, half_width=scales, low=st.just(0), high=st.just(6), step=st.just(1)),
    st.builds(GaussianNoise, sd=scales, low=st.just(0), high=st.just(6), step=st.just(1)),
)
shares = st.lists(st.integers(0, 9), min_size=7, max_size=7).filter(any).map(lambda n: np.array(n) / sum(n))


def rounded_noise(channel, most=80):
    """The steps that rounded noise can have, and their probabilities."""
    steps = np.arange(-most, most + 1)
    if channel.scale == 0:
        return steps, (steps == 0).astype(float)
    law = stats.norm() if isinstance(channel, GaussianNoise) else stats.uniform(-1, 2)
    return steps, np.diff(law.cdf((np.append(steps, most + 1) - 0.5) / channel.scale))


def grid_joint(channel, prior):
    """P(true, seen) of every value of the grid 0 … 6 and every seen value."""
    steps, noise = rounded_noise(channel)
    joint = np.zeros((7, len(steps) + 6))
    for x in range(7):
        joint[x, x : x + len(steps)] = prior[x] * noise
    return joint


def bits(joint):
    """Entropy by the definition."""
    return float(-sum(p * math.log2(p) for p in np.ravel(joint) if p > 0))


# --- Intervals of AS00 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_table_1_of_the_paper_where_there_is_no_step(confidence):
    z = stats.norm.ppf((1 + confidence) / 2)
    assert interval_privacy(UniformNoise(half_width=3, **UNIT), confidence) == pytest.approx(confidence * 6)
    assert interval_privacy(GaussianNoise(sd=2, **UNIT), confidence) == pytest.approx(4 * z)
    assert interval_privacy(Intervals(edges=4, **UNIT), confidence) == pytest.approx(confidence / 4)


@given(noises, st.floats(0.05, 0.999))
def test_on_a_grid_no_shorter_interval_holds_the_share(channel, confidence):
    _, noise = rounded_noise(channel)
    width = round(interval_privacy(channel, confidence))
    held = np.convolve(noise, np.ones(width + 1)).max()
    shorter = np.convolve(noise, np.ones(width)).max() if width else 0
    assert held >= confidence - 1e-8
    assert shorter < confidence


def test_elevel_at_25_per_cent_is_released_unchanged():
    low, high = QUEST_RANGES["elevel"]
    for law in (UniformNoise, GaussianNoise):
        with pytest.warns(UserWarning, match="tells most values"):
            channel = law.at_privacy(0.25, low=low, high=high, step=1)
        assert interval_privacy(channel) == 0
        true = np.random.default_rng(0).integers(0, 5, 100_000)
        # five standard errors of a share of 0.95 among 100,000 are 0.0035
        assert (channel.disguise(true, rng=1) == true).mean() == pytest.approx(0.95, abs=0.0035)
    assert interval_privacy(UniformNoise.at_privacy(1.0, low=low, high=high, step=1)) == 4


def test_a_fine_grid_is_as_good_as_none():
    channel = GaussianNoise(sd=1, low=0, high=4, step=1e-4)
    assert interval_privacy(channel) == pytest.approx(channel.privacy(), abs=2e-4)


def test_intervals_on_a_grid_hold_so_many_values():
    assert interval_privacy(Intervals(edges=5, low=0, high=4, step=1)) == 0
    assert interval_privacy(Intervals(edges=2, low=0, high=19, step=1)) == 9  # 0.95 of ten values takes all ten
    assert interval_privacy(Intervals(edges=2, low=0, high=19, step=1), confidence=0.5) == 4
    assert interval_privacy(Intervals(edges=[0, 2, 10], low=0, high=9, step=1)) == 1  # the narrowest: 0 and 1


@pytest.mark.parametrize(
    "channel",
    [
        UniformNoise(half_width=0, **UNIT),
        GaussianNoise(sd=0, low=0, high=4, step=1),
    ],
)
def test_without_noise_there_is_no_privacy(channel):
    assert interval_privacy(channel) == 0


# --- Local differential privacy ---------------------------------------------------------------------------------------


def test_epsilon_of_a_channel_is_its_own():
    channel = GaussianNoise(sd=1, **UNIT)
    assert epsilon(channel, 1e-3) == channel.epsilon(1e-3)
    assert epsilon(KEPT, 0) == pytest.approx(math.log(0.7 / 0.15))
    assert epsilon(NOISE) == math.inf


def test_epsilon_of_a_table_adds_up():
    gauss = GaussianNoise(sd=1, **UNIT)
    table = {"a": gauss, "b": KEPT, "c": gauss}
    expected = 2 * gauss.epsilon(1e-5 / 3) + KEPT.epsilon(1e-5 / 3)
    assert epsilon(table) == pytest.approx(expected)
    assert epsilon(Disguise(table)) == epsilon(table)
    assert epsilon({**table, "d": NOISE}) == math.inf
    assert epsilon({"a": KEPT, "b": KEPT}, delta=0) == pytest.approx(2 * math.log(0.7 / 0.15))


def test_epsilon_of_groups_is_that_of_attributes_alone_or_none():
    alone, pair = GroupedResponse([0.8, 0.3], [["a"], ["b"]]), GroupedResponse(0.8, [["a", "b"], ["c"]])
    assert epsilon(alone, 0) == pytest.approx(math.log(4) + math.log(7 / 3))
    assert epsilon(alone, 0.01) == epsilon(alone.answers, 0.01)
    assert epsilon(pair) == math.inf
    X = pd.DataFrame({"a": [0, 1], "b": [0, 0]})
    assert epsilon(Disguise(alone).fit(X)) == epsilon(Disguise(alone)) == epsilon(alone)


@pytest.mark.parametrize("fit", [False, True])
def test_where_channels_by_column_are_asked_for_groups_are_refused(fit):
    # They would be taken as independent.
    X = pd.DataFrame({"a": [0, 1], "b": [0, 0]})
    disguise = Disguise(GroupedResponse(0.8, [["a", "b"]]))
    disguise = disguise.fit(X) if fit else disguise
    with pytest.raises(TypeError, match=r"the columns .'a', 'b'. are disguised together, as a group; expected"):
        ReconstructedTreeClassifier(disguise).fit(X, ["no", "yes"])


def test_epsilon_of_a_fitted_disguise():
    X = pd.DataFrame({"a": [0.1, 0.9], "other": [1, 2]})
    disguise = Disguise({"a": GaussianNoise(sd=1, **UNIT)}, random_state=1)
    before = epsilon(disguise)
    assert epsilon(disguise.fit(X)) == before == GaussianNoise(sd=1, **UNIT).epsilon()


# --- Entropies of Agrawal & Aggarwal ----------------------------------------------------------------------------------


def test_uniform_value_in_uniform_noise_of_its_own_width():
    # What is seen has the density of a triangle, whose entropy is that of the noise plus half a nat.
    found = entropy_privacy(NOISE, EVEN)
    assert found.before == pytest.approx(1)
    assert found.after == pytest.approx(math.exp(-0.5), abs=1e-5)
    assert found.loss == pytest.approx(1 - math.exp(-0.5), abs=1e-5)


@pytest.mark.parametrize("half_width", [0.003, 0.1, 0.5, 0.8, 20, 1000])
def test_uniform_value_in_uniform_noise(half_width):
    # A trapezium on a + b, of sides a <= b: entropy ln b + a / 2b nats.
    a, b = sorted((1, 2 * half_width))
    nats = math.log(b) + a / (2 * b) - math.log(2 * half_width)
    assert entropy_privacy(UniformNoise(half_width=half_width, **UNIT), EVEN).loss == pytest.approx(
        1 - math.exp(-nats), abs=1e-4
    )


def test_an_interval_privacy_of_two_can_be_one_at_most():
    # Values in [0, 1] or [4, 5] and noise on [-1, 1]: what is seen tells which, so that at most a width of 1 is left.
    noise = UniformNoise(half_width=1, low=0, high=5)
    found = entropy_privacy(noise, Distribution([0, 1, 4, 5], [0.5, 0, 0.5]))
    assert interval_privacy(noise, 0.9999) == pytest.approx(2, abs=1e-3)
    assert found.before == pytest.approx(2)
    assert found.after == pytest.approx(math.exp(-0.25), abs=1e-4)


@pytest.mark.parametrize("sd", [0.1, 0.5, 1, 3])
def test_gaussian_value_in_gaussian_noise(sd):
    edges = np.linspace(-8, 8, 401)
    mass = np.diff(stats.norm.cdf(edges))
    found = entropy_privacy(GaussianNoise(sd=sd, low=-8, high=8), Distribution(edges, mass / mass.sum()))
    # I = ½ log2(1 + 1 / sd²); intervals of 1/25 of a standard deviation add 1e-4 to the entropy of the value
    assert found.loss == pytest.approx(1 - (1 + sd**-2) ** -0.5, abs=1e-4)
    assert found.before == pytest.approx(math.sqrt(2 * math.pi * math.e), abs=1e-3)


@given(noises, shares)
def test_on_a_grid_by_the_definition(channel, prior):
    joint = grid_joint(channel, prior)
    information = bits(prior) + bits(joint.sum(axis=0)) - bits(joint)
    found = entropy_privacy(channel, Distribution(np.arange(8) - 0.5, prior))
    assert found.before == pytest.approx(2 ** bits(prior))
    assert found.loss == pytest.approx(1 - 2**-information, abs=1e-9)
    assert found.after == pytest.approx(found.before * (1 - found.loss))


def test_intervals_over_several_values_of_a_grid_spread_over_them():
    channel = GaussianNoise(sd=1, low=0, high=6, step=1)
    coarse = entropy_privacy(channel, Distribution([0, 2, 6], [0.5, 0.5]))  # 0 and 1; 2 to 6, closed
    single = entropy_privacy(channel, Distribution(np.arange(8) - 0.5, [0.25, 0.25, 0.1, 0.1, 0.1, 0.1, 0.1]))
    assert coarse.before == pytest.approx(single.before)
    assert coarse.loss == pytest.approx(single.loss, abs=1e-9)


def test_a_fine_grid_has_the_entropies_of_none():
    fine = entropy_privacy(GaussianNoise(sd=0.5, **UNIT, step=1e-5), EVEN)
    none = entropy_privacy(GaussianNoise(sd=0.5, **UNIT), EVEN)
    assert fine.before == pytest.approx(none.before, abs=1e-4)
    assert fine.loss == pytest.approx(none.loss, abs=1e-4)


def test_intervals_tell_the_interval_and_no_more():
    found = entropy_privacy(Intervals(edges=4, **UNIT), TWENTIETHS)
    assert (found.before, found.after, found.loss) == pytest.approx((1, 0.25, 0.75))


@pytest.mark.parametrize("keep", [0, 0.2, 1 / 3, 0.7, 1])
def test_categories_by_the_definition(keep):
    channel = KeepOrReplace(keep=keep, categories=["a", "b", "c"])
    prior = np.array([0.5, 0.25, 0.25])
    joint = prior[:, None] * channel.matrix()
    information = bits(prior) + bits(joint.sum(axis=0)) - bits(joint)
    found = entropy_privacy(channel, {"c": 0.25, "a": 0.5, "b": 0.25})
    assert found.before == pytest.approx(2**1.5)
    assert found.loss == pytest.approx(1 - 2**-information, abs=1e-12)
    by_code = entropy_privacy(channel, Distribution([-0.5, 0.5, 1.5, 2.5], prior))
    assert by_code == found == entropy_privacy(channel, pd.Series({"b": 0.25, "a": 0.5, "c": 0.25}))


@pytest.mark.parametrize("unrelated", [None, 0, 0.3, 1])
def test_answers_of_yes_and_no_by_the_definition(unrelated):
    question, prior = RandomizedResponse(0.7, unrelated, ["no", "yes"]), np.array([0.8, 0.2])
    joint = prior[:, None] * question.matrix()
    found = entropy_privacy(question, {"yes": 0.2, "no": 0.8})
    assert found.before == pytest.approx(2 ** bits(prior))
    assert found.after == pytest.approx(2 ** (bits(joint) - bits(joint.sum(axis=0))))
    assert epsilon({"smokes": question}, 0) == question.epsilon(0)


def test_no_noise_leaves_nothing():
    none = entropy_privacy(GaussianNoise(sd=0, **UNIT), EVEN)
    assert (none.before, none.after, none.loss) == (1, 0, 1)
    on_grid = entropy_privacy(
        UniformNoise(half_width=0, low=0, high=4, step=1), Distribution.uniform([-0.5, 4.5])
    )
    assert (on_grid.before, on_grid.after) == pytest.approx((5, 1))


def test_more_noise_tells_less():
    losses = [entropy_privacy(GaussianNoise(sd=sd, **UNIT), TWENTIETHS).loss for sd in (0.01, 0.1, 1, 10, 1000)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(0, abs=1e-5)


# --- The worst released value -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0.4, 0.7, 0.99])
def test_categories_attain_the_bound_of_amplification(keep):
    # Evfimievski, Gehrke & Srikant: the odds grow by the amplification e^ε at most, and here by exactly that.
    channel = KeepOrReplace(keep=keep, categories=list("abcd"))
    found = worst_posterior(channel, {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1})
    odds = 0.4 / 0.6 * math.exp(channel.epsilon(0))
    # The largest share of the wrong answers is also that of the answer "a".
    assert (found.true, found.seen, found.prior) == ("a", "a", 0.4)
    assert found.posterior == pytest.approx(odds / (1 + odds))
    assert found.share == pytest.approx(0.4 * keep + 0.6 * (1 - keep) / 3)


def test_a_yes_that_need_not_be_meant_tells_less():
    # Asked with 0.5, else another question, which 0.2 answer with yes: yes from 0.6 of those it is true of, 0.1 others.
    question = RandomizedResponse(0.5, unrelated=0.2, categories=["no", "yes"])
    found = worst_posterior(question, {"no": 0.7, "yes": 0.3})
    assert (found.true, found.seen, found.prior) == ("no", "no", 0.7)
    assert (found.posterior, found.share) == pytest.approx((0.63 / 0.75, 0.75))
    rarer = worst_posterior(question, {"no": 0.3, "yes": 0.7})
    assert (rarer.true, rarer.seen) == ("yes", "yes")
    assert (rarer.posterior, rarer.share) == pytest.approx((0.42 / 0.45, 0.45))
    sure = worst_posterior(RandomizedResponse(0.5, unrelated=0), {0: 0.9, 1: 0.1})
    assert (sure.posterior, sure.seen, sure.share) == pytest.approx((1, 1, 0.05))


@pytest.mark.parametrize("half_width", [0.3, 1, 3])
def test_uniform_noise_always_gives_someone_away(half_width):
    found = worst_posterior(UniformNoise(half_width=half_width, **UNIT), TWENTIETHS)
    assert (found.posterior, found.true) == (pytest.approx(1), (0, 0.05))
    # Seen below -half_width + 1/20, or as far above: P = ∫ (1/20 − x) / 2 half_width over the interval, twice.
    assert found.share == pytest.approx(0.05**2 / (2 * half_width), rel=0.2)  # a bin may be cut by the limit


def test_gaussian_noise_by_the_normal_law():
    channel = GaussianNoise.at_privacy(1.0, **UNIT)
    found = worst_posterior(channel, TWENTIETHS)
    x = (np.arange(20_000) + 0.5) / 20_000
    reached = stats.norm.pdf(np.mean(found.seen) - x, scale=channel.sd)
    assert found.posterior == pytest.approx(reached[:1000].sum() / reached.sum(), rel=1e-3)
    # As telling or more: what is farther out, at either end; the first such share above 1 / 10,000.
    beyond = 2 * stats.norm.cdf(found.seen[1] - x, scale=channel.sd).mean()
    assert found.share == pytest.approx(beyond, rel=1e-3) == pytest.approx(1e-4, rel=0.05)


def test_no_release_is_rare_enough_to_be_left_out_of_the_very_worst():
    channel = GaussianNoise.at_privacy(1.0, **UNIT)
    found = [worst_posterior(channel, TWENTIETHS, rare) for rare in (0, 1e-4, 0.01, 0.5, 0.999)]
    assert [worst.posterior for worst in found] == sorted([worst.posterior for worst in found], reverse=True)
    assert all(worst.share > rare for worst, rare in zip(found, (0, 1e-4, 0.01, 0.5, 0.999), strict=True))
    assert found[0].seen[0] == -math.inf


@given(noises, shares)
@example(GaussianNoise(sd=0.8125, low=0, high=6, step=1), np.array([0, 0, 0, 1, 1, 0, 1]) / 3)
def test_on_a_grid_by_bayes_rule(channel, prior):
    joint = grid_joint(channel, prior)
    cuts = channel.seen_bins(np.arange(8) - 0.5)
    places = np.searchsorted(cuts[1:-1], np.arange(joint.shape[1]) - 80)
    binned = np.array([np.bincount(places, row, len(cuts) - 1) for row in joint])
    found = worst_posterior(channel, Distribution(np.arange(8) - 0.5, prior))
    tells = [(column.max() / column.sum(), column.sum()) for column in binned.T if column.sum() > 0]
    # The matrix takes a chance below a rounding error for none: the posteriors of rare releases are that uncertain.
    as_much = sum(share for posterior, share in tells if posterior > found.posterior - 1e-8 - 1e-13 / share)
    more = sum(share for posterior, share in tells if posterior > found.posterior + 1e-8 + 1e-13 / share)
    assert more - 1e-12 <= found.share <= as_much + 1e-12
    assert more - 1e-12 <= 1e-4 < as_much + 1e-12
    assert found.posterior >= found.prior - 1e-9


def test_an_interval_tells_what_is_common_in_it():
    found = worst_posterior(Intervals(edges=2, **UNIT), Distribution([0, 0.25, 0.5, 1], [0.1, 0.3, 0.6]))
    assert (found.posterior, found.prior, found.true, found.share) == (1, 0.6, (0.5, 1), 0.6)


@pytest.mark.parametrize("step", [None, 1])
def test_without_noise_the_worst_is_certain(step):
    found = worst_posterior(
        UniformNoise(half_width=0, low=0, high=4, step=step), Distribution.uniform([-0.5, 2, 4.5])
    )
    assert (found.posterior, found.share) == (pytest.approx(1), pytest.approx(1))


def test_results_are_read_in_one_line():
    assert repr(entropy_privacy(NOISE, EVEN)) == "EntropyPrivacy(before 1, after 0.6065, loss 39.3%)"
    told = repr(worst_posterior(KEPT, {"a": 0.5, "b": 0.25, "c": 0.25}))
    assert told == "WorstPosterior('a' from 50.0% to 82.4% by seeing 'a'; 0.42 of the releases tell as much)"


# --- Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: interval_privacy(KEPT),
            TypeError,
            "for categories epsilon, entropy_privacy or",
        ),
        (lambda: interval_privacy(0.5), TypeError, "channel is a float; expected additive noise or Intervals"),
        (lambda: interval_privacy(NOISE, 1), ValueError, r"confidence is 1; expected a number in \(0, 1\)"),
        (lambda: epsilon(NOISE, 1), ValueError, r"delta is 1; expected a number in \[0, 1\)"),
        (lambda: epsilon(3), TypeError, "disguise is an int; expected a dict of channels"),
        (lambda: epsilon(None), TypeError, "disguise is None; expected a dict of channels by column"),
        (lambda: epsilon({}), ValueError, "disguise is empty"),
        (lambda: epsilon({"a": 1}), TypeError, r"disguise\['a'\] is an int; expected a channel"),
        (lambda: entropy_privacy(1, EVEN), TypeError, "channel is an int; expected additive noise, Intervals or"),
        (lambda: entropy_privacy(NOISE, [1]), TypeError, "distribution is a list; expected a Distribution over"),
        (
            lambda: entropy_privacy(NOISE, Distribution.uniform([0, 0.5])),
            ValueError,
            "distribution reaches from 0 to",
        ),
        (
            lambda: worst_posterior(NOISE, Distribution.uniform([-1, -0.5, 1])),
            ValueError,
            r"distribution has the interval \[-1, -0.5\), which holds no value of the domain",
        ),
        (lambda: worst_posterior(NOISE, EVEN, 1), ValueError, r"rare is 1; expected a number in \[0, 1\)"),
        (
            lambda: entropy_privacy(KEPT, EVEN),
            ValueError,
            "distribution has 1 entries and channel.categories has 3",
        ),
        (lambda: entropy_privacy(KEPT, [0.5, 0.5]), TypeError, "distribution is a list; expected a dict"),
        (
            lambda: worst_posterior(KEPT, {"a": 0.5, "d": 0.5}),
            ValueError,
            "distribution has 1 of 2 that are none of",
        ),
        (lambda: worst_posterior(KEPT, {"a": 0.5}), ValueError, "distribution sums to 0.5; expected 1"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_entropy_of_an_unknown_channel_of_numbers_is_refused():
    class Other(NumericChannel):
        pass

    Other.__abstractmethods__ = frozenset()
    with pytest.raises(
        TypeError, match="channel is an Other; expected additive noise, Intervals or a channel of cat"
    ):
        entropy_privacy(Other(low=0, high=1), EVEN)
