"""The Quest generator beside a bare NumPy loop that draws the same and keeps arrays."""

from collections.abc import Iterator

import numpy as np
from timing import best_times

from ppdm.data import quest

TITLE = "quest, 100,000 records: time beside a bare NumPy loop of the same draws"
BOUND = 1.5
N = 100_000
REPEATS = 15
FUNCTIONS = (1, 2, 3, 5, "ibm-5", "ibm-9")


def bare_draw(n, rng):
    salary = rng.uniform(20_000, 150_000, n)
    commission = np.where(salary >= 75_000, 0.0, rng.uniform(10_000, 75_000, n))
    age = rng.uniform(20, 80, n)
    elevel = rng.integers(0, 5, n)
    car = rng.integers(1, 21, n)
    zipcode = rng.integers(0, 9, n)
    hvalue = (9 - zipcode) * rng.uniform(50_000, 150_000, n)
    return (
        salary,
        commission,
        age,
        elevel,
        car,
        zipcode,
        hvalue,
        rng.uniform(1, 30, n),
        rng.uniform(0, 500_000, n),
    )


def by_age(age, young, middle, old):
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def between(x, low, high):
    return (x >= low) & (x <= high)


def bare_class(function, columns):
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = columns
    income = 0.67 * (salary + commission)
    if function == 1:
        return (age < 40) | (age >= 60)
    if function == 2:
        pairs = ((50_000, 100_000), (75_000, 125_000), (25_000, 75_000))
        return by_age(age, *(between(salary, *pair) for pair in pairs))
    if function == 3:
        low, middle, high = (between(salary, a, a + 50_000) for a in (25_000, 50_000, 75_000))
        return by_age(
            age,
            (elevel <= 1) & low | between(elevel, 2, 3) & middle,
            between(elevel, 1, 3) & middle | (elevel == 4) & high,
            (elevel >= 2) & middle | (elevel == 1) & low,
        )
    if function == 5:
        return income - 0.2 * loan + 0.02 * hvalue * np.maximum(hyears - 20, 0) - 10_000 > 0
    if function == "ibm-5":
        first, second, third = (between(loan, a, a + 200_000) for a in (100_000, 200_000, 300_000))
        return by_age(
            age,
            np.where(between(salary, 50_000, 100_000), first, second),
            np.where(between(salary, 75_000, 125_000), second, third),
            np.where(between(salary, 25_000, 75_000), third, first),
        )
    return income - 5_000 * elevel - 0.2 * loan - 10_000 > 0


def bare(n, function, balanced, rng):
    if not balanced:
        columns = bare_draw(n, rng)
        return columns, bare_class(function, columns)
    kept, missing = [], {True: n - n // 2, False: n // 2}
    while any(missing.values()):
        columns = bare_draw(32_768, rng)
        in_a = bare_class(function, columns)
        for group in missing:
            rows = np.flatnonzero(in_a == group)[: missing[group]]
            missing[group] -= len(rows)
            kept.append([*(column[rows] for column in columns), np.full(len(rows), group)])
    order = rng.permutation(n)
    *columns, classes = (np.concatenate(parts)[order] for parts in zip(*kept, strict=True))
    return columns, classes


def run() -> Iterator[tuple[str, float, float, str]]:
    """The ratio of times, ours over bare, by function and balance; the best of interleaved repeats."""
    for function in FUNCTIONS:
        for balanced in (False, True):
            calls = (
                lambda f=function, b=balanced: quest(N, f, b, rng=0),
                lambda f=function, b=balanced: bare(N, f, b, np.random.default_rng(0)),
            )
            ours, theirs = best_times(calls, REPEATS)
            what = f"function {function}, {'balanced' if balanced else 'as drawn'}"
            yield what, float(ours / theirs), BOUND, f"{ours * 1000:.1f} ms and {theirs * 1000:.1f} ms"
