"""Rules: each leaf once, readable, and true of exactly the records of their leaf."""

import operator
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow
from ppdm.trees.rules import condition_of, conditions, leaves_in_order, readable

seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=4).map(tuple)
COMPARE = {"<": operator.lt, "≤": operator.le, "≥": operator.ge}


def reads(text, frame, places):
    """Which records a rule's text is true of; places: the order of each ordered attribute's categories."""
    holds = np.ones(len(frame), dtype=bool)
    for part in [] if text == "always" else text.split(" and "):
        if match := re.fullmatch(r"(\w+) in \{(.+)\}", part):
            holds &= frame[match[1]].isin(match[2].split(", ")).to_numpy()
        elif match := re.fullmatch(r"(\w+) = (\w+)", part):
            holds &= (frame[match[1]] == match[2]).to_numpy()
        else:
            match = re.fullmatch(r"(?:(\S+) ≤ )?([a-z]\d) (?:([<≤≥]) (\S+))?", part)
            low, name, sign, bound = match.groups()
            order = places.get(name)
            column = frame[name].map(order.index) if order else frame[name]
            number = order.index if order else float
            if low is not None:
                holds &= (column >= number(low)).to_numpy()
            holds &= COMPARE[sign](column, number(bound)).to_numpy()
    return holds


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_a_rule_is_true_of_exactly_the_records_of_its_leaf(seed, kinds, nominal, random_table, frame_of):
    table = random_table(seed, kinds=kinds)
    tree, frame = grow(table, "gini", Stop(min_gain=0), nominal), frame_of(table)
    places = {a.name: list(a.categories) for a in table.attributes if a.kind == "ordered"}
    leaf = tree.apply(frame)
    for node in tree.leaves():
        assert (reads(conditions(tree, node), frame, places) == (leaf == node)).all()


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_each_leaf_has_one_line(seed, kinds, nominal, random_table):
    tree = grow(random_table(seed, kinds=kinds), "gini", Stop(), nominal)
    assert sorted(leaves_in_order(tree)) == tree.leaves().tolist()
    lines = tree.rules().splitlines()
    assert [line.split("   ")[0] for line in lines] == [conditions(tree, leaf) for leaf in leaves_in_order(tree)]


def test_rules_read_like_sentences():
    attributes = [
        Attribute.numeric("salary", [40_000, 75_000, 125_000]),
        Attribute.categorical("degree", ["school", "bachelor", "master", "doctor"], ordered=True),
        Attribute.categorical("town", ["Ayr", "Bern", "Cork"]),
    ]
    counts = np.zeros((4, 4, 3, 2))
    counts[0, :, :, 0] = 40
    counts[1:3, :2, :, 1] = 3
    counts[1:3, 2, :, 0] = 2
    counts[1:3, 3, :, 1] = 1
    counts[3, :2, [0, 2], 0] = 1
    counts[3, :2, 1, 1] = 1
    rules = grow(EstimatedTable.from_counts(attributes, ["no", "yes"], counts)).rules()
    assert sorted(rules.splitlines()) == sorted(
        [
            "salary < 40,000                                                  no   480 records, 100.0 %",
            "40,000 ≤ salary < 125,000 and degree ≤ bachelor                  yes  36 records, 100.0 %",
            "salary ≥ 125,000 and degree ≤ bachelor and town in {Ayr, Cork}   no   4 records, 100.0 %",
            "salary ≥ 125,000 and degree ≤ bachelor and town = Bern           yes  2 records, 100.0 %",
            "salary ≥ 40,000 and degree = master                              no   12 records, 100.0 %",
            "salary ≥ 40,000 and degree = doctor                              yes  6 records, 100.0 %",
        ]
    )


def test_a_single_leaf_always_holds(leaf_of):
    assert leaf_of(3, 1).rules() == "always   A  4 records, 75.0 %"
    assert leaf_of(1, 0).rules() == "always   A  1 record, 100.0 %"
    assert leaf_of(-1, 0.5).rules() == "always   B  0 records, 100.0 %"


def test_the_test_of_a_node_is_its_first_childs_condition():
    table = EstimatedTable.from_counts([Attribute.numeric("a", [1.5])], ["A", "B"], [[4, 0], [0, 4]])
    assert condition_of(grow(table), 0) == "a < 1.5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (27.5, "27.5"),
        (-1234.5, "-1,234.5"),
        (99_999.96, "100,000"),
        (1e6, "1,000,000"),
        (1e300, "1e+300"),
        (1e-7, "1e-07"),
    ],
)
def test_numbers_are_written_as_a_person_does(value, text):
    assert readable(value) == text


def test_the_words_survive_a_frame_of_any_labels():
    frame = pd.DataFrame({0: [1.0, 2.0]})
    table = EstimatedTable.from_records([Attribute.numeric(0, [1.5])], frame, [True, False])
    assert "0 < 1.5   True" in grow(table).rules()
