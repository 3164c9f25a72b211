"""What no session can be made of is refused by name, before any process starts."""

import re
import subprocess
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from ppdm import parties
from ppdm.trees import Stop


def table(n=12, offset=0):
    return pd.DataFrame(
        {"age": np.arange(n) + 20.0 + offset, "pet": ["cat", "dog"] * (n // 2)}, index=range(offset, offset + n)
    )


def labels(n=12):
    return ["no", "yes", "yes"] * (n // 3)


def rows():
    return {name: (table(), labels()) for name in "abc"}


def columns():
    X = table()
    return {"a": (X[["age"]], labels()), "b": X[["pet"]]}


@pytest.fixture(autouse=True)
def started(monkeypatch):
    """No process may start here."""

    def start(*given, **named):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", start)


def test_good_parties_start_nothing_before_the_with_statement():
    assert repr(parties.local(rows())) == "Session(a, b, c: rows, 'shamir')"
    assert repr(parties.local(columns())) == "Session(a, b, helper: columns, 'commodity')"
    with pytest.raises(AssertionError, match="a process was started"), parties.local(rows()):
        pass


def test_outside_of_a_with_statement_there_is_no_session():
    with pytest.raises(RuntimeError, match=r"the session is over; expected calls within `with"):
        parties.local(rows()).tree()


REFUSED = {
    "no mapping": ({"parties": [table()]}, "parties"),
    "nobody": ({"parties": {}}, "parties"),
    "two of rows": (
        {"parties": {"a": (table(), labels()), "b": (table(), labels())}},
        "each subtracts the own part",
    ),
    "two who hold nothing": ({"parties": {"a": None, "b": None}}, "expected three or more"),
    "one": ({"parties": {"a": (table(), labels())}}, "expected three or more"),
    "a name that is no text": (
        {"parties": {1: None, 2: None, 3: None}},
        r"parties are named \[1, 2, 3\]; expected texts",
    ),
    "an empty name": ({"parties": {"": None, "b": None, "c": None}}, "parties are named"),
    "the mixer's name": (
        {"parties": dict.fromkeys(["mixer", "b", "c"]), "engine": "mixer"},
        "none of them 'mixer'",
    ),
    "the server's name": (
        {"parties": dict.fromkeys(["server", "b", "c"]), "engine": "masks"},
        "none of them 'server'",
    ),
    "no such engine": ({"engine": "paillier"}, "engine is 'paillier'.*shamir.*ring"),
    "an engine for columns": ({"engine": "commodity"}, "engine is 'commodity'.*rows are held apart"),
    "an engine for rows": ({"parties": columns(), "engine": "ring"}, "engine is 'ring'.*columns are held apart"),
    "three holders of columns and a helper": (
        {"parties": columns() | {"c": table()[["age"]].set_axis(["pay"], axis=1)}, "engine": "commodity"},
        "parties are 3; expected 2 for 'commodity'",
    ),
    "two holders of columns and no helper": (
        {"parties": columns(), "engine": "shamir"},
        "expected three or more",
    ),
    "other columns": (
        {"parties": rows() | {"c": (table()[["age"]], labels())}},
        "columns that some of them lack",
    ),
    "classes of some": (
        {"parties": rows() | {"c": table()}},
        r"parties with classes are \['a', 'b'\]; expected all",
    ),
    "classes of two": (
        {"parties": {"a": columns()["a"], "b": (columns()["b"], labels())}},
        "expected one of them",
    ),
    "a party without columns": (
        {"parties": columns() | {"c": None}},
        "holders are .*expected each column once, and some for each party",
    ),
    "no table": ({"parties": rows() | {"c": ([1, 2], labels())}}, "X of 'c'"),
    "an empty table": ({"parties": rows() | {"c": (table().head(0), [])}}, "X of 'c'|y of 'c'"),
    "classes of another length": ({"parties": rows() | {"c": (table(), labels()[:5])}}, "y of 'c'.*X of 'c'"),
    "a missing class": ({"parties": rows() | {"c": (table(), [None, *labels()[1:]])}}, "y of 'c'"),
    "a missing value": (
        {"parties": rows() | {"c": (table().assign(age=[np.nan, *range(11)]), labels())}},
        "column 'age' of 'c'.*missing",
    ),
    "texts among numbers": ({"parties": rows() | {"c": (table().assign(age="old"), labels())}}, "column 'age'"),
    "numbers among texts": ({"parties": rows() | {"c": (table().assign(pet=7), labels())}}, "column 'pet'"),
    "a doubled index": ({"parties": columns() | {"b": table()[["pet"]].set_axis([0] * 12)}}, "index of 'b'"),
    "a domain of nobody": ({"domains": {"pay": (0, 1)}}, "domains.*pay"),
    "a domain that is too small": (
        {"domains": {"age": (25, 30)}},
        r"column 'age'.*outside its domain.*\[25, 30\]",
    ),
    "a domain upside down": ({"domains": {"age": (100, 0)}}, "age"),
    "a domain of one number": ({"domains": {"age": 3}}, "age"),
    "a domain of texts": ({"domains": {"age": ("low", "high")}}, "age"),
    "a domain without an end": ({"domains": {"age": (0, np.inf)}}, "age"),
    "a domain without a width": ({"domains": {"age": (0, 100, 0)}}, "age"),
    "a domain with four ends": ({"domains": {"age": (0, 100, 1, 2)}}, "age"),
    "a domain without a category": ({"domains": {"pet": ["cat"]}}, "column 'pet'.*outside its domain"),
    "no domains": ({"domains": [1]}, "domains"),
    "no flag": ({"align": 1}, "align"),
    "no limit": ({"limit": 0}, "limit"),
    "a limit without end": ({"limit": np.inf}, "limit"),
    "a latency below 0": ({"latency": -1}, "latency"),
    "a budget of nothing": ({"budget": 0}, "budget"),
    "a budget in words": ({"budget": "1"}, "budget"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_refused_by_name(what):
    given, told = REFUSED[what]
    with (
        pytest.raises((TypeError, ValueError), match=told) as error,
        parties.local(**{"parties": rows(), **given}),
    ):
        pass
    assert "\n" not in str(error.value)


def test_messages_quote_no_value():
    secret = table().assign(pet=["s3cret"] * 12)
    for given in ({"domains": {"pet": ["cat", "dog"]}}, {"domains": {"age": (0, 5)}}):
        with pytest.raises(ValueError) as error:  # noqa: PT011 (each has words of its own)
            parties.local({name: (secret, labels()) for name in "abc"}, **given)
        assert not re.search("s3cret|31", str(error.value))


def test_what_a_tree_cannot_be_grown_from_is_refused_before_anything_is_sent():
    session = parties.local(rows())
    for given, told in (
        ({"stop": {"max_depth": 3}}, "stop"),
        ({"opens": "all"}, "opens is 'all'"),
        ({"criterion": "twoing"}, "criterion is 'twoing'"),
        ({"nominal": "all"}, "nominal is 'all'"),
        ({"cuts": "best"}, "cuts is 'best'"),
        ({"strategy": "local"}, "strategy is 'local'"),
        ({"intervals": 0}, "intervals"),
        ({"intervals": 2.5}, "intervals"),
        ({"intervals": "many"}, "intervals"),
        ({"intervals": {"pay": 3}}, "intervals.*pay"),
        ({"intervals": {"age": [3, 1]}}, "age"),
        ({"stop": Stop(confidence=0.9), "criterion": "gain"}, "confidence"),
        ({"stop": Stop(confidence=0.9)}, "confidence"),
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            session.tree(**given)


def test_what_sets_cannot_be_counted_of_is_refused_before_anything_is_sent():
    session = parties.local(rows())
    for call, told in (
        (lambda: session.itemsets(0), "min_support"),
        (lambda: session.itemsets(np.nan), "min_support"),
        (lambda: session.itemsets(0.5, 0), "most_items"),
        (lambda: session.itemsets(0.5, 1.5), "most_items"),
        (lambda: session.rules(0.5, 2), "min_confidence"),
        (lambda: session.rules(0.5, None), "min_confidence"),
        (lambda: session.rules(0.5, 0.5), "column|0 and 1|items"),  # ages and pets are no items
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            call()


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pd.date_range("2020-01-01", periods=12).date, "date"),
        (pd.date_range("2020-01-01", periods=12), "Timestamp"),
        ([Decimal(1) + one for one in range(12)], "Decimal"),
        (pd.cut(np.arange(12), 3), "Interval"),
    ],
)
def test_values_that_others_cannot_be_told_are_refused_by_their_column(column, told):
    held = {name: (table().assign(when=column), labels()) for name in "abc"}
    with pytest.raises(
        TypeError, match=f"categories of 'when' are of type {told}; expected texts, numbers or bool"
    ):
        parties.local(held)
    held = {name: (table(), column) for name in "abc"}
    with pytest.raises(
        TypeError, match=rf"classes are of type ({told}|datetime); expected texts, numbers or booleans"
    ):
        parties.local(held)


def test_a_domain_of_none_is_no_public_domain():
    session = parties.local(rows(), domains={"age": None, "pet": ["cat", "dog"]})
    with pytest.raises(ValueError, match=r"records tell what \['age'\] can hold; expected domains for them"):
        session.tree(stop=Stop(max_depth=1), epsilon=1.0)


@pytest.mark.parametrize("epsilon", [1e-7, 1e-300, 0, -1.0, "1", True])
def test_noise_beyond_all_counts_is_refused(epsilon):
    session = parties.local(rows(), domains={"age": (20, 40), "pet": ["cat", "dog"]}, budget=1)
    with pytest.raises((TypeError, ValueError), match=r"epsilon is .*; expected a number in"):
        session.tree(stop=Stop(max_depth=1), epsilon=epsilon)
    assert session.spent == 0


def test_two_who_multiply_do_not_add_up():
    with pytest.raises(ValueError, match="engine is 'commodity', by which two multiply; expected another one"):
        parties.local(columns()).sum({"a": [1], "b": [2]})


def test_numbers_of_any_kind_are_numbers():
    assert parties.local(rows(), limit=Fraction(5, 2), latency=Fraction(1, 4), budget=Fraction(1, 2)).spent == 0
    small = {name: (table().assign(age=np.linspace(0.1, 1, 12, dtype=np.float32)), labels()) for name in "abc"}
    assert parties.local(small).project["columns"]["age"]["low"] == np.float64(np.float32(0.1))
