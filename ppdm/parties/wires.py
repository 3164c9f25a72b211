"""A wire between two parties: bounded frames, by labels.

What comes over a wire is read as numbers of a known width or as JSON, never unpickled: a pickle can run any program.
"""

import asyncio
import json
import struct
from contextlib import suppress
from typing import Any

import numpy as np

HEAD = struct.Struct("<qI")  # a frame's label, and how many bytes follow
MAX_FRAME = 1 << 25  # bytes
MAX_NUMBERS = 5 << 19  # of a sum: a party may be a step ahead of who is slow, who then holds two of them
PLACE = 256  # bytes that a frame takes besides what it holds, until somebody asks for it
NEXT, FAREWELL, ALIVE, YES = range(0, -4, -1)  # labels; the engine draws other ones, from 2^64
WORD, BYTE = np.dtype("<u8"), np.dtype(np.uint8)
BROKEN = OSError, ValueError, asyncio.IncompleteReadError


class PartyError(RuntimeError):
    """A party is lost or silent, is not let in, or sends what is no answer."""

    def __init__(self, party, why) -> None:
        super().__init__(f"party {party!r} {why}")
        self.party = party
        self.why = why


class Wire:
    """The connection with another party. The engine sends and receives by labels, as if the wire were its own."""

    def __init__(self, net, peer, reader, writer) -> None:
        self.net, self.peer, self.reader, self.writer = net, peer, reader, writer
        self.came: dict = {}  # by label, frames for which nobody waits yet
        self.held = 0  # their bytes
        self.awaited: dict = {}  # by label, the future of a frame
        self.heard = self.since = 0.0  # when the other side was heard last, and since when it is waited for
        self.ended = False
        self.lost = net.loop.create_future()

    def send(self, label, payload) -> None:
        """Send a frame."""
        if label > ALIVE or label < YES:
            self.net.note("sent", self.peer, label, payload)
        self.writer.write(HEAD.pack(label, len(payload)) + payload)

    def receive(self, label) -> Any:
        """The next frame with a label, or a future of it."""
        if frames := self.came.pop(label, None):
            self.held -= len(frames[0]) + PLACE
            if frames[1:]:
                self.came[label] = frames[1:]
            return frames[0]
        self.heard = self.since = self.net.loop.time()  # as long as nobody waits, silence is no fault
        self.awaited[label] = self.net.loop.create_future()
        return self.awaited[label]

    async def read(self) -> None:
        """Take frames as long as they come."""
        try:
            while True:
                self._later(self._take, *await read_frame(self.reader, MAX_FRAME))
        except BROKEN as error:
            if not self.ended:
                told = str(error) if isinstance(error, ValueError) else "is gone: connection closed"
                self._later(self.lose, PartyError(self.peer, told))

    def _later(self, step, *given):
        """Do a step now, or after the latency: here, because who sends may not wait until a frame has gone."""
        if self.net.latency:
            self.net.loop.call_later(self.net.latency, step, *given)
        else:
            step(*given)

    def _take(self, label, payload):
        self.heard = self.net.loop.time()
        if label == ALIVE:
            self.send(YES, b"")
        if label in (ALIVE, YES):
            return
        self.net.note("received", self.peer, label, payload)
        if label == FAREWELL:
            party, why = [*read_json(payload, list), "", ""][:2]
            known = party in self.net.names
            self.lose(PartyError(party if known else self.peer, str(why)[:99] or "ends without a reason"))
        elif label in self.awaited:
            if not (awaited := self.awaited.pop(label)).done():
                awaited.set_result(payload)
        else:
            self.came.setdefault(label, []).append(payload)
            self.held += len(payload) + PLACE
        if self.held > MAX_FRAME * 3 // 2 or len(self.came) > MAX_FRAME >> 12:
            self.lose(PartyError(self.peer, "sends what nobody asked for"))

    def lose(self, error) -> None:
        """Go on without the other side, or end if the protocol cannot."""
        self.writer.close()
        if not self.lost.done():
            self.lost.set_result(error)
            if not self.net.tolerant:
                self.net.fail(error)


async def read_frame(reader, most) -> tuple[int, bytes]:
    """The next frame, if it has no more bytes than that."""
    label, size = HEAD.unpack(await reader.readexactly(HEAD.size))
    if size > most:
        raise ValueError(f"announces {size:,} bytes at once")
    return label, await reader.readexactly(size)


def read_json(data, kind) -> Any:
    """What JSON says, if it is of a type; else the type's empty value, because anybody may have sent it."""
    with suppress(ValueError, RecursionError):
        if isinstance(found := json.loads(data), kind):
            return found
    return kind()


def encoded(message) -> bytes:
    """A message as a line of JSON."""
    return json.dumps(message, default=_plain).encode() + b"\n"


def _plain(one):
    if not hasattr(one, "tolist"):
        raise TypeError(
            f"a value of type {type(one).__name__} cannot be told to others; expected numbers or texts"
        )
    return one.tolist()


def write(pipe, line) -> None:
    """Write a line, if somebody is left to read it."""
    with suppress(OSError, ValueError):
        pipe.write(line)
        pipe.flush()
