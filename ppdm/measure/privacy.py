"""What one disguised value gives away: widths, ε, entropies and posteriors, each of them blind to something."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm import checks
from ppdm.disguise import CategoryChannel, GaussianNoise, Intervals, NumericChannel, UniformNoise, as_disguise
from ppdm.information import codes_of, entropy, gain, ratio
from ppdm.reconstruct import Distribution

ROUNDING = 1e-9  # shares that differ by less are the same
CELLS = 10_000  # of the seen values and of half the noise, over which an entropy is summed
CHANNELS = "additive noise, Intervals or a channel of categories"
BINS = 1_000  # of the domain, among which the most telling seen value is looked for


def interval_privacy(channel: NumericChannel, confidence: float = 0.95) -> float:
    """Width of the shortest interval that holds the true value with that confidence, as released (AS00 §2.1, Table 1).

    It is ``channel.privacy(confidence, released=True)``. The paper's own figure leaves the rounding to a step out:
    ``channel.privacy(confidence)``.

    Parameters
    ----------
    channel : additive noise or Intervals
    confidence : number in (0, 1)

    >>> from ppdm.disguise import UniformNoise
    >>> interval_privacy(UniformNoise(half_width=0.5, low=0, high=4))
    0.95
    """
    expected = "additive noise or Intervals (for categories epsilon, entropy_privacy or worst_posterior)"
    checks.of_type("channel", channel, NumericChannel, expected)
    return channel.privacy(confidence, released=True)


def epsilon(disguise, delta: float = 1e-5) -> float:
    """The ε with which a disguise is (ε, δ)-locally differentially private; inf where there is none.

    For several attributes it is a bound by basic composition: the sum of their ε's, each at δ / their number
    (Dwork & Roth 2014, Theorem 3.16). It covers the disguised attributes and nothing else: a column that is released
    as it is has no ε at all (see ``privacy_report``). For answers in groups it is a sum over groups; a group of
    several attributes has no ε.

    Parameters
    ----------
    disguise : a channel, a dict of them, a GroupedResponse, or a Disguise
    delta : number in [0, 1)

    >>> from ppdm.disguise import GaussianNoise
    >>> noise = GaussianNoise.at_privacy(1.0, low=20, high=80)
    >>> round(epsilon(noise), 1), round(epsilon({"age": noise, "wage": noise}), 1)
    (23.7, 48.7)
    """
    delta = checks.number("delta", delta, "[0, 1)")
    parts = as_disguise(disguise, name="disguise", optional=False).parts_
    return float(sum(part.epsilon(delta / len(parts)) for part in parts))


@dataclass(frozen=True)
class EntropyPrivacy:
    """Privacy in the sense of Agrawal & Aggarwal (2001), with h in bits.

    Attributes
    ----------
    before : 2^h(X), the width of a uniform distribution as uncertain as the true value; on a grid, the step times the
        number of equally likely values that are as uncertain; of categories, that number
    after : 2^h(X|S), the same once the disguised value is seen
    loss : 1 − 2^−I(X;S), the conditional privacy loss: the share of ``before`` that is gone
    """

    before: float
    after: float
    loss: float

    def __repr__(self):
        return f"EntropyPrivacy(before {self.before:.4g}, after {self.after:.4g}, loss {self.loss:.1%})"


def entropy_privacy(channel: NumericChannel | CategoryChannel, distribution) -> EntropyPrivacy:
    """How much less uncertain the true value is once the disguised one is seen (Agrawal & Aggarwal 2001, §2).

    What is seen is summed over ten thousand cells (fewer where the distribution has more than 400 intervals), so that
    the loss is right to 0.001, mostly to 0.0001. (Their information loss, half the expected L1 distance between the
    true and the reconstructed density, is the mean of ``Distribution.distance``.)

    Parameters
    ----------
    channel : additive noise, Intervals or a channel of categories
    distribution : of the true values, over intervals that cover the domain; for categories, a dict or Series with
        the share of each category, or a Distribution over their codes

    >>> from ppdm.disguise import UniformNoise
    >>> entropy_privacy(UniformNoise(half_width=0.5, low=0, high=1), Distribution.uniform([0, 1]))
    EntropyPrivacy(before 1, after 0.6065, loss 39.3%)
    """
    prior, edges = _prior(channel, distribution)
    if isinstance(channel, CategoryChannel):
        matrix = channel.matrix()
        before = entropy(prior)
        bits = entropy(prior @ matrix) - prior @ entropy(matrix)
    else:
        widths = np.diff(channel.starts(edges)) * (channel.step or 1)  # on a grid, of the values inside
        before = entropy(prior) + prior @ np.log2(widths)
        bits = _information(channel, prior, edges)
    width = float(2**before)
    kept = 2.0 ** -max(float(bits), 0)  # rounding can leave 0 bits slightly below it
    return EntropyPrivacy(width, width * kept, 1 - kept)


@dataclass(frozen=True)
class WorstPosterior:
    """What the most revealing released values give away.

    Attributes
    ----------
    posterior, prior : probability of a true interval (or category) after such a value is seen, and before
    true, seen : that interval, and one that the released value lies in, as (start, end); or the categories
    share : of the releases that tell as much or more, of this interval or another
    """

    posterior: float
    prior: float
    true: Any
    seen: Any
    share: float

    def __repr__(self):
        return (
            f"WorstPosterior({_place(self.true)} from {self.prior:.1%} to {self.posterior:.1%} "
            f"by seeing {_place(self.seen)}; {self.share:.2g} of the releases tell as much)"
        )


def worst_posterior(
    channel: NumericChannel | CategoryChannel, distribution, rare: float = 1e-4
) -> WorstPosterior:
    """The largest probability that any true interval or category has after a release.

    A posterior above ρ₂ where the prior was below ρ₁ is a ρ₁-to-ρ₂ privacy breach (Evfimievski, Gehrke & Srikant
    2003). Unbounded noise gives everything away in its outermost tail, which is practically never seen. So the most
    telling releases, together a share of at most ``rare``, are left out. Released values are taken in a thousand bins
    to the domain, as ``channel.seen_bins`` cuts them.

    Parameters
    ----------
    channel : additive noise, Intervals or a channel of categories
    distribution : as in ``entropy_privacy``; its intervals are what is to stay uncertain
    rare : number in [0, 1)

    >>> from ppdm.disguise import UniformNoise
    >>> worst_posterior(UniformNoise(half_width=0.5, low=0, high=1), Distribution.uniform([0, 0.5, 1]))
    WorstPosterior([0, 0.5) from 50.0% to 100.0% by seeing [-inf, -0.499); 0.25 of the releases tell as much)
    """
    rare = checks.number("rare", rare, "[0, 1)")
    prior, edges = _prior(channel, distribution)
    if isinstance(channel, CategoryChannel):
        matrix = channel.matrix()
        true = channel.categories
        seen = channel.categories
    else:
        cuts = channel.seen_bins(channel.true_bins(min(BINS, channel.most_bins)))
        matrix = channel.matrix(edges, cuts)
        true, seen = (list(itertools.pairwise(ends.tolist())) for ends in (edges, cuts))
    joint = prior[:, None] * matrix
    shares = joint.sum(axis=0)
    posterior = ratio(joint, shares)  # 0 where nothing is released
    telling = posterior.max(axis=0)
    most = most_telling(telling, shares, rare)
    # Of releases that tell as much, but for rounding, the first one.
    s = int(np.argmax(np.abs(telling - most) <= ROUNDING))
    p = int(np.argmax(posterior[:, s]))
    share = shares[telling >= most - ROUNDING].sum()
    return WorstPosterior(float(posterior[p, s]), float(prior[p]), true[p], seen[s], float(share))


def information_gain(values, classes) -> float:
    """Information gain in bits of splitting the records on every distinct value (LSL03 §4, Table 1).

    The split is multiway, so that the measure favours attributes with many values; cut numbers into intervals first
    to compare them fairly.

    Parameters
    ----------
    values, classes : an entry for each record, of any hashable kind, none missing or infinite

    >>> information_gain(["low", "low", "high", "high"], [0, 0, 1, 1])
    1.0
    """
    own = codes_of("values", values)
    of_class = codes_of("classes", classes)
    checks.same_length("values", own, "classes", of_class)
    return gain(own, of_class)


def most_telling(values, shares, rare) -> float:
    """The largest of the values, leaving out the largest ones whose shares come to at most ``rare``."""
    order = np.argsort(-values, kind="stable")
    last = np.searchsorted(np.cumsum(shares[order]), rare, side="right")
    return float(values[order[min(last, len(order) - 1)]])


def _place(value):
    """An interval or a category in print."""
    interval = isinstance(value, tuple) and all(isinstance(end, float) for end in value)
    return f"[{value[0]:.4g}, {value[1]:.4g})" if interval else repr(value)


def _prior(channel, distribution):
    """The shares of the true intervals, or categories; and the intervals' edges."""
    if isinstance(channel, NumericChannel):
        checks.of_type("distribution", distribution, Distribution, "a Distribution over the channel's domain")
        edges = channel.true_bins(distribution.edges, "distribution")
        channel.starts(edges, "distribution")  # refuses intervals without a value
        return distribution.probabilities, edges
    checks.of_type("channel", channel, CategoryChannel, CHANNELS)
    if isinstance(distribution, Distribution):
        checks.same_length("distribution", distribution.probabilities, "channel.categories", channel.categories)
        return distribution.probabilities, None
    given = checks.mapping("distribution", distribution)
    shares = np.zeros(channel.k)
    shares[channel.codes(list(given), "distribution")] = checks.shares("distribution", list(given.values()))
    return shares, None


def _information(channel, prior, edges):
    """I(X; S) in bits: the entropy of the released value minus that of the noise in it."""
    if isinstance(channel, Intervals):
        return float(entropy(prior @ channel.matrix(edges, channel.seen_bins(edges))))
    checks.of_type("channel", channel, UniformNoise | GaussianNoise, CHANNELS)
    if channel.grid is None:
        return math.inf
    low, high = channel.seen_range()
    width = (high - low) / min(CELLS, 4_000_000 // len(prior))  # a matrix of 32 MB
    noise = channel.reach / (CELLS + 0.5)  # the outermost cell ends where the noise does
    step = channel.step
    if step is not None:  # each cell holds the same number of values
        width, noise = (step * max(math.ceil(cell / step), 1) for cell in (width, noise))
        low = channel.low + step * (math.floor((low - channel.low) / step) - 0.5)
    cells = low + width * np.arange(math.ceil((high - low) / width) + 2)
    seen = entropy(prior @ channel.matrix(edges, cells)) + math.log2(width)
    return float(seen - entropy(channel.spread(noise)) - math.log2(noise))
