"""The loop: it needs no matrix, only what one does to an estimate; and it asks a rule beforehand, if the rule wants."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct import ChiSquareStop, FixedStop, reconstruct_counts
from ppdm.reconstruct.iteration import iterate


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_one_matrix_for_each_axis_is_their_kronecker_product(rows, others, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.dirichlet(np.ones(5), size=rows), rng.dirichlet(np.ones(3), size=others)
    counts, start = rng.integers(1, 50, 15), rng.dirichlet(np.ones(rows * others))
    history, met = iterate(
        lambda x: (a.T @ x.reshape(rows, others) @ b).ravel(),
        lambda r: (a @ r.reshape(5, 3) @ b.T).ravel(),
        counts,
        start,
        ChiSquareStop(),
    )
    whole = reconstruct_counts(counts, np.kron(a, b), start)
    assert met
    assert history == pytest.approx(whole.history, abs=1e-12)


class Asked:
    """A rule that tries the iteration on some of the counts first; it has no other way to stop."""

    cap = 9
    watch = None

    def settle(self, counts, trial):
        seen = []

        def third(_old, _new, again):
            seen.append(again)
            return len(seen) % 3 == 0

        assert [trial(counts // 2, third, cap) for cap in (2, 9)] == [False, True]
        return FixedStop(len(seen))


def test_a_rule_may_settle_beforehand_for_another():
    matrix, counts, start = np.array([[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]), np.array([50, 1, 30]), np.array([0.5, 0.5])
    history, met = iterate(matrix.T.dot, matrix.dot, counts, start, Asked())
    assert np.array_equal(history, reconstruct_counts(counts, matrix, stop=FixedStop(3)).history)
    assert met
