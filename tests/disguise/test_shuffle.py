"""Keep, drop and shuffle: on any dtype, exact counts, equally likely permutations, and what faults look like."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.data import load
from ppdm.disguise.actions import ACTIONS, Fault
from ppdm.disguise.released import known_only, numbers
from ppdm.disguise.shuffle import Drop, Keep, Shuffle
from ppdm.measure import information_gain

PIMA = load("pima")
AGE, CLASS = PIMA.X["age"], PIMA.y
INDEX = [7, 3, 11, 3, 0]
COLUMNS = {
    "text": pd.Series(["a", None, "ß", "a", " "]),
    "objects": pd.Series([[1], {"b": 2}, None, "x", 3], dtype=object),
    "dates": pd.Series(pd.to_datetime(["2001-02-03", None, "1999-01-01", "2001-02-03", "2020-02-29"])),
    "times of a zone": pd.Series(pd.date_range("2020-01-01", periods=5, tz="Europe/Vienna")),
    "categories": pd.Series(pd.Categorical(["b", "a", None, "b", "a"], ["b", "a", "unused"])),
    "ordered categories": pd.Series(pd.Categorical(list("cabca"), ["c", "a", "b"], ordered=True)),
    "booleans": pd.Series([True, False, True, True, False]),
    "booleans or missing": pd.Series([True, None, False, None, True], dtype="boolean"),
    "whole numbers": pd.Series([5, -3, 5, 2**62, 0]),
    "small numbers": pd.Series([5, 3, 5, 255, 0], dtype="uint8"),
    "whole numbers or missing": pd.Series([5, None, 2**62 + 1, 5, 0], dtype="Int64"),
    "numbers": pd.Series([0.1, np.nan, -0.0, np.inf, 0.1 + 0.2]),
}
of_any_kind = pytest.mark.parametrize("column", COLUMNS, ids=str)


def column_of(kind):
    return COLUMNS[kind].set_axis(INDEX).rename(("a", kind))


def beliefs(action, true, released, companion=None):
    """The posterior of each record, and the distinct values."""
    places, values = pd.factorize(true, sort=True)
    groups = np.zeros(len(true), int) if companion is None else pd.factorize(companion)[0]
    counts = np.zeros((len(values), groups.max() + 1))
    np.add.at(counts, (places, groups), 1)
    return action.posterior(released, groups, values, counts), values


@of_any_kind
def test_a_kept_column_is_the_same(column):
    true = column_of(column)
    kept = Keep().fit(true).release(true.copy())
    pd.testing.assert_series_equal(kept, true, check_exact=True, check_index_type="equiv")
    if true.dtype == float:
        assert kept.to_numpy().tobytes() == true.to_numpy().tobytes()  # -0.0 and the bits of NaN, too


@of_any_kind
def test_a_shuffled_column_keeps_its_dtype_its_index_and_its_values(column):
    true = column_of(column)
    for action, companion in ((Shuffle(), None), (Shuffle(within="class"), pd.Series(list("abaab")))):
        assert [*action.faults(true, companion)] == []
        released = action.fit(true, companion).release(true, companion, rng=5)
        assert released.dtype == true.dtype
        assert released.index.equals(true.index)
        assert released.name == true.name
        assert sorted(map(repr, released)) == sorted(map(repr, true))
        if companion is not None:
            inside = (companion == "a").to_numpy()
            assert sorted(map(repr, released[inside])) == sorted(map(repr, true[inside]))


@of_any_kind
def test_nothing_is_released_of_a_dropped_column(column):
    true = column_of(column)
    assert [*Drop().faults(true, None)] == []
    assert Drop().fit(true).release(true) is None
    assert Drop().log_law(None, [1]) is None


def test_within_the_class_the_gain_of_age_stays():
    released = Shuffle(within="class").release(AGE, CLASS)
    # The counts are the same; their order, and so the rounding of their sum, is that of the records.
    assert information_gain(released, CLASS) == pytest.approx(information_gain(AGE, CLASS), abs=1e-12)
    assert information_gain(released, CLASS) == pytest.approx(0.140941, abs=5e-7)
    assert pd.crosstab(released, CLASS).equals(pd.crosstab(AGE, CLASS))


def test_over_all_records_the_gain_of_age_is_what_chance_gives():
    # Chance gives .054 with a standard deviation of .010; the mean of 40 shuffles is within 4 of its own.
    gains = [information_gain(Shuffle().release(AGE, rng=seed), CLASS) for seed in range(40)]
    assert np.mean(gains) == pytest.approx(0.0544, abs=4 * 0.0097 / np.sqrt(40))
    assert all(sorted(Shuffle().release(AGE, CLASS, rng=seed)) == sorted(AGE) for seed in range(3))


def test_shuffling_breaks_the_bond_with_other_attributes():
    # Within 5 standard errors of 1 / √768 about what the class alone explains, .05.
    released = Shuffle(within="class").release(AGE, CLASS, rng=1)
    assert AGE.corr(PIMA.X["preg"]) == pytest.approx(0.544, abs=5e-4)
    assert released.corr(PIMA.X["preg"]) == pytest.approx(0.05, abs=5 / np.sqrt(768))


@pytest.mark.parametrize(("within", "expected"), [(None, 0.0411), ("class", 0.0476)])
def test_as_many_values_stay_as_theory_says(within, expected):
    # A record gets each value of its group with that value's share: Σ over groups of n_g/n Σ_v share².
    groups = pd.Series(0, AGE.index) if within is None else CLASS
    shares = pd.crosstab(AGE, groups)
    sizes = shares.sum()
    theory = float(((shares / sizes) ** 2).sum() @ sizes / sizes.sum())
    assert theory == pytest.approx(expected, abs=5e-5)
    stayed = [(Shuffle(within=within).release(AGE, CLASS, rng=seed) == AGE).mean() for seed in range(200)]
    assert np.mean(stayed) == pytest.approx(theory, abs=5 * np.std(stayed) / np.sqrt(200))


def test_all_permutations_are_equally_likely():
    # 20,000 groups of four records each: a right shuffle fails the chi-squared test once in a million seeds.
    groups = pd.Series(np.random.default_rng(4).permutation(np.repeat(np.arange(20_000), 4)))
    place = groups.groupby(groups).cumcount()
    released = Shuffle(within="group").release(place, groups, rng=8).to_numpy()
    orders = released[np.lexsort((place, groups))].reshape(-1, 4) @ [1000, 100, 10, 1]
    seen = np.unique_counts(orders)
    assert len(seen.values) == 24
    assert stats.chisquare(seen.counts).pvalue > 1e-6


def test_chance_is_secure_unless_there_is_a_seed():
    first, second = (Shuffle().release(AGE) for _ in range(2))
    assert not first.equals(second)
    assert Shuffle().release(AGE, rng=3).equals(Shuffle().release(AGE, rng=3))
    # A seed is joined with what is released: two columns are not moved alike.
    places = pd.Series(np.arange(768))
    one, other = (Shuffle().release(places + offset, rng=3) - offset for offset in (0, 1))
    assert not one.equals(other)


def test_columns_are_moved_together():
    table = PIMA.X[["age", "preg"]].assign(text="x")
    released = Shuffle(**{"with": ["preg", "text"], "within": "class"}).release(table, CLASS, rng=2)
    assert [*released] == [*table]
    assert released.index.equals(table.index)
    assert not released.equals(table)
    together = ["age", "preg", CLASS.name]
    before, after = (frame.join(CLASS).value_counts(together).sort_index() for frame in (table, released))
    assert after.equals(before)


def test_without_a_companion_all_records_are_shuffled():
    released = Shuffle(within="class").release(AGE, None, rng=2)
    assert sorted(released) == sorted(AGE)
    assert not pd.crosstab(released, CLASS).equals(pd.crosstab(AGE, CLASS))


def test_records_without_a_group_are_a_group():
    groups = pd.Series([None, "a", None, "a", None])
    released = Shuffle(within="g").release(pd.Series([1, 2, 3, 4, 5]), groups, rng=0)
    assert set(released[[0, 2, 4]]) == {1, 3, 5}


def test_a_companion_of_another_length_is_refused():
    with pytest.raises(ValueError, match="y has 5 entries and X has 768"):
        Shuffle(within="class").release(AGE, CLASS[:5])


def test_records_in_small_groups_are_noted():
    action = Shuffle(within="g").fit(pd.Series([1, 2, 3, 4]), pd.Series(["a", "b", "b", "c"]))
    (note,) = action.notes
    assert note.startswith("4 values are in groups of fewer than 5 records, and hardly move")
    assert action.fit(AGE, CLASS).notes == []


def test_an_intruder_believes_what_the_group_shows():
    kept, values = beliefs(Keep().fit(AGE), AGE, AGE)
    assert (kept == (AGE.to_numpy()[:, None] == values.to_numpy())).all()
    marginal = AGE.value_counts(normalize=True).sort_index().to_numpy()
    for action in (Drop(), Shuffle()):
        released = action.release(AGE, rng=1)
        assert beliefs(action, AGE, released)[0] == pytest.approx(np.tile(marginal, (768, 1)))
    within = Shuffle(within="class")
    found, values = beliefs(within, AGE, within.release(AGE, CLASS, rng=1), CLASS)
    by_class = pd.crosstab(AGE, CLASS, normalize="columns")
    assert found == pytest.approx(by_class[CLASS].T.to_numpy())


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), min_size=1, max_size=12), st.integers(0, 99))
def test_any_column_keeps_its_counts_and_its_posterior_sums_to_1(records, seed):
    true = pd.Series([value for value, _ in records])
    groups = pd.Series([group for _, group in records])
    action = Shuffle(within="class").fit(true, groups)
    released = action.release(true, groups, seed)
    pairs = sorted(zip(released, groups))
    assert pairs == sorted(zip(true, groups))
    found, _ = beliefs(action, true, released, groups)
    assert found.sum(axis=1) == pytest.approx(1)


def test_a_fault_reads_as_a_sentence():
    fault = Fault.of("columns.age.sd", ValueError("columns.age.sd is -1; expected a number in (0, inf)"))
    assert fault == ("columns.age.sd", "-1", "a number in (0, inf)")
    assert str(fault) == "columns.age.sd is -1; expected a number in (0, inf)"
    fault = Fault.of("columns.age", ValueError("column 'age' has 3 missing (NaN); expected none; or drop it"))
    assert str(fault) == "columns.age has 3 missing (NaN); expected none; or drop it"


def test_numbers_are_finite_and_known_values_are_known():
    assert numbers(pd.Series([1, 2], dtype="Int64")).tolist() == [1, 2]
    for wrong, told in (
        (pd.Series(["x"], name="n"), "column 'n' holds text"),
        (pd.Series([1, 2], dtype=object, name="n"), r"column 'n' holds integer values \(dtype object\)"),
        (pd.Series([True], name="n"), "column 'n' holds boolean values"),
        (pd.Series([1, 2**53], dtype="Int64", name="n"), "column 'n' has 1 of 2 infinite numbers, or whole ones"),
        (pd.Series([np.inf], name="n"), "column 'n' has 1 of 1 infinite"),
        (pd.Series([1j], name="n"), "column 'n' holds complex"),
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            numbers(wrong)
    with pytest.raises(ValueError, match="column 'n' has 1 of 2 unknown values"):
        known_only(pd.Series(["a", "b"], name="n"), ["a"])


def test_actions_are_found_by_name_and_print_in_one_line():
    assert list(ACTIONS) == [
        "keep", "drop", "discretise", "add", "multiply", "redraw", "shuffle", "replace", "generalise"
    ]  # fmt: skip
    assert {name for name, action in ACTIONS.items() if not action.takes_missing} == {
        "add", "multiply", "redraw", "replace"
    }  # fmt: skip
    assert {name: action.category for name, action in ACTIONS.items() if action.category != "perturbation"} == {
        "keep": "none", "drop": "reduction", "discretise": "reduction", "generalise": "reduction"
    }  # fmt: skip
    assert repr(Shuffle(within="class")) == "shuffle(within='class')"
    assert repr(Shuffle(**{"with": ["a"]})) == "shuffle(with=['a'])"
    assert repr(Keep()) == "keep()"
