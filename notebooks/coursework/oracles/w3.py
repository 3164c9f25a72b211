"""The checks of week 3, answers in groups: on small examples that you can follow with a pencil."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, prediction
from oracles.answers import CLOSE, equal, number, pair, refused, result, shown, unchanged, weighed
from ppdm.disguise import GroupedResponse
from ppdm.studies import dz03
from ppdm.trees import ResponseTreeClassifier

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


def own_sheets(me: Student) -> tuple[pd.DataFrame, pd.DataFrame, GroupedResponse]:
    """Answers of the House to four questions, a student's own sheets of them in three groups, and the coins."""
    coins = GroupedResponse(0.8, [["v4", "v11"], ["v6"], ["class"]])
    people = dz03.papers_split("votes").train[list(coins.columns)]
    return people, coins.disguise(people, me.rng("w3.5")), coins


def own_test(me: Student) -> tuple[ResponseTreeClassifier, pd.DataFrame, GroupedResponse]:
    """A tree from a student's own sheets, other sheets to test it with, and the three coins."""
    voting = dz03.papers_split("votes")
    votes = list(voting.columns)
    coins = GroupedResponse(0.8, [votes[:8], votes[8:], ["class"]])
    rng = me.rng("w3.8")
    tree = voting.fit(coins, coins.disguise(voting.train, rng), confidence=0.95)
    return tree, coins.disguise(voting.test, rng), coins


def w3_1(guess: Any) -> str:
    """A prediction: how many of a hundred surveys."""
    return prediction(guess, 0, 100)


def w3_2(estimate: Any) -> str:
    """One coin: 40 of a hundred answers are yes."""
    said = [1] * 40 + [0] * 60
    share, error = pair("estimate", result("estimate", estimate, said, 0.75))
    mistakes = {
        0.4: "that is the share of yes among the answers. The coin is not undone",
        0.7: "θ and 1 − θ are exchanged",
        0.15: "the division by 2θ − 1 is forgotten",
        0.8: "the yes of those who turned a no are not taken away",
        30.0: "it should be a share, not per cent",
        0.0979796: "the estimate comes first, then its standard error",
    }
    equal("With θ = 0.75 and 40 yes of 100 the estimate", share, 0.3, mistakes)
    _error("With θ = 0.75 and 40 yes of 100 the standard error", error)
    share, error = pair("estimate", result("estimate", estimate, said, 0.25))
    equal("With θ = 0.25 and 40 yes of 100 the estimate", share, 0.7, {0.3: "θ and 1 − θ are exchanged"})
    _error("With θ = 0.25 and 40 yes of 100 the standard error", error)
    why = "An estimate may leave [0, 1]; cutting adds a bias"
    cut = {0.0: f"it was cut off at 0. {why}", 1.0: f"it was cut off at 1. {why}"}
    for yes, right in ((1, -0.4), (19, 1.4)):
        answers = [1] * yes + [0] * (20 - yes)
        share, _ = pair("estimate", result("estimate", estimate, answers, 0.75))
        equal(f"With θ = 0.75 and {yes} yes of 20 the estimate", share, right, cut)
    share, error = pair("estimate", result("estimate", estimate, np.array(said), 1))
    equal("With θ = 1 nothing is turned: of 40 yes of 100 the estimate", share, 0.4)
    equal("With θ = 1 and 40 yes of 100 the standard error", round(error, 3), 0.049)
    refused("estimate", estimate, said, 0.5, why="a fair coin tells nothing of the truth")
    return "40 yes of 100 give 0.3 ± 0.098 with θ = 0.75; the estimate may leave [0, 1], and θ = ½ is refused."


def _error(what: str, error: float) -> None:
    """The standard error of the pencil example, divided by n or by n − 1."""
    mistakes = {
        (0.0489898, 0.0492366): "the factor 1 / |2θ − 1| is forgotten",
        (0.0458258, 0.0460566): "that is the error of a survey without a coin. The coin adds to it",
        (0.0866025, 0.0870388): "that is the coin's part alone. Without a coin a survey has an error, too",
        (0.0096, 0.0096970): "that is the variance. The standard error is its root",
        (0.979796, 0.984732): "that is the spread of a single answer. A mean of n has one over √n of it",
        (0.1959592, 0.1969464): "the variance is divided by (2θ − 1)², so its root by |2θ − 1|",
    }
    for right in (0.0979796, 0.0984732):
        if abs(error - right) <= CLOSE:
            return
    for pair_, mistake in mistakes.items():
        if min(abs(error - wrong) for wrong in pair_) <= CLOSE:
            raise WrongAnswerError(f"{what} is {error:.4f}, not 0.0980: {mistake}.")
    raise WrongAnswerError(f"{what} is {error:.6g}; it should be 0.0980, or 0.0985 if you divide by n − 1.")


def w3_3(matrix: Any) -> str:
    """The matrix of one, two and three groups, entry by entry."""
    quarters = [[3, 1], [1, 3]]
    sixteenths = [[9, 3, 3, 1], [3, 9, 1, 3], [3, 1, 9, 3], [1, 3, 3, 9]]
    for groups, whole in enumerate((quarters, sixteenths, M3), start=1):
        _matrix(matrix, groups, 0.75, np.array(whole) / 4**groups)
    for groups, theta, first in ((2, 0.9, [0.81, 0.09, 0.09, 0.01]), (3, 0.6, [0.216, 0.144, 0.144, 0.096])):
        found = _square(matrix, groups, theta)
        for place, right in enumerate(first):
            equal(f"In the first row of matrix({groups}, {theta}) entry {place}", found[0, place], right)
        if abs(found.sum(axis=1) - 1).max() > CLOSE or abs(np.diag(found) - found[0, 0]).max() > CLOSE:
            raise WrongAnswerError(f"The rows of matrix({groups}, {theta}) should add up to 1, on one diagonal.")
    for groups in (1, 2, 4):
        if abs(_square(matrix, groups, 1) - np.eye(2**groups)).max() > CLOSE:
            raise WrongAnswerError(
                f"With θ = 1 every case is seen as it is: matrix({groups}, 1) has ones on its diagonal, else zeros."
            )
    return "M₁, M₂ and M₃ are right, entry by entry, and with θ = 1 nothing is turned."


def _square(matrix: Any, groups: int, theta: float) -> np.ndarray:
    value = result("matrix", matrix, groups, theta)
    what = f"matrix({groups}, {theta})"
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise WrongAnswerError(f"{what} is {shown(value)}; it should be an array of numbers.") from error
    if found.shape != (2**groups, 2**groups):
        raise WrongAnswerError(
            f"{what} has shape {found.shape}; the cases are {2**groups}, so it should be "
            f"{(2**groups, 2**groups)}."
        )
    if not np.isfinite(found).all():
        raise WrongAnswerError(f"{what} has entries that are no finite numbers: {shown(found.tolist())}.")
    return found


def _matrix(matrix: Any, groups: int, theta: float, right: np.ndarray) -> None:
    found = _square(matrix, groups, theta)
    off = abs(found - right) > CLOSE
    if not off.any():
        return
    what = f"matrix({groups}, {theta})"
    papers = [0, 1, 2, 4, 3, 5, 6, 7]
    if np.allclose(found, right[::-1], atol=CLOSE):
        raise WrongAnswerError(f"{what} has θ and 1 − θ exchanged: on the diagonal nothing is turned.")
    if groups == 3 and np.allclose(found, right[np.ix_(papers, papers)], atol=CLOSE):
        raise WrongAnswerError(
            f"{what} has the cases in the order of the paper. Here the last group changes fastest: 000, 001, 010, 011 …"
        )
    if np.allclose(found @ right, np.eye(len(right)), atol=CLOSE):
        raise WrongAnswerError(f"{what} is the inverse. We ask for the matrix itself.")
    if (found < 0).any():
        raise WrongAnswerError(f"{what} has entries below 0; they are probabilities.")
    row, column = np.argwhere(off)[0]
    raise WrongAnswerError(
        f"{what} has {found[row, column]:.6g} in row {row}, column {column}; it should be {right[row, column]:.6g}. "
        f"There {row:0{groups}b} is true, and {column:0{groups}b} is seen."
    )


def w3_4(reversals: Any) -> str:
    """The reversals of one sheet, with their weights."""
    questions = list(SMOKER)
    found = weighed("reversals", result("reversals", reversals, SMOKER, TWO, 0.75), questions)
    counts = {
        8: "a group is kept or turned as a whole, not answer by answer",
        2: "that is one coin for all. Here each group has its own",
        3: "do not forget the record of which both groups were turned",
    }
    if len(found) != 4:
        why = counts.get(len(found), "two groups can be kept or turned in four ways")
        raise WrongAnswerError(f"A sheet of two groups has {len(found)} reversals, not 4: {why}.")
    right: dict[tuple[int, ...], float] = {(1, 0, 1): 2.25, (1, 0, 0): -0.75, (0, 1, 1): -0.75, (0, 1, 0): 0.25}
    if set(found) != set(right):
        strange = next(iter(set(found) - set(right)))
        raise WrongAnswerError(
            f"{dict(zip(questions, strange))} is no reversal of {SMOKER}: smokes and drinks "
            "share a coin, runs has its own."
        )
    _weights(found, right)
    one = weighed("reversals", result("reversals", reversals, SMOKER, [questions], 0.75), questions)
    _weights(one, {(1, 0, 1): 1.5, (0, 1, 0): -0.5})
    each = [[question] for question in QUESTIONS]
    sheet = {"sings": 0, "runs": 0, "drinks": 1, "smokes": 1}
    many = weighed("reversals", result("reversals", reversals, sheet, each, 0.75), QUESTIONS)
    if len(many) != 16 or abs(sum(many.values()) - 1) > CLOSE:
        raise WrongAnswerError(
            f"A sheet of four groups has {len(many)} reversals, and their weights add up to {sum(many.values()):.6g}. "
            "They should be 16, and add up to 1."
        )
    for theta, sure in ((1, (1, 0, 1)), (0, (0, 1, 0))):
        told_ = weighed("reversals", result("reversals", reversals, SMOKER, TWO, theta), questions)
        if any(abs(weight - (record == sure)) > CLOSE for record, weight in told_.items()) or sure not in told_:
            raise WrongAnswerError(f"With θ = {theta} all weight should be on {dict(zip(questions, sure))}.")
    unchanged("reversals", reversals, dict(SMOKER), TWO, 0.75)
    return "the weights of one, two and four groups are right, and add up to 1."


def _weights(found: Mapping[tuple[int, ...], float], right: Mapping[tuple[int, ...], float]) -> None:
    """The weights at θ = ¾; known sets of wrong weights are named."""
    known = {
        (0.0625, 0.1875, 0.1875, 0.5625): "these are probabilities. A weight is an entry of the inverse matrix",
        (0.25, 0.75): "these are probabilities. A weight is an entry of the inverse matrix",
        (0.25, 0.75, 0.75, 2.25): "the minus of a turned group is lost: (θ − 1) is below 0",
        (0.5, 1.5): "the minus of a turned group is lost",
        (0.25, 0.25, 0.25, 0.25): "are they equal? A turned group weighs less than one as it is",
        (-1.0, 1.0, 1.0, 3.0): "the weights of groups multiply; they do not add up",
        (-0.5, 0.5, 0.5, 1.5): "the weights of groups multiply. Do not take their mean",
    }
    for record, weight in right.items():
        if abs(found.get(record, np.inf) - weight) > CLOSE:
            break
    else:
        return
    seen = tuple(round(weight, 6) for weight in sorted(found.values()))
    if seen == tuple(sorted(right.values())):
        raise WrongAnswerError(
            f"The weights {list(seen)} are right, but on the wrong records: θ and 1 − θ are exchanged, or the groups."
        )
    words = f"The weights are {list(seen)}; they should be {sorted(right.values())}, in some order"
    raise WrongAnswerError(f"{words}: {known[seen]}." if seen in known else f"{words}.")


def w3_5(count: Any) -> str:
    """Ten sheets in three groups, two answers in the first one."""
    mistakes = {
        2.0: "that is the number of sheets that show it. The coins are not undone",
        2.75: "θ and 1 − θ are exchanged",
        0.475: "that is the share. We ask for the number of people",
        5.0: "it was rounded. An estimate need not be a whole number",
        1.25: "a sheet that shows neither smokes alone nor drinks alone counts nothing, not (θ − 1) / (2θ − 1)",
        6.75: "only sheets that show what is asked were counted. The turned ones have weights, too",
        4.375: "smokes and drinks share a coin. They were counted as if each had its own",
        2.5: "each group has its own coin. All were counted as if they shared one",
        1.1875: "the weights are entries of the inverse matrix, not probabilities",
        9.5: "the minus of a turned group is lost",
    }
    text = f"Of the ten sheets the count of {ASKED}"
    equal(text, result("count", count, TEN, ASKED, THREE, 0.75), 4.75, mistakes)
    unasked = "a group that is not mentioned counts 1, not θ / (2θ − 1)"
    mistakes = {20.25: unasked, 7.0: "the coin is not undone", 0.9: "that is the share"}
    text = "Of the ten sheets the count of {'runs': 1}"
    equal(text, result("count", count, TEN, {"runs": 1}, THREE, 0.75), 9.0, mistakes)
    text = "Of the ten sheets the count of {'smokes': 1, 'sings': 0}"
    equal(text, result("count", count, TEN, {"smokes": 1, "sings": 0}, THREE, 0.75), 2.5, {3.75: unasked})
    opposite = pd.DataFrame([[0, 0, 1, 0]] * 8, columns=QUESTIONS)
    text = "Of eight sheets with 0 for smokes the count of {'smokes': 1}"
    cut = {0.0: "it was cut off at 0. An estimate may be below 0; cutting adds a bias"}
    equal(text, result("count", count, opposite, {"smokes": 1}, THREE, 0.75), -4.0, cut)
    text = f"With θ = 1 the count of {ASKED}"
    equal(text, result("count", count, TEN, ASKED, THREE, 1), 2.0)
    refused("count", count, TEN, {"smoke": 1}, THREE, 0.75, why="'smoke' is in no group")
    return "4.75 of ten people; groups that are not mentioned count 1, and a count may be below 0."


def w3_6(guess: Any) -> str:
    """A prediction: per cent of the test sheets."""
    return prediction(guess, 0, 100)


def w3_7(accuracy_from: Any) -> str:
    """The accuracy from two, four and eight shares of hits."""
    face = "that is the score of the sheets as they are. The coins are not undone"
    mean = "that is the mean of the shares. Each has a weight of its own"
    forward = "the shares were multiplied by the matrix. They must be by its inverse"
    eight = [0.6, 0.45, 0.5, 0.4, 0.48, 0.44, 0.42, 0.46]
    mistakes = [
        {0.7: face, 0.55: mean, 0.625: forward, 0.25: "θ and 1 − θ are exchanged"},
        {0.64: face, 0.49: mean, 0.5625: forward, 0.25: "that belongs to the sheets with all groups turned"},
        {0.6: face, 0.46875: mean, 0.95125: "the shares come in the order 000, 001, 010, 011, 100 …"},
    ]
    cases = [([0.7, 0.4], 0.85), ([0.64, 0.44, 0.52, 0.36], 0.81), (eight, 0.83125)]
    for groups, ((hits, right), known) in enumerate(zip(cases, mistakes), start=1):
        found = result("accuracy_from", accuracy_from, hits, 0.75, groups)
        equal(f"accuracy_from({hits}, 0.75, {groups})", found, right, known)
    known = {1.0: "it was cut off at 1. An estimate may leave [0, 1]"}
    text = "accuracy_from([0.9, 0.1], 0.75, 1)"
    equal(text, result("accuracy_from", accuracy_from, np.array([0.9, 0.1]), 0.75, 1), 1.3, known)
    text = f"With θ = 1 nothing is turned: accuracy_from({eight}, 1, 3)"
    equal(text, result("accuracy_from", accuracy_from, eight, 1, 3), 0.6)
    refused("accuracy_from", accuracy_from, [0.7, 0.4], 0.75, 2, why="two groups have four shares of hits")
    return "the accuracies from two, four and eight shares of hits are right, also above 1."


def w3_8(me: Any, mine: Any) -> str:  # noqa: ARG001
    """A number of the student's own: its kind and range alone."""
    if mine is None:
        raise WrongAnswerError("my_accuracy is None; it should be the accuracy that your eight shares give.")
    found = number("my_accuracy", mine)
    if not -1 <= found <= 2.5:
        raise WrongAnswerError(
            f"my_accuracy is {found:.6g}; it should be a share near 1, such as 0.87, not per cent."
        )
    return f"{found:.3f} is a share that could be. Whether it is yours is checked when the sheet is marked."
