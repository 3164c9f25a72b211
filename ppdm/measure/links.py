"""Which released records may be a person's, by columns whose true values are known; and tables of counts for that."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_any_real_numeric_dtype as is_number
from scipy import sparse
from scipy.special import softmax

from ppdm.measure.risk import distinct_codes, in_blocks
from ppdm.randomness import lots

TRIED = 1_000  # records whose law is looked at
NOTHING = 1e-18  # a weight that no sum would show


def links(actions, table, released, people, states, companions=None, most=None) -> sparse.csr_array:
    """The weights that released states (columns) have for people (rows) of whom he knows true values.

    Columns that are kept must be equal, and those without an action. Dropped ones tell nothing; shuffled ones tell how
    often the known value is in the group of a record. If there are more states than ``most``, neighbours are joined:
    the first one has the weight of all.
    """
    equal = [column for column, action in actions.items() if action is None or action.name == "keep"]
    both = pd.concat([table[equal].iloc[people], released[equal]])
    own, key = np.split(rows_of(both), [len(people)])
    laws: list[Callable] = []
    seen = [key, states]
    for column in released.columns.intersection(list(actions)).difference(equal, sort=False):
        codes, distinct = pd.factorize(released[column], use_na_sentinel=False)
        true = table[column].iloc[people]
        action, companion = actions[column], (companions or {}).get(column)
        if action.log_law(distinct[:1], true[:1]) is not None:
            laws.append(partial(_law, action.log_law, distinct, true))
            seen.append(codes)
        elif companion is not None:
            groups = distinct_codes("companion", companion)
            values = distinct_codes(f"column {column!r}", table[column])
            shares = shares_of(groups, values, (groups.max() + 1, values.max() + 1)).T.tocsr()
            laws.append(partial(_log_shares, shares, values[people]))
            seen.append(groups)
    # Records that look alike are looked at together.
    near = pd.DataFrame(dict(enumerate(seen)))[np.isin(key, own)]
    kinds = np.unique(near[1])
    if most is not None and len(kinds) > most:
        cell = np.arange(len(kinds)) * most // len(kinds)
        first = kinds[np.unique(cell, return_index=True)[1]]
        near[1] = first[cell[np.searchsorted(kinds, near[1])]]
    near = near.groupby([*near], sort=False).size().reset_index(name="size")
    key, state, *seen, size = near.to_numpy().T
    asked = [(law, *np.unique(codes, return_inverse=True)) for law, codes in zip(laws, seen)]
    of_state = sparse.eye_array(states.max() + 1, format="csr")[state]
    weights = []
    for rows in in_blocks(len(people), len(size)):
        score = np.where(own[rows, None] == key, np.log(size), -np.inf)
        for law, values, codes in asked:
            score += law(rows, values)[:, codes]
        if np.isneginf(score.max(axis=1, initial=-np.inf)).any():
            raise ValueError("released has rows that cannot stem from table; expected what was released of it")
        of_row = softmax(score, axis=1)
        weights.append(sparse.csr_array(np.where(of_row > NOTHING, of_row, 0)) @ of_state)
    return sparse.vstack(weights, "csr")


def _law(log_law, distinct, true, rows, values):
    return log_law(distinct[values], true.iloc[rows])


def _log_shares(shares, own, rows, values):
    with np.errstate(divide="ignore"):
        return np.log(dense(shares[own[rows]][:, values]))


def foreign(specification, table, released) -> str | None:
    """The first column that the specification cannot have released of the table, row by row; None if there is none.

    Of noise and the like the law of some records is looked at.
    """
    for name in released:
        companion = specification.companion(name, table)
        try:
            if _stems(specification.actions_, name, table, released, companion):
                continue
        except (TypeError, ValueError):  # of values of another kind
            pass
        return name
    return None


def _stems(actions, name, table, released, companion):
    action, true, seen = actions[name], table[name], released[name]
    if action.category != "perturbation":
        own = true if action.name == "keep" else action.release(true)
        # A file has no word for a missing label but nothing.
        both = [column.astype(object).where(column.notna(), "") for column in (own, seen)]
        return both[0].equals(both[1])
    if action.name == "shuffle":
        # The same values stand in each group, together with what moves along.
        groups = np.zeros(len(table), int) if companion is None else distinct_codes("companion", companion)
        moved = [column for column, other in actions.items() if other is action]
        both = pd.concat([table[moved], released[moved]])
        # Lists and the like are compared as text.
        codes = rows_of(both.map(repr) if "O" in both.dtypes.map(lambda kind: kind.kind).array else both)
        pairs = np.sort(np.reshape(codes * (groups.max() + 1) + np.tile(groups, 2), (2, -1)))
        return (pairs[0] == pairs[1]).all()
    if action.log_law(seen[:1], true[:1]) is None:
        return True
    if action.name == "redraw":
        ranks = [coded_values(column, len(table))[0] for column in (seen, true)]
        return (np.diff(ranks[0][np.lexsort(ranks)]) >= 0).all()
    some = lots(len(table)).permutation(len(table))[:TRIED]
    law = action.log_law(seen.iloc[some], true.iloc[some])
    return (np.diag(law) > -np.inf).all()


def anonymity(table) -> tuple[int, int]:
    """The size of the smallest group of equal rows, and how many rows equal no other."""
    sizes = np.bincount(rows_of(table))
    return int(sizes.min()), int((sizes == 1).sum())


def rows_of(table) -> np.ndarray:
    """The number of each row among the distinct ones; 0 if there are no columns."""
    codes = np.zeros(len(table), int)
    for name, column in table.items():
        own = distinct_codes(f"column {name!r}", column)
        # Numbered anew after each column, so that no number becomes too large.
        codes = pd.factorize(codes * (own.max() + 1) + own)[0]
    return codes


def dense(rows) -> np.ndarray:
    """The rows as an array, if they are sparse."""
    return rows.toarray() if sparse.issparse(rows) else rows


def counts_of(rows, columns, shape) -> sparse.csr_array:
    """A table of counts, sparse because it may be large."""
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape)


def shares_of(rows, columns, shape) -> sparse.csr_array:
    """The same as shares of each row; a row without a count is zero."""
    counts = counts_of(rows, columns, shape)
    return sparse.diags_array(1 / np.maximum(counts.sum(axis=1), 1)) @ counts


def coded_values(values, most) -> tuple[np.ndarray, Any]:
    """The place of each value among the distinct ones, −1 if missing; and these, sorted, of numbers at most so many."""
    codes, distinct = pd.factorize(values, sort=True)
    number = len(distinct)
    if number > most and is_number(values.dtype):
        cells = np.arange(number) * most // number
        distinct = distinct[np.unique(cells, return_index=True)[1]]
        codes = np.where(codes < 0, -1, cells[codes])
    return codes, distinct
