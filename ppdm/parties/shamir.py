"""Shamir's shares by MPyC, whose wires are ours: sums, products, and the best cut of a node whose counts stay shared.

Of m parties t = ⌊(m − 1)/2⌋ learn nothing from their shares, and t + 1 can read everything. MPyC takes over the command
line and the event loop of its process when it is imported: only the processes of parties import this module.
"""

import sys
from typing import Any

import numpy as np

from ppdm.parties.sums import Ring
from ppdm.parties.wires import BYTE

FIELD = 2**61 - 1
RISK = 40  # MPyC masks numbers that it compares so that a share tells them with a probability of 2^-40


class Quotient:
    """Two numbers on the last axis, a numerator and a denominator above 0, compared without a division."""

    size = 2

    def __init__(self, pair) -> None:
        self.top, self.below = pair[..., 0], pair[..., 1]

    def __lt__(self, other):
        return self.top * other.below < other.top * self.below


class Shamir(Ring):
    """Every site deals points of polynomials whose values at 0 are its words; sums of points are points of the sum.

    What is shared can also be multiplied, so that three holders of columns or more need no helper: see ``Commodity``.
    """

    columns: Any = None  # the own columns that are shared

    @property
    def withstands(self) -> int:
        """Fewer than half."""
        return (len(self.sites) - 1) // 2

    async def start(self) -> None:
        """Start the engine, and exchange the keys of its common random numbers."""
        place = self.sites.index(self.net.me)
        # Shares as numbers of fixed width: without this switch the engine would unpickle what peers send.
        sys.argv = ["party", "--mix32-64bit", "--no-log", f"-K{RISK}", f"-M{len(self.sites)}", f"-I{place}"]
        from mpyc.runtime import mpc

        self.net.loop.set_exception_handler(self.net.mishap)  # once more: the engine has put its own
        self.mpc = mpc
        for site, party in zip(self.sites, mpc.parties):
            if party.pid != place:
                party.protocol = self.net.wires[site]
                if keys := b"".join(mpc._prss_keys_to_peer(party.pid)):
                    self.net.send(site, np.frombuffer(keys, BYTE))
        for site, party in zip(self.sites, mpc.parties):
            if size := mpc._prss_keys_from_peer(party.pid) if party.pid < place else 0:
                given = await self.net.receive(site, (size,), BYTE)
                mpc._prss_keys_from_peer(party.pid, given.tobytes())

    async def total(self, own) -> np.ndarray:
        """The sum of the words of all sites, at each site: numbers between ±2^60."""
        numbers = own.ravel().view(np.int64).astype(object) % FIELD
        shares = self.mpc.input(self.mpc.SecFld(FIELD).array(numbers))
        found = (await self.mpc.output(sum(shares[1:], shares[0]))).value.astype(np.int64)
        return np.where(found > FIELD // 2, found - FIELD, found).view(own.dtype).reshape(own.shape)

    async def best_cuts(self, left, totals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each node the best cut by the gini index, whether it gains, and the class weights of its left side.

        The own records on the ``left`` (by class, node and cut) stay shared; everybody knows the ``totals`` of nodes.
        The impurity of both sides of a cut is least where Σ l²/n_l + Σ r²/n_r is largest. That is compared as a
        quotient of whole numbers, so the answer is exact; the first of equal cuts wins, as in ``grow``.
        """
        mpc = self.mpc
        size = totals.sum(axis=0)
        kind = mpc.SecInt(5 * int(size.max()).bit_length() + 3)  # the longest product has five factors
        shares = mpc.input(kind.array(left.astype(np.int64).astype(object)))
        lefts = sum(shares[1:], shares[0])
        rights = kind.array(np.broadcast_to(totals[:, :, None], left.shape).astype(object)) - lefts
        of_left, of_right = lefts.sum(axis=0), rights.sum(axis=0)
        top = (lefts * lefts).sum(axis=0) * of_right + (rights * rights).sum(axis=0) * of_left
        below = of_left * of_right
        below = below + (below == 0)  # a cut that leaves a side empty has 0 above, and gains nothing
        pairs = mpc.np_stack((top, below), axis=2)
        chosen = mpc.np_argmax(pairs, axis=1, key=Quotient, arg_unary=True)
        best, under = (chosen * top).sum(axis=1), (chosen * below).sum(axis=1)
        gains = under * (totals**2).sum(axis=0).astype(object) < best * size.astype(object)
        cut = gains * (chosen @ np.arange(left.shape[2]).astype(object))
        # Of a node that gains nothing only this is opened: 0 for all else.
        sides = [gains * (chosen * lefts[of_class]).sum(axis=1) for of_class in range(len(left))]
        opened = [await mpc.output(one) for one in (gains, cut, *sides)]
        gain, cut, *sides = (np.array(one.tolist(), dtype=np.int64) for one in opened)
        return cut, gain.astype(bool), np.array(sides)

    def enter(self, owner, own, shape) -> Any:
        """Shares of what one holder has."""
        kind = self.mpc.SecFld(2**31 - 1)
        array = np.zeros(shape) if own is None else own
        return self.mpc.input(kind.array(array.astype(int).astype(object)), senders=self.sites.index(owner))

    async def products(self, own, widths, shares) -> Any:
        """Shares of each holder's columns (values × records) times all shares (rows × records)."""
        if own is not self.columns:
            self.columns, records = own, shares.shape[1]
            parts = {site: own if site == self.net.me else None for site in self.sites}
            self.shared = [self.enter(site, part, (widths[site], records)) for site, part in parts.items()]
        return np.concatenate([columns @ shares.T for columns in self.shared])

    async def times(self, owner, own, shares) -> Any:
        """Shares of a holder's rows times the shares, number by number."""
        return self.enter(owner, own, shares.shape) * shares

    def sums(self, shares) -> Any:
        """The sum of each row of shares."""
        return shares.sum(axis=1)

    async def open(self, shares) -> np.ndarray:
        """What the shares make together; all learn it."""
        return (await self.mpc.output(shares)).value.astype(np.int64)
