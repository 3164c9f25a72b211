"""What the sheets of the course use: a student's own numbers, and checks of the answers.

A sheet begins with ``me = student("ada.lovelace")``. Its tasks draw their data with ``me.rng("w1.5")``. Thus no two
students have the same numbers. After an answer stands its check, ``check("w1.2", privacy_width)``. It says what is
wrong, or what it found right. The sheets are marked with further checks, on other numbers.
"""

import hashlib
import reprlib
import traceback
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["Student", "WrongAnswerError", "check", "prediction", "student"]

NOBODY = "your.name"


class WrongAnswerError(AssertionError):
    """An answer that a check found wrong; the message says what, and what would be right."""

    task = "This"

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in the place of a traceback: the message, and the line at which an answer stopped."""
        shown = [f"{self.task} does not hold yet. {self}"]
        if self.__cause__ and not isinstance(self.__cause__, NotImplementedError | WrongAnswerError):
            frames = traceback.extract_tb(self.__cause__.__traceback__)[2:]  # two call the answer
            own = [frame for frame in frames if frame.filename == frames[0].filename]
            shown += [f"It stops at line {frame.lineno} of its cell:  {frame.line}" for frame in own[-1:]]
        return shown


@dataclass(frozen=True)
class Student:
    """Whose sheet it is, in which course. Both decide about the numbers."""

    name: str
    course: str = "ppdm"

    def __post_init__(self) -> None:
        """Let neither capital letters nor blanks count: "Grace Hopper" and "grace.hopper" are the same person."""
        object.__setattr__(self, "name", ".".join(self.name.lower().split()))

    def rng(self, task: str) -> np.random.Generator:
        """Random numbers of one task: the same whenever you run it, and other ones for other students."""
        told = f"{self.name}\n{task}".encode()
        digest = hashlib.blake2b(told, key=self.course.encode(), digest_size=16).digest()
        return np.random.default_rng(int.from_bytes(digest))


def student(name: str, course: str = "ppdm") -> Student:
    """The numbers of one student, from the name under which the sheet is handed in."""
    for argument, text in (("name", name), ("course", course)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{argument} is {text!r}; it must be a text, such as 'ada.lovelace'")
    if len(course.encode()) > hashlib.blake2b.MAX_KEY_SIZE:
        raise ValueError(f"course has {len(course.encode())} bytes; {hashlib.blake2b.MAX_KEY_SIZE} at most")
    if name == NOBODY:
        print(f"Put your own name in the place of {NOBODY!r}: your numbers depend on it.")
    return Student(name, course)


def check(task: str, *answers: Any, hidden: bool = False) -> None:
    """Check an answer, and print what is right about it; a wrong one raises `WrongAnswerError`, which says why."""
    week, _, number = task.partition(".")
    try:
        module = import_module(f"{__name__}.{'hidden_' if hidden else ''}{week}")
        test = getattr(module, f"{week}_{number}")
    except (ImportError, AttributeError):
        raise ValueError(f"there is no {'hidden ' if hidden else ''}check of a task {task!r}") from None
    try:
        print(f"{task} holds: {test(*answers)}")
    except WrongAnswerError as error:
        error.task = task
        raise


def prediction(guess: Any, low: float, high: float) -> str:
    """The check of a prediction: any number between two bounds counts, because a guess may be wrong."""
    if guess is None:
        raise WrongAnswerError(
            "You have not guessed yet. Any honest number counts, and you cannot lose by being wrong."
        )
    number = isinstance(guess, int | float | np.integer | np.floating) and not isinstance(guess, bool)
    if not number or not low <= guess <= high:
        seen = reprlib.repr(guess)
        raise WrongAnswerError(f"Your guess is {seen}; we expect a number between {low:g} and {high:g}.")
    return f"your guess is {guess:g}. Leave it as it is when you see the truth."
