"""Redraw: ranks, domain, point masses, densities that fit or do not, the kernel's bias, and what it gives away."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ppdm.data import load
from ppdm.disguise.laws import FAMILIES, distance, fitted
from ppdm.disguise.redraw import MISFIT, Redraw

PIMA = load("pima").X
AGE = PIMA["age"]


def draws(true, repeats=40, **parameters):
    """The fitted action, and some releases of a column."""
    action = Redraw(**parameters).fit(true)
    return action, [action.release(true, rng=seed) for seed in range(repeats)]


def in_rank_order(true, released):
    """Whether s_i < s_j implies r_i ≤ r_j."""
    both = pd.DataFrame({"true": np.asarray(true), "released": np.asarray(released)})
    spans = both.groupby("true")["released"].agg(["min", "max"])
    return bool((spans["min"].to_numpy()[1:] >= spans["max"].to_numpy()[:-1]).all())


NUMBERS = st.one_of(
    st.lists(st.integers(0, 9), min_size=2, max_size=40),
    st.lists(st.sampled_from([0.0, 0.5, 1.5, 7.25, 100.0]), min_size=2, max_size=40),
    st.lists(st.floats(-1e6, 1e6).map(lambda number: round(number, 3)), min_size=2, max_size=40),
).filter(lambda values: len(set(values)) > 1)


@settings(deadline=None)
@given(NUMBERS, st.sampled_from(["best", "kernel"]), st.integers(0, 99))
def test_any_numbers_stay_in_order_in_the_domain_and_on_the_grid(values, density, seed):
    true = pd.Series(values, name="n")
    action = Redraw(density=density).fit(true)
    released = action.release(true, rng=seed)
    assert in_rank_order(true, released)
    assert released.between(true.min(), true.max()).all()
    if (true % 1 == 0).all() and true.max() - true.min() < 1e6:
        assert (released % 1 == 0).all()
    assert released.equals(action.release(true, rng=seed))
    counts = true.value_counts(sort=False).sort_index()
    posterior = action.posterior(released, np.zeros(len(true), int), counts.index, counts.to_numpy()[:, None])
    assert posterior.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("column", PIMA)
@pytest.mark.parametrize("density", ["best", "kernel"])
def test_every_column_keeps_ranks_and_domain(column, density):
    true = PIMA[column]
    _, released = draws(true, 3, density=density)
    for one in released:
        assert in_rank_order(true, one)
        assert one.between(true.min(), true.max()).all()
        assert one.dtype == true.dtype


def test_a_declared_domain_may_be_wider_and_has_a_grid():
    action, released = draws(AGE, 20, density="kernel", low=0, high=120, step=0.5)
    assert not any("taken from the data" in note for note in action.notes)
    values = pd.concat(released)
    assert values.min() < 21
    assert (values % 0.5 == 0).all()
    assert (values % 1 > 0).any()


def test_ties_are_ordered_by_chance():
    # Of each value half of the records come first in the file. Over 200 releases the mean difference of their new
    # values from those of the others is within 5 of its standard errors; in file order it would be far from 0.
    true = pd.Series(np.repeat([1, 2], [100, 100]))
    first = np.arange(200) % 100 < 50
    differences = []
    for seed in range(200):
        released = Redraw(low=0, high=3, density="kernel").fit(true).release(true, rng=seed)
        differences.append(released[first].mean() - released[~first].mean())
    assert np.std(differences) > 0
    assert abs(np.mean(differences)) < 5 * np.std(differences) / np.sqrt(200)


# --- densities ---
SAMPLES = {
    "normal": stats.norm(50, 6),
    "lognormal": stats.lognorm(0.6, scale=20),
    "gamma": stats.gamma(2.5, scale=8),
    "weibull": stats.weibull_min(1.7, scale=30),
    "exponential": stats.expon(scale=15),
}


@pytest.mark.parametrize("family", SAMPLES)
def test_a_family_finds_the_law_of_its_own_sample(family):
    law = SAMPLES[family]
    values = np.floor(law.rvs(20_000, random_state=1))
    high = values.max()
    # Whole numbers from 0: the sample starts at 0, and its family half a step below.
    action = Redraw(density=family, low=0, high=high).fit(pd.Series(values))
    ends = np.arange(high + 2)
    expected = law.cdf(ends) / law.cdf(high + 1)
    found = np.interp(ends - 0.5, action._ends, action._below)
    # Five times the usual Kolmogorov-Smirnov distance of 20,000 records.
    assert np.abs(found - expected).max() < 5 * 0.87 / np.sqrt(20_000)


def test_best_is_the_most_likely_family():
    for family in ("normal", "lognormal", "gamma"):
        values = np.floor(SAMPLES[family].rvs(20_000, random_state=2))
        action = Redraw(low=0).fit(pd.Series(values))
        assert f"the density is {family}," in action.notes[-1]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_fit_is_no_worse_than_scipys(family):
    # The likelihood of the binned values, with the start pinned, by another search of the same two parameters.
    ends = np.linspace(20.5, 81.5, 62)
    counts = np.histogram(AGE, ends)[0] / len(AGE)
    loss, below = fitted(FAMILIES[family], ends, counts)
    laws = {
        "normal": lambda a, b: stats.norm(a, np.exp(b)),
        "lognormal": lambda a, b: stats.lognorm(np.exp(b), 20.5, np.exp(a)),
        "gamma": lambda a, b: stats.gamma(np.exp(b), 20.5, np.exp(a)),
        "weibull": lambda a, b: stats.weibull_min(np.exp(b), 20.5, np.exp(a)),
        "exponential": lambda a, _: stats.expon(20.5, np.exp(a)),
    }
    first, second = (-60, 40), (1, 5)
    if family != "normal":
        first, second = (1, 4), (-1.5, 3.5)
    best = np.inf
    for a in np.linspace(*first, 25):
        for b in np.linspace(*second, 25):
            cells = np.diff(laws[family](a, b).cdf(ends))
            if cells.min() > 0:
                best = min(best, -(counts @ np.log(cells / cells.sum())))
    assert loss <= best
    assert below[[0, -1]] == pytest.approx([0, 1])
    far = distance(ends, below, AGE, 0.5)
    assert far == pytest.approx(np.abs(below[1:] - np.cumsum(counts)).max())


@pytest.mark.parametrize(("column", "family"), [("insu", "normal"), ("pres", "normal"), ("plas", "exponential")])
def test_a_family_that_does_not_fit_is_refused_by_name_and_distance(column, family):
    with pytest.raises(ValueError, match=rf"density is '{family}', at a Kolmogorov-Smirnov distance of 0\.[1-9]"):
        Redraw(density=family).fit(PIMA[column])


def test_best_falls_back_to_the_kernel_and_says_so():
    action = Redraw().fit(PIMA["pres"])
    assert "no family is within 0.1" in action.notes[-1]
    kernel = Redraw(density="kernel").fit(PIMA["pres"])
    assert action.release(PIMA["pres"], rng=np.random.default_rng(1)).equals(
        kernel.release(PIMA["pres"], rng=np.random.default_rng(1))
    )


def test_the_exponential_of_age_has_the_bias_of_a_misfit():
    # Misfit moves the upper quartile by about three years however many draws are averaged; the mean stays.
    _, released = draws(AGE, 100, density="exponential")
    assert np.mean([one.mean() for one in released]) == pytest.approx(AGE.mean(), abs=4 * 0.43 / 10)
    assert np.mean([one.quantile(0.75) for one in released]) - AGE.quantile(0.75) == pytest.approx(-2.7, abs=0.7)


def skewed():
    rng = np.random.default_rng(4)
    ages = rng.integers(18, 90, 2000)
    ages[7] = 99_999_999
    pareto = 1000 + 1000 * rng.pareto(1.5, 5000)
    clusters = np.concatenate([rng.normal(0, 1, 2000), rng.normal(1e4, 1, 2000)])
    dollars = np.rint(100 * rng.lognormal(0, 2, 5000))
    return {
        "lognormal": rng.lognormal(0, 2, 5000),
        "pareto": pareto,
        "typo": ages,
        "clusters": clusters,
        "$": dollars,
    }


@pytest.mark.parametrize("density", ["best", "kernel"])
@pytest.mark.parametrize("name", skewed())
def test_skewed_values_keep_their_distribution(name, density):
    # Cells of equal width, and Scott's width, see the farthest values alone: the distance was between .24 and 1.
    true = pd.Series(skewed()[name])
    action, (released,) = draws(true, 1, density=density)
    assert stats.ks_2samp(true, released).statistic < MISFIT + 1.63 * np.sqrt(2 / len(true))
    if density == "kernel":
        assert "narrower than by Scott's rule" in action.notes[-1]


@pytest.mark.parametrize("name", ["lognormal", "typo"])
def test_a_family_does_not_fit_skewed_values_by_its_ends(name):
    with pytest.raises(ValueError, match=r"density is 'normal', at a Kolmogorov-Smirnov distance of [01]\.[0-9]"):
        Redraw(density="normal").fit(pd.Series(skewed()[name]))


def test_equal_values_that_no_kernel_fits_are_noted():
    action = Redraw(density="kernel").fit(pd.Series([0, 0.5, 1.5, 1e6] * 25))
    assert "no kernel is within 0.16 of the values" in action.notes[-1]


# --- the kernel ---
def test_the_kernel_inflates_the_standard_deviation():
    # By √(1 + h²) with h = n^-1/5, far from the ends of the domain. 200 draws: the mean is within 5 standard errors.
    true = pd.Series(stats.norm(0, 1).ppf((np.arange(500) + 0.5) / 500))
    _, released = draws(true, 200, density="kernel", low=-20, high=20)
    found = np.array([one.std() for one in released]) / true.std()
    expected = np.sqrt(1 + 500**-0.4)
    assert expected > 1.04
    assert found.mean() == pytest.approx(expected, abs=5 * found.std() / np.sqrt(200))


def test_the_kernel_of_age_is_reflected():
    _, released = draws(AGE, 100, density="kernel")
    means = [one.mean() for one in released]
    # The mean of one draw varies by .43; reflection moves it up by about .4, and hardly inflates the deviation.
    assert np.abs(np.array(means) - AGE.mean()).max() < 1.3 + 0.5
    assert np.mean(means) - AGE.mean() == pytest.approx(0.43, abs=4 * 0.43 / 10)
    assert np.mean([one.std() for one in released]) == pytest.approx(AGE.std(), abs=0.15)
    # Clipping would pile up 9 % more at the lowest value.
    lowest = np.mean([(one == 21).mean() for one in released])
    assert lowest < (AGE == 21).mean() + 0.03


def test_the_larger_the_table_the_less_a_value_moves():
    # Measured 2.8, 2.0, .71, .42 and .23 for 50, 200, 768, 3,000 and 10,000 records of a smooth population of ages.
    population = stats.gamma(1.2, 20.5, 10.5)
    moves = []
    for n in (50, 200, 3000, 10_000):
        true = pd.Series(np.clip(np.rint(population.rvs(n, random_state=3)), 21, 81))
        _, released = draws(true, 10, density="kernel", low=21, high=81)
        moves.append(np.mean([(one - true).abs().mean() for one in released]))
    assert (np.diff(moves) < 0).all()
    assert moves[-1] < 0.4 < 1 < moves[0]


# --- point masses ---
@pytest.mark.parametrize("column", ["insu", "skin"])
def test_zeros_are_drawn_apart(column):
    true = PIMA[column]
    action, released = draws(true, 60)
    assert action._masses.tolist() == [0]
    assert any("point masses" in note for note in action.notes)
    zeros = np.array([(one == 0).sum() for one in released])
    share = (true == 0).mean()
    # Binomial, within 5 standard errors; a density may add a few numbers that round to 0.
    assert zeros.mean() == pytest.approx(768 * share, abs=5 * np.sqrt(768 * share * (1 - share) / 60) + 3)
    assert zeros.std() > 5


def test_a_value_of_nearly_all_records_is_a_mass_wherever_it_lies():
    hours = load("adult", part="first10000").X["hours-per-week"]
    action, (released,) = draws(hours, 1)
    assert action._masses.tolist() == [40]
    assert (released == 40).mean() == pytest.approx((hours == 40).mean(), abs=0.03)
    assert in_rank_order(hours, released)
    assert Redraw().fit(AGE)._masses.tolist() == Redraw().fit(PIMA["preg"])._masses.tolist() == []


def test_one_value_beside_a_mass_is_a_mass():
    true = pd.Series([3] * 95 + [8] * 5)
    action, released = draws(true, 100)
    assert action._masses.tolist() == [3, 8]
    assert set(pd.concat(released)) == {3, 8}
    # 5 standard errors of a share of 10,000.
    assert np.mean([(one == 3).mean() for one in released]) == pytest.approx(0.95, abs=5 * 0.0022)


# --- categories ---
def test_categories_without_an_order_are_drawn_whatever_the_truth():
    true = pd.Series(np.repeat(["x", "y", "z"], [6000, 3000, 1000]), name="c").set_axis(np.arange(10_000) + 5)
    action, (released,) = draws(true, 1)
    assert released.dtype == true.dtype
    assert released.index.equals(true.index)
    assert released.name == "c"
    table = pd.crosstab(released, true)
    assert table.sum(axis=1).to_numpy() / 10_000 == pytest.approx(np.array([0.6, 0.3, 0.1]), abs=0.025)
    assert stats.chi2_contingency(table).pvalue > 1e-6
    assert action.log_law(released, true) is None


def test_ordered_categories_keep_their_ranks():
    kind = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    true = pd.Series(
        np.random.default_rng(1).choice(["high", "low", "middle"], 3000, p=[0.2, 0.5, 0.3]), dtype=kind
    )
    action, (released,) = draws(true, 1)
    assert released.dtype == kind
    assert in_rank_order(true.cat.codes, released.cat.codes)
    assert not released.equals(true)
    assert released.value_counts(normalize=True)["low"] == pytest.approx(0.5, abs=5 * 0.0091)
    found = action.log_law(["low", "high"], ["low", "middle", "high"])
    assert (found.argmax(axis=0) == [0, 2]).all()


@pytest.mark.parametrize(
    "true",
    [
        pd.Series([True, False, True]),
        pd.Series(pd.to_datetime(["2001-02-03", "1999-01-01", "2001-02-03"])),
        pd.Series(["a", 1, 2.5], dtype=object),
        pd.Series(pd.Categorical(["b", "a", "b"], ["b", "a", "unused"])),
        pd.Series(["same", "same"]),
    ],
    ids=lambda true: str(true.dtype),
)
def test_anything_can_be_redrawn(true):
    _, released = draws(true, 5)
    assert all(one.dtype == true.dtype and set(one) <= set(true) for one in released)


def test_nullable_numbers_are_redrawn_as_numbers():
    _, (released,) = draws(pd.Series([1, 2, 3, 4, 5, 6], dtype="Int64"), 1)
    assert released.dtype == int


# --- what it gives away ---
@pytest.mark.parametrize("density", ["kernel", "best", "exponential"])
def test_whoever_finds_the_record_knows_about_the_value(density):
    action, (released,) = draws(AGE, 1, density=density)
    counts = AGE.value_counts().sort_index()
    found = action.posterior(released, np.zeros(768, int), counts.index, counts.to_numpy()[:, None])
    assert found.sum(axis=1) == pytest.approx(1)
    values = counts.index.to_numpy()
    near = np.abs(values - released.to_numpy()[:, None]) <= 3
    # Shuffled, .43 are named within 3 years; here the belief within 3 years of what was released is nearly all.
    assert (found * near).sum(axis=1).mean() > 0.9
    assert ((released - AGE).abs() <= 3).mean() > 0.9


def test_the_law_has_the_size_of_the_moves():
    # The mean move of the fit's own trial is that of releases, within half of it.
    for column in ("age", "mass", "pedi"):
        action, released = draws(PIMA[column], 20)
        moved = np.mean([(one - PIMA[column]).abs().mean() for one in released])
        assert action._move == pytest.approx(moved, rel=0.5)
