"""Which released records may be a person's, by columns whose true values are known; and tables of counts for that."""

from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import softmax

from ppdm.checks import is_real
from ppdm.information import distinct_codes, parted
from ppdm.measure.risk import in_blocks
from ppdm.randomness import lots

TRIED = 1_000  # records whose law is looked at
NOTHING = 1e-18  # a weight that no sum would show


def links(actions, table, released, people, states, companions=None, most=None) -> sparse.csr_array:
    """The weights that released states (columns) have for people (rows) of whom he knows true values.

    Columns that are kept must be equal, and those without an action. Dropped ones tell nothing; shuffled ones tell how
    often the known value is in the group of a record, and redrawn ones how often it has the place of a released value
    in the order. If there are more states than ``most``, neighbours are joined: the first one has the weight of all.
    Who knows the row itself (no actions) has its state.
    """
    if actions is None:
        return counts_of(range(len(people)), states[people], (len(people), states.max() + 1))
    equal = [column for column, action in actions.items() if action is None or action.name == "keep"]
    own, key = rows_of(table[equal].iloc[people], released[equal])
    told = list(_laws(actions, equal, table, released, people, companions or {}))
    seen = [key, states, *(codes for _, codes in told)]
    # Records that look alike are looked at together.
    near = pd.DataFrame(dict(enumerate(seen)))[np.isin(key, own)]
    place, kinds = coded_values(near[1], most or len(near))
    near[1] = kinds[place]
    near = near.groupby([*near], sort=False).size().reset_index(name="size")
    key, state, *seen, size = near.to_numpy().T
    asked = []
    for (law, _), codes in zip(told, seen):
        # The law of what nobody has is not asked for.
        values, place = np.unique(codes, return_inverse=True)
        asked.append((law, values, place))
    of_state = sparse.eye_array(states.max() + 1, format="csr")[state]
    weights = []
    for rows in in_blocks(len(people), len(size)):
        score = np.where(own[rows, None] == key, np.log(size), -np.inf)
        for law, values, place in asked:
            score += law(rows, values)[:, place]
        if np.isneginf(score.max(axis=1, initial=-np.inf)).any():
            raise ValueError("released has rows that cannot stem from table; expected what was released of it")
        of_row = softmax(score, axis=1)
        of_row[of_row < NOTHING] = 0
        weights.append(sparse.csr_array(of_row) @ of_state)
    return sparse.vstack(weights, "csr")


def _laws(actions, equal, table, released, people, companions):
    """For each other column a law of people and codes, which takes their places, and the code of each record."""
    columns = released.columns.intersection(list(actions))
    for column in columns.difference(equal, sort=False):
        action = actions[column]
        true = table[column].iloc[people]
        has_law = action.log_law(released[column][:1], true[:1]) is not None
        if has_law and action.name == "redraw":
            seen, values = (pd.factorize(one[column], sort=True)[0] for one in (released, table))
            yield _by_shares(np.sort(seen), np.sort(values), values[people]), seen
        elif has_law:
            codes, distinct = pd.factorize(released[column], use_na_sentinel=False)
            yield partial(_law, action.log_law, distinct, true), codes
        elif companions.get(column) is not None:
            groups = distinct_codes("companion", companions[column])
            values = distinct_codes(f"column {column!r}", table[column])
            yield _by_shares(groups, values, values[people]), groups


def _by_shares(groups, values, own):
    """The law of people by how often their values are in each group."""
    shape = groups.max() + 1, values.max() + 1
    of_value = shares_of(groups, values, shape).T.tocsr()

    def law(rows, places) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(dense(of_value[own[rows]][:, places]))

    return law


def _law(log_law, distinct, true, rows, values):
    return log_law(distinct[values], true.iloc[rows])


def refuse_foreign(specification, table, released) -> None:
    """Refuse a column that the specification cannot have released of the table, row by row.

    Of noise and the like the law of some records is looked at.
    """
    for name in released:
        companion = specification.companion(name, table)
        with suppress(TypeError, ValueError):  # of values of another kind
            if _stems(specification.actions_, name, table, released, companion):
                continue
        told = f"released has a column {name!r} that cannot stem from table"
        raise ValueError(f"{told}; expected what the specification released of it, in the same order")


def _stems(actions, name, table, released, companion):
    action = actions[name]
    true = table[name]
    seen = released[name]
    if action.category != "perturbation":
        own = action.release(true)
        if own.equals(seen):
            return True
        # A file has no word for a missing label but nothing.
        first, second = (column.astype(object).where(column.notna(), "") for column in (own, seen))
        return first.equals(second)
    if action.name == "shuffle":
        return _moved(actions, action, table, released, companion)
    if action.log_law(seen[:1], true[:1]) is None:
        return True
    if action.name == "redraw":
        ranks = [pd.factorize(column, sort=True)[0] for column in (seen, true)]
        order = np.lexsort(ranks)
        return (np.diff(ranks[0][order]) >= 0).all()
    some = lots(len(table)).permutation(len(table))[:TRIED]
    # A law is asked for whole tables: of small ones less is for nothing.
    for rows in np.array_split(some, len(some) // 50 + 1):
        law = action.log_law(seen.iloc[rows], true.iloc[rows])
        if np.isneginf(np.diag(law)).any():
            return False
    return True


def _moved(actions, action, table, released, companion):
    """Whether the same values stand in each group, together with what moves along."""
    names = [name for name, other in actions.items() if other is action]
    groups = np.zeros(len(table), int) if companion is None else distinct_codes("companion", companion)
    both = rows_of(table[names], released[names])
    before, after = (np.sort(codes * (groups.max() + 1) + groups) for codes in both)
    return (before == after).all()


def anonymity(table) -> tuple:
    """The size of the smallest group of equal rows, and how many rows equal no other."""
    sizes = np.bincount(*rows_of(table))
    return int(sizes.min()), int((sizes == 1).sum())


def rows_of(*tables) -> list:
    """For each of some tables the number of each row among the distinct ones of all; 0 if there are no columns."""
    whole = pd.concat(tables)
    codes = np.zeros(len(whole), int)
    for name, column in whole.items():
        own = distinct_codes(f"column {name!r}", column)
        # Numbered anew after each column, so that no number becomes too large.
        codes = pd.factorize(codes * (own.max() + 1) + own)[0]
    return parted(codes, tables)


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


def joined(number, most) -> np.ndarray:
    """The cell of each of so many things in a row, in at most so many cells of about equal size."""
    return np.arange(number) * min(number, most) // max(number, 1)


def coded_values(values, most) -> tuple:
    """The place of each value among the distinct ones, −1 if missing; and these, sorted, of numbers at most so many."""
    codes, distinct = pd.factorize(values, sort=True)
    number = len(distinct)
    if number > most and is_real(values.dtype):
        cells = joined(number, most)
        _, first = np.unique(cells, return_index=True)
        distinct = distinct[first]
        codes = np.where(codes < 0, -1, cells[codes])
    return codes, distinct
