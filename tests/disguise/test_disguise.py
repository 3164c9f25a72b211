"""A table disguised: scikit-learn's conventions, fresh noise, fixed noise, what is kept, what is refused."""

import pickle
import time

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm import randomness
from ppdm.disguise import (
    Disguise,
    GaussianNoise,
    GroupedResponse,
    Intervals,
    KeepOrReplace,
    PrivacyWarning,
    RandomizedResponse,
    Release,
    UniformNoise,
    as_disguise,
)
from ppdm.disguise import parts as bindings

AGE = GaussianNoise.at_privacy(1.0, low=20, high=80)
CHILDREN = UniformNoise(half_width=3, low=0, high=9, step=1)
TOWN = KeepOrReplace(keep=0.5, categories=["Ayr", "Bern", "Cork"])
WIDE = UniformNoise(half_width=1, low=-1e6, high=1e6)
KEY = b"a key of sixteen bytes or more"
CHANNELS = {"town": TOWN, "age": AGE, "children": CHILDREN}


@parametrize_with_checks(
    [Disguise(WIDE), Disguise(WIDE, random_state=3), Disguise(Intervals(edges=9, low=-1e6, high=1e6))]
)
def test_scikit_learns_conventions_hold(estimator, check):
    check(estimator)


def people(n=300, seed=1):
    """Columns of every kind, entities that come three times each with the same values, an index with repeats."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.uniform(20, 80, n),
            "town": pd.Categorical(rng.choice(["Ayr", "Bern", "Cork"], n)),
            "children": rng.integers(0, 10, n),
            "job": rng.choice(["smith", "baker"], n),
            "score": pd.array(rng.integers(0, 4, n), dtype="Int64"),
        }
    )
    table.loc[::7, "score"] = pd.NA
    thrice = pd.concat([table] * 3)
    return thrice.sample(frac=1, random_state=seed)


def test_frames_keep_columns_index_and_what_is_untouched():
    X = people()
    before = X.copy(deep=True)
    seen = Disguise(CHANNELS, random_state=1).fit_transform(X)
    assert isinstance(seen, pd.DataFrame)
    assert seen.index.equals(X.index)
    assert (seen.dtypes == X.dtypes).all()
    pd.testing.assert_frame_equal(seen[["id", "job", "score"]], X[["id", "job", "score"]])
    for column in CHANNELS:
        assert (seen[column] != X[column]).mean() > 0.4
    pd.testing.assert_frame_equal(X, before)


def test_each_column_goes_through_its_channel():
    X = people()
    seen = Disguise(CHANNELS, random_state=np.random.default_rng(5)).fit_transform(X)
    rng = np.random.default_rng(5)  # in the order of the table's columns, not of the dict
    for column in ("age", "town", "children"):
        pd.testing.assert_series_equal(seen[column], CHANNELS[column].disguise(X[column], rng))


def test_questions_of_yes_and_no_are_disguised_like_any_column():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {"a": rng.integers(0, 2, 300), "b": pd.Categorical(rng.choice(["no", "yes"], 300)), "who": 7}
    )
    channels = {
        "a": RandomizedResponse(0.8),
        "b": RandomizedResponse(0.7, unrelated=0.2, categories=["no", "yes"]),
    }
    stream = np.random.default_rng(5)
    seen = Disguise(channels, random_state=np.random.default_rng(5)).fit_transform(X)
    for column, channel in channels.items():
        pd.testing.assert_series_equal(seen[column], channel.disguise(X[column], stream))
    kept = Disguise(channels, key=KEY, entity="who").fit_transform(X)
    assert all(len(set(kept[column][X[column] == value])) == 1 for column in "ab" for value in X[column].unique())


def test_arrays_in_arrays_out():
    X = np.random.default_rng(1).uniform(0, 1, (50, 3))
    noise = UniformNoise(half_width=1, low=0, high=1)
    seen = Disguise({0: noise, 2: noise}, random_state=np.random.default_rng(1)).fit_transform(X)
    assert type(seen) is np.ndarray
    assert seen.dtype == float
    assert np.array_equal(seen[:, 1], X[:, 1])
    rng = np.random.default_rng(1)
    assert np.array_equal(seen[:, 0], noise.disguise(X[:, 0], rng))
    assert np.array_equal(seen[:, 2], noise.disguise(X[:, 2], rng))


def test_arrays_of_objects_and_lists_of_rows_are_tables_too():
    X = [[30, "Ayr"], [40, "Bern"]]
    seen = Disguise({0: AGE, 1: KeepOrReplace(keep=0, categories=["Ayr", "Bern"])}).fit_transform(
        np.array(X, dtype=object)
    )
    assert seen[:, 1].tolist() == ["Bern", "Ayr"]
    assert all(isinstance(value, float) for value in seen[:, 0])
    assert Disguise(AGE).fit_transform([[30, 40], [50, 60]]).shape == (2, 2)


def test_one_channel_serves_all_columns():
    X = pd.DataFrame({"a": [20.0, 30], "b": [40.0, 50]})
    disguise = Disguise(AGE).fit(X)
    assert disguise.channels_ == {"a": AGE, "b": AGE}
    assert (disguise.transform(X) != X).all().all()


@pytest.mark.parametrize(
    "random_state", [None, 3, np.int64(3), np.random.default_rng(3), np.random.RandomState(3)]
)
def test_no_two_calls_add_the_same_noise(random_state):
    X = people()
    disguise = Disguise(CHANNELS, random_state=random_state).fit(X)
    first = disguise.transform(X)
    with pytest.warns(PrivacyWarning, match="released again"):
        second = disguise.transform(X)
    assert (first["age"] != second["age"]).all()
    noise = [(seen["age"] - X["age"]).to_numpy() for seen in (first, second)]
    # 900 independent pairs: the correlation's standard error is 0.033.
    assert abs(np.corrcoef(noise)[0, 1]) < 0.17


def test_a_seed_repeats_a_study_and_nothing_repeats_a_release():
    X = people()
    studies = [Disguise(CHANNELS, random_state=3).fit_transform(X) for _ in range(2)]
    pd.testing.assert_frame_equal(*studies)
    releases = [Disguise(CHANNELS).fit_transform(X) for _ in range(2)]
    assert (releases[0]["age"] != releases[1]["age"]).all()


def test_names_output_and_tags():
    X = people()
    disguise = Disguise(CHANNELS).fit(X)
    assert disguise.get_feature_names_out().tolist() == list(X.columns)
    assert disguise.__sklearn_tags__().non_deterministic
    assert not Disguise(CHANNELS, key=KEY, entity="id").__sklearn_tags__().non_deterministic
    array = np.full((3, 2), 30.0)
    framed = Disguise(AGE).set_output(transform="pandas").fit_transform(array)
    assert framed.columns.tolist() == ["x0", "x1"]


def test_works_in_a_pipeline_and_by_columns():
    X = people()
    parts = ColumnTransformer([("ages", Disguise(AGE), ["age"]), ("towns", Disguise(TOWN), ["town"])])
    seen = make_pipeline(parts.set_output(transform="pandas")).fit_transform(X)
    assert seen.columns.tolist() == ["ages__age", "towns__town"]
    assert seen["towns__town"].isin(TOWN.categories).all()


def test_clones_and_copies():
    X = people()
    disguise = Disguise(CHANNELS, key=KEY, entity="id").fit(X)
    expected = disguise.transform(X)
    copied = pickle.loads(pickle.dumps(disguise))
    with pytest.raises(ValueError, match="key is gone, because a pickled copy does not hold it; give it again"):
        copied.transform(X)
    pd.testing.assert_frame_equal(copied.set_params(key=KEY).transform(X), expected)
    pd.testing.assert_frame_equal(clone(disguise).fit_transform(X), expected)
    assert clone(disguise).get_params() == disguise.get_params()


def test_unfitted_and_other_tables_are_refused():
    X = people()
    with pytest.raises(NotFittedError):
        Disguise(CHANNELS).transform(X)
    with pytest.raises(NotFittedError):
        Disguise(CHANNELS).by_column()
    disguise = Disguise(CHANNELS).fit(X)
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        disguise.transform(X.drop(columns="job"))
    numbered = pd.DataFrame([[30.0, 1], [40, 2]])
    with pytest.raises(ValueError, match=r"X has the columns \[1, 0\]; expected those of fit, \[0, 1\]"):
        Disguise({0: AGE}).fit(numbered).transform(numbered[[1, 0]])


def keyed(table, key=KEY, channels=CHANNELS):
    bindings._bound.clear()  # as if each call had a process of its own
    return Disguise(channels, key=key, entity="id").fit_transform(table)


def test_an_entity_gets_the_same_values_always():
    X = people()
    seen = keyed(X)
    assert len(seen[["id", "age", "town", "children"]].drop_duplicates()) == 300
    pd.testing.assert_frame_equal(keyed(X), seen)
    pd.testing.assert_frame_equal(keyed(X.iloc[::5]), seen.iloc[::5])
    assert seen["id"].equals(X["id"])


@pytest.mark.parametrize("ids", [str, float, "int8", object, "category"])
def test_an_entity_is_the_same_however_it_is_stored(ids):
    X = people(100)
    table = X.astype({"id": ids, "children": float, "town": str})
    assert keyed(table)["age"].tolist() == keyed(X)["age"].tolist()
    assert keyed(table)["children"].tolist() == keyed(X)["children"].tolist()
    assert keyed(table)["town"].tolist() == keyed(X)["town"].tolist()


def test_arrays_have_entities_too():
    X = np.column_stack([np.repeat(np.arange(30), 2), np.full(60, 50.0)])
    seen = Disguise({1: AGE}, key=KEY, entity=0).fit_transform(X)
    assert np.array_equal(seen[:, 0], X[:, 0])
    assert np.array_equal(seen[::2, 1], seen[1::2, 1])
    assert len(np.unique(seen[:, 1])) == 30
    whole = Disguise(AGE, key=KEY, entity=0).fit(X)
    assert list(whole.channels_) == [1]


def test_fixed_noise_is_distributed_as_fresh_noise():
    # Kolmogorov–Smirnov and chi-squared; 20,000 entities, fixed by the key.
    X = people(20_000).drop_duplicates("id")
    seen = keyed(X)
    assert stats.kstest((seen["age"] - X["age"]) / AGE.sd, "norm").pvalue > 1e-3
    counts = np.bincount(seen["children"] - X["children"] + 3, minlength=7)
    assert stats.chisquare(counts, len(X) * np.array([1, 2, 2, 2, 2, 2, 1]) / 12).pvalue > 1e-3
    assert (seen["town"] == X["town"]).mean() == pytest.approx(0.5, abs=0.018)  # five standard errors


def independent(a, b):
    # Spearman's ρ over 2,000 pairs has a standard error of 0.022.
    return abs(stats.spearmanr(a, b).statistic) < 0.11


def test_key_column_channel_and_true_value_each_give_fresh_noise():
    X = pd.DataFrame({"id": np.arange(2000), "age": 50.0, "years": 50.0})
    twice = GaussianNoise(sd=2 * AGE.sd, low=20, high=80)
    first = keyed(X, channels={"age": AGE, "years": AGE})
    older = keyed(X.assign(age=50.5), channels={"age": AGE})
    wider = keyed(X, channels={"age": twice})
    other = keyed(X, key=KEY + b"!", channels={"age": AGE})
    for seen in (first["years"], older["age"], wider["age"], other["age"]):
        assert independent(first["age"], seen)
    assert keyed(X, channels={"age": AGE})["age"].equals(first["age"])


def test_fixed_values_never_change():
    # Whoever has released with a key must get the same disguise with any later version.
    X = pd.DataFrame({"id": ["ann", "bob"], "age": [30.5, 40], "town": ["Ayr", "Cork"], "children": [0, 9]})
    seen = keyed(X, channels=CHANNELS)
    assert seen["age"].round(6).tolist() == [61.607811, 32.966927]
    assert seen["town"].tolist() == ["Bern", "Cork"]
    assert seen["children"].tolist() == [-1, 11]


def test_minus_zero_is_zero():
    noise = UniformNoise(half_width=1, low=-1, high=1)
    X = pd.DataFrame({"id": [1, 1], "x": [0.0, -0.0]})
    first, second = keyed(X, channels={"x": noise})["x"]
    assert first == second


def test_many_entities_take_seconds_at_most():
    X = pd.DataFrame({"id": np.arange(100_000), "age": np.linspace(20, 80, 100_000)}).sample(
        frac=1, random_state=1, ignore_index=True
    )
    start = time.perf_counter()
    keyed(X, channels={"age": AGE})
    assert time.perf_counter() - start < 10  # 0.3 s on a laptop


def test_a_key_is_never_printed():
    disguise = Disguise(CHANNELS, key=KEY, entity="id")
    later = Disguise(CHANNELS).set_params(key=KEY, entity="id")
    for shown in (disguise, later, clone(disguise), make_pipeline(disguise), disguise.fit(people())):
        for text in (repr(shown), str(shown), shown._repr_html_(), str(shown.get_params())):
            assert "sixteen" not in text
    assert "<secret>" in repr(disguise)


GOOD = pd.DataFrame({"id": [1, 2], "age": [30.0, 40.0], "town": ["Ayr", "Bern"]})
BAD_TABLES = [
    (
        GOOD.drop(columns="age"),
        ValueError,
        r"channels names 'age', which the table does not have; its columns are",
    ),
    (
        GOOD.assign(age=[30, 90]),
        ValueError,
        r"column 'age' has 1 of 2 outside the domain \[20, 80\] \(first at",
    ),
    (GOOD.assign(age=[30, np.nan]), ValueError, r"column 'age' has 1 missing \(NaN\), first in row 1"),
    (
        GOOD.assign(age=pd.array([None, 30], "Int64")),
        ValueError,
        r"column 'age' has 1 missing \(NaN\), first in row 0",
    ),
    (GOOD.assign(age=["30", "40"]), TypeError, "column 'age' holds objects; expected numbers"),
    (GOOD.assign(age=[30, np.inf]), ValueError, "column 'age' has 1 .*missing or infinite value"),
    (GOOD.assign(town=["Ayr", "Rome"]), ValueError, "column 'town' has 1 of 2 that are none of the categories"),
    (GOOD.assign(town=["Ayr", None]), ValueError, r"column 'town' has 1 .*missing"),
    (
        GOOD.assign(town=GOOD["town"].astype(pd.CategoricalDtype(["Ayr", "Bern"], ordered=True))),
        ValueError,
        "column 'town' has an ordered dtype that does not hold all",
    ),
    (GOOD.iloc[:0], ValueError, r"X has shape \(0, 3\)"),
    (pd.concat([GOOD, GOOD["age"]], axis=1), ValueError, "X has the column 'age' more than once"),
    (GOOD["age"], ValueError, "X has 1 dimensions; expected two, a row for each record"),
    (
        GOOD.to_numpy(),
        ValueError,
        "channels names 'age', 'town', which the table does not have; its columns are 0, 1",
    ),
]


@pytest.mark.parametrize(("table", "error", "message"), BAD_TABLES)
def test_bad_tables_are_refused(table, error, message):
    with pytest.raises(error, match=message):
        Disguise({"age": AGE, "town": TOWN}).fit(table)
    if isinstance(table, pd.DataFrame) and list(table.columns) == list(GOOD.columns) and len(table):
        with pytest.raises(error, match=message):
            Disguise({"age": AGE, "town": TOWN}).fit(GOOD).transform(table)


def test_a_refused_table_leaves_the_stream_as_it_was():
    disguise, same = (Disguise({"age": AGE, "town": TOWN}, random_state=1).fit(GOOD) for _ in range(2))
    with pytest.raises(ValueError, match="column 'town'"):
        disguise.transform(GOOD.assign(town="Rome"))
    pd.testing.assert_frame_equal(disguise.transform(GOOD), same.transform(GOOD))


BAD_PARAMETERS = [
    ({"channels": {}}, ValueError, "channels is empty; expected at least one entry"),
    (
        {"channels": "noise"},
        TypeError,
        "channels is a str; expected a dict of channels by column, a GroupedResponse",
    ),
    ({"channels": None}, ValueError, r"channels is None, for no column of \['id', .*; expected one to disguise"),
    (
        {"channels": {"age": UniformNoise}},
        TypeError,
        r"channels\['age'\] is .*; expected a channel, say UniformNoise",
    ),
    ({"channels": {"age": 5}}, TypeError, r"channels\['age'\] is an int"),
    ({"channels": {"wage": AGE}}, ValueError, "channels names 'wage'"),
    ({"channels": AGE}, ValueError, "column 'id' has 2 of 2 outside the domain"),
    ({"random_state": -1}, ValueError, r"random_state is -1; expected a whole number in \[0, inf\); or a numpy"),
    ({"random_state": 1.5}, TypeError, "random_state is 1.5"),
    ({"key": KEY}, ValueError, "key and entity go together"),
    ({"entity": "id"}, ValueError, "key and entity go together"),
    ({"key": KEY[:15], "entity": "id"}, ValueError, "key has 15 bytes; expected 16 or more"),
    ({"key": bytearray(KEY), "entity": "id"}, TypeError, "key is a bytearray; expected bytes"),
    ({"key": KEY, "entity": "name"}, ValueError, "entity names 'name', which the table does not have"),
    ({"key": KEY, "entity": "age"}, ValueError, "channels names the entity 'age'"),
    ({"key": KEY, "entity": "id", "random_state": 1}, ValueError, "random_state is 1; expected None: noise"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        Disguise(**{"channels": {"age": AGE}, **parameters}).fit(GOOD)


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([1, None], ValueError, r"the entity column has 1 missing \(NaN\), first in row 1; expected none"),
        ([1.5, 2], ValueError, "the entity column holds a float in row 0 that is no whole number"),
        ([2.0**53, 2], ValueError, "the entity column holds a float in row 0 that is no whole number below"),
        ([True, False], TypeError, "the entity column holds a bool in row 0; expected whole numbers or text"),
        (pd.Series([1, True], dtype=object), TypeError, "holds a bool in row 1; .* one kind of them throughout"),
        (pd.Series([True, 1], dtype=object), TypeError, "holds a bool in row 0"),
        (pd.Series([1, 1.0], dtype=object), TypeError, "holds a float in row 1"),
        (pd.Series([7, "7"], dtype=object), TypeError, "holds a str in row 1"),
        (["a", "\ud800"], ValueError, "the entity column holds half a character in row 1"),
        ([pd.Timestamp("2020"), pd.Timestamp("2021")], TypeError, "the entity column holds a Timestamp in row 0"),
    ],
)
def test_bad_entities_are_refused(ids, error, message):
    with pytest.raises(error, match=message):
        keyed(GOOD.assign(id=ids), channels={"age": AGE})


def test_a_table_of_entities_alone_has_nothing_to_disguise():
    with pytest.raises(ValueError, match=r"for no column of \['id'\]; expected one to disguise"):
        keyed(GOOD[["id"]], channels=AGE)


# --- Releases whose law is not known ----------------------------------------------------------------------------------


class ShuffleWithin(Release):
    """Values change places with others of the same class, by chance."""

    def fit(self, X, y=None):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def release(self, X, y=None, rng=None):
        stream, released = randomness.stream(rng), X.to_numpy().copy()
        for label in self.classes_:
            rows = np.flatnonzero(np.asarray(y) == label)
            released[rows] = released[rows[randomness.permutation(len(rows), stream)]]
        return pd.Series(released, index=X.index, name=X.name)


def test_a_shuffle_within_classes_stands_in_a_disguise():
    X = people()
    y = np.where(X["age"] > 50, "old", "young")
    shuffle = ShuffleWithin()
    disguise = Disguise({"job": shuffle, "age": AGE}, random_state=1).fit(X, y)
    seen = disguise.release(X, y)
    assert not hasattr(shuffle, "classes_")  # what was given stays as it was
    assert disguise.releases_["job"].classes_.tolist() == ["old", "young"]
    assert (seen["job"] != X["job"]).mean() > 0.3
    pd.testing.assert_frame_equal(pd.crosstab(seen["job"], y), pd.crosstab(X["job"], y))
    again = Disguise({"job": shuffle, "age": AGE}, random_state=1)
    pd.testing.assert_frame_equal(again.fit_transform(X, y), seen)
    with pytest.warns(PrivacyWarning, match="released again"):
        assert not again.release(X, y).equals(seen)


def test_a_release_that_needs_the_class_is_not_left_without_it():
    X = people()
    y = np.where(X["age"] > 50, "old", "young")
    disguise = Disguise({"job": ShuffleWithin()}, random_state=1)
    for call in (disguise.fit, disguise.fit_transform, disguise.fit(X, y).transform, disguise.release):
        with pytest.raises(
            ValueError, match=r"y is None; expected the class of each record, for .* of column 'job'"
        ):
            call(X)
    for call in (disguise.fit, disguise.fit_transform, disguise.fit(X, y).release):
        with pytest.raises(ValueError, match=rf"y has 3 entries and X has {len(X)}"):
            call(X, y[:3])


def test_a_release_may_say_that_it_needs_no_class():
    class Upper(Release):
        needs_class = False

        def release(self, X, y=None, rng=None):  # noqa: ARG002
            return X.str.upper()

    X = people()
    assert Disguise({"job": Upper()}).fit_transform(X)["job"].tolist() == X["job"].str.upper().tolist()


def test_where_a_law_is_needed_a_shuffle_is_refused():
    with pytest.raises(TypeError, match=r"channels\['job'\] is .* which has no law P\(seen | true\)"):
        as_disguise({"job": ShuffleWithin()})
    with pytest.raises(ValueError, match=r"key is given, but .* cannot be drawn by a key"):
        Disguise({"job": ShuffleWithin()}, key=KEY, entity="id").fit(people())


# --- What a user passes -----------------------------------------------------------------------------------------------


def test_whatever_is_passed_comes_to_parts():
    columns = ["id", "town", "age"]
    noise = {"age": AGE, "town": TOWN}
    for given in (noise, pd.Series(noise), Disguise(noise), Disguise(noise).fit(people())):
        found = as_disguise(given, columns)
        assert list(found.channels_) == ["town", "age"]
        assert [part.columns for part in found.parts_] == [("town",), ("age",)]
        assert found.by_column() == noise
    assert as_disguise(None, columns).parts_ == []
    assert list(as_disguise(AGE, columns).channels_) == columns
    assert list(as_disguise(Disguise(noise), ["age"]).channels_) == ["age"]
    assert as_disguise(Disguise(noise), ["other"]).parts_ == []
    pair = GroupedResponse(0.8, [["a", "b"], ["c"]])
    assert [part.columns for part in as_disguise(Disguise(pair)).parts_] == [("a", "b"), ("c",)]
    with pytest.raises(TypeError, match=r"the columns .'a', 'b'. are disguised together"):
        as_disguise(pair).by_column()
    with pytest.raises(
        TypeError, match=r"channels is a GaussianNoise.*; expected .* a fitted Disguise; or one channel, if"
    ):
        as_disguise(Disguise(AGE))
    with pytest.raises(ValueError, match="disguise names 'job', which the table does not have"):
        as_disguise({"job": TOWN}, columns, "disguise")
    with pytest.raises(NotFittedError):
        as_disguise(noise).transform(people())
