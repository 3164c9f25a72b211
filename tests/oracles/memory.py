"""Parties without processes or wires, for laws over many runs: the nets of all parties lie in one memory."""

import asyncio
from collections import defaultdict

import numpy as np

from ppdm.parties import PartyError

WORD = np.dtype("<u8")


class DiedError(Exception):
    """This party stops here."""


class Memory:
    """What all parties of a run share.

    Parameters
    ----------
    names : of all parties
    dies : by name, how many messages a party still sends

    Attributes
    ----------
    book : of each message the sender, the receiver and what it was
    ended : by name, what came out at a party; of one that failed, the error
    """

    def __init__(self, names, dies=()):
        self.names = list(names)
        self.dies = dict(dies)
        self.book = []
        self.ended = {}

    def run(self, protocol):
        """Let every party do what ``protocol(net)`` says."""
        return asyncio.run(self._all(protocol))

    async def _all(self, protocol):
        self.queues = defaultdict(asyncio.Queue)
        await asyncio.wait_for(asyncio.gather(*(self._one(name, protocol) for name in self.names)), 60)
        return self.ended

    async def _one(self, name, protocol):
        try:
            self.ended[name] = await protocol(Net(self, name))
        except (DiedError, PartyError) as error:
            self.ended[name] = error
        for other in self.names:
            self.queues[name, other].put_nowait(None)

    def received(self, *names):
        """The arrays that some parties received, message by message."""
        return [what for _, to, what in self.book if to in names and isinstance(what, np.ndarray)]

    def sent(self, sender, receiver=None):
        """The arrays that a party sent."""
        return [
            what
            for one, to, what in self.book
            if one == sender and receiver in (None, to) and isinstance(what, np.ndarray)
        ]


class Net:
    """What a protocol needs of the wires of one party."""

    latency = 0.0
    step = ""

    def __init__(self, memory, me):
        self.memory = memory
        self.me = me
        self.names = memory.names
        self.others = [name for name in memory.names if name != me]
        self.tolerant = False

    def tell(self, peer, what):
        """Send a copy of anything."""
        left = self.memory.dies.get(self.me, np.inf)
        if left < 1:
            raise DiedError
        self.memory.dies[self.me] = left - 1
        self.memory.book.append((self.me, peer, what))
        self.memory.queues[self.me, peer].put_nowait(what)

    def send(self, peer, array):
        """Send an array."""
        self.tell(peer, np.array(array))

    async def hear(self, peer, kind):
        """What comes next; an error if the other one ended and left nothing."""
        queue = self.memory.queues[peer, self.me]
        what = await queue.get()
        if what is None:
            queue.put_nowait(None)
            raise PartyError(peer, "is gone: connection closed")
        assert isinstance(what, kind)
        return what

    async def receive(self, peer, shape=None, kind=WORD):
        """The next array."""
        array = await self.hear(peer, np.ndarray)
        assert array.dtype == kind
        return array.copy() if shape is None else array.reshape(shape)
