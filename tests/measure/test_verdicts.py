"""The rule of all ledgers: Student's test, Holm's correction, and what follows from both."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ppdm.measure import Ledger


def runs(*cells):
    """What each setting measured, run by run."""
    index = [(place, "x", repeat) for place, cell in enumerate(cells) for repeat in range(len(cell))]
    names = ["function", "noise", "repeat"]
    return pd.Series(np.concatenate(cells), pd.MultiIndex.from_tuples(index, names=names))


def around(mean, error=0.01, size=10):
    """Runs with this mean and this standard error."""
    noise = np.resize([-1.0, 1.0], size) - np.resize([-1.0, 1.0], size).mean()
    return mean + noise / noise.std(ddof=1) * np.sqrt(size) * error


def counted(found):
    return found["measured"].partition("settings: ")[2].partition(";")[0]


@pytest.mark.parametrize(
    ("means", "overall", "everywhere", "counts"),
    [
        ((0.1, 0.2), True, True, "2 yes, 0 undecided, 0 no"),
        ((0.1, 0.001), True, True, "1 yes, 1 undecided, 0 no"),
        ((0.1, -0.001), True, "undecided", "1 yes, 1 undecided, 0 no"),
        ((0.001, 0.001), "undecided", "undecided", "0 yes, 2 undecided, 0 no"),
        ((0.1, 0.1, -0.1), True, "partly", "2 yes, 0 undecided, 1 no"),
        ((0.5, -0.1), True, "partly", "1 yes, 0 undecided, 1 no"),
        ((0.1, -0.5), False, "partly", "1 yes, 0 undecided, 1 no"),
        ((0.5, -0.1, -0.1), True, False, "1 yes, 0 undecided, 2 no"),
        ((-0.1, -0.1), False, False, "0 yes, 0 undecided, 2 no"),
    ],
)
def test_a_verdict_follows_its_rule(means, overall, everywhere, counts):
    values = runs(*map(around, means))
    found = Ledger.verdict(values)
    assert (found["overall"], found["everywhere"], counted(found)) == (overall, everywhere, counts)
    assert found["holds"] == everywhere
    assert Ledger.verdict(values, says="overall")["holds"] == overall


@pytest.mark.parametrize("size", [2, 5, 10, 50])
@pytest.mark.parametrize("number", [1, 3])
def test_a_setting_is_decided_by_students_law_and_holms_correction(size, number):
    # Of equal settings, the first that rejects does it at the risk divided by their number.
    critical = stats.t.ppf(1 - 0.025 / number, size - 1)
    for ratio, word in ((1.01, "yes"), (0.99, "undecided"), (-0.99, "undecided"), (-1.01, "no")):
        values = runs(*[around(ratio * critical, 1, size)] * number)
        found = Ledger.verdict(values)
        if number > 1:
            assert f"{number} {word}" in counted(found)
        else:
            assert found["overall"] == {"yes": True, "undecided": "undecided", "no": False}[word]


@settings(max_examples=30)
@given(st.lists(st.integers(-60, 60), min_size=2, max_size=6))
def test_holms_correction_rejects_one_after_the_other(tenths):
    # The textbook's way: the smallest chance first, until one is too large for those that are left.
    ratios = [tenth / 10 for tenth in tenths]
    found = Ledger.verdict(runs(*(around(ratio, 1, 6) for ratio in ratios)))
    for word, sign in (("yes", 1), ("no", -1)):
        chances = sorted(float(stats.t.sf(sign * ratio, 5)) for ratio in ratios)
        rejected = 0
        while rejected < len(chances) and chances[rejected] <= 0.025 / (len(chances) - rejected):
            rejected += 1
        assert f"{rejected} {word}" in counted(found)


def test_the_mean_of_all_settings_has_an_error_of_its_own():
    # Each setting alone is undecided. Their noise cancels out in the mean of both, or it does not.
    together, against = around(0.5, 0.4), around(0.5, 0.4)[::-1]
    assert Ledger.verdict(runs(together, against))["overall"] is True
    assert Ledger.verdict(runs(together, together))["overall"] == "undecided"


def test_a_bound_stands_on_either_side_and_what_was_measured_is_told():
    values = runs(around(0.052, 0.002), around(0.246, 0.004))
    within = Ledger.verdict(values, at_most=0.05, points=True)
    assert within["claimed"] == "at most 5 points"
    assert within["measured"] == (
        "14.9 ± 0.3 points; settings: 0 yes, 1 undecided, 1 no; worst 24.6 ± 0.4 (function 1, x)"
    )
    assert (within["overall"], within["everywhere"]) == (False, "partly")
    above = Ledger.verdict(-values, at_least=-0.05)
    assert above["claimed"] == "at least -0.05"
    assert (above["overall"], above["everywhere"], counted(above)) == (False, "partly", counted(within))


@pytest.mark.parametrize(("bound", "overall"), [(0.24, False), (0.245, "undecided"), (0.26, True)])
def test_a_bound_that_moves_across_the_values_changes_the_verdict(bound, overall):
    assert Ledger.verdict(runs(around(0.245, 0.001)), at_most=bound)["holds"] == overall


@pytest.mark.parametrize(("value", "holds"), [(0.3, True), (0.2, True), (0.1, False)])
def test_repeats_that_are_all_the_same_have_no_error(value, holds):
    assert Ledger.verdict(runs([value] * 3, [0.1 + 0.2] * 3), at_least=0.2)["everywhere"] == (holds or "partly")


def test_every_setting_weighs_the_same_however_often_it_was_run():
    values = runs(around(1, 0.001, 20), around(-3.05, 0.001, 2), around(-3.1, 0.001, 2))
    found = Ledger.verdict(values)
    assert found["measured"].startswith("-1.72 ± ")
    assert (found["overall"], found["everywhere"]) == (False, False)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_error_of_the_mean_is_that_of_whole_repeats(places, repeats, seed):
    drawn = np.random.default_rng(seed).normal(size=(places, repeats))
    told = Ledger.verdict(runs(*drawn))["measured"].partition(";")[0]
    means = drawn.mean(axis=0)
    assert told == f"{means.mean():.3g} ± {means.std(ddof=1) / np.sqrt(repeats):.2g}"


def test_no_setting_is_kept_if_the_mean_of_all_says_no():
    # Each is undecided by itself, but their noise cancels out in the mean.
    found = Ledger.verdict(runs(around(-0.5, 0.4), around(-0.5, 0.4)[::-1]))
    assert (counted(found), found["overall"], found["everywhere"]) == ("0 yes, 2 undecided, 0 no", False, False)


@pytest.mark.parametrize("value", [48474.90724913406, 1e-5, 1e10 / 3, 0.1 + 0.2])
def test_a_number_is_at_least_itself(value):
    assert Ledger.verdict(runs([value] * 11, [value] * 11), at_least=value)["holds"] is True
    assert Ledger.verdict(runs([value] * 11, [value] * 11), at_most=value)["holds"] is True


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (1_234_567, "size 1,234,567"),
        (0.25, "size 0.25"),
        (True, "size True"),
        (pd.Timedelta(0), "size 0 days 00:00:00"),
    ],
)
def test_a_setting_is_named_as_it_is(place, told):
    index = pd.MultiIndex.from_arrays([pd.Index([place, place, "b", "b"], dtype=object), [0, 1, 0, 1]])
    found = Ledger.verdict(pd.Series([-1.0, -1.1, 2.0, 2.1], index.set_names(["size", "repeat"])))
    assert found["measured"].endswith(f"({told})")


def test_a_setting_whose_level_is_none_counts():
    cells = pd.MultiIndex.from_product([[None, 5], range(3)], names=["cap", "repeat"])
    found = Ledger.verdict(pd.Series([-1.0, -1.1, -0.9, 1.0, 1.1, 0.9], cells))
    assert counted(found) == "1 yes, 0 undecided, 1 no"


@pytest.mark.parametrize(
    ("values", "given_", "error", "message"),
    [
        ([1, 2], {}, TypeError, "values is a list; expected a Series, indexed by the setting's arguments"),
        (
            pd.Series([1.0, 2.0]),
            {},
            ValueError,
            "values is indexed by .*; expected the arguments of its settings",
        ),
        (runs([1.0], [1.0]), {}, ValueError, "values has a setting with one repeat; expected two or more"),
        (runs([1.0, np.nan]), {}, ValueError, "values"),
        (
            pd.concat([runs([1.0, 2.0])] * 2),
            {},
            ValueError,
            r"values has \(0, 'x', 0\) more than once; expected each run once, by all its arguments",
        ),
        (
            runs([1.0, 2.0]),
            {"at_least": 0, "at_most": 1},
            ValueError,
            "at_least is 0 and at_most 1; expected one",
        ),
        (runs([1.0, 2.0]), {"at_most": "1"}, TypeError, "at_most is '1'"),
        (runs([1.0, 2.0]), {"says": "anywhere"}, ValueError, "says is 'anywhere'; expected one of"),
        (runs([1.0, 2.0]), {"points": 1}, ValueError, "points is 1"),
    ],
)
def test_bad_arguments_are_refused(values, given_, error, message):
    with pytest.raises(error, match=message):
        Ledger.verdict(values, **given_)
