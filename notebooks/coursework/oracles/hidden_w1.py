"""Week 1, reconstruction: the checks that mark the sheet. They are not handed out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from oracles import Student, w1
from oracles.answers import compare, number, numbers, returned
from ppdm.reconstruct import em_step

CASES = 25
EXACT = 1e-12
ROUNDS = 100  # of the reference; each of the three rules leads to a share that is within the tolerance of it


def own_share(me: Student) -> float:
    """What a student's own people are: the share of those who travel for an hour or more, after a hundred rounds."""
    seen, noise = w1.own_people(me)
    bins = noise.seen_bins(w1.MINUTES)
    even = np.full(24, 1 / 24)
    path = _path(noise.matrix(w1.MINUTES, bins), np.histogram(seen, bins)[0], even, ROUNDS)
    return float(path[-1, 12:].sum())


REFERENCES = {"w1.7": own_share}
TOLERANCES = {"w1.7": 0.03}


def w1_3(naive_histogram: Callable) -> str:
    """Other people, other intervals: of different widths, one alone, people on every edge, nobody inside."""
    rng = np.random.default_rng(103)
    for case in range(CASES):
        edges = np.cumsum(rng.integers(1, 5, int(rng.integers(2, 13)))) - 5.0
        span = edges[-1] - edges[0]
        seen = rng.uniform(edges[0] - span, edges[-1] + span, int(rng.integers(1, 400)))
        if case % 2:
            seen = np.round(seen)  # many people stand exactly on an edge
        _histogram(naive_histogram, seen, edges, "intervals of different widths")
    ends = np.array([0.0, 1.0, 3.0])
    _histogram(naive_histogram, np.array([0.0, 1.0, 3.0]), ends, "people exactly on the edges")
    _histogram(naive_histogram, np.array([-5.0, -4.0]), ends, "people who are all seen below the range")
    _histogram(naive_histogram, np.array([3.0, 9.0]), ends, "people who are all seen at or above the last edge")
    return f"your histogram is right for {CASES + 3} other crowds and intervals."


def _histogram(answer, seen, edges, kind):
    """Each person counts once; who is outside belongs to the interval at that end."""
    size, n = len(edges) - 1, len(seen)
    place = np.searchsorted(edges[1:-1], seen, side="right")
    right = np.bincount(place, minlength=size) / n
    place_below = np.searchsorted(edges[1:-1], seen, side="left")
    lower = np.bincount(place_below, minlength=size) / n
    inside = np.histogram(seen, edges)[0]
    mistakes = [
        ("People on an edge are counted in the interval below it.", lower),
        ("People outside the range are left out.", inside / n),
        ("People outside the range are left out.", inside / max(inside.sum(), 1)),
        ("The shares are divided by the widths.", right / np.diff(edges)),
        ("The shares are divided by the width of the first interval.", right / (edges[1] - edges[0])),
    ]
    _expect(kind, "naive_histogram", answer, (seen, edges), right, mistakes)


def _expect(kind, name, answer, given, right, mistakes):
    """Refuse an answer that differs from the library's in the twelfth digit, and name the mistake if it is known."""
    what = f"With {kind}, {name}"
    found = numbers(what, returned(what, answer, *given), right.shape)
    nearly = ("It is nearly right: do you add something small, or round?", right)
    compare(what, found, right, [nearly, *mistakes], EXACT)


def w1_4(bayes_step: Callable) -> str:
    """Equal to the library's step on random channels; the identity; empty and unreachable places; any total."""
    rng = np.random.default_rng(104)
    for case in range(CASES):
        f, N, Pr = _case(rng, square=case % 3 == 0)
        _step(bayes_step, f, N, Pr, f"a channel of {f.shape[0]} by {f.shape[1]}")
    f, N, Pr = _case(rng)
    N[[0, -1]] = 0
    _step(bayes_step, f, N, Pr, "seen intervals in which nobody is")
    _step(bayes_step, f, 1000 * N, Pr, "a thousand times as many people")
    _step(bayes_step, f, N / N.sum(), Pr, "counts that are shares already")
    _step(bayes_step, f, N + rng.random(len(N)), Pr, "counts that are not whole")
    Pr[1] = 0
    _step(bayes_step, f, N, Pr / Pr.sum(), "a guess that rules an interval out")
    counts = np.array([5, 0, 15, 20])
    _step(bayes_step, np.eye(4), counts, np.array([0.4, 0.3, 0.2, 0.1]), "no noise at all (the identity)")
    _step(bayes_step, np.eye(4), counts, np.array([0.5, 0, 0.3, 0.2]), "a place where nobody is expected or seen")
    counts[1] = 3
    _step(bayes_step, np.eye(4), counts, np.array([0.5, 0, 0.3, 0.2]), "people seen where nobody is expected")
    return f"your step equals the library's in {CASES} random cases, without noise, and with empty places."


def _case(rng, square=False):
    """A channel whose rows add up to 1, counts and a guess."""
    k = int(rng.integers(2, 9))
    columns = k if square else int(rng.integers(k + 1, 15))
    f = rng.random((k, columns)) ** 3
    Pr = rng.random(k) + 0.01
    return f / f.sum(axis=1, keepdims=True), rng.integers(1, 500, columns), Pr / Pr.sum()


def _step(answer, f, N, Pr, kind):
    """Compare a step with the library's."""
    right = em_step(f, N, Pr)
    even = np.full(len(Pr), 1 / len(Pr))
    mistakes = [
        ("The numbers are not divided by n, the sum of N.", right * N.sum()),
        ("Everybody counts in n, wherever they are seen.", right / max(right.sum(), EXACT)),
        ("The step does not start from Pr.", em_step(f, N, even)),
        ("The counts are cut off to whole numbers.", _whole(f, N, Pr)),
    ]
    if len(f) == f.shape[1]:
        mistakes.append(("The matrix is transposed.", em_step(f.T, N, Pr)))
    _expect(kind, "bayes_step", answer, (f, N, Pr), right, mistakes)


def _whole(f, N, Pr):
    """The step from counts without their fractions."""
    whole = np.floor(N)
    return em_step(f, whole, Pr) if whole.any() else 0 * Pr


def w1_6(all_rounds: Callable) -> str:
    """Equal to the library's rounds, from any start; with no round, and where the rounds end."""
    rng = np.random.default_rng(106)
    for _ in range(CASES):
        f, N, Pr = _case(rng)
        _rounds(all_rounds, f, N, Pr, int(rng.integers(1, 30)), "a guess that is not even")
    f, N, Pr = _case(rng)
    _rounds(all_rounds, f, N, Pr, 0, "no round")
    Pr[0] = 0
    _rounds(all_rounds, f, N, Pr / Pr.sum(), 40, "a guess that rules an interval out")
    _rounds(all_rounds, np.eye(4), np.array([8, 0, 5, 7]), np.full(4, 0.25), 3, "no noise at all (the identity)")
    f, _, Pr = _case(rng)
    _rounds(all_rounds, f, 1000 * Pr @ f, Pr, 50, "counts that are just what is expected")
    return f"your rounds equal the library's in {CASES} random cases, and where nothing is left to do."


def _rounds(answer, f, N, Pr, rounds, kind):
    """Compare all rounds with the library's."""
    right = _path(f, N, Pr, rounds)
    even = np.full(len(Pr), 1 / len(Pr))
    mistakes = [
        ("The rounds do not start from Pr.", _path(f, N, even, rounds)),
        ("Each round starts from Pr again.", np.vstack([Pr, np.tile(em_step(f, N, Pr), (rounds, 1))])),
    ]
    given = f, N, Pr, rounds
    _expect(f"{kind}, {rounds} rounds", "all_rounds", answer, given, right, mistakes)


def _path(f, N, Pr, rounds):
    """The guess before the first round, and after each."""
    path = [Pr]
    for _ in range(rounds):
        path.append(em_step(f, N, path[-1]))
    return np.array(path)


def w1_7(me: Student, found: Any, share: Any) -> str:
    """The share of a student's own people, within what sensible numbers of rounds differ by."""
    w1.w1_7(me, found, share)
    right, within = own_share(me), TOLERANCES["w1.7"]
    compare("share", number("share", share), right, (), within, "Too few rounds, or another start?")
    return f"the library's share is {right:.3f}, and yours is within {within:g} of it."
