"""What the checks of week 3 share: calls of an answer, the kinds of what it returns, and messages."""

import copy
import reprlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from oracles import WrongAnswerError

CLOSE = 1e-6
HUGE = 1e100  # more than any estimate
NONE: Mapping[float, str] = {}


def result(name: str, answer: Any, *given: Any) -> Any:
    """What an answer returns for copies of what it is given."""
    if not callable(answer):
        raise WrongAnswerError(f"{name} is {shown(answer)}; it should be your function.")
    try:
        return _quiet(answer, given)
    except NotImplementedError as error:
        text = "put your code in the place of the line that raises NotImplementedError"
        raise WrongAnswerError(f"{name} is not written yet: {text}.") from error
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:200]}"
        raise WrongAnswerError(f"{name}({told(given)}) stops with {text}") from error


def refused(name: str, answer: Any, *given: Any, why: str) -> None:
    """An answer must raise a ValueError."""
    expected = f"it should raise a ValueError, because {why}"
    try:
        found = _quiet(answer, given)
    except ValueError:
        return
    except Exception as error:
        text = f"stops with {type(error).__name__}"
        raise WrongAnswerError(f"{name}({told(given)}) {text}; {expected}.") from error
    raise WrongAnswerError(f"{name}({told(given)}) returns {shown(found)}; {expected}.")


def unchanged(name: str, answer: Any, *given: Any) -> None:
    """An answer must leave what it is given as it is."""
    before = copy.deepcopy(given)
    answer(*given)
    for one, other in zip(given, before):
        same = one.equals(other) if isinstance(one, pd.DataFrame) else np.all(one == other)
        if not same:
            raise WrongAnswerError(f"{name} changes what it is given. Work on a copy.")


def _quiet(answer: Any, given: Sequence[Any]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return answer(*copy.deepcopy(given))


def number(what: str, value: Any) -> float:
    """A finite number, or a message that says what it is instead."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise WrongAnswerError(f"{what} is {shown(value)}; it should be a number.")
    if not -HUGE < value < HUGE:
        raise WrongAnswerError(f"{what} is {shown(value)}; it should be a finite number.")
    return float(value)


def equal(what: str, value: Any, right: float, mistakes: Mapping[float, str] = NONE) -> None:
    """A number is the right one; if not, a known mistake is named."""
    seen = number(what, value)
    if abs(seen - right) <= CLOSE * max(1, abs(right)):
        return
    for wrong, mistake in mistakes.items():
        if abs(seen - wrong) <= CLOSE * max(1, abs(wrong)):
            raise WrongAnswerError(f"{what} is {seen:.6g}, not {right:.6g}: {mistake}.")
    raise WrongAnswerError(f"{what} is {seen:.6g}; it should be {right:.6g}.")


def shown(value: Any) -> str:
    """A value in a message: at most a line."""
    text = " ".join(reprlib.repr(value).split())
    return text if len(text) <= 100 else f"{text[:99]}…"


def told(given: Sequence[Any]) -> str:
    """What an answer was given, in a message."""
    return ", ".join("sheets" if isinstance(one, pd.DataFrame) else shown(one) for one in given)


def pair(what: str, value: Any) -> tuple[float, float]:
    """An estimate and its standard error."""
    several = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if not several or len(value) != 2:
        raise WrongAnswerError(
            f"{what} returns {shown(value)}; it should return two numbers: return share, error."
        )
    share = number(f"The first number that {what} returns", value[0])
    error = number(f"The second number that {what} returns", value[1])
    if error < 0:
        raise WrongAnswerError(f"The standard error of {what} is {error:.6g}. It is a distance, never below 0.")
    return share, error


def weighed(what: str, value: Any, questions: Sequence[str]) -> dict[tuple[int, ...], float]:
    """The weight of each record that a list of pairs names."""
    if not isinstance(value, list | tuple):
        raise WrongAnswerError(f"{what} returns {shown(value)}; it should return a list of pairs.")
    found: dict[tuple[int, ...], float] = {}
    for entry in value:
        if not isinstance(entry, list | tuple) or len(entry) != 2 or not isinstance(entry[0], dict):
            raise WrongAnswerError(
                f"{what} has the entry {shown(entry)}; each should be a pair of a dict and its weight."
            )
        record, weight = entry
        if set(record) != set(questions):
            raise WrongAnswerError(
                f"{what} has a record of {shown(sorted(map(str, record)))}; each has all of {list(questions)}."
            )
        if any(one not in (0, 1) for one in record.values()):
            raise WrongAnswerError(f"{what} has the record {shown(record)}; its answers should be 0 or 1.")
        key = tuple(int(record[question]) for question in questions)
        if key in found:
            raise WrongAnswerError(
                f"{what} has the record {shown(record)} twice. If you change one dict again and again, all entries "
                "are that dict: begin each record with dict(sheet)."
            )
        found[key] = number(f"The weight of {shown(record)}", weight)
    return found
