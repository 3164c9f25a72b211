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


def test_a_column_that_some_claim_fills_is_shown_and_saved(ledger, tmp_path):
    ledger.check("A5", "“Within 5 points”", "5.2 ± 0.2", "undecided", scope="at 100 %", overall=False)
    cells = Cells(ledger._repr_html_())
    assert cells.texts[:6] == ["claim", "the paper says", "where", "measured", "overall", "verdict"]
    assert cells.texts[-6:] == [
        "A5",
        "“Within 5 points”",
        "at 100 %",
        "5.2 ± 0.2",
        "does not hold",
        "≈ undecided",
    ]
    assert cells.texts[6:12] == ["A1", "The shape comes back", "", "total variation 0.06", "", "✓ holds"]
    ledger.save(tmp_path)
    other = Ledger("DZ03")
    other.check("D1", "It holds", 1, True, claimed="at least 0")
    other.save(tmp_path)
    found = Ledger.gather(tmp_path)
    assert list(found) == ["paper", "claim", "statement", "scope", "claimed", "measured", "overall", "verdict"]
    assert found.iloc[-2:, 3:7].to_numpy().tolist() == [
        ["at 100 %", "", "5.2 ± 0.2", "does not hold"],
        ["", "at least 0", "1", ""],
    ]


def test_a_ledger_of_something_else_names_its_column():
    claims = Ledger("JOINT", column="we set out to show")
    claims.check("J1", "It helps", 1, True)
    assert Cells(claims._repr_html_()).texts[1] == "we set out to show"
    with pytest.raises(ValueError, match="column is ''; expected text of one line"):
        Ledger("JOINT", column="")


@given(lines, lines)
def test_html_shows_any_text_as_text(statement, measured):
    claims = Ledger("AS00")
    claims.check("A1", statement, measured, True)
    cells = Cells(claims._repr_html_())
    assert cells.texts[4:] == ["A1", statement, measured, "✓ holds"]
    assert set(cells.tags) == {"table", "caption", "thead", "tbody", "tr", "th", "td"}


@given(
    st.lists(
        st.tuples(lines, lines | st.none(), st.sampled_from([True, False, "partly", "undecided", None])),
        min_size=1,
        max_size=5,
    )
)
def test_a_saved_ledger_reads_back(tmp_path_factory, rows):
    claims = Ledger("IB03")
    for place, (statement, measured, holds) in enumerate(rows):
        claims.check(f"I{place}", statement, measured or ("?" if holds is not None else None), holds)
    path = claims.save(tmp_path_factory.mktemp("results"))
    pd.testing.assert_frame_equal(Ledger.gather(path.parent), claims.to_frame())
    cells = pd.read_csv(path, dtype=str, keep_default_na=False).to_numpy().ravel()
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


def test_no_cell_of_a_file_is_a_formula(tmp_path):
    claims = Ledger("AS00")
    claims.check("A1", "=HYPERLINK(1)", "-3 points", True)
    claims.check("A2", "'quoted'", "@once", True)
    lines = claims.save(tmp_path).read_text(encoding="utf-8").splitlines()
    assert lines[1:] == ["AS00,A1,'=HYPERLINK(1),'-3 points,holds", "AS00,A2,''quoted','@once,holds"]
    assert Ledger.gather(tmp_path)["statement"].tolist() == ["=HYPERLINK(1)", "'quoted'"]


@pytest.mark.parametrize("sign", list("=+-@＝＋－＠'"))
@pytest.mark.parametrize("before", ["", " ", "   ", "\u3000", "\xa0"])
def test_what_a_spreadsheet_takes_for_a_formula_is_defused_and_read_back(sign, before, tmp_path):
    text = f'{before}{sign}HYPERLINK("http://x", 1)'
    claims = Ledger("AS00")
    claims.check("A1", text, text, True)
    path = claims.save(tmp_path)
    cells = pd.read_csv(path, dtype=str).loc[0, ["statement", "measured"]].tolist()
    assert cells == [f"'{text}"] * 2
    pd.testing.assert_frame_equal(Ledger.gather(tmp_path), claims.to_frame())


@pytest.mark.parametrize("sign", ["\n", "\r", "\t", "\x00", "\x0b", "\x1b[2J", "\x85", "\u2028", "\ud800"])
@pytest.mark.parametrize("place", ["{}=1", "a{}b", "a{}"])
def test_signs_that_break_a_line_or_command_a_terminal_are_refused(sign, place, tmp_path):
    claims = Ledger("AS00")
    for statement, measured in ((place.format(sign), "1"), ("It holds", place.format(sign))):
        with pytest.raises(ValueError, match="expected text of one line"):
            claims.check("A1", statement, measured, True)
    assert len(claims) == 0


def test_a_ledger_that_holds_such_signs_is_refused(ledger, tmp_path):
    path = ledger.save(tmp_path)
    saved = path.read_text(encoding="utf-8")
    for sign in ("\t", "\x1b", "\x7f"):
        path.write_text(saved.replace("The shape", f"The{sign}shape"), encoding="utf-8")
        with pytest.raises(ValueError, match="holds no ledger"):
            Ledger.gather(tmp_path)
    path.write_text(saved.replace("The shape comes back", '"The shape\ncomes back"'), encoding="utf-8")
    with pytest.raises(ValueError, match="holds no ledger"):
        Ledger.gather(tmp_path)


def test_a_ledger_is_written_whole_or_not_at_all(ledger, tmp_path, monkeypatch):
    path = ledger.save(tmp_path)
    saved = path.read_bytes()
    ledger.check("A5", "Another claim", 1, True)

    def fails(number):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="no space left"):
        ledger.save(tmp_path)
    assert path.read_bytes() == saved
    assert len(Ledger.gather(tmp_path)) == 4


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
    with pytest.raises(
        ValueError, match=r"claim 'A1' is in the ledger already; expected each claim once .*new Ledger"
    ):
        ledger.check("A1", "Again", 1, True)
    assert len(ledger) == 4


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"claim": ""}, ValueError, "claim is ''; expected letters, digits and hyphens, as in 'A5'"),
        ({"claim": "A 5"}, ValueError, "claim is 'A 5'"),
        ({"claim": 5}, TypeError, "claim is 5"),
        ({"statement": " "}, ValueError, "statement is ' '; expected text of one line"),
        ({"statement": "a\nb"}, ValueError, "expected text of one line"),
        ({"statement": None}, TypeError, "statement is None"),
        ({"measured": ""}, ValueError, "measured is ''"),
        ({"measured": "a\r\nb"}, ValueError, "expected text of one line"),
        ({"measured": float("nan")}, ValueError, "measured is nan; expected a finite number"),
        ({"measured": True}, TypeError, "measured is True"),
        ({"measured": [1]}, TypeError, "measured is "),
        ({"measured": None}, ValueError, "measured is None, but holds is True"),
        (
            {"measured": None, "holds": None, "overall": False},
            ValueError,
            "measured is None, but overall is False",
        ),
        ({"statement": "\u202ea"}, ValueError, "expected text of one line"),
        (
            {"holds": 1},
            ValueError,
            "holds is 1; expected one of True, False, 'partly', 'undecided', None; None means: not measured",
        ),
        ({"holds": "holds"}, ValueError, "holds is 'holds'"),
        ({"holds": np.array([True])}, ValueError, "holds is .*; expected one of True"),
        ({"overall": "yes"}, ValueError, "overall is 'yes'; expected one of True"),
        ({"everywhere": 0}, ValueError, "everywhere is 0; expected one of True"),
        ({"scope": "25 %\n50 %"}, ValueError, "scope is .*; expected text of one line"),
        ({"claimed": 5}, TypeError, "claimed is 5; expected text of one line"),
    ],
)
def test_bad_rows_are_refused(change, error, message):
    claims = Ledger("AS00")
    with pytest.raises(error, match=message):
        claims.check(**{"claim": "A5", "statement": "It holds", "measured": 1, "holds": True, **change})
    assert len(claims) == 0


@pytest.mark.parametrize("paper", ["", "AS 00", "../AS00", None, 3])
def test_bad_names_are_refused(paper):
    with pytest.raises((ValueError, TypeError), match=r"paper is .*; expected letters, digits and hyphens"):
        Ledger(paper)


def test_an_empty_ledger_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="the ledger AS00 is empty; expected at least one checked claim"):
        Ledger("AS00").save(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,2\n", b"", ",".join(COLUMNS).encode() + b"\nAS00,A1,x,1,perhaps\n", b"\xff\xfe\x00"],
    ids=["other columns", "empty", "another verdict", "no text"],
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "ledger-AS00.csv").write_bytes(content)
    with pytest.raises(
        ValueError, match=r"ledger-AS00.csv holds no ledger; expected a file that Ledger.save wrote"
    ):
        Ledger.gather(tmp_path)


@pytest.mark.parametrize("column", ["overall", "everywhere"])
def test_a_ledger_with_another_answer_is_refused(ledger, tmp_path, column):
    ledger.check("A6", "It holds", 1, True, **{column: True})
    path = ledger.save(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("holds,holds", "perhaps,holds"), encoding="utf-8")
    with pytest.raises(ValueError, match="holds no ledger"):
        Ledger.gather(tmp_path)


def test_folders_are_paths(ledger):
    for call in (ledger.save, Ledger.gather):
        with pytest.raises(TypeError, match="folder is an int; expected a path"):
            call(5)


def test_an_empty_folder_is_said_to_be_empty(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no ledger; run the notebooks"):
        Ledger.gather(tmp_path)
