"""Specifications as TOML: what is written is read again, by Python's own parser; what cannot be read is a fault."""

import math
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.disguise import PrivacySpecification, SpecificationError, toml

SCALARS = st.one_of(st.text(), st.integers(), st.booleans(), st.floats(allow_nan=False))
VALUES = st.one_of(SCALARS, st.lists(st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=4))
DOCUMENTS = st.recursive(
    st.dictionaries(st.text(), VALUES, max_size=4),
    lambda inner: st.dictionaries(st.text(), st.one_of(VALUES, inner), max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
def test_what_is_written_is_read_again(document):
    written = toml.text(document)
    assert tomllib.loads(written) == toml.parse(written.encode()) == document
    assert all(line.isprintable() for line in written.splitlines())


@pytest.mark.parametrize(
    "text", ["a.b." * 40, "\r\n", '"""', "\\u0041", "\x7f\x00", "\u202e", "'", "# x", "é🙂", "\u2028"]
)
def test_odd_texts_stay_as_they_are(text):
    document = {text: text, "list": [text, [text]], "table": {text: {text: text}}}
    assert toml.parse(toml.text(document).encode()) == document


def test_numbers_of_numpy_are_written_and_none_is_left_out():
    document = {
        "a": np.float64(0.1),
        "b": np.array([1, 2]),
        "c": (True, np.bool_(False)),
        "d": None,
        "e": {"f": None},
    }
    assert toml.text(document) == "a = 0.1\nb = [1, 2]\nc = [true, false]\n\n[e]"
    assert math.isnan(toml.parse(toml.text({"a": math.nan}).encode())["a"])


@pytest.mark.parametrize(
    ("document", "error", "told"),
    [
        ({1: 2}, TypeError, "specification names 1, which TOML cannot; expected names that are text"),
        ({"a": {("b", 1): 2}}, TypeError, "specification names"),
        ({"a": [None]}, TypeError, "specification holds a NoneType; expected text, numbers"),
        ({"a": 1j}, TypeError, "specification holds a complex"),
        ({"a": "\ud800"}, ValueError, "half of a character"),
        ({"\ud800": "a"}, ValueError, "half of a character"),
    ],
)
def test_what_toml_cannot_say_is_refused(document, error, told):
    with pytest.raises(error, match=told):
        toml.text(document)


def test_comments_stand_before_their_tables():
    written = toml.text({"a": {"b": {"c": 1}, "d": {}}}, {("a", "b"): "why b", ("a", "d"): "why d"})
    assert written == "# why b\n[a.b]\nc = 1\n\n# why d\n[a.d]"


@pytest.mark.parametrize(
    ("data", "where", "seen"),
    [
        (b"k = 5\nk = 6\n", "line 2", "no TOML (Cannot overwrite a value)"),
        (b"[columns.age]\n[columns.age]\nx = 1", "line 2", "no TOML (Cannot declare ('columns', 'age') twice)"),
        (b"a = 1\n\nb =", "line 3", "no TOML (Invalid value)"),
        (b"a = 1\n\nb = 'x", "line 3", 'no TOML (Expected "\'")'),
        (b"a = \xff", "specification", "no text in UTF-8, from byte 4 on"),
        (b"#" * 1_000_001, "specification", "longer than 1,000,000 bytes"),
        (b"a." * 21 + b"a = 1", "specification", "TOML with more than 20 dots in a row"),
        (b"x = {" + b"'a'." * 100_000 + b"a = 1}", "specification", "TOML with more than 20 dots in a row"),
        (b"a = " + b"[" * 100_000, "specification", "TOML with brackets within brackets, too many to be read"),
        (b"a = " + b"9" * 10_000, "line 1", "no TOML ("),
    ],
)
def test_what_is_no_toml_is_a_fault_with_its_line(data, where, seen, tmp_path):
    fault = toml.parse(data)
    assert (fault.where, fault.seen[: len(seen)]) == (where, seen)
    assert str(fault).isprintable()
    path = tmp_path / "specification.toml"
    path.write_bytes(data)
    table = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(SpecificationError) as caught:
        PrivacySpecification(path).fit(table)
    assert caught.value.faults == [fault]
    with pytest.raises(SpecificationError):
        PrivacySpecification(str(path)).to_toml()


def test_only_of_repeated_names_it_is_said_that_each_comes_once():
    assert toml.parse(b"k = 5\nk = 6").expected == "TOML, each name once"
    assert toml.parse(b"[a]\n[a]").expected == "TOML, each name once"
    assert toml.parse(b"k =").expected == "TOML"


def test_names_of_many_parts_over_and_over_are_read():
    """The parser's worst, within the limits: a second. Without them a single name could take hours, and all memory."""
    line = b".".join([b"a"] * 20) + b"%d = 1\n"
    data = b"".join(line % place for place in range(1_000_000 // (len(line) + 5)))
    assert isinstance(toml.parse(data), dict)


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert toml.parse(b"\xef\xbb\xbfk = 5") == {"k": 5}


NAMES = st.text(min_size=1, max_size=12)
SHARES = st.floats(0.05, 1)
ENTRIES = st.one_of(
    st.fixed_dictionaries({"action": st.just("keep")}, optional={"tolerance": st.floats(0, 1e9)}),
    st.fixed_dictionaries(
        {"action": st.sampled_from(["drop", "shuffle"])},
        optional={"sensitive": st.booleans(), "threshold": SHARES, "tolerance": st.integers(0, 9)},
    ),
    st.fixed_dictionaries({"action": st.just("shuffle"), "within": st.just("class")}),
    st.fixed_dictionaries(
        {"action": st.just("add"), "privacy": SHARES, "noise": st.sampled_from(["uniform", "gaussian"])}
    ),
    st.fixed_dictionaries({"action": st.just("multiply"), "sd": st.floats(0.2, 0.5)}),
    st.fixed_dictionaries(
        {
            "action": st.just("discretise"),
            "method": st.sampled_from(["width", "frequency"]),
            "intervals": st.integers(1, 9),
        },
        optional={"min_group": st.integers(1, 5), "label": st.sampled_from(["interval", "code"])},
    ),
    st.fixed_dictionaries(
        {"action": st.just("discretise"), "method": st.just("cuts"), "cuts": st.just([20, 30.5])}
    ),
    st.fixed_dictionaries(
        {
            "action": st.just("generalise"),
            "groups": st.dictionaries(NAMES, st.just([10, 11.0]), min_size=1, max_size=1),
        }
    ),
)
WHOLE = st.fixed_dictionaries(
    {"others": st.sampled_from(["keep", "drop"])},
    optional={
        "threshold": SHARES,
        "k": st.integers(2, 9),
        "relevance": st.just({"measure": "gini", "threshold": 0.2}),
    },
)


@settings(max_examples=60, deadline=None)
@given(WHOLE, st.dictionaries(NAMES, ENTRIES, max_size=4), st.lists(NAMES, max_size=2, unique=True), st.data())
def test_any_specification_that_validates_can_be_kept_in_a_file(whole, entries, others, data):
    values = np.arange(60) * 7 % 30 + 10.0
    names = list(dict.fromkeys([*entries, *others, "class"]))
    table = pd.DataFrame(dict.fromkeys(names, values)).assign(**{"class": values > 25})
    if all(
        entries.get(name, {"action": whole["others"]})["action"] == "drop" for name in names if name != "class"
    ):
        names.append("x")
        table["x"], entries["x"] = values, {"action": "keep"}  # one column at least is released
    entries.pop("class", None)
    known = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    document = {**whole, "class": "class", "known": known, "columns": entries}
    specification = PrivacySpecification(document)
    specification.check(table)
    read = PrivacySpecification(toml.parse(specification.to_toml().encode()))
    assert read.specification == document
    assert read.to_toml() == specification.to_toml()
