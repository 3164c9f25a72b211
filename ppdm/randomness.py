"""Where random numbers come from: a seed, a NumPy generator or, for releases, the operating system.

Every argument ``rng`` of the library means the same. A whole number starts a reproducible stream. A
``numpy.random.Generator`` is drawn from as it stands. ``None`` asks for the default of the caller: the operating
system's secure source wherever values are disguised for release.

One seed starts different streams for data and for disguises. Otherwise noise from the seed that drew the data would be
a function of the data.
"""

import dataclasses
import hashlib
import hmac
import os
from collections.abc import Mapping
from types import FunctionType

import numpy as np

from ppdm import checks

Rng = int | np.random.Generator | None

_DISGUISES = 1  # joined with a seed, it starts the stream of a disguise
_LOTS = int.from_bytes(b"lots of ppdm")  # a number that nobody takes for a seed


def stream(rng, name: str = "rng") -> np.random.Generator | None:
    """A generator for disguises, from a seed or a generator. None stays None: it stands for the secure source."""
    seed = _seed(rng, name)
    return np.random.default_rng([seed, _DISGUISES]) if isinstance(seed, int) else seed


def generator(rng) -> np.random.Generator:
    """A generator for simulated data: None starts one from fresh entropy."""
    return np.random.default_rng(_seed(rng, "rng"))


def lots(*place) -> np.random.Generator:
    """The library's own stream for a place, the same at every call: lots that break ties, and draw cells.

    It differs from the stream of every study's seed. Else a lot could depend on the value that it is drawn for.
    """
    return np.random.default_rng([_LOTS, *place])


def uniform(n: int, rng: Rng = None) -> np.ndarray:
    """Draw n numbers, uniform on the open interval (0, 1); from the operating system's secure source if rng is None.

    >>> uniform(3, rng=7).round(4).tolist()
    [0.7701, 0.1119, 0.1891]
    """
    source = stream(rng)
    if source is None:
        words = np.frombuffer(os.urandom(8 * n), dtype=np.uint64)  # which nobody can repeat or predict
    else:
        words = source.integers(0, 2**64, n, dtype=np.uint64)
    return _within(words)


def keyed_uniform(key, purpose, messages) -> np.ndarray:
    """Give each message a number on (0, 1). Without the secret key nobody can tell these from random numbers.

    Each purpose and each message has a number of its own: keyed BLAKE2b of the message, with a key that HMAC-SHA256
    derives for the purpose.

    >>> keyed_uniform(b"0123456789abcdef", "age", [b"ann", b"bob", b"ann"]).round(4).tolist()
    [0.1901, 0.7946, 0.1901]
    """
    own = hmac.digest(key, purpose.encode(), "sha256")
    words = b"".join(hashlib.blake2b(message, key=own, digest_size=8).digest() for message in messages)
    return _within(np.frombuffer(words, dtype="<u8"))


def _within(words):
    # The middle of each of 2^52 cells: neither 0 nor 1 occurs, so every quantile function stays finite.
    return ((words >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52


def _seed(rng, name):
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
