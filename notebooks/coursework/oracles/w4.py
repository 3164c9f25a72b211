"""Week 4, privacy: the numbers of a student, and the checks that stand in the sheet."""

import copy
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, prediction
from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import UniformNoise

FIVE = ["age", "salary", "loan", "hyears", "hvalue"]
WORDS = 2**64  # clinics add up modulo this number


def customers(me: Student, people: int = 300, level: float = 0.5) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """A student's own customers: their true values, what was released of them, and the half-widths of the noise."""
    rng = me.rng("w4.4")
    X, _ = quest(people, function=1, rng=rng)
    known = X[FIVE]
    ends = {name: dict(zip(("low", "high"), QUEST_RANGES[name])) for name in FIVE}
    noise = {name: UniformNoise.at_privacy(level, **ends[name]) for name in FIVE}
    released = pd.DataFrame({name: noise[name].disguise(known[name], rng) for name in FIVE})
    return known, released, pd.Series({name: noise[name].half_width for name in FIVE})


def ring(counts: list[Any], mask: Any) -> list[Any]:
    """What each clinic of a ring sends to the next one; the first has the mask, and the last sends to the first."""
    sent, word = [], np.array(mask, np.uint64)
    for own in counts:
        word = word + np.array(own, np.uint64)
        sent.append(word)
    return sent


def answers_guessed(guess: Callable, people: Any, groups: list[list[int]], theta: float, rng: Any) -> float:
    """The share of all answers that an intruder with the list guesses right, from a sheet of each person on it."""
    people = np.asarray(people)
    expected = 0.0
    for person in people:
        sheet = person.copy()
        for group in groups:
            if rng.random() >= theta:
                sheet[group] = 1 - sheet[group]
        ones = np.asarray(guess(sheet, people, groups, theta)) @ people
        expected += np.maximum(ones, 1 - ones).mean()
    return float(expected / len(people))


def called(name: str, function: Any, *given: Any) -> Any:
    """What an answer returns for copies of what it is given; an answer that fails, or changes them, is wrong."""
    if not callable(function):
        raise WrongAnswerError(f"{name} is {function!r}; we expect a function with that name.")
    copies = copy.deepcopy(given)
    before = pickle.dumps(copies)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(*copies)
    except NotImplementedError as error:
        raise WrongAnswerError(f"{name} is not written yet: put your lines in place of the raise.") from error
    except Exception as error:
        raise WrongAnswerError(
            f"{name} stops with {type(error).__name__}: {str(error)[:200]}. It was called with {shown(given)}."
        ) from error
    if pickle.dumps(copies) != before:
        raise WrongAnswerError(f"{name} changes what it is given. Work on a copy, or make new arrays.")
    return result


def shown(given: Any) -> str:
    """Arguments in one short line."""
    text = ", ".join(" ".join(repr(one).split()) for one in given)
    return text if len(text) <= 160 else f"{text[:160]}…"


def numbers(name: str, result: Any, shape: tuple[int, ...], verb: str = "returns") -> np.ndarray:
    """The numbers that an answer returned, in the shape that is expected."""
    expected = f"an array of {shape[0]} numbers" if shape else "a single number"
    if result is None:
        hint = (
            "Does it end with a line that begins with return?" if verb == "returns" else f"We expect {expected}."
        )
        raise WrongAnswerError(f"{name} {verb} None. {hint}")
    try:
        found = np.asarray(result)
    except Exception as error:
        raise WrongAnswerError(f"{name} {verb} {shown([result])}; we expect {expected}.") from error
    large = found.dtype.kind == "O" and all(isinstance(one, int) and abs(one) < WORDS**2 for one in found.flat)
    if found.dtype.kind not in "iuf" and not large:
        raise WrongAnswerError(f"{name} {verb} {shown([result])}; we expect {expected}.")
    if found.shape != shape:
        raise WrongAnswerError(f"{name} {verb} an array of shape {found.shape}; we expect {expected}.")
    if np.isnan(found.astype(float)).any():
        raise WrongAnswerError(f"{name} {verb} NaN, which is not a number. Was something divided by zero?")
    return found


def compare(name: str, found: np.ndarray, right: Any, example: str, mistakes: dict[str, Any]) -> None:
    """Raise if the numbers are not the right ones, with the mistake that gives them, if it is known."""
    if close(found, right):
        return
    told = [what for what, wrong in mistakes.items() if close(found, wrong)]
    seen = np.array2string(found, precision=4, separator=", ")
    expected = np.array2string(np.asarray(right), precision=4, separator=", ")
    raise WrongAnswerError(
        f"{name} gives {seen} for {example}; right is {expected}. {' '.join(told[:1])}".strip()
    )


def close(found: Any, right: Any) -> bool:
    """Whether numbers are equal but for rounding; NaN equals nothing."""
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol=1e-6, atol=1e-9)


def w4_1(found_by_five: Any) -> str:
    """A guess, in per cent."""
    return prediction(found_by_five, 0, 100)


def w4_2(certain_width: Any) -> str:
    """Four people, worked out by hand; then many."""
    seen = np.array([-10.0, 25, 50, 100])
    found = numbers("certain_width", called("certain_width", certain_width, seen, 32.0, 20.0, 80.0), (4,))
    compare(
        "certain_width",
        found,
        [2, 37, 60, 12],
        "people seen at -10, 25, 50 and 100, with noise of ±32 and ages from 20 to 80",
        {
            "That is the width of the noise alone. The age is also in its range, and both are certain.": [64] * 4,
            "That is the width of the paper's 95 % interval. We ask what is certain.": [60.8] * 4,
            "The upper end is cut off at the range, but the lower end is not.": [64, 64, 62, 12],
            "The lower end is cut off at the range, but the upper end is not.": [2, 37, 62, 64],
            "Of two bounds you took the wrong one.": [122, 87, 64, 112],
            "The sign is wrong: take the lower end from the upper one.": [-2, -37, -60, -12],
        },
    )
    wide = numbers("certain_width", called("certain_width", certain_width, seen, 200.0, 20.0, 80.0), (4,))
    compare("certain_width", wide, [60, 60, 60, 60], "the same people with noise of ±200", {})
    exact = numbers("certain_width", called("certain_width", certain_width, seen[1:3], 0.0, 20.0, 80.0), (2,))
    compare("certain_width", exact, [0, 0], "people seen at 25 and 50 without noise", {})
    return "four people are as by hand, noise of ±200 leaves the whole range, and no noise leaves nothing open"


def w4_3(linkage: Any) -> str:
    """Four people by one attribute, and by two."""
    known = np.array([[26.0, 1], [40, 9], [47, 3], [52, 8]])
    released = np.array([[18.0, 3], [40, 6], [48, 1], [60, 11]])
    one = called("linkage", linkage, known[:, :1], released[:, :1], np.array([10.0]))
    compare(
        "linkage",
        numbers("linkage", one, ()),
        0.625,
        "known ages 26, 40, 47, 52, released as 18, 40, 48, 60 under noise of ±10",
        {
            "The nearest release is no likelier than another one within ±10, because the noise is uniform.": 0.75,
            "You count for each release the people who fit it. The intruder has a person, and looks for a release.": (
                17 / 24
            ),
            "Where t releases fit, the right one is found with probability 1/t, and not never.": 0.25,
            "Everybody's own release fits. But the intruder does not know which of those that fit it is.": 1.0,
            "We expect a share of the people, and this is their number.": 2.5,
            "We expect a share between 0 and 1, and this is a percentage.": 62.5,
        },
    )
    two = numbers("linkage", called("linkage", linkage, known, released, np.array([10.0, 4])), ())
    compare(
        "linkage",
        two,
        0.875,
        "the same people with a second number, 1, 9, 3, 8, released as 3, 6, 1, 11 under noise of ±4",
        {
            "A release fits if all its attributes fit, and not only one of them.": 0.375,
            "You take the attributes one by one. A release must fit by all of them together.": 13 / 24,
            "Only the first attribute counts. The intruder knows all of them.": 0.625,
        },
    )
    alone = called("linkage", linkage, known[:1], released[:1], np.array([10.0, 4]))
    compare("linkage", numbers("linkage", alone, ()), 1.0, "a single person, who cannot be mistaken", {})
    return "four people are found as by hand, by one attribute and by two; a single person is always found"


def w4_4(me: Any, found: Any) -> str:
    """A share of a student's own customers."""
    share = float(numbers("found", found, (), "is"))
    if share > 1:
        raise WrongAnswerError(f"found is {share:g}. We expect a share between 0 and 1, and not a percentage.")
    if share < 1 / 300:
        raise WrongAnswerError(f"found is {share:g}. Even who guesses at random finds one customer in 300.")
    return f"{share:.1%} of the customers of {me.name} is a share that is possible. Marking works it out again"


def w4_5(answers_right: Any) -> str:
    """A guess, in per cent."""
    return prediction(answers_right, 50, 100)


def w4_6(guess: Any) -> str:
    """Four people on a list, three answers in two groups."""
    people = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
    sheet = np.array([1, 1, 0])
    given = sheet, people, [[0, 1], [2]], 0.8
    example = "the sheet 110, groups [[0, 1], [2]], θ = 0.8, and the list 110, 000, 111, 010"
    found = numbers("guess", called("guess", guess, *given), (4,))
    compare(
        "guess",
        found,
        [2 / 3, 1 / 6, 1 / 6, 0],
        example,
        {
            "Divide these numbers by their sum.": [0.64, 0.16, 0.16, 0],
            "The answers of a group share one coin; you toss one for each.": [0.64, 0.04, 0.16, 0.16],
            "You exchange θ, for a group as it is, with 1 - θ.": [1 / 9, 4 / 9, 4 / 9, 0],
            "The last one cannot have this sheet: 01 is never seen as 11.": [4 / 7, 1 / 7, 1 / 7, 1 / 7],
            "You take the sheet for the truth. A group may have been turned.": [1, 0, 0, 0],
        },
    )
    fair = numbers("guess", called("guess", guess, sheet, people, [[0, 1, 2]], 0.5), (4,))
    compare(
        "guess",
        fair,
        [1, 0, 0, 0],
        "the same with one group of all answers and a fair coin",
        {"With one group only 110 itself and its opposite 001 can lead to this sheet.": [0.25] * 4},
    )
    twice = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 1]])
    found = numbers("guess", called("guess", guess, sheet, twice, [[0, 1, 2]], 0.6), (3,))
    compare("guess", found, [3 / 7, 2 / 7, 2 / 7], "one group, θ = 0.6, and the list 110, 001, 001", {})
    return "three lists are guessed as by hand, and the probabilities add up to 1"


def w4_7(epsilon: Any, theta_for: Any) -> str:
    """Designs that can be worked out by hand."""
    single, pair = [["a"], ["b"], ["c"]], [["a", "b"], ["c"]]
    found = numbers("epsilon", called("epsilon", epsilon, 0.75, single), ())
    compare(
        "epsilon",
        found,
        3.295837,
        "three answers with a coin each, θ = 0.75",
        {
            "That is the bound of one answer. The coins are independent, so it adds up.": 1.098612,
            "Of independent answers the bounds are added, and not multiplied.": 1.325969,
            "Take the natural logarithm.": 4.754888,
            "ε is the logarithm of the odds.": 27.0,
            "The odds stand upside down: ε is never below 0.": -3.295837,
        },
    )
    wrong = "A sheet that shows 10 excludes whoever has 11 or 00. So a group of two has no bound, whatever θ is."
    for theta in (0.75, 0.5):
        found = called("epsilon", epsilon, theta, pair)
        if numbers("epsilon", found, ()) != math.inf:
            raise WrongAnswerError(
                f"epsilon gives {found!r} for the groups {pair} and θ = {theta}. {wrong} Return math.inf."
            )
    compare("epsilon", numbers("epsilon", called("epsilon", epsilon, 0.5, single), ()), 0, "three fair coins", {})
    largest = numbers("theta_for", called("theta_for", theta_for, 3.295837, 3), ())
    compare(
        "theta_for",
        largest,
        0.75,
        "a promise of 3.295837 for a sheet of three answers",
        {
            "That keeps the promise for one answer. The sheet has three.": 0.964286,
            "That is 1 - θ: the smaller of two coins that keep the promise. We want the larger.": 0.25,
        },
    )
    return "three coins add up, a group of two has no bound, and θ = 0.75 comes back from its ε"


def w4_8(read_ring: Any) -> str:
    """Three clinics of two counts each; the words pass 2 ** 64 on the way."""
    counts = [[7, 0], [5, 3], [11, 2]]
    words, total = ring(counts, [WORDS - 10, 4]), np.array([23, 5], np.uint64)
    for place in (1, 2, 0):
        own = counts[place]
        result = called("read_ring", read_ring, words, total, place)
        found = numbers("read_ring", result, (2,))
        values = [int(value) for value in found]
        if values == own:
            continue
        message = f"read_ring gives {values} for the clinic at place {place}; right is {own}."
        turned = [-value % WORDS for value in own]
        if place == 0 and [(value + int(all_)) % WORDS for value, all_ in zip(values, total)] == own:
            message += " The last clinic's word holds the whole sum already, and it is the sum that all learn."
        elif values == turned or values == [-value for value in own]:
            message += " That is its negative: take what came in from what went out."
        elif any(value < 0 for value in values) or found.dtype.kind == "f":
            message += " Words are whole numbers modulo 2 ** 64; subtract them as np.uint64, or use % 2**64."
        raise WrongAnswerError(message)
    return "the counts of all three clinics are read, that of the first one, too"
