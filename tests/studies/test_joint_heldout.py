"""Functions that were held out, and the classes alone beside one shared mix."""

import numpy as np
import pandas as pd
import pytest

from ppdm.data import quest, quest_class
from ppdm.disguise import Disguise, UniformNoise
from ppdm.studies import joint, joint_heldout
from ppdm.studies.as00 import channels_at


@pytest.mark.parametrize("function", joint_heldout.HELD_OUT)
def test_classes_are_equally_many_and_follow_from_the_records(function):
    X, y = joint_heldout.records_of(function, 900, np.random.default_rng(1))
    assert (y == joint_heldout.HELD_OUT[function](X)).all()
    assert y.value_counts().min() == y.value_counts().max()
    assert len(y) == pytest.approx(900, abs=5)
    assert y.iloc[: len(y) // 2].value_counts(normalize=True).min() > 0.7 / y.nunique()  # in random order


def test_by_hand():
    X = pd.DataFrame(
        {
            "age": [25, 70, 70, 70, 70],
            "salary": [30_000, 30_000, 140_000, 140_000, 140_000],
            "loan": [10_000, 10_000, 10_000, 400_000, 400_000],
            "hyears": [5, 5, 5, 5, 25],
        }
    )
    told = {name: list(rule(X)) for name, rule in joint_heldout.HELD_OUT.items() if "Quest" not in name}
    assert told == {
        "two corners": list("ABBAA"),
        "three thresholds": list("ABBBB"),
        "three classes": list("ACCAA"),
        "five classes": list("ABCDE"),
        "parity of three": list("BABAA"),
        "parity of halves": list("BABAA"),
    }


def test_no_two_values_tell_the_parity_of_three():
    X, y = joint_heldout.records_of("parity of halves", 40_000, np.random.default_rng(1))
    for pair in (["age", "salary"], ["age", "loan"], ["salary", "loan"]):
        quarters = (X[pair] > X[pair].median()).astype(str).agg("".join, axis=1)
        assert (y == "A").groupby(quarters).mean().between(0.48, 0.52).all()  # 10,000 each: 4 SE


def test_functions_of_the_generator_are_its_own():
    X, y = joint_heldout.records_of("Quest 5 (1992)", 500, np.random.default_rng(1))
    assert (quest_class(X, "ibm-5") == y).all()


def test_five_trees_meet_the_same_records():
    found = joint_heldout.held_out("five classes", "uniform", 0.25, np.random.default_rng(1), records=3_000)
    assert list(found) == ["original", "randomized", "byclass", "local", "joint"]
    assert found["original"] > 0.9
    assert min(found.values()) > 0.2


@pytest.mark.parametrize("share_of_a", [joint_heldout.alone, joint_heldout.mixed])
def test_next_to_no_noise_gives_the_true_shares(share_of_a):
    X, y = quest(20_000, function=2, rng=1)
    channels = {
        "age": UniformNoise(half_width=0.01, low=20, high=80),
        "salary": UniformNoise(half_width=1, low=20_000, high=150_000),
    }
    sizes = {"age": 6, "salary": 13}
    edges = {name: channel.true_bins(sizes[name]) for name, channel in channels.items()}
    true = {label: joint.counted(X.loc[y == label, list(sizes)], edges) for label in "AB"}
    found = share_of_a(X[list(sizes)], y, channels, sizes, 100)
    assert found == pytest.approx(joint.share_of_a(true), abs=0.1)  # the search has coarser seen intervals


def test_held_out_classes_choose_many_steps_where_there_are_many_records():
    X, y = quest(60_000, function=2, rng=1)
    channels = {name: channels_at("uniform", 1.0)[name] for name in joint_heldout.MIXED}
    seen = Disguise(channels, random_state=1).fit_transform(X[list(channels)])
    some, rng = slice(600), np.random.default_rng(1)
    few = joint_heldout.steps_held_out(seen[some], y[some], channels, joint_heldout.MIXED, rng)
    many = joint_heldout.steps_held_out(seen, y, channels, joint_heldout.MIXED, rng)
    assert few < many
    assert {few, many} <= set(joint_heldout.LADDER)


def test_steps_are_chosen_on_the_records_of_the_mixes(monkeypatch):
    found = joint_heldout.stopped("uniform", 0.5, np.random.default_rng(1), records=4_000)
    monkeypatch.setattr(joint_heldout, "steps_held_out", lambda *_: 30)
    fixed = joint_heldout.stopped("uniform", 0.5, np.random.default_rng(1), records=4_000)
    same = joint_heldout.mixes("uniform", 0.5, 30, np.random.default_rng(1), records=4_000)
    assert fixed["each class alone"] == same["each class alone"]
    assert fixed["one shared mix"] == found["one shared mix"]  # its steps are found by the search
    assert found["steps alone"] in joint_heldout.LADDER


def test_both_ways_are_judged_on_the_same_people():
    found = joint_heldout.mixes("uniform", 0.25, 30, np.random.default_rng(1), records=5_000)
    assert list(found) == ["each class alone", "one shared mix"]
    assert min(found.values()) > 0.8
