"""The steps of notebook 04 that stand outside its cells: the same numbers as the library's, in another way."""

import numpy as np
import pandas as pd
import pytest

from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import proportion, proportion_variance
from ppdm.studies import dz03_lesson

GROUPS = [["smokes"], ["drinks", "runs"]]
ASKED = {"smokes": 1, "drinks": 0, "runs": 1}


@pytest.mark.parametrize("asked", [ASKED, {"smokes": 0}, {"runs": 0, "smokes": 1}])
def test_cases_solved_or_weighted_are_the_estimated_share(asked):
    people = dz03_lesson.stressed_people(400)
    channel = GroupedResponse(0.8, GROUPS)
    seen = channel.disguise(people, rng=1)
    cases = dz03_lesson.cases(seen, channel, asked)
    mentioned = [[name for name in group if name in asked] for group in GROUPS]
    matrix = GroupedResponse(0.8, [part for part in mentioned if part]).matrix()
    expected = proportion(seen, channel, asked) * len(seen)
    assert np.linalg.solve(matrix, cases["sheets"])[0] == pytest.approx(expected)
    assert (cases["sheets"] * cases["weight"]).sum() == pytest.approx(expected)
    assert cases["weight"].sum() == pytest.approx(1)


def test_turning_twice_gives_the_records_back():
    people = dz03_lesson.stressed_people(20)
    channel = GroupedResponse(0.8, GROUPS)
    once = dz03_lesson.turned(people, channel, (0, 1))
    assert (once["smokes"] == people["smokes"]).all()
    assert (once[["drinks", "runs"]] == 1 - people[["drinks", "runs"]]).all(axis=None)
    pd.testing.assert_frame_equal(dz03_lesson.turned(once, channel, (0, 1)), people)


def test_differences_do_not_feel_one_coin():
    people = dz03_lesson.stressed_people(50)
    seen = GroupedResponse(0.55, [list(people)]).disguise(people, rng=1)
    assert not seen.equals(people)
    pd.testing.assert_frame_equal(
        dz03_lesson.differences(seen, "smokes"), dz03_lesson.differences(people, "smokes")
    )


def test_spread_is_in_points_and_is_that_of_a_survey_where_nothing_is_hidden():
    people = dz03_lesson.stressed_people(300)
    spread = dz03_lesson.spread(people, ASKED, {1: [list(ASKED)], 2: GROUPS})
    own = proportion_variance(people, GroupedResponse(1, [list(ASKED)]), ASKED)
    assert list(spread) == ["1 group", "2 groups"]
    assert spread.loc[1.0].to_numpy() == pytest.approx(100 * own**0.5)
    assert (spread["2 groups"].iloc[:-1] > spread["1 group"].iloc[:-1]).all()


def test_sets_are_counted_against_the_first_way():
    ways = {"true": ["a", "ab", "b"], "face value": ["a", "c"]}
    found = dz03_lesson.found_and_missed({name: pd.DataFrame({"items": sets}) for name, sets in ways.items()})
    assert found.to_numpy().tolist() == [[3, 0, 0], [1, 2, 1]]


def test_off_and_said_are_root_mean_squares_in_points():
    rows = {"table": "Voting", "groups": "1", "theta": 0.7, "error": [0.03, -0.04], "said": [0.02, 0.02]}
    other = pd.DataFrame(rows).assign(theta=0.9)
    found = dz03_lesson.off_and_said(pd.concat([pd.DataFrame(rows), other]))
    assert found.loc[("Voting", "1"), ("off", 0.7)] == pytest.approx(12.5**0.5)
    assert found.loc[("Voting", "1"), ("said", 0.9)] == pytest.approx(2)


def test_a_known_answer_gives_a_sheet_under_one_coin_away():
    rows = {"table": "Voting", "groups": ["1", "N"], "theta": 0.7}
    guesses = {"before": 0.5, "one answer": 0.7, "stranger": 0.8, "whole record": 0.9}
    privacy = pd.DataFrame({**rows, **guesses})
    assert list(dz03_lesson.given_away(privacy).values()) == [0.5, 0.7, 0.8, 0.9, 1]
    assert list(dz03_lesson.given_away(privacy, groups="N").values()) == [0.5, 0.7, 0.8, 0.9]
