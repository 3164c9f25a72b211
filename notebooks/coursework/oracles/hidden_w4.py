"""Week 4, privacy: the checks of the markers, on other numbers. They are not handed out."""

import math
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, w4
from oracles.answers import asked, compare, number
from oracles.w4 import FIVE, customers, guessed
from ppdm import measure
from ppdm.data import QUEST_RANGES
from ppdm.disguise import GroupedResponse, UniformNoise

CASES = 20


def found_by_five(me: Student) -> float:
    """The share of a student's customers who are found, as the library counts it."""
    known, released, _ = customers(me)
    return library_linkage(known, released, 0.5)


def library_linkage(known: pd.DataFrame, released: pd.DataFrame, level: float) -> float:
    """The linkage rate of attributes of Quest under uniform noise of a privacy level."""
    noise = {}
    for name in map(str, known):
        low, high = QUEST_RANGES[name]
        noise[name] = UniformNoise.at_privacy(level, low=low, high=high)
    return measure.linkage_rate(noise, known, released=released)


REFERENCES = {"w4.4": found_by_five}
TOLERANCES = {"w4.4": 0.0006}  # a share of three digits


def w4_3(linkage: Any) -> str:
    """Random tables beside the library; more noise, people who are alike, an order of attributes."""
    rng = np.random.default_rng(403)
    for _ in range(CASES):
        people, level = int(rng.integers(2, 60)), float(rng.uniform(0.05, 1.5))
        names = list(rng.permutation(FIVE)[: rng.integers(1, 6)])
        ends = {name: QUEST_RANGES[name] for name in names}
        known = pd.DataFrame({name: rng.uniform(*ends[name], people) for name in names})
        noise = {name: UniformNoise.at_privacy(level, low=low, high=high) for name, (low, high) in ends.items()}
        seen = pd.DataFrame({name: noise[name].disguise(known[name], rng) for name in names})
        half = np.array([noise[name].half_width for name in names])
        case = f"a random table of {people} by {len(names)} numbers"
        check_linkage(linkage, known.to_numpy(), seen.to_numpy(), half, library_linkage(known, seen, level), case)
    alike = np.full((5, 2), 30.0)
    check_linkage(linkage, alike, alike + 1, np.array([4.0, 4.0]), 0.2, "five people who are all alike")
    true = rng.uniform(20, 80, (80, 2))
    shown = true + np.linspace(-0.9, 0.9, 160).reshape(80, 2)
    shares = []
    for reach in (1.0, 5.0, 20.0, 100.0):
        shares.append(asked("linkage", linkage, true, shown, np.full(2, reach)))
    compare("linkage, where noise of ±100 hides all of 80 people", shares[-1], 1 / 80)
    if not (np.diff(shares) < 0).all():
        raise WrongAnswerError(f"linkage does not fall as the noise grows: {shares}.")
    return f"{CASES} random tables as by the library, people who are alike, and noise that grows."


def check_linkage(linkage: Any, known: Any, released: Any, half: Any, right: float, case: str) -> None:
    """One case; the mistakes that are known are named."""
    share = asked("linkage", linkage, known, released, half)
    fits = np.abs(released[None] - known[:, None]) <= half
    together, own = fits.all(axis=2), np.arange(len(known))
    nearest = (np.abs(released[None] - known[:, None]) / half).sum(axis=2).argmin(axis=1)
    people = (1 / together.sum(axis=0)).mean()
    mistakes = [
        ("It takes the nearest release, but all that fit are equally likely.", (nearest == own).mean()),
        ("It counts the people who fit a release, and not the releases that fit a person.", people),
        ("It takes the attributes one by one.", (1 / fits.sum(axis=1)).mean()),
        ("It lets a release fit by any one attribute.", (1 / fits.any(axis=2).sum(axis=1)).mean()),
        ("It leaves out attributes after the first.", (1 / fits[:, :, 0].sum(axis=1)).mean()),
        ("It never counts a person whom two releases fit.", (together.sum(axis=1) == 1).mean()),
    ]
    compare(f"linkage for {case}", share, right, mistakes)


def w4_4(me: Student, found: Any) -> str:
    """The student's own share."""
    w4.w4_4(me, found)
    share, right = number("found", found), found_by_five(me)
    other = f"That is no share of the customers of {me.name} that we know. Are they of another name?"
    compare("found", share, right, (), TOLERANCES["w4.4"], other)
    return f"{share:.1%} of the customers of {me.name} are found, as by the library."


def w4_6(guess: Any) -> str:
    """Random lists beside the library; a fair coin; people who are alike; the order of the list."""
    rng = np.random.default_rng(406)
    for case in range(CASES):
        answers, theta = int(rng.integers(2, 8)), float(rng.uniform(0.51, 0.95))
        theta = 1 - theta if case % 4 == 3 else theta
        people = rng.integers(0, 2, (int(rng.integers(2, 30)), answers))
        groups = dealt(answers, rng)
        sheet = people[rng.integers(len(people))].copy()
        for group in groups:
            if rng.random() < 0.5:
                sheet[group] = 1 - sheet[group]
        check_guess(guess, sheet, people, groups, theta)
    people = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]])
    for order in ([0, 1, 2], [2, 0, 1]):
        fair = guessed(guess, people[0], people[order], [[0, 1, 2, 3]], 0.5)
        what = f"guess for a fair coin and the list 1011, 0100, 1111 in the order {order}"
        compare(what, fair, np.array([0.5, 0.5, 0])[order])
    return (
        f"{CASES} random lists as by the library, θ below one half, a fair coin, and another order of the list."
    )


def dealt(answers: int, rng: np.random.Generator) -> list[list[int]]:
    """Answers in groups of random sizes, none of them empty."""
    places = [int(place) for place in rng.permutation(answers)]
    cuts = sorted(rng.choice(np.arange(1, answers), int(rng.integers(0, answers)), replace=False).tolist())
    return [places[start:end] for start, end in zip([0, *cuts], [*cuts, answers])]


def check_guess(guess: Any, sheet: Any, people: Any, groups: list[list[int]], theta: float) -> None:
    """One case; the mistakes that are known are named."""
    found = guessed(guess, sheet, people, groups, theta)
    right = library_guess(sheet, people, groups, theta)
    each = [[place] for group in groups for place in group]
    mistakes = [
        ("It tosses a coin for each answer.", library_guess(sheet, people, each, theta)),
        ("It exchanges θ and 1 − θ.", library_guess(sheet, people, groups, 1 - theta)),
    ]
    other = "" if math.isclose(found.sum(), 1) else "It does not add up to 1."
    what = f"guess for {len(people)} people, the groups {groups} and θ = {theta:.3f}"
    compare(what, found, right, mistakes, otherwise=other)


def library_guess(sheet: Any, people: Any, groups: list[list[int]], theta: float) -> np.ndarray:
    """The probability of each person on the list, by the library's intruder."""
    names = [f"q{place}" for place in range(people.shape[1])]
    known = pd.DataFrame(people, columns=names)
    response = GroupedResponse(theta, [[names[place] for place in group] for group in groups])
    told = measure.Intruder(response, known).record_posterior(dict(zip(names, sheet.tolist())))
    after = {tuple(row): share for *row, share in told[[*names, "after"]].to_numpy()}
    rows = [tuple(row) for row in people.tolist()]
    return np.array([after.get(row, 0.0) / rows.count(row) for row in rows])


def w4_7(epsilon: Any, theta_for: Any) -> str:
    """Random designs beside the library; the bound adds up; the promise is kept, and used up."""
    rng = np.random.default_rng(407)
    for _ in range(CASES):
        answers, theta = int(rng.integers(1, 9)), float(rng.uniform(0.02, 0.98))
        groups = [[f"q{place}" for place in group] for group in dealt(answers, rng)] if answers > 1 else [["q0"]]
        groups = [[name] for group in groups for name in group] if rng.random() < 0.6 else groups
        found, right = (
            asked("epsilon", epsilon, theta, groups, finite=False),
            measure.epsilon(GroupedResponse(theta, groups), delta=0),
        )
        mistakes = [("Below one half the odds turn round; ε does not.", -right)]
        compare(f"epsilon for θ = {theta:.3f} and {groups}", found, right, mistakes)
    for theta in (0.0, 1.0):
        try:
            found = asked("epsilon", epsilon, theta, [["a"]], finite=False)
        except WrongAnswerError as error:
            raise WrongAnswerError(f"Without a disguise, θ = {theta:g}, ε is math.inf. {error}") from error
        compare(f"epsilon for θ = {theta:g}, where nothing is disguised,", found, math.inf)
    for promise, answers in ((0.5, 1), (2.0, 5), (4.0, 16), (20.0, 3)):
        theta = asked("theta_for", theta_for, promise, answers)
        kept = answers * abs(math.log(theta / (1 - theta))) if 0 < theta < 1 else math.inf
        hint = "The largest θ that keeps the promise uses all of it, and is not below one half."
        what = f"theta_for gives {theta:.4f} for a promise of {promise:g} and {answers} answers; the ε of such a sheet"
        compare(what, kept if theta >= 0.5 else -kept, promise, otherwise=hint)
    return f"{CASES} random designs as by the library, no disguise at all, and four promises that are kept and used up."
