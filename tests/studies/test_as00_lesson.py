"""What notebook 01 and its companions compute by the way: ranks, attacks, and what a lesson's cells hand to plots."""

import numpy as np
import pandas as pd
import pytest

from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import UniformNoise
from ppdm.measure import attacks
from ppdm.reconstruct import Distribution, reconstruct
from ppdm.studies import as00, as00_lesson
from ppdm.trees import Stop, grow

AGE = UniformNoise.at_privacy(1.0, low=20, high=80)


def test_ranks_keep_the_order_and_give_the_shares():
    rng = np.random.default_rng(1)
    seen = rng.normal(size=1_000)
    found = Distribution(np.arange(5), [0.1, 0.0, 0.6, 0.3])
    given = as00_lesson.by_rank(seen, found)
    assert np.all(np.diff(given[np.argsort(seen)]) >= 0)
    assert [np.sum(given == middle) for middle in found.midpoints] == [100, 0, 600, 300]


def test_global_gives_one_rule_to_all_and_by_class_one_to_each_class():
    X, y = quest(2_000, 1, rng=1)
    seen = pd.Series(AGE.disguise(X["age"], rng=2), index=X.index)
    given = as00_lesson.given_ages(seen, X["age"], y, AGE)
    merged = as00_lesson.by_rank(seen, reconstruct(seen, AGE, 30).distribution)
    assert given["Global"].tolist() == merged.tolist()
    own = as00_lesson.by_rank(seen[y == "A"], reconstruct(seen[y == "A"], AGE, 30).distribution)
    assert given["ByClass"][y == "A"].tolist() == own.tolist()
    share = as00_lesson.share_of_a(given, y, np.array([20, 40, 60, 80]))
    assert share["true"].tolist() == [1, 0, 1]
    assert share.index.tolist() == [30, 50, 70]


def test_pairs_that_are_given_have_the_margins_that_were_reconstructed():
    X, _ = quest(3_000, 2, rng=1)
    channels = {name: as00.channels_at("uniform", 0.1)[name] for name in ("age", "salary")}
    given = as00_lesson.given_pairs(X, channels, np.random.default_rng(3))
    for name, (low, high) in {name: QUEST_RANGES[name] for name in channels}.items():
        assert given[name].between(low, high).all()
        assert given[name].mean() == pytest.approx(X[name].mean(), rel=0.02)


def test_averages_follow_the_law_of_independent_draws():
    ages = quest(4_000, rng=1)[0][["age"]]
    found = as00_lesson.asked_again(ages, AGE, releases=50, rng=2)
    assert found["measured"].to_numpy() == pytest.approx(found["law"].to_numpy(), rel=0.06)


def test_an_oracle_that_leaves_one_value_is_never_off():
    guess = pd.DataFrame(np.eye(3), columns=[20, 40, 60])
    released, true = pd.Series([20, 20, 20]), pd.Series([20, 40, 60])
    assert as00_lesson.values_left(guess).fillna(0).tolist() == [1, 0, 0, 0]
    off = as00_lesson.years_off(guess, released, true)["years off"]
    assert off.tolist() == pytest.approx([20, 0])
    people = as00_lesson.customers(quest(5, rng=1)[0])
    assert people["customer"].tolist() == list(range(5))


def test_seen_values_have_their_names():
    level = as00.channels_at("uniform", 0.25)["elevel"]
    told = as00_lesson.seen_as(level, 5)
    assert told.columns.tolist() == list(range(-1, 6))
    assert told.sum(axis=1).to_numpy() == pytest.approx(1)
    assert told.to_numpy().argmax(axis=1).tolist() == [1, 2, 3, 4, 5]


def test_noise_alone_is_one_in_every_direction_and_a_column_alone_is_as_if_at_100():
    rng = np.random.default_rng(1)
    noise = UniformNoise(half_width=1, low=0, high=1)
    seen = pd.DataFrame(rng.uniform(-1, 1, (50_000, 3)))
    found = as00_lesson.directions({"noise": (seen, dict.fromkeys(seen, noise))})
    assert found["noise"].to_numpy() == pytest.approx(1, rel=0.03)
    X = pd.DataFrame({"a": rng.random(1_000)})
    alone = 100 / np.sqrt(1 / X["a"].var() + 1 / noise.variance())
    report = pd.DataFrame({"alone rms %": alone, "together rms %": alone}, index=["a"])
    assert as00_lesson.as_if(report, X, {"a": noise})["as if at %"].tolist() == pytest.approx([100])


def test_neighbours_of_a_sorted_table_tell_more_than_those_of_a_shuffled_one():
    queue = quest(1_000, rng=1)[0][["age"]].sort_values("age", ignore_index=True)
    tables = {"sorted": queue, "shuffled": queue.sample(frac=1, random_state=1, ignore_index=True)}
    off = as00_lesson.by_neighbours(tables, AGE, [5, 50], rng=3)
    shown = queue.apply(AGE.disguise, rng=np.random.default_rng(3))
    assert off.loc[50, "sorted"] == pytest.approx((attacks.neighbours(shown, 50) - queue)["age"].std())
    assert off.loc[50, "sorted"] < 5 < off.loc[50, "shuffled"]


def test_mid_points_beyond_the_domain_are_counted():
    edges = np.linspace(0, 1, 21)
    distance = as00_lesson.mid_point_distances(edges, beyond=0.5)
    assert distance.shape == (20, 40)
    assert np.isclose(distance, 0.5).sum() == 40
    assert distance.max() == pytest.approx(1.45)


def test_an_exact_xor_stops_a_tree_that_must_gain():
    xor = as00_lesson.exact_xor()
    assert len(grow(xor).rules().splitlines()) == 1
    assert len(grow(xor, stop=Stop(min_gain=0)).rules().splitlines()) == 4


def test_points_lost_stand_in_the_order_of_the_story():
    readings = ["true margins, seen ranks", "our reading", "1,000,000 records"]
    results = pd.DataFrame(
        {"reading": readings, "noise": "uniform", "original": 0.99, "accuracy": [0.9, 0.8, 0.7]}
    )
    missing = as00_lesson.what_is_missing(results).dropna()
    assert missing.index.tolist() == ["ByClass", "true margins, in the seen order"]
    assert missing["uniform"].tolist() == pytest.approx([19, 9])
    assert as00_lesson.other_experiments(results)["uniform"].tolist() == pytest.approx([19, 29])


def test_the_pencil_example_and_table_1_for_plots():
    places = as00_lesson.nine_people(np.array([2, 2, 3, 1, 1]), {"end": np.array([6, 0, 3]) / 9})
    assert places["seen"][1].tolist() == [-1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
    assert places["end"][1].tolist() == [-0.5, 0.5, 1.5, 2.5]
    near = as00_lesson.rows_near(np.eye(3), np.array([0.1, 0.5, 0.9]), [0.52])
    assert near["seen at 0.52"].tolist() == [0, 1, 0]
    assert as00_lesson.widths({"age": AGE}, [0.5, 0.95])["age"].tolist() == pytest.approx([60 * 0.5 / 0.95, 60])


def test_trees_of_the_lesson_stand_in_one_order():
    run = as00.study(1, "uniform", 0.5, np.random.default_rng(1), records=2_000)
    trees = as00_lesson.five_trees(run)
    assert list(trees) == ["Original", "Randomized", "Global", "ByClass", "Local"]
    assert trees["Original"].score(run.test, run.test_y) > 0.95
    told = as00_lesson.kept_answers(run, "elevel", [0.5], rng=1)
    assert told.columns.tolist() == ["ByClass", "Local", "as seen"]
    assert told.index.tolist() == [0.5]


def test_planes_of_each_kind():
    X, y = as00_lesson.plane(4, ["loan", "income"], records=100)
    parts = as00_lesson.planes_by(X, y, np.repeat(["few", "many"], [30, 70]), ["loan", "income"])
    assert {name: len(part) for name, (part, _) in parts.items()} == {"few": 30, "many": 70}
    inside = as00_lesson.inside({"all": np.array([[0, 0], [1, 1]])}, Distribution([0, 1, 2], [0.5, 0.5]))
    assert inside.iloc[0, 0] == 1
    crowds = as00_lesson.rounds_needed(
        [1_000, 10_000], UniformNoise(half_width=0.5, low=0, high=1), np.linspace(0, 1, 6)
    )
    assert crowds.index.tolist() == [1_000, 10_000]
