"""Relevance: LSL03 Table 1, every measure beside an independent one, identifiers, and the cells of Figure 2."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from scipy.stats.contingency import association
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score

from ppdm.cuts import groups_of, mdlp_cuts
from ppdm.data import load
from ppdm.disguise import relevance
from ppdm.information import entropy

PIMA = load("pima")
TABLES = {name: load(name) for name in ("pima", "wbc", "votes")}
IN_A_BYTE = PIMA.X.astype(float) // 1 % 256
PRINTED = [0.061825, 0.304201, 0.05931, 0.081664, 0.232564, 0.123164, 0.010896, 0.140941]  # LSL03 Table 1

records = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), min_size=4, max_size=60)


def frame_of(rows):
    """A column of numbers, the same as categories, and the classes; those of the first records differ."""
    values, classes = zip(*rows, strict=True)
    X = pd.DataFrame({"number": values, "text": [f"v{value}" for value in values]})
    return X, np.array(["a", "b", *classes[2:]])


def bits(values, classes):
    return mutual_info_score(pd.factorize(values)[0], pd.factorize(classes)[0]) / np.log(2)


def gini(classes):
    return 1 - sum((np.mean(classes == own)) ** 2 for own in np.unique(classes))


def test_table_1_of_the_paper_on_values_cut_to_a_byte():
    gains = relevance.rank(IN_A_BYTE, PIMA.y)["gain"]
    assert gains[list(PIMA.X)].round(6).tolist() == PRINTED
    assert list(gains.index[:2]) == ["plas", "insu"]


def test_many_values_rank_first_by_the_gain_and_not_after_cuts():
    gains = relevance.rank(PIMA.X, PIMA.y)
    assert list(gains.index[:3]) == ["pedi", "mass", "plas"]
    assert gains["gain"].loc[["insu", "mass", "pedi"]].round(6).tolist() == [0.277095, 0.343811, 0.650918]
    after = relevance.rank(PIMA.X, PIMA.y, "gain_after_cuts")["gain_after_cuts"]
    expected = {"plas": 0.190, "mass": 0.075, "age": 0.073, "insu": 0.060, "preg": 0.039, "pedi": 0.021}
    assert after.to_dict() == pytest.approx({**expected, "pres": 0, "skin": 0}, abs=0.0006)  # of three digits
    assert list(after.index[:6]) == list(expected)
    assert list(relevance.rank(PIMA.X, PIMA.y, "correlation").index[:4]) == ["plas", "mass", "age", "preg"]


@pytest.mark.parametrize("measure", relevance.MEASURES)
def test_the_most_telling_is_first(measure):
    table = relevance.rank(PIMA.X, PIMA.y, measure)
    assert sorted(table.index) == sorted(PIMA.X)
    assert table[measure].is_monotonic_decreasing


@pytest.mark.parametrize("name", TABLES)
def test_measures_are_those_of_other_libraries(name):
    table = TABLES[name]
    found = relevance.rank(table.X, table.y)
    for attribute, column in table.X.items():
        known = column.notna().to_numpy()
        values, y = column[known], table.y[known]
        cut = values
        if values.dtype.kind in "if":
            cut = groups_of(values, mdlp_cuts(values, y))
            correlation = abs(pearsonr(values, pd.factorize(y)[0])[0])
        else:
            correlation = association(pd.crosstab(values, y).to_numpy(), method="cramer")
        both = entropy(pd.Series(cut).value_counts()) + entropy(y.value_counts())
        after = [np.mean(cut == own) * gini(y[cut == own]) for own in pd.unique(cut)]
        expected = {
            "gain": bits(values, y),
            "gain_after_cuts": bits(cut, y),
            "gini": gini(y) - sum(after),
            "correlation": correlation,
            "uncertainty": 2 * bits(cut, y) / both,
            "values": values.nunique(),
            "known": known.mean(),
        }
        assert found.loc[attribute].to_dict() == pytest.approx(expected, abs=1e-12)


def test_the_correlation_of_several_classes_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 500)
    X = pd.DataFrame({"a": y + rng.normal(size=500), "b": rng.normal(size=500) * 1e-9, "c": y % 2 * 1e200})
    correlation = relevance.rank(X, y)["correlation"]
    squares = correlation[["a", "b"]].to_numpy() ** 2
    # F = (η² / (k − 1)) / ((1 − η²) / (n − k)).
    assert squares / 3 / ((1 - squares) / 496) == pytest.approx(f_classif(X[["a", "b"]], y)[0], rel=1e-9)
    assert correlation["c"] == pytest.approx(1, abs=1e-12)


@given(records)
def test_measures_stay_in_their_bounds(rows):
    X, y = frame_of(rows)
    table = relevance.rank(X, y)
    most = float(entropy(np.unique(y, return_counts=True)[1]))
    assert (table[["gain", "gain_after_cuts", "gini", "correlation", "uncertainty"]] >= 0).all(axis=None)
    assert (table[["gini", "correlation", "uncertainty"]] <= 1).all(axis=None)
    assert (table["gain_after_cuts"] <= table["gain"] + 1e-12).all()
    assert (table["gain"] <= most + 1e-12).all()
    assert table["gain"].loc["number"] == pytest.approx(table["gain"].loc["text"], abs=1e-12)


@given(records, st.randoms(use_true_random=False))
def test_missing_values_are_left_out(rows, random):
    X, y = frame_of(rows)
    n = len(X)
    longer = pd.DataFrame({"number": [*X["number"], np.nan, None], "text": [*X["text"], None, np.nan]})
    order = random.sample(range(n + 2), n + 2)
    found = relevance.rank(longer.iloc[order], np.append(y, ["a", "c"])[order]).drop(columns="known")
    expected = relevance.rank(X, y).drop(columns="known").loc[found.index]
    assert found.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-12)


@pytest.mark.parametrize("kind", ["float32", "Int64", "int8", "Float64"])
def test_numbers_of_any_kind(kind):
    X = PIMA.X[["preg", "age"]]
    pd.testing.assert_frame_equal(relevance.rank(X.astype(kind), PIMA.y), relevance.rank(X, PIMA.y))


def test_constants_and_dates_are_no_trouble():
    y = ["a", "b"] * 10
    X = pd.DataFrame(
        {"one": 0.1, "text": "x", "day": pd.date_range("2000", periods=20), "truth": [True, False] * 10}
    )
    table = relevance.rank(X, y)
    assert table.loc[["one", "text"], list(relevance.MEASURES)].to_numpy().tolist() == [[0.0] * 5] * 2
    assert table.loc["truth", list(relevance.MEASURES)].tolist() == [1, 1, 0.5, 1, 1]
    assert table["values"].to_dict() == {"one": 1, "text": 1, "day": 20, "truth": 2}
    assert relevance.identifiers(X) == {}


def test_an_identifier_seems_to_tell_everything():
    X = PIMA.X.assign(no=np.arange(768) * 7 % 769, code=[f"p{row}" for row in range(768)])
    table = relevance.rank(X, PIMA.y)
    most = float(entropy(PIMA.y.value_counts()))
    assert table["gain"].head(2).to_dict() == pytest.approx({"no": most, "code": most}, abs=1e-12)
    assert round(most, 4) == 0.9331
    assert table["gain_after_cuts"].loc["no"] == 0
    assert list(relevance.identifiers(X)) == ["no", "code"]


@pytest.mark.parametrize("name", ["pima", "wbc", "votes", "boston", "adult"])
def test_the_tables_hold_no_identifiers(name):
    assert relevance.identifiers(load(name).X) == {}


@pytest.mark.parametrize(
    ("name", "says_so"),
    [
        *(
            (name, True)
            for name in (
                "id",
                "ID",
                "ID2",
                "id1",
                "IDNumber",
                "customerId",
                "user_id",
                "Social security no",
                "E-Mail",
                "surname",
            )
        ),
        *(
            (name, True)
            for name in ("Drivers license", "telephone numbers", "product names", ("id", "x"), "address")
        ),
        *((name, False) for name in ("aid", "paid", "identity", "filenames", "phoneme", "mail order", "age", 7)),
    ],
)
def test_names_that_say_so(name, says_so):
    reasons = relevance.identifiers(pd.DataFrame([[1.5]] * 20, columns=pd.Index([name], tupleize_cols=False)))
    assert reasons == ({name: "its name says so"} if says_so else {})


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.arange(100), "100% of its whole numbers are distinct"),
        ([np.nan, *range(99)], "100% of its whole numbers are distinct"),
        ([*range(90), *[0] * 10], "90% of its whole numbers are distinct"),
        ([*range(89), *[0] * 11], None),
        (np.arange(100) / 8, None),
        ([f"{value}" for value in range(100)], "100% of its values are distinct"),
        (pd.Categorical([f"{value}" for value in range(100)]), "100% of its values are distinct"),
        (["a", "b"] * 50, None),
        (np.arange(100) + 2**60, "100% of its whole numbers are distinct"),
        (np.arange(100).astype("uint64") + np.uint64(2**63), "100% of its whole numbers are distinct"),
        (pd.array([*range(2**60, 2**60 + 99), None], dtype="Int64"), "100% of its whole numbers are distinct"),
        ([np.inf, *range(99)], None),
        ([[value] for value in range(100)], None),
        ([None] * 100, None),
        (np.arange(100) * 1j, None),
    ],
)
def test_values_that_are_nearly_all_distinct(values, reason):
    assert relevance.identifiers(pd.DataFrame({"own": values})).get("own") == reason


def test_a_name_is_judged_whatever_the_column_holds():
    values = {
        "ssn": [[1], [2]],
        "phone": [np.inf, 1],
        "name": [None, None],
        "id_no": [2**60, 2**60],
        "a": [1j, 2j],
    }
    assert list(relevance.identifiers(pd.DataFrame(values))) == ["ssn", "phone", "name", "id_no"]


def test_pairs_tell_what_repeats():
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    X = pd.DataFrame(
        {"x": x, "far": rng.normal(size=2000), "cube": -(x**3), "half": np.where(x > np.median(x), "up", "down")}
    )
    table = relevance.pairs(X)
    assert len(table) == 6
    assert table.loc[0].tolist() == ["x", "cube", pytest.approx(1, abs=1e-12)]
    # The half follows from the ten groups, of log₂ 10 bits: 2·1 / (log₂ 10 + 1).
    both = table["second"].eq("half") & table["first"].ne("far")
    assert table.loc[both, "uncertainty"].to_numpy() == pytest.approx(2 / (np.log2(10) + 1), abs=1e-9)
    # By chance 81 degrees of freedom tell about 81 / (2·2000·ln 2) = .03 bits.
    assert table.loc[~both, "uncertainty"].iloc[1:].max() < 0.02


def test_pairs_of_categories_are_compared_by_mutual_information():
    X = TABLES["votes"].X
    table = relevance.pairs(X)
    assert len(table) == 16 * 15 / 2
    for first, second, found in table.itertuples(index=False):
        own, other = X[[first, second]].dropna().to_numpy().T
        both = entropy(pd.Series(own).value_counts()) + entropy(pd.Series(other).value_counts())
        assert found == pytest.approx(2 * bits(own, other) / both, abs=1e-12)


def test_pairs_without_a_common_record_tell_nothing():
    X = pd.DataFrame({"a": [1.0, None], "b": [None, "x"], "c": ["x", "x"]})
    assert relevance.pairs(X)["uncertainty"].tolist() == [0, 0, 0]
    assert len(relevance.pairs(X[["a"]])) == 0


def test_the_cells_of_figure_2():
    table = relevance.cells(IN_A_BYTE, PIMA.y, ["preg", "age"])
    advice = table["advice"].to_dict()
    assert (advice["preg"], advice["age"]) == ("drop", "disguise")  # as in the paper's experiment
    assert [name for name in advice if advice[name] == "keep"] == ["plas", "insu", "mass"]
    assert [name for name in advice if advice[name] == "keep or drop"] == ["skin", "pres", "pedi"]
    assert table["relevant"].equals(table["gain"] >= 0.1)
    honest = relevance.cells(PIMA.X, PIMA.y, ["age"], measure="gain_after_cuts")
    assert honest.loc["age"].tolist()[1:] == [True, False, "drop"]
    assert relevance.cells(PIMA.X, PIMA.y, [], threshold=0)["advice"].eq("keep").all()


X, Y = PIMA.X, PIMA.y
MISSING = pd.DataFrame({"a": [1.0, 2.0], "b": [None, None]})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: relevance.rank(X.to_numpy(), Y), TypeError, "X is a ndarray; expected a pandas DataFrame"),
        (lambda: relevance.rank(X, Y[1:]), ValueError, "X has 768 entries and y has 767"),
        (lambda: relevance.rank(X, ["a"] * 768), ValueError, "y has one class only"),
        (lambda: relevance.rank(X, [None, *Y[1:]]), ValueError, "y has 1 of 768 missing"),
        (lambda: relevance.rank(X, Y, "entropy"), ValueError, "measure is 'entropy'; expected one of 'gain'"),
        (lambda: relevance.rank(X, Y, "values"), ValueError, "measure is 'values'"),
        (
            lambda: relevance.rank(X.assign(age=np.inf), Y),
            ValueError,
            "column 'age' has 768 of 768 missing or inf",
        ),
        (lambda: relevance.pairs(pd.DataFrame({"a": [None, 1, np.inf]})), ValueError, "1 of 3 .* at position 2"),
        (lambda: relevance.rank(X.assign(age=1j), Y), TypeError, "column 'age' holds complex numbers"),
        (lambda: relevance.rank(MISSING, [0, 1]), ValueError, "column 'b' has no known value"),
        (lambda: relevance.pairs(MISSING), ValueError, "column 'b' has no known value"),
        (lambda: relevance.rank(X.assign(age=[[1]] * 768), Y), TypeError, "column 'age' has entries that cannot"),
        (lambda: relevance.pairs([1]), TypeError, "X is a list"),
        (lambda: relevance.identifiers({}), TypeError, "X is a dict"),
        (lambda: relevance.cells(X, Y, "age"), TypeError, "sensitive is 'age'; expected a list"),
        (lambda: relevance.cells(X, Y, ["agee"]), ValueError, "sensitive names 'agee'"),
        (lambda: relevance.cells(X, Y, ["age"], -1), ValueError, "threshold is -1"),
        (lambda: relevance.cells(X, Y, ["age"], 0.1, "no"), ValueError, "measure is 'no'"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
