"""Wires: who is let in, and what becomes of frames that no party sends."""

import contextlib
import hashlib
import hmac
import json
import random
import socket
import struct
import subprocess
import sys
import time
from importlib.metadata import version

import numpy as np
import pytest

HEAD = struct.Struct("<qI")
SECRET = b"known to all"
NEXT, FAREWELL, DONE, ALIVE, YES = range(0, -5, -1)
PROJECT = hashlib.sha256(b'"p"').hexdigest()  # of the project as JSON
WORDS = np.arange(100, dtype="<u8")

# Two honest parties in one process, which wait for words of a third one, again and again with new wires.
HONEST = f"""
import asyncio, json, queue, resource, sys, threading
from ppdm.parties import PartyError
from ppdm.parties.net import Net
for line in sys.stdin:
    given = json.loads(line)
    ports, found, met = {{}}, {{}}, queue.Queue()
    listening, done = threading.Barrier(3), threading.Barrier(2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    def party(name):
        net = Net(name, ["a", "b", "liar"], secret={SECRET!r}, project=given["project"], limit=given["limit"])
        ports[name] = net.run(net.listen())
        listening.wait()
        try:
            net.run(net.meet({{"a": ("127.0.0.1", ports["a"])}}))
            met.put(True)
            work = net.receive("liar", (100,)) if given["waits"] else asyncio.sleep(3)
            words = net.run(work)
            found[name] = [None, "" if words is None else words.tolist()]
        except PartyError as error:
            met.put(False)
            found[name] = [error.party, error.why]
        done.wait()
        for wire in net.wires.values():
            wire.writer.close()
        net.server.close()
        net.loop.run_until_complete(asyncio.sleep(0.01))
    threads = [threading.Thread(target=party, args=(name,)) for name in "ab"]
    for one in threads:
        one.start()
    listening.wait()
    print(json.dumps(ports), flush=True)
    print(json.dumps(met.get() and met.get()), flush=True)
    for one in threads:
        one.join()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({{"found": found, "grown": grown}}), flush=True)
"""


class Honest:
    """The process of the two honest parties."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", HONEST], stdin=-1, stdout=-1, stderr=-3, text=True
        )

    def begin(self, limit=2.0, waits=True, project="p"):
        """Let both listen; the port of each."""
        print(
            json.dumps({"limit": limit, "waits": waits, "project": project}), file=self.process.stdin, flush=True
        )
        return json.loads(self.process.stdout.readline())

    def met(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        """What came out at each party, and by how many megabytes the process grew."""
        told = json.loads(self.process.stdout.readline())
        return told["found"], told["grown"]


@pytest.fixture(scope="module")
def honest():
    made = Honest()
    yield made
    made.process.kill()
    made.process.wait()
    made.process.stdin.close()
    made.process.stdout.close()


def exactly(wire, size):
    data = b""
    while len(data) < size:
        piece = wire.recv(size - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data


def frame(wire):
    label, size = HEAD.unpack(exactly(wire, HEAD.size))
    return label, exactly(wire, size)


def send(wire, payload, label=NEXT):
    wire.sendall(HEAD.pack(label, len(payload)) + payload)


def greet(port, name="liar", secret=SECRET, patience=10, **other):
    """Dial a party and say who one is."""
    wire = socket.create_connection(("127.0.0.1", port))
    wire.settimeout(patience)
    own = json.dumps(
        {"name": name, "nonce": "0" * 32, "project": PROJECT, "version": version("ppdm")} | other
    ).encode()
    try:
        send(wire, own)
        _, theirs = frame(wire)
        send(wire, hmac.digest(secret, name.encode() + min(own, theirs) + max(own, theirs), "sha256"))
        frame(wire)
    except OSError:
        wire.close()
        raise
    return wire


@contextlib.contextmanager
def liar(ports):
    wires = {name: greet(port) for name, port in ports.items()}
    try:
        yield wires
    finally:
        for one in wires.values():
            one.close()


def test_who_keeps_to_the_protocol_is_understood(honest):
    with liar(honest.begin()) as wires:
        assert honest.met()
        for one in wires.values():
            send(one, WORDS.tobytes())
        found, _ = honest.end()
    assert found == {name: [None, WORDS.tolist()] for name in "ab"}


def noise(seed, count, most):
    rng = random.Random(seed)
    return b"".join(
        HEAD.pack(rng.getrandbits(62) + 1, size) + rng.randbytes(size)
        for size in (rng.randrange(most) for _ in range(count))
    )


GARBAGE = {
    "too short": (lambda: HEAD.pack(NEXT, 24) + bytes(24), "sends 24 bytes for 800"),
    "too long": (lambda: HEAD.pack(NEXT, 808) + bytes(808), "sends 808 bytes for 800"),
    "no whole words": (lambda: HEAD.pack(NEXT, 799) + bytes(799), "sends 799 bytes"),
    "nothing": (lambda: HEAD.pack(NEXT, 0), "sends 0 bytes"),
    "JSON": (lambda: HEAD.pack(NEXT, 9) + b'["words"]', "sends 9 bytes"),
    "a huge size": (lambda: HEAD.pack(NEXT, 2**32 - 1), "announces 4,294,967,295 bytes"),
    "a huge size under another label": (lambda: HEAD.pack(77, 2**31), "announces 2,147,483,648 bytes"),
    "labels that nobody knows": (lambda: noise(1, 20_000, 8), "sends what nobody asked for"),
    "more than anybody asked for": (lambda: noise(2, 200, 1 << 19), "sends what nobody asked for"),
    "half a frame": (lambda: HEAD.pack(NEXT, 800) + bytes(99), None),
    "half a head": (lambda: b"abc", None),
    "a farewell of nobody": (lambda: HEAD.pack(FAREWELL, 3) + b"\xff{[", "without a reason"),
    "a farewell that names a stranger": (lambda: HEAD.pack(FAREWELL, 19) + b'["nobody", "left!"]', "left!"),
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_ends_the_work_at_once_and_names_who_sent_it(honest, what):
    data, told = GARBAGE[what]
    with liar(honest.begin(limit=20)) as wires:
        assert honest.met()
        begun = time.monotonic()
        with contextlib.suppress(OSError):  # the others close the wire while more is sent
            wires["a"].sendall(data())
            if told is None:
                wires["a"].shutdown(socket.SHUT_WR)
        found, grown = honest.end()
        assert time.monotonic() - begun < 4
    for name in "ab":
        party, why = found[name]
        assert party == "liar", name
        assert (told or "is gone") in why
    assert grown < 64


def test_an_endless_stream_of_empty_frames_does_not_fill_the_memory(honest):
    with liar(honest.begin(limit=20, waits=False)) as wires:
        assert honest.met()
        piece = HEAD.pack(NEXT, 0) * 10_000
        end = time.monotonic() + 6
        with contextlib.suppress(OSError):
            while time.monotonic() < end:
                wires["a"].sendall(piece)
        found, grown = honest.end()
    assert found["a"][0] == "liar"
    assert "nobody asked" in found["a"][1]
    assert grown < 64


def test_random_frames_are_refused_one_after_the_other(honest):
    for seed in range(20):
        rng = random.Random(seed)
        data = bytearray(HEAD.pack(NEXT, 800) + WORDS.tobytes())
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(HEAD.size)] ^= 1 << rng.randrange(8)
        if data[: HEAD.size] == HEAD.pack(NEXT, 800):
            continue
        with liar(honest.begin(limit=0.3)) as wires:
            assert honest.met()
            with contextlib.suppress(OSError):
                wires["a"].sendall(bytes(data))
            found, grown = honest.end()
        assert {found[name][0] for name in "ab"} == {"liar"}
        assert grown < 64


def test_who_only_says_that_he_lives_is_left_in_the_end(honest):
    limit = 0.25
    with liar(honest.begin(limit=limit)) as wires:
        assert honest.met()
        begun = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - begun < 40 * limit:
                for one in wires.values():
                    send(one, b"", YES)
                time.sleep(0.02)
        assert time.monotonic() - begun < 12 * limit + 1
        found, _ = honest.end()
    assert {found[name][0] for name in "ab"} == {"liar"}
    assert all("says nothing" in found[name][1] for name in "ab")


def wrong_secret(port):
    with contextlib.suppress(OSError):
        return greet(port, secret=b"guessed")


def no_greeting(port):
    wire = socket.create_connection(("127.0.0.1", port))
    wire.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    return wire


def silence(port):
    return socket.create_connection(("127.0.0.1", port))


def another_name(port):
    with contextlib.suppress(OSError):
        return greet(port, name="mallory")


def no_object(port):
    wire = socket.create_connection(("127.0.0.1", port))
    send(wire, b"[" * 4000)
    return wire


def echo(port):
    """Say what the other one says: its own proof is no proof of another name."""
    wire = socket.create_connection(("127.0.0.1", port))
    wire.settimeout(1)
    with contextlib.suppress(OSError):
        for _ in range(2):
            _, data = frame(wire)
            send(wire, data.replace(b'"a"', b'"liar"'))
    return wire


@pytest.mark.parametrize("stranger", [wrong_secret, no_greeting, silence, another_name, no_object, echo])
def test_a_stranger_is_not_let_in_and_does_not_disturb(honest, stranger):
    ports = honest.begin(limit=5)
    wires = [stranger(ports["a"]) for _ in range(5)]
    with liar(ports) as own:
        assert honest.met()
        for one in own.values():
            send(one, WORDS.tobytes())
        found, _ = honest.end()
    assert found == {name: [None, WORDS.tolist()] for name in "ab"}
    for one in wires:
        if one:
            one.close()


def test_who_does_not_come_is_named_with_why_others_were_turned_away(honest):
    ports = honest.begin(limit=1)
    wires = [wrong_secret(port) for port in ports.values()]
    assert not honest.met()
    found, _ = honest.end()
    party, why = found["a"]
    assert party == "liar"
    assert "did not come within 1 s" in why
    assert "prove" in why
    for one in wires:
        if one:
            one.close()


def test_a_name_is_given_once(honest):
    ports = honest.begin(limit=5)
    first = greet(ports["a"])
    # It is turned away, or nobody listens any more; one that comes at the same moment is let go of again.
    with pytest.raises((ConnectionError, TimeoutError)):
        exactly(greet(ports["a"], patience=2), 1)
    second = greet(ports["b"])
    assert honest.met()
    for one in (first, second):
        send(one, WORDS.tobytes())
    found, _ = honest.end()
    assert found["a"] == [None, WORDS.tolist()]
    first.close()
    second.close()


@pytest.mark.parametrize("what", ["project", "version"])
def test_another_project_or_version_is_refused_with_both(honest, what):
    ports = honest.begin(limit=5)
    wires = [greet(port, **{what: "0.0.other"}) for port in ports.values()]
    honest.met()
    found, _ = honest.end()
    for party, why in found.values():
        if party is not None:
            assert party == "liar"
            assert f"has another {what}: 0.0.other, not" in why
    assert any(party for party, _ in found.values())
    for one in wires:
        one.close()
