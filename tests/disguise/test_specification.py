"""A privacy specification: every fault at once, scikit-learn's conventions, and what is released."""

import copy
import pickle
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm import randomness
from ppdm.data import load
from ppdm.disguise import PrivacySpecification, PrivacyWarning, SpecificationError
from ppdm.disguise.actions import ACTIONS
from ppdm.information import gain

SECRET, SECRET_NUMBER = "s3cret-4711", 8675309


@pytest.mark.filterwarnings("ignore::ppdm.disguise.PrivacyWarning")  # whole numbers that look like identifiers
@parametrize_with_checks([PrivacySpecification({"others": "keep"}, seed) for seed in (None, 3)])
def test_scikit_learns_conventions_hold(estimator, check):
    check(estimator)


def people(n=200, seed=1):
    """A column of every kind; the class depends on the wage; no two rows have one label."""
    rng = np.random.default_rng(seed)
    wage = rng.integers(10, 90, n)
    table = pd.DataFrame(
        {
            "town": pd.Categorical(rng.choice(["Ayr", "Bern", "Cork"], n), ["Ayr", "Bern", "Cork", "Dover"]),
            "age": rng.integers(20, 80, n),
            "wage": wage,
            "height": rng.normal(170, 10, n).round(1),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 9_000, n), "D"),
            "member": rng.random(n) < 0.4,
            "score": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "job": rng.choice(["smith", "baker", "miller"], n),
            "notes": rng.choice(["007", "0.10", "?", "n/a"], n),
            "class": np.where(wage + rng.normal(0, 20, n) > 50, "rich", "poor"),
        },
        index=pd.Index(rng.permutation(n), name="who"),
    )
    table.loc[table.index[::9], "score"] = pd.NA
    table.loc[table.index[::11], "job"] = None
    return table


def sound():
    """A specification for the people without a fault, with every action that changes values."""
    return {
        "class": "class",
        "known": ["age", "town"],
        "others": "refuse",
        "threshold": 0.6,
        "k": 5,
        "relevance": {"measure": "gain", "threshold": 0.1},
        "columns": {
            "town": {"action": "replace", "keep": 0.7, "sensitive": True},
            "age": {"action": "shuffle", "within": "class", "sensitive": True, "tolerance": 3},
            "wage": {"action": "discretise", "method": "mdlp", "min_group": 20},
            "height": {"action": "add", "noise": "uniform", "privacy": 0.5},
            "born": {"action": "drop", "sensitive": True, "threshold": 0.4},
            "member": {"action": "shuffle", "with": ["score"]},
            "job": {"action": "generalise", "groups": {"craft": ["smith", "miller"]}},
            "notes": {"action": "keep"},
            "class": {"action": "keep"},
        },
    }


def faults(specification, table=None, y=None):
    """The faults of a specification; none if it has none."""
    try:
        PrivacySpecification(specification).check(people() if table is None else table, y)
    except SpecificationError as error:
        return error.faults
    return []


def changed(path, value):
    """The sound specification with another value at a path, or with none."""
    specification = sound()
    *above, last = path.split(".")
    part = specification
    for name in above:
        part = part[name]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return specification


def test_a_sound_specification_has_no_fault():
    assert faults(sound()) == []


# Of each kind of fault: what is changed, where the fault is, and what is expected instead.
KINDS = {
    "unknown name": ("clas", "x", "clas", "did you mean 'class'"),
    "a seed": ("random_state", 3, "random_state", "whoever guesses a seed"),
    "a seed in an entry": ("columns.age.seed", 3, "columns.age.seed", "whoever guesses a seed"),
    "class is no column": ("class", "clas", "class", "did you mean 'class'"),
    "class is no name": ("class", ["class"], "class", "a column name"),
    "known is no column": ("known", ["age", "twon"], "known", "did you mean 'town'"),
    "known is no list": ("known", "age", "known", "a list"),
    "known is a dict": ("known", {"age": True}, "known", "a list"),
    "known twice": ("known", ["age", "age", "age"], "known", "once"),
    "known twice, misspelt": ("known", ["agee", "agee"], "known", "did you mean 'age'"),
    "known in capitals": ("known", ["AGE"], "known", "did you mean 'age'"),
    "others": ("others", "reject", "others", "'refuse'"),
    "threshold of 0": ("threshold", 0, "threshold", r"\(0, 1\]"),
    "threshold above 1": ("threshold", 60, "threshold", r"\(0, 1\]"),
    "threshold is no number": ("threshold", "60%", "threshold", r"\(0, 1\]"),
    "own threshold": ("columns.born.threshold", 1.5, "columns.born.threshold", r"\(0, 1\]"),
    "k": ("k", 1, "k", "whole number"),
    "a huge k": ("k", 10**400, "k", "whole number"),
    "measure": ("relevance.measure", "gian", "relevance.measure", "'gini'"),
    "relevance": ("relevance", 0.1, "relevance", "dict"),
    "name in relevance": ("relevance.least", 0.1, "relevance.least", "measure, threshold"),
    "columns": ("columns", ["age"], "columns", "dict"),
    "entry": ("columns.age", "drop", "columns.age", "dict"),
    "column not in the table": ("columns.agee", {"action": "drop"}, "columns.agee", "did you mean 'age'"),
    "column without an entry": ("columns.notes", None, "columns.notes", "others"),
    "no action": ("columns.age.action", None, "columns.age.action", "one of keep, drop"),
    "an empty entry": ("columns.notes", {}, "columns.notes.action", "one of keep, drop"),
    "action": ("columns.age.action", "shufle", "columns.age.action", "did you mean 'shuffle'"),
    "action is no text": ("columns.age.action", ["drop"], "columns.age.action", "one of"),
    "unknown parameter": ("columns.height.privcy", 1, "columns.height.privcy", "did you mean 'privacy'"),
    "sensitive": ("columns.notes.sensitive", "yes", "columns.notes.sensitive", "True"),
    "tolerance": ("columns.age.tolerance", -1, "columns.age.tolerance", "number"),
    "type of a parameter": ("columns.height.privacy", "much", "columns.height.privacy", "number"),
    "range of a parameter": ("columns.height.privacy", -1, "columns.height.privacy", "number"),
    "two sizes": ("columns.height.half_width", 5, "columns.height", "exactly one of"),
    "no size": ("columns.height.privacy", None, "columns.height", "exactly one of"),
    "noise on text": ("columns.notes", {"action": "add", "privacy": 1}, "columns.notes", "numbers"),
    "missing values": ("columns.job", {"action": "replace", "keep": 0.5}, "columns.job", "none"),
    "min_group": ("columns.wage.min_group", 101, "columns.wage.min_group", "half"),
    "cuts that fall": (
        "columns.wage",
        {"action": "discretise", "method": "cuts", "cuts": [50, 30]},
        "columns.wage.cuts",
        "increasing",
    ),
    "cuts outside": (
        "columns.wage",
        {"action": "discretise", "method": "cuts", "cuts": [-5, 30]},
        "columns.wage.cuts",
        "at least 1",
    ),
    "sensitive and kept": ("columns.notes.sensitive", True, "columns.notes.action", "hides"),
    "sensitive and replaced by itself": ("columns.town.keep", 1, "columns.town.action", "hides"),
    "sensitive above its column": ("sensitive", ["age"], "sensitive", "belongs to its entry"),
    "class shuffled": ("columns.class.action", "shuffle", "columns.class.action", "'keep' or 'replace'"),
    "a group without values": ("columns.job.groups", {"craft": []}, "columns.job.groups", "for each group"),
    "large groups of categories": (
        "columns.job",
        {"action": "generalise", "min_group": 101},
        "columns.job.min_group",
        "half",
    ),
    "low above high": (
        "columns.height",
        {"action": "redraw", "low": 9, "high": -9},
        "columns.height.low",
        "below high",
    ),
    "unknown category": ("columns.job.groups", {"craft": ["smth"]}, "columns.job.groups", "its values"),
    "category in two groups": (
        "columns.job.groups",
        {"craft": ["smith"], "trade": ["smith"]},
        "columns.job.groups",
        "distinct",
    ),
    "within a column that is dropped": ("columns.age.within", "born", "columns.age.within", "kept"),
    "within a column that is shuffled": ("columns.age.within", "member", "columns.age.within", "kept"),
    "within itself": ("columns.age.within", "age", "columns.age.within", "kept"),
    "within no column": ("columns.age.within", "clss", "columns.age.within", "did you mean 'class'"),
    "with itself": ("columns.member.with", ["score", "member"], "columns.member.with", "other columns"),
    "with an action": ("columns.member.with", ["score", "age"], "columns.member.with", "without an action"),
    "with no column, twice": (
        "columns.member.with",
        ["score", "scor", "scor"],
        "columns.member.with",
        "did you mean 'score'",
    ),
    "with no column": ("columns.member.with", ["score", "scor"], "columns.member.with", "did you mean 'score'"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_is_found_once(kind):
    path, value, where, expected = KINDS[kind]
    found = faults(changed(path, value))
    assert [fault.where for fault in found] == [where]
    assert re.search(expected, found[0].expected)


def test_faults_that_only_a_table_shows():
    table, specification = people(), sound()
    table["class"] = table["class"].where(table["wage"] < 80)
    assert [str(fault) for fault in faults(specification, table)] == [
        f"class has {table['class'].isna().sum()} missing (NaN), first in row "
        f"{table['class'].isna().to_numpy().argmax()}; expected none"
    ]
    # Without a class "class" is a column like any other. If there is none, nothing can be shuffled within it.
    del specification["class"]
    assert [fault.where for fault in faults(specification)] == ["columns.wage.method"]
    del specification["columns"]["class"]
    found = [fault.where for fault in faults(specification, people().drop(columns="class"))]
    assert found == ["columns.age.within", "columns.wage.method"]
    few = PrivacySpecification({"others": "keep", "columns": {"age": {"action": "shuffle"}}})
    few.check(people(5))
    with pytest.raises(SpecificationError, match="'shuffle', of 4 records; expected at least 5 records"):
        few.check(people(4))


def test_the_class_may_be_y():
    table = people()
    X, y = table.drop(columns="class"), table["class"]
    specification = changed("columns.class", None)
    assert (
        faults(specification, X, y)
        == faults(specification, X, y.to_numpy())
        == faults(specification, table)
        == []
    )
    (fault,) = faults(specification, X, y.rename("wealth"))
    assert fault[:2] == ("class", "'class'")
    # What is misspelt is told, but not what depends on it.
    assert [fault.where for fault in faults(changed("class", "clas"), X, y)] == ["class", "columns.class"]
    del specification["class"]
    assert faults(specification, X, y.rename("wealth")) == []
    with pytest.raises(ValueError, match="y has 199 entries and X has 200"):
        PrivacySpecification(specification).check(X, y[1:])
    with pytest.raises(ValueError, match="y has 1 of 200 missing values"):
        PrivacySpecification(specification).check(X, y.where(np.arange(200) > 0))


def test_one_specification_serves_for_a_column_and_for_y():
    table = people()
    X, y = table.drop(columns="class"), table["class"]
    same = changed("known", ["town", "class"])
    assert faults(same) == faults(same, X, y) == faults(same, X, y.to_numpy()) == []
    fitted = PrivacySpecification(same, random_state=1).fit(X, y)
    assert list(fitted.fit_transform(X, y)) == [name for name in X if name != "born"]
    assert fitted.settings_["known"] == ["town"]
    (fault,) = faults(changed("columns.class", {"action": "replace", "keep": 0.5}), X, y)
    assert str(fault) == "columns.class.action is 'replace', of y; expected 'keep': y is not released"
    (fault,) = faults(changed("known", ["class", "class"]), X, y)
    assert fault.seen == "'class', once more"


def test_what_is_wrong_with_y_is_one_of_the_faults():
    X = people().drop(columns="class")
    specification = changed("k", 0)
    del specification["columns"]["class"]
    for y in (["a"] * 199, [None] * 200, 3):
        assert [fault.where for fault in faults(specification, X, y)] == ["y", "k"]


def test_names_of_columns_are_text_or_none_is():
    table = pd.DataFrame({"a": [1.5, 2] * 9, 1: [1.5, 2] * 9})
    (fault,) = faults({"others": "keep"}, table)
    assert str(fault) == "X names some columns by text, and some not; expected text for all, or for none"
    with pytest.raises(TypeError, match="string"):
        PrivacySpecification({"others": "keep"}).fit(table)
    assert faults({"others": "keep"}, table.set_axis([0, 1], axis=1)) == []


def test_a_sensitive_column_may_be_known():
    specification = PrivacySpecification(sound()).fit(people())
    told = "is sensitive and known: it is judged for people of whom it is not known"
    assert [note for note in specification.notes_ if told in note] == [
        f"column 'age' {told}",
        f"column 'town' {told}",
    ]


MANY = {
    "colour": "red",
    "seed": 1,
    "known": ["aeg"],
    "threshold": 2,
    "k": 0,
    "relevance": {"measure": "luck"},
    "columns": {
        **sound()["columns"],
        "town": {"action": "swap", "rate": 3},
        "age": {"action": "shuffle", "withn": "class"},
        "wage": {"action": "add", "noise": "laplace", "privacy": -1},
        "notes": {"action": "keep", "sensitive": True},
    },
}


def test_many_faults_are_told_together_and_before_any_work(monkeypatch):
    table, told = people(), []
    before = table.copy(deep=True)
    monkeypatch.setattr(randomness, "uniform", lambda *_: told.append("drawn"))
    specification = PrivacySpecification({**sound(), **MANY})
    for call in (specification.check, specification.fit, specification.fit_transform, specification.release):
        with pytest.raises(SpecificationError) as caught:
            call(table)
    lines = str(caught.value).splitlines()
    assert lines[0] == "the specification has 12 faults:"
    assert [line.partition(" is ")[0] for line in lines[1:]] == [
        "1. colour",
        "2. seed",
        "3. threshold",
        "4. k",
        "5. relevance.measure",
        "6. known",
        "7. columns.town.rate",
        "8. columns.town.action",
        "9. columns.age.withn",
        "10. columns.wage.noise",
        "11. columns.wage.privacy",
        "12. columns.notes.action",
    ]
    assert told == []
    pd.testing.assert_frame_equal(table, before)
    frame = caught.value.frame()
    assert list(frame) == ["where", "seen", "expected"]
    assert list(map(tuple, frame.to_numpy())) == list(map(tuple, caught.value.faults))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.faults) == (str(caught.value), caught.value.faults)


def test_no_list_of_known_columns_and_an_empty_one_differ():
    table = people()
    for path, known in ((None, None), ([], []), (["age"], ["age"])):
        assert PrivacySpecification(changed("known", path)).fit(table).settings_["known"] == known
    assert "known" not in PrivacySpecification(changed("known", None)).to_toml()
    assert "known = []" in PrivacySpecification(changed("known", [])).to_toml()


TWICE = {  # of one column, an entry and the two things that are wrong with it: where, and a word of each
    "role and threshold": (
        "wage",
        {"action": "keep", "sensitive": True, "threshold": 2},
        {".threshold": "2", ".action": "'keep', of a sensitive column"},
    ),
    "kind and missing values": ("job", {"action": "add", "sd": 1}, {"": ["missing", "text"]}),
    "zeros and missing values": ("gaps", {"action": "multiply", "sd": 0.1}, {"": ["missing", "at most 0"]}),
    "infinite and missing values": ("ends", {"action": "redraw"}, {"": ["missing", "infinite"]}),
    "a missing parameter and large groups": (
        "wage",
        {"action": "discretise", "method": "width", "min_group": 150},
        {".intervals": "missing", ".min_group": "150 of 200"},
    ),
    "an idle parameter and text": (
        "notes",
        {"action": "discretise", "method": "mdlp", "intervals": 3},
        {".intervals": "given", "": "holds text"},
    ),
    "role and an unknown parameter": (
        "notes",
        {"action": "keep", "sensitive": True, "sd": 1},
        {".sd": "unknown", ".action": "sensitive"},
    ),
    "a wrong parameter and missing values": (
        "job",
        {"action": "replace", "keep": 2},
        {".keep": "2", "": "missing"},
    ),
    "a wrong threshold and a missing parameter": (
        "wage",
        {"action": "discretise", "method": "width", "threshold": 2},
        {".threshold": "2", ".intervals": "missing"},
    ),
    "two idle parameters": (
        "wage",
        {"action": "discretise", "intervals": 3, "low": 2},
        {".intervals": "given", ".low": "given"},
    ),
}


def test_what_is_wrong_in_two_ways_is_told_in_two():
    table = people().assign(gaps=[0, 1, np.nan, 5] * 50, ends=[1, np.inf, np.nan, 5] * 50)
    every, columns = [], {}
    for place, (name, entry, told) in enumerate(TWICE.values()):
        table[f"c{place}"] = table[name]
        columns[f"c{place}"] = entry
        expected = [
            (f"columns.c{place}{where}", word) for where, words in told.items() for word in np.ravel(words)
        ]
        found = faults({"class": "class", "others": "keep", "columns": {f"c{place}": entry}}, table)
        assert sorted(fault.where for fault in found) == sorted(where for where, _ in expected)
        assert all(
            any(fault.where == where and word in fault.seen for fault in found) for where, word in expected
        )
        every += found
    together = faults({"class": "class", "others": "keep", "columns": columns}, table)
    assert sorted(together) == sorted(every)
    assert len(together) == 2 * len(TWICE)


def test_a_misspelt_name_hides_no_other_one():
    table = pd.DataFrame({"low": [1.5, 2, 3] * 9, "threshold": [1, 2, 3] * 9, "x": [1.5, 2, 7] * 9})
    columns = {"x": {"action": "add", "sd": 1, "lwo": 0}}
    found = faults({"columns": columns, "relevance": {"treshold": 1}}, table)
    wheres = ["relevance.treshold", "columns.x.lwo", "columns.low", "columns.threshold"]
    assert [fault.where for fault in found] == wheres
    # Without an action its parameters are not judged, but what no action has is.
    found = faults({"others": "keep", "columns": {"x": {"sensitiv": True, "sd": 1}}}, table)
    assert [fault.where for fault in found] == ["columns.x.sensitiv", "columns.x.action"]
    assert "did you mean 'sensitive'" in found[0].expected


def test_a_number_and_its_text_are_two_names_and_one_hint():
    values = np.random.default_rng(1).normal(size=(9, 2))
    for table, name, near in (
        (pd.DataFrame(values), "0", "did you mean 0?"),
        (pd.DataFrame(values, columns=["0", "1"]), 0, "did you mean '0'?"),
    ):
        (fault,) = faults({"others": "keep", "columns": {name: {"action": "drop"}}}, table)
        assert near in fault.expected


def test_a_specification_that_releases_nothing_is_a_fault():
    table = people()
    for only in ({"others": "drop"}, {"columns": {name: {"action": "drop"} for name in table}}):
        (fault,) = faults(only, table)
        assert str(fault).startswith("columns leave nothing but the class; expected one more at least")
    (fault,) = faults({"others": "drop", "class": "class"}, table)
    assert fault.where == "columns"
    (fault,) = faults({"others": "drop"}, table.drop(columns="class"), table["class"])
    assert fault.where == "columns"
    assert faults({"others": "drop", "columns": {"age": {"action": "keep"}}}) == []


WORDS = {  # why a column, or a parameter, is refused: in words that name the cause
    "small noise": (range(40), {"action": "add", "sd": 1e-3}, ".sd is too small"),
    "a small level": (range(40), {"action": "add", "privacy": 1e-3}, ".privacy is too small"),
    "small factors": (range(1, 101), {"action": "multiply", "sd": 1e-3}, ".sd is too small"),
    "large noise": (range(40), {"action": "add", "sd": 1e300}, ".sd does not go with the range"),
    "a step": (range(40), {"action": "add", "sd": 5, "step": 7}, ".step does not go with the range"),
    "huge numbers": ([1e300, -1e300] * 20, {"action": "add", "sd": 1}, " has 40 of 40 numbers beyond 1e+100"),
    "one value": ([3] * 40, {"action": "add", "sd": 1}, " has a single value"),
    "a low end": (
        range(40),
        {"action": "add", "sd": 5, "low": 30},
        " has 30 of 40 values outside of low and high",
    ),
    "middles": (
        range(40),
        {"action": "discretise", "method": "cuts", "cuts": [20], "label": "middle", "low": 0, "high": 29},
        " has 10 of 40 values outside of low and high, first in row 30;",
    ),
    "commas": (["1,5", "2,5"] * 20, {"action": "add", "sd": 1}, " holds text (dtype str); expected numbers"),
    "categories": (pd.Categorical(["a", "b"] * 20), {"action": "add", "sd": 1}, " holds categories"),
    "dates": (pd.date_range("2020-01-01", periods=40), {"action": "multiply", "sd": 0.1}, " holds dates"),
    "decimals": ([Decimal(1), Decimal(2)] * 20, {"action": "add", "sd": 1}, " holds decimal values"),
    "lists": (
        [[1], [2]] * 20,
        {"action": "generalise", "min_group": 2},
        " holds lists or the like; expected text",
    ),
    "within lists": (range(40), {"action": "shuffle", "within": "lists"}, ".within holds lists or the like"),
    "groups of lists": (range(40), {"action": "generalise", "groups": {"g": [[1]]}}, ".groups holds lists"),
    "missing numbers": (
        [1, 2, None, 4] * 10,
        {"action": "add", "sd": 1},
        " has 10 of 40 missing (NaN), first in row 2;",
    ),
    "missing text": (
        ["a", "b", None, "c"] * 10,
        {"action": "replace", "keep": 0.5},
        " has 10 of 40 missing (NaN), first in row 2; expected none: fill them in, or drop the column; shuffle and",
    ),
    "infinite": ([1.0] * 30 + [np.inf] * 10, {"action": "add", "sd": 1}, " has 10 of 40 infinite numbers"),
    "no numbers": (
        [np.nan] * 40,
        {"action": "discretise", "method": "width", "intervals": 2},
        " has 40 of 40 missing (NaN), first in row 0; expected a known value",
    ),
    "cuts beyond": (
        range(40),
        {"action": "discretise", "method": "cuts", "cuts": [9, 99]},
        ".cuts leave a group of 0 records, interval 3 of 3; expected at least 1",
    ),
    "no values in a group": (
        ["a", "b"] * 20,
        {"action": "generalise", "groups": {"x": [], "y": ["a"]}},
        ".groups has the empty group 'x'; expected values",
    ),
    "numbers for text": (
        ["0", "1", "x", "y"] * 10,
        {"action": "generalise", "groups": {"g": [0, 1]}},
        '.groups names [0, 1], which the column does not have; expected its values, as text: "0", "1"',
    ),
    "categories for text": (
        ["0", "1"] * 20,
        {"action": "replace", "keep": 0.5, "categories": [0, 1, 2]},
        " has 40 of 40 unknown values, first in row 0; expected values that were there in the fit, or are "
        'declared, as text: "0", "1"',
    ),
}


@pytest.mark.parametrize("reason", WORDS)
def test_a_fault_names_its_cause(reason):
    values, entry, told = WORDS[reason]
    table = pd.DataFrame({"x": values, "lists": [[1]] * len(values)})
    (fault,) = faults({"others": "keep", "columns": {"x": entry}}, table)
    assert str(fault).startswith(f"columns.x{told}")


def test_a_shuffled_column_of_objects_keeps_its_dtype_its_values_and_what_is_missing():
    table = pd.DataFrame({"a": pd.Series(["x", None, "y", np.nan, "z"] * 4, dtype=object), "b": [1, 2, 3, 2] * 5})
    for entry in ({"action": "shuffle"}, {"action": "shuffle", "with": ["b"]}):
        released = PrivacySpecification({"others": "keep", "columns": {"a": entry}}).release(table)
        assert released["a"].dtype == object
        assert sorted(map(repr, released["a"])) == sorted(map(repr, table["a"]))
        assert released["b"].dtype == table["b"].dtype
    # Names may be anything.
    table.columns = [("a", 1), ("b", 2)]
    moved = PrivacySpecification({"columns": {("a", 1): {"action": "shuffle", "with": [("b", 2)]}}}).release(
        table
    )
    assert [column.dtype for _, column in moved.items()] == [object, int]


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("action", ["shuffle", "generalise", "replace", "redraw"])
def test_tuples_beside_numbers_are_released(action, seed):
    values = pd.Series([1, 2.5, True, "x", ("a", (1, 2))] * 8, dtype=object)
    entry = {"action": action} | {"generalise": {"min_group": 9}, "replace": {"keep": 0.5}}.get(action, {})
    table = pd.DataFrame({"x": values, "z": range(40)})
    specification = PrivacySpecification({"columns": {"x": entry, "z": {"action": "drop"}}, "class": None}, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released = specification.release(table)
    assert set(map(repr, released["x"])) <= {*map(repr, values), "'other'"}


def secrets():
    """The people, with values that no message may show."""
    table = people()
    table["notes"] = table["notes"].replace("007", SECRET)
    table["town"] = table["town"].cat.rename_categories({"Bern": SECRET + "!"})
    table["job"] = table["job"].replace("baker", SECRET + "?")
    table.loc[table.index[5], "wage"] = SECRET_NUMBER
    table.loc[table.index[6], "height"] = SECRET_NUMBER + 0.25
    return table.rename(columns={"born": "day of birth\n"})


JUNK = [
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.5, 1e308, 10**400, float("nan"), float("inf")),
    *("", "age", "agee", "class", "nonsense", "keep", "shuffle", "add", "redraw", "\ud800", "a\nb", "x" * 500),
    *([], {}, [1, 2], [[]], ["age", "town"], {"action": "drop"}, {"action": "shuffle"}, {"a": ["b"]}, ("age",)),
    *(np.array([1, 2]), np.float64(3), np.array(["age"], object), {1, 2}, object, 1j, b"age", pd.NaT, pd.NA, len),
]
NAMES = [
    "class",
    "known",
    "columns",
    "action",
    "seed",
    "",
    "nonsense",
    3,
    None,
    ("a", 1),
    "a.b\n",
    "with",
    "within",
]


def places(part):
    """Every dict within a dict, with each of its names."""
    for name, value in part.items():
        yield part, name
        if isinstance(value, dict):
            yield from places(value)


def damaged(draw):
    specification = sound()
    specification["columns"]["day of birth\n"] = specification["columns"].pop("born")
    specification["columns"]["job"]["groups"] = {"craft": ["smith", "miller"]}
    for _ in range(draw(st.integers(1, 4))):
        found = [*places(specification)]
        part, name = found[draw(st.integers(0, len(found) - 1))]
        junk = copy.deepcopy(JUNK[draw(st.integers(0, len(JUNK) - 1))])  # further damage may go into it
        act = draw(st.integers(0, 2))
        if act == 0:
            part[name] = junk
        elif act == 1:
            del part[name]
        else:
            part[draw(st.sampled_from(NAMES))] = junk
    return specification


def test_no_single_piece_of_junk_gives_anything_but_faults():
    table = people()
    for place in range(len([*places(sound())])):
        for junk in JUNK:
            specification = sound()
            part, name = [*places(specification)][place]
            part[name] = copy.deepcopy(junk)
            assert all(fault.expected for fault in faults(specification, table))


def reordered(part, draw):
    """The same dict, with its names in another order."""
    if not isinstance(part, dict):
        return part
    return {name: reordered(part[name], draw) for name in draw(st.permutations([*part]))}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damage_gives_faults_in_words_whatever_the_order(data):
    table = secrets()
    specification = damaged(data.draw)
    found = faults(specification, table)
    assert len(found) == len({fault[:2] for fault in found})  # each is told once
    assert found == faults(reordered(specification, data.draw), table)
    for fault in found:
        assert str(fault).isprintable()
        assert fault.expected
        assert len(str(fault)) < 600
        assert SECRET not in str(fault)
        assert str(SECRET_NUMBER) not in str(fault).replace(",", "")


def test_a_specification_must_be_a_dict_or_a_file(tmp_path):
    for wrong in (3, ["age"], object()):
        (fault,) = faults(wrong)
        assert fault.where == "specification"
        assert fault.expected == "a dict, or the path of a TOML file"
        with pytest.raises(SpecificationError, match="specification is of type"):
            PrivacySpecification(wrong).to_toml()
    (fault,) = faults(tmp_path / "none.toml")
    assert fault[:2] == (
        "specification",
        f"'{tmp_path}/none.toml', which cannot be read (No such file or directory)",
    )
    for text in ("", "k = 5"):
        (fault,) = faults(text)
        assert fault.expected == "a dict, or the path of a TOML file, not its text"
    # Without a specification no column may be released.
    assert [fault.where for fault in faults(None)] == [f"columns.{name}" for name in people()]


def test_what_is_kept_stays_and_nothing_else_of_the_table_comes_along():
    table = people()
    table.attrs["source"] = SECRET
    before = table.copy(deep=True)
    kept = PrivacySpecification({"others": "keep", "columns": {"wage": {"action": "drop"}}})
    released = kept.release(table)
    pd.testing.assert_frame_equal(table, before)
    assert released.attrs == {}
    assert list(released) == [name for name in table if name != "wage"]
    assert released["town"].cat.categories.tolist() == ["Ayr", "Bern", "Cork"]
    same = released.drop(columns="town")
    pd.testing.assert_frame_equal(same, before.drop(columns=["town", "wage"]), check_flags=False)
    assert released["town"].tolist() == before["town"].tolist()
    assert kept.get_feature_names_out().tolist() == list(released)
    shuffled = PrivacySpecification({"others": "drop", "columns": {"town": {"action": "shuffle"}}}).release(table)
    assert shuffled["town"].cat.categories.tolist() == ["Ayr", "Bern", "Cork"]


def test_each_action_does_its_work():
    table = people()
    specification = PrivacySpecification(sound(), random_state=5)
    released = specification.release(table)
    assert released.index.equals(table.index)
    assert list(released) == [name for name in table if name != "born"]
    groups = [frame.groupby("class")["age"].apply(sorted).tolist() for frame in (table, released)]
    assert groups[0] == groups[1]
    pairs = [sorted(zip(frame["member"], frame["score"].fillna(-1))) for frame in (table, released)]
    assert pairs[0] == pairs[1]
    assert (released["member"] != table["member"]).any()
    assert released["wage"].nunique() >= 2
    assert set(released["job"].dropna()) == {"craft", "baker"}
    assert (released["height"] != table["height"]).mean() > 0.9
    assert (released["town"].astype(str) != table["town"].astype(str)).mean() > 0.1
    assert [action.name for action in specification.actions_.values()] == [
        *("replace", "shuffle", "discretise", "add", "drop", "shuffle", "shuffle", "generalise", "keep", "keep"),
    ]
    assert specification.actions_["member"] is specification.actions_["score"]
    assert any("cuts are taken from the data" in note for note in specification.notes_)


def test_settings_have_all_defaults():
    table = people()
    found = PrivacySpecification(sound()).fit(table).settings_
    assert found["columns"]["age"] == {
        "action": "shuffle",
        "sensitive": True,
        "threshold": 0.6,
        "tolerance": 3,
        "within": "class",
        "with": [],
    }
    assert found["columns"]["born"]["threshold"] == 0.4
    assert found["columns"]["born"]["tolerance"] == 0
    assert found["columns"]["wage"]["tolerance"] == pytest.approx(
        0.05 * (table["wage"].max() - table["wage"].min())
    )
    bare = PrivacySpecification({"others": "drop", "columns": {"age": {"action": "keep"}}}).fit(table).settings_
    assert list(bare["columns"]) == list(table)
    assert {name: bare[name] for name in bare if name != "columns"} == {
        "class": None,
        "known": None,
        "others": "drop",
        "threshold": None,
        "k": None,
        "relevance": {"measure": "gain", "threshold": 0.1},
    }


def test_values_that_hardly_move_are_warned_of_or_refused():
    table = people(40).assign(own=range(40), pair=np.arange(40) // 2, group=np.r_[[0] * 4, [1] * 36])
    entry = {"action": "shuffle", "sensitive": True}

    def shuffled(within):
        return PrivacySpecification({"others": "keep", "columns": {"age": {**entry, "within": within}}})

    for within, few in (("pair", 40), ("group", 4)):
        told = f"column 'age': {few} values are in groups of fewer than 5 records, and hardly move"
        specification = shuffled(within)
        with pytest.warns(PrivacyWarning) as caught:
            specification.fit(table)
        assert told in [str(one.message) for one in caught]
        assert told in specification.notes_
    (fault,) = faults(shuffled("own").specification, table)
    assert str(fault) == "columns.age.within is 'own', which leaves each record alone; expected larger groups"
    del entry["sensitive"]
    assert faults(shuffled("own").specification, table) == []


def test_ordered_categories_are_replaced_by_those_of_the_fit():
    dtype = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    table = pd.DataFrame({"x": pd.Series(["high", "low", "middle"] * 20, dtype=dtype), "z": 1.5})
    for more in ([], ["top"]):
        entry = {"action": "replace", "keep": 0.5} | ({"categories": [*dtype.categories, *more]} if more else {})
        fitted = PrivacySpecification({"others": "keep", "columns": {"x": entry}}).fit(table)
        # A batch need not have them all.
        released = fitted.transform(table[table["x"] != "middle"])["x"]
        assert released.dtype == pd.CategoricalDtype([*dtype.categories, *more], ordered=True)
        assert "middle" in set(released)


def test_an_index_of_categories_may_repeat_and_have_unused_ones():
    index = pd.CategoricalIndex(["a", "a", "b", "b"], ["a", "b", "unused"])
    table = pd.DataFrame({"x": pd.Categorical(["u", "v"] * 2)}, index=index)
    released = PrivacySpecification({"others": "keep"}).release(table)
    assert released.index.tolist() == index.tolist()
    assert released.index.categories.tolist() == ["a", "b"]


def test_companions():
    table = people()
    specification = PrivacySpecification(changed("columns.member.within", "notes")).fit(table)
    for name in ("age", "wage"):
        assert specification.companion(name, table).equals(table["class"])
    assert specification.companion("score", table).equals(table["notes"])
    assert specification.companion("height", table) is None
    # A column that is called so comes before the class.
    other = {"class": "notes", "others": "keep", "columns": {"age": {"action": "shuffle", "within": "class"}}}
    assert PrivacySpecification(other).fit(table).companion("age", table).equals(table["class"])


def test_shuffling_within_the_class_keeps_the_gain_exactly():
    pima = load("pima")
    age = {"age": {"action": "shuffle", "within": "class"}}
    within = PrivacySpecification({"class": "class", "others": "keep", "columns": age})
    released = within.fit_transform(pima.X, pima.y)
    assert list(released) == list(pima.X)
    assert released.drop(columns="age").equals(pima.X.drop(columns="age"))
    gains = [
        gain(pd.factorize(ages)[0], pima.y.cat.codes.to_numpy()) for ages in (pima.X["age"], released["age"])
    ]
    assert gains == pytest.approx([0.140941, 0.140941], abs=1e-6)
    # Of new records the class is not known: they are shuffled over all.
    again = within.transform(pima.X)["age"]
    assert sorted(again) == sorted(pima.X["age"])
    assert gain(pd.factorize(again)[0], pima.y.cat.codes.to_numpy()) < 0.1


def test_few_new_records_are_not_shuffled():
    table = people()
    specification = PrivacySpecification(changed("k", 20)).fit(table)
    assert len(specification.transform(table[:20])) == 20
    with pytest.raises(
        ValueError, match="X has 19 records; expected at least 20, because column 'age' is shuffled"
    ):
        specification.transform(table[:19])
    kept = PrivacySpecification({"others": "keep"}).fit(table)
    assert kept.transform(table[:1]).equals(
        table[:1].assign(town=table["town"][:1].cat.remove_unused_categories())
    )
    with pytest.raises(NotFittedError):
        PrivacySpecification(sound()).transform(table)
    with pytest.raises(ValueError, match="feature names"):
        specification.transform(table.drop(columns="age"))


@pytest.mark.parametrize("action", ["keep", "drop", "shuffle"])
def test_columns_of_any_dtype_pass(action):
    table = people(60).assign(
        lists=[[place] for place in range(60)],
        mixed=[place if place % 2 else str(place) for place in range(60)],
        time=pd.to_timedelta(np.arange(60) % 7, "h"),
        bits=np.arange(60) % 2 == 0,
        empty=None,
        small=np.arange(60, dtype="int8") % 5,
        text=pd.array(["a", "b", None] * 20, dtype="string"),
        complex=np.ones(60) * 1j,
    )
    # One column at least must be released.
    entries = {name: {"action": action if name != "age" else "keep"} for name in table}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released = PrivacySpecification({"columns": entries}).release(table)
    assert list(released) == (["age"] if action == "drop" else list(table))
    assert len(released) == 60
    for name in released:
        assert released[name].dtype == table[name].dtype or name == "town"
        assert sorted(map(repr, released[name])) == sorted(map(repr, table[name]))


def test_arrays_in_arrays_out():
    X = np.random.default_rng(1).normal(size=(50, 3))
    specification = PrivacySpecification(
        {"others": "keep", "columns": {1: {"action": "shuffle"}, 2: {"action": "drop"}}}
    )
    released = specification.fit_transform(X)
    assert type(released) is np.ndarray
    assert released.shape == (50, 2)
    assert np.array_equal(released[:, 0], X[:, 0])
    assert sorted(released[:, 1]) == sorted(X[:, 1])
    assert specification.get_feature_names_out().tolist() == ["x0", "x1"]
    released[0, 0] = 9  # an array of one's own
    assert X[0, 0] != 9
    with pytest.raises(ValueError, match="X holds complex numbers; expected real ones") as caught:
        specification.fit(np.array([[4711j, 1]] * 9))
    assert "4711" not in str(caught.value)
    seen = specification.set_output(transform="pandas").fit_transform(X)
    assert list(seen) == ["x0", "x1"]


def test_it_stands_in_a_pipeline_and_can_be_cloned():
    pima = load("pima")
    # Seeded, because of some hundred shuffles one or two leave less than 0.7.
    columns = {"age": {"action": "shuffle", "within": "class"}}
    specification = PrivacySpecification({"others": "keep", "columns": columns}, random_state=1)
    model = make_pipeline(specification, DecisionTreeClassifier(max_depth=3)).fit(pima.X, pima.y)
    assert model.score(pima.X, pima.y) > 0.7
    copied = clone(specification)
    assert copied.specification == specification.specification
    assert copied.specification is not specification.specification


def numbers(n=300, seed=1):
    """Two columns with the same values."""
    values = np.random.default_rng(seed).integers(20, 80, n)
    return pd.DataFrame({"one": values, "two": values})


def noisy(random_state=None, action="add"):
    entry = {"action": action, "privacy": 1} if action == "add" else {"action": action}
    return PrivacySpecification({"columns": {"one": entry, "two": entry}}, random_state)


def test_a_seed_repeats_a_study_and_shares_no_noise():
    table = numbers()
    for action in ("add", "shuffle", "redraw"):
        first = noisy(3, action).release(table)
        assert first.equals(noisy(3, action).release(table))
        assert not first.equals(noisy(4, action).release(table))
        assert not first.equals(noisy(None, action).release(table))
        assert (first["one"] != first["two"]).mean() > 0.5
    # Another table, by one value alone, gets other noise.
    other = table.copy()
    other.loc[0, "one"] += 1
    moved = noisy(3).release(other) - noisy(3).release(table)
    assert (moved["two"] != 0).mean() > 0.9
    order = noisy(3, "shuffle").release(other), noisy(3, "shuffle").release(table)
    assert (order[0]["two"] != order[1]["two"]).mean() > 0.9
    generator = PrivacySpecification({"columns": {"one": {"action": "shuffle"}, "two": {"action": "drop"}}})
    released = [generator.set_params(random_state=np.random.default_rng(5)).release(table) for _ in range(2)]
    assert released[0].equals(released[1])


def test_copies_take_the_secure_source():
    table, others = numbers(), numbers(seed=2)
    fitted = noisy(3).fit(table)
    stored = pickle.dumps(fitted)
    first, second = pickle.loads(stored), pickle.loads(stored)
    copied = copy.deepcopy(fitted)
    expected = fitted.transform(others)
    assert first.transform(others).equals(expected)  # the first load goes on as the original would
    assert not second.transform(others).equals(expected)
    assert not copied.transform(others).equals(expected)


def test_a_seed_is_told():
    assert repr(noisy(3)).endswith("# seeded, for study only")
    assert "seeded, for study only" in noisy(3)._repr_html_()
    assert "seeded" not in repr(noisy()) + noisy()._repr_html_()
    assert noisy(3).fit(numbers()).notes_[0] == "The release is seeded, for study only."
    with pytest.raises(TypeError, match="random_state is 'x'; expected a whole number"):
        noisy("x").fit(numbers())


@pytest.mark.parametrize("values", ["numbers", "text", "dates"])
def test_an_order_of_rows_that_tells_is_warned_of(values):
    places = np.arange(400) // 10
    column = {
        "numbers": pd.Series(places),
        "text": pd.Series(places).map("{:03}".format),
        "dates": pd.Timestamp("2020-01-01") + pd.Series(pd.to_timedelta(places, "D")),
    }[values]
    table = pd.DataFrame({"a": column, "b": np.random.default_rng(1).permutation(places)})
    for action in ("shuffle", "redraw") if values == "numbers" else ("shuffle",):
        entries = {name: {"action": action} for name in "ab"}
        specification = PrivacySpecification({"columns": entries})
        with pytest.warns(PrivacyWarning) as caught:
            specification.release(table)
        told = "column 'a' goes with the row number: the place of a row tells of its true value, whatever is released; "
        assert [str(one.message) for one in caught] == [told + "give the rows a random order first"]
        assert specification.notes_[-1] == str(caught[0].message)
    PrivacySpecification({"others": "drop", "columns": {"a": {"action": "keep"}}}).release(table)
    # Nobody hides a sensitive column by dropping it if the rows lie in its order.
    gone = {"a": {"action": "drop", "sensitive": True}, "b": {"action": "keep"}}
    with pytest.warns(PrivacyWarning, match="column 'a' goes with the row number: the place of a row tells"):
        PrivacySpecification({"columns": gone}).release(table)


def test_a_second_release_is_warned_of_once():
    table = numbers()
    fitted = noisy().fit(table)
    fitted.transform(table)
    with pytest.warns(PrivacyWarning, match="the same table is released again, with new noise"):
        fitted.transform(table)
    fitted.transform(table)
    kept = PrivacySpecification({"others": "keep"}).fit(table)
    kept.transform(table)
    kept.transform(table)


def test_identifiers_that_are_kept_and_columns_that_become_constant_are_warned_of():
    table = people().assign(phone=np.arange(200))
    specification = PrivacySpecification({"others": "keep"})
    with pytest.warns(PrivacyWarning, match="column 'phone' is kept, and looks like an identifier: .*; drop it"):
        specification.fit(table)
    assert specification.notes_[0].startswith("column 'phone' is kept")
    PrivacySpecification({"others": "keep", "columns": {"phone": {"action": "drop"}}}).fit(table)
    for values in (np.arange(200) + 2**60, [[1]] * 200, [np.inf] * 200):
        with pytest.warns(PrivacyWarning, match="column 'phone' is kept, and looks like an identifier"):
            specification.fit(table.assign(phone=values))
    pima = load("pima")
    columns = {"pres": {"action": "discretise"}, "plas": {"action": "discretise"}}
    cut = PrivacySpecification({"others": "keep", "class": "class", "columns": columns})
    with pytest.warns(PrivacyWarning, match="column 'pres' becomes constant"):
        released = cut.fit_transform(pima.X, pima.y)
    assert [released[name].nunique() for name in ("pres", "plas")] == [1, 4]
    assert sum("column 'pres' becomes constant" in note for note in cut.notes_) == 1


TABLES = ["pima", "boston", "wbc", "votes", "adult"]


@pytest.mark.parametrize("name", TABLES)
def test_what_is_suggested_is_sound_and_keeps_what_is_not_sensitive(name, tmp_path):
    table = load(name)
    y = table.classes() if name == "boston" else table.y
    sensitive = [*table.sensitive][:6] or [table.X.columns[0], table.X.columns[-1]]
    found = PrivacySpecification.suggest(table.X, y, sensitive=sensitive)
    path = tmp_path / "suggested.toml"
    path.write_text(found.to_toml(), encoding="utf-8")
    read = PrivacySpecification(path, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # some tables are sorted
        released = read.release(table.X.join(y))
    for column, entry in read.settings_["columns"].items():
        assert entry["sensitive"] == (column in sensitive)
        assert entry["action"] in (("drop", "shuffle") if entry["sensitive"] else ("keep", "drop"))
        if entry["action"] == "keep" and column in table.X:
            assert released[column].astype(object).equals(table.X[column].astype(object))
    assert read.settings_["threshold"] == 0.6
    assert read.settings_["class"] == y.name
    # What is suggested is not refused for its k.
    shown = released[released.columns.intersection(read.settings_["known"])].astype(object).fillna("?")
    alike = shown.value_counts().min()
    assert read.settings_["k"] == (5 if alike >= 5 else None)
    comment = f"# k = 5 would need fewer or coarser known columns: now {alike} look alike at least"
    assert (found.to_toml().splitlines()[0] == comment) == (alike < 5)


def test_what_is_suggested_follows_figure_2():
    pima = load("pima")
    X = pima.X.assign(phone=np.arange(768), twin=pima.X["plas"])
    found = PrivacySpecification.suggest(X, pima.y, sensitive=["preg", "age", "phone"])
    columns = found.specification["columns"]
    assert columns["preg"] == {"sensitive": True, "action": "drop"}
    assert columns["age"] == {"sensitive": True, "action": "shuffle", "within": "class"}
    assert columns["phone"] == {"sensitive": True, "action": "drop"}
    assert {name for name, entry in columns.items() if entry["action"] == "keep"} == {*X} - {
        "preg",
        "age",
        "phone",
    }
    assert found.specification["known"] == [*X.columns.drop(["preg", "age", "phone"])]
    of_all, *reasons = [line for line in found.to_toml().splitlines() if line.startswith("#")]
    assert of_all == "# k = 5 would need fewer or coarser known columns: now 1 look alike at least"
    assert len(reasons) == len(X.columns)
    assert reasons[0] == "# sensitive and not relevant (gain 0.062)"
    assert "looks like an identifier" in reasons[list(X).index("phone")]
    assert "says nearly what 'plas' says" in reasons[list(X).index("twin")]
    # Of the classes of a number some have few records.
    boston = load("boston")
    found = PrivacySpecification.suggest(boston.X, boston.y, ["LSTAT"], known=["RM"])
    assert found.specification["columns"]["LSTAT"] == {"sensitive": True, "action": "shuffle"}
    assert found.specification["known"] == ["RM"]
    # Who says which columns are known may reach k; what is shuffled does not count.
    adult = load("adult", part="first10000")
    for known, k in ((["sex", "age"], 5), (["sex", "race", "age"], 5), (["sex", "native-country"], None)):
        found = PrivacySpecification.suggest(adult.X, adult.y, ["age"], known=known)
        assert (found.specification["known"], found.specification["k"]) == (known, k)
        assert ("k = 5 would" in found.to_toml()) == (k is None)
    found = PrivacySpecification.suggest(pima.X, pima.y, ["age"], measure="gain_after_cuts")
    assert found.specification["columns"]["age"] == {"sensitive": True, "action": "drop"}
    assert found.specification["relevance"] == {"measure": "gain_after_cuts", "threshold": 0.1}


def test_what_cannot_be_counted_is_dropped_with_the_reason():
    X, y = load("pima").X.copy(), load("pima").y
    X = X.assign(
        none=None, lists=[[1]] * 768, far=[np.inf, *range(767)], big=np.arange(768) + 2**60, secret=[[1]] * 768
    )
    found = PrivacySpecification.suggest(X, y, sensitive=["age", "secret"])
    columns, lines = found.specification["columns"], found.to_toml().splitlines()
    for name in ("none", "lists", "far", "big"):
        assert columns[name] == {"action": "drop"}
    assert columns["secret"] == {"action": "drop", "sensitive": True}
    for name, reason in {
        "none": "cannot be counted: column 'none' has no known value",
        "lists": "cannot be counted: column 'lists' has entries that cannot be told apart (unhashable type: 'list')",
        "far": "cannot be counted: column 'far' has 1 of 768 missing or infinite values (first at position 0)",
        "big": "looks like an identifier: 100% of its whole numbers are distinct",
    }.items():
        assert lines[lines.index(f"[columns.{name}]") - 1] == f"# {reason}"
    assert columns["age"] == {"sensitive": True, "action": "shuffle", "within": "class"}
    found.check(X, y)


def test_a_column_called_class_is_not_taken_for_a_class_without_a_name():
    X = load("pima").X.assign(**{"class": ["1st", "2nd", "3rd"] * 256})
    y = load("pima").y.to_numpy()
    found = PrivacySpecification.suggest(X, y, sensitive=["age"])
    assert found.specification["columns"]["age"] == {"sensitive": True, "action": "shuffle"}
    found = PrivacySpecification.suggest(X.drop(columns="class"), y, sensitive=["age"])
    assert found.specification["columns"]["age"]["within"] == "class"


@pytest.mark.parametrize(
    ("X", "sensitive", "told"),
    [
        ({"a": [1, 1, 2, 2]}, ["a"], "X has 4 records; expected at least 5"),
        ({"a": [0, 1, 2] * 20}, ["a"], "X has no column that could be released: all of them would be dropped"),
        ({"a": [None] * 60}, ["a"], "X has no column that could be released"),
        ({"a": [0, 1, 2] * 20}, ["a", "a"], "sensitive has 1 of 2 values that came before"),
    ],
)
def test_what_nobody_can_suggest_for_is_refused(X, sensitive, told):
    X = pd.DataFrame(X)
    with pytest.raises(ValueError, match=told):
        PrivacySpecification.suggest(X, [0, 1] * (len(X) // 2), sensitive)


def test_somebody_must_say_what_is_sensitive():
    pima = load("pima")
    with pytest.raises(
        ValueError, match="sensitive is empty; expected the columns that people want to keep private"
    ):
        PrivacySpecification.suggest(pima.X, pima.y, sensitive=[])
    with pytest.raises(ValueError, match="sensitive names 'agee'"):
        PrivacySpecification.suggest(pima.X, pima.y, sensitive=["agee"])


def test_every_action_is_named_in_the_docstring():
    assert [name for name in ACTIONS if name not in PrivacySpecification.__doc__] == []
