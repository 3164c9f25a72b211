"""Week 4, privacy: the numbers of a student, and the checks that stand in the sheet."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, prediction
from oracles.answers import asked, compare, near, number, numbers, per_cent, possible_share, recognised, returned
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


def records_that_fit(me: Student) -> np.ndarray:
    """For each of a student's own customers, how many released records fit all five numbers."""
    known, released, half = (table.to_numpy() for table in customers(me))
    return np.array([(np.abs(released - person) <= half).all(axis=1).sum() for person in known])


def ring(counts: list[Any], mask: Any) -> list[Any]:
    """What each clinic of a ring sends to the next one; the first has the mask, and the last sends to the first."""
    sent, word = [], np.array(mask, np.uint64)
    for own in counts:
        word = word + np.array(own, np.uint64)
        sent.append(word)
    return sent


def if_written(function: Callable, *given: Any) -> float:
    """The number that a function returns; NaN, and a line that says why, if it is not written or stops."""
    try:
        return float(function(*given))
    except Exception as error:
        print(f"{function.__name__} gives no number yet: {type(error).__name__} {error}")
        return math.nan


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


def w4_1(found_by_five: Any) -> str:
    """A guess, in per cent."""
    return per_cent(found_by_five)


WIDTHS: list[tuple[str, list[float]]] = [
    ("That is the width of the noise alone. The age is also in its range, and both are certain.", [64] * 4),
    ("That is the width of the paper's 95 % interval. We ask what is certain.", [60.8] * 4),
    ("The upper end is cut off at the range, but the lower end is not.", [64, 64, 62, 12]),
    ("The lower end is cut off at the range, but the upper end is not.", [2, 37, 62, 64]),
    ("Of two bounds you took the wrong one.", [122, 87, 64, 112]),
    ("The sign is wrong: take the lower end from the upper one.", [-2, -37, -60, -12]),
]


TYPED_IN = "The range goes from low to high. Is it typed in, as 20 and 80, or is the noise?"


def w4_2(certain_width: Callable) -> str:
    """Four people, worked out by hand; much noise and none; the same people in other units."""
    seen, right = np.array([-10.0, 25, 50, 100]), np.array([2, 37, 60, 12])
    what = "certain_width for people seen at −10, 25, 50 and 100, with noise of ±32 and ages from 20 to 80"
    compare(what, _widths(certain_width, seen, 32.0, 20.0, 80.0), right, WIDTHS)
    what = "certain_width for the same people with noise of ±200"
    compare(what, _widths(certain_width, seen, 200.0, 20.0, 80.0), [60] * 4, WIDTHS)
    what = "certain_width for people seen at 25 and 50 without noise"
    compare(what, _widths(certain_width, seen[1:3], 0.0, 20.0, 80.0), [0, 0])
    rng = np.random.default_rng(402)
    for size in (1, 3, 8):
        who, unit, zero = rng.integers(4, size=size), *rng.uniform((0.1, -50), (9, 50)).round(2)
        found = _widths(certain_width, zero + unit * seen[who], 32 * unit, zero + 20 * unit, zero + 80 * unit)
        what = f"certain_width for {size} of these people, if a year is {unit:g}, and the age of 0 is {zero:g}"
        compare(what, found, unit * right[who], otherwise=TYPED_IN)
    return "four people are as by hand, noise of ±200 leaves the whole range, and no noise leaves nothing open."


def _widths(answer, seen, *others):
    """A width for each person."""
    value = returned("certain_width", answer, seen, *others)
    return numbers("certain_width", value, (len(seen),), ", one for each person")


BY_AGE = [
    ("The nearest release is no likelier than another one within ±10, because the noise is uniform.", 0.75),
    (
        "You count for each release the people who fit it. The intruder has a person, and looks for a release.",
        17 / 24,
    ),
    ("Where t releases fit, the right one is found with probability 1/t, and not never.", 0.25),
    ("Everybody's own release fits. But the intruder does not know which of those that fit it is.", 1.0),
    ("We expect a share of the people, and this is their number.", 2.5),
    ("We expect a share between 0 and 1, and this is a percentage.", 62.5),
]
BY_BOTH = [
    ("A release fits if all its attributes fit, and not only one of them.", 0.375),
    ("You take the attributes one by one. A release must fit by all of them together.", 13 / 24),
    ("Only the first attribute counts. The intruder knows all of them.", 0.625),
]


def w4_3(linkage: Callable) -> str:
    """Four people by one attribute, and by two."""
    known = np.array([[26.0, 1], [40, 9], [47, 3], [52, 8]])
    released = np.array([[18.0, 3], [40, 6], [48, 1], [60, 11]])
    ages = "known ages 26, 40, 47, 52, released as 18, 40, 48, 60 under noise of ±10"
    both = "the same people with a second number, 1, 9, 3, 8, released as 3, 6, 1, 11 under noise of ±4"
    for what, people, columns, right, mistakes in (
        (ages, 4, 1, 0.625, BY_AGE),
        (both, 4, 2, 0.875, BY_BOTH),
        ("a single person, who cannot be mistaken", 1, 2, 1.0, []),
    ):
        given = known[:people, :columns], released[:people, :columns], np.array([10.0, 4])[:columns]
        compare(f"linkage for {what}", asked("linkage", linkage, *given), right, mistakes)
    return "four people are found as by hand, by one attribute and by two; a single person is always found."


def w4_4(me: Any, found: Any) -> str:
    """A share of a student's own customers, beside what is certain about it."""
    share = possible_share(me, "found", found)
    records = records_that_fit(me)
    surely, two, three = ((records == many).mean() for many in (1, 2, 3))
    mistakes = [
        ("For so many a single record fits. Where t fit, one is found with probability 1/t.", surely),
        ("You divide 1 by the mean number of records that fit. Take the mean of 1/t.", 1 / records.mean()),
    ]
    if hint := recognised(share, mistakes, within=0.0006):
        raise WrongAnswerError(f"found is {share:g}. {hint}")
    least = surely + two / 2 + three / 3
    most = least + (1 - surely - two - three) / 4
    if not least <= share <= most:
        raise WrongAnswerError(
            f"found is {share:g}. One, two and three records fit {surely:.1%}, {two:.1%} and {three:.1%} of the "
            f"customers. At least {least:.1%} are found by them alone. Four or more fit the others, of whom at most a "
            f"quarter are found, so {most:.1%} is the most that is possible."
        )
    if near(share, round(share, 2), 1e-9):
        raise WrongAnswerError(
            f"found is {share:g}, with two digits at most. Is it rounded, or typed? Bind what your linkage returns."
        )
    return f"{share:.1%} of the customers of {me.name} is a share that is possible. Marking works it out again."


def w4_5(answers_right: Any) -> str:
    """A guess, in per cent."""
    return prediction(answers_right, 50, 100)


LIST: list[tuple[str, list[float]]] = [
    ("Divide these numbers by their sum.", [0.64, 0.16, 0.16, 0]),
    ("The answers of a group share one coin; you toss one for each.", [0.64, 0.04, 0.16, 0.16]),
    ("You exchange θ, for a group as it is, with 1 − θ.", [1 / 9, 4 / 9, 4 / 9, 0]),
    ("The last one cannot have this sheet: 01 is never seen as 11.", [4 / 7, 1 / 7, 1 / 7, 1 / 7]),
    ("You take the sheet for the truth. A group may have been turned.", [1, 0, 0, 0]),
    ("So it is before the sheet is seen. The sheet makes some people likelier than others.", [0.25] * 4),
]
ONE_GROUP = [("With one group only 110 itself and its opposite 001 can lead to this sheet.", [0.25] * 4)]


def w4_6(guess: Callable) -> str:
    """Four people on a list, three answers in two groups."""
    people = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
    twice = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 1]])
    two, one = [[0, 1], [2]], [[0, 1, 2]]
    four = "the list 110, 000, 111, 010"
    for what, listed, groups, theta, right, mistakes in (
        (f"groups [[0, 1], [2]], θ = 0.8, {four}", people, two, 0.8, np.array([4, 1, 1, 0]) / 6, LIST),
        (f"one group, a fair coin, {four}", people, one, 0.5, [1, 0, 0, 0], ONE_GROUP),
        ("one group, θ = 0.6, the list 110, 001, 001", twice, one, 0.6, [3 / 7, 2 / 7, 2 / 7], []),
    ):
        found = guessed(guess, np.array([1, 1, 0]), listed, groups, theta)
        compare(f"guess for the sheet 110, {what}", found, right, mistakes)
    return "three lists are guessed as by hand, and the probabilities add up to 1."


def guessed(answer: Any, sheet: Any, people: Any, groups: list[list[int]], theta: float) -> np.ndarray:
    """The probabilities that an answer gives to the people on a list."""
    value = returned("guess", answer, sheet, people, groups, theta)
    one: dict[tuple[int, ...], str] = {
        (): "Do not choose the likeliest person: say how probable each of them is."
    }
    return numbers("guess", value, (len(people),), ", one for each person on the list", one)


BOUNDS = [
    ("That is the bound of one answer. The coins are independent, so it adds up.", 1.098612),
    ("Of independent answers the bounds are added, and not multiplied.", 1.325969),
    ("Take the natural logarithm.", 4.754888),
    ("ε is the logarithm of the odds.", 27.0),
    ("The odds stand upside down: ε is never below 0.", -3.295837),
]
NO_BOUND = "A sheet that shows 10 excludes whoever has 11 or 00. So a group of two has no bound. Return math.inf."
COINS = [
    ("That keeps the promise for one answer. The sheet has three.", 0.964286),
    ("That is 1 − θ: the smaller of two coins that keep the promise. We want the larger.", 0.25),
]


OPEN = "Here nothing is hidden, and a sheet excludes all other records. Return math.inf."
BELOW = "Below one half the odds turn round; ε does not, and it is never below 0."


def w4_7(epsilon: Callable, theta_for: Callable | None = None) -> str:
    """Designs that can be worked out by hand. If both functions are wrong, both faults are told."""
    faults = []
    for asks, answer in ((_bounds, epsilon), (_promise, theta_for)):
        try:
            asks(answer)
        except WrongAnswerError as error:
            faults.append(error)
    if len(faults) == 2:
        raise WrongAnswerError(f"Both functions are wrong. {faults[0]} Also: {faults[1]}") from faults[0]
    if faults:
        raise faults[0]
    return "coins add up, θ = ¼ is as θ = ¾, a group of two has no bound, and θ = ¾ comes back from its ε."


def _bounds(epsilon):
    """The ε of designs with one, two and three coins."""
    single, two = [["a"], ["b"], ["c"]], [["a", "b"], ["c"]]
    for theta, groups, right, otherwise in (
        (0.75, single, 3.295837, ""),
        (0.75, two, math.inf, NO_BOUND),
        (0.5, two, math.inf, NO_BOUND),
        (0.5, single, 0, "Three fair coins tell nothing."),
        (0.25, single, 3.295837, BELOW),
        (1, single, math.inf, OPEN),
        (0, [["a"]], math.inf, OPEN),
    ):
        what = f"epsilon for θ = {theta} and the groups {groups}"
        found = number(what, returned("epsilon", epsilon, theta, groups, hint=otherwise), finite=False)
        compare(what, found, right, [] if otherwise else BOUNDS, otherwise=otherwise)


def _promise(theta_for):
    """The coin of a sheet of three answers."""
    largest = asked("theta_for", theta_for, 3.295837, 3)
    compare("theta_for for a promise of 3.295837 and a sheet of three answers", largest, 0.75, COINS)


def w4_8(read_ring: Callable) -> str:
    """Three clinics of two counts each, whose words pass 2 ** 64 on the way; then other rings."""
    _read(read_ring, [[7, 0], [5, 3], [11, 2]], [WORDS - 10, 4])
    rng = np.random.default_rng(408)
    for clinics in (3, 4, 7):
        mask = rng.integers(0, WORDS, 3, dtype=np.uint64, endpoint=False)
        _read(read_ring, rng.integers(0, 500, (clinics, 3)).tolist(), mask)
    return "the counts of all clinics in four rings are read, those of the first ones, too."


def _read(answer, counts, mask):
    """Each clinic of a ring, the first one last."""
    words, total = ring(counts, mask), np.sum(counts, axis=0).astype(np.uint64)
    for place in [*range(1, len(counts)), 0]:
        value, own = returned("read_ring", answer, words, total, place), counts[place]
        found = numbers("read_ring", value, (len(own),), ", the counts of the clinic")
        values = [int(one) for one in np.ravel(np.asarray(value))]  # exactly; floats have no room for all words
        if values == own:
            continue
        why = ""
        turned = [-one % WORDS for one in own]
        if place == 0 and [(one + int(all_)) % WORDS for one, all_ in zip(values, total)] == own:
            why = "The last clinic's word holds the whole sum already, and it is the sum that all learn."
        elif values == turned or values == [-one for one in own]:
            why = "That is its negative: take what came in from what went out."
        elif (found < 0).any() or np.asarray(value).dtype.kind == "f":
            why = "Words are whole numbers modulo 2 ** 64; subtract them as np.uint64, or use % 2**64."
        text = (
            f"read_ring for the clinic at place {place} of {len(counts)}: we expect {own}, and you have {values}"
        )
        raise WrongAnswerError(f"{text}. {why}".rstrip())
