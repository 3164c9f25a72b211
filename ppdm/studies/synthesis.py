"""Synthetic records with central differential privacy, after MST (McKenna, Miklau & Sheldon 2021).

What notebook 06 compares disguises with: somebody trusted holds all true records, and gives away others, drawn from a
tree of noisy two-way tables. A third of the budget pays for each column's table, a third for the choice of the tree, a
third for its two-way tables. Since the model is a tree, two-way tables that agree with the columns' are all it needs.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.randomness import Rng

ORDERS = 1 + np.geomspace(1e-6, 1e12, 20_000)  # of Rényi divergence, each of which bounds what is given away
LEAST_EPSILON = 1e-6
ROUNDS = 100  # of proportional fitting
TRACE = 1e-12  # share of independence in a two-way table, so that no row is empty


def synthesise(
    codes: pd.DataFrame, sizes: dict[Any, int], epsilon: float, delta: float, rng: Rng = None
) -> pd.DataFrame:
    """Synthetic records: (epsilon, delta)-differentially private for one record more or less, in the central model.

    Beware: somebody trusted must hold the true records. And this is for study, not for release: floating-point noise
    from a seeded generator keeps the promise on paper only. The number of records drawn is an estimate too.

    Parameters
    ----------
    codes : the true records: whole numbers from 0 to the column's size − 1
    sizes : the number of codes of each column, known beforehand and not read off the records
    epsilon : number of at least 1e-6
    delta : number in (0, 1)
    rng : a seed or Generator, to repeat a study

    >>> true = pd.DataFrame({"smokes": [0] * 700 + [1] * 300, "ill": [0] * 650 + [1] * 350})
    >>> made = synthesise(true, {"smokes": 2, "ill": 2}, epsilon=1, delta=1e-5, rng=1)
    >>> made.mean().round(1).to_dict()
    {'smokes': 0.3, 'ill': 0.3}
    """
    sizes = _checked(codes, sizes)
    third, source = zcdp(epsilon, delta) / 3, randomness.generator(rng)
    names = list(sizes)

    def table(*columns) -> np.ndarray:
        shape = [sizes[name] for name in columns]
        cells = np.ravel_multi_index([codes[name] for name in columns], shape)
        return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)

    singles = noisy([table(name) for name in names], third, source)
    # Each sum estimates the number of records, the better, the fewer noisy cells it has.
    of_each = [single.sum() for single in singles]
    total = max(1.0, float(np.average(of_each, weights=[1 / len(single) for single in singles])))
    shares = {name: nearest_shares(single / total) for name, single in zip(names, singles)}
    scores = np.zeros((len(names), len(names)))
    for a, b in combinations(range(len(names)), 2):
        apart = table(names[a], names[b]) - total * np.outer(shares[names[a]], shares[names[b]])
        scores[a, b] = scores[b, a] = np.abs(apart).sum()
    tree = [(names[parent], names[child]) for parent, child in spanning_tree(scores, third, source)]
    made = {names[0]: _drawn(np.zeros(round(total), dtype=int), shares[names[0]][None], source)}
    for (parent, child), pair in zip(tree, noisy([table(*edge) for edge in tree], third, source)):
        both = fitted(nearest_shares(pair / total), shares[parent], shares[child])
        made[child] = _drawn(made[parent], both, source)
    return pd.DataFrame(made)[names]


def zcdp(epsilon: float, delta: float) -> float:
    """A ρ such that ρ-zCDP gives (epsilon, delta)-differential privacy (Canonne, Kamath & Steinke 2020, Prop. 12).

    >>> round(zcdp(1, 1e-5), 4)
    0.0306
    """
    epsilon = checks.number("epsilon", epsilon, f"[{LEAST_EPSILON}, inf)")
    delta = checks.number("delta", delta, "(0, 1)")
    slack = np.log(delta) + np.log(ORDERS - 1) - ORDERS * np.log1p(-1 / ORDERS)
    return float(((epsilon + slack / (ORDERS - 1)) / ORDERS).max())


def noisy(tables: list[np.ndarray], rho: float, rng: np.random.Generator) -> list[np.ndarray]:
    """Tables of counts with Gaussian noise: ρ-zCDP for all together.

    A record more adds 1 to one cell of each, which moves all of them by √(number of tables).
    """
    sd = np.sqrt(len(tables) / (2 * rho))
    return [table + rng.normal(0, sd, table.shape) for table in tables]


def spanning_tree(scores: np.ndarray, rho: float, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Edges (parent, child), grown from 0 on, each chosen among the possible ones by the exponential mechanism.

    ρ-zCDP for all together, if a record more changes no score by more than 1: the choice of one by weights
    exp(ε/2 score) is ε²/8-zCDP. MST joins trees instead of growing one, which would have to be rooted afterwards.

    Parameters
    ----------
    scores : of each pair of columns; how far its table is from independence
    """
    epsilon = np.sqrt(8 * rho / (len(scores) - 1))
    inside, tree = [0], []
    while len(inside) < len(scores):
        edges = [(a, b) for a in inside for b in range(len(scores)) if b not in inside]
        weights = epsilon / 2 * scores[tuple(zip(*edges))]
        chances = np.exp(weights - weights.max())
        tree.append(edges[rng.choice(len(edges), p=chances / chances.sum())])
        inside.append(tree[-1][1])
    return tree


def nearest_shares(values: np.ndarray) -> np.ndarray:
    """The nearest numbers of at least 0 with sum 1: all less the same amount, those below 0 cut off.

    >>> nearest_shares(np.array([0.75, 0.5, -0.25])).tolist()
    [0.625, 0.375, 0.0]
    """
    falling = np.sort(values, axis=None)[::-1]
    less = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    return np.maximum(values - less[falling > less][-1], 0)


def fitted(pair: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """A two-way table that has these margins: rows and columns scaled in turn (iterative proportional fitting)."""
    shares = pair + TRACE * np.outer(rows, columns)
    for _ in range(ROUNDS):
        shares = shares * _quotient(columns, shares.sum(axis=0))
        shares = shares * _quotient(rows, shares.sum(axis=1))[:, None]
    return shares


def _drawn(parent, shares, rng):
    """A code for each record, given its parent's code: among equal parents the shares of their row, up to rounding."""
    order = np.lexsort((rng.random(len(parent)), parent))
    groups = np.bincount(parent, minlength=len(shares))
    place = np.arange(len(parent)) - np.repeat(np.cumsum(groups) - groups, groups)
    given = parent[order]
    lots = (place + rng.random(len(groups))[given]) / groups[given]
    upto = np.cumsum(shares, axis=1)
    codes = np.empty_like(parent)
    codes[order] = (upto[given, :-1] <= (lots * upto[given, -1])[:, None]).sum(axis=1)
    return codes


def _quotient(a, b):
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _checked(codes, sizes):
    """The sizes in the order of the columns, if the codes are what they say."""
    given = checks.mapping("sizes", sizes)
    checks.columns("codes", checks.frame("codes", codes).columns, given)
    checks.columns("sizes", given, codes.columns)
    if len(given) < 2:
        raise ValueError(f"codes has one column, {codes.columns[0]!r}; expected two or more, for a tree of pairs")
    for name, column in codes.items():
        checks.whole(f"sizes[{name!r}]", given[name], 2)
        if column.dtype.kind not in "iu":
            raise TypeError(f"codes[{name!r}] holds {column.dtype}; expected whole numbers, the codes")
        checks.none_missing(f"codes[{name!r}]", column)
        wrong = ((column < 0) | (column >= given[name])).to_numpy()
        expected = f"codes from 0 to {given[name] - 1}"
        checks.none_wrong(f"codes[{name!r}]", column.to_numpy(), wrong, "others", expected)
    return {name: int(given[name]) for name in codes.columns}
