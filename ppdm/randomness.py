"""Where random numbers come from: a seed, a NumPy generator or, for releases, the operating system.

Every argument ``rng`` of the library means the same. A whole number starts a reproducible stream. A
``numpy.random.Generator`` is drawn from as it stands. ``None`` asks for the default of the caller: the operating
system's secure source wherever values are disguised for release.

One seed starts different streams for data and for disguises. Otherwise noise from the seed that drew the data would be
a function of the data. And it starts another stream for every channel and for all that the channel disguises: two
columns with one noise would give away their exact difference. A Generator knows nothing of this: whoever copies one
draws the same numbers twice.
"""

import dataclasses
import hashlib
import hmac
import os
import threading
from collections import Counter
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from ppdm import checks

Rng = int | np.random.Generator | None

MIN_KEY = 16  # bytes
PASSWORDS = b"password", b"passwort", b"qwert", b"letmein", b"changeme"
_DISGUISES = 1  # joined with a seed, it starts the stream of a disguise
_one_at_a_time = threading.Lock()
_loaded: set = set()  # the tickets of pickles that this process has loaded
_LOTS = int.from_bytes(b"lots of ppdm")  # a number that nobody takes for a seed


def stream(rng, told=()) -> np.random.Generator | None:
    """A generator for disguises, from a seed or a generator. None stays None: it stands for the secure source.

    ``told``: arrays and texts, on which the stream of a seed depends as well.
    """
    seed = _seed(rng)
    if not isinstance(seed, int):
        return seed
    return np.random.default_rng([seed, _DISGUISES, *([told_apart(told)] if told else [])])


def told_apart(told) -> int:
    """A number of 128 bits that tells arrays and texts apart from all others."""
    seen = hashlib.blake2b(digest_size=16)
    for one in told:
        seen.update(np.ascontiguousarray(one).data if isinstance(one, np.ndarray) else repr(one).encode())
    return int.from_bytes(seen.digest())


class Stream:
    """Where a disguise takes its random numbers from, call after call.

    Numbers of a seed follow from it, from what is disguised and from how often that was disguised before: no two tables
    share them. A copy takes the secure source, and so does another process; only the first load of a pickle in the
    process that wrote it goes on as the original would.
    """

    def __init__(self, rng, name):
        if isinstance(rng, np.random.RandomState):
            rng = int.from_bytes(rng.bytes(16))  # a seed: all our draws are those of Generators
        self._source = _seed(rng, name)
        self._process = os.getpid()
        self._times: Counter = Counter()

    def of(self, told) -> tuple:
        """The source for what is told, and how often it was asked for, this time included."""
        table = told_apart(told)
        with _one_at_a_time:
            self._times[table] += 1
            times = self._times[table]
        known = self._source if os.getpid() == self._process else None  # a fork has the numbers of its parent
        return stream(known, told=[times, table]), times

    def __getstate__(self):
        # A generator would give two tables the same numbers, and the digest of a small table gives the table away.
        source = self._source if isinstance(self._source, int) else None
        return {"_source": source, "_process": self._process, "_times": Counter(), "ticket": os.urandom(8)}

    def __setstate__(self, state):
        ticket = state.pop("ticket")
        vars(self).update(state)
        if ticket in _loaded:
            self._source = None
        _loaded.add(ticket)

    def __deepcopy__(self, memo):
        return Stream(None, "rng")


def generator(rng) -> np.random.Generator:
    """A generator for simulated data: None starts one from fresh entropy."""
    return np.random.default_rng(_seed(rng))


def lots(*place) -> np.random.Generator:
    """The library's own stream for a place, the same at every call: lots that break ties, and draw cells.

    It differs from the stream of every study's seed. Else a lot could depend on the value that it is drawn for.
    """
    return np.random.default_rng([_LOTS, *place])


def uniform(n, rng=None, two_ended=False) -> np.ndarray:
    """Draw n numbers, uniform on the open interval (0, 1); from the operating system's secure source if rng is None.

    ``two_ended`` gives each number by its distance from the nearer end, and that below 0 if the nearer end is 1. Such a
    distance has all the digits of a float, however small it is: noise that is made of it has no holes in its tails.

    >>> uniform(3, rng=7).round(4).tolist()
    [0.7701, 0.1119, 0.1891]
    >>> uniform(3, rng=7, two_ended=True).round(4).tolist()
    [-0.2299, 0.1119, 0.1891]
    """
    source = stream(rng)
    words = _words(n, source)
    if not two_ended:
        return _within(words)
    # Further digits come from a stream that the first words start: a study's own stream goes on as without them.
    further = None if source is None else np.random.default_rng(words[:4])
    return _two_ended(words, lambda near, _: _words(len(near), further))


def part_of_noise(shape, epsilon, honest, rng=None) -> np.ndarray:
    """What one party adds to whole numbers, so that their sum over all parties is ε-differentially private.

    It is a difference of two negative binomials: those of as many parties as are ``honest`` at least add up to a
    geometric law on both sides of 0. A person may change the numbers by 1 in all.
    """
    from scipy.stats import nbinom  # only here: the library is imported without SciPy

    law = nbinom(1 / honest, -np.expm1(-epsilon))
    up, down = (law.ppf(uniform(int(np.prod(shape)), rng)).reshape(shape) for _ in range(2))
    return (up - down).astype(np.int64)


class Secret:
    """A key that is not shown: not in print, not in a pickle, not among the local variables of an error.

    No local variable may hold the bytes themselves: a traceback can show these.
    """

    __slots__ = ("_hidden",)

    def __init__(self, key):
        self._hidden = key

    @classmethod
    def hide(cls, value) -> Any:
        """The value hidden, whatever its type; but None and infinite numbers, which scikit-learn's checks compare."""
        infinite = isinstance(value, float) and np.isinf(value)
        return value if infinite or isinstance(value, cls | None) else cls(value)

    def __repr__(self):
        return "<secret>"

    def __reduce__(self):
        return Secret, (None,)

    def __deepcopy__(self, memo):
        return self  # a copy in this process may disguise as the original does

    def checked(self) -> "Secret":
        """The key, if nobody could guess it: 16 bytes or more, many of them different, and no well-known password."""
        if self._hidden is None:
            raise ValueError(
                "key is gone, because a pickled copy does not hold it; give it again: set_params(key=...)"
            )
        if type(self._hidden) is not bytes:  # NumPy's bytes lose zeros at their end
            kind = type(self._hidden).__name__
            raise TypeError(f"key is a {kind}; expected bytes, as from secrets.token_bytes(32)")
        if len(self._hidden) < MIN_KEY:
            raise ValueError(f"key has {len(self._hidden)} bytes; expected {MIN_KEY} or more, drawn by chance")
        if len(set(self._hidden)) < MIN_KEY / 2 or any(word in self._hidden.lower() for word in PASSWORDS):
            raise ValueError(
                "key can be guessed; expected bytes drawn by chance, as from secrets.token_bytes(32)"
            )
        return self

    def words(self, purpose, messages) -> np.ndarray:
        """64 bits for each message, by keyed BLAKE2b, with a key that HMAC-SHA256 derives for the purpose."""
        own = Secret(hmac.digest(self._hidden, purpose.encode(), "sha256"))
        digests = [hashlib.blake2b(message, key=own._hidden, digest_size=8).digest() for message in messages]
        return np.frombuffer(b"".join(digests), dtype="<u8")


def keyed_uniform(key, purpose, messages, two_ended=False) -> np.ndarray:
    """Give each message a number on (0, 1), as ``uniform`` does; nobody without the key can tell them from random ones.

    Each purpose and each message has a number of its own. key: bytes, or a ``Secret``.

    >>> keyed_uniform(b"0123456789abcdef", "age", [b"ann", b"bob", b"ann"]).round(4).tolist()
    [0.1901, 0.7946, 0.1901]
    """
    key = key if isinstance(key, Secret) else Secret(key)
    messages = list(messages)
    words = key.words(purpose, messages)
    if not two_ended:
        return _within(words)
    return _two_ended(words, lambda near, digits: key.words(f"{purpose} {digits}", [messages[i] for i in near]))


def _words(n, source):
    """64 random bits, n times."""
    if source is None:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)  # which nobody can repeat or predict
    return source.integers(0, 2**64, n, dtype=np.uint64)


def _within(words):
    # The middle of each of 2^52 cells: neither 0 nor 1 occurs, so every quantile function stays finite.
    return ((words >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52


def _two_ended(words, further):
    """The distance of each number from the nearer end; below 0 if that is 1."""
    upper = words >= 2**63
    tail = _within(np.where(upper, ~words, words))
    # Near an end one cell is a large part of the tail. It is divided into 2^52 cells, again and again, until each
    # number is known to one part in 2^42: then every value that noise can be rounded to has its own share of numbers.
    for digits in range(52, 950, 52):
        near = np.flatnonzero(tail < 2.0 ** (42 - digits))
        if not len(near):
            break
        tail[near] += (_within(further(near, digits)) - 0.5) * 2.0**-digits
    return np.where(upper, -tail, tail)


def _seed(rng, name="rng"):
    """A seed as an int; a generator or None as it stands."""
    if rng is None or isinstance(rng, np.random.Generator):
        return rng
    return checks.whole(name, rng, 0, hint="or a numpy Generator, or None")


def permutation(n, rng=None) -> np.ndarray:
    """A random order of 0 … n − 1, by sorting random keys."""
    return np.argsort(uniform(n, rng), kind="stable")


def canonical(value) -> str:
    """The text of an argument, the same in every process: streams of random numbers are derived from it.

    Equal numbers have one text (1 and 1.0), the order of a dict does not matter, and nothing depends on Python's
    randomised hashes.

    >>> canonical({"level": np.float64(1), "cuts": (0.5, 2)})
    "{'cuts': [0.5, 2], 'level': 1}"
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # Python takes 1 and 1.0 for equal
    if value is None or (isinstance(value, bool | str | int | float) and value == value):  # nan equals nothing
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(canonical, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{canonical(key)}: {canonical(item)}' for key, item in value.items()))}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.compare}
        return canonical(type(value)) + canonical(fields)
    if isinstance(value, FunctionType | type) and "<lambda>" not in value.__qualname__:
        return f"{value.__module__}.{value.__qualname__}"
    raise TypeError(
        f"{value!r} is of type {type(value).__name__}, of which no text stays the same; expected None, booleans, "
        "numbers other than nan, text, functions with a name, dataclasses, or lists and dicts of these; "
        "pass a name or a number and build the object inside the measure"
    )
