"""The checks of week 3, answers in groups: on small examples that you can follow with a pencil."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from oracles import WrongAnswerError, prediction
from oracles.answers import (
    CLOSE,
    asked,
    compare,
    near,
    number,
    numbers,
    pair,
    possible_share,
    refuse,
    refused,
    returned,
    shown,
)
from oracles.house import mistaken

TWO = [["smokes", "drinks"], ["runs"]]
THREE = [["smokes", "drinks"], ["runs"], ["sings"]]
SMOKER = {"smokes": 1, "drinks": 0, "runs": 1}
ASKED = {**SMOKER, "sings": 0}  # the two of a group, and one of each of the others
QUESTIONS = ["smokes", "drinks", "runs", "sings"]
ROWS = ["1010", "1010", "1011", "1001", "0110", "0101", "1110", "0010", "1101", "0010"]
TEN = pd.DataFrame([[int(answer) for answer in row] for row in ROWS], columns=QUESTIONS)
M3 = [  # at θ = ¾, in 64ths
    [27, 9, 9, 3, 9, 3, 3, 1],
    [9, 27, 3, 9, 3, 9, 1, 3],
    [9, 3, 27, 9, 3, 1, 9, 3],
    [3, 9, 9, 27, 1, 3, 3, 9],
    [9, 3, 3, 1, 27, 9, 9, 3],
    [3, 9, 1, 3, 9, 27, 3, 9],
    [3, 1, 9, 3, 9, 3, 27, 9],
    [1, 3, 3, 9, 3, 9, 9, 27],
]


def of_a_hundred(guess: Any) -> str:
    """A prediction that counts in a hundred: 0.5 is meant as a share."""
    said = prediction(guess, 0, 100)
    if 0 < guess < 1:
        raise WrongAnswerError(f"Your guess is {guess:g}. We count in a hundred: a half is 50, and not 0.5.")
    return said


def w3_1(guess: Any) -> str:
    """A prediction: how many of a hundred surveys."""
    return of_a_hundred(guess)


def one_coin(answer: Any, said: Any, theta: float) -> tuple[float, float]:
    """An estimate and its standard error."""
    what = f"estimate(said, {theta})"
    hint = "θ below ½ is fine: most answers are turned then." if theta < 0.5 else ""
    value = returned(what, answer, said, theta, hint=hint)
    share, error = pair(what, value, "the estimate and its standard error")
    share, error = number(f"The estimate of {what}", share), number(f"The standard error of {what}", error)
    if error < 0:
        text = f"The standard error of {what} is {error:.6g}, and it is never below 0"
        raise WrongAnswerError(f"{text}. Is 2θ − 1 taken with its sign?" if theta < 0.5 else f"{text}.")
    return share, error


ESTIMATES = [
    ("That is the share of yes among the answers. The coin is not undone.", 0.4),
    ("θ and 1 − θ are exchanged.", 0.7),
    ("The division by 2θ − 1 is forgotten.", 0.15),
    ("The yes of those who turned a no are not taken away.", 0.8),
    ("It should be a share, not per cent.", 30.0),
    ("The estimate comes first, then its standard error.", 0.0979796),
]
CUT = "It was cut off at 0 or 1. An estimate may leave [0, 1]; cutting adds a bias."
ERRORS = [  # divided by n, and by n − 1
    ("The factor 1 / |2θ − 1| is forgotten.", 0.0489898, 0.0492366),
    ("That is the error of a survey without a coin. The coin adds to it.", 0.0458258, 0.0460566),
    ("That is the coin's part alone. Without a coin a survey has an error, too.", 0.0866025, 0.0870388),
    ("That is the variance. The standard error is its root.", 0.0096, 0.0096970),
    ("That is the spread of a single answer. A mean of n has one over √n of it.", 0.979796, 0.984732),
    ("The variance is divided by (2θ − 1)², so its root by |2θ − 1|.", 0.1959592, 0.1969464),
]


def w3_2(estimate: Callable) -> str:
    """One coin: 40 of a hundred answers are yes."""
    said = [1] * 40 + [0] * 60
    for theta, right, mistakes in ((0.75, 0.3, ESTIMATES), (0.25, 0.7, [("θ and 1 − θ are exchanged.", 0.3)])):
        share, error = one_coin(estimate, said, theta)
        compare(f"The estimate with θ = {theta} and 40 yes of 100", share, right, mistakes)
        if not near(error, 0.0984732):  # divided by n − 1
            known = [(hint, wrong) for hint, *both in ERRORS for wrong in both]
            compare(f"The standard error with θ = {theta} and 40 yes of 100", error, 0.0979796, known)
    for yes, right in ((1, -0.4), (19, 1.4)):
        share, _ = one_coin(estimate, [1] * yes + [0] * (20 - yes), 0.75)
        compare(f"The estimate with θ = 0.75 and {yes} yes of 20", share, right, [(CUT, 0), (CUT, 1)])
    share, error = one_coin(estimate, np.array(said), 1)
    compare("The estimate with θ = 1, where nothing is turned, and 40 yes of 100", share, 0.4)
    compare("The standard error with θ = 1 and 40 yes of 100, to three digits", round(error, 3), 0.049)
    for theta, why in ((0.5, "a fair coin tells nothing of the truth"), (1.2, "1.2 is no probability")):
        refused("estimate", estimate, said, theta, why=why)
    for few in ([1], []):
        refused("estimate", estimate, few, 0.75, why="one answer does not tell how far answers spread")
    return (
        "40 yes of 100 give 0.3 ± 0.098 with θ = 0.75; the estimate may leave [0, 1], and bad input is refused."
    )


def w3_3(matrix: Callable) -> str:
    """The matrix of one, two and three groups, entry by entry; and two rounds of coins are as one."""
    quarters = [[3, 1], [1, 3]]
    sixteenths = [[9, 3, 3, 1], [3, 9, 1, 3], [3, 1, 9, 3], [1, 3, 3, 9]]
    order = np.array([0, 1, 2, 4, 3, 5, 6, 7])
    for groups, whole in enumerate((quarters, sixteenths, M3), start=1):
        right = np.array(whole) / 4**groups
        papers = right[np.ix_(order, order)] if groups == 3 else np.nan
        mistakes = [
            ("θ and 1 − θ are exchanged: on the diagonal nothing is turned.", right[::-1]),
            ("The cases are in the order of the paper. Here the last group changes fastest: 000, 001 …", papers),
            ("That is the inverse. We ask for the matrix itself.", np.linalg.inv(right)),
        ]
        compare(f"matrix({groups}, 0.75)", _square(matrix, groups, 0.75), right, mistakes)
    for groups, theta, first in ((2, 0.9, [0.81, 0.09, 0.09, 0.01]), (3, 0.6, [0.216, 0.144, 0.144, 0.096])):
        what = f"The first four entries of the first row of matrix({groups}, {theta})"
        compare(what, _square(matrix, groups, theta)[0, :4], first)
    for groups in (1, 2, 4):
        what = f"With θ = 1 every case is seen as it is: matrix({groups}, 1)"
        compare(what, _square(matrix, groups, 1), np.eye(2**groups))
    for groups, one, other, both in ((2, 0.75, 0.9, 0.7), (3, 0.6, 0.8, 0.56), (4, 0.3, 0.75, 0.4)):
        twice = _square(matrix, groups, one) @ _square(matrix, groups, other)
        what = f"Coins of {one}, and then of {other}, turn as those of {both} do. So for matrix({groups}, {both})"
        compare(what, _square(matrix, groups, both), twice)
    return "M₁, M₂ and M₃ are right, entry by entry, and with θ = 1 nothing is turned."


def _square(answer, groups, theta):
    """A matrix with a row and a column for each case."""
    what, size = f"matrix({groups}, {theta})", 2**groups
    return numbers(what, returned(what, answer, groups, theta), (size, size), f", because the cases are {size}")


def weighed(answer: Any, sheet: dict, groups: list[list[str]], theta: float) -> dict[tuple[int, ...], float]:
    """The weight of each reversal of a sheet."""
    what, questions = f"reversals(sheet, groups, {theta})", list(sheet)
    value = returned(what, answer, sheet, groups, theta)
    if not isinstance(value, list | tuple):
        refuse(what, value, "a list of pairs")
    found: dict[tuple[int, ...], float] = {}
    for entry in value:
        record, weight = pair(f"An entry of {what}", entry, "a dict and its weight")
        if not isinstance(record, dict) or set(record) != set(questions):
            refuse(f"A record of {what}", record, f"a dict from {shown(questions)} to answers")
        if not all(np.isscalar(one) and one in (0, 1) for one in record.values()):
            refuse(f"A record of {what}", record, "answers of 0 or 1")
        key = tuple(int(record[question]) for question in questions)
        if key in found:
            raise WrongAnswerError(
                f"{what} has the record {shown(record)} twice. If you change one dict again and again, all entries "
                "are that dict: begin each record with dict(sheet)."
            )
        found[key] = number(f"The weight of {shown(record)}", weight)
    return found


def w3_4(reversals: Callable) -> str:
    """The reversals of one sheet, with their weights."""
    found = weighed(reversals, SMOKER, TWO, 0.75)
    counts = {
        8: "A group is kept or turned as a whole, not answer by answer.",
        2: "That is one coin for all. Here each group has its own.",
        3: "Do not forget the record of which both groups were turned.",
    }
    otherwise = counts.get(len(found), "Two groups can be kept or turned in four ways.")
    compare("The number of reversals of a sheet of two groups", len(found), 4, otherwise=otherwise)
    right: dict[tuple[int, ...], float] = {(1, 0, 1): 2.25, (1, 0, 0): -0.75, (0, 1, 1): -0.75, (0, 1, 0): 0.25}
    if set(found) != set(right):
        strange = next(iter(set(found) - set(right)))
        raise WrongAnswerError(
            f"{dict(zip(SMOKER, strange))} is no reversal of {SMOKER}: smokes and drinks "
            "share a coin, runs has its own."
        )
    _weights(found, right)
    one = weighed(reversals, SMOKER, [list(SMOKER)], 0.75)
    _weights(one, {(1, 0, 1): 1.5, (0, 1, 0): -0.5})
    each = [[question] for question in QUESTIONS]
    many = weighed(reversals, {"sings": 0, "runs": 0, "drinks": 1, "smokes": 1}, each, 0.75)
    compare("The number of reversals of a sheet of four groups", len(many), 16)
    compare("The sum of the weights of all 16", sum(many.values()), 1)
    for theta, sure in ((1, (1, 0, 1)), (0, (0, 1, 0))):
        found = weighed(reversals, SMOKER, TWO, theta)
        if any(abs(weight - (record == sure)) > CLOSE for record, weight in found.items()) or sure not in found:
            raise WrongAnswerError(f"With θ = {theta} all weight should be on {dict(zip(SMOKER, sure))}.")
    return "the weights of one, two and four groups are right, and add up to 1."


PROBABILITIES = "These are probabilities. A weight is an entry of the inverse matrix."
WEIGHTS: list[tuple[str, list[float]]] = [
    (PROBABILITIES, [0.0625, 0.1875, 0.1875, 0.5625]),
    (PROBABILITIES, [0.25, 0.75]),
    ("The minus of a turned group is lost: (θ − 1) is below 0.", [0.25, 0.75, 0.75, 2.25]),
    ("The minus of a turned group is lost.", [0.5, 1.5]),
    ("Are they equal? A turned group weighs less than one as it is.", [0.25, 0.25, 0.25, 0.25]),
    ("The weights of groups multiply; they do not add up.", [-1.0, 1.0, 1.0, 3.0]),
    ("The weights of groups multiply. Do not take their mean.", [-0.5, 0.5, 0.5, 1.5]),
]


def _weights(found: Mapping[tuple[int, ...], float], right: Mapping[tuple[int, ...], float]) -> None:
    """The weights at θ = ¾; known sets of wrong weights are named."""
    seen, wanted = (sorted(weights.values()) for weights in (found, right))
    compare("The weights, the lowest first", seen + [0] * (len(wanted) - len(seen)), wanted, WEIGHTS)
    if not all(near(found.get(record, 0), weight) for record, weight in right.items()):
        raise WrongAnswerError(
            f"The weights {seen} are right, but on the wrong records: θ and 1 − θ are exchanged, or the groups."
        )


COUNTS = [
    ("That is the number of sheets that show it. The coins are not undone.", 2.0),
    ("θ and 1 − θ are exchanged.", 2.75),
    ("That is the share. We ask for the number of people.", 0.475),
    ("It was rounded. An estimate need not be a whole number.", 5.0),
    ("A sheet that shows neither smokes alone nor drinks alone counts nothing, not (θ − 1) / (2θ − 1).", 1.25),
    ("Only sheets that show what is asked were counted. The turned ones have weights, too.", 6.75),
    ("Smokes and drinks share a coin. They were counted as if each had its own.", 4.375),
    ("Each group has its own coin. All were counted as if they shared one.", 2.5),
    ("The weights are entries of the inverse matrix, not probabilities.", 1.1875),
    ("The minus of a turned group is lost.", 9.5),
]
UNASKED = "A group that is not mentioned counts 1, not θ / (2θ − 1)."
BELOW = "It was cut off at 0. An estimate may be below 0; cutting adds a bias."


def w3_5(count: Callable) -> str:
    """Ten sheets in three groups, two answers in the first one."""
    shares = [(UNASKED, 20.25), ("The coin is not undone.", 7.0), ("That is the share.", 0.9)]
    eight = pd.DataFrame([[0, 0, 1, 0]] * 8, columns=QUESTIONS)
    for what, sheets, node, theta, right, mistakes in (
        ("Of the ten sheets", TEN, ASKED, 0.75, 4.75, COUNTS),
        ("Of the ten sheets", TEN, {"runs": 1}, 0.75, 9.0, shares),
        ("Of the ten sheets", TEN, {"smokes": 1, "sings": 0}, 0.75, 2.5, [(UNASKED, 3.75)]),
        ("Of eight sheets with 0 for smokes", eight, {"smokes": 1}, 0.75, -4.0, [(BELOW, 0.0)]),
        ("With θ = 1", TEN, ASKED, 1, 2.0, []),
    ):
        found = asked(f"count(sheets, asked, groups, {theta})", count, sheets, node, THREE, theta)
        compare(f"{what} the count of {node}", found, right, mistakes)
    refused("count", count, TEN, {"smoke": 1}, THREE, 0.75, why="'smoke' is in no group")
    return "4.75 of ten people; groups that are not mentioned count 1, and a count may be below 0."


def w3_6(guess: Any) -> str:
    """A prediction: per cent of the test sheets."""
    return of_a_hundred(guess)


FACE = "That is the score of the sheets as they are. The coins are not undone."
MEAN = "That is the mean of the shares. Each has a weight of its own."
FORWARD = "The shares were multiplied by the matrix. They must be by its inverse."
EXCHANGED = "θ and 1 − θ are exchanged."
TURNED = "That belongs to the sheets with all groups turned: θ and 1 − θ are exchanged."
ORDER = "The shares come in the order 000, 001, 010, 011, 100 …"
ABOVE = "It was cut off at 1. An estimate may leave [0, 1]."
EIGHT = [0.6, 0.45, 0.5, 0.4, 0.48, 0.44, 0.42, 0.46]


def w3_7(accuracy_from: Callable) -> str:
    """The accuracy from two, four and eight shares of hits."""
    cases: list[tuple[Any, float, float, list[tuple[str, float]]]] = [
        ([0.7, 0.4], 0.75, 0.85, [(FACE, 0.7), (MEAN, 0.55), (FORWARD, 0.625), (EXCHANGED, 0.25)]),
        ([0.64, 0.44, 0.52, 0.36], 0.75, 0.81, [(FACE, 0.64), (MEAN, 0.49), (FORWARD, 0.5625), (TURNED, 0.25)]),
        (EIGHT, 0.75, 0.83125, [(FACE, 0.6), (MEAN, 0.46875), (ORDER, 0.95125)]),
        (np.array([0.9, 0.1]), 0.75, 1.3, [(ABOVE, 1.0)]),
        (EIGHT, 1, 0.6, []),
        ([0.42, 0.18], 0.9, 0.45, []),
    ]
    rng = np.random.default_rng(307)
    for truth in rng.integers(0, 64, (5, 8)) / 64:  # what is true of each version, and what the coins make of it
        cases.append(((np.array(M3) @ truth / 64).tolist(), 0.75, truth[0], []))
    for hits, theta, right, mistakes in cases:
        groups = len(hits).bit_length() - 1
        what = f"accuracy_from({np.round(hits, 4).tolist()}, {theta}, {groups})"
        compare(what, asked(what, accuracy_from, hits, theta, groups), right, mistakes)
    refused("accuracy_from", accuracy_from, [0.7, 0.4], 0.75, 2, why="two groups have four shares of hits")
    return "the accuracies from two, four and eight shares of hits are right, also above 1."


def w3_8(me: Any, mine: Any) -> str:
    """A number of the student's own: its kind and range, and whether it is one that a mistake leads to."""
    found = possible_share(me, "my_accuracy", mine, 0.4, 1.39)
    if found == 1:
        raise WrongAnswerError("my_accuracy is exactly 1. An estimate may be above 1: was it cut off?")
    hint = mistaken(me, found)
    if hint:
        raise WrongAnswerError(f"my_accuracy is {found:.3f}. {hint}")
    return f"{found:.3f} is an estimate that could be. Whether it is yours is found out when the sheet is marked."
