"""What an intruder learns of a sensitive column: LSL03's threshold on Pima, and a slow reading of its definition."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from intruder import intruder

from ppdm import data
from ppdm.disguise.actions import ACTIONS
from ppdm.measure import disclosure
from ppdm.measure.disclosure import Sensitive
from ppdm.measure.inference import inferred
from ppdm.measure.links import anonymity, dense, links

PIMA = data.load("pima")
OTHERS = [column for column in PIMA.X if column != "age"]
DOMAIN = {"low": 21, "high": 81, "step": 1}


def keeping(columns):
    return {column: ACTIONS["keep"]() for column in columns}


def released(table, column, name, companion=None, rng=1, **parameters):
    """An action that is fitted to a column, what it releases of it, and of the table."""
    action = ACTIONS[name](**parameters).fit(table[column], companion)
    seen = action.release(table[column], companion, rng)
    rest = table.drop(columns=column)
    return action, seen, rest if seen is None else rest.assign(**{column: seen})


def of_age(name, companion=None, rng=1, tolerance=3, known=OTHERS, **parameters):
    """Pima's age, and how an intruder fares who knows other columns, which are kept."""
    action, seen, table = released(PIMA.X, "age", name, companion, rng, **parameters)
    age = Sensitive(action, PIMA.X["age"], seen, companion, tolerance)
    return age, age.linked(keeping(known), PIMA.X, table)


# Measured apart, within 0, 1, 3 and 6 years; the link is certain, because all other columns are known.
ROWS = {
    "drop": [0.094, 0.225, 0.432, 0.617],
    "shuffle": [0.094, 0.225, 0.432, 0.617],
    "within": [0.098, 0.237, 0.447, 0.617],
    "keep": [1, 1, 1, 1],
    "mdlp": [0.132, 0.322, 0.603, 0.776],
    "frequency 5": [0.250, 0.617, 0.846, 0.939],
    "frequency 10": [0.409, 0.802, 0.944, 0.979],
    "width 10": [0.241, 0.595, 1, 1],
}
SPECIFIED = {
    "drop": ("drop", None, {}),
    "shuffle": ("shuffle", None, {}),
    "within": ("shuffle", PIMA.y, {"within": "class"}),
    "keep": ("keep", None, {}),
    "mdlp": ("discretise", PIMA.y, {"min_group": 5}),
    "frequency 5": ("discretise", None, {"method": "frequency", "intervals": 5}),
    "frequency 10": ("discretise", None, {"method": "frequency", "intervals": 10}),
    "width 10": ("discretise", None, {"method": "width", "intervals": 10}),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_is_named_without_chance_is_exact(row):
    name, companion, parameters = SPECIFIED[row]
    found = []
    for tolerance in (0, 1, 3, 6):
        age, guesses = of_age(name, companion, tolerance=tolerance, **parameters)
        found.append(guesses.named)
        assert guesses.error == pytest.approx(np.sqrt(guesses.named * (1 - guesses.named) / 768))
    assert found == pytest.approx(ROWS[row], abs=5.1e-4)
    assert age.baseline == pytest.approx(ROWS["drop"][-1], abs=5.1e-4)


# The mean over five seeds; its standard error is below 0.01.
@pytest.mark.parametrize(
    ("named", "name", "parameters"),
    [
        (0.46, "add", {"noise": "gaussian", "privacy": 1.0}),
        (0.55, "add", {"noise": "gaussian", "privacy": 0.5}),
        (0.48, "add", {"noise": "uniform", "privacy": 1.0}),
        (0.55, "add", {"noise": "uniform", "privacy": 0.5}),
        (0.54, "multiply", {"noise": "gaussian", "sd": 0.276}),
        (0.95, "multiply", {"noise": "gaussian", "sd": 0.05}),
    ],
)
def test_what_is_named_under_noise(named, name, parameters):
    domain = DOMAIN if name == "add" else {}
    shares = [of_age(name, rng=seed, **parameters, **domain)[1].named for seed in range(5)]
    assert np.mean(shares) == pytest.approx(named, abs=0.03)


def test_redrawing_by_a_kernel_hides_nothing():
    guesses = of_age("redraw", density="kernel")[1]
    assert guesses.named >= 0.95
    assert guesses.certain >= 0.95


@pytest.mark.parametrize(
    ("known", "named"),
    [
        (["pres"], 0.483),
        (["plas"], 0.569),
        (["mass"], 0.626),
        (["pedi"], 0.831),
        (["plas", "pres"], 0.909),
        (["plas", "mass"], 0.986),
        (OTHERS, 1.0),
    ],
)
def test_who_knows_more_columns_names_more(known, named):
    assert of_age("keep", known=known)[1].named == pytest.approx(named, abs=5.1e-4)


def test_who_knows_nothing_names_the_baseline():
    age, guesses = of_age("keep", known=[])
    assert guesses.named == pytest.approx(age.baseline)
    assert age.baseline == pytest.approx(0.432, abs=5e-4)


def inferred_share(table, released, tolerance):
    """How well dropped pregnancies are inferred."""
    pregnancies = Sensitive(ACTIONS["drop"](), table["preg"], None, None, tolerance)
    return inferred(pregnancies, released.drop(columns="preg")).named


def test_a_dropped_column_is_inferred_until_what_tells_it_is_shuffled():
    # The forest has one seed, the shuffles are of seeds 0 to 4; the error of a share is 0.017.
    assert inferred_share(PIMA.X, PIMA.X, 2) == pytest.approx(0.72, abs=0.02)
    for companion, parameters in ((None, {}), (PIMA.y, {"within": "class"})):
        shares = [
            inferred_share(PIMA.X, released(PIMA.X, "age", "shuffle", companion, seed, **parameters)[2], 2)
            for seed in range(5)
        ]
        assert np.mean(shares) == pytest.approx(0.645, abs=0.02)


def test_a_column_is_inferred_from_its_copy_and_not_from_chance():
    rng = np.random.default_rng(1)
    secret = pd.Series(rng.integers(0, 6, 1000), name="secret")
    dropped = Sensitive(ACTIONS["drop"](), secret)
    assert inferred(dropped, pd.DataFrame({"copy": secret.astype(str)})).named > 0.99
    # By chance a sixth, with an error of 0.012; the guess from noise may be worse than the marginal.
    assert inferred(dropped, pd.DataFrame({"noise": rng.random(1000)})).named == pytest.approx(1 / 6, abs=0.04)
    assert inferred(dropped, pd.DataFrame(index=secret.index)) is None


def test_equal_widths_leave_one_record_alone():
    age, guesses = of_age("discretise", method="width", intervals=10)
    assert age.complete == 1
    assert guesses.fixed == pytest.approx(1 / 768)


def test_an_interval_of_many_records_with_one_value_discloses_them_all():
    table = pd.DataFrame({"age": [30.0] * 5 + [40.0, 41.0, 42.0]})
    action, seen, _ = released(table, "age", "discretise", method="cuts", cuts=[35.0])
    assert Sensitive(action, table["age"], seen).complete == 5


def test_equal_values_in_a_class_and_a_class_of_one_are_disclosed():
    table = pd.DataFrame({"ill": ["no", "no", "no", "yes", "yes", "no"]})
    classes = pd.Series(["a", "a", "a", "b", "c", "c"])
    action, seen, _ = released(table, "ill", "shuffle", classes, within="class")
    assert Sensitive(action, table["ill"], seen, classes).complete == 4


def test_records_of_a_known_combination_with_one_value_are_fixed():
    # Every interval holds both values, every record is one of two or more that look alike; a and b give them away.
    table = pd.DataFrame({"a": [1, 1, 2, 2, 3, 3], "ill": ["no", "no", "yes", "yes", "no", "yes"]})
    ill = Sensitive(ACTIONS["keep"](), table["ill"], table["ill"])
    assert ill.linked(keeping(["a"]), table, table).fixed == pytest.approx(4 / 6)


NAMES = st.sampled_from(
    ["keep", "drop", "shuffle", "within", "add", "uniform", "discretise", "multiply", "redraw"]
)
CATEGORY = st.sampled_from(["keep", "drop", "shuffle", "within", "replace", "generalise", "redraw"])


def made(kind, column, classes):
    """An action by a short name, fitted, with its companion."""
    parameters = {
        "within": {"within": "class"},
        "add": {"noise": "gaussian", "sd": 1.5, "low": 1, "high": 6, "step": 1},
        "uniform": {"noise": "uniform", "half_width": 2, "low": 1, "high": 6, "step": 1},
        "discretise": {"method": "cuts", "cuts": [2.5, 4.5]},
        "multiply": {"sd": 0.3},
        "redraw": {"density": "kernel"} if column.dtype.kind == "i" else {},
        "replace": {"keep": 0.6, "categories": ["x", "y", "z"]},
        "generalise": {"groups": {"both": ["x"]}},
    }
    name = {"within": "shuffle", "uniform": "add"}.get(kind, kind)
    companion = classes if kind == "within" else None
    return ACTIONS[name](**parameters.get(kind, {})).fit(column, companion), companion


@st.composite
def tables(draw):
    n = draw(st.integers(5, 7))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    return pd.DataFrame(
        {
            "age": column([1, 2, 3, 4, 5, 6]),
            "pay": column([1, 2, 4]),
            "pet": column(["x", "y", "z"]),
            "town": column(["x", "y"]),
            "class": column(["no", "yes"]),
        }
    )


@settings(max_examples=80)
@given(tables(), NAMES, CATEGORY, NAMES, CATEGORY, st.sampled_from([0, 0.5, 1, 1.5]), st.integers(0, 99))
def test_it_is_what_a_slow_reading_finds(table, age, pet, pay, town, tolerance, seed):
    actions, seen = {}, table[[]].copy()
    companions = {}
    for column, kind in {"age": age, "pet": pet, "pay": pay, "town": town}.items():
        try:
            actions[column], companions[column] = made(kind, table[column], table["class"])
            given_out = actions[column].release(table[column], companions[column], seed)
        except ValueError:  # too few values for this action
            reject()
        if given_out is not None:
            seen[column] = given_out
    known = {column: actions[column] for column in ("pay", "town")}
    for column, within in (("age", tolerance), ("pet", 0)):
        own = Sensitive(actions[column], table[column], seen.get(column), companions[column], within)
        guesses = own.linked(known, table, seen)
        expected = intruder(
            actions[column], table[column], seen.get(column), companions[column], within, known, table, seen
        )
        got = guesses._asdict() | {"baseline": own.baseline, "complete": own.complete}
        assert {name: got[name] for name in expected} == pytest.approx(expected, abs=1e-6)
        told = own.beliefs(np.unique(own.states[own.places >= 0]))
        assert np.asarray(told.sum(axis=1)) == pytest.approx(1)


def linked_records(actions, table, seen, people):
    """What the links say of each person: the weight of each record."""
    return dense(links(actions, table, seen, people, np.arange(len(table))))


@settings(max_examples=40)
@given(tables(), NAMES.filter(lambda name: name != "redraw"), CATEGORY, st.integers(0, 99))
def test_links_are_probabilities_and_the_own_record_has_one(table, pay, town, seed):
    actions, seen = {}, table[[]].copy()
    for column, kind in {"pay": pay, "town": town}.items():
        try:
            actions[column], companion = made(kind, table[column], table["class"])
            given_out = actions[column].release(table[column], companion, seed)
        except ValueError:
            reject()
        if given_out is not None:
            seen[column] = given_out
    weights = linked_records(actions, table, seen, np.arange(len(table)))
    assert weights.sum(axis=1) == pytest.approx(1)
    assert (np.diag(weights) > 0).all()


def test_what_cannot_stem_from_the_table_is_refused():
    action, seen, table = released(PIMA.X, "age", "add", noise="uniform", half_width=2, **DOMAIN)
    other = table.assign(age=seen[::-1].to_numpy())
    preg = Sensitive(ACTIONS["keep"](), PIMA.X["preg"], PIMA.X["preg"])
    with pytest.raises(ValueError, match="released has rows that cannot stem from table; expected"):
        preg.linked({"age": action} | keeping(OTHERS[1:]), PIMA.X, other)


@pytest.fixture(scope="module")
def skewed():
    """3,000 distinct amounts that go with a known number."""
    rng = np.random.default_rng(5)
    age = rng.integers(20, 60, 3000)
    amount = age * 100 + rng.gamma(2, 500, 3000)
    return pd.DataFrame({"age": age, "amount": amount.round(2)})


def fares(table, tolerance=150):
    action, seen, other = released(table, "amount", "discretise", method="frequency", intervals=200)
    amount = Sensitive(action, table["amount"], seen, None, tolerance)
    return amount.baseline, amount.linked(keeping(["age"]), table, other)


def test_many_values_are_joined_and_hardly_more_is_named(skewed, monkeypatch):
    joined_baseline, joined = fares(skewed)
    monkeypatch.setattr(disclosure, "VALUES", 10**6)
    baseline, guesses = fares(skewed)
    assert joined.named == pytest.approx(guesses.named, abs=0.02)
    assert baseline <= joined_baseline <= baseline + 0.01


def test_values_that_were_joined_are_not_disclosed(monkeypatch):
    monkeypatch.setattr(disclosure, "VALUES", 2)
    table = pd.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0]})  # 1 and 2 are joined, 3 and 4 too
    action, seen, _ = released(table, "pay", "discretise", method="cuts", cuts=[2.5])
    pay = Sensitive(action, table["pay"], seen)
    assert pay.beliefs(np.unique(pay.states)).tolist() == [[1, 0], [0, 1]]
    assert pay.complete == 0


def test_missing_known_values_are_alike():
    table = pd.DataFrame({"a": [1, None, None, 2], "ill": ["no", "yes", "yes", "no"]})
    ill = Sensitive(ACTIONS["keep"](), table["ill"], table["ill"])
    assert linked_records(keeping(["a"]), table, table, [1]).tolist() == [[0, 0.5, 0.5, 0]]
    assert ill.linked(keeping(["a"]), table, table).named == 1


def test_a_sample_of_people_is_as_good_as_all(skewed, monkeypatch):
    some = fares(skewed)[1]
    assert some.error == pytest.approx(np.sqrt(some.named * (1 - some.named) / 1000))
    assert fares(skewed)[1] == some
    monkeypatch.setattr(disclosure, "TARGETS", 3000)
    everybody = fares(skewed)[1]
    assert some.named == pytest.approx(everybody.named, abs=4 * some.error)
    assert some.named != everybody.named


def test_missing_values_name_nobody_and_are_no_targets():
    table = pd.DataFrame({"age": [30.0, np.nan, 40.0, 30.0, np.nan, 50.0], "a": [1, 2, 3, 1, 5, 6]})
    action, seen, _ = released(table, "age", "discretise", method="cuts", cuts=[35.0])
    age = Sensitive(action, table["age"], seen)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        guesses = age.linked(keeping(["a"]), table, table)
    assert age.baseline == 0.5
    assert age.complete == 2
    # 30 is certain; of 40 and 50, which share an interval, the first is guessed.
    assert guesses.named == pytest.approx(3 / 4)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12))
def test_the_smallest_group_and_those_who_are_alone(rows):
    sizes = [rows.count(row) for row in rows]
    assert anonymity(pd.DataFrame(rows, columns=["a", "b"])) == (min(sizes), sizes.count(1))
