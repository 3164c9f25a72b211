"""All wires of a party: they are let in who prove who they are, all frames stand in a book, and silence has a limit."""

import asyncio
import hashlib
import hmac
import json
import math
import secrets
from collections.abc import Coroutine
from contextlib import suppress
from importlib.metadata import version
from typing import Any

import numpy as np

from ppdm.parties.wires import ALIVE, BROKEN, FAREWELL, HEAD, NEXT, WORD, PartyError, Wire, read_frame, read_json

PIECE, MAX_GREETING = 1 << 24, 1 << 12  # bytes
MAX_BOOK = 1 << 25  # bytes of frames that the book keeps; of further ones it knows the size
PATIENCE = 10  # limits, for a party that says that it is alive and does nothing


class Net:
    """The wires of one party to all others.

    Parameters
    ----------
    me, names : the own name; and those of all, in the same order for all
    secret : what all parties know and nobody else does; over TLS the certificates prove more
    project : what all must agree in, besides the version of the library
    limit : seconds for which a party that is waited for may be silent
    latency : seconds by which every frame is delayed, to show what a long way costs
    tls : contexts of a party that listens and of one that dials; None: no TLS, for one machine
    """

    def __init__(self, me, names, secret=b"", project=None, limit=60.0, latency=0.0, tls=None) -> None:
        self.me, self.names, self.secret = me, list(names), secret
        self.limit, self.latency = limit, latency
        digest = hashlib.sha256(json.dumps(project, sort_keys=True).encode()).hexdigest()
        self.told = {"project": digest, "version": version("ppdm")}
        self.tls: Any = tls or (None, None)
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(self.mishap)
        self.failed = self.loop.create_future()
        self.met = {name: self.loop.create_future() for name in names if name != me}
        self.wires: dict[str, Wire] = {}
        self.strangers: list = []  # why somebody was not let in
        self.tolerant = False  # whether the protocol goes on without those who are lost
        self.step = ""  # what is done at the moment, for the book
        self.book: list = []
        self.sent = self.booked = 0

    def note(self, direction, peer, label, payload) -> None:
        """Write a frame into the book."""
        size = HEAD.size + len(payload)
        self.booked += size
        self.sent += size * (direction == "sent")
        self.book.append((self.step, direction, peer, label, size, payload if self.booked < MAX_BOOK else b""))

    def fail(self, error) -> None:
        """End what is done at the moment."""
        if not self.failed.done():
            self.failed.set_result(error)

    def run(self, protocol: Coroutine) -> Any:
        """Do what a protocol says as long as no party is lost. Else the others learn of it, and an error is raised."""
        try:
            return self.loop.run_until_complete(self._watched(protocol))
        except PartyError as fault:
            self.fail(fault)
        except RuntimeError:
            if not self.failed.done():  # else the engine stopped the loop
                raise
        error = self.failed.result()
        for wire in self.wires.values():
            wire.ended = True
            if not wire.writer.is_closing():
                wire.send(FAREWELL, json.dumps([error.party, error.why]).encode())
        self.loop.run_until_complete(asyncio.sleep(0.02))
        raise error

    async def _watched(self, protocol):
        task = asyncio.ensure_future(protocol)
        while not task.done() and not self.failed.done():
            await asyncio.wait({task, self.failed}, timeout=self.limit / 8, return_when=asyncio.FIRST_COMPLETED)
            now = self.loop.time()
            for wire in self.wires.values():
                # Whoever waits for somebody else answers; so the silent one is found, and not who waits for it.
                if wire.awaited and min(wire.heard, wire.since + (PATIENCE - 1) * self.limit) < now - self.limit:
                    wire.lose(PartyError(wire.peer, f"says nothing for {self.limit:g} s"))
                elif wire.awaited and not wire.lost.done() and wire.heard < now - self.limit / 8:
                    wire.send(ALIVE, b"")
        if self.failed.done():
            task.cancel()
            raise self.failed.result()
        return task.result()

    def mishap(self, _, context) -> None:
        """The engine could not read a share. All shares with one label have the same size, whoever sends them."""
        if "handle" not in context:  # no step of the engine, but a stranger's broken greeting, say
            return
        sizes = {label: size for _, way, _, label, size, _ in self.book if way == "sent"}
        for _, way, peer, label, size, _ in self.book:
            if way == "received" and label != NEXT and sizes.get(label, size) != size:
                self.fail(PartyError(peer, "sends what is no share"))
        self.fail(PartyError(self.me, f"cannot go on: {context.get('exception')!r}"))

    async def listen(self, host="127.0.0.1", port=0) -> int:
        """Let the others come; return the port."""
        self.server = await asyncio.start_server(self._greet, host, port, ssl=self.tls[0])
        return self.server.sockets[0].getsockname()[1]

    async def meet(self, addresses) -> None:
        """Dial those who stand before this party in the order, and wait for all."""
        before = self.names[: self.names.index(self.me)]
        self.dials = [self.loop.create_task(self._dial(name, *addresses[name])) for name in before]
        await asyncio.wait(self.met.values(), timeout=self.limit)
        if late := [name for name, met in self.met.items() if not met.done()]:
            why = f"; turned away: {self.strangers[-1]}" if self.strangers else ""
            raise PartyError(late[0], f"did not come within {self.limit:g} s{why}")
        self.server.close()

    async def _dial(self, name, host, port):
        over_tls = {"ssl": self.tls[1], "server_hostname": name} if self.tls[1] else {}
        while not self.met[name].done():
            try:
                await self._greet(*await asyncio.open_connection(host, port, **over_tls), name)
            except OSError as error:  # nobody listens yet, or with a certificate that is not accepted
                self.strangers.append(f"{name} ({error})")
            await asyncio.sleep(0.05)

    async def _greet(self, reader, writer, dialled=None):
        """Let in whoever proves an expected name: by a code from the secret, and over TLS by a certificate, too."""
        own = json.dumps({"name": self.me, "nonce": secrets.token_hex(16), **self.told}).encode()
        try:
            async with asyncio.timeout(self.limit):
                writer.write(HEAD.pack(NEXT, len(own)) + own)
                _, theirs = await read_frame(reader, MAX_GREETING)
                told = read_json(theirs, dict)
                name = told.get("name")
                shown = writer.get_extra_info("peercert")
                names = [value for _, value in shown["subjectAltName"]] if shown else [name]
                free = [one for one in self.met if one not in self.wires and dialled in (None, one)]
                if name not in free or names != [name]:
                    raise ValueError(f"says {str(name)[:99]!r}, and was not expected so")
                proof, expected = (
                    hmac.digest(self.secret, one.encode() + min(own, theirs) + max(own, theirs), "sha256")
                    for one in (self.me, name)
                )
                writer.write(HEAD.pack(NEXT, len(proof)) + proof)
                proved = hmac.compare_digest((await read_frame(reader, MAX_GREETING))[1], expected)
                if not proved or name in self.wires:  # who came while this one proved its name
                    raise ValueError("does not prove its name")
        except BROKEN as error:
            self.strangers.append(f"{dialled or 'somebody'} ({error})")
            writer.close()
            return
        for what, ours in self.told.items():
            if told.get(what) != ours:
                self.fail(PartyError(name, f"has another {what}: {str(told.get(what))[:64]}, not {ours}"))
        wire = self.wires[name] = Wire(self, name, reader, writer)
        self.met[name].set_result(None)
        await wire.read()

    async def flush(self) -> None:
        """Wait until all that was sent has left: while nobody runs the loop, nothing leaves."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limit):
                while any(wire.writer.transport.get_write_buffer_size() for wire in self.wires.values()):
                    await asyncio.sleep(0.001)

    async def part(self) -> None:
        """Wait until all have what they need. Who closes a wire after that is not lost."""
        for peer, wire in self.wires.items():
            wire.ended = True
            self.tell(peer, [])
        for peer in self.wires:
            await self.hear(peer, list)

    def send(self, peer, array) -> None:
        """Send an array, in pieces that fit into frames; the last one is shorter than the others."""
        data = np.ascontiguousarray(array).tobytes()
        for first in range(0, len(data) + 1, PIECE):
            self.wires[peer].send(NEXT, data[first : first + PIECE])

    async def receive(self, peer, shape=None, kind=WORD) -> np.ndarray:
        """The next array of a party; without a shape, of any number of values up to a bound."""
        size = None if shape is None else math.prod(shape) * kind.itemsize
        data = piece = await self._next(peer)
        while len(piece) == PIECE and len(data) <= (MAX_BOOK << 2 if size is None else size):
            data += (piece := await self._next(peer))
        if len(data) % kind.itemsize or size not in (None, len(data)):
            raise PartyError(peer, f"sends {len(data):,} bytes for {size or 'whole numbers'}")
        return np.frombuffer(data, kind).reshape(-1 if shape is None else shape)

    def tell(self, peer, value) -> None:
        """Send what JSON can hold."""
        self.wires[peer].send(NEXT, json.dumps(value).encode())

    async def hear(self, peer, kind) -> Any:
        """What a party tells next, if it is of a type; else the type's empty value."""
        return read_json(await self._next(peer), kind)

    async def _next(self, peer):
        wire = self.wires[peer]
        frame = wire.receive(NEXT)
        if isinstance(frame, bytes):
            return frame
        await asyncio.wait({frame, wire.lost}, return_when=asyncio.FIRST_COMPLETED)
        if not frame.done():
            raise wire.lost.result()
        return frame.result()
