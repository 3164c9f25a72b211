"""Files that are whole or not there; CSV that goes in and comes out with the text of its cells, beside Python's csv."""

import csv
import errno
import io
import os
import signal
import stat
import subprocess
import sys

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm import checks, files
from ppdm.files import read_csv

# What makes CSV hard: its own signs, ends of lines, numbers, what looks missing, other scripts.
PIECES = [
    "",
    ",",
    ";",
    '"',
    "\n",
    "\r",
    "\r\n",
    " ",
    "a",
    "0.10",
    "007",
    "NA",
    "?",
    "ä",
    "数",
    "😀",
    "-1e5",
    "=1+1",
    "None",
]
CELLS = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


@pytest.fixture
def opened(tmp_path):
    """A table from the bytes of a file."""

    def opened(content, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_csv(path, **options)[0]

    return opened


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# Drafts


def test_files_are_synced_before_and_after_they_get_their_name(tmp_path, monkeypatch):
    events = []
    sync, replace = os.fsync, files.Path.replace
    monkeypatch.setattr(
        os, "fsync", lambda number: events.append(stat.S_ISDIR(os.fstat(number).st_mode)) or sync(number)
    )
    monkeypatch.setattr(files.Path, "replace", lambda a, b: events.append("renamed") or replace(a, b))
    files.write(tmp_path / "a.json", "ä\n")
    assert (tmp_path / "a.json").read_bytes() == "ä\n".encode()
    assert events == [False, "renamed", True]  # the file, its name, and the folder that keeps the name
    assert names(tmp_path) == ["a.json"]


def test_all_files_are_synced_before_the_first_is_renamed_in_the_order_given(tmp_path, monkeypatch):
    events = []
    sync, replace = os.fsync, files.Path.replace
    monkeypatch.setattr(os, "fsync", lambda number: events.append("synced") or sync(number))
    monkeypatch.setattr(files.Path, "replace", lambda a, b: events.append(b.name) or replace(a, b))
    with files.drafts(tmp_path / "report", tmp_path / "data") as drafts:
        for draft in drafts:
            draft.write_text("new")
        assert events == []
    assert [event for event in events if event != "synced"] == ["report", "data"]
    assert events[:3] == ["synced", "synced", "report"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_an_error_leaves_the_old_files_and_no_draft(tmp_path, error):
    (tmp_path / "a").write_text("old")

    def work():
        with files.drafts(tmp_path / "a", tmp_path / "b") as drafts:
            drafts[0].write_text("half")
            raise error

    with pytest.raises(error):
        work()
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_folder_that_takes_no_files_is_noticed_before_the_work(tmp_path):
    with pytest.raises(OSError), files.drafts(tmp_path / "a", tmp_path / "none" / "b"):  # noqa: PT011
        pytest.fail("the work began")
    assert names(tmp_path) == []


def late(folder, monkeypatch, seen):
    """Make two files without replacing any; "b" is made by somebody else before that is looked at, or after."""
    with files.drafts(folder / "a", folder / "b", replace=False) as drafts:
        for draft in drafts:
            draft.write_text("new")
        if seen:
            (folder / "b").write_text("theirs")
        else:
            monkeypatch.setattr(os.path, "lexists", lambda _: (folder / "b").write_text("theirs") == 0)


@pytest.mark.parametrize("seen", [True, False])
def test_what_somebody_else_made_meanwhile_is_not_replaced(tmp_path, monkeypatch, seen):
    with pytest.raises(FileExistsError, match="b was made by another program meanwhile; expected a name"):
        late(tmp_path, monkeypatch, seen)
    assert (tmp_path / "b").read_text() == "theirs"
    # All targets are looked at before the first is made.
    assert names(tmp_path) == (["b"] if seen else ["a", "b"])


@pytest.mark.skipif(os.name != "posix", reason="elsewhere links need permission")
def test_a_link_that_leads_nowhere_is_not_replaced_either(tmp_path):
    def work():
        with files.drafts(tmp_path / "a", replace=False):
            (tmp_path / "a").symlink_to("nowhere")

    with pytest.raises(FileExistsError):
        work()
    assert (tmp_path / "a").is_symlink()


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_is_made_with_and_without_links(tmp_path, monkeypatch, links):
    def link(*_):
        raise PermissionError

    if not links:
        monkeypatch.setattr(os, "link", link)
    files.write(tmp_path / "a", "text", replace=False)
    assert (tmp_path / "a").read_text() == "text"
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").stat().st_nlink == 1


def test_results_replace_what_somebody_else_made_meanwhile(tmp_path):
    """As those of a sweep do, which another process computes as well."""
    with files.drafts(tmp_path / "a") as [draft]:
        draft.write_text("new")
        (tmp_path / "a").write_text("theirs")
    assert (tmp_path / "a").read_text() == "new"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_told_with_the_files(tmp_path, number):
    def work():
        with files.drafts(tmp_path / "a", tmp_path / "b"):
            raise OSError(number, os.strerror(number))

    with pytest.raises(OSError) as caught:  # noqa: PT011
        work()
    told = f"{tmp_path / 'a'}, {tmp_path / 'b'}"
    assert caught.value.filename == (None if number == errno.EIO else told)


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_what_the_umask_leaves(tmp_path, umask):
    before = os.umask(umask)
    try:
        files.write(tmp_path / "a", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o440])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    """While the new one is made nobody else may read it, whatever the umask says."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(mode)
    before = os.umask(0o022)
    try:
        with files.drafts(tmp_path / "a") as [draft]:
            draft.write_text("new")
            assert stat.S_IMODE(draft.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert (tmp_path / "a").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


KILLED = """
import os, signal, sys
from pathlib import Path
from ppdm import files

folder, stop = Path(sys.argv[1]), int(sys.argv[2])
steps = 0

def counted(function):
    def call(*arguments):
        global steps
        steps += 1
        if steps == stop:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments)
    return call

os.fsync, Path.replace = counted(os.fsync), counted(Path.replace)
with files.drafts(folder / "report", folder / "data") as drafts:
    for draft in drafts:
        draft.write_text("new")
"""


@pytest.mark.skipif(os.name != "posix", reason="only POSIX kills like this")
@pytest.mark.parametrize(("stop", "found"), [(1, "old old"), (3, "old old"), (5, "new old"), (7, "new new")])
def test_a_kill_leaves_each_file_old_or_new(tmp_path, stop, found):
    for name in ("report", "data"):
        (tmp_path / name).write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path, str(stop)], check=False, timeout=60)
    # Six steps: two syncs of files, then twice a name and the sync of its folder.
    assert done.returncode == (-signal.SIGKILL if stop < 7 else 0)
    assert " ".join((tmp_path / name).read_text() for name in ("report", "data")) == found


# CSV


@pytest.mark.filterwarnings("ignore:column")
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5)
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
    st.integers(0, 2),
)
def test_cells_keep_their_text_whatever_it_is(tmp_path_factory, records, sep, newline, quoting, bom, blank):
    """Read as Python's csv reads them, and read again from what is written; blank lines at the end are nothing."""
    header = [f"{place} ä{sep}" for place in range(len(records[0]))]
    text = io.StringIO(newline="")
    # A line end of two signs has cells quoted that hold one of them, which Python's csv would forget.
    ends = "\r\n" if quoting == csv.QUOTE_MINIMAL else newline
    csv.writer(text, delimiter=sep, lineterminator=ends, quoting=quoting).writerows([header, *records])
    content = ("\ufeff" * bom + text.getvalue() + blank * newline).encode()
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_bytes(content)
    _, found, manner = read_csv(path, sep)
    expected = pd.DataFrame(records, columns=header, dtype="str")
    pd.testing.assert_frame_equal(found, expected)
    found.to_csv(path, index=False, **manner)
    assert path.read_bytes().startswith("\ufeff".encode()) == bom
    pd.testing.assert_frame_equal(read_csv(path, sep)[1], expected)


def test_columns_of_numbers_are_numbers_and_the_others_keep_what_looks_missing(opened):
    named = {"b": "generalise", "m": "replace", "n": "shuffle"}
    table = opened(
        'n,x,t,b,e,m\n1,0.10,007a,True,,01\n2,?,NA,False,,2\n"3",NA,?,True,,3\n', actions=named, others=None
    )
    assert table["n"].tolist() == [1, 2, 3]
    assert table["n"].dtype == int
    assert table["x"].iloc[0] == 0.1
    assert table["x"].isna().tolist() == [False, True, True]
    assert table["t"].tolist() == ["007a", "NA", "?"]
    assert table["b"].tolist() == ["True", "False", "True"]
    assert table["e"].tolist() == ["", "", ""]  # nothing is known: neither number nor missing
    assert table["m"].tolist() == ["01", "2", "3"]  # its specification names values as the file has them


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(opened, newline):
    content = 'a,b\n1,2\n3,"4 \n 5"\n\n\n'.replace("\n", newline)
    assert opened(content)["b"].tolist() == ["2", f"4 {newline} 5"]


@pytest.mark.parametrize(
    ("content", "expected"),
    {
        "": "holds no records",
        "a,b\n": "holds no records",
        "a,b\n\n": "holds no records",
        "a,b\n1,2\n3\n": r"line 3 has a wrong number of cells \(1\); expected as many cells as line 1 has: 2",
        "a,b\n1,2\n3,4,5\n6,7\n": r"line 3 has a wrong number of cells \(3\)",
        'a,b\n"1\n1",2\n3\n': r"line 4 has a wrong number of cells \(1\)",
        "a,b\n1,2\n\n3,4\n": "line 3 is blank; expected as many cells as line 1 has: 2",
        "a,b\r\n1,2\r\n\r\n\r\n3,4\r\n": "line 3 is blank; expected as many cells as line 1 has: 2",
        "a\n1\n\n2\n": "line 3 is blank; expected as many cells as line 1 has: 1",
        "a,b\n1,2\n \n": "line 3 has a wrong number of cells",
        "a,b,a\n1,2,3\n": "line 1 has no name of its own for column 3; expected one",
        "a, ,c\n1,2,3\n": "line 1 has no name of its own for column 2; expected one",
        'a,b\n1,2\n3,"4\n': "line 3 is no CSV .*expected pairs of quotation marks around whole cells",
        'a,b,c\n1,"5" wide,x\n2,6,x\n': "line 2 is no CSV .*quotation marks around whole cells",
        "a,b\n1,2\n3,ä\n".encode(
            "latin-1"
        ): "line 3 is no text in UTF-8; expected UTF-8: .* iconv -f CP1252 -t UTF-8",
        "a,b\n1,2\n".encode("utf-16"): "line 1 is no text in UTF-8; expected UTF-8: .* iconv -f UTF-16 -t UTF-8",
        "a,b\n1,2\n".encode("utf-16-le"): "line 1 holds a zero byte; expected UTF-8: .* iconv -f UTF-16",
        "a,b\n1,2\n3,\0\n": "line 3 holds a zero byte; expected UTF-8",
        "\na,b\n1,2\n": "line 1 is blank; expected the names of the columns",
        "\ufeff\na,b\n1,2\n": "line 1 is blank; expected the names of the columns",
        "a;b\n1;2\n": 'line 1 has a single cell; expected several; is it --sep ";"\\?',
        "a\tb\n1,5\t2\n": 'line 1 has a single cell; expected several; is it --sep "tab"\\?',
        '"a"|"b"\n"1"|"2"\n': 'line 1 is no CSV .*around whole cells; is it --sep "\\|"\\?',
        "a,b;c;d\n1;2;3\n": 'line 2 has a wrong number .* line 1 has: 2; is it --sep ";"\\?',
        "a,b\n1;2;3\n": "line 2 has a wrong number of cells .* line 1 has: 2$",
    }.items(),
)
def test_what_is_no_table_is_told_with_its_line(opened, content, expected):
    with pytest.raises(ValueError, match=f"table.csv.*{expected}"):
        opened(content)


def test_a_cell_that_is_no_number_is_told_by_column_and_line_alone(opened):
    content = 'who,age\n"A\nB",30\nC,?\nD,secret4711\nE,41\nF,\nG,oops\nH,50\n'
    assert opened(content)["age"].tolist()[2] == "secret4711"
    told = r"line 5 has no number in column 'age' \(records like this: 2\); expected numbers: correct or remove"
    with pytest.raises(ValueError, match=told) as caught:
        opened(content, actions={"age": "add"})
    assert "4711" not in str(caught.value)
    assert caught.value.__suppress_context__
    # Where most cells are text, the column is text: an action that needs numbers says so itself.
    assert opened(content, actions={"who": "add"})["who"].tolist()[0] == "A\nB"


SEVERAL = "column 'v' writes one number, or a missing value, in several ways; it is taken as text"


@pytest.mark.parametrize(
    "cells",
    ["7 07 8", "7 7.0 8", "7 7e0 8", "? NA 7", "0.5 ? NA", "9007199254740992 9007199254740993 0.5", "0 -0 1"],
)
def test_a_kept_column_of_one_number_in_several_ways_is_text(opened, cells):
    """The text is released, so it is what people are told apart by."""
    content = "\n".join(["v,w", *(f"{cell},1" for cell in cells.split())])
    for options in ({}, {"actions": {"v": "keep"}, "others": "drop"}):
        with pytest.warns(UserWarning, match=SEVERAL):
            assert opened(content, **options)["v"].tolist() == cells.split()
    # What is moved gets its text by chance; all else is released as numbers, or not at all.
    for action in ("shuffle", "add", "discretise", "drop", None):
        assert checks.is_number(opened(content, actions={"v": action})["v"].dtype)


def test_a_column_that_writes_each_number_in_one_way_is_numbers(opened):
    found = opened("v,w\n007,?\n1.50,2\n007,?\n1e3,2\n")
    assert found["v"].tolist() == [7, 1.5, 7, 1000]
    assert found["w"].isna().tolist() == [True, False] * 2


TEXTS = st.sampled_from(["0.1", "0.10", "1", "2", "?", ""])


@given(st.lists(TEXTS, min_size=1, max_size=20), st.data())
def test_a_shuffled_column_takes_its_text_along(tmp_path_factory, texts, data):
    """The cells of the file are moved, each to a place that has its value; none is lost, none is there twice."""
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_text("\n".join(["v,x", *(f"{v},1" for v in texts)]))
    true = read_csv(path, actions={"v": "shuffle"})[0]["v"]
    released = true.iloc[data.draw(st.permutations(range(len(texts))))].reset_index(drop=True)
    rows = files.origins(true, released)
    assert sorted(rows) == list(range(len(texts)))
    pd.testing.assert_series_equal(true.iloc[rows].reset_index(drop=True), released)


def test_several_ways_to_write_a_value_go_to_its_records_by_chance():
    """Else "0.10" would stay with the first records of 0.1. That 200 orders of ten are equal has no chance."""
    values = pd.Series([0.1] * 10)
    assert len({tuple(files.origins(values, values)) for _ in range(200)}) > 1


def test_a_single_column_needs_no_separator(opened):
    assert opened('"a;b"\n1\n')["a;b"].tolist() == [1]
    assert opened("a;b\n1;2\n", sep=";")["b"].tolist() == [2]


def test_parquet_without_pyarrow_is_told(monkeypatch, tmp_path):
    assert not files.is_parquet(tmp_path / "table.csv")
    monkeypatch.setattr(files, "find_spec", {}.get)
    with pytest.raises(
        ValueError,
        match=r"table.parquet needs the package pyarrow; expected CSV, or: pip install \"\.\[parquet\]\"",
    ):
        files.is_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(files, "find_spec", bool)
    assert files.is_parquet(tmp_path / "TABLE.PARQUET")
