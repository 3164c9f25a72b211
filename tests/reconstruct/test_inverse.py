"""Direct estimators: the inverse undoes the channel, and the likeliest shares are the best of all distributions."""

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import xlogy

from ppdm.disguise import KeepOrReplace, RandomizedResponse
from ppdm.reconstruct import FixedStop, invert, reconstruct_counts
from ppdm.reconstruct.inverse import likeliest


@given(st.integers(1, 6), st.integers(0, 1000))
def test_it_undoes_the_channel(k, seed):
    rng = np.random.default_rng(seed)
    matrix, true = 0.5 * np.eye(k) + 0.5 * rng.dirichlet(np.ones(k), size=k), rng.dirichlet(np.ones(k))
    assert invert(true @ matrix, matrix) == pytest.approx(true, abs=1e-8)


def test_estimates_may_be_negative_but_keep_the_sum():
    estimate = invert([1, 0], [[0.75, 0.25], [0.25, 0.75]])
    assert estimate == pytest.approx([1.5, -0.5])


@pytest.mark.parametrize(
    ("proportions", "matrix", "error", "message"),
    [
        ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], ValueError, "matrix has the condition number"),
        ([0.5, 0.5], [[0, 0], [0, 0]], ValueError, "matrix has the condition number"),
        ([0.5, 0.5], [[0.5 + 1e-14, 0.5], [0.5, 0.5 + 1e-14]], ValueError, "expected less than 1e.12"),
        ([0.5, 0.5], [[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]], ValueError, r"matrix has shape \(2, 3\); expected a square"),
        ([0.5, 0.3, 0.2], np.eye(2), ValueError, "proportions has 3 entries for a matrix of 2 columns"),
        ([0.5, np.nan], np.eye(2), ValueError, "proportions has 1 missing"),
        ([1.5, -0.5], np.eye(2), ValueError, "proportions holds -0.5"),
        ([], np.eye(2), ValueError, "proportions is empty"),
        ([0.5, 0.5], [1, 0], ValueError, r"matrix has shape \(2,\)"),
        ([0.5, 0.5], [["a", "b"], ["c", "d"]], TypeError, "matrix holds text"),
    ],
)
def test_bad_arguments_are_refused(proportions, matrix, error, message):
    with pytest.raises(error, match=message):
        invert(proportions, matrix)


def kept(keep, k):
    return KeepOrReplace(keep=keep, categories=range(k)).matrix()


@st.composite
def answers(draw, least=2):
    """Counts, zeros and ties among them, and the matrix of a channel that tells something."""
    counts = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 7, 40, 500]), min_size=least, max_size=6).filter(any))
    if len(counts) == 2 and draw(st.booleans()):
        theta, unrelated = draw(st.floats(0.02, 1)), draw(st.sampled_from([0, 1]) | st.floats(0, 1))
        return np.array(counts), RandomizedResponse(theta, unrelated).matrix()
    keep = draw(st.sampled_from([0, 1]) | st.floats(0, 1))
    hypothesis.assume(abs(keep - 1 / len(counts)) > 0.02)
    return np.array(counts), kept(keep, len(counts))


@given(answers())
def test_no_distribution_makes_the_counts_likelier(answer):
    # A concave function is at its highest over the distributions where no corner lies uphill.
    counts, matrix = answer
    found = likeliest(counts, matrix)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    seen = found @ matrix
    slopes = matrix @ np.divide(counts, seen, out=np.zeros(len(counts)), where=counts > 0)
    assert slopes.max() <= counts.sum() * (1 + 1e-9)


@pytest.mark.parametrize("counts", [[50, 40, 10], [5, 0, 0, 0], [3, 3, 0, 1], [1, 1, 8], [9, 2]])
@pytest.mark.parametrize("keep", [0, 0.1, 0.2, 0.4, 0.8, 1])
def test_a_search_comes_to_the_same(keep, counts):
    matrix, start = kept(keep, len(counts)), np.full(len(counts), 1 / len(counts))

    def loss(x):
        return -xlogy(counts, np.maximum(x @ matrix, 1e-300)).sum()

    sums_to_1 = {"type": "eq", "fun": lambda x: x.sum() - 1}
    searched = minimize(loss, start, bounds=[(0, 1)] * len(counts), constraints=sums_to_1, method="SLSQP", tol=1e-12)
    found = likeliest(np.array(counts), matrix)
    assert loss(found) <= searched.fun + 1e-9
    assert found @ matrix == pytest.approx(searched.x @ matrix, abs=1e-3)


@given(answers())
def test_the_iteration_goes_there(answer):
    # After t steps it lacks at most n × (the divergence of the goal from the uniform start) / t (Csiszár & Tusnády).
    counts, matrix = answer
    goal = likeliest(counts, matrix)
    likelihood = reconstruct_counts(counts, matrix, stop=FixedStop(1000)).log_likelihood
    lacking = xlogy(counts, goal @ matrix).sum() - likelihood[1:]
    divergence = np.log(len(goal)) + xlogy(goal, goal).sum()
    assert lacking.min() >= -1e-9 * counts.sum()
    assert (lacking <= counts.sum() * (divergence / np.arange(1, 1001) + 1e-9)).all()


@given(answers())
def test_it_is_the_inverse_where_that_is_a_distribution(answer):
    counts, matrix = answer
    inverse = invert(counts / counts.sum(), matrix)
    if inverse.min() >= 0:
        assert likeliest(counts, matrix) == pytest.approx(inverse, abs=1e-9)
    else:
        assert likeliest(counts, matrix)[inverse.argmin()] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("counts", "matrix", "shares"),
    [
        # Warner's question, answered truthfully with 0.8: (0.74 - 0.2) / 0.6, and an answer rarer than its lies.
        ([74, 26], kept(0.8, 2), [0.9, 0.1]),
        ([10, 90], kept(0.8, 2), [0, 1]),
        # Never one's own value: what nobody answers is what all have, and several such share alike.
        ([5, 5, 0], kept(0, 3), [0, 0, 1]),
        ([9, 0, 0], kept(0, 3), [0, 0.5, 0.5]),
        ([4, 4, 4], kept(0.1, 3), [1 / 3, 1 / 3, 1 / 3]),
        ([0, 0, 2], kept(0.5, 3), [0, 0, 1]),
        # Almost nothing is told: rounding must not be blown up.
        ([5, 4, 1], kept(1 / 3 + 1e-9, 3), [1, 0, 0]),
        ([1, 1, 7, 7], kept(1 / 4 - 1e-9, 4), [0.5, 0.5, 0, 0]),
    ],
)
def test_likeliest_by_hand(counts, matrix, shares):
    assert likeliest(np.array(counts), matrix) == pytest.approx(shares, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "matrix", "shares"),
    [
        # 0.2 is answered yes anyhow, 0.7 if it is true: (0.4 - 0.2) / 0.5, and a yes that is too rare, or too frequent.
        ([60, 40], [[0.8, 0.2], [0.3, 0.7]], [0.6, 0.4]),
        ([90, 10], [[0.8, 0.2], [0.3, 0.7]], [1, 0]),
        ([20, 80], [[0.8, 0.2], [0.3, 0.7]], [0, 1]),
        # The same with the rows exchanged.
        ([60, 40], [[0.3, 0.7], [0.8, 0.2]], [0.4, 0.6]),
        # A yes that is never said by chance, and one that always is.
        ([3, 1], [[1, 0], [0.5, 0.5]], [0.5, 0.5]),
        ([1, 3], [[0.5, 0.5], [0, 1]], [0.5, 0.5]),
    ],
)
def test_two_categories_by_hand(counts, matrix, shares):
    assert likeliest(np.array(counts), np.array(matrix)) == pytest.approx(shares, abs=1e-12)


@pytest.mark.parametrize("keep", [0, 0.3, 0.9])
def test_the_inverse_of_kept_or_replaced_answers_is_the_textbook_one(keep):
    observed = np.array([0.5, 0.3, 0.15, 0.05])
    other = (1 - keep) / 3
    assert invert(observed, kept(keep, 4)) == pytest.approx((observed - other) / (keep - other))


@pytest.mark.parametrize("estimate", [invert, reconstruct_counts])
def test_a_matrix_the_wrong_way_round_is_noticed(estimate):
    with pytest.raises(ValueError, match=r"matrix has columns that sum to 1, not rows; .* transpose it"):
        estimate([10, 20], [[0.9, 0.3], [0.1, 0.7]])
