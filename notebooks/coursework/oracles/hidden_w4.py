"""Week 4, privacy: the checks of the markers, on other numbers. They are not handed out."""

import math
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError
from oracles.w4 import FIVE, called, close, customers, numbers
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
        case = f"{people} people with {len(names)} attributes"
        check_linkage(linkage, known.to_numpy(), seen.to_numpy(), half, library_linkage(known, seen, level), case)
    alike = np.full((5, 2), 30.0)
    check_linkage(linkage, alike, alike + 1, np.array([4.0, 4.0]), 0.2, "five people who are all alike")
    true = rng.uniform(20, 80, (80, 2))
    shown = true + np.linspace(-0.9, 0.9, 160).reshape(80, 2)
    shares = []
    for reach in (1.0, 5.0, 20.0, 100.0):
        share = called("linkage", linkage, true, shown, np.full(2, reach))
        shares.append(float(numbers("linkage", share, ())))
    if not (np.diff(shares) < 0).all() or not close(shares[-1], 1 / 80):
        raise WrongAnswerError(
            f"linkage does not fall from 1 to 1/80 as the noise grows: {shares}. Noise of ±100 hides all of 80 people."
        )
    return f"{CASES} random tables as by the library, people who are alike, and noise that grows"


def check_linkage(linkage: Any, known: Any, released: Any, half: Any, right: float, case: str) -> None:
    """One case; the mistakes that are known are named."""
    share = float(numbers("linkage", called("linkage", linkage, known, released, half), ()))
    if abs(share - right) < 1e-6:
        return
    fits = np.abs(released[None] - known[:, None]) <= half
    together, own = fits.all(axis=2), np.arange(len(known))
    nearest = (np.abs(released[None] - known[:, None]) / half).sum(axis=2).argmin(axis=1)
    mistakes = {
        "It takes the nearest release, but all that fit are equally likely.": (nearest == own).mean(),
        "It counts the people who fit a release, and not the releases that fit a person.": (
            1 / together.sum(axis=0)
        ).mean(),
        "It takes the attributes one by one.": (1 / fits.sum(axis=1)).mean(),
        "It lets a release fit by any one attribute.": (1 / fits.any(axis=2).sum(axis=1)).mean(),
        "It leaves out attributes after the first.": (1 / fits[:, :, 0].sum(axis=1)).mean(),
        "It never counts a person whom two releases fit.": (together.sum(axis=1) == 1).mean(),
    }
    told = [what for what, wrong in mistakes.items() if abs(share - wrong) < 1e-6]
    raise WrongAnswerError(
        f"linkage is {share:.4f} for {case}; right is {right:.4f}. {' '.join(told[:1])}".strip()
    )


def w4_4(me: Student, found: Any) -> str:
    """The student's own share."""
    share, right = float(numbers("found", found, (), "is")), found_by_five(me)
    if abs(share - right) <= TOLERANCES["w4.4"]:
        return f"{share:.1%} of the customers of {me.name} are found, as by the library"
    known, released, _ = customers(me)
    alone = library_linkage(known[["age"]], released[["age"]], 0.5)
    why = " That is what the age alone finds." if abs(share - alone) <= TOLERANCES["w4.4"] else ""
    raise WrongAnswerError(f"found is {share:.4f}; of the customers of {me.name} it is {right:.4f}.{why}")


def w4_6(guess: Any) -> str:
    """Random lists beside the library; a fair coin; people who are alike; the order of the list."""
    rng = np.random.default_rng(406)
    for number in range(CASES):
        answers, theta = int(rng.integers(2, 8)), float(rng.uniform(0.51, 0.95))
        theta = 1 - theta if number % 4 == 3 else theta
        people = rng.integers(0, 2, (int(rng.integers(2, 30)), answers))
        groups = dealt(answers, rng)
        sheet = people[rng.integers(len(people))].copy()
        for group in groups:
            if rng.random() < 0.5:
                sheet[group] = 1 - sheet[group]
        check_guess(guess, sheet, people, groups, theta)
    people = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]])
    fair = numbers("guess", called("guess", guess, people[0], people, [[0, 1, 2, 3]], 0.5), (3,))
    if not close(fair, [0.5, 0.5, 0]):
        raise WrongAnswerError(
            f"guess gives {fair} for a fair coin and the list 1011, 0100, 1111; right is [0.5, 0.5, 0]."
        )
    order = np.array([2, 0, 1])
    turned = numbers("guess", called("guess", guess, people[0], people[order], [[0, 1, 2, 3]], 0.5), (3,))
    if not close(turned, np.asarray(fair)[order]):
        raise WrongAnswerError(
            "guess depends on the order of the list; each person has a probability of their own."
        )
    return f"{CASES} random lists as by the library, θ below one half, a fair coin, and another order of the list"


def dealt(answers: int, rng: np.random.Generator) -> list[list[int]]:
    """Answers in groups of random sizes, none of them empty."""
    places = [int(place) for place in rng.permutation(answers)]
    cuts = sorted(rng.choice(np.arange(1, answers), int(rng.integers(0, answers)), replace=False).tolist())
    return [places[start:end] for start, end in zip([0, *cuts], [*cuts, answers])]


def check_guess(guess: Any, sheet: Any, people: Any, groups: list[list[int]], theta: float) -> None:
    """One case; the mistakes that are known are named."""
    found = numbers("guess", called("guess", guess, sheet, people, groups, theta), (len(people),))
    right = library_guess(sheet, people, groups, theta)
    if close(found, right):
        return
    each = [[place] for group in groups for place in group]
    mistakes = {
        "It tosses a coin for each answer.": library_guess(sheet, people, each, theta),
        "It exchanges θ and 1 - θ.": library_guess(sheet, people, groups, 1 - theta),
        "It does not add up to 1.": found if not math.isclose(found.sum(), 1) else right,
    }
    told = [what for what, wrong in mistakes.items() if close(found, wrong)]
    raise WrongAnswerError(
        f"guess is off by up to {np.abs(found - right).max():.3f} for {len(people)} people, the groups {groups} and "
        f"θ = {theta:.3f}. {' '.join(told[:1])}".strip()
    )


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
        found = float(numbers("epsilon", called("epsilon", epsilon, theta, groups), ()))
        right = measure.epsilon(GroupedResponse(theta, groups), delta=0)
        if not close(found, right):
            why = " Below one half the odds turn round; ε does not." if theta < 0.5 and found < 0 else ""
            raise WrongAnswerError(
                f"epsilon is {found:g} for θ = {theta:.3f} and {groups}; right is {right:g}.{why}"
            )
    for theta in (0.0, 1.0):
        try:
            found = float(numbers("epsilon", called("epsilon", epsilon, theta, [["a"]]), ()))
        except WrongAnswerError as error:
            raise WrongAnswerError(f"Without a disguise, θ = {theta:g}, ε is math.inf. {error}") from error
        if found != math.inf:
            raise WrongAnswerError(f"epsilon is {found:g} for θ = {theta:g}; nothing is disguised: math.inf.")
    for promise, answers in ((0.5, 1), (2.0, 5), (4.0, 16), (20.0, 3)):
        theta = float(numbers("theta_for", called("theta_for", theta_for, promise, answers), ()))
        kept = answers * abs(math.log(theta / (1 - theta))) if 0 < theta < 1 else math.inf
        if not math.isclose(kept, promise, rel_tol=1e-6) or theta < 0.5:
            raise WrongAnswerError(
                f"theta_for gives {theta:.4f} for a promise of {promise:g} and {answers} answers. With it the "
                f"sheet has ε = {kept:.4f}. The largest θ that keeps the promise uses all of it."
            )
    return f"{CASES} random designs as by the library, no disguise at all, and four promises that are kept and used up"
