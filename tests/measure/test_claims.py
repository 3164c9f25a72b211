"""The ledger: what is recorded is what is shown, saved and read again."""

import html.parser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.measure import Ledger

COLUMNS = ["paper", "claim", "statement", "measured", "verdict"]
lines = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1).filter(
    str.strip
)


@pytest.fixture
def ledger():
    claims = Ledger("AS00")
    claims.check("A1", "The shape comes back", "total variation 0.06", True)
    claims.check("A2", "No strategy loses more than 5 points", 7.125, np.bool_(False))
    claims.check("A3", "ByClass & Local < Global", 32561, "partly")
    claims.check("A4", "Local takes longest", None, None)
    return claims


def test_text(ledger):
    assert repr(ledger).splitlines() == [
        "Ledger AS00 (holds: 1, does not hold: 1, partly: 1, not measured: 1)",
        "✓ A1 holds: The shape comes back (measured: total variation 0.06)",
        "✗ A2 does not hold: No strategy loses more than 5 points (measured: 7.125)",
        "◐ A3 partly: ByClass & Local < Global (measured: 32561)",
        "– A4 not measured: Local takes longest",
    ]
    assert repr(Ledger("DZ03")) == "Ledger DZ03 (no claims yet)"
    assert len(ledger) == 4


def test_a_check_shows_its_row():
    row = Ledger("AS00").check("A1", "The shape comes back", 1 / 3, True)
    assert repr(row) == "✓ A1 holds: The shape comes back (measured: 0.3333)"


def test_frame(ledger):
    frame = ledger.to_frame()
    assert list(frame.columns) == COLUMNS
    assert frame["verdict"].tolist() == ["holds", "does not hold", "partly", "not measured"]
    assert frame["measured"].tolist() == ["total variation 0.06", "7.125", "32561", ""]
    assert list(Ledger("AS00").to_frame().columns) == COLUMNS


class Cells(html.parser.HTMLParser):
    """The texts of the cells of a table, its tags in order, and what is open at the end."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.tags, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, _attrs):
        self.tags.append(tag)
        self.open.append(tag)
        if tag in ("td", "th"):
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.texts[-1] += data


def test_html_says_in_words_and_symbols_what_the_colours_say(ledger):
    cells = Cells(ledger._repr_html_())
    assert cells.open == []
    assert cells.texts[:4] == ["claim", "the paper says", "measured", "verdict"]
    assert cells.texts[7::4] == ["✓ holds", "✗ does not hold", "◐ partly", "– not measured"]
    assert cells.texts[12:15] == ["A3", "ByClass & Local < Global", "32561"]


@given(lines, lines)
def test_html_shows_any_text_as_text(statement, measured):
    claims = Ledger("AS00")
    claims.check("A1", statement, measured, True)
    cells = Cells(claims._repr_html_())
    assert cells.texts[4:] == ["A1", statement, measured, "✓ holds"]
    assert set(cells.tags) == {"table", "caption", "thead", "tbody", "tr", "th", "td"}


@given(
    st.lists(
        st.tuples(lines, lines | st.none(), st.sampled_from([True, False, "partly", None])), min_size=1, max_size=5
    )
)
def test_a_saved_ledger_reads_back(tmp_path_factory, rows):
    claims = Ledger("IB03")
    for place, (statement, measured, holds) in enumerate(rows):
        claims.check(f"I{place}", statement, measured or ("?" if holds is not None else None), holds)
    path = claims.save(tmp_path_factory.mktemp("results"))
    again = Ledger.load(path)
    assert repr(again) == repr(claims)
    assert again.save(path.parent / "again").read_bytes() == path.read_bytes()


def test_the_file(ledger, tmp_path):
    path = ledger.save(tmp_path / "new")
    assert path == tmp_path / "new" / "ledger-AS00.csv"
    assert path.read_bytes().decode().split("\n")[:2] == [
        "paper,claim,statement,measured,verdict",
        "AS00,A1,The shape comes back,total variation 0.06,holds",
    ]


def test_gather(ledger, tmp_path):
    other = Ledger("DZ03")
    other.check("D1", "NA", "None", True)
    other.save(tmp_path)
    ledger.save(tmp_path)
    (tmp_path / "accuracy.csv").write_text("a\n1\n")
    pd.testing.assert_frame_equal(
        Ledger.gather(tmp_path), pd.concat([ledger.to_frame(), other.to_frame()], ignore_index=True)
    )


def test_a_claim_is_recorded_once(ledger):
    with pytest.raises(ValueError, match=r"claim 'A1' is in the ledger already; expected each claim once .*new Ledger"):
        ledger.check("A1", "Again", 1, True)
    assert len(ledger) == 4


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"claim": ""}, ValueError, "claim is ''; expected letters, digits and hyphens, as in 'A5'"),
        ({"claim": "A 5"}, ValueError, "claim is 'A 5'"),
        ({"claim": 5}, ValueError, "claim is 5"),
        ({"statement": " "}, ValueError, "statement is ' '; expected text of one line"),
        ({"statement": "a\nb"}, ValueError, "expected text of one line"),
        ({"statement": None}, TypeError, "statement is None"),
        ({"measured": ""}, ValueError, "measured is ''"),
        ({"measured": "a\r\nb"}, ValueError, "expected text of one line"),
        ({"measured": float("nan")}, ValueError, "measured is nan; expected a finite number"),
        ({"measured": True}, TypeError, "measured is True"),
        ({"measured": [1]}, TypeError, r"measured is \[1\]"),
        ({"measured": None}, ValueError, "measured is None, but holds is True"),
        ({"holds": 1}, ValueError, "holds is 1; expected one of True, False, 'partly', None; None means: not measured"),
        ({"holds": "holds"}, ValueError, "holds is 'holds'"),
        ({"holds": np.array([True])}, ValueError, "holds is array"),
    ],
)
def test_bad_rows_are_refused(change, error, message):
    claims = Ledger("AS00")
    with pytest.raises(error, match=message):
        claims.check(**{"claim": "A5", "statement": "It holds", "measured": 1, "holds": True, **change})
    assert len(claims) == 0


@pytest.mark.parametrize("paper", ["", "AS 00", "../AS00", None, 3])
def test_bad_names_are_refused(paper):
    with pytest.raises(ValueError, match=r"paper is .*; expected letters, digits and hyphens"):
        Ledger(paper)


def test_an_empty_ledger_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="the ledger AS00 is empty; expected at least one checked claim"):
        Ledger("AS00").save(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "holds no ledger; expected a file that Ledger.save wrote"),
        ("", "path is .*, which holds no ledger"),
        (",".join(COLUMNS) + "\n", "holds no ledger"),
        (",".join(COLUMNS) + "\nAS00,A1,x,1,holds\nDZ03,A2,x,1,holds\n", "holds no ledger"),
        (",".join(COLUMNS) + "\nAS00,A1,x,1,perhaps\n", "the verdict on A1 in .* is 'perhaps'"),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "ledger-AS00.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        Ledger.load(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "ledger-AS00.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"path is .*, which holds no ledger"):
        Ledger.load(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ledger: ledger.save(None), "folder is None; expected a path"),
        (lambda _: Ledger.load(5), "path is 5; expected a path"),
        (lambda _: Ledger.gather(None), "folder is None"),
    ],
)
def test_paths_are_paths(ledger, call, message):
    with pytest.raises(TypeError, match=message):
        call(ledger)


def test_an_empty_folder_is_said_to_be_empty(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no ledger; run the notebooks"):
        Ledger.gather(tmp_path)
