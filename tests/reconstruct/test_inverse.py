"""Direct estimators: the inverse undoes the channel, and the likeliest shares are the best of all distributions."""

import itertools
import warnings
from functools import reduce

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import codes, joint_matrix
from scipy.optimize import minimize
from scipy.special import xlogy

from ppdm.data import BinaryCuts, load
from ppdm.disguise import GroupedResponse, KeepOrReplace, RandomizedResponse
from ppdm.estimate import Estimate
from ppdm.reconstruct import (
    FixedStop,
    estimate,
    frequencies,
    invert,
    proportion,
    proportion_variance,
    reconstruct_counts,
    record_weights,
)
from ppdm.reconstruct.inverse import likeliest

# Of a few records no estimate says anything, which is warned of; what it is made of is tested all the same.
pytestmark = pytest.mark.filterwarnings("ignore:the standard error of a share")


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
        ([0.5, 0.5], [[0, 0], [0, 0]], ValueError, "matrix has rows that sum to 1 ± 1"),
        ([0.5, 0.5], [[0.5 + 1e-14, 0.5], [0.5, 0.5 + 1e-14]], ValueError, "expected less than 1e.12"),
        (
            [0.5, 0.5],
            [[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]],
            ValueError,
            r"matrix has shape \(2, 3\); expected a square",
        ),
        ([0.5, 0.3, 0.2], np.eye(2), ValueError, "proportions has 3 entries for a matrix of 2 columns"),
        ([0.5, np.nan], np.eye(2), ValueError, "proportions has 1 .*missing"),
        ([1.5, -0.5], np.eye(2), ValueError, "proportions has 1 of 2 negative"),
        ([], np.eye(2), ValueError, "proportions is empty"),
        ([0.5, 0.5], [1, 0], ValueError, r"matrix has 1 dimensions; expected two"),
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
    counts = draw(
        st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 7, 40, 500]), min_size=least, max_size=6).filter(any)
    )
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
    searched = minimize(
        loss, start, bounds=[(0, 1)] * len(counts), constraints=sums_to_1, method="SLSQP", tol=1e-12
    )
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
    with pytest.raises(ValueError, match=r"matrix has columns that sum to 1; .* transpose it"):
        estimate([10, 20], [[0.9, 0.3], [0.1, 0.7]])


# Estimates from grouped answers: the enumerated inverse, closed forms, unbiased by simulation, what is refused.

TOWNS = ["Ayr", "Bern", "Cork"]
MIXED = GroupedResponse([0.85, 0.2], [["a", "town"], ["b", "c"]], {"town": TOWNS})
ASKED = [
    {"a": 1},
    {"town": "Bern"},
    {"a": 1, "town": "Cork"},
    {"a": 0, "town": "Ayr", "b": 1, "c": 1, "open": "x"},
]


def informative(theta, sizes):
    try:
        channel = GroupedResponse(theta, [range(len(sizes))], {place: range(k) for place, k in enumerate(sizes)})
    except ValueError:  # it has no inverse
        return False
    return channel.parts[0].smallest_eigenvalue > 0.02


@st.composite
def cases(draw, sizes=(2, 2, 2, 3, 4)):
    """True records, disguised ones, the channel, and a conjunction; a group may be missing, a column is in none."""
    k = draw(st.lists(st.sampled_from(sizes), min_size=1, max_size=4))
    names = [f"q{i}" for i in range(len(k))]
    owner = draw(st.lists(st.integers(0, 2), min_size=len(k), max_size=len(k)))
    groups = [[i for i in range(len(k)) if owner[i] == g] for g in sorted(set(owner))]
    thetas = draw(st.lists(st.floats(0, 1), min_size=len(groups), max_size=len(groups)))
    assume(all(informative(theta, [k[i] for i in group]) for theta, group in zip(thetas, groups, strict=True)))
    values = {name: range(one) for name, one in zip(names, k, strict=True)}
    channel = GroupedResponse(thetas, [[names[i] for i in group] for group in groups], values)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    truth = pd.DataFrame(
        {name: rng.choice(len(v), 60, p=rng.dirichlet(np.ones(len(v)))) for name, v in values.items()}
    )
    truth["open"] = rng.choice(["x", "y"], 60)
    asked = draw(st.lists(st.sampled_from([*names, "open"]), min_size=1, unique=True))
    conjunction = {name: draw(st.sampled_from([*values.get(name, "x")])) for name in asked}
    return truth, channel.disguise(truth, rng), channel, conjunction


def holds(frame, conjunction):
    """Which records satisfy a conjunction."""
    return reduce(np.logical_and, [frame[name] == value for name, value in conjunction.items()]).to_numpy()


def population(n=400, seed=1):
    rng = np.random.default_rng(seed)
    a = rng.random(n) < 0.3
    town = np.where(a, rng.choice(TOWNS, n, p=[0.1, 0.2, 0.7]), rng.choice(TOWNS, n))
    b = rng.random(n) < np.where(town == "Ayr", 0.8, 0.2)
    return pd.DataFrame(
        {"a": 1 * a, "town": town, "b": 1 * b, "c": 1 * (a ^ b), "open": rng.choice(["x", "y"], n)}
    )


def expectation(truth, channel, conjunction, power):
    """The mean of a power of a record's weight over all that may be released of the true records."""
    names = [name for name in conjunction if name in channel.columns]
    open_ = {name: value for name, value in conjunction.items() if name not in names}
    kinds = pd.DataFrame(
        list(itertools.product(*(channel.answers[name].categories for name in names))), columns=names
    )
    weights = record_weights(kinds, channel, {name: conjunction[name] for name in names})
    places = codes(channel, truth[names])
    place = np.ravel_multi_index([places[name] for name in names], [channel.answers[name].k for name in names])
    return joint_matrix(channel, names)[place] @ weights**power * (holds(truth, open_) if open_ else 1)


@given(cases())
def test_estimates_are_those_of_the_enumerated_inverse(case):
    _, seen, channel, conjunction = case
    columns = [name for name in channel.columns if name in conjunction]
    assume(columns)
    rows = seen[seen["open"] == "x"] if "open" in conjunction else seen
    shares = np.zeros([channel.answers[name].k for name in columns])
    np.add.at(shares, tuple(rows[name].to_numpy() for name in columns), 1 / len(seen))
    inverse = invert(shares.ravel(), joint_matrix(channel, columns)).reshape(shares.shape)
    expected = inverse[tuple(conjunction[name] for name in columns)]
    assert proportion(seen, channel, conjunction) == pytest.approx(expected, abs=1e-10)


@given(cases(sizes=(2,)))
def test_estimates_are_the_papers_solution_of_m_g(case):
    # DZ03 §4.5: count every vector of "as E says" and "reversed", group by group, and solve M_g.
    _, seen, channel, conjunction = case
    counts = []
    for reversed_ in itertools.product([0, 1], repeat=len(channel.groups)):
        flip = {name: r for r, group in zip(reversed_, channel.groups, strict=True) for name in group}
        vector = {name: value ^ flip[name] if name in flip else value for name, value in conjunction.items()}
        counts.append(holds(seen, vector).mean())
    solved = np.linalg.solve(channel.matrix(), counts)
    assert proportion(seen, channel, conjunction) == pytest.approx(solved[0], abs=1e-10)


@given(cases())
def test_shares_of_all_values_sum_to_1_and_to_what_they_refine(case):
    _, seen, channel, conjunction = case
    first = next(iter(conjunction))
    values = channel.answers[first].categories if first in channel.answers else ["x", "y"]
    every = [proportion(seen, channel, {**conjunction, first: value}) for value in values]
    rest = {name: value for name, value in conjunction.items() if name != first}
    assert sum(every) == pytest.approx(proportion(seen, channel, rest) if rest else 1, abs=1e-9)


@given(cases())
def test_on_average_every_record_counts_for_what_it_is(case):
    truth, _, channel, conjunction = case
    assume(set(conjunction) & set(channel.columns))
    inside = holds(truth, conjunction)
    assert expectation(truth, channel, conjunction, 1) == pytest.approx(1.0 * inside, abs=1e-9)
    variance = (expectation(truth, channel, conjunction, 2).mean() - inside.mean() ** 2) / len(truth)
    assert proportion_variance(truth, channel, conjunction) == pytest.approx(variance, rel=1e-9, abs=1e-12)
    assert proportion_variance(truth, channel, conjunction, 7 * len(truth)) == pytest.approx(
        variance / 7, abs=1e-12
    )


@pytest.mark.parametrize("conjunction", ASKED, ids=str)
def test_simulated_estimates_are_unbiased_with_the_variance_and_error_as_stated(conjunction):
    # 1,000 samples of 300: the mean lies within 4.5 of its errors, the variance within 25 % (5 of its errors).
    truth, rng = population(), np.random.default_rng(2)
    seen = MIXED.disguise(truth.iloc[rng.integers(0, len(truth), 300_000)], rng)
    weights = record_weights(seen, MIXED, conjunction).reshape(1000, 300)
    found = [Estimate(one.mean(), one.std(ddof=1) / 300**0.5) for one in weights]
    assert estimate(seen[:300], MIXED, conjunction) == found[0]
    share, variance = holds(truth, conjunction).mean(), proportion_variance(truth, MIXED, conjunction, 300)
    values, errors = np.array([[one.value, one.error] for one in found]).T
    assert abs(values.mean() - share) < 4.5 * (variance / 1000) ** 0.5
    assert values.var() == pytest.approx(variance, rel=0.25)
    assert (errors**2).mean() == pytest.approx(variance, rel=0.1)
    low, high = np.array([one.interval(0.95) for one in found]).T
    assert 0.92 < ((low <= share) & (share <= high)).mean() < 0.98


@given(st.integers(1, 200), st.integers(0, 200), st.floats(0, 1).filter(lambda theta: abs(theta - 0.5) > 0.01))
def test_one_question_is_warners(yes, no, theta):
    seen, channel = pd.DataFrame({"a": [1] * yes + [0] * no}), GroupedResponse(theta, [["a", "b"]])
    share, n = yes / (yes + no), yes + no
    assert proportion(seen, channel, {"a": 1}) == pytest.approx((share + theta - 1) / (2 * theta - 1))
    # Warner (1965): the variance of true answers, and what the lies add to it.
    warner = share * (1 - share) / n + theta * (1 - theta) / (n * (2 * theta - 1) ** 2)
    assert proportion_variance(seen, channel, {"a": 1}) == pytest.approx(warner)


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.floats(0, 1))
def test_frequencies_are_those_of_generalised_randomised_response(seed, k, theta):
    # As libraries for local differential privacy have it: (count / n − q) / (p − q).
    assume(abs(theta - 1 / k) > 0.02)
    values = np.random.default_rng(seed).integers(0, k, 500)
    channel = GroupedResponse(theta, [["a"]], {"a": range(k)})
    p, q = theta, (1 - theta) / (k - 1)
    closed = (np.bincount(values, minlength=k) / 500 - q) / (p - q)
    ours = [proportion(pd.DataFrame({"a": values}), channel, {"a": value}) for value in range(k)]
    assert ours == pytest.approx(closed, abs=1e-9)


@pytest.mark.parametrize("groups", [1, 3, 5])
def test_told_truly_or_reversed_shares_are_exact(groups):
    X = population()[["a", "b", "c"]].assign(d=1, e=0)
    for theta in (0, 1):
        channel = GroupedResponse.divided(theta, list(X), groups)
        for conjunction in ({"a": 1}, {"a": 0, "c": 1}, {"a": 1, "b": 0, "c": 1, "d": 1}, {"e": 1}):
            assert proportion(channel.disguise(X), channel, conjunction) == holds(X, conjunction).mean()


def test_variance_grows_towards_one_half_and_with_the_groups():
    X = population()[["a", "b", "c"]]
    everything = {"a": 1, "b": 0, "c": 1}

    def variance(theta, groups):
        return proportion_variance(X, GroupedResponse.divided(theta, list(X), groups), everything)

    by_theta = [variance(theta, 1) for theta in (1, 0.9, 0.75, 0.6, 0.51)]
    assert by_theta == sorted(by_theta)
    assert variance(0.8, 1) < variance(0.8, 2) < variance(0.8, 3)
    assert variance(0.8, 2) == pytest.approx(variance(0.2, 2))


@pytest.mark.parametrize("name", ["votes", "wbc"])
@pytest.mark.parametrize("number", [1, 3, "all"])
def test_estimates_of_real_records_are_within_their_errors(name, number):
    table = load(name)
    X = BinaryCuts.of(table.X, table.listed).apply(table.X)
    channel = GroupedResponse.drawn(0.9, list(X), len(X.columns) if number == "all" else number, rng=1)
    seen = channel.disguise(X, rng=2)
    for columns in itertools.combinations(X, 2):
        found = estimate(seen, channel, dict.fromkeys(columns, 1))
        assert abs(found.value - holds(X, dict.fromkeys(columns, 1)).mean()) < 4.5 * found.error


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.floats(0, 1))
def test_the_weights_of_a_group_are_entries_of_the_inverse(sizes, theta):
    assume(informative(theta, sizes))
    names = list(range(len(sizes)))
    channel = GroupedResponse(theta, [names], {i: range(k) for i, k in enumerate(sizes)})
    inverse = np.linalg.inv(joint_matrix(channel, names)).reshape(*sizes, *sizes)
    origin = inverse[(0,) * len(sizes)]
    (part,) = channel.parts
    for seen in itertools.product(*map(range, sizes)):
        matches = {name: np.array([value == 0]) for name, value in zip(names, seen, strict=True)}
        assert part.match_weights(matches) == pytest.approx(origin[seen], abs=1e-9)


def test_booleans_and_nullable_columns_are_0_and_1():
    X = population()[["a", "b"]]
    channel = GroupedResponse(0.8, [["a", "b"]])
    expected = proportion(X, channel, {"a": 1, "b": 0})
    for dtype in ("bool", "boolean", "Int64", "float", "object"):
        for yes, no in ((1, 0), (True, False), (np.True_, np.int8(0)), (1.0, 0.0)):
            assert proportion(X.astype(dtype), channel, {"a": yes, "b": no}) == expected


def test_one_record_is_enough_for_a_share_and_not_for_its_error():
    one = pd.DataFrame({"a": [1]})
    assert proportion(one, GroupedResponse(0.9, [["a"]]), {"a": 1}) == pytest.approx(1.125)
    with pytest.raises(ValueError, match="frame has one record; expected two or more"):
        estimate(one, GroupedResponse(0.9, [["a"]]), {"a": 1})


def test_many_attributes_of_two_values_are_no_trouble_and_of_more_are_refused():
    names = [f"q{i}" for i in range(17)]
    X = pd.DataFrame(np.ones((3, len(names)), dtype=int), columns=names)
    assert proportion(X, GroupedResponse(0.9, [names]), dict.fromkeys(names, 1)) == pytest.approx(1.125)
    wide = GroupedResponse(0.9, [names], {names[0]: [0, 1, 2]})
    with pytest.raises(ValueError, match=r"conjunction names 17 attributes of one group.*expected at most 16"):
        proportion(X, wide, dict.fromkeys(names, 1))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"frame": [[1]]}, TypeError, "frame is a list; expected a pandas DataFrame"),
        ({"frame": population()[["b"]]}, ValueError, "conjunction names 'a', which the table does not have"),
        ({"channel": 0.9}, TypeError, "channel is a float; expected a dict of channels"),
        ({"conjunction": ["a"]}, TypeError, "conjunction is a list; expected a dict"),
        ({"conjunction": {}}, ValueError, "conjunction is empty"),
        ({"conjunction": {"z": 1}}, ValueError, "conjunction names 'z'"),
        ({"conjunction": {"a": 2}}, ValueError, r"conjunction\['a'\] has 1 of 1 that are none of the categories"),
        ({"conjunction": {"a": "1"}}, ValueError, r"conjunction\['a'\] has 1 of 1 that"),
        ({"conjunction": {"town": "Rome"}}, ValueError, r"conjunction\['town'\] has 1 of 1 that"),
        (
            {"conjunction": {"a": np.nan}},
            ValueError,
            r"conjunction\['a'\] is nan; expected a single value, not missing",
        ),
        ({"conjunction": {"open": None}}, ValueError, r"conjunction\['open'\] is None; expected a single value"),
        (
            {"conjunction": {"open": ["x", "y"]}},
            ValueError,
            r"conjunction\['open'\] is \['x', 'y'\]; expected a single",
        ),
        ({"frame": population().assign(a=2)}, ValueError, "column 'a' has 400 of 400"),
        ({"frame": population().assign(a=np.nan)}, ValueError, "column 'a' .*first at position 0"),
        (
            {"frame": population().assign(open=None), "conjunction": {"open": "x"}},
            ValueError,
            r"column 'open' has 400 missing \(NaN\)",
        ),
    ],
)
def test_bad_questions_about_groups_are_refused(change, error, message):
    arguments = {"frame": population(), "channel": MIXED, "conjunction": {"a": 1}, **change}
    for call in (proportion, estimate, record_weights):
        with pytest.raises(error, match=message):
            call(**arguments)
    arguments["truth"] = arguments.pop("frame")
    with pytest.raises(error, match=message.replace("frame", "(frame|truth)")):
        proportion_variance(**arguments)


@pytest.mark.parametrize(("records", "error"), [(0, ValueError), (2.5, TypeError)])
def test_a_number_of_records_that_is_none_is_refused(records, error):
    with pytest.raises(error, match=f"records is {records}; expected a whole number"):
        proportion_variance(population(), MIXED, {"a": 1}, records)


def test_frequencies_are_the_inverse_of_all_combinations_with_the_errors_of_each():
    channel = GroupedResponse([0.8, 0.7], [["a", "b"], ["c"]], {"a": list("xyz"), "c": [1, 2, 3, 4]})
    rng = np.random.default_rng(5)
    truth = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 400), "b": rng.integers(0, 2, 400), "c": rng.integers(1, 5, 400)}
    )
    seen = channel.disguise(truth, rng=6)
    found = frequencies(seen, channel, ["c", "a"])
    assert found.index.names == ["c", "a"]
    counted = seen.value_counts(["c", "a"]).reindex(found.index, fill_value=0).to_numpy() / 400
    assert found["share"].to_numpy() == pytest.approx(
        invert(counted, joint_matrix(channel, ["c", "a"])), abs=1e-10
    )
    assert found["share"].sum() == pytest.approx(1)
    assert found.loc[(3, "y"), "error"] == estimate(seen, channel, {"c": 3, "a": "y"}).error


def test_frequencies_of_one_column_are_those_of_generalised_response():
    channel = GroupedResponse(0.6, [["a"]], {"a": list("uvwxy")})
    seen = pd.DataFrame({"a": np.repeat(list("uvwxy"), [50, 20, 15, 10, 5])})
    found = frequencies(seen, channel, ["a"])
    q = 0.4 / 4
    assert found["share"].to_numpy() == pytest.approx(
        (np.array([0.5, 0.2, 0.15, 0.1, 0.05]) - q) / (0.6 - q), abs=1e-9
    )
    assert found.index.tolist() == list("uvwxy")


def test_frequencies_refuse_what_has_no_domain_or_too_many_combinations():
    channel = GroupedResponse.divided(0.9, [f"a{i}" for i in range(14)], 2)
    seen = pd.DataFrame(0, range(3), channel.columns)
    for columns, message in (([], "at least 1"), (["a0", "a0"], "distinct values"), (["b"], "columns names 'b'")):
        with pytest.raises(ValueError, match=message):
            frequencies(seen, channel, columns)
    with pytest.raises(ValueError, match=r"columns has .* cells; expected at most 10,000"):
        frequencies(seen, channel, list(channel.columns))


@pytest.mark.filterwarnings("default:the standard error of a share")
@pytest.mark.parametrize(("theta", "records"), [(0.55, 200), (0.51, 2_000), (0.51, 4_000), (0.501, 200_000)])
def test_what_says_nothing_of_a_share_is_warned_of(theta, records):
    """The standard error is about √(θ (1 − θ)) / (|2θ − 1| √n) (Warner 1965): it may not be more than 1."""
    seen = pd.DataFrame({"a": [0, 1] * (records // 2)})
    channel = GroupedResponse(theta, [["a"]])
    error = np.sqrt(theta * (1 - theta) / records) / abs(2 * theta - 1)
    assert abs(error - 1) > 0.1
    calls = (
        lambda: proportion(seen, channel, {"a": 1}),
        lambda: estimate(seen, channel, {"a": 1}),
        lambda: frequencies(seen, channel, ["a"]),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as told:
            call()
        assert [str(one.message)[:29] for one in told] == ["the standard error of a share"] * int(error > 1)
        assert all(one.filename == __file__ for one in told)


@pytest.mark.filterwarnings("default:the standard error of a share")
def test_records_that_are_all_alike_do_not_hide_that():
    """All weights are equal, so that the standard error is 0; the share itself is beyond all shares."""
    seen = pd.DataFrame({"a": [1] * 100})
    with pytest.warns(UserWarning, match="the share is far outside: expected more records"):
        assert proportion(seen, GroupedResponse(0.5 + 1e-9, [["a"]]), {"a": 1}) > 1e8
