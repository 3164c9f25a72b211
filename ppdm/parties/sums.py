"""Sums of which nobody learns more than the sum: the protocols by hand, on words of NumPy.

All arithmetic is modulo 2^64, where a uniform mask hides a number perfectly; over the reals no mask does. Everybody is
taken to follow the protocol (semi-honest): whoever sends wrong numbers makes the sum wrong, and nobody notices.
"""

import hashlib
import math
import os
import secrets
from contextlib import suppress

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ppdm.parties.net import Net
from ppdm.parties.wires import BYTE, WORD, PartyError

PRIME = 2**255 - 19  # of the field in which keys are shared


class Ring:
    """A masked sum goes from site to site (Clifton et al. 2002). The two neighbours of a site learn its words.

    Parameters
    ----------
    net : the wires of this party
    sites : the names of those who have something to add: three or more
    server : the name of the party that adds up and has nothing itself, where a protocol has one
    """

    def __init__(self, net: Net, sites, server=None) -> None:
        self.net, self.sites, self.server = net, list(sites), server
        self.peers = [site for site in sites if site != net.me]
        self.round = 0

    @property
    def withstands(self) -> int:
        """How many sites may put together what they saw, and learn nothing but the sum of all others."""
        return 1

    async def start(self) -> None:
        """Agree on keys, where the protocol has some."""

    async def total(self, own: np.ndarray) -> np.ndarray:
        """The sum of the words of all sites, at each site."""
        place = self.sites.index(self.net.me)
        before, after = self.sites[place - 1], self.sites[(place + 1) % len(self.sites)]
        if place:
            self.net.send(after, own + await self.net.receive(before, own.shape))
            return await self.net.receive(self.sites[0], own.shape)
        mask = random_words(own.shape)  # without it the second site would see the first one's words
        self.net.send(after, own + mask)
        found = await self.net.receive(before, own.shape) - mask
        for peer in self.peers:
            self.net.send(peer, found)
        return found

    async def end(self) -> None:
        """Let the server end."""
        if self.server:
            self.net.send(self.server, np.empty(0, WORD))


class Additive(Ring):
    """Every site gives uniform shares of its words to the others, and all publish the sum of what they then hold."""

    @property
    def withstands(self) -> int:
        """All but two."""
        return len(self.sites) - 2

    async def total(self, own) -> np.ndarray:
        """The sum of the words of all sites, at each site."""
        held = own.copy()  # less what is given away, and then with what comes
        for peer in self.peers:
            share = random_words(own.shape)
            held -= share
            self.net.send(peer, share)
        held += await self._of_all(own.shape)
        for peer in self.peers:
            self.net.send(peer, held)
        return held + await self._of_all(own.shape)

    async def _of_all(self, shape):
        return sum([await self.net.receive(peer, shape) for peer in self.peers])


class Mixer(Additive):
    """A mixer adds up words under masks of a key that the sites have and the mixer has not: not even the sum it learns.

    The trust and the two messages are those of Yi & Zhang (2007), of whose text we had only the outline: the steps are
    our construction. The mixer together with one site can read everything.
    """

    async def start(self) -> None:
        """The first site draws the key and gives it to the others."""
        if self.net.me == self.sites[0]:
            self.key = os.urandom(32)
            for peer in self.peers:
                self.net.send(peer, np.frombuffer(self.key, WORD))
        elif self.net.me != self.server:
            self.key = (await self.net.receive(self.sites[0], (4,))).tobytes()

    async def total(self, own) -> np.ndarray:
        """The sum of the words of all sites, at each site."""
        self.round += 1
        # Each site has a mask of its own in each round: a mask that is used twice tells the difference of two sums.
        numbers = range(self.round << 16, (self.round << 16) + len(self.sites))
        masks = [stream(self.key, number, own.size).reshape(own.shape) for number in numbers]
        self.net.send(self.server, own + masks[self.sites.index(self.net.me)])
        return await self.net.receive(self.server, own.shape) - sum(masks)

    async def serve(self) -> None:
        """Add up what the sites send, until they send nothing."""
        first, *others = self.sites
        while len(words := await self.net.receive(first)):
            words = words + sum([await self.net.receive(site, words.shape) for site in others])
            for site in self.sites:
                self.net.send(site, words)
        for site in others:  # who sends nothing, too
            await self.net.receive(site, (0,))


class Masks(Ring):
    """Masks of pairs that cancel out, and one of each site's own: the sum survives lost sites (Bonawitz et al. 2017).

    Each sum has keys of its own, which are shared among the sites beforehand. When the words have come, the sites tell
    the server shares of the key of a site's own mask if its words came, and of the keys of its pairs if it is lost;
    never of both. The server learns the sum. Together with more than half of the sites it can read everything.
    """

    def __init__(self, net: Net, sites, server=None) -> None:
        super().__init__(net, sites, server)
        self.points = {site: place for place, site in enumerate(self.sites, 1)}
        # So many sites can put a key together. Of a sum of two, each can subtract the own part.
        self.least = max(len(self.sites) // 2 + 1, 3)
        self.whole = False  # whether a sum of some is worth nothing: then it is not opened

    @property
    def withstands(self) -> int:
        """One fewer than can put a key together, and all but two at most."""
        return min(self.least - 1, len(self.sites) - 2)

    async def start(self) -> None:
        """Every two sites agree on a secret (Diffie & Hellman)."""
        self.net.tolerant = True
        if self.net.me == self.server:
            return
        private = X25519PrivateKey.generate()
        for peer in self.peers:
            self.net.send(peer, np.frombuffer(private.public_key().public_bytes_raw(), BYTE))
        self.secrets = {}
        for peer in self.peers:
            public = (await self.net.receive(peer, (32,), BYTE)).tobytes()
            self.secrets[peer] = private.exchange(X25519PublicKey.from_public_bytes(public))

    async def total(self, own) -> np.ndarray:
        """The sum of the words of all sites that are not lost, at each of them."""
        self.round += 1
        # A pair's key is of this sum alone: who is lost later has shown no other sum.
        keys = {peer: _key(self.secrets[peer] + self.round.to_bytes(8)) for peer in self.peers}
        keys[self.net.me] = secrets.randbelow(PRIME)
        shares = await self._exchange(keys)
        # The own mask hides the words even if those of the pairs become known.
        words = own.ravel() + sum(_mask(self.net.me, one, key, own.size) for one, key in keys.items())
        self.net.send(self.server, words)
        came = await self.net.hear(self.server, list)
        lost = [site for site in self.sites if site not in came]
        told = {site: {one: shares.get(site, {}).get(one, "") for one in [site, *lost]} for site in came}
        self.net.tell(self.server, told)
        self._go_on_with(came)
        return await self.net.receive(self.server, own.shape)

    async def serve(self) -> None:
        """Add up what the sites send, and take off the masks whose keys they put together; until they send nothing."""
        while any(map(len, (words := await self._of_all(self.net.receive)).values())):
            for site in words:
                self.net.tell(site, list(words))
            told = await self._of_all(lambda one: self.net.hear(one, dict))
            found = sum(words.values())
            if (lost := [site for site in self.sites if site not in words]) and self.whole:
                raise PartyError(lost[0], "is lost: begin again without it")
            for site in words:
                for one in [site, *lost]:
                    shares = {self.points[who]: dict(own.get(site, {})).get(one) for who, own in told.items()}
                    found = found - _mask(site, one, self._joined(site, shares), len(found))
            self._go_on_with(words)
            for site in self.sites:
                self.net.send(site, found)

    def _go_on_with(self, sites):
        self.sites = [site for site in self.sites if site in sites]
        self.peers = [peer for peer in self.peers if peer in sites]

    async def _of_all(self, ask, sites=None):
        """What those answer who are not lost."""
        answers = {}
        for site in self.sites if sites is None else sites:
            with suppress(PartyError):
                answers[site] = await ask(site)
        return answers

    async def _exchange(self, keys):
        """Give every site its shares of the keys, and take those of the others: by site, and as the site named them."""
        dealt = {one: self._dealt(key) for one, key in keys.items()}
        for peer in self.peers:
            self.net.tell(peer, {one: shares[peer] for one, shares in dealt.items()})
        got = await self._of_all(lambda peer: self.net.hear(peer, dict), self.peers)
        return got | {self.net.me: {one: shares[self.net.me] for one, shares in dealt.items()}}

    def _dealt(self, key):
        """Shares of a key, by site: points of a random polynomial whose value at 0 it is."""
        powers = [*(secrets.randbelow(PRIME) for _ in range(self.least - 1)), key]
        shares = {}
        for site in self.sites:
            value = 0
            for one in powers:
                value = (value * self.points[site] + one) % PRIME
            shares[site] = f"{value:064x}"
        return shares

    def _joined(self, site, shares):
        """A key, from enough shares by point: the value at 0 of the polynomial through them."""
        known = [(point, int(share, 16)) for point, share in shares.items() if share][: self.least]
        if len(known) < self.least:
            gone = next((one for one in self.points if self.points[one] not in dict(known)), site)
            raise PartyError(gone, f"is lost, and {len(known)} are too few: {self.least} must put a key together")
        found = 0
        for point, share in known:  # Lagrange's formula
            others = [other for other, _ in known if other != point]
            top, below = math.prod(others), math.prod(other - point for other in others)
            found += share * top * pow(below, -1, PRIME)
        return found % PRIME


def _mask(site, one, key, count):
    """What a site adds with the key of a pair, which the other one takes off; or with its own key (one: itself)."""
    mask = stream(key.to_bytes(32), 0, count)
    return mask if site <= one else -mask


def _key(text):
    return int.from_bytes(hashlib.sha256(text).digest()) % PRIME


def random_words(shape, kind=WORD) -> np.ndarray:
    """Words from the operating system's secure source."""
    return np.frombuffer(os.urandom(math.prod(shape) * kind.itemsize), kind).reshape(shape)


def stream(key: bytes, place: int, count: int, kind=WORD) -> np.ndarray:
    """Words that nobody without the key tells from random ones: AES in counter mode; each place has its own."""
    cipher = Cipher(algorithms.AES(key), modes.CTR((place << 64).to_bytes(16)))
    return np.frombuffer(cipher.encryptor().update(bytes(count * kind.itemsize)), kind)
