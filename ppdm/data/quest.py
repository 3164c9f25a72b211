"""The Quest generator: synthetic people of two classes.

Agrawal, Ghosh, Imielinski, Iyer & Swami ("An interval classifier for database mining applications", VLDB 1992)
define nine attributes and ten functions that put a person into class A or B; Agrawal & Srikant (2000, Tables 2
and 3) use five functions on the same attributes. Only the class is certain: attributes are drawn at random.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, randomness

QUEST_RANGES: dict[str, tuple[float, float]] = {
    "salary": (20_000, 150_000),
    "commission": (0, 75_000),
    "age": (20, 80),
    "elevel": (0, 4),
    "car": (1, 20),
    "zipcode": (0, 8),
    "hvalue": (0, 1_350_000),
    "hyears": (1, 30),
    "loan": (0, 500_000),
}
# What a channel must know of each attribute; the step is 1 for whole numbers.
QUEST_DOMAINS: dict[str, dict[str, Any]] = {
    name: {"low": low, "high": high, "step": 1 if name in ("elevel", "car", "zipcode") else None}
    for name, (low, high) in QUEST_RANGES.items()
}
MAX_RECORDS = 100_000_000  # which take 7 GB

Rule = Callable[..., np.ndarray]
Records = dict[str, np.ndarray]

_CLASSES = pd.CategoricalDtype(["A", "B"])
_BATCH = 32_768  # a batch of nine columns stays in the processor's cache


def _within(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return (low <= values) & (values <= high)


def _thousands(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return _within(values, 1_000 * low, 1_000 * high)


def _by_age(age: np.ndarray, young: np.ndarray, middle: np.ndarray, old: np.ndarray) -> np.ndarray:
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def _young_or_old(age: np.ndarray) -> np.ndarray:
    return (age < 40) | (age >= 60)


def _salary_by_age(age: np.ndarray, salary: np.ndarray) -> np.ndarray:
    return _by_age(age, _thousands(salary, 50, 100), _thousands(salary, 75, 125), _thousands(salary, 25, 75))


def _equity(hvalue: np.ndarray, hyears: np.ndarray) -> np.ndarray:
    return 0.1 * hvalue * np.maximum(hyears - 20, 0)


# Which records are in class A. A rule's parameters are the attributes that it needs.
CLASS_A: dict[int | str, Rule] = {
    1: _young_or_old,
    2: _salary_by_age,
    3: lambda age, elevel, salary: _by_age(
        age,
        (_within(elevel, 0, 1) & _thousands(salary, 25, 75)) | (_within(elevel, 2, 3) & _thousands(salary, 50, 100)),
        (_within(elevel, 1, 3) & _thousands(salary, 50, 100)) | ((elevel == 4) & _thousands(salary, 75, 125)),
        (_within(elevel, 2, 4) & _thousands(salary, 50, 100)) | ((elevel == 1) & _thousands(salary, 25, 75)),
    ),
    4: lambda salary, commission, loan: 0.67 * (salary + commission) - 0.2 * loan - 10_000 > 0,
    5: lambda salary, commission, loan, hvalue, hyears: (
        0.67 * (salary + commission) - 0.2 * loan + 0.2 * _equity(hvalue, hyears) - 10_000 > 0
    ),
    "ibm-1": _young_or_old,
    "ibm-2": _salary_by_age,
    "ibm-3": lambda age, elevel: _by_age(age, _within(elevel, 0, 1), _within(elevel, 1, 3), _within(elevel, 2, 4)),
    "ibm-4": lambda age, elevel, salary: _by_age(
        age,
        np.where(_within(elevel, 0, 1), _thousands(salary, 25, 75), _thousands(salary, 50, 100)),
        np.where(_within(elevel, 1, 3), _thousands(salary, 50, 100), _thousands(salary, 75, 125)),
        np.where(_within(elevel, 2, 4), _thousands(salary, 50, 100), _thousands(salary, 25, 75)),
    ),
    "ibm-5": lambda age, salary, loan: _by_age(
        age,
        np.where(_thousands(salary, 50, 100), _thousands(loan, 100, 300), _thousands(loan, 200, 400)),
        np.where(_thousands(salary, 75, 125), _thousands(loan, 200, 400), _thousands(loan, 300, 500)),
        np.where(_thousands(salary, 25, 75), _thousands(loan, 300, 500), _thousands(loan, 100, 300)),
    ),
    "ibm-6": lambda age, salary, commission: _salary_by_age(age, salary + commission),
    "ibm-7": lambda salary, commission, loan: 0.67 * (salary + commission) - 0.2 * loan - 20_000 > 0,
    "ibm-8": lambda salary, commission, elevel: 0.67 * (salary + commission) - 5_000 * elevel - 20_000 > 0,
    "ibm-9": lambda salary, commission, elevel, loan: (
        0.67 * (salary + commission) - 5_000 * elevel - 0.2 * loan - 10_000 > 0
    ),
    "ibm-10": lambda salary, commission, elevel, hvalue, hyears: (
        0.67 * (salary + commission) - 5_000 * elevel + 0.2 * _equity(hvalue, hyears) - 10_000 > 0
    ),
}


def quest(
    n: int, function: int | str = 1, balanced: bool = True, rng: randomness.Rng = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Draw n records of the Quest generator and their classes (Agrawal & Srikant 2000, §5.1, Tables 2 and 3).

    Salary, commission, age, hvalue, hyears and loan are continuous (*choice*: age and hyears too), elevel, car and
    zipcode whole numbers. Commission is 0 from a salary of 75,000 on. The value of a house is uniform on
    [0.5 k, 1.5 k] × 100,000 with k = 9 − zipcode.

    Parameters
    ----------
    n : number of records, in [1, 100,000,000]
    function : 1 … 5 for the paper's Table 3, "ibm-1" … "ibm-10" for the original generator's (see ``quest_class``)
    balanced : half of the records from each class, in random order (with an odd n, A has one more), as in the paper;
        otherwise the classes are as frequent as the function makes them
    rng : seed or generator

    Returns
    -------
    The attributes, a column each in the order of ``QUEST_RANGES``, and the classes "A" and "B" as a category.

    >>> X, y = quest(1000, function=2, rng=0)
    >>> y.value_counts().to_dict()
    {'A': 500, 'B': 500}
    """
    n = checks.whole("n", n, 1, MAX_RECORDS)
    rule = _rule(function)
    source = randomness.generator(rng)
    if checks.flag("balanced", balanced):
        records, in_a = _draw_balanced(n, rule, source)
    else:
        records = _draw(n, source)
        in_a = _apply(rule, records)
    return pd.DataFrame(records, copy=False), _classes(in_a)


def quest_class(X: pd.DataFrame, function: int | str = 1) -> pd.Series:
    """The class, "A" or "B", of every record.

    Functions 1 … 5 are those of Agrawal & Srikant (2000, Table 3), with the misprint in Function 2 read as
    75K ≤ salary ≤ 125K and the education levels ``[13]``, ``[24]`` as ranges. "ibm-1" … "ibm-10" are those of
    Agrawal et al. (1992). The first two agree. Function 3 is a stricter "ibm-4": education levels that it does not
    name are in class B. Functions 4 and 5 are not in the original list.

    Parameters
    ----------
    X : records with at least the attributes that the function needs; finite numbers
    function : 1 … 5 or "ibm-1" … "ibm-10"

    >>> quest_class(pd.DataFrame({"age": [39, 40, 60]}), function=1).tolist()
    ['A', 'B', 'A']
    """
    rule = _rule(function)
    X = checks.frame("X", X)
    needed = checks.columns(f"function {function!r}", inspect.signature(rule).parameters, X.columns)
    return _classes(rule(*(checks.vector(f"X[{name!r}]", X[name]) for name in needed)), X.index)


def _rule(function: Any) -> Rule:
    return CLASS_A[checks.choice("function", function, CLASS_A)]


def _apply(rule: Rule, records: Records) -> np.ndarray:
    return rule(*(records[name] for name in inspect.signature(rule).parameters))


def _classes(in_a: np.ndarray, index: pd.Index | None = None) -> pd.Series:
    return pd.Series(pd.Categorical.from_codes((~in_a).view(np.int8), dtype=_CLASSES), index=index, name="group")


def _draw(n: int, rng: np.random.Generator) -> Records:
    # The order of the draws is part of every result that has a seed.
    salary = rng.uniform(*QUEST_RANGES["salary"], n)
    commission = rng.uniform(10_000, 75_000, n)
    commission[salary >= 75_000] = 0  # drawn for all, so that every record takes the same number of draws
    zipcode = rng.integers(0, 9, n)
    return {
        "salary": salary,
        "commission": commission,
        "age": rng.uniform(*QUEST_RANGES["age"], n),
        "elevel": rng.integers(0, 5, n),
        "car": rng.integers(1, 21, n),
        "zipcode": zipcode,
        "hvalue": (9 - zipcode) * rng.uniform(50_000, 150_000, n),
        "hyears": rng.uniform(*QUEST_RANGES["hyears"], n),
        "loan": rng.uniform(*QUEST_RANGES["loan"], n),
    }


def _draw_balanced(n: int, rule: Rule, rng: np.random.Generator) -> tuple[Records, np.ndarray]:
    """Rejection: the places of each class are chosen first, then filled in the order in which records are drawn.

    Records are drawn in batches until every place is filled; what a class needs no more is thrown away.
    """
    in_a = rng.permutation(n) < n - n // 2
    still_open = {True: np.flatnonzero(in_a), False: np.flatnonzero(~in_a)}
    records = {name: np.empty(n, column.dtype) for name, column in _draw(0, rng).items()}
    while any(map(len, still_open.values())):
        batch = _draw(min(max(2 * n, 512), _BATCH), rng)
        drawn_a = _apply(rule, batch)
        for of_a, places in still_open.items():
            chosen = np.flatnonzero(drawn_a == of_a)[: len(places)]
            for name, column in batch.items():
                records[name][places[: len(chosen)]] = column[chosen]
            still_open[of_a] = places[len(chosen) :]
    return records, in_a
