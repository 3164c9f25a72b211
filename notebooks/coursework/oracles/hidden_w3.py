"""The hidden checks of week 3: other sheets, other coins, edge cases, and the library's own estimates."""

import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, house, w3
from oracles.answers import asked, compare, near, number, refused, shown
from ppdm.disguise import GroupedResponse, RandomizedResponse
from ppdm.measure import accuracy_from_disguised
from ppdm.reconstruct import proportion
from ppdm.studies import dz03, dz03_lesson

CASES = 25
SURVEYS = 500
THETA = 0.8


def quietly(function: Callable, *given: Any) -> Any:
    """What the library returns, without its warnings of large errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given)


def unbiased(what: str, found: list[float], truth: float, spread: float) -> None:
    """The mean of many estimates is the truth, within three standard errors."""
    mean = float(np.mean(found))
    error = spread / len(found) ** 0.5
    if abs(mean - truth) <= 3 * error:
        return
    cut = min(found) >= 0 and float(np.mean(np.array(found) == 0)) > 0.1
    why = "They are cut off at 0, which adds a bias" if cut else "The estimate has a bias"
    raise WrongAnswerError(
        f"In {len(found)} disguises {what} is {mean:.4g} on average, and {truth:.4g} is true. {why}: chance would move "
        f"such a mean by {3 * error:.2g} at most."
    )


def w3_2(estimate: Callable) -> str:
    """One coin: random surveys, bad input, no bias."""
    rng = np.random.default_rng(302)
    for case in range(CASES):
        theta = coin(rng)
        codes = (rng.random(rng.integers(2, 400)) < rng.random()).astype(int)
        codes[:2] = 0, 1  # where all are equal, the error is 0, and a formula may round it to below 0
        series = pd.Series(codes, index=rng.permutation(len(codes)) + 7)
        said: Any = [codes, codes.tolist(), series][case % 3]
        form = ["an array", "a list", "a Series"][case % 3]
        _one_coin(estimate, said, theta, f"for {form} of {len(codes)} answers, θ = {theta}", codes)
    for theta in (0.5, -0.3, 1.01, 60):
        refused("estimate", estimate, np.array([1, 0, 0, 1]), theta, why="θ must be a probability other than ½")
    for few in (np.zeros(0, int), np.ones(1, int)):
        refused("estimate", estimate, few, 0.8, why="fewer than two answers do not tell how sure they are")
    response = RandomizedResponse(0.6)
    truth = np.array([1] * 2 + [0] * 48)
    told = [response.disguise(truth, rng) for _ in range(SURVEYS)]
    found = [w3.one_coin(estimate, one, 0.6)[0] for one in told]
    unbiased("the share of 2 smokers in 50", found, 0.04, (0.24 / 50) ** 0.5 / 0.2)
    return f"{CASES} random surveys agree with the library, {SURVEYS} disguises have no bias, and bad input is refused."


def _one_coin(answer, said, theta, what, codes):
    """Compare an estimate and its error with the library's."""
    share, error = w3.one_coin(answer, said, theta)
    right = quietly(RandomizedResponse(theta).estimate, codes)
    yes = codes.mean()
    mistakes = [
        ("The coin is not undone.", yes),
        ("θ and 1 − θ are exchanged.", 1 - right.value),
        ("The division by 2θ − 1 is forgotten.", yes - 1 + theta),
        ("It is cut off at 0 or 1.", np.clip(right.value, 0, 1)),
    ]
    compare(f"The estimate {what}", share, right.value, mistakes)
    by_n = right.error * ((len(codes) - 1) / len(codes)) ** 0.5
    if not near(error, by_n):
        lost = "The factor 1 / |2θ − 1| is forgotten."
        mistakes = [(lost, one * abs(2 * theta - 1)) for one in (right.error, by_n)]
        compare(f"The standard error {what}", error, right.error, mistakes)


def dealt(rng: np.random.Generator, most: int) -> list[list[str]]:
    """One to four groups of two to ``most`` questions."""
    names = [f"q{place}" for place in rng.permutation(rng.integers(2, most + 1))]
    ends = np.linspace(0, len(names), int(rng.integers(1, min(4, len(names)) + 1)) + 1).astype(int)
    return [names[start:end] for start, end in pairwise(ends)]


def coin(rng: np.random.Generator) -> float:
    """A probability that is not too near ½."""
    return round(float(rng.choice([rng.uniform(0, 0.4), rng.uniform(0.6, 1)])), 2)


def w3_4(reversals: Callable) -> str:
    """Random sheets, and the rows of the inverse matrix."""
    rng = np.random.default_rng(304)
    for _ in range(CASES):
        groups = dealt(rng, 7)
        theta = coin(rng)
        names = sorted(name for group in groups for name in group)
        sheet = {name: int(rng.integers(2)) for name in names}
        right = _by_matrix(GroupedResponse(theta, groups), sheet)
        found = w3.weighed(reversals, sheet, groups, theta)
        what = f"For groups of {[len(group) for group in groups]} questions, θ = {theta}"
        for record in set(found) - set(right):
            if found[record]:
                raise WrongAnswerError(
                    f"{what}, {shown(record)} is no reversal of {shown(tuple(sheet.values()))}."
                )
        mistakes = list(_weight_mistakes(len(groups), theta))
        for record, weight in right.items():
            known = [("Its sign is lost.", -weight), *mistakes]
            compare(f"{what}, the weight of a reversal", found.get(record, 0.0), weight, known)
    return f"{CASES} random sheets in one to four groups have the weights of the inverse matrix."


def _by_matrix(channel: GroupedResponse, sheet: dict[str, int]) -> dict[tuple[int, ...], float]:
    first = np.linalg.inv(channel.matrix())[0]
    row = pd.DataFrame([sheet])
    found = {}
    for weight, way in zip(first, product([0, 1], repeat=len(channel.groups))):
        version = dz03_lesson.turned(row, channel, way)
        found[tuple(version.iloc[0].tolist())] = float(weight)
    return found


def _weight_mistakes(groups, theta):
    """Weights that belong to no reversal, or to another one."""
    kept, turned = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
    for k in range(groups + 1):
        chance = theta**k * (1 - theta) ** (groups - k)
        yield "That is a probability, and weights are entries of the inverse.", chance
        yield "θ and 1 − θ are exchanged, or two reversals.", kept**k * turned ** (groups - k)


def w3_5(count: Callable) -> str:
    """Random tables and questions, the paper's node, sheets as expected, many disguises."""
    rng = np.random.default_rng(305)
    for case in range(CASES):
        groups = dealt(rng, 7)
        theta = [1.0, 0.0][case] if case < 2 else coin(rng)
        _counted(count, rng, groups, theta)
    _expected(count, rng)
    _above(count)
    groups = [["v4", "v11"], ["v6"], ["class"]]
    channel = GroupedResponse(THETA, groups)
    node = {"class": 1, "v6": 1, "v4": 1, "v11": 0}
    few = dz03.papers_split("votes").train.iloc[:60][["v4", "v11", "v6", "class"]]
    truth = float(_shows(few, node).sum())
    many = channel.disguise(pd.concat([few] * SURVEYS, ignore_index=True), rng)
    found = []
    for start in range(0, len(many), len(few)):
        sheets = many.iloc[start : start + len(few)]
        found.append(asked("The count", count, sheets, node, groups, THETA))
    right = len(few) * quietly(proportion, sheets, channel, node)
    compare("The count of the paper's node", found[-1], right)
    unbiased("the count of the paper's node", found, truth, float(np.std(found)))
    refused("count", count, few, {"v4": 1, "v99": 0}, groups, THETA, why="'v99' is in no group")
    return f"{CASES} random questions agree with the library, and {SURVEYS} disguises of the paper's node have no bias."


def _shows(frame: pd.DataFrame, node: Mapping[Any, int]) -> pd.Series:
    shows = pd.Series(True, frame.index)
    for name, answer in node.items():
        shows &= frame[name] == answer
    return shows


def _counted(answer, rng, groups, theta):
    """Compare a count in a random table with the library's."""
    names = [name for group in groups for name in group]
    size = int(rng.integers(20, 120))
    sheets = pd.DataFrame(rng.integers(2, size=(size, len(names))), rng.permutation(size) + 5, sorted(names))
    some = rng.permutation(names)[: rng.integers(1, len(names) + 1)]
    node = {str(name): int(rng.integers(2)) for name in some}
    found = asked("The count", answer, sheets, node, groups, theta)
    share = quietly(proportion, sheets, GroupedResponse(theta, groups), node)
    turned = quietly(proportion, sheets, GroupedResponse(1 - theta, groups), node)
    mistakes = [
        ("It is cut off.", np.clip(size * share, 0, size)),
        ("That is the share, not the number.", share),
        ("The coins are not undone.", _shows(sheets, node).sum()),
        ("θ and 1 − θ are exchanged.", size * turned),
        ("It is rounded.", np.round(size * share)),
    ]
    sizes = [len(group) for group in groups]
    what = f"For {len(node)} of {len(names)} questions, groups of {sizes}, θ = {theta}, the count"
    compare(what, found, size * share, mistakes)


def _above(answer):
    """Where all sheets show what is node, the count is more than there are people."""
    sheets = pd.DataFrame([[1, 1, 1]] * 64, columns=list("abc"))
    found = asked("The count", answer, sheets, {"a": 1, "c": 1}, [["a", "b"], ["c"]], 0.75)
    why = "An estimate may be more than all people; do not cut it off."
    compare("Where all 64 sheets show it, the count", found, 144, [(why, 64)])


def _expected(answer, rng):
    """Where every case is seen exactly as often as expected, the count is the truth."""
    groups = [["a", "b"], ["c"], ["d"]]
    channel = GroupedResponse(0.75, groups)
    people = pd.DataFrame(rng.integers(2, size=(6, 4)), columns=list("abcd"))
    parts = []
    for way in product([0, 1], repeat=3):
        times = 3 ** (3 - sum(way))  # of 64 who have a record
        parts.extend([dz03_lesson.turned(people, channel, way)] * times)
    sheets = pd.concat(parts, ignore_index=True)
    for node in ({}, {"c": 1}, {"a": 1, "d": 0}, people.iloc[0].to_dict()):
        found = asked("The count", answer, sheets, node, groups, 0.75)
        which = f"a count that asks for {len(node)} of 4 questions" if node else "a count that asks for nothing"
        what = f"Of {len(sheets)} sheets that show each case exactly as often as expected, {which}"
        compare(what, found, 64.0 * _shows(people, node).sum())


def own_accuracy(me: Student) -> float:
    """The estimated accuracy of a student's own tree."""
    tree, sheets, coins = house.own_test(me)
    votes = sheets.drop(columns="class")
    return accuracy_from_disguised(tree, votes, sheets["class"], coins).accuracy


REFERENCES = {"w3.8": own_accuracy}
TOLERANCES = {"w3.8": 0.005}


def w3_8(me: Student, mine: Any) -> str:
    """The accuracy of the student's own tree."""
    w3.w3_8(me, mine)
    found, right = number("my_accuracy", mine), own_accuracy(me)
    other = "Your eight shares give another one. Are they those of another name?"
    truth = dz03.papers_split("votes").accuracy(house.own_test(me)[0])
    compare("my_accuracy", found, right, [("That is the truth.", truth)], TOLERANCES["w3.8"], other)
    return f"{found:.3f} is the accuracy that your eight shares give."
