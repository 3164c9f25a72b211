"""The ladder of protocols, and the attack that breaks each rung: what some parties saw, and the secret that it gives.

Every function takes numbers as they went over a wire, so that it also works on what ``session.view`` shows. The
experiments draw such numbers by the laws of the protocols, from a seed.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from ppdm import randomness
from ppdm.data import quest
from ppdm.information import people_in
from ppdm.studies.vc04 import Opened, coded
from ppdm.trees import Stop, grow

PEOPLE, COUNTS = 3, 200  # who adds up, and the secret numbers of each one
MOST = 100  # a secret is a whole number below this
FIELD = 101  # of the shares: small enough that a guess is sometimes right by chance
SEEDS, SIZE = 1 << 12, 8  # seeds that are tried here, and numbers under one mask
LONG = 20  # of a vector in a scalar product
Seen = Sequence[np.ndarray]
Found = tuple[np.ndarray, np.ndarray]  # what an attack reads, and the secrets


def neighbours(came: np.ndarray, went: np.ndarray) -> np.ndarray:
    """Ring: what a site sent on, less what had come in, is its own (both neighbours together)."""
    return went - came


def mixer_and_site(words: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Mixer: every site knows the masks of all, and the mixer has all words."""
    return words - mask


def the_other(total: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Any sum of two: who takes off the own part has the other's."""
    return total - own


def interpolated(points: Sequence[int], shares: Seen, field: int = FIELD) -> np.ndarray:
    """Shamir: the value at 0 of the polynomial of least degree through some points."""
    found = np.zeros_like(shares[0])
    for point, share in zip(points, shares):
        weight = 1
        for other in points:
            if other != point:
                weight = weight * other * pow(other - point, -1, field) % field
        found = (found + weight * share) % field
    return found


def late(words: np.ndarray, revealed: Seen) -> np.ndarray:
    """Masks of pairs alone: the others told those of a lost site, and then its words came after all."""
    return words - sum(revealed)


def guessed(words: np.ndarray, most: int = MOST) -> np.ndarray:
    """What one may guess from words under a mask: their last digits, if these were not noise, too."""
    return words % np.uint64(most)


def seeds(words: np.ndarray, tried: range, most: int = MOST) -> np.ndarray:
    """Masks of short seeds: the right one is found when all numbers under the mask are small."""
    for seed in tried:
        values = words - _by_seed(seed, words.size)
        if (values < most).all():
            return values
    return np.zeros_like(words)


def newcomer(before: np.ndarray, after: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """Two trees, before somebody came and after: the codes where the root's histograms grew most, and the class."""
    more = (after - before)[:, 0]
    starts = np.append(0, np.cumsum(widths))
    kind = more.sum(axis=1).argmax()
    return np.array([*(more[kind, low:high].argmax() for low, high in pairwise(starts)), kind])


def averaged(words: np.ndarray, mean: float) -> np.ndarray:
    """Masks of real numbers: over many sums of the same secret they average out."""
    return np.rint(words.mean(axis=0) - mean).clip(0, MOST - 1)


def unmixed(sent: np.ndarray, public: np.ndarray, most: int = 2) -> np.ndarray:
    """The scalar product of Vaidya & Clifton 2002, x + C r with a public C: no r changes what is across C.

    Of n numbers the first half is tried; the other half follows from n / 2 equations, and must be small and whole.
    """
    half = public.shape[1]
    across = np.linalg.svd(public)[0][:, half:].T
    tried = np.array([*product(range(most), repeat=half)])
    rest = np.linalg.solve(across[:, half:], (across @ sent)[:, None] - across[:, :half] @ tried.T).T
    off = np.abs(rest - np.rint(rest).clip(0, most - 1)).max(axis=1)
    best = off.argmin()
    return np.concatenate([tried[best], np.rint(rest[best])]).astype(int)


# What the protocols would have sent


def _secrets(rng, shape=(PEOPLE, COUNTS)):
    return rng.integers(0, MOST, shape, dtype=np.uint64)


def _words(rng, shape=(COUNTS,)):
    return rng.integers(0, 2**64, shape, dtype=np.uint64)


def _ring(rng) -> Found:
    own = _secrets(rng)
    came = own[0] + _words(rng)
    return neighbours(came, came + own[1]), own[1]


def _ring_alone(rng) -> Found:
    own = _secrets(rng)
    return guessed(own[0] + _words(rng) + own[1]), own[1]


def _mixer(rng) -> Found:
    own, masks = _secrets(rng), _words(rng, (PEOPLE, COUNTS))
    return mixer_and_site(own + masks, masks), own


def _mixer_alone(rng) -> Found:
    own = _secrets(rng)
    return guessed(own + _words(rng, (PEOPLE, COUNTS))), own


def _two(rng) -> Found:
    own = _secrets(rng)[:2]
    return the_other(own.sum(axis=0), own[0]), own[1]


def _shamir(many) -> Callable[[Any], Found]:
    """As many of three parties' shares of one secret each, where two are enough."""

    def run(rng) -> Found:
        own = rng.integers(0, MOST, COUNTS)
        slope = rng.integers(0, FIELD, COUNTS)
        points = range(1, many + 1)
        return interpolated(points, [(own + slope * point) % FIELD for point in points]), own

    return run


def _late(second) -> Callable[[Any], Found]:
    """A site whose words are late; second: it has a mask of its own besides, which nobody tells."""

    def run(rng) -> Found:
        own, pairs = _secrets(rng)[0], [_words(rng) for _ in range(PEOPLE - 1)]
        left = late(own + sum(pairs) + (_words(rng) if second else np.uint64(0)), pairs)
        return guessed(left) if second else left, own

    return run


def _by_seed(seed, size):
    return np.random.RandomState(seed).randint(0, 2**32, size, dtype=np.uint32)


def _seeds(rng) -> Found:
    own = rng.integers(0, MOST, SIZE, dtype=np.uint32)
    return seeds(own + _by_seed(int(rng.integers(SEEDS)), SIZE), range(SEEDS)), own


def _newcomer(epsilon) -> Callable[[Any], Found]:
    """A root's histograms without and with the last of 1,000 people; epsilon: of each of the two."""

    def run(rng) -> Found:
        X, y = quest(1_000, 2, rng=rng)
        tables = [coded(X[:-1], y[:-1]), coded(X, y)]
        widths = [one.n_values for one in tables[0].attributes]
        told = [table.histograms(table.root()) for table in tables]
        if epsilon:
            each = epsilon / (1 + len(widths))
            told = [one + randomness.part_of_noise(one.shape, each, 1, rng) for one in told]
        return newcomer(told[0], told[1], widths), np.array([*tables[1].codes[:, -1], tables[1].class_codes[-1]])

    return run


def _real(times, real=True) -> Callable[[Any], Found]:
    """A secret under so many masks, as wide as the secret; or under words modulo 2^64."""

    def run(rng) -> Found:
        own = _secrets(rng)[0]
        width = float(MOST)
        if real:
            return averaged(own + rng.uniform(0, width, (times, COUNTS)), width / 2), own
        return averaged((own + _words(rng, (times, COUNTS))).astype(float), 2.0**63), own

    return run


def _algebraic(rng) -> Found:
    own = rng.integers(0, 2, LONG)
    public = rng.normal(size=(LONG, LONG // 2))
    return unmixed(own + public @ rng.normal(0, 1_000, LONG // 2), public), own


def _cells(depth) -> Callable[[Any], Found]:
    """All people of a small table, and those of them who can be read off."""

    def run(rng) -> Found:
        X, y = quest(3_000, 2, rng=rng)
        table = Opened(coded(X, y))
        grow(table, stop=Stop(max_depth=depth))
        read = {
            *map(tuple, people_in(table.histograms_of_all, [one.n_values for one in table.attributes]).tolist())
        }
        rows = [*zip(*table.own.codes.tolist(), table.own.class_codes.tolist())]
        return np.array([row in read for row in rows]), np.ones(len(rows), bool)

    return run


# Of ten values: seven of 20, and one of nine, of five and of two.
ANY = (7 / 20 + 1 / 9 + 1 / 5 + 1 / 2) / 10
# The name of each attack, how to carry it out, and how often a guess without it is right
ATTACKS: dict[str, tuple[Callable[[Any], Found], float]] = {
    "ring: one neighbour": (_ring_alone, 1 / MOST),
    "ring: two neighbours": (_ring, 1 / MOST),
    "mixer: alone": (_mixer_alone, 1 / MOST),
    "mixer: with one site": (_mixer, 1 / MOST),
    "any sum: of two": (_two, 1 / MOST),
    "Shamir: t shares": (_shamir(1), 1 / MOST),
    "Shamir: t + 1 shares": (_shamir(2), 1 / MOST),
    "masks of pairs: late words": (_late(second=False), 1 / MOST),
    "masks of pairs and own ones: late words": (_late(second=True), 1 / MOST),
    "masks of 12-bit seeds": (_seeds, 1 / MOST),
    "two runs: a newcomer": (_newcomer(None), ANY),
    "two runs with ε = 1 each: a newcomer": (_newcomer(1.0), ANY),
    "real masks: once": (_real(1), 1 / MOST),
    "real masks: 10,000 times": (_real(10_000), 1 / MOST),
    "words: 10,000 times": (_real(10_000, real=False), 1 / MOST),
    "algebraic product": (_algebraic, 1 / 2),
    "small cells: to purity": (_cells(None), 0.0),
    "small cells: depth 4": (_cells(4), 0.0),
}


def attacks(attack: str, rng: np.random.Generator) -> dict[str, float]:
    """The share of secret numbers that an attack reads, and of those that a guess gets right; of cells: of people."""
    run, chance = ATTACKS[attack]
    found, secret = run(rng)
    return {"read": float((found == secret).mean()), "guessed": chance, "secrets": secret.size}
