"""The command: what it writes and what it leaves alone, its exit status, and that nothing it says shows a value."""

import csv
import errno
import hashlib
import os
import re
import signal
import subprocess
import sys
import tomllib
import warnings
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from ppdm import __main__ as command
from ppdm import files
from ppdm.data import load
from ppdm.disguise import PrivacySpecification, PrivacyWarning

# The command tells warnings, and goes on.
pytestmark = pytest.mark.filterwarnings("always:column:UserWarning", "always::ppdm.disguise.PrivacyWarning")

ROOT = Path(__file__).resolve().parents[1]
SECRET = "4711"  # in sensitive cells alone
SPEC = """
class = "ill"
known = ["zip"]
others = "keep"
[columns.income]
sensitive = true
action = "shuffle"
within = "ill"
[columns.name]
action = "drop"
[columns.weight]
action = "discretise"
method = "cuts"
cuts = [70]
[columns.height]
action = "add"
noise = "uniform"
half_width = 5
low = 150
high = 199
step = 1
"""


def records():
    """Sixty people, with cells that a number or a guess would change."""
    ways = ["0{}.50", "{}.5", "{}.50", SECRET + "{}.0"]
    for place in range(60):
        yield {
            "name": f"Ann-{place} {SECRET}",
            "zip": f"{place * 7 % 31:05d}",
            "born": ["2001-02-03", "NA", "?", "1.10", 'so "called"', "a, b"][place % 6],
            "income": ways[place * 11 % 4].format(place % 9),
            "weight": ["?", "61.5", "80.25", "", "NA"][place * 3 % 5],
            "height": str(150 + place * 13 % 50),
            "ill": ["yes", "no", "no"][place * 5 % 3],
        }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table and a specification, where the command works."""
    with (tmp_path / "table.csv").open("w", encoding="utf-8", newline="") as file:
        rows = list(records())
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (tmp_path / "spec.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PPDM_PROGRESS", "off")
    return tmp_path


@pytest.fixture
def ppdm(folder, capsys):
    """Run the command: its exit status, what it prints, and what it says on the other stream."""

    def ppdm(line):
        try:
            status = command.main(line.split())
        except SystemExit as stopped:  # of argparse
            status = stopped.code
        printed, told = capsys.readouterr()
        assert "Traceback" not in told
        assert SECRET not in printed + told
        assert not list(folder.glob(".*")), "a draft is left"
        return status, printed, told

    return ppdm


def read(path, **options):
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, **options))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


RELEASE = "disguise table.csv --spec spec.toml --out released.csv"


def test_kept_and_moved_cells_keep_their_text(ppdm, folder):
    before = (folder / "table.csv").read_bytes()
    assert ppdm(RELEASE)[0] == 0
    assert (folder / "table.csv").read_bytes() == before
    true, released = list(records()), read("released.csv")
    assert list(released[0]) == ["zip", "born", "income", "weight", "height", "ill"]
    for name in ("zip", "born", "ill"):
        assert [one[name] for one in released] == [one[name] for one in true]
    # Values move within the class, and so does the number of each; how they are written moves with a value.
    incomes = [[(one["ill"], float(one["income"])) for one in table] for table in (true, released)]
    assert Counter(incomes[0]) == Counter(incomes[1])
    assert incomes[0] != incomes[1]
    assert Counter(one["income"] for one in true) == Counter(one["income"] for one in released)
    weights = {"?": "", "": "", "NA": "", "61.5": "< 70", "80.25": ">= 70"}
    assert [one["weight"] for one in released] == [weights[one["weight"]] for one in true]
    assert all(one["height"].isdigit() for one in released)  # whole numbers stay whole


def write_cells(lines):
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("ways", [["7", "07", "007", "7.0"], ["", "?", "NA", "3"]])
@pytest.mark.parametrize("role", ["known", "others", "class", "within"])
def test_what_the_text_of_a_number_tells_is_judged(ppdm, folder, ways, role):
    """All have one zip as a number. Its four spellings tell the disease of everybody."""
    write_cells(["zip,born,ill", *(f"{ways[place % 4]},{place % 5},{'abcd'[place % 4]}" for place in range(80))])
    hidden = '[columns.ill]\nsensitive = true\naction = "drop"\n'
    spec = {
        "known": f'known = ["zip"]\nk = 30\nothers = "keep"\nthreshold = 0.6\n{hidden}',
        "others": f'others = "keep"\nthreshold = 0.6\n{hidden}',
        "class": f'class = "zip"\nthreshold = 0.6\n[columns.born]\naction = "keep"\n{hidden}',
        "within": f'others = "keep"\nthreshold = 0.6\n{hidden}'.replace('"drop"', '"shuffle"\nwithin = "zip"'),
    }
    (folder / "spec.toml").write_text(spec[role])
    status, printed, told = ppdm(f"{RELEASE} --report report.html")
    assert (status, "Not held" in printed) == (3, True)
    assert ("k is 20, and 30 is asked for" in printed) == (role == "known")
    assert told.count("warning: column 'zip' writes one number, or a missing value, in several ways") == 1
    assert [one["zip"] for one in read("released.csv")] == [one["zip"] for one in read("table.csv")]
    # The report afterwards reads the same text.
    assert ppdm("report table.csv released.csv --spec spec.toml --out again.html")[:2] == (status, printed)
    # A suggestion releases nothing.
    assert "several ways" not in ppdm("suggest table.csv --class ill --sensitive born")[2]


def test_texts_of_columns_that_move_together_go_apart(ppdm, folder):
    """Else the text of one would tell the other, which nobody measures; and a tolerance needs numbers."""
    write_cells(
        ["a,b,c", *(f"{['7', '07'][place % 2]},{['1', '2', '1.0', '2.0'][place % 4]},x" for place in range(400))]
    )
    (folder / "spec.toml").write_text(
        'others = "keep"\nknown = ["c"]\n[columns.a]\naction = "shuffle"\nwith = ["b"]\n'
        "[columns.b]\nsensitive = true\ntolerance = 1"
    )
    status, _, told = ppdm(RELEASE)
    assert status == 0
    assert "several ways" not in told
    true, released = read("table.csv"), read("released.csv")
    pairs = {(one["a"], one["b"]) for one in released}
    assert len(pairs) == 8 > len({(one["a"], one["b"]) for one in true})
    for name in "ab":
        assert Counter(one[name] for one in released) == Counter(one[name] for one in true)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize(("sep", "option"), [(",", ","), (";", ";"), ("\t", "tab")])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_table_that_is_kept_is_the_same_file(ppdm, folder, encoding, sep, option, newline):
    rows = list(records())
    with (folder / "table.csv").open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=sep, lineterminator=newline)
        writer.writeheader()
        writer.writerows(rows)
    (folder / "spec.toml").write_text('others = "keep"')
    assert ppdm(f"{RELEASE} --sep {option}")[0] == 0
    assert (folder / "released.csv").read_bytes() == (folder / "table.csv").read_bytes()


def test_the_report_is_a_page_by_itself_without_a_sensitive_value(ppdm, folder):
    status, printed, _ = ppdm(f"{RELEASE} --report report.html")
    assert status == 0
    assert "Not judged" in printed
    page = (folder / "report.html").read_text("utf-8")
    assert "NOT protected" in page
    assert SECRET not in page
    assert not re.search(r"<script|<link|src=|url\(", page)


def test_the_page_names_the_files_and_the_sum_of_the_one_that_is_released(ppdm, folder, monkeypatch):
    pickles(monkeypatch)
    for name in ("released.csv", "released.parquet"):
        assert (
            ppdm(f"disguise ../{folder.name}/table.csv --spec spec.toml --out {name} --report <a>.html --force")[
                0
            ]
            == 0
        )
        assert ppdm(f"report table.csv {name} --spec ./spec.toml --out later.html --force")[0] == 0
        for page in ("<a>.html", "later.html"):
            text = (folder / page).read_text("utf-8")
            facts = dict(re.findall("<th>(.*?)</th>\\s*<td>(.*?)</td>", text))
            expected = {"table": "table.csv", "specification": "spec.toml", "released table": name}
            assert {fact: facts[fact] for fact in expected} == expected
            sums = [hashlib.sha256((folder / name).read_bytes()).hexdigest()]
            assert [facts[fact] for fact in facts if "sha256" in fact] == re.findall("[0-9a-f]{64}", text) == sums


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_the_page_names_a_file_whose_name_is_no_utf_8(ppdm, folder):
    (folder / "table.csv").rename(folder / "t\udcff.csv")
    assert ppdm(f"{RELEASE} --report report.html".replace("table", "t\udcff"))[0] == 0
    assert r"<td>t\udcff.csv</td>" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(("threshold", "status"), [(1, 0), (0.01, 3)])
@pytest.mark.parametrize("report", ["", " --report report.html"])
def test_a_threshold_decides_the_exit_status(ppdm, folder, threshold, status, report):
    """Of a shuffled column somebody names the most frequent value, which is more than 1 % and less than 100 %."""
    (folder / "spec.toml").write_text(f"threshold = {threshold}\n{SPEC}")
    found, printed, _ = ppdm(RELEASE + report)
    assert found == status
    assert ("Not held" in printed) == (status == 3)
    assert (folder / "released.csv").exists()
    assert (folder / "report.html").exists() == bool(report)


def test_a_complete_disclosure_is_not_held_whatever_the_threshold(ppdm, folder):
    """Below 70 there is a single weight."""
    spec = f"threshold = 1\n{SPEC}".replace("[columns.weight]", "[columns.weight]\nsensitive = true")
    (folder / "spec.toml").write_text(spec)
    status, printed, _ = ppdm(RELEASE)
    assert status == 3
    assert "disclos" in printed


REFUSED = {
    "disguise none.csv --spec spec.toml --out released.csv": "none.csv is no file",
    "disguise table.csv --spec none.toml --out released.csv": "none.toml is no file",
    "disguise . --spec spec.toml --out released.csv": ". is no file",
    "disguise table.csv --spec spec.toml --out . --force": ". is no file",
    "disguise table.csv --spec spec.toml --out /dev/null --force": "/dev/null is no file",
    "disguise table.csv --spec spec.toml --out none/released.csv": "none is no folder; expected one",
    "disguise table.csv --spec spec.toml --out old.csv/released.csv": "old.csv is no folder; expected one",
    "disguise table.csv --spec spec.toml --out table.csv --force": "--out table.csv is the table itself; expected",
    "disguise table.csv --spec spec.toml --out ../here/table.csv --force": "/table.csv is the table itself; expected",
    "disguise table.csv --spec spec.toml --out soft.csv --force": "--out soft.csv is the table itself; expected",
    "disguise table.csv --spec spec.toml --out hard.csv --force": "--out hard.csv is the table itself; expected",
    "disguise table.csv --spec spec.toml --out new.csv --report hard.csv --force": "hard.csv is the table itself",
    "disguise table.csv --spec spec.toml --out spec.toml --force": "--out spec.toml is the specification itself",
    "disguise table.csv --spec spec.toml --out new.csv --report ./new.csv": "new.csv is the report itself; expected",
    "disguise table.csv --spec spec.toml --out old.csv": "old.csv is there already; expected a new name, or --force",
    "disguise table.csv --spec spec.toml --out broken.csv": "broken.csv is there already",
    "disguise table.csv --spec spec.toml --out new.csv --report old.csv": "old.csv is there already",
    "suggest table.csv --class ill --sensitive income --out old.csv": "old.csv is there already",
    "suggest table.csv --class ill --sensitive income --out table.csv --force": "--out table.csv is the table itself",
    "report table.csv old.csv --spec spec.toml --out old.csv --force": "--out old.csv is the released table itself",
    "report table.csv table.csv --spec spec.toml --out new.html": ": released table.csv is the table itself",
    "disguise table.csv --spec spec.toml --out new.xlsx": "--out is new.xlsx; expected a name that ends in",
    "disguise table.csv --spec spec.toml --out new": "--out is new; expected a name that ends in .csv or .parquet",
    "report table.csv none.csv --spec spec.toml --out new.html": "none.csv is no file",
    "disguise table.csv --spec spec.toml --out new.csv --seed 5": "there is no --seed: whoever guesses the seed",
    "disguise table.csv --spec spec.toml --out new.csv --seed": "secure source",
    "check table.csv --spec spec.toml --seed=5": "there is no --seed",
    "disguise --seed table.csv": "there is no --seed",
    "disguise table.csv --spec spec.toml --out new.csv --sep ab": "--sep",
    "disguise table.csv --spec spec.toml --out new.csv --sep :": "'tab'",
    "disguise table.csv --out new.csv": "--spec",
    "disguise table.csv --spec spec.toml": "--out",
    "": "command",
    "release table.csv": "release",
}


@pytest.mark.skipif(os.name != "posix", reason="symbolic links and devices are those of POSIX")
@pytest.mark.parametrize("line", REFUSED)
def test_what_would_destroy_or_fail_is_refused_before_any_work(ppdm, folder, monkeypatch, line):
    (folder / "old.csv").write_text("old")
    (folder / "soft.csv").symlink_to("table.csv")
    (folder / "hard.csv").hardlink_to("table.csv")
    (folder / "broken.csv").symlink_to("nowhere")
    monkeypatch.setattr(files, "read_csv", lambda *_: pytest.fail("the work began"))
    before = {name: (folder / name).lstat() for name in names(folder)}
    status, printed, told = ppdm(line.replace("../here", f"../{folder.name}"))
    assert (status, printed) == (2, "")
    assert REFUSED[line] in told
    after = {name: (folder / name).lstat() for name in names(folder)}
    assert [(name, one.st_mtime_ns, one.st_ino) for name, one in before.items()] == [
        (name, one.st_mtime_ns, one.st_ino) for name, one in after.items()
    ]


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ("table.csv", "table.csv cannot be read (no permission); expected a file that you may read"),
        ("spec.toml", "spec.toml cannot be read (no permission)"),
        (".", ". takes no files (no permission); expected a folder that does"),
    ],
)
def test_want_of_permission_is_told_before_any_work(ppdm, folder, monkeypatch, closed, expected):
    """Asked of the system, because who runs the tests may be allowed everything."""
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != closed)
    monkeypatch.setattr(files, "read_csv", lambda *_: pytest.fail("the work began"))
    status, _, told = ppdm(RELEASE)
    assert status == 2
    assert told.startswith(f"ppdm: {expected}")
    assert names(folder) == ["spec.toml", "table.csv"]


@pytest.mark.parametrize("ending", ["csv", "CSV", "tsv", "txt"])
def test_a_released_table_may_end_as_text_does(ppdm, ending):
    assert ppdm(RELEASE.replace("released.csv", f"new.{ending}"))[0] == 0
    assert len(read(f"new.{ending}")) == 60


def test_force_replaces_an_older_file_and_the_table_behind_no_link(ppdm, folder):
    (folder / "other.csv").write_text("other")
    (folder / "released.csv").symlink_to("other.csv")
    assert ppdm(f"{RELEASE} --force")[0] == 0
    assert not (folder / "released.csv").is_symlink()
    assert (folder / "other.csv").read_text() == "other"


FAULTS = {
    "seed = 1": "seed",
    "a = [": "line 1 is no TOML",
    "columns = 3": "columns is an int",
    '[columns]\nage = "drop"': "columns.age",
    'others = "keep"\nthreshold = 7\nk = 0': "threshold is 7",
    'others = "keep"\n[columns.born]\naction = "add"\nnoise = "uniform"\nhalf_width = 1': "columns.born",
    "when = 2001-02-03": "specification holds a date",
}


@pytest.mark.parametrize("spec", FAULTS)
@pytest.mark.parametrize("line", [RELEASE, "check table.csv --spec spec.toml"])
def test_faults_are_all_told_at_once(ppdm, folder, spec, line):
    (folder / "spec.toml").write_text(spec)
    status, printed, told = ppdm(line)
    assert (status, printed) == (2, "")
    assert FAULTS[spec] in told
    assert "k is 0" in told or "k = 0" not in spec
    assert names(folder) == ["spec.toml", "table.csv"]


def test_a_cell_that_is_no_number_is_told_by_its_place(ppdm, folder):
    text = (folder / "table.csv").read_text("utf-8")
    (folder / "table.csv").write_text(text.replace(",163,", f",{SECRET}x,"), "utf-8")
    status, _, told = ppdm(RELEASE)
    assert status == 2
    assert re.search(r"table.csv: line \d+ has no number in column 'height'", told)


def test_check_says_what_is_done_with_each_column(ppdm, folder):
    status, printed, _ = ppdm("check table.csv --spec spec.toml")
    assert status == 0
    actions = dict(line.split(maxsplit=1) for line in printed.splitlines()[:7])
    expected = ["drop", "keep", "keep", "shuffle", "discretise", "add", "keep"]
    assert [action.partition("(")[0] for action in actions.values()] == expected
    assert list(actions) == [repr(name) for name in next(records())]
    assert names(folder) == ["spec.toml", "table.csv"]


def test_a_suggestion_is_a_specification_that_releases(ppdm, folder):
    line = "suggest table.csv --class ill --sensitive income --sensitive name --known zip"
    status, printed, _ = ppdm(line)
    assert status == 0
    suggested = tomllib.loads(printed)
    assert suggested["known"] == ["zip"]
    assert [name for name, own in suggested["columns"].items() if own.get("sensitive")] == ["name", "income"]
    assert ppdm(f"{line} --out spec.toml --force")[0] == 0
    assert (folder / "spec.toml").read_text("utf-8") == printed
    assert ppdm(RELEASE)[0] in (0, 3)


@pytest.mark.parametrize(
    ("given", "expected"),
    {
        "--class sick --sensitive income": "--class is 'sick'; expected HERE",
        "--class ill --sensitive incom": "--sensitive is 'incom'; expected HERE; did you mean 'income'?",
        "--class ill --sensitive income --sensitive x": "--sensitive is 'x'; expected HERE",
        "--class ill --sensitive income --known zip --known x": "--known is 'x'; expected HERE",
        "--class ill --sensitive ill": "--sensitive is 'ill', the class, which a miner predicts; "
        "expected another column",
        "--class ill --sensitive income --known zip,born": "--known is 'zip,born'; expected HERE; "
        "give --known once for each column",
        "--class zip,ill --sensitive income": "--class is 'zip,ill'; expected HERE; did you mean 'zip'?",
    }.items(),
)
def test_a_name_that_is_no_column_is_told_without_line_1(ppdm, folder, given, expected):
    """If the file has no line of names, the first record is there."""
    status, printed, told = ppdm(f"suggest table.csv {given}")
    assert (status, printed) == (2, "")
    assert told == f"ppdm: {expected}\n".replace("HERE", "a name of line 1 of table.csv")


def test_a_suggestion_takes_the_class_for_known_and_names_a_parquet_file(ppdm, folder, monkeypatch):
    line = "suggest table.csv --class ill --sensitive income --known ill"
    assert tomllib.loads(ppdm(line)[1])["known"] == ["ill"]
    pickles(monkeypatch)
    pd.DataFrame(records()).to_pickle(folder / "table.parquet")
    told = ppdm("suggest table.parquet --class sick --sensitive income")[2]
    assert told == "ppdm: --class is 'sick'; expected a column of table.parquet\n"


def test_cells_that_a_spreadsheet_would_calculate_are_kept_and_told(ppdm, folder):
    write_cells(
        [
            "zip,+born,income,name,ill",
            *['=1+1|"x",-1,2,+49 1,a', " @SUM(A1),2,-07,-1,b", "－1+A1,-3,3,-1e-5,c"] * 2,
        ]
    )
    (folder / "spec.toml").write_text('others = "keep"\n[columns.name]\naction = "shuffle"')
    status, _, told = ppdm(RELEASE)
    assert status == 0
    found = re.findall(
        r"^warning: column (.*) has cells that a spreadsheet would calculate \((\d+),", told, re.MULTILINE
    )
    assert found == [("'zip'", "6"), ("'+born'", "1"), ("'name'", "2")]
    assert [one["zip"] for one in read("released.csv")] == [one["zip"] for one in read("table.csv")]


def test_a_report_of_an_earlier_release_says_the_same(ppdm, folder):
    (folder / "spec.toml").write_text(f"threshold = 1\n{SPEC}")
    at_once = ppdm(f"{RELEASE} --report first.html")
    later = ppdm("report table.csv released.csv --spec spec.toml --out second.html")
    assert later[:2] == at_once[:2]
    pages = [(folder / name).read_text("utf-8") for name in ("first.html", "second.html")]
    rows = [
        [row.split("</tr>")[0] for row in page.split("<tr>") if "income" in row.split("</tr>")[0]]
        for page in pages
    ]
    assert rows[0] == rows[1] != []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda table: table.iloc[::-1], "cells differ in kept columns: ['zip', 'born', 'ill']; expected"),
        (lambda table: table.iloc[:-1], "it has 59 records, and not 60; expected all records in their order"),
        (
            lambda table: table.drop(columns=["born", "height"]),
            "it lacks the columns ['born', 'height']; expected",
        ),
        (lambda table: table.assign(more="x"), "it has further columns: ['more']; expected"),
        (lambda table: table.drop(columns="born").assign(more="x"), "it lacks the columns ['born']; expected"),
        (lambda table: table[[*table][::-1]], "its columns have another order; expected"),
        (lambda table: table.replace({"zip": {"00007": "7"}}), "cells differ in kept columns: ['zip']; expected"),
    ],
)
def test_a_report_of_another_table_is_refused(ppdm, folder, damage, expected):
    ppdm(RELEASE)
    damage(pd.read_csv("released.csv", dtype=str, na_filter=False)).to_csv("other.csv", index=False)
    status, _, told = ppdm("report table.csv other.csv --spec spec.toml --out page.html")
    assert status == 2
    assert expected in told
    assert "page.html" not in names(folder)


def fail_with(error):
    def fail(*_):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
            1,
            "No space left on device: 'report.html, released.csv'",
        ),
        (KeyError(f"expected {SECRET}"), 1, "KeyError in"),
        (ValueError(f"could not convert {SECRET}"), 1, "ValueError in"),  # of another library
        (MemoryError(), 1, "MemoryError in"),
    ],
)
def test_a_failure_under_way_leaves_the_old_files_and_says_no_value(
    ppdm, folder, monkeypatch, error, status, expected
):
    for name in ("released.csv", "report.html"):
        (folder / name).write_text("old")
    monkeypatch.setattr(command, "release_report", fail_with(error))
    found, _, told = ppdm(f"{RELEASE} --report report.html --force")
    assert found == status
    assert expected in told
    assert [(folder / name).read_text() for name in ("released.csv", "report.html")] == ["old", "old"]


@pytest.mark.parametrize(
    "line",
    [
        "disguise table.csv --spec spec.toml --out made.csv",
        "report table.csv released.csv --spec spec.toml --out made.csv",
        "suggest table.csv --class ill --sensitive income --out made.csv",
    ],
)
def test_a_file_that_is_made_meanwhile_stays_unless_force_is_given(ppdm, folder, monkeypatch, line):
    assert ppdm(RELEASE)[0] == 0
    read_csv = files.read_csv

    def slow(*arguments):
        (folder / "made.csv").write_text("theirs")
        return read_csv(*arguments)

    monkeypatch.setattr(files, "read_csv", slow)
    status, _, told = ppdm(line)
    assert status == 1
    assert "ppdm: made.csv was made by another program meanwhile" in told
    assert (folder / "made.csv").read_text() == "theirs"
    (folder / "made.csv").unlink()
    assert ppdm(f"{line} --force")[0] == 0
    assert (folder / "made.csv").read_text() != "theirs"


def test_warnings_are_told_in_a_line(ppdm, folder):
    rows = sorted(records(), key=lambda one: one["height"])
    pd.DataFrame(rows).to_csv(folder / "table.csv", index=False)
    status, _, told = ppdm(RELEASE)
    assert status == 0
    assert re.search(r"^warning: column 'height' .*$", told, re.MULTILINE)
    # Who treats warnings as errors gets no release.
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        status, _, told = ppdm(f"{RELEASE} --force")
    assert status == 2
    assert "ppdm: column 'height'" in told


def pickles(monkeypatch):
    """Let pickles stand for Parquet, because pyarrow is no requirement."""

    def to_parquet(frame, path, index=None):
        (frame if index is None else frame.reset_index(drop=not index)).to_pickle(path)

    monkeypatch.setattr(files, "find_spec", lambda name: name == "pyarrow")
    monkeypatch.setattr(pd, "read_parquet", pd.read_pickle)
    monkeypatch.setattr(pd.DataFrame, "to_parquet", to_parquet)


def test_parquet_keeps_dtypes_and_needs_pyarrow(ppdm, folder, monkeypatch):
    frame = pd.DataFrame(records()).astype({"height": "int16", "born": "category"})
    frame["weight"] = pd.to_numeric(frame["weight"], errors="coerce")
    frame.to_pickle(folder / "table.parquet")
    line = "disguise table.parquet --spec spec.toml --out released.parquet"
    monkeypatch.setattr(files, "find_spec", {}.get)
    status, _, told = ppdm(line)
    assert status == 2
    assert "table.parquet needs the package pyarrow" in told
    monkeypatch.setattr(files, "find_spec", lambda name: name == "pyarrow")
    monkeypatch.setattr(pd, "read_parquet", fail_with(ValueError(SECRET)))
    status, _, told = ppdm(line)
    assert status == 2
    assert "table.parquet cannot be read; expected Parquet" in told
    pickles(monkeypatch)
    assert ppdm(line)[0] == 0
    released = pd.read_pickle(folder / "released.parquet")
    assert released["born"].equals(frame["born"])
    assert ppdm("disguise table.parquet --spec spec.toml --out released.csv")[0] == 0
    assert [one["zip"] for one in read("released.csv")] == frame["zip"].tolist()
    assert ppdm("disguise table.csv --spec spec.toml --out released.parquet --force")[0] == 0
    assert pd.read_pickle(folder / "released.parquet")["born"].tolist() == frame["born"].tolist()


KILLED = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
from ppdm import __main__ as command

steps, stop = 0, 0
command.release_report = lambda *_: SimpleNamespace(summary="", held=None)
command._page = lambda draft, *_: draft.write_text("<html></html>")

def counted(owner, name):
    function = getattr(owner, name)
    def call(*arguments, **options):
        global steps
        steps += 1
        if steps == stop:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    setattr(owner, name, call)

frame = command.pd.DataFrame
for owner, name in [(Path, "touch"), (frame, "to_csv"), (Path, "write_text"), (os, "fsync"), (Path, "replace")]:
    counted(owner, name)
done = False
while not done:
    stop += 1
    for name in ("released.csv", "report.html"):
        Path(name).unlink(missing_ok=True)
        with open(name, "w") as file:
            file.write("old")
    child = os.fork()
    if not child:
        os._exit(command.main(sys.argv[1:]))
    done = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    texts = [Path(name).read_text() for name in ("report.html", "released.csv")]
    whole = [text.endswith(end) for text, end in zip(texts, ("</html>", "\\n"))]
    print("left:", *("old" if text == "old" else "new" if one else "half" for text, one in zip(texts, whole)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks and kills")
def test_a_kill_at_any_step_leaves_each_file_old_or_new(folder):
    script = [sys.executable, "-c", KILLED, *f"{RELEASE} --report report.html --force".split()]
    done = subprocess.run(script, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # Ten steps: two drafts, two files written, two synced; then a name and its folder synced, for each file.
    found = re.findall("left: (.*)", done.stdout)
    assert found == ["old old"] * 7 + ["new old"] * 2 + ["new new"] * 2


def test_the_command_runs_by_either_name(folder):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"ppdm": "ppdm.__main__:main"}
    done = subprocess.run(
        [sys.executable, "-m", "ppdm", *RELEASE.split()], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("Not judged")
    assert "writing 60 released records" in done.stderr


def test_help_tells_the_exit_status(ppdm):
    for line in ("--help", "disguise --help"):
        status, printed, _ = ppdm(line)
        assert status == 0
        for number in ("0 ", "1 ", "2 ", "3 ", "130"):
            assert re.search(rf"^  {number} ", printed, re.MULTILINE)
        assert "--seed" not in printed
        assert "leaves hidden files .NAME.*.draft" in printed


def test_the_command_releases_what_the_library_would(ppdm, folder):
    """Without chance both are the same: intervals of Pima's numbers."""
    pima = load("pima")
    table = pima.X.join(pima.y)
    table.to_csv(folder / "table.csv", index=False)
    cuts = {"action": "discretise", "method": "frequency", "intervals": 4, "label": "code"}
    specification = PrivacySpecification({"class": "class", "columns": dict.fromkeys(pima.X, cuts)})
    (folder / "spec.toml").write_text(specification.to_toml())
    assert ppdm(RELEASE)[0] == 0
    expected = specification.release(table)
    found = pd.read_csv("released.csv")
    assert found.drop(columns="class").astype(float).equals(expected.drop(columns="class").astype(float))
    assert found["class"].tolist() == expected["class"].tolist()


def test_no_index_leaves_the_house_unless_somebody_says_so(ppdm, folder, monkeypatch):
    pickles(monkeypatch)
    frame = pd.DataFrame(records())
    frame.set_index("name").to_pickle(folder / "table.parquet")
    line = "disguise table.parquet --spec spec.toml --out released.parquet"
    rest = "\n".join(f'[columns."{name}"]\naction = "keep"' for name in frame if name != "name")
    (folder / "spec.toml").write_text(rest)
    status, _, told = ppdm(line)
    assert status == 2
    assert "columns.name is missing" in told
    (folder / "spec.toml").write_text(f'{rest}\n[columns.name]\naction = "drop"')
    assert ppdm(line)[0] == 0
    released = pd.read_pickle(folder / "released.parquet")
    assert list(released) == [name for name in frame if name != "name"]
    assert released.index.equals(pd.RangeIndex(60))
    # Numbers in another order are an index, too, and so is a name that a column has already.
    frame.iloc[::-1].to_pickle(folder / "table.parquet")
    assert "columns.index is missing" in ppdm(f"{line} --force")[2]
    frame.set_index("zip", drop=False).to_pickle(folder / "table.parquet")
    assert "the column 'zip' more than once" in ppdm(f"{line} --force")[2]


ALONE = """
others = "keep"
known = []
[columns.income]
sensitive = true
action = "shuffle"
within = "name"
"""


@pytest.mark.parametrize("report", ["", " --report report.html"])
def test_a_complete_disclosure_is_told_without_a_threshold(ppdm, folder, report):
    """Nearly each name stands for one person: who is shuffled within it stays where he is."""
    (folder / "spec.toml").write_text(ALONE)
    # If all stayed, that would be a fault of the specification.
    assert "leaves each record alone" in ppdm(RELEASE)[2]
    table = pd.read_csv(folder / "table.csv", dtype=str, keep_default_na=False)
    table.loc[1, "name"] = table.loc[0, "name"]
    table.to_csv(folder / "table.csv", index=False)
    status, printed, _ = ppdm(RELEASE + report)
    assert status == 3
    assert "Not held" in printed
    assert ppdm("report table.csv released.csv --spec spec.toml --out again.html")[0] == 3


@pytest.mark.parametrize(("limit", "status"), [("", 0), ("k = 2\n", 3)])
def test_what_is_asked_for_and_cannot_be_judged_is_not_held(ppdm, folder, limit, status):
    """Of noisy known columns nobody says how many people look alike."""
    noisy = SPEC.replace('["zip"]', '["height"]').replace("sensitive = true\n", "")
    (folder / "spec.toml").write_text(limit + noisy)
    found, printed, _ = ppdm(RELEASE)
    assert found == status
    assert "Not judged" in printed


def test_numbers_of_groups_are_told_to_be_text(ppdm, folder):
    (folder / "spec.toml").write_text(
        'others = "keep"\n[columns.height]\naction = "generalise"\ngroups.low = [150, 163]'
    )
    status, _, told = ppdm(RELEASE)
    assert status == 2
    assert 'as text: "150"' in told
    (folder / "spec.toml").write_text(
        'others = "keep"\n[columns.height]\naction = "generalise"\ngroups.low = ["150", "163"]'
    )
    assert ppdm(RELEASE)[0] == 0
    expected = ["low" if one["height"] in ("150", "163") else one["height"] for one in records()]
    assert [one["height"] for one in read("released.csv")] == expected


@pytest.mark.parametrize(
    "action", ['"add"\nnoise = "uniform"\nhalf_width = 5', '"discretise"\nmethod = "cuts"\ncuts = [170]']
)
def test_the_remedy_for_a_cell_that_is_no_number_works(ppdm, folder, action):
    text = (folder / "table.csv").read_text("utf-8")
    (folder / "table.csv").write_text(text.replace(",163,", f",{SECRET}x,"), "utf-8")
    spec = f'others = "keep"\n[columns.height]\naction = {action}'
    (folder / "spec.toml").write_text(spec)
    told = ppdm(RELEASE)[2]
    line = int(
        re.search(r"line (\d+) has no number in column 'height'.*: correct or remove these records, or", told)[1]
    )
    lines = text.splitlines(keepends=True)
    assert ",163," in lines[line - 1]
    for mended in (text, text.replace(lines[line - 1], "")):
        (folder / "table.csv").write_text(mended, "utf-8")
        assert ppdm(f"{RELEASE} --force")[0] == 0


def test_a_report_compares_values_and_not_categories(ppdm, folder, monkeypatch):
    pickles(monkeypatch)
    frame = pd.DataFrame(records()).astype({"height": int, "born": "category"})
    frame["weight"] = pd.to_numeric(frame["weight"], errors="coerce")
    frame["born"] = frame["born"].cat.add_categories("1900-01-01")
    frame.to_pickle(folder / "table.parquet")
    assert ppdm("disguise table.parquet --spec spec.toml --out released.parquet")[0] == 0
    report = "report table.parquet released.parquet --spec spec.toml --out page.html"
    assert ppdm(report)[0] == 0
    released = pd.read_pickle(folder / "released.parquet")
    released.loc[3, "born"] = "?"
    released.to_pickle(folder / "released.parquet")
    status, _, told = ppdm(f"{report} --force")
    assert status == 2
    assert "is no release of table.parquet" in told


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
def test_force_loosens_no_permissions(ppdm, folder):
    for name in ("released.csv", "report.html"):
        (folder / name).write_text("old")
        (folder / name).chmod(0o640)
    assert ppdm(f"{RELEASE} --report report.html --force")[0] == 0
    assert {(folder / name).stat().st_mode & 0o777 for name in ("released.csv", "report.html")} == {0o640}


def test_nothing_is_said_to_be_released_before_the_checks(ppdm, folder):
    (folder / "spec.toml").write_text("k = 1")
    told = ppdm(RELEASE)[2]
    assert told.startswith("ppdm: the specification has")
    assert "releas" not in told.splitlines()[0]


@pytest.mark.filterwarnings("always")
def test_warnings_of_other_libraries_are_not_told(ppdm, folder, monkeypatch):
    def page(*_):
        warnings.warn("invalid value encountered in divide", RuntimeWarning, stacklevel=1)
        warnings.warn(f"could not infer {SECRET}", UserWarning, stacklevel=1)
        warnings.warn_explicit("ours", UserWarning, command.__file__, 1)

    monkeypatch.setattr(command, "_page", page)
    told = ppdm(f"{RELEASE} --report report.html")[2]
    assert "warning: ours\n" in told
    assert "divide" not in told


def test_check_says_what_the_verdict_rests_on(ppdm, folder):
    spec = SPEC.replace("[columns.weight]", "[columns.weight]\nsensitive = true\ntolerance = 2\nthreshold = 0.5")
    (folder / "spec.toml").write_text(f"k = 3\nthreshold = 0.6\n{spec}")
    printed = ppdm("check table.csv --spec spec.toml")[1]
    assert re.search("'income' .*sensitive, threshold: 0.6, tolerance: 5 % of the range", printed)
    assert re.search("'weight' .*sensitive, threshold: 0.5, tolerance: 2\n", printed)
    assert printed.count("sensitive, ") == 2
    (folder / "spec.toml").write_text(SPEC)
    assert "sensitive, threshold: not set, " in ppdm("check table.csv --spec spec.toml")[1]
    assert "class: ill, known of a person: ['zip'], k: 3\n" in printed
    (folder / "spec.toml").write_text('others = "keep"')
    assert (
        "class: not set, known of a person: the row itself, k: not set\n"
        in ppdm("check table.csv --spec spec.toml")[1]
    )


INTERRUPTED = """
import os, runpy, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == "sklearn":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
sys.meta_path.insert(0, Finder)
if sys.argv.pop(1) == "-m":
    runpy.run_module("ppdm", run_name="__main__", alter_sys=True)
else:
    from ppdm.__main__ import main
    sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ["-m", "ppdm"])
def test_an_interrupt_while_modules_are_imported_is_told_in_a_line(folder, name):
    line = [sys.executable, "-c", INTERRUPTED, name, *RELEASE.split()]
    done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "ppdm: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_who_ends_the_process_finds_no_draft(ppdm, folder, monkeypatch, name):
    """The fixture looks for drafts."""
    number = getattr(signal, name)
    monkeypatch.setattr(command, "release_report", lambda *_: os.kill(os.getpid(), number))
    before = names(folder)
    # Jobs in the background ignore some signals.
    usual = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
    handler = signal.signal(number, usual)
    status, _, told = ppdm(f"{RELEASE} --report report.html")
    signal.signal(number, handler)
    assert (status, names(folder)) == (130, before)
    assert told.endswith("ppdm: interrupted\n")


ENDED = """
import os, signal, sys
from ppdm import __main__ as command

signal.signal(signal.SIGHUP, getattr(signal, sys.argv.pop(1)))
report = command.release_report

def closed(*arguments):
    os.close(2)  # as when the terminal is closed
    os.kill(os.getpid(), signal.SIGHUP)
    return report(*arguments)

command.release_report = closed
sys.exit(command.main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize(("before", "status"), [("SIG_DFL", 130), ("SIG_IGN", 0)])
def test_a_closed_terminal_ends_the_process_unless_nohup_was_asked_for(folder, before, status):
    line = [sys.executable, "-c", ENDED, before, *RELEASE.split()]
    done = subprocess.run(line, check=False, capture_output=True, timeout=60)
    assert done.returncode == status
    assert ("released.csv" in names(folder)) == (status == 0)
    assert not list(folder.glob(".*"))
