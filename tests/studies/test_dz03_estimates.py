"""The paper's worked node by hand, two variances with a known answer, and attributes that depend on each other."""

import numpy as np
import pandas as pd
import pytest

from ppdm.reconstruct import estimate, proportion
from ppdm.studies import dz03, dz03_estimates, dz03_said, dz03_tables


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("table", dz03.TABLES)
def test_the_worked_node_touches_all_three_groups(table):
    node = dz03_estimates.papers_node(table)
    first, second, third = node.groups
    one, two, three, four = node.path
    assert {one, two} <= set(first)
    assert three in second
    assert four in third
    assert node.candidate in third
    assert node.candidate != four
    assert tuple(node.path.values()) == (1, 0, 0, 1)
    # The root's parts: all cells of the candidate and the class make up the node.
    whole, *cells = dz03_estimates.true_counts(node.split, node.cells())
    assert sum(cells) == whole > 0


def test_eight_masks_give_what_weights_give():
    node = dz03_estimates.papers_node("votes")
    channel = node.channel(0.8)
    seen = channel.disguise(node.split.train, rng())
    share, number = dz03_estimates.masks(seen, channel, node.path)
    assert number == 8
    assert share == pytest.approx(proportion(seen, channel, node.path), abs=1e-12)
    two = dict.fromkeys(list(node.path)[:3], 1)
    assert dz03_estimates.masks(seen, channel, two)[1] == 4


def test_the_node_is_exact_where_nothing_is_hidden():
    found = dz03_estimates.node("adult", 1, rng())
    assert found["size"] == pytest.approx(found["true"])
    assert found["class"] == pytest.approx(found["true class"])
    assert found["gain"] == pytest.approx(found["true gain"])
    assert found["coins"] == pytest.approx(0, abs=1e-6)


def test_coins_spread_the_node_as_the_formula_says():
    runs = pd.DataFrame(dz03_estimates.node("votes", 0.8, rng(seed)) for seed in range(300))
    assert runs["size"].std() == pytest.approx(runs["coins"][0], rel=0.13)  # sd of an sd of 300: 4 %
    node = dz03_estimates.papers_node("votes")
    seen = node.channel(0.8).disguise(node.split.train, rng(7))
    found = estimate(seen, node.channel(0.8), node.path).error * len(seen)
    assert dz03_estimates.node("votes", 0.8, rng(7))["said"] == pytest.approx(found)


def test_the_gain_of_counts():
    assert dz03_estimates.gain([10, 0, 0, 10]) == pytest.approx(1)
    assert dz03_estimates.gain([5, 5, 5, 5]) == pytest.approx(0)
    assert dz03_estimates.gain([10, -3, 0, 10]) == pytest.approx(1)  # below 0 counts as 0
    assert dz03_estimates.gain([-1, -1, -1, -1]) == 0


def test_a_division_is_known_by_its_number():
    first, again, other = (dz03_estimates.sources("votes", "2", 1, place, rng()) for place in (3, 3, 4))
    assert first == again == other  # nothing is hidden: the groups do not matter
    assert first["accuracy"] == dz03.benchmark("votes")


def test_more_records_share_their_test_records():
    few, many = (dz03_estimates.growth(size, "1", 1, rng()) for size in (500, 21_707))
    assert few["majority"] == many["majority"]
    assert many["accuracy"] == many["benchmark"] > few["benchmark"]


def test_attributes_depend_on_each_other_where_they_should():
    for dependence in dz03_estimates.DEPENDENCES:
        found = dz03_estimates.dependent(dependence, "Gaussian", rng())
        in_all = dependence == dz03_estimates.DEPENDENCES[0]
        assert (found["together"] > 0.1) == in_all
        assert (found["in class"] > 0.1) != in_all
        assert found["original"] > 0.85


def drawn(within, between, seed=1):
    """Accuracies of 200 divisions of 10 runs each, with these standard deviations in points."""
    draw = rng(seed)
    shape = pd.MultiIndex.from_product(
        [["Voting"], ["1", "2", "3"], [0.7], range(200), range(10)],
        names=["table", "groups", "theta", "division", "repeat"],
    )
    middle = np.repeat(draw.normal(0, between, 600), 10)
    values = 0.8 + (middle + draw.normal(0, within, 6000)) / 100
    return pd.DataFrame({"accuracy": values}, shape).reset_index()


def test_the_two_variances_come_back():
    found = dz03_tables.variances({"sources": drawn(2.0, 1.0)})
    assert found["within"].to_numpy() == pytest.approx(4.0, rel=0.1)
    assert found["between"].to_numpy() == pytest.approx(1.0, rel=0.35)
    assert (found["total"] == found["within"] + found["between"]).all()
    shown = dz03_tables.sources({"sources": drawn(2.0, 1.0)})
    assert (shown["groups redrawn"] > shown["groups fixed"]).all()


def test_the_share_between_is_that_of_the_law():
    _, share = dz03_said.sources_of(drawn(1.0, 1.0))
    assert share.groupby(level="groups").mean().to_numpy() == pytest.approx(0.5, abs=0.1)
    _, none = dz03_said.sources_of(drawn(1.0, 0.0))
    assert none.groupby(level="groups").mean().to_numpy() == pytest.approx(0, abs=0.04)
