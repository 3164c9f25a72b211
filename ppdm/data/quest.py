"""The Quest generator, synthetic people of two classes; and the two shapes of Agrawal & Srikant (2000, Figure 2).

Agrawal, Ghosh, Imielinski, Iyer & Swami ("An interval classifier for database mining applications", VLDB 1992)
define nine attributes and ten functions that put a person into class A or B; Agrawal & Srikant (2000, Tables 2
and 3) use five functions on the same attributes. Attributes are drawn at random; the class follows from them by a rule.
"""

import numpy as np
import pandas as pd

from ppdm import checks, randomness

QUEST_RANGES = {
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
QUEST_DOMAINS: dict[str, dict] = {
    name: {"low": low, "high": high, "step": 1 if name in ("elevel", "car", "zipcode") else None}
    for name, (low, high) in QUEST_RANGES.items()
}
MAX_RECORDS = 100_000_000  # which take 7 GB

_CLASSES = pd.CategoricalDtype(["A", "B"])
_BATCH = 32_768  # a batch of nine columns stays in the processor's cache


def _by_age(age, young, middle, old):
    """For each record the number of its age: below 40, below 60, from 60 on."""
    return np.array([young, middle, old])[(age >= 40).view(np.int8) + (age >= 60)]


def _in_range(values, thousands, width=50):
    """Whether values lie in a range of ``width`` thousands, its ends included, that begins at a number of thousands."""
    low = 1_000 * thousands
    return (low <= values) & (values <= low + 1_000 * width)


def _young_or_old(age):
    return (age < 40) | (age >= 60)


def _salary_of_the_age(age, salary, commission=0):
    return _in_range(salary + commission, _by_age(age, 50, 75, 25))


def _level_of_the_age(age, elevel):
    return (_by_age(age, 0, 1, 2) <= elevel) & (elevel <= _by_age(age, 1, 3, 4))


def _salary_of_the_level(age, elevel, salary):
    # Where the education does not fit the age, another range counts.
    fits = _level_of_the_age(age, elevel)
    return _in_range(salary, np.where(fits, _by_age(age, 25, 50, 50), _by_age(age, 50, 75, 25)))


def _salary_of_a_named_level(age, elevel, salary):
    # Function 3 is stricter than "ibm-4": of other levels nobody is in class A.
    named = (_by_age(age, 0, 1, 1) <= elevel) & (elevel <= _by_age(age, 3, 4, 4))
    return named & _salary_of_the_level(age, elevel, salary)


def _loan_of_the_salary(age, salary, loan):
    fits = _salary_of_the_age(age, salary)
    return _in_range(loan, np.where(fits, _by_age(age, 100, 200, 300), _by_age(age, 200, 300, 100)), 200)


def _income_left(
    cost,
    salary,
    commission,
    elevel=0,
    loan=0,
    hvalue=0,
    hyears=0,
):
    # What a function does not look at counts for nothing.
    equity = 0.1 * hvalue * np.maximum(hyears - 20, 0)
    return 0.67 * (salary + commission) - 5_000 * elevel - 0.2 * loan + 0.2 * equity - cost > 0


# Which records are in class A: a rule, the attributes that it needs, and of an income what has to be left over.
CLASS_A: dict = {
    1: (_young_or_old, "age"),
    2: (_salary_of_the_age, "age salary"),
    3: (_salary_of_a_named_level, "age elevel salary"),
    4: (_income_left, "salary commission loan", 10_000),
    5: (_income_left, "salary commission loan hvalue hyears", 10_000),
    "ibm-1": (_young_or_old, "age"),
    "ibm-2": (_salary_of_the_age, "age salary"),
    "ibm-3": (_level_of_the_age, "age elevel"),
    "ibm-4": (_salary_of_the_level, "age elevel salary"),
    "ibm-5": (_loan_of_the_salary, "age salary loan"),
    "ibm-6": (_salary_of_the_age, "age salary commission"),
    "ibm-7": (_income_left, "salary commission loan", 20_000),
    "ibm-8": (_income_left, "salary commission elevel", 20_000),
    "ibm-9": (_income_left, "salary commission elevel loan", 10_000),
    "ibm-10": (_income_left, "salary commission elevel hvalue hyears", 10_000),
}


def quest(
    n: int, function: int | str = 1, balanced: bool = True, rng: randomness.Rng = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Draw n records of the Quest generator and their classes (Agrawal & Srikant 2000, §5.1, Tables 2 and 3).

    Salary, commission, age, hvalue, hyears and loan are continuous (our choice: age and hyears too), elevel, car and
    zipcode whole numbers. Commission is 0 if the salary is 75,000 or more. The value of a house is uniform on
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
    checks.choice("function", function, CLASS_A)
    source = randomness.generator(rng)
    if checks.flag("balanced", balanced):
        records, in_a = _draw_balanced(n, function, source)
    else:
        records = _draw(n, source)
        in_a = _in_a(function, records)
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
    checks.choice("function", function, CLASS_A)
    needed = checks.columns(f"function {function!r}", CLASS_A[function][1].split(), checks.frame("X", X).columns)
    return _classes(_in_a(function, {name: checks.vector(f"X[{name!r}]", X[name]) for name in needed}), X.index)


def _in_a(function, records):
    rule, needed, *cost = CLASS_A[function]
    return rule(*cost, **{name: records[name] for name in needed.split()})


def _classes(in_a, index=None):
    return pd.Series(pd.Categorical.from_codes((~in_a).view(np.int8), dtype=_CLASSES), index=index, name="class")


def _draw(n, rng):
    # The order of the draws is part of every result that has a seed.
    def uniform(name) -> np.ndarray:
        return rng.uniform(*QUEST_RANGES[name], n)

    salary = uniform("salary")
    commission = rng.uniform(10_000, 75_000, n)
    commission[salary >= 75_000] = 0  # drawn for all, so that every record takes the same number of draws
    zipcode = rng.integers(0, 9, n)
    return {
        "salary": salary,
        "commission": commission,
        "age": uniform("age"),
        "elevel": rng.integers(0, 5, n),
        "car": rng.integers(1, 21, n),
        "zipcode": zipcode,
        "hvalue": (9 - zipcode) * rng.uniform(50_000, 150_000, n),
        "hyears": uniform("hyears"),
        "loan": uniform("loan"),
    }


def _draw_balanced(n, function, rng):
    """Rejection: the places of each class are chosen first, then filled in the order in which records are drawn.

    Records are drawn in batches until every place is filled; what a class needs no more is thrown away.
    """
    in_a = rng.permutation(n) < n - n // 2
    free = [np.flatnonzero(~in_a), np.flatnonzero(in_a)]  # the places of B, and those of A
    records = {name: np.empty(n, column.dtype) for name, column in _draw(0, rng).items()}
    while any(map(len, free)):
        batch = _draw(min(max(2 * n, 512), _BATCH), rng)
        drawn_a = _in_a(function, batch)
        for of_a in (0, 1):
            chosen = np.flatnonzero(drawn_a == of_a)[: len(free[of_a])]
            places, free[of_a] = np.split(free[of_a], [len(chosen)])
            for name, column in batch.items():
                records[name][places] = column[chosen]
    return records, in_a


def plateau(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the plateau of Figure 2: uniform on [0.25, 0.75] (our choice; the paper only draws it).

    >>> plateau(3, rng=7).round(2).tolist()
    [0.56, 0.7, 0.64]
    """
    return 0.25 + 0.5 * _uniform(n, rng)


def triangles(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the two triangles of Figure 2: on [0, 0.5] and [0.5, 1], peaks at 0.25 and 0.75 (our choice).

    >>> triangles(3, rng=7).round(2).tolist()
    [0.68, 0.84, 0.76]
    """
    # One number says which triangle, by its half, and where in it: the inverse of the triangle's distribution.
    triangle, v = np.divmod(2 * _uniform(n, rng), 1)
    return (triangle + np.where(v < 0.5, np.sqrt(v / 2), 1 - np.sqrt((1 - v) / 2))) / 2


def _uniform(n, rng):
    return randomness.uniform(checks.whole("n", n, 1, MAX_RECORDS), randomness.generator(rng))
