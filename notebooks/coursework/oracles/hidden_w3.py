"""The hidden checks of week 3: other sheets, other coins, edge cases, and the library's own estimates."""

import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError
from oracles.answers import number, pair, refused, result, shown, unchanged, weighed
from oracles.w3 import own_test
from ppdm.disguise import GroupedResponse, RandomizedResponse
from ppdm.measure import accuracy_from_disguised
from ppdm.reconstruct import proportion
from ppdm.studies import dz03, dz03_lesson

CASES = 25
SURVEYS = 500
THETA = 0.8


def far(found: float, right: float) -> bool:
    """Whether two numbers differ by more than rounding."""
    return not abs(found - right) <= 1e-6 * max(1, abs(right))


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


def w3_2(estimate: Any) -> str:
    """One coin: random surveys, bad input, no bias."""
    rng = np.random.default_rng(302)
    for case in range(CASES):
        theta = round(float(rng.choice([rng.uniform(0, 0.45), rng.uniform(0.55, 1)])), 2)
        codes = (rng.random(rng.integers(2, 400)) < rng.random()).astype(int)
        codes[:2] = 0, 1  # where all are equal, the error is 0, and a formula may round it to below 0
        series = pd.Series(codes, index=rng.permutation(len(codes)) + 7)
        said: Any = [codes, codes.tolist(), series][case % 3]
        form = ["an array", "a list", "a Series"][case % 3]
        _one_coin(estimate, said, theta, f"{form} of {len(codes)} answers, θ = {theta}", codes)
    unchanged("estimate", estimate, np.array([1, 0, 0, 1]), 0.7)
    for theta in (0.5, -0.1, 1.1, float("nan")):
        refused("estimate", estimate, [1, 0, 0, 1], theta, why="θ must be a probability other than ½")
    for few in ([], [1]):
        refused("estimate", estimate, few, 0.8, why="fewer than two answers do not tell how sure they are")
    coin = RandomizedResponse(0.6)
    truth = np.array([1] * 2 + [0] * 48)
    told = [coin.disguise(truth, rng) for _ in range(SURVEYS)]
    found = [pair("estimate", result("estimate", estimate, one, 0.6))[0] for one in told]
    unbiased("the share of 2 smokers in 50", found, 0.04, (0.24 / 50) ** 0.5 / 0.2)
    return f"{CASES} random surveys agree with the library, {SURVEYS} disguises have no bias, and bad input is refused."


def _one_coin(estimate: Any, said: Any, theta: float, what: str, codes: np.ndarray) -> None:
    """Compare an estimate and its error with the library's."""
    share, error = pair("estimate", result("estimate", estimate, said, theta))
    right = quietly(RandomizedResponse(theta).estimate, codes)
    yes = codes.mean()
    mistakes = {
        "the coin is not undone": yes,
        "θ and 1 − θ are exchanged": 1 - right.value,
        "the division by 2θ − 1 is forgotten": yes - 1 + theta,
        "it is cut off at 0 or 1": float(np.clip(right.value, 0, 1)),
    }
    if far(share, right.value):
        known = [mistake for mistake, wrong in mistakes.items() if not far(share, wrong)]
        text = f"For {what} the estimate is {share:.6g}, not {right.value:.6g}"
        raise WrongAnswerError(f"{text}{': ' * bool(known)}{', or '.join(known)}.")
    by_n = right.error * ((len(codes) - 1) / len(codes)) ** 0.5
    if far(error, right.error) and far(error, by_n):
        lacks = not far(error, right.error * abs(2 * theta - 1)) or not far(error, by_n * abs(2 * theta - 1))
        why = ": the factor 1 / |2θ − 1| is forgotten" if lacks else ""
        raise WrongAnswerError(f"For {what} the standard error is {error:.6g}, not {right.error:.6g}{why}.")


def dealt(rng: np.random.Generator, most: int) -> list[list[str]]:
    """One to four groups of two to ``most`` questions."""
    names = [f"q{place}" for place in rng.permutation(rng.integers(2, most + 1))]
    ends = np.linspace(0, len(names), int(rng.integers(1, min(4, len(names)) + 1)) + 1).astype(int)
    return [names[start:end] for start, end in pairwise(ends)]


def coin(rng: np.random.Generator) -> float:
    """A probability that is not too near ½."""
    return round(float(rng.choice([rng.uniform(0, 0.4), rng.uniform(0.6, 1)])), 2)


def w3_4(reversals: Any) -> str:
    """Random sheets, and the rows of the inverse matrix."""
    rng = np.random.default_rng(304)
    for _ in range(CASES):
        groups = dealt(rng, 7)
        theta = coin(rng)
        names = sorted(name for group in groups for name in group)
        sheet = {name: int(rng.integers(2)) for name in names}
        channel = GroupedResponse(theta, groups)
        right = _by_matrix(channel, sheet)
        found = weighed("reversals", result("reversals", reversals, sheet, groups, theta), names)
        unchanged("reversals", reversals, sheet, groups, theta)
        what = f"For groups of {[len(group) for group in groups]} questions, θ = {theta}"
        for record in set(found) - set(right):
            if found[record]:
                raise WrongAnswerError(
                    f"{what}, {shown(record)} is no reversal of {shown(tuple(sheet.values()))}."
                )
        for record, weight in right.items():
            _weight(what, found.get(record, 0.0), weight, len(groups), theta)
    return f"{CASES} random sheets in one to four groups have the weights of the inverse matrix."


def _by_matrix(channel: GroupedResponse, sheet: dict[str, int]) -> dict[tuple[int, ...], float]:
    first = np.linalg.inv(channel.matrix())[0]
    row = pd.DataFrame([sheet])
    found = {}
    for weight, way in zip(first, product([0, 1], repeat=len(channel.groups))):
        version = dz03_lesson.turned(row, channel, way)
        found[tuple(version.iloc[0].tolist())] = float(weight)
    return found


def _weight(what: str, found: float, right: float, groups: int, theta: float) -> None:
    if not far(found, right):
        return
    kept, turned = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
    chances = [theta**k * (1 - theta) ** (groups - k) for k in range(groups + 1)]
    exchanged = [kept**k * turned ** (groups - k) for k in range(groups + 1)]
    why = ""
    if not far(found, -right):
        why = ": its sign is lost"
    elif not all(far(found, one) for one in chances):
        why = ": that is a probability, and weights are entries of the inverse"
    elif not all(far(found, one) for one in exchanged):
        why = ": θ and 1 − θ are exchanged, or two reversals"
    raise WrongAnswerError(f"{what}, a reversal weighs {found:.6g}, not {right:.6g}{why}.")


def w3_5(count: Any) -> str:
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
        found.append(number("The count of a node", result("count", count, sheets, node, groups, THETA)))
    right = len(few) * quietly(proportion, sheets, channel, node)
    if far(found[-1], right):
        raise WrongAnswerError(f"The count of the paper's node is {found[-1]:.6g}, not {right:.6g}.")
    unbiased("the count of the paper's node", found, truth, float(np.std(found)))
    refused("count", count, few, {"v4": 1, "v99": 0}, groups, THETA, why="'v99' is in no group")
    return f"{CASES} random questions agree with the library, and {SURVEYS} disguises of the paper's node have no bias."


def _shows(frame: pd.DataFrame, asked: Mapping[Any, int]) -> pd.Series:
    shows = pd.Series(True, frame.index)
    for name, answer in asked.items():
        shows &= frame[name] == answer
    return shows


def _counted(count: Any, rng: np.random.Generator, groups: list[list[str]], theta: float) -> None:
    names = [name for group in groups for name in group]
    size = int(rng.integers(20, 120))
    sheets = pd.DataFrame(rng.integers(2, size=(size, len(names))), rng.permutation(size) + 5, sorted(names))
    some = rng.permutation(names)[: rng.integers(1, len(names) + 1)]
    asked = {str(name): int(rng.integers(2)) for name in some}
    channel = GroupedResponse(theta, groups)
    seen = result("count", count, sheets, asked, groups, theta)
    sizes = [len(group) for group in groups]
    what = f"For {len(asked)} of {len(names)} questions, groups of {sizes}, θ = {theta}, the count"
    found = number(what, seen)
    share = quietly(proportion, sheets, channel, asked)
    unchanged("count", count, sheets, asked, groups, theta)
    if not far(found, size * share):
        return
    turned = abs(2 * theta - 1) < 1 and size * quietly(
        proportion, sheets, GroupedResponse(1 - theta, groups), asked
    )
    mistakes = {
        "that is the share, not the number": share,
        "the coins are not undone": float(_shows(sheets, asked).sum()),
        "θ and 1 − θ are exchanged": float(turned),
        "it is cut off": float(np.clip(size * share, 0, size)),
        "it is rounded": float(np.round(size * share)),
    }
    why = [mistake for mistake, wrong in mistakes.items() if not far(found, wrong)]
    raise WrongAnswerError(f"{what} is {found:.6g}, not {size * share:.6g}{': ' * bool(why)}{', or '.join(why)}.")


def _above(count: Any) -> None:
    """Where all sheets show what is asked, the count is more than there are people."""
    sheets = pd.DataFrame([[1, 1, 1]] * 64, columns=list("abc"))
    found = number("The count", result("count", count, sheets, {"a": 1, "c": 1}, [["a", "b"], ["c"]], 0.75))
    if far(found, 144):
        why = ". An estimate may be more than all people; do not cut it off" if not far(found, 64) else ""
        raise WrongAnswerError(f"Where all 64 sheets show it, the count is {found:.6g}, and 144 is right{why}.")


def _expected(count: Any, rng: np.random.Generator) -> None:
    """Where every case is seen exactly as often as expected, the count is the truth."""
    groups = [["a", "b"], ["c"], ["d"]]
    channel = GroupedResponse(0.75, groups)
    people = pd.DataFrame(rng.integers(2, size=(6, 4)), columns=list("abcd"))
    parts = []
    for way in product([0, 1], repeat=3):
        times = 3 ** (3 - sum(way))  # of 64 who have a record
        parts.extend([dz03_lesson.turned(people, channel, way)] * times)
    sheets = pd.concat(parts, ignore_index=True)
    for asked in ({}, {"c": 1}, {"a": 1, "d": 0}, people.iloc[0].to_dict()):
        found = number("The count", result("count", count, sheets, asked, groups, 0.75))
        right = 64.0 * _shows(people, asked).sum()
        if far(found, right):
            what = f"asks for {len(asked)} of 4 questions" if asked else "asks for nothing"
            raise WrongAnswerError(
                f"Of {len(sheets)} sheets that show each case exactly as often as expected, a count that {what} is "
                f"{found:.6g}, and {right:g} is true."
            )


def tested(me: Student) -> tuple[float, dict[str, float]]:
    """The estimated accuracy of a student's own tree, and numbers that it is not."""
    voting = dz03.papers_split("votes")
    tree, sheets, coins = own_test(me)
    score = float(tree.score(sheets[voting.columns], sheets["class"]))
    others = {"that is the score of the sheets as they are": score, "that is the truth": voting.accuracy(tree)}
    return accuracy_from_disguised(tree, sheets[voting.columns], sheets["class"], coins).accuracy, others


def own_accuracy(me: Student) -> float:
    """The estimated accuracy of a student's own tree."""
    return tested(me)[0]


REFERENCES = {"w3.8": own_accuracy}
TOLERANCES = {"w3.8": 0.005}


def w3_8(me: Student, mine: Any) -> str:
    """The accuracy of the student's own tree."""
    found = number("my_accuracy", mine)
    right, others = tested(me)
    if abs(found - right) <= TOLERANCES["w3.8"]:
        return f"{found:.3f} is the accuracy that your eight shares give."
    if abs(found - min(max(right, 0), 1)) <= TOLERANCES["w3.8"]:
        raise WrongAnswerError(f"my_accuracy is {found:.3f}: it was cut off. Your shares give {right:.3f}.")
    for why, wrong in others.items():
        if abs(found - wrong) <= TOLERANCES["w3.8"]:
            raise WrongAnswerError(f"my_accuracy is {found:.3f}: {why}. Your shares give {right:.3f}.")
    raise WrongAnswerError(f"my_accuracy is {found:.3f}; your shares give {right:.3f}. Are they another name's?")
