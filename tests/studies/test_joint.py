"""The synthesiser's accounting, noise and margins; what the measures of notebook 06 are made of."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from ppdm.data import load, quest
from ppdm.disguise import Disguise, UniformNoise
from ppdm.measure import linkage_rate
from ppdm.reconstruct import Column, Distribution, reconstruct
from ppdm.studies import joint, joint_price, synthesis
from ppdm.studies.as00 import Study, channels_at, study
from ppdm.trees import ReconstructedTreeClassifier

SIZES = {"a": 4, "b": 3, "c": 5}


def chain(n=20_000, seed=1):
    """Records of a chain a – b – c, in which neighbours agree mostly."""
    rng = np.random.default_rng(seed)
    a = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    b = np.where(rng.random(n) < 0.8, a % 3, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.7, b + 1, rng.integers(0, 5, n))
    return pd.DataFrame({"a": a, "b": b, "c": c})


def pair_counts(frame, one, other):
    return (
        pd.crosstab(frame[one], frame[other])
        .reindex(index=range(SIZES[one]), columns=range(SIZES[other]))
        .fillna(0)
    )


@given(st.floats(0.01, 50), st.floats(1e-12, 0.1))
def test_the_budget_is_between_two_closed_forms(epsilon, delta):
    rho = synthesis.zcdp(epsilon, delta)
    logs = np.log(1 / delta)
    assert rho >= (np.sqrt(epsilon + logs) - np.sqrt(logs)) ** 2 * (1 - 1e-6)  # Bun & Steinke (2016), Prop. 1.3
    # Gaussian noise that uses up the budget has a δ of its own, exactly (Balle & Wang 2018, Theorem 8).
    half, shift = np.sqrt(rho / 2), epsilon / np.sqrt(2 * rho)
    assert ndtr(half - shift) - np.exp(epsilon) * ndtr(-half - shift) <= delta


def test_all_parts_share_the_budget(monkeypatch):
    spent = []
    for name in ("noisy", "spanning_tree"):
        own = getattr(synthesis, name)
        monkeypatch.setattr(synthesis, name, lambda a, rho, rng, own=own: spent.append(rho) or own(a, rho, rng))
    synthesis.synthesise(chain(500), SIZES, 1, 1e-5, rng=1)
    assert len(spent) == 3
    assert sum(spent) == pytest.approx(synthesis.zcdp(1, 1e-5))


def test_the_noise_has_the_standard_deviation_of_its_budget():
    tables = synthesis.noisy([np.full((200, 200), 7.0)] * 3, 0.05, np.random.default_rng(1))
    assert np.std(tables) == pytest.approx(np.sqrt(3 / (2 * 0.05)), rel=0.01)  # 120,000 draws: 5 standard errors
    assert np.mean(tables) == pytest.approx(7, abs=0.08)


def test_a_tree_is_chosen_by_the_exponential_mechanism():
    scores = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    rho, rng = 0.16, np.random.default_rng(1)
    weight = np.exp(np.sqrt(8 * rho / 2) / 2 * scores)
    found = pd.Series([str(synthesis.spanning_tree(scores, rho, rng)) for _ in range(20_000)]).value_counts(True)
    first = weight[0, 1] / (weight[0, 1] + weight[0, 2])
    then = weight[1, 2] / (weight[0, 2] + weight[1, 2])
    assert found["[(0, 1), (1, 2)]"] == pytest.approx(first * then, abs=0.015)
    assert found["[(0, 2), (2, 1)]"] == pytest.approx(
        (1 - first) * weight[1, 2] / (weight[0, 1] + weight[1, 2]), abs=0.015
    )
    assert len(found) == 4


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8))
def test_the_nearest_shares_are_nearest(values):
    values = np.array(values)
    shares = synthesis.nearest_shares(values)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)
    # Of a convex set the nearest point is the one from which no corner lies in the direction of the values.
    assert ((values - shares) @ (np.eye(len(values)) - shares).T).max() <= 1e-9


def test_fitted_tables_have_both_margins_and_keep_their_odds():
    rows, columns = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.4])
    pair = np.array([[0.3, 0.1], [0.2, 0.1], [0.2, 0.1]])
    found = synthesis.fitted(pair, rows, columns)
    assert found.sum(axis=1) == pytest.approx(rows)
    assert found.sum(axis=0) == pytest.approx(columns)
    assert found[0, 0] * found[1, 1] / found[0, 1] / found[1, 0] == pytest.approx(1.5)
    emptied = synthesis.fitted(pair * [[1], [1], [0]], rows, columns)
    assert emptied[2, 0] / emptied[2, 1] > 0
    assert emptied.sum(axis=1) == pytest.approx(rows)
    assert synthesis.fitted(pair, rows, np.array([1.0, 0.0])) == pytest.approx(np.outer(rows, [1, 0]))


def test_a_huge_epsilon_gives_the_margins_back():
    true = chain()
    made = synthesis.synthesise(true, SIZES, 1e6, 1e-5, rng=1)
    assert len(made) == len(true)
    for name, size in SIZES.items():
        gap = np.bincount(made[name], minlength=size) - np.bincount(true[name], minlength=size)
        assert np.abs(gap).max() <= 4  # each group's counts are rounded
    for edge in (("a", "b"), ("b", "c")):
        assert np.abs(pair_counts(made, *edge) - pair_counts(true, *edge)).to_numpy().max() <= 4
    # a and c only go together through b.
    through_b = pair_counts(true, "a", "b").to_numpy() @ (
        pair_counts(true, "b", "c").to_numpy() / np.bincount(true["b"])[:, None]
    )
    assert pair_counts(made, "a", "c").to_numpy() == pytest.approx(through_b, abs=60)


def test_a_small_epsilon_hides_and_is_repeatable():
    true = chain(2000)
    made = [synthesis.synthesise(true, SIZES, epsilon, 1e-5, rng=3) for epsilon in (0.01, 0.01, 1)]
    assert made[0].equals(made[1])
    assert len(made[2]) == pytest.approx(2000, abs=60)  # standard deviation of the total: about 15
    assert list(made[2]) == list(SIZES)
    assert all(made[2][name].between(0, size - 1).all() for name, size in SIZES.items())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"codes": chain(9).assign(a=9)},
            ValueError,
            r"codes\['a'\] has 9 of 9 others \(first at position 0\)",
        ),
        ({"codes": chain(9).assign(a=-1)}, ValueError, "expected codes from 0 to 3"),
        ({"codes": chain(9).assign(a=0.5)}, TypeError, "holds float64; expected whole numbers, the codes"),
        ({"codes": chain(9)[["a"]], "sizes": {"a": 4}}, ValueError, "expected two or more"),
        ({"codes": chain(9).head(0)}, ValueError, "expected at least one row"),
        ({"codes": chain(9)[["a", "b"]]}, ValueError, "sizes names 'c'"),
        ({"sizes": {"a": 4, "b": 3}}, ValueError, "codes names 'c'"),
        ({"sizes": SIZES | {"b": 1}}, ValueError, r"sizes\['b'\] is 1; expected a whole number in \[2, inf\)"),
        ({"epsilon": 0}, ValueError, "epsilon is 0"),
        ({"delta": 1}, ValueError, r"delta is 1; expected a number in \(0, 1\)"),
        ({"rng": "x"}, TypeError, "rng is 'x'"),
    ],
)
def test_bad_input_is_refused(change, error, message):
    good = {"codes": chain(9), "sizes": SIZES, "epsilon": 1, "delta": 1e-5, "rng": 1}
    with pytest.raises(error, match=message):
        synthesis.synthesise(**good | change)


@pytest.mark.parametrize(("name", "part"), [("adult", "data"), ("adult", "test"), ("pima", None)])
def test_the_declared_domains_hold_all_records(name, part):
    X = load(name, part).X
    for column, domain in joint.DOMAINS[name].items():
        nothing = UniformNoise(half_width=0, **domain)
        assert nothing.disguise(X[column]).to_numpy() == pytest.approx(X[column].to_numpy())
    assert set(joint.DOMAINS[name]) == set(X.select_dtypes("number"))


def test_pima_is_split_in_two_thirds_and_the_rest():
    X, y, test, group = joint._real_records("pima", np.random.default_rng(1))
    assert (len(X), len(y), len(test), len(group)) == (512, 512, 256, 256)
    again = pd.concat([X.assign(y=y), test.assign(y=group)])
    whole = load("pima")
    assert sorted(again.itertuples(index=False)) == sorted(whole.X.assign(y=whole.y).itertuples(index=False))


def test_without_noise_what_is_seen_of_a_real_table_is_true():
    found = joint.real("pima", "uniform", 0, np.random.default_rng(1))
    assert found["randomized"] == found["original"] > found["majority"]
    assert list(found) == ["majority", "original", "randomized", "byclass", "local", "joint"]


def test_a_tree_from_synthetic_records_nears_the_original_as_epsilon_grows():
    found = joint.synthesiser("pima", 1e4, np.random.default_rng(1))
    assert min(found["synthetic"], found["intervals"]) > found["majority"] + 0.02
    assert joint._edges(1, 16, 1) == pytest.approx(np.arange(0.5, 17))


def test_posteriors_are_those_of_the_whole_grid():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(2 * 3 * 4 * 2)).reshape(2, 3, 4, 2)
    matrices = [None, *(rng.dirichlet(np.ones(size + 1), size) for size in (3, 4, 2))]
    seen = [rng.integers(0, size, 50) for size in (2, 4, 5, 3)]
    for axis in (1, 2, 3):
        found = joint_price.posterior_of(shares, matrices, seen, axis)
        for person, (group, *at) in enumerate(zip(*seen, strict=True)):
            cells = np.einsum(
                "abc,a,b,c->abc", shares[group], *(m[:, s] for m, s in zip(matrices[1:], at, strict=True))
            )
            alone = cells.sum(axis=tuple(other for other in range(3) if other != axis - 1))
            assert found[person] == pytest.approx(alone / alone.sum())


def test_what_is_told_of_people():
    edges, true = np.array([0.0, 5.0, 10.0]), np.array([1.5, 9.0])
    found = joint_price.certainty(np.array([[1.0, 0.0], [0.5, 0.5]]), edges, true)
    assert found == pytest.approx({"true tenth": (0.2 + 0.1) / 2, "error": (1 + 4) / 2, "99 %": 0.2}, abs=2e-3)


def test_who_is_found_is_what_linkage_says():
    X, _ = quest(300, rng=1)
    X, channels = X[["age", "salary"]], {name: channels_at("uniform", 0.1)[name] for name in ("age", "salary")}
    seen = Disguise(channels, random_state=2).fit_transform(X)
    scores = sum(channels[name].log_likelihood(seen[name], X[[name]]) for name in channels)
    assert joint_price.found_among(np.asarray(scores)) == pytest.approx(linkage_rate(channels, X, seen))


def test_another_choice_is_made(monkeypatch):
    met = {}

    def remember(run, model):
        met[choice] = model.fit(run.seen, run.y).joint_.probabilities
        return 0.5

    monkeypatch.setattr(Study, "accuracy", remember)
    for choice in joint.CHOICES:
        assert joint.choices("uniform", 5_000, choice, np.random.default_rng(1)) == {"joint": 0.5}
    usual = met.pop("as they are")
    same = [choice for choice, other in met.items() if np.array_equal(usual, other)]
    assert same in ([], ["worth of 1 unit"])  # a smaller worth need not change what is found


def test_more_knowledge_tells_more_of_people():
    found = joint_price.price("Gaussian", 0.5, np.random.default_rng(1), records=20_000)
    for name in joint_price.PRIVATE:
        errors = [found[f"{name}: error, {kind}"] for kind in ("class alone", "margins", "pair", "joint")]
        assert errors == sorted(errors, reverse=True)
        tenths = [found[f"{name}: true tenth, {kind}"] for kind in ("class alone", "margins", "pair", "joint")]
        assert tenths == sorted(tenths)
    assert found["linked"] < found["linked: class known"]
    assert len(found) == 2 * 3 * 4 + 3


def test_what_is_believed_of_one_person_agrees_with_what_is_of_many():
    run = study(2, "uniform", 0.5, np.random.default_rng(1), records=5_000)
    model = ReconstructedTreeClassifier(run.channels, "joint").fit(run.seen, run.y)
    intruder = joint_price.JointIntruder(run, model)
    found = intruder.believed(7)
    assert list(found) == ["joint, no release", "margins", "joint"]
    for axis, name in enumerate(joint_price.PRIVATE):
        whole = intruder.posteriors(name, np.array([7]))
        for kind in ("margins", "joint"):
            assert found[kind].sum(axis=1 - axis) == pytest.approx(whole[kind][0])
    assert found["joint, no release"].sum() == pytest.approx(1)


def test_ranks_give_intervals_as_the_library_does():
    X, _ = quest(3000, rng=1)
    noise = channels_at("uniform", 0.5)["salary"]
    seen = noise.disguise(X["salary"], rng=2)
    column = Column.over("salary", seen, noise, noise.true_bins(20), rng=np.random.default_rng(0))
    found, codes = reconstruct(seen, noise, 20), np.zeros(len(X), dtype=int)
    column.assign(codes, np.zeros(len(X), dtype=int), found.probabilities[None])
    assert np.array_equal(joint.by_rank(seen, found.distribution), found.distribution.midpoints[codes])
    even = Distribution([0, 1, 2], [0.5, 0.5])
    low = [int((joint.by_rank(pd.Series(range(n)), even) < 1).sum()) for n in (1, 3, 5, 7)]
    assert low == [0, 2, 2, 4]  # halves to the even number, as the library rounds


@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
def test_wrong_answers_are_less_likely_and_more_steps_lose_less(noise):
    found = joint.blurred(noise, 1.0, steps=(1, 10, 100))
    assert list(found.index) == ["1 steps", "10 steps", "100 steps", "salaries 5K up", "ages 4 years up"]
    assert (found["units"] > 0).all()
    assert found["units"].iloc[:3].is_monotonic_decreasing
    # The bounds between A and B are moved: of the plane, in closed form. Group A is 5/13 of it and has half the weight.
    a, b = 0.5 / (5 / 13), 0.5 / (8 / 13)
    assert found["points lost"]["salaries 5K up"] == pytest.approx(100 * (a + b) * 5 / 130)
    moved = 4 / 60 * (25 / 130 + 50 / 130)  # of each side: 25K at the age of 40, and 50K at that of 60
    assert found["points lost"]["ages 4 years up"] == pytest.approx(100 * (a + b) * moved)
