"""Columns of the same people that are held apart: who they are, and products of what one holder has and another one.

A membership is 1 for each record of a node, and 0 for the others. All memberships are shared: each holder has a part
that alone tells nothing. Counts are products of a holder's columns with all parts, and only counts are opened.
"""

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from ppdm.parties.net import Net
from ppdm.parties.sums import random_words, stream
from ppdm.parties.wires import BYTE

SHORT = np.dtype("<u4")  # words of memberships: counts are below 2^32


async def meet(net: Net, names: Sequence, ids: Sequence) -> np.ndarray:
    """The places of those ids that all parties have, in an order that is the same at every party (Meadows 1986).

    Everybody raises each list to a secret power. What is equal then is an equal id, and nobody knows which one, but for
    the own ids. All parties learn how many ids each party has, and which of their own ids all others have, too.
    """
    power = X25519PrivateKey.generate()

    def lifted(points) -> np.ndarray:
        found = [power.exchange(X25519PublicKey.from_public_bytes(bytes(point))) for point in points]
        return np.frombuffer(b"".join(found), BYTE).reshape(-1, 32)

    order = np.argsort(random_words((len(ids),)))  # the places in a list must tell nothing
    points = lifted(hashlib.sha256(str(ids[place]).encode()).digest() for place in order)
    place, sizes = names.index(net.me), {net.me: len(ids)}
    others = [name for name in names if name != net.me]
    for other in others:
        net.tell(other, [len(ids)])
    for other in others:
        [sizes[other]] = await net.hear(other, list)
    for step in range(1, len(names) + 1):  # every list goes around once, and comes back to its owner
        net.send(names[(place + 1) % len(names)], points)
        points = await net.receive(names[place - 1], (sizes[names[place - step]], 32), BYTE)
        if step < len(names):
            points = lifted(points)
    own = dict(zip(map(bytes, points), order))
    common = set(own)
    for other in others:
        net.send(other, points[np.lexsort(points.T)])
    for other in others:
        common &= set(map(bytes, await net.receive(other, (sizes[other], 32), BYTE)))
    return np.array([own[point] for point in sorted(common)], dtype=int)


class Commodity:
    """Two holders and a helper, who deals random numbers and sees no data (Du & Zhan 2002; Beaver 1997).

    Alice has A and Bob has B, both words modulo 2^32. The helper gives both random masks, and Bob the product of the
    masks, less a random part of Alice's. Each sends the own numbers under the mask; then both have a part of A·B. The
    helper and one holder together can read the columns of the other one.
    """

    def __init__(self, net: Net, sites, server=None) -> None:
        self.net, self.sites, self.server = net, list(sites), server
        self.peer = next(site for site in sites if site != net.me)
        self.used = 0  # masks, of each holder
        self.columns: Any = None  # the own columns that are known under a mask, whose number is ``fixed``

    async def start(self) -> None:
        """Take the key from which the own masks come, and the helper both."""
        if self.net.me != self.server:
            self.keys = {self.net.me: (await self.net.receive(self.server, (32,), BYTE)).tobytes()}
            return
        self.keys = {site: os.urandom(32) for site in self.sites}
        for site, key in self.keys.items():
            self.net.send(site, np.frombuffer(key, BYTE))

    def _mask(self, site, number, shape):
        """A mask of a holder, by its number: no mask is used twice."""
        return stream(self.keys[site], number, int(np.prod(shape)), SHORT).reshape(shape)

    def enter(self, owner, own, shape) -> np.ndarray:
        """Parts of what one holder has. It has all of it: what leaves the holder is masked in any case."""
        return own.astype(SHORT) if owner == self.net.me else np.zeros(shape, SHORT)

    async def products(self, own, widths, shares) -> np.ndarray:
        """The own part of each holder's columns (``widths`` × records) times all shares (rows × records)."""
        me, peer, (rows, records) = self.net.me, self.peer, shares.shape
        fresh = own is not self.columns
        self._ask({"columns": widths, "rows": rows, "records": records, "fresh": fresh})
        if fresh:  # masked once, the columns serve a whole tree
            self.columns, self.fixed = own, self._number()
            self.masked = await self._swap(own + self._mask(me, self.fixed, own.shape), (widths[peer], records))
        number = self._number(2)
        theirs = await self._swap(shares + self._mask(me, number, shares.shape), shares.shape)
        dealt = await self.net.receive(self.server, (widths[peer], rows), SHORT)
        as_alice = self._mask(me, number + 1, (len(own), rows)) + _times(own, shares)
        as_alice -= _times(self._mask(me, self.fixed, own.shape), theirs)
        as_bob = _times(self.masked, shares) + dealt
        return np.concatenate([as_alice if site == me else as_bob for site in self.sites])

    async def times(self, owner, own, shares) -> np.ndarray:
        """The own part of a holder's rows times the shares, number by number."""
        me, number, shape = self.net.me, self._number(2), shares.shape
        self._ask({"owner": owner, "rows": shape[0], "records": shape[1]})
        mask = self._mask(me, number, shape)
        if me == owner:
            own = own.astype(SHORT)
            kept = self._mask(me, number + 1, shape) + own * shares
            return kept - mask * await self._swap(own + mask, shape)
        masked = await self._swap(shares + mask, shape)
        return masked * shares + await self.net.receive(self.server, shape, SHORT)

    async def _swap(self, words, shape):
        """Send words to the other holder, and take those that it sends."""
        self.net.send(self.peer, words)
        return await self.net.receive(self.peer, shape, SHORT)

    def _number(self, count=1):
        """The number of the next mask; so many are used up."""
        self.used += count
        return self.used - count

    def sums(self, shares) -> np.ndarray:
        """The sum of each row of shares."""
        return shares.sum(axis=1, dtype=SHORT)

    async def open(self, shares) -> np.ndarray:
        """What both parts make together; both learn it."""
        return (shares + await self._swap(shares, shares.shape)).astype(np.int64)

    def _ask(self, what):
        if self.net.me == self.sites[0]:
            self.net.tell(self.server, what)

    async def serve(self) -> None:
        """Deal what the holders ask for, until they ask for nothing."""
        while asked := await self.net.hear(self.sites[0], dict):
            shape = asked["rows"], asked["records"]
            if asked.get("fresh"):
                self.fixed = self._number()
            number = self._number(2)
            for bob, alice in (self.sites, self.sites[::-1]):
                theirs = self._mask(bob, number, shape)
                if "columns" in asked:
                    product = _times(self._mask(alice, self.fixed, (asked["columns"][alice], shape[1])), theirs)
                elif alice == asked["owner"]:
                    product = self._mask(alice, number, shape) * theirs
                else:
                    continue
                self.net.send(bob, product - self._mask(alice, number + 1, product.shape))

    async def end(self) -> None:
        """Let the helper end."""
        self._ask({})


def _times(columns, rows):
    """Sums over the records, modulo 2^32; NumPy does this faster than a product of matrices of whole numbers."""
    return np.einsum("vn,rn->vr", columns, rows)
