"""What all checks do with an answer: call it, read numbers from what it returns, compare them, and name a mistake.

Each message says what we expect, what you have, and which known mistake leads there. Nothing here knows a right answer.
"""

import copy
import re
import reprlib
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, prediction

CLOSE = 1e-6  # how far off a right number may be
MANY = 8  # of more numbers than that, a message shows the first one that is wrong
REAL = int | float | np.integer | np.floating

Mistakes = Iterable[tuple[str, Any]]  # what is said of a known mistake, and the numbers to which it leads


def returned(call: str, answer: Any, *given: Any, hint: str = "") -> Any:
    """What an answer returns for copies of what it is given, if it neither fails nor changes them."""
    if not callable(answer):
        refuse(call.partition("(")[0], answer, "a function")
    copies = copy.deepcopy(given)
    try:
        value = _quietly(answer, copies)
    except NotImplementedError as error:
        raise WrongAnswerError(f"{call} is not written yet: put your lines in place of the raise.") from error
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise WrongAnswerError(f"{call} stops with {why}. It was given {_all(given)}. {hint}".rstrip()) from error
    if not _same(copies, given):
        raise WrongAnswerError(f"{call} changes what it is given. Work on a copy, or make new arrays.")
    return value


def refused(call: str, answer: Any, *given: Any, why: str) -> None:
    """An answer has to raise a ValueError for what it is given."""
    expected = f"for {_all(given)} it should raise a ValueError, because {why}"
    try:
        value = _quietly(answer, copy.deepcopy(given))
    except ValueError:
        return
    except Exception as error:
        raise WrongAnswerError(f"{call} stops with {type(error).__name__}; {expected}.") from error
    raise WrongAnswerError(f"{call} returns {shown(value)}; {expected}.")


def _quietly(answer, given):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return answer(*given)


def _same(one, other):
    """Whether two arguments are equal, to the last entry."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, pd.DataFrame | pd.Series):
        return one.equals(other)
    return one is other or np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind in "fc")


def _all(given):
    """Some arguments in a message."""
    text = ", ".join(map(shown, given))
    return text if len(text) <= 160 else f"{text[:159]}…"


class _Short(reprlib.Repr):
    """Values in a few words; reprlib chooses a method by the name of the type."""

    def repr_float(self, value, level):  # noqa: ARG002
        return f"{value:.6g}"

    def repr_ndarray(self, value, level):
        return self.repr1(value.tolist(), level)

    def repr_DataFrame(self, value, level):  # noqa: ARG002, N802
        return f"a table of {len(value)} row{'s' * (len(value) != 1)}"

    repr_float64, repr_Series = repr_float, repr_ndarray  # noqa: N815


def shown(value: Any) -> str:
    """A value in a message: in one short line, the same at every run."""
    short = _Short()
    short.maxother = 300  # so that no memory address is cut in two
    try:
        text = re.sub(r" at 0x\w+", "", " ".join(short.repr(value).split()))
    except Exception:  # a whole number of thousands of digits, for example
        text = f"of the type {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:99]}…"


def refuse(what: str, value: Any, expected: str) -> NoReturn:
    """Say what a value is, and what we expect."""
    ask = " Is it computed, and returned?" if "(" in what else " Is it computed?"
    hint = ask if value is None else ""
    raise WrongAnswerError(f"{what} is {shown(value)}; we expect {expected}.{hint}")


def numbers(
    what: str,
    value: Any,
    shape: tuple[int, ...],
    each: str = "",
    other: Mapping[tuple[int, ...], str] | None = None,
    finite: bool = True,
) -> np.ndarray:
    """A list, an array or a Series as an array of floats of this shape; of ``other`` shapes a hint is given.

    Text and truth values are no numbers, and NaN is none. Infinity may be one.
    """
    count = f"{shape[0]} numbers" if len(shape) == 1 else f"numbers of shape {shape}" if shape else "a number"
    array = _floats(value)
    if array is None:
        refuse(what, value, count + each)
    if array.shape != shape:
        hint = (other or {}).get(array.shape, "")
        raise WrongAnswerError(f"{what} has the shape {array.shape}; we expect {count}{each}. {hint}".rstrip())
    if np.isnan(array).any() or (finite and np.isinf(array).any()):
        text = "NaN and inf are no finite numbers: is there a division by 0?"
        raise WrongAnswerError(f"{what} is {_written(array[:MANY] if shape else array)}. {text}")
    return array


def _floats(value):
    """A value as floats, or None if it is not made of real numbers."""
    try:
        array = np.asarray(value)
        kind = array.dtype.kind
        real = kind == "O" and all(isinstance(one, REAL) and not isinstance(one, bool) for one in array.flat)
        return array.astype(float) if real or kind in "iuf" else None
    except Exception:  # lists of different lengths, for example
        return None


def number(what: str, value: Any, finite: bool = True) -> float:
    """A value as one float."""
    return float(numbers(what, value, (), finite=finite))


def asked(call: str, answer: Any, *given: Any, finite: bool = True) -> float:
    """The number that an answer returns."""
    return number(call, returned(call, answer, *given), finite)


def possible_share(me: Any, what: str, value: Any, low: float = 0, high: float = 1) -> float:
    """A share that a student found in the own data, if it is possible. An estimate may leave [0, 1] a little."""
    if not isinstance(me, Student):
        refuse("The first argument", me, "me, from the first cell")
    found = number(what, value)
    if not low <= found <= high:
        raise WrongAnswerError(
            f"{what} is {found:g}; we expect a share between {low:g} and {high:g}, and not per cent."
        )
    return found


def per_cent(guess: Any) -> str:
    """The check of a prediction in per cent, which refuses a share."""
    said = prediction(guess, 0, 100)
    if 0 < guess < 1:
        raise WrongAnswerError(f"Your guess is {guess:g}. We ask for per cent: a half is 50, and not 0.5.")
    return said


def pair(what: str, value: Any, of: str) -> list[Any]:
    """The two things that an answer returns together."""
    several = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if not several or len(value) != 2:
        refuse(what, value, f"a pair, {of}")
    return list(value)


def near(found: Any, right: Any, within: float = CLOSE) -> bool:
    """Whether numbers have the same shape, and none is further off than that; NaN is near nothing."""
    return np.shape(found) == np.shape(right) and bool(_near(found, right, within).all())


def _near(found, right, within):
    """Which numbers are near. Of large ones, so are those that differ by this part."""
    found, right = np.asarray(found, dtype=float), np.asarray(right, dtype=float)
    with np.errstate(invalid="ignore"):
        within = within * np.maximum(1, np.abs(right))
        return (found == right) | (np.isfinite(right) & (np.abs(found - right) <= within))


def recognised(found: Any, mistakes: Mistakes, within: float = CLOSE) -> str:
    """What is said of the first mistake that leads to these numbers, or nothing."""
    return next((hint for hint, wrong in mistakes if near(found, wrong, within)), "")


def compare(
    what: str,
    found: Any,
    right: Any,
    mistakes: Mistakes = (),
    within: float = CLOSE,
    otherwise: str = "",
) -> None:
    """Refuse numbers that are not the right ones, and name the mistake if it is known."""
    found, right = np.asarray(found, dtype=float), np.asarray(right, dtype=float)
    if near(found, right, within):
        return
    hint = recognised(found, mistakes, max(within, CLOSE)) or otherwise
    if found.size > MANY:
        place = tuple(np.argwhere(~_near(found, right, within))[0].tolist())
        found, right = found[place], right[place]
        what += f", in row {place[0]}, column {place[1]}" if len(place) == 2 else f", at place {place[0]}"
    digits = next((some for some in (4, 6, 9) if _written(found, some) != _written(right, some)), 17)
    allowed = f" ± {within:g}" if within > CLOSE else ""
    text = f"we expect {_written(right, digits)}{allowed}, and you have {_written(found, digits)}"
    raise WrongAnswerError(f"{what}: {text}. {hint}".rstrip())


def _written(array, digits=4):
    """A few numbers to be read in a message."""
    return ", ".join(f"{one:.{digits}g}" for one in np.ravel(array).tolist())
