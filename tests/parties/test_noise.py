"""Noise of all parties: its law, how much there is of it, and what a budget allows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare, kstest, nbinom

from ppdm import data, parties
from ppdm.trees import Stop

DEPTH = 2
EPSILON = 2.0
DOMAINS = {"age": (20, 80, 1), "salary": (20_000, 150_000, 1), "car": (1, 20, 1)}  # public, not the records' own


@pytest.fixture(scope="module")
def true():
    X, y = data.quest(900, 1, rng=3)
    return X[["age", "salary", "car"]].round(0), y


def split(X, y, number):
    return {f"clinic {one}": (X.iloc[one::number], y.iloc[one::number]) for one in range(number)}


@pytest.fixture(scope="module")
def session(true):
    """Four parties whose engine withstands two, so that two honest ones alone make the noise."""
    with parties.local(split(*true, 4), "additive", DOMAINS, limit=20) as session:
        yield session


def two_sided(epsilon, size):
    """P(−size … size) of the geometric law on both sides of 0: its ratio from step to step is e^−ε."""
    share = np.exp(-epsilon)
    return (1 - share) / (1 + share) * share ** np.abs(np.arange(-size, size + 1))


def difference(shape, epsilon, size):
    """P(−size … size) of the difference of two negative binomials of a shape."""
    law = nbinom(shape, -np.expm1(-epsilon)).pmf(np.arange(6 * size))
    found = np.convolve(law, law[::-1])
    middle = len(law) - 1
    return found[middle - size : middle + size + 1]


def test_noise_needs_domains_that_no_record_tells(true):
    session = parties.local(split(*true, 3), domains={"age": (20, 80)})
    with pytest.raises(ValueError, match=r"records tell what \['salary', 'car'\] can hold; expected domains"):
        session.tree(stop=Stop(max_depth=1), epsilon=1.0)


@pytest.mark.parametrize("honest", [1, 2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2])
def test_the_parts_of_as_many_parties_as_stay_honest_make_the_two_sided_geometric_law(honest, epsilon):
    # The theorem behind the noise: negative binomials of shape 1/k add up to a geometric law.
    part = nbinom(1 / honest, -np.expm1(-epsilon)).pmf(np.arange(2000))
    whole = part
    for _ in range(honest - 1):
        whole = np.convolve(whole, part)[:2000]
    found = np.convolve(whole, whole[::-1])[1999 - 20 : 1999 + 21]
    assert found == pytest.approx(two_sided(epsilon, 20), rel=1e-6)


def test_the_noise_that_is_opened_has_the_law_that_it_states(session, true):
    # A record stands in one count of the classes, and on each of two levels in a count of each of three columns. The
    # parties draw from the secure source: the χ² test fails once in ten thousand times.
    X, y = true
    noise = []
    for _ in range(25):
        session.tree(stop=Stop(max_depth=DEPTH), epsilon=EPSILON, intervals=10)
        found = dict(reversed(session.openings))  # the first histograms are those of the root
        root = [(y == one).to_numpy() for one in session.project["classes"]]
        noise.append(found["classes"].ravel() - [own.sum() for own in root])
        for own, opened in zip(root, found["histograms"][:, 0]):
            counts = [
                np.bincount(one.encode(X[one.name])[own], minlength=one.n_values) for one in session.attributes
            ]
            noise.append(opened - np.concatenate(counts))
    noise = np.concatenate(noise)
    assert len(noise) > 1000
    each = EPSILON / (1 + 3 * DEPTH)
    size = 8
    expected = difference(4 / 2, each, size)  # four parties draw what two would have to draw
    inside = np.clip(noise, -size - 1, size + 1)
    counts = np.bincount(inside.astype(int) + size + 1, minlength=2 * size + 3)
    outside = (1 - expected.sum()) / 2
    expected = np.array([outside, *expected, outside]) * len(noise)
    assert chisquare(counts, expected).pvalue > 1e-4
    # And it is no less than what the two honest ones of four draw: their law alone is narrower.
    assert noise.var() > 2 * np.exp(-each) / (1 - np.exp(-each)) ** 2


def test_the_noise_of_the_root_alone_has_the_law_that_it_states(session, true):
    # With depth 0 only the classes are counted, with all of ε. The randomised distribution function of the noise is
    # uniform. It fails once in ten thousand times.
    counts = [(true[1] == one).sum() for one in session.project["classes"]]
    rng = np.random.default_rng(1)
    size = 400
    law = difference(4 / 2, EPSILON, size)
    below = np.append(0, law.cumsum())
    found = []
    for _ in range(60):
        tree = session.tree(stop=Stop(max_depth=0), epsilon=EPSILON)
        noise = tree.counts[0] - counts
        place = noise.astype(int) + size
        found += (below[place] + rng.random(2) * law[place]).tolist()
    assert kstest(found, "uniform").pvalue > 1e-4


def test_the_spent_budget_adds_up(session):
    before = session.spent
    session.tree(stop=Stop(max_depth=1), epsilon=0.25)
    session.tree(stop=Stop(max_depth=1), epsilon=0.5, cuts="counts")
    assert session.spent == pytest.approx(before + 0.75)
    session.tree(stop=Stop(max_depth=1))
    assert session.spent == pytest.approx(before + 0.75)


@pytest.mark.parametrize("epsilon", [0, -1, np.nan, np.inf, "1", [1]])
def test_what_is_no_epsilon_is_refused(session, epsilon):
    before = session.spent
    with pytest.raises((TypeError, ValueError), match="epsilon"):
        session.tree(stop=Stop(max_depth=1), epsilon=epsilon)
    assert session.spent == before


def test_noise_needs_a_depth(session):
    before = session.spent
    with pytest.raises(ValueError, match=r"epsilon is given; expected .*max_depth"):
        session.tree(epsilon=1.0)
    assert session.spent == before


@pytest.mark.parametrize("wrong", [{"criterion": "twoing"}, {"nominal": "all"}, {"cuts": "best"}])
def test_a_call_that_is_refused_spends_nothing(session, wrong):
    before = session.spent
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        session.tree(**{"stop": Stop(max_depth=1), "epsilon": 1.0, **wrong})
    assert session.spent == before


def test_a_budget_bounds_all_trees_together(true):
    with parties.local(split(*true, 3), "ring", DOMAINS, budget=1.0, limit=20) as session:
        session.tree(stop=Stop(max_depth=1), epsilon=0.6)
        with pytest.raises(ValueError, match=r"epsilon is 0.6, and of the budget 0.4 is left; expected"):
            session.tree(stop=Stop(max_depth=1), epsilon=0.6)
        with pytest.raises(ValueError, match=r"epsilon is None, .*budget"):
            session.tree(stop=Stop(max_depth=1))
        with pytest.raises(ValueError, match=r"budget.*expected"):
            session.itemsets(0.5)
        session.tree(stop=Stop(max_depth=1), epsilon=0.4)
        assert session.spent == pytest.approx(1.0)
        with pytest.raises(ValueError, match="budget"):
            session.tree(stop=Stop(max_depth=1), epsilon=1e-6)


def test_a_large_epsilon_is_no_noise(session, true):
    tree = session.tree(stop=Stop(max_depth=2), epsilon=1e6)
    assert tree.to_json() == session.tree(stop=Stop(max_depth=2)).to_json()
    assert isinstance(session.people(), pd.DataFrame)
