"""The measures of notebook 04: divisions, groups, and figures that must come out where nothing is disguised."""

import numpy as np
import pandas as pd
import pytest

from ppdm.data import load
from ppdm.disguise import GroupedResponse
from ppdm.measure import Intruder
from ppdm.studies import dz03, dz03_privacy
from ppdm.studies.dz03 import HIDDEN, SCHEMES, WAYS, Split


def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def votes():
    return dz03.papers_split("votes")


@pytest.mark.parametrize("table", dz03.TABLES)
def test_records_are_of_two_values_and_divided_two_to_one(table):
    whole, target = dz03.records(table)
    assert set(np.unique(whole)) == {0, 1}
    assert whole.columns[-1] == target
    split = dz03.papers_split(table)
    assert sorted([*split.train.index, *split.test.index]) == list(range(len(whole)))
    assert len(split.train) == (2 * len(whole) + 1) // 3
    share = split.test[target].mean()
    assert split.majority == pytest.approx(max(share, 1 - share))


def test_a_small_division_tests_on_the_same_records():
    whole, small = (Split.of(*dz03.records("wbc"), rng(), learn) for learn in (None, dz03.SMALL))
    assert len(small.train) == dz03.SMALL
    assert small.train.index.equals(whole.train.index[: dz03.SMALL])
    assert small.test.equals(whole.test)


def test_groups_hold_the_class_as_they_are_told_to(votes):
    among, alone, none = (votes.channel(0.9, "3", rng(), hidden) for hidden in HIDDEN)
    assert sorted(map(len, among.groups)) == [5, 6, 6]
    assert set(among.columns) == {*votes.columns, "class"}
    assert alone.groups == (*none.groups, ("class",))
    assert set(none.columns) == set(votes.columns)
    assert all(len(group) == 1 for group in votes.channel(0.9, "N", rng()).groups)


@pytest.mark.parametrize("groups", SCHEMES)
@pytest.mark.parametrize("theta", [0, 1])
def test_without_chance_all_is_the_benchmark(groups, theta):
    found = dz03.schemes("votes", groups, theta, rng())
    assert found["accuracy"] == found["benchmark"] == dz03.benchmark("votes")
    sure = dz03.confident("votes", groups, theta, rng())
    assert sure["accuracy"] == sure["benchmark"]
    assert dz03.levels("votes", groups, theta, "none", rng()) == {"accuracy": found["accuracy"]}
    for hidden in HIDDEN:
        ways = dz03.hidden_class("votes", groups, theta, hidden, rng())
        assert ways["accuracy"] == found["benchmark"]
        assert ways["confident"] == sure["benchmark"]
    if theta == 1:
        assert found["naive"] == found["benchmark"]


@pytest.mark.parametrize("reading", dz03.READINGS)
def test_readings_and_small_tables_stand_beside_their_benchmark(reading):
    for found in (dz03.readings("wbc", reading, "2", 1, rng()), dz03.small("wbc", "2", 1, rng())):
        assert found["accuracy"] == found["benchmark"] > found["majority"]


def test_without_chance_the_estimate_is_the_truth():
    found = dz03.tested("wbc", "3", 1, rng())
    assert found["error"] == pytest.approx(0, abs=1e-12)
    assert found["estimate"] == pytest.approx(found["truth"]) == pytest.approx(found["score"])
    assert found["said"] == pytest.approx((found["truth"] * (1 - found["truth"]) / 233) ** 0.5)


def test_wide_records_keep_all_values():
    whole = load("adult", part="first10000").X
    wide, target = dz03.wide_records("adult")
    assert wide[target].equals(dz03.records("adult")[0][target])
    assert len(wide["native-country"].cat.categories) == whole["native-country"].nunique() + 1  # "?" is one
    assert (wide["education"] == whole["education"].astype(str)).all()
    assert set(wide["age"]) == {0, 1}
    assert all(len(dz03.wide_records("wbc")[0][name].cat.categories) > 8 for name in ("thickness", "mitoses"))


def test_the_same_epsilon_is_that_of_two_values():
    split = Split.of(*dz03.wide_records("votes"), rng())
    channel = split.wide_channel(0.9, "N", True, rng())
    bounds = [answer.epsilon(0) for answer in channel.answers.values()]
    assert bounds == pytest.approx([np.log(9)] * 17)
    assert len(set(channel.thetas)) == 2  # the class has two values, a vote may be missing
    assert set(split.wide_channel(0.9, "N", False, rng()).thetas) == {0.9}


@pytest.mark.parametrize("way", WAYS)
def test_all_values_without_chance(way):
    found = dz03.wide("votes", way, "N", 1, rng())
    assert found["accuracy"] == found["benchmark"] > found["majority"]


def test_falls_are_taken_run_by_run():
    rows = [("a", "1", theta, run, theta + run) for theta in (0.6, 0.8) for run in (0, 1)]
    results = pd.DataFrame(rows, columns=["table", "groups", "theta", "repeat", "accuracy"])
    found = dz03.falls(results, "accuracy", "theta", [0.8, 0.6])
    assert found.index.names == ["table", "groups", "theta", "repeat"]
    assert found.round(9).to_dict() == {("a", "1", 0.6, 0): 0.2, ("a", "1", 0.6, 1): 0.2}


def test_all_is_given_away_where_nothing_is_turned():
    found = dz03_privacy.privacy("wbc", "3", 1, rng())
    assert [found[name] for name in ("one answer", "whole record", "record", "stranger")] == pytest.approx(
        [1] * 4
    )
    people = dz03.papers_split("wbc").test
    assert found["linked"] == pytest.approx(len(people.drop_duplicates()) / len(people))
    assert found["unmasked"] == pytest.approx((4 * 3 + 3 * 2 + 3 * 2) / 10)


def test_a_stranger_who_can_only_count_says_the_more_frequent_answer():
    # Two answers that go with nothing: half of the coins tell the truth, so that only the shares are left.
    frame = pd.DataFrame({"a": np.tile([1, 1, 1, 0], 300), "class": np.repeat([0, 1], 600)})
    split = Split(frame, frame, "class")
    nearly = GroupedResponse(0.501, [["a"], ["class"]])
    assert dz03_privacy.stranger(split, nearly, rng()) == pytest.approx((0.75 + 0.5) / 2, abs=0.03)  # sd 0.010
    assert dz03_privacy.stranger(split, GroupedResponse(0.9, [["a"], ["class"]]), rng()) == pytest.approx(
        0.9, abs=0.03
    )


def test_a_stranger_reads_the_coin_off_a_group_that_goes_together():
    frame = pd.DataFrame(dict.fromkeys(["a", "b", "c", "class"], np.repeat([0, 1], 200))).assign(d=1)
    whole = GroupedResponse(0.6, [["a", "b", "c", "d"], ["class"]])
    assert dz03_privacy.stranger(Split(frame, frame, "class"), whole, rng()) > 0.9


def test_a_stranger_takes_an_answer_that_nobody_gave_for_rare():
    # Of two people of each class nobody says a. By the rule of succession a quarter would: more than the coin turns.
    frame = pd.DataFrame({"a": [0, 0, 0, 0], "class": [0, 0, 1, 1]})
    others = pd.DataFrame({"a": np.ones(4000, dtype=int), "class": np.tile([0, 1], 2000)})
    found = dz03_privacy.stranger(Split(frame, others, "class"), GroupedResponse(0.8, [["a"], ["class"]]), rng())
    assert found == pytest.approx(0.8, abs=0.02)  # with fewer than a fifth, a would never be believed


def test_the_largest_theta_that_keeps_a_promise():
    found = dz03_privacy.choose("wbc", rng=1, guessed=0.9).set_index("groups")
    assert found["theta"].isna().tolist() == [False, True, True, True]
    assert found["accuracy"].isna().tolist() == [False, True, True, True]
    people, _ = dz03.records("wbc")
    each = [[column] for column in people]
    for off, kept in ((0, True), (0.001, False)):
        channel = GroupedResponse(found.loc[10, "theta"] + off, each)
        assert (Intruder(channel, people).posteriors()["whole record"].mean() <= 0.9) == kept
    for groups in (1, 2, 3):
        assert found.loc[groups, "guess"] > 0.9


def test_a_promise_about_one_answer_is_kept_by_the_same_theta_for_all_groups():
    found = dz03_privacy.choose("votes", rng=1, epsilon=1.0)
    assert found["theta"].tolist() == pytest.approx([np.e / (1 + np.e)] * 4)
    assert sorted(found["groups"]) == [1, 2, 3, 17]
    assert found["accuracy"].is_monotonic_decreasing
    assert found["accuracy"].iloc[0] > found["majority"].iloc[0] + 0.2


def test_voting_beside_the_others_run_by_run():
    rows = [
        (table, groups, theta, run, accuracy, 0.9, 0.4)
        for table, accuracy in (("Adult", 0.8), ("Voting", 0.7))
        for groups in ("1", "N")
        for theta in (0.55, 0.7)
        for run in (0, 1)
    ]
    names = ["table", "groups", "theta", "repeat", "accuracy", "benchmark", "majority"]
    results = pd.DataFrame(rows, columns=names)
    found = dz03.worse_on_votes(results)
    assert found.round(9).to_dict() == {("Adult", "1", 0.7, run): 0.1 for run in (0, 1)}
    assert dz03.worse_on_votes(results, lead=True).round(9).to_dict() == {
        ("Adult", "1", 0.7, run): 0.2 for run in (0, 1)
    }


def test_members_are_what_the_panel_takes(votes):
    channel = votes.channel(0.7, "3", rng())
    lines = dz03.members(channel).splitlines()
    assert [tuple(line.split(", ")) for line in lines] == list(channel.groups)
