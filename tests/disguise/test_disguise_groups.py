"""Grouped answers as a transformer: the channel's own releases, afresh or by a key, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from ppdm.disguise import Disguise, GroupedResponse
from ppdm.disguise import parts as bindings

KEY = b"a key of sixteen bytes or more"
PARTY = ["left", "middle", "right"]
GROUPED = GroupedResponse([0.8, 0.3, 0.6], [["c", "a"], ["b"], ["party", "d"]], {"party": PARTY})


def people(n=300, seed=1):
    rng = np.random.default_rng(seed)
    yes = rng.integers(0, 2, (n, 4))
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "a": yes[:, 0],
            "b": yes[:, 1].astype(bool),
            "party": pd.Categorical(rng.choice(PARTY, n)),
            "c": yes[:, 2].astype(float),
            "d": yes[:, 3].astype(np.int8),
        },
        index=rng.permutation(n),
    )


def keyed(X, channels=GROUPED, key=KEY):
    bindings._bound.clear()  # as if each call had a process of its own
    return Disguise(channels, key=key, entity="id").fit_transform(X)


def test_releases_are_those_of_the_channel():
    X = people()
    disguise, rng = Disguise(GROUPED, random_state=np.random.default_rng(5)).fit(X), np.random.default_rng(5)
    for start in (0, 10):
        pd.testing.assert_frame_equal(disguise.transform(X[start:]), GROUPED.disguise(X[start:], rng))


def test_a_release_is_drawn_anew_and_a_study_repeats():
    X = people()
    first, second = (Disguise(GROUPED).fit_transform(X) for _ in range(2))
    assert not first.equals(second)
    first, second = (Disguise(GROUPED, random_state=1).fit_transform(X) for _ in range(2))
    assert first.equals(second)


def test_what_is_known_after_fit():
    X = people()
    disguise = Disguise(GROUPED, random_state=1).fit(X)
    assert disguise.channels_ == GROUPED.answers
    assert disguise.get_feature_names_out().tolist() == list(X)
    other = clone(disguise).set_params(channels=GroupedResponse(0.7, [["a"]])).fit(X)
    assert list(other.channels_) == ["a"]
    disguise.set_params(channels=other.channels)  # takes effect with the next fit
    assert (disguise.transform(X)["b"] != X["b"]).mean() > 0.5
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(other)).transform(X), other.transform(X))


def test_arrays_and_pipelines():
    X = people()[["a", "d", "c"]].to_numpy(float)
    channel = GroupedResponse(0, [[0, 2]])
    seen = make_pipeline(Disguise(channel)).fit_transform(X)
    assert type(seen) is np.ndarray
    assert np.array_equal(seen, np.column_stack([1 - X[:, 0], X[:, 1], 1 - X[:, 2]]))


# --- By a key ---------------------------------------------------------------------------------------------------------


def test_an_entity_is_always_answered_the_same():
    X = people()
    seen = keyed(X)
    thrice = pd.concat([X] * 3).sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(keyed(thrice), seen.loc[thrice.index])
    pd.testing.assert_frame_equal(
        keyed(X.iloc[::-1][["d", "id", "c", "b", "a", "party"]])[X.columns], seen.iloc[::-1]
    )
    assert seen["id"].equals(X["id"])


def test_groups_of_an_array_are_answered_as_those_of_lists():
    X = people()
    lists, array = (GroupedResponse(0.7, groups) for groups in ([["a", "c"]], np.array([["a", "c"]])))
    pd.testing.assert_frame_equal(keyed(X, lists), keyed(X, array))


def test_keyed_answers_follow_the_channels_law():
    X = people(20_000)
    kept = (keyed(X) == X).drop(columns="id")
    # five standard errors of a share among 20,000 are 0.018 at most
    assert kept.mean().to_dict() == pytest.approx(
        {"a": 0.8, "b": 0.3, "party": 0.6, "c": 0.8, "d": 0.6}, abs=0.018
    )
    assert kept["a"].equals(kept["c"])
    assert kept["party"].equals(kept["d"])
    for pair in (("a", "b"), ("a", "party"), ("b", "d")):
        assert stats.chi2_contingency(pd.crosstab(kept[pair[0]], kept[pair[1]]).to_numpy()).pvalue > 1e-3
    replaced = keyed(X)["party"][~kept["party"]]
    counts = pd.crosstab(X["party"][~kept["party"]], replaced).to_numpy()
    assert np.diag(counts).tolist() == [0, 0, 0]
    off = counts[~np.eye(3, dtype=bool)].reshape(3, 2)
    assert stats.chi2_contingency(off).pvalue > 1e-3
    assert stats.chisquare(off.sum(axis=0)).pvalue > 1e-3


@pytest.mark.parametrize(
    "changed",
    [
        {"X": {"c": 1.0}},
        {"channels": GroupedResponse(0.7, [["c", "a"]])},
        {"channels": GroupedResponse(0.6, [["c", "a", "b"]])},
        {"key": KEY + b"!"},
    ],
)
def test_what_a_group_hangs_on_gives_fresh_answers_when_it_changes(changed):
    X = people(4000).assign(a=0, b=True, c=0.0)
    channel = GroupedResponse(0.6, [["c", "a"]])
    other = X.assign(**changed.get("X", {}))
    first = keyed(X, channel)["a"] == 0
    second = keyed(other, changed.get("channels", channel), changed.get("key", KEY))["a"] == 0
    assert stats.chi2_contingency(pd.crosstab(first, second).to_numpy()).pvalue > 1e-3


def test_other_columns_and_other_groups_change_nothing():
    X = people()
    first = keyed(X)
    second = keyed(X.assign(b=~X["b"], d=0))
    pd.testing.assert_frame_equal(first[["a", "c"]], second[["a", "c"]])
    alone = keyed(X, GroupedResponse(0.8, [["a", "c"]]))
    pd.testing.assert_frame_equal(first[["a", "c"]], alone[["a", "c"]])


def test_fixed_answers_never_change():
    # Whoever has released with a key must get the same disguise with any later version.
    X = people(12)
    seen = keyed(X)
    assert seen["a"].tolist() == [0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1]
    assert seen["b"].astype(int).tolist() == [0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1]
    assert seen["party"].cat.codes.tolist() == [1, 2, 1, 2, 1, 0, 2, 1, 0, 1, 1, 2]


# --- Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"drop": "a"}, ValueError, "groups names 'a', which the table does not have"),
        ({"a": 2}, ValueError, "column 'a' has 300 of 300 that are none of the categories"),
        ({"a": np.nan}, ValueError, r"column 'a' has 300 missing \(NaN\), first in row 0"),
        ({"party": "up"}, ValueError, "column 'party' has 300 of 300 that are none of the categories"),
        (
            {"party": pd.Categorical(["left"] * 300, ordered=True)},
            ValueError,
            "column 'party' has an ordered dtype",
        ),
    ],
)
def test_bad_tables_are_refused(changed, error, message):
    X = people()
    bad = X.drop(columns=changed["drop"]) if "drop" in changed else X.assign(**changed)
    with pytest.raises(error, match=message):
        Disguise(GROUPED).fit(bad)
    if "drop" not in changed:
        with pytest.raises(error, match=message):
            Disguise(GROUPED).fit(X).transform(bad)


def test_the_entity_is_in_no_group():
    channel = GroupedResponse(0.8, [["id"]], {"id": range(300)})
    with pytest.raises(ValueError, match="channels names the entity 'id'; expected others"):
        keyed(people(), channel)
