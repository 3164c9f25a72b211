"""Week 1, reconstruction: the checks that stand in the sheet, and the people whom a student reconstructs.

Each check is a function with the name of its task. It raises `WrongAnswerError`, or it returns what it checked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from oracles import Student, WrongAnswerError, prediction
from oracles.answers import compare, near, number, numbers, possible_share, recognised, returned
from ppdm.disguise import UniformNoise
from ppdm.reconstruct import em_step

MINUTES = np.linspace(0, 120, 25)  # the intervals of travel times: 24, of five minutes each

ELSEWHERE = 0.06  # twenty rounds leave less than 0.045, the histogram of what is seen has 0.1 or more
MOVED = 0.0065  # by one more round: less after thirty rounds, more after fifteen

# The nine people of the lessons: who is seen where, and the rule of the die.
NINE = [2, 2, 3, 1, 1]
DIE = [[1 / 3, 1 / 3, 1 / 3, 0, 0], [0, 1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 1 / 3, 1 / 3, 1 / 3]]
ONE_ROUND = [4 / 9, 2.5 / 9, 2.5 / 9]  # from equal thirds
SECOND_GUESS = [0.522222, 0.274074, 0.203704]  # from 1/2, 1/3 and 1/6


def own_people(me: Student) -> tuple[np.ndarray, UniformNoise]:
    """What is seen of a student's own people, and the noise that they have added. What is true stays with them."""
    rng = me.rng("w1.7")
    people = int(rng.integers(8_000, 16_001))
    few = int(people * rng.uniform(0.12, 0.25))
    far = few if rng.random() < 0.5 else people - few
    near_ones = rng.normal(rng.uniform(20, 35), rng.uniform(6, 9), people - far)
    far_ones = rng.normal(rng.uniform(80, 95), rng.uniform(8, 11), far)
    true = rng.permutation(np.clip(np.concatenate([near_ones, far_ones]), 0, 120))
    noise = UniformNoise(half_width=round(rng.uniform(50, 70)), low=0, high=120)
    return noise.disguise(true, rng=rng), noise


def w1_1(guess: Any) -> str:
    """A prediction in per cent."""
    return prediction(guess, 0, 100)


# Noise, scale, confidence and width, and the wrong widths to which known mistakes lead.
WIDTHS = [
    ("uniform", 1, 0.95, 1.9),
    ("uniform", 1, 0.5, 1.0),
    ("uniform", 1, 0.999, 1.998),
    ("uniform", 30, 0.8, 48.0),
    ("Gaussian", 1, 0.95, 3.919928),
    ("Gaussian", 1, 0.5, 1.34898),
    ("Gaussian", 1, 0.999, 6.581053),
    ("Gaussian", 30, 0.8, 76.893094),
]
WRONG_WIDTHS = [
    ("That is one side only: the noise goes from −α to α.", 0.95),
    ("That interval holds all of the noise. Where is the confidence?", 2.0),
    ("That is one side only, from the middle to one end.", 1.959964),
    ("Your interval leaves all of the 5 % on either side; it should leave half of it.", 3.289707),
    ("That is one side only, and it leaves all of the 5 % there.", 1.644854),
    ("Nearly: do not round the quantile to 1.96, because the confidence may be any.", 3.92),
    ("That is the uniform noise's width.", 1.9),
    ("The paper prints that; it is cut off instead of rounded.", 1.34),
    ("The paper prints that, and it is a slip.", 6.8),
    ("That does not change with the scale.", 1.6),
    ("That does not change with the scale.", 2.563103),
    ("The scale is the standard deviation: it is not squared.", 2306.792818),
    ("The scale is the standard deviation, not the variance: take no root.", 14.038695),
]


def w1_2(privacy_width: Callable) -> str:
    """Table 1 of the paper, another scale, and how much of the noise an interval of any confidence holds."""
    for noise, scale, confidence, right in WIDTHS:
        call = f"privacy_width({noise!r}, {scale}, {confidence})"
        compare(call, _width(call, privacy_width, noise, scale, confidence), right, WRONG_WIDTHS)
    rng = np.random.default_rng(102)
    for noise, drawn in (("uniform", rng.uniform(-1, 1, 100_000)), ("Gaussian", rng.normal(0, 1, 100_000))):
        for _ in range(5):
            scale, confidence = rng.uniform((0.5, 0.1), (40, 0.98)).round(2).tolist()
            call = f"privacy_width({noise!r}, {scale}, {confidence})"
            width = _width(call, privacy_width, noise, scale, confidence)
            holds = (np.abs(scale * drawn) <= width / 2).mean()
            if abs(holds - confidence) > 0.01:
                raise WrongAnswerError(
                    f"{call} is {width:.6g}. An interval of this width holds {holds:.0%} of 100,000 noises; "
                    f"we expect {confidence:.0%}."
                )
    return "your widths are those of Table 1 for both noises, and ten others hold as much noise as they should."


def _width(call, answer, noise, scale, confidence):
    """The width that an answer finds, if it may be one."""
    value = returned(call, answer, noise, scale, confidence)
    if value is None:
        raise WrongAnswerError(f"{call} is None. Is it returned, and the noise spelled {noise!r} there?")
    width = number(call, value)
    if width < 0:
        text = "A width is not negative: take the upper end minus the lower one"
        raise WrongAnswerError(f"{call} is {width:.6g}. {text}.")
    return width


# Ten people: two below the range, one above it, four on an edge.
TEN = [-2, -1, 0.5, 1, 1, 1.5, 2, 3, 5, 7]
TEN_EDGES = [0, 1, 2, 5]
HISTOGRAMS: list[tuple[str, list[float]]] = [
    ("These are people. Divide by their number.", [3, 3, 4]),
    ("These add up to 0.7: you have left out the three people outside the range.", [0.1, 0.3, 0.3]),
    ("You have left out the three people outside the range, and shared what is left.", [1 / 7, 3 / 7, 3 / 7]),
    ("These are densities. A share is not divided by the width.", [0.3, 0.3, 0.4 / 3]),
    ("These are densities, and the people outside are left out.", [1 / 7, 3 / 7, 1 / 7]),
    ("A value on an edge belongs to the interval above it, not below.", [0.5, 0.2, 0.3]),
    ("Those who are seen at or above the last edge are missing.", [0.3, 0.3, 0.2]),
    ("Those who are seen below the first edge are missing.", [0.1, 0.3, 0.4]),
    ("You have exchanged the two ends.", [0.2, 0.3, 0.5]),
    ("Divide by the number of people in seen. It need not be ten thousand.", [0.0003, 0.0003, 0.0004]),
    ("The person seen at 7 is missing. Are the ends those of the edges that are given?", [0.3, 0.3, 0.3]),
]
GIVEN_EDGES: dict[tuple, str] = {(24,): "Take the edges that are given, and not MINUTES."}


def w1_3(naive_histogram: Callable) -> str:
    """Ten people, and what becomes of those who are seen outside the range."""
    name = "naive_histogram(seen, edges)"
    value = returned(name, naive_histogram, np.array(TEN), np.array(TEN_EDGES))
    each = ", one for each interval, of which there is one less than edges"
    shares = numbers(name, value, (3,), each, GIVEN_EDGES)
    compare("For the ten people seen at −2, −1, 0.5, 1, …", shares, [0.3, 0.3, 0.4], HISTOGRAMS)
    return (
        "the shares of the ten people are 0.3, 0.3 and 0.4. They add up to 1, and nobody is left out. "
        "Marking also tries other people, and intervals of other widths."
    )


STEPS: list[tuple[str, list[float]]] = [
    ("These are people: divide by their number n, the sum of N.", [4.7, 37 / 15, 11 / 6]),
    ("What is expected in a seen interval is missing: it divides N(s).", [0.129630, 0.074074, 0.030864]),
    (
        "Dividing by the sum at the end does not replace what is expected in each seen interval.",
        [0.552632, 0.315789, 0.131579],
    ),
    ("Pr(p) is missing before the sum over s.", [1.044444, 0.822222, 1.222222]),
    ("Pr(p) is missing before the sum over s; to scale the sum to 1 hides it.", [0.338130, 0.266187, 0.395683]),
    ("That is a round from equal thirds: you do not start from Pr.", ONE_ROUND),
    ("The channel f(s | p) is missing in the sum over s.", [2.9, 29 / 15, 29 / 30]),
    ("That is Pr, with nothing learned.", [1 / 2, 1 / 3, 1 / 6]),
    ("That divides by the number of seen intervals; n is the number of people.", [0.94, 0.493333, 0.366667]),
    ("N(s) is missing: the five answers are not equally frequent.", [0.42, 0.28, 0.3]),
    (
        "The quotients are cut off to whole numbers: np.zeros_like(N) holds whole numbers if N does.",
        [0.5, 7 / 27, 16 / 81],
    ),
]
TURNED: list[tuple[str, list[float]]] = [
    ("The matrix is transposed: its rows are the true intervals, its columns the seen ones.", [0.7, 0.3]),
    ("The matrix is transposed where you compute what is expected.", [0.58, 0.48]),
    ("The matrix is transposed in the sum over s.", [0.643956, 0.389011]),
]


def w1_4(bayes_step: Callable) -> str:
    """Nine people, from two guesses; two intervals with a channel that is not symmetric."""
    for start, right in [([1 / 2, 1 / 3, 1 / 6], SECOND_GUESS), ([1 / 3] * 3, ONE_ROUND)]:
        new = _step(bayes_step, DIE, NINE, start)
        compare(f"For the nine people and Pr = {np.round(start, 4).tolist()}", new, right, STEPS)
    new = _step(bayes_step, [[0.9, 0.1], [0.4, 0.6]], [60, 40], [0.5, 0.5])
    what = "For f = [[0.9, 0.1], [0.4, 0.6]], N = [60, 40] and Pr = [0.5, 0.5]"
    compare(what, new, [0.472527, 0.527473], TURNED)
    return (
        "your step is right for the nine people, from two guesses, and for a channel with two intervals. "
        "Marking also tries seen intervals in which nobody is expected, and counts that are not whole."
    )


def _step(answer, f, N, Pr):
    """The guess after a step."""
    name = "bayes_step(f, N, Pr)"
    hint = "Rows of f are true intervals, columns are seen ones. Is it transposed somewhere?"
    value = returned(name, answer, np.array(f), np.array(N), np.array(Pr), hint=hint)
    return numbers(name, value, (len(f),), ", one for each row of f")


def w1_5(guess: Any) -> str:
    """A prediction of a number of rounds."""
    return prediction(guess, 0, 1000)


ROWS: dict[tuple, str] = {
    (3,): "Give back all guesses, a row for each, and not the last alone.",
    (200, 3): "Is Pr itself missing, or the last round?",
    (3, 201): "Rows and columns are exchanged.",
}


def w1_6(all_rounds: Callable) -> str:
    """Two hundred rounds with the nine people, what must hold in between, and one round from another guess."""
    name = "all_rounds(f, N, Pr, rounds)"
    die, nine = np.array(DIE), np.array(NINE)
    value = returned(name, all_rounds, die, nine, np.full(3, 1 / 3), 200)
    each = ", a row for Pr and one after each of the 200 rounds"
    path = numbers(f"For the nine people {name}", value, (201, 3), each, ROWS)
    if (path == path[200]).all():
        raise WrongAnswerError(
            "All rows are the same. Is there a new array in each round, or one that is changed?"
        )
    after = [("That is the guess after a round.", ONE_ROUND)]
    compare("Row 0, which is the guess Pr itself", path[0], [1 / 3] * 3, after)
    compare("After the first round", path[1], ONE_ROUND)
    again = [("Each round starts from the guess before it, not from Pr again.", ONE_ROUND)]
    compare("After the second round", path[2], [0.507123, 0.233618, 0.259259], again)
    compare("After 200 rounds", path[200], [0.663357, 0.006602, 0.330040])
    with np.errstate(all="ignore"):
        rises = np.diff(np.log(path @ die) @ nine) >= -1e-9
    if not rises.all():
        text = f"In round {rises.argmin() + 1} what was seen becomes less likely"
        raise WrongAnswerError(f"{text}, and no round may do that. Is each a Bayes step?")
    value = returned(name, all_rounds, die, nine, np.array([1 / 2, 1 / 3, 1 / 6]), 1)
    path = numbers(f"From Pr = [1/2, 1/3, 1/6] {name}", value, (2, 3), ", a row for Pr and one after the round")
    even = [("The rounds always start from equal thirds, and not from Pr.", [[1 / 3] * 3, ONE_ROUND])]
    compare("From Pr = [1/2, 1/3, 1/6], one round", path, [[1 / 2, 1 / 3, 1 / 6], SECOND_GUESS], even)
    return (
        "your rounds are right: each makes what was seen more likely, and the middle empties. "
        "Marking also tries other channels, and no round at all."
    )


def w1_7(me: Student, found: Any, share: Any) -> str:
    """Whether what a student found explains what is seen of the own people, stays, and agrees with the share."""
    told = possible_share(me, "share", share)
    estimate = numbers("found", found, (24,), ", one for each interval of five minutes")
    if estimate.min() < 0 or abs(estimate.sum() - 1) > 1e-6:
        text = f"The smallest is {estimate.min():.4g}, and they add up to {estimate.sum():.6g}"
        raise WrongAnswerError(f"found should hold shares, which add up to 1. {text}.")
    seen, noise = own_people(me)
    bins = noise.seen_bins(MINUTES)
    estimate /= estimate.sum()
    counts, f = np.histogram(seen, bins)[0], noise.matrix(MINUTES, bins)
    elsewhere = 100 * np.abs(estimate @ f - counts / len(seen)).sum() / 2
    if not elsewhere <= 100 * ELSEWHERE:
        raise WrongAnswerError(
            f"If found were the truth, {elsewhere:.0f} % of your people would be seen in other intervals than they "
            "are; sampling error explains 2 or 3 %. Is it what is seen, uncorrected? Have you taken too few rounds? "
            "Or are these other people, of another name?"
        )
    moved = np.abs(em_step(f, counts, estimate) - estimate).sum() / 2
    if not moved <= MOVED:
        raise WrongAnswerError(
            f"One more round would still move {100 * moved:.1f} % of your people to other intervals. After enough "
            f"rounds it is less than {100 * MOVED:.2g} %. Have you taken too few? Are these other people, or not all?"
        )
    _share_of(estimate, told, (seen >= 60).mean())
    return (
        "found explains what is seen, further rounds move few people, and share is that of found. "
        "Marking accepts a share that is within 0.03 of what a hundred rounds give."
    )


def _share_of(estimate, share, naive):
    """Refuse a share that is not that of an estimate, without the right one; it may be rounded to three digits."""
    rounded = 0.000501
    from_edge = {edge: estimate[MINUTES[:-1] >= edge].sum() for edge in (55, 60, 65)}
    if near(share, from_edge[60], rounded):
        return
    mistakes = [
        ("That is the share of what is seen, without any correction.", naive),
        ("That is the share of those who travel for less than an hour.", 1 - from_edge[60]),
        ("You have added up one interval too many: the first one begins at 60 minutes.", from_edge[55]),
        ("You have left out one interval, the one that begins at 60 minutes.", from_edge[65]),
    ]
    hint = recognised(share, mistakes, rounded) or "Add up the intervals that begin at 60 minutes or later."
    raise WrongAnswerError(f"share is {share:.4g}, and that is not the share in found. {hint}")
