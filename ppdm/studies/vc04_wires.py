"""Sums of several sites by hand, in one process: who sends what to whom.

Only NumPy is needed, no cryptography and no processes. Messages go as those of ``ppdm.parties`` do. What differs are
the keys: here they come from a seed, from a group that is far too small and from a generator that keeps no secrets.
They show what keys are for, and protect nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

import numpy as np

from ppdm import checks
from ppdm.studies.vc04_attacks import interpolated

NAMES = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Gum", "Hazel")  # of sites, in the order in which they take part
CLEAR, RING, ADDITIVE, MIXER, MASKS, SHAMIR = "in the clear", "ring", "additive", "mixer", "masks", "shamir"
SERVERS = {MIXER: "mixer", MASKS: "server"}  # where somebody takes part who has no counts
FIELD = 2**61 - 1  # of Shamir's shares
GROUP, BASE = 2**127 - 1, 3  # of the keys: real ones have a group where nobody can take logarithms
KEY, WORDS, SUM = "key", "words", "sum"  # what a message holds
ATTRIBUTES = ("age", "height", "weight", "pulse", "pressure", "sugar", "fat", "iron", "sleep")
CLASSES, INTERVALS = ("healthy", "ill"), 20


class Message(NamedTuple):
    """What one party sends to another one.

    Attributes
    ----------
    step : the round of the sum in which it is sent; 0 or less: beforehand, once for many sums
    what : "words" that depend on the counts of some sites, a "sum" of which all learn, or a "key"
    """

    step: int
    sender: str
    receiver: str
    what: str
    words: np.ndarray


@dataclass(eq=False)
class Run:
    """A sum, with all that was sent for it.

    Attributes
    ----------
    own : by site its counts
    messages : in the order in which they are sent
    total : what all learn
    drawn : by site the private key, which it never sends
    dealt : the shares of its keys that a site has given another one, or itself
    """

    protocol: str
    own: dict[str, np.ndarray]
    messages: list[Message] = field(default_factory=list)
    total: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    drawn: dict[str, int] = field(default_factory=dict)
    dealt: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)

    @property
    def sites(self) -> list[str]:
        """Who has counts."""
        return list(self.own)

    @property
    def server(self) -> str:
        """Who takes part without counts; empty where a protocol has nobody of the kind."""
        return SERVERS.get(self.protocol, "")

    @property
    def rounds(self) -> int:
        """How many times a message has to arrive before the next one can be sent."""
        return max(message.step for message in self.messages)

    @property
    def collector(self) -> str:
        """To whom all send their counts, in the clear."""
        return self.sites[1]

    @property
    def least(self) -> int:
        """How many sites can put a key together, of masks."""
        return _least(len(self.own))

    @property
    def size(self) -> int:
        """How many numbers are added up."""
        return len(self.own[self.sites[0]])

    def beside(self, site: str) -> tuple[str, str]:
        """The neighbours in a ring: whom a site hears, and to whom it sends."""
        place = self.sites.index(site)
        return self.sites[place - 1], self.sites[(place + 1) % len(self.sites)]

    def send(self, step: int, sender: str, receivers: Iterable[str], what: str, words: np.ndarray) -> None:
        """Write down a message to each of some receivers."""
        self.messages += [Message(step, sender, one, what, words) for one in receivers if one != sender]

    def sent(self, sender: str, receiver: str, step: int) -> np.ndarray:
        """The words of a message."""
        ends = (step, sender, receiver)
        return next(one.words for one in self.messages if one[:3] == ends)


def clinics(number: int, first: int = 1) -> np.ndarray:
    """What some clinics count among imaginary patients: by clinic, class, attribute and interval.

    first : the seed of the first clinic; the others stay as they are
    """
    found = []
    for place in range(checks.whole("number", number, 3, len(NAMES))):
        rng = np.random.default_rng([place, 0 if place else first])
        shape = len(CLASSES), len(ATTRIBUTES), 1
        middle, width = rng.uniform(3, 16, shape), rng.uniform(1.2, 3, shape)
        values = rng.normal(middle, width, (*shape[:2], int(rng.integers(400, 900)))).clip(0, INTERVALS - 1)
        found.append((values.astype(int)[..., None] == np.arange(INTERVALS)).sum(axis=2))
    return np.array(found, np.uint64)


def run(protocol: str, own: np.ndarray, rng: np.random.Generator) -> Run:
    """Let sites add up.

    Parameters
    ----------
    protocol : "in the clear" (everybody sends the counts to the second site), or an engine of ``parties.local``
    own : a row of whole numbers for each site, of three to seven sites
    rng : where masks, shares and keys come from; for study alone
    """
    checks.choice("protocol", protocol, list(PROTOCOLS))
    rows = np.asarray(own).reshape(len(own), -1).astype(np.uint64)
    if not 3 <= len(rows) <= len(NAMES):  # of a sum of two, each takes off its own counts
        raise ValueError(f"own has {len(rows)} rows; expected 3 to {len(NAMES)}: sums of two protect nobody")
    found = Run(protocol, dict(zip(NAMES, rows)))
    found.total = PROTOCOLS[protocol](found, rng)
    return found


def withstands(protocol: str, number: int, server: bool = False) -> int:
    """How many sites may put together what they saw, with the server or without it, and read nothing."""
    checks.choice("protocol", protocol, list(PROTOCOLS))
    if protocol in (MIXER, MASKS) and not server:
        return number - 2
    bounds = {CLEAR: 0, RING: 1, ADDITIVE: number - 2, MIXER: 0, SHAMIR: (number - 1) // 2}
    return bounds.get(protocol, min(_least(number) - 1, number - 2))


# The protocols


def _clear(done, _):
    one = done.collector
    for site, words in done.own.items():
        done.send(1, site, [one], WORDS, words)
    total = sum(done.own.values())
    done.send(2, one, done.sites, SUM, total)
    return total


def _ring(done, rng):
    words = mask = _words(done, rng)
    for step, site in enumerate(done.sites, 1):
        words = words + done.own[site]
        done.send(step, site, [done.beside(site)[1]], WORDS, words)
    done.send(len(done.sites) + 1, done.sites[0], done.sites, SUM, words - mask)
    return words - mask


def _additive(done, rng):
    held = {site: words.copy() for site, words in done.own.items()}
    for site, peer in permutations(done.sites, 2):
        share = _words(done, rng)
        held[site] -= share
        held[peer] += share
        done.send(1, site, [peer], WORDS, share)
    for site in done.sites:
        done.send(2, site, done.sites, SUM, held[site])
    return sum(held.values())


def _mixer(done, rng):
    done.send(0, done.sites[0], done.sites, KEY, _packed(_secret(rng)))
    masks = {site: mixer_mask(done, site) for site in done.sites}
    for site, words in done.own.items():
        done.send(1, site, [done.server], WORDS, words + masks[site])
    masked = sum(done.own.values()) + sum(masks.values())
    done.send(2, done.server, done.sites, SUM, masked)
    return masked - sum(masks.values())


def _masks(done, rng):
    """Every two sites agree on a key, and each draws one for a mask of its own; of all keys each site gets a share."""
    done.drawn = {site: _secret(rng) for site in done.sites}
    for site, secret in done.drawn.items():
        done.send(0, site, done.sites, KEY, _packed(pow(BASE, secret, GROUP)))
    own_keys = {site: _secret(rng) for site in done.sites}
    for site in done.sites:
        _deal(
            done, site, [own_keys[one] if one == site else pair_key(done, site, one) for one in done.sites], rng
        )
    masks = {site: stream(done, key) for site, key in own_keys.items()}
    for site, words in done.own.items():
        pairs = [pair_mask(done, site, peer, pair_key(done, site, peer)) for peer in done.sites if peer != site]
        done.send(2, site, [done.server], WORDS, words + masks[site] + sum(pairs))
    done.send(3, done.server, done.sites, KEY, done.total[:0])  # names of those whose words came
    for site in done.sites:
        done.send(4, site, [done.server], KEY, np.hstack([share_of(done, one, site, one) for one in done.sites]))
    came = sum(done.sent(site, done.server, 2) for site in done.sites)  # masks of pairs cancel out
    done.send(5, done.server, done.sites, SUM, came - sum(masks.values()))
    return came - sum(masks.values())


def _shamir(done, rng):
    number, withstood = len(done.sites), withstands(SHAMIR, len(done.sites))
    points = np.arange(1, number + 1, dtype=np.uint64)[:, None]
    held = np.zeros((number, done.size), np.uint64)
    for site, words in done.own.items():
        shares = np.zeros_like(held)
        for factor in [*rng.integers(0, FIELD, (withstood, done.size), dtype=np.uint64), words]:
            shares = (shares * points + factor) % FIELD  # seven times 2^61, and once more, fits a word
        for peer, share in zip(done.sites, shares):
            done.send(1, site, [peer], WORDS, share)
        held = (held + shares) % FIELD
    for place, site in enumerate(done.sites):
        after = sorted((place + step) % number for step in range(1, withstood + 1))
        done.send(2, site, [done.sites[one] for one in after], SUM, held[place])
    return at_zero(done, dict(zip(done.sites[: withstood + 1], held)))


# Masks, keys, shares


def _least(number):
    return max(number // 2 + 1, 3)


def _words(done, rng):
    return rng.integers(0, 2**64, done.size, dtype=np.uint64)


def stream(done: Run, key: int) -> np.ndarray:
    """The words that follow from a key."""
    return _words(done, np.random.Generator(np.random.Philox(key=key)))


def mixer_mask(done: Run, site: str) -> np.ndarray:
    """The mask of a site, which all sites know by the key of the first one."""
    key = next(one.words for one in done.messages if one.what == KEY)
    return stream(done, (unpacked(key) + done.sites.index(site)) % 2**128)


def pair_key(done: Run, site: str, peer: str) -> int:
    """The key of two sites, from what one of them has sent and what the other one has drawn."""
    first, second = sorted([site, peer])
    return pow(unpacked(done.sent(first, second, 0)), done.drawn[second], GROUP)


def pair_mask(done: Run, site: str, peer: str, key: int) -> np.ndarray:
    """What a site adds with the key of a pair; the other one takes it off."""
    return stream(done, key) if site < peer else -stream(done, key)


def _deal(done, site, keys, rng):
    """Let a site give each site a share of its keys: points of polynomials, whose values at 0 are the keys."""
    factors = [[key, *(_secret(rng) for _ in range(done.least - 1))] for key in keys]
    for point, peer in enumerate(done.sites, 1):
        points = [sum(one * point**power for power, one in enumerate(own)) % GROUP for own in factors]
        done.dealt[site, peer] = np.concatenate([_packed(one) for one in points])
        done.send(1, site, [peer], KEY, done.dealt[site, peer])


def share_of(done: Run, site: str, held: str, one: str) -> np.ndarray:
    """The share of a site's key for the masks of a pair, or of its own (one: itself), that a site holds."""
    return np.split(done.dealt[site, held], len(done.sites))[done.sites.index(one)]


def at_zero(done: Run, shares: Mapping[str, np.ndarray], modulus: int = FIELD) -> np.ndarray:
    """The value at 0 of the polynomial through the points of some sites."""
    points = [done.sites.index(site) + 1 for site in shares]
    found = interpolated(points, [share.astype(object) for share in shares.values()], modulus)
    return found.astype(np.uint64) if modulus == FIELD else found


def _secret(rng):
    return 1 + int.from_bytes(rng.bytes(16)) % (GROUP - 1)


def _packed(number):
    return np.frombuffer(number.to_bytes(16, "little"), np.uint64)


def unpacked(words: np.ndarray) -> int:
    """The key that some words hold."""
    return int.from_bytes(words.tobytes(), "little")


PROTOCOLS = {CLEAR: _clear, RING: _ring, ADDITIVE: _additive, MIXER: _mixer, MASKS: _masks, SHAMIR: _shamir}
