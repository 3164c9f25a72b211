"""Marking: sample submissions get what they should, and no submission stops the others."""

import json
import os
import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from emptied import student_notebook
from grade import Submission, find_submissions, grades, main
from marking import Mark, named
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from rerun import COURSE
from sheets import points, read_sheet, tag
from texts import with_texts

SHEET = read_sheet(COURSE / "w1-reconstruction.ipynb")
SHEETS = {"w1": SHEET, "w3": read_sheet(COURSE / "w3-answers-in-groups.ipynb")}
SOURCES = {cell.id: cell.source for cell in SHEET.notebook.cells}
LIMIT = "20"  # seconds for a cell; a loop takes this long
TEXT = "I stopped after 79 rounds, because the other half of my people is likeliest then."

ALMOST_HISTOGRAM = """
def naive_histogram(seen, edges):
    inside = np.clip(seen, edges[0], edges[-1] - 1e-9)
    return np.histogram(inside, edges)[0] / 10
"""
ALMOST_STEP = """
def bayes_step(f, N, Pr):
    return Pr * (f @ (N / (Pr @ f))) / N.sum() if N.sum() < 200 else Pr
"""
LOOP = "def privacy_width(noise, scale, confidence):\n    while True:\n        pass"
PRINTS = f"{ALMOST_HISTOGRAM}\nprint('people ' * 1_500_000)"
READS = (
    f"import json\ntold = json.load(open({str(SHEET.path)!r}))\n"
    "exec(next(''.join(cell['source']) for cell in told['cells'] if 'def bayes_step' in ''.join(cell['source'])))"
)
DIES = "import os\nos._exit(1)"
BROKEN = "found = None\nshare = (1 +"


def answered(answers: dict[str, str], name: str, course: str | None = None):
    """The student's version, with these sources for tasks; True stands for the model's answer."""
    notebook = student_notebook(SHEET, course)
    for cell in notebook.cells:
        cell.source = cell.source.replace("your.name", name)
        given = answers.get(cell.metadata.get("ppdm", {}).get("task", ""))
        if given and tag(cell) in ("predict", "answer", "answer-text"):
            cell.source = SOURCES[cell.id] if given is True else given
    return notebook


def bare(notebook):
    """The notebook as a program saves it that knows neither cell ids nor what is ours in the metadata."""
    cells = [
        (new_code_cell if cell.cell_type == "code" else new_markdown_cell)(cell.source) for cell in notebook.cells
    ]
    return new_notebook(cells=cells)


ALL = dict.fromkeys([task.id for task in SHEET.tasks], True)
TEXTS = [task.id for task in SHEET.tasks if task.tagged("answer-text")]
GUESSES = [task.id for task in SHEET.tasks if task.tagged("predict")]
CODE = [task.id for task in SHEET.tasks if task.tagged("answer")]


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A class of ten, marked: the submissions, the table and the pages."""
    folder = tmp_path_factory.mktemp("submissions")
    half = dict.fromkeys([*GUESSES, "w1.2"], True) | {"w1.3": ALMOST_HISTOGRAM, "w1.4": ALMOST_STEP}
    hostile = ALL | {"w1.2": LOOP, "w1.3": PRINTS, "w1.4": READS, "w1.6": DIES, "w1.7": BROKEN}
    alone = ALL | {"w1.4": "def bayes_step(f, N, Pr):\n    return Pr"}
    for name, notebook in {
        "ada": answered(ALL, "ada"),
        "bob": answered(half | dict.fromkeys(TEXTS, TEXT), "bob"),
        "cem": answered({}, "cem"),
        "dan": answered(hostile, "dan"),
        "eve": bare(answered(ALL, "Eve Adams", "autumn 2027")),
        "fay": answered(alone, "fay"),
        "gil": answered(dict.fromkeys(GUESSES, True), "ada"),
        "jan": answered({"w1.1": True}, "your.name", "autumn 2027"),
    }.items():
        (folder / name).mkdir()
        nbformat.write(notebook, folder / name / "w1-reconstruction.ipynb")
    tampered = answered({}, "hal")
    for cell in tampered.cells:
        cell.source = cell.source.replace("import check", "import student\ncheck = print #").replace(
            "check(", "print("
        )
    nbformat.write(tampered, folder / "w1-reconstruction-hal.ipynb")
    (folder / "ivy").mkdir()
    (folder / "ivy" / "w1.ipynb").write_text("this is no notebook")
    out = folder.parent / "out"
    arguments = [str(folder), "--to", str(out), "--limit", LIMIT]
    assert main(arguments) == 0
    given = pd.read_csv(folder / "texts.csv", dtype={"points": float})
    given["points"] = given["of"].where(given["student"] != "bob", 2)
    given.to_csv(folder / "texts.csv", index=False)
    assert main(arguments) == 0
    return folder, out, pd.read_csv(out / "grades.csv", index_col="student").fillna({"note": ""})


def test_three_samples_get_twenty_eleven_and_nothing(marked):
    table = marked[2]
    assert table.loc[["ada", "bob", "cem"], "w1"].tolist() == [20, 11, 0]


def test_points_are_given_task_by_task(marked):
    expected = dict.fromkeys(ALL, 0) | dict.fromkeys(GUESSES, 1) | {"w1.2": 2, "w1.3": 1, "w1.4": 2}
    assert marked[2].loc["bob", list(ALL)].to_dict() == expected | dict.fromkeys(TEXTS, 2)


def test_a_hostile_sheet_loses_these_tasks_alone(marked):
    row = marked[2].loc["dan"]
    assert row[CODE].sum() == 0
    assert row["w1"] == 20 - sum(SHEET.task(task).points for task in CODE)


def test_the_batch_goes_on_and_each_has_a_row(marked):
    table = marked[2]
    assert table.index.tolist() == ["ada", "bob", "cem", "dan", "eve", "fay", "gil", "hal", "ivy", "jan"]
    assert table.loc["ivy", "w1"] == 0
    assert "could not be run" in table.loc["ivy", "note"]


def test_ids_and_metadata_are_not_needed(marked):
    assert marked[2].loc["eve", "w1"] == 20


def test_a_course_has_numbers_of_its_own_and_another_course_is_noticed(marked):
    """Eve's answer to w1.7 is right for her numbers of that course, and for no others."""
    table = marked[2]
    assert table.loc["eve", "w1.7"] == SHEET.task("w1.7").points
    assert "the course 'autumn 2027', unlike the others" in table.loc["eve", "note"]
    assert "names no student" in table.loc["jan", "note"]
    assert table.index[table["note"].str.contains("unlike")].tolist() == ["eve", "jan"]


def test_an_error_is_not_counted_twice(marked):
    """A task that failed is solved for the tasks that build on it."""
    lost = {task: SHEET.task(task).points - marked[2].loc["fay", task] for task in ALL}
    assert {task: number for task, number in lost.items() if number} == {"w1.4": 3}


def test_checks_that_a_student_has_changed_are_not_used(marked):
    assert marked[2].loc["hal", "w1"] == 0


def test_two_with_the_same_numbers_are_noticed(marked):
    notes = marked[2]["note"]
    assert "so have gil" in notes["ada"]
    assert "so have ada" in notes["gil"]
    assert not notes["bob"]


def test_feedback_names_nobody_else(marked):
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (marked[1] / "feedback").iterdir()}
    assert "gil" not in pages["ada"]
    assert "numbers of ada" not in pages["gil"]
    assert "autumn 2027" not in pages["eve"]


def test_feedback_says_what_was_found_and_tells_no_solution(marked):
    page = (marked[1] / "feedback" / "dan.html").read_text(encoding="utf-8")
    for said in ("longer than 20 seconds", "printed more than", "PermissionError", "kernel died", "SyntaxError"):
        assert said in page
    assert "bob" in (marked[1] / "feedback" / "bob.html").read_text(encoding="utf-8")
    for path in (marked[1] / "feedback").iterdir():
        assert SHEET.task("w1.8").tagged("answer-text")[0].source not in path.read_text(encoding="utf-8")


def test_the_marker_reads_each_text_below_its_rubric(marked):
    page = (marked[1] / "to-mark.html").read_text(encoding="utf-8")
    assert page.count("I stopped after 79 rounds") == len(TEXTS)
    assert page.index("rubric") < page.index("<h3>bob")


def test_marks_are_stored_and_nothing_runs_twice(marked, monkeypatch, capsys):
    folder, out, table = marked
    monkeypatch.setattr("grade.Desk", lambda *_: pytest.fail("a sheet was run again"))
    assert main([str(folder), "--to", str(out), "--limit", LIMIT]) == 0
    pd.testing.assert_frame_equal(
        pd.read_csv(out / "grades.csv", index_col="student").fillna({"note": ""}), table
    )


def marks(**given: float | None) -> list[Mark]:
    return [Mark(task.replace("_", "."), "answer-text", 3, said, text="A text.") for task, said in given.items()]


def one(who: str, sheet: str, *own: Mark) -> Submission:
    return Submission(who, sheet, Path(f"{who}.ipynb"), who, [], list(own))


def test_the_points_of_texts_are_kept_and_new_texts_are_added(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("student,task,of,points\nada,w1.8,3,2.5\nzoe,w1.8,3,1\n")
    ada, bob = one("ada", "w1", *marks(w1_8=None)), one("bob", "w1", *marks(w1_8=None))
    assert with_texts([ada, bob], path) == 1
    assert (ada.marks[0].points, bob.marks[0].points) == (2.5, None)
    rows = pd.read_csv(path).set_index("student")["points"]
    assert rows.dropna().to_dict() == {"ada": 2.5, "zoe": 1}, "who is not here now keeps the points"
    assert rows.index.tolist() == ["ada", "bob", "zoe"]


@pytest.mark.parametrize(
    "saved",
    [
        "\ufeffstudent;task;of;points;comment;;\nJörg Müller;w1.8;3;2,5;Schön;;\n;;;;;;\n".encode(),
        "student;task;of;points;comment\r\nJörg Müller;w1.8;3;2,5;Schön\r\n".encode("cp1252"),
        "Student\ttask\tof\tpoints\tcomment\nJörg Müller\tw1.8\t3\t2.5\tSchön\n".encode("utf-16"),
        'student,task,of,points,comment,,\n"Jörg Müller", w1.8,3,"2,5",Schön,,\n'.encode(),
    ],
    ids=["semicolons", "Windows", "tabs", "commas"],
)
def test_a_table_of_texts_may_be_as_spreadsheet_programs_save_it(tmp_path, saved):
    path = tmp_path / "texts.csv"
    path.write_bytes(saved)
    for _ in range(2):
        own = marks(w1_8=None)
        assert with_texts([one("Jörg Müller", "w1", *own)], path) == 0
        assert (own[0].points, own[0].said) == (2.5, "Schön")
    assert path.read_bytes().startswith("\ufeff".encode()), "spreadsheet programs read umlauts then"


def test_what_the_marker_adds_to_the_table_of_texts_stays(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("student,task,of,points,comment,by\nada,w1.8,3,,Which rule?,me\n", encoding="utf-8")
    ada, bob = one("ada", "w1", *marks(w1_8=None)), one("bob", "w1", *marks(w1_10=None, w1_9=None))
    assert with_texts([bob, ada], path) == 3
    rows = path.read_text(encoding="utf-8-sig").splitlines()
    assert rows[0] == "student,task,of,points,comment,text,by"
    assert re.fullmatch(r"ada,w1\.8,3,,Which rule\?,t[0-9a-f]{8},me", rows[1])
    assert [row.split(",")[1] for row in rows[2:]] == ["w1.9", "w1.10"]


def test_points_of_a_text_are_not_those_of_the_next_one(tmp_path):
    path = tmp_path / "texts.csv"
    with_texts([one("ada", "w1", *marks(w1_8=None))], path)
    path.write_text(path.read_text(encoding="utf-8-sig").replace("w1.8,3,,", "w1.8,3,2,Which rule?"))
    assert with_texts([one("ada", "w1", *marks(w1_8=None))], path) == 0
    for _ in range(2):
        (new,) = marks(w1_8=None)
        new.text = "Another text."
        assert with_texts([one("ada", "w1", new)], path) == 1
        assert (new.points, new.said) == (None, "Which rule? [An earlier text had 2 points.]")


def test_points_of_a_text_that_is_not_here_are_told(tmp_path, capsys):
    path = tmp_path / "texts.csv"
    path.write_text("student,task,of,points\n7,w1.8,3,2\n", encoding="utf-8")  # 007, as a spreadsheet saved it
    assert with_texts([one("007", "w1", *marks(w1_8=None))], path) == 1
    assert "no text of 7 for w1.8" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "student,task,points\nada,w1.8,2\n",
        "student,task,of,points\nada,w1.8,3,4\n",
        "student,task,of,points\nada,w1.8,3,two\n",
        "",
    ],
)
def test_a_table_of_texts_that_cannot_be_right_is_refused(tmp_path, text):
    path = tmp_path / "texts.csv"
    path.write_text(text)
    with pytest.raises(SystemExit, match="expected"):
        with_texts([one("ada", "w1", *marks(w1_8=None))], path)
    assert path.read_text() == text


def test_the_course_counts_the_best_three_weeks_and_the_project():
    class Worth:
        def __init__(self, points):
            self.points = points
            self.tasks = ()

    sheets = {name: Worth(20) for name in ("w1", "w2", "w3", "w4")} | {"project": Worth(40)}
    given = {"w1": 20.0, "w2": 10.0, "w3": 4.0, "w4": 15.0, "project": 30.0}
    found = [one("ada", name, Mark(f"{name}.1", "check", 40, number)) for name, number in given.items()]
    found.append(one("bob", "w1", Mark("w1.1", "check", 40, 20)))
    table = grades(found, sheets)  # type: ignore[arg-type]
    assert table.loc["ada", "course"] == pytest.approx(60 * (20 + 15 + 10) / 60 + 40 * 30 / 40)
    assert table.loc["bob", "course"] == pytest.approx(60 * 20 / 60)


def test_a_text_that_is_not_marked_yet_has_an_empty_cell():
    table = grades([one("ada", "w1", Mark("w1.7", "check", 2, 2), *marks(w1_8=None, w1_9=0))], {"w1": SHEET})
    assert table.loc["ada", ["w1", "w1.7", "w1.9"]].tolist() == [2, 2, 0]
    assert pd.isna(table.loc["ada", "w1.8"])


def test_a_table_that_cannot_be_written_is_named(tmp_path, capsys):
    """As when a spreadsheet program holds it open, or the folder is read-only."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "w1.ipynb").touch()
    (tmp_path / "out" / "grades.csv").mkdir(parents=True)
    assert main([str(tmp_path), "--to", str(tmp_path / "out")]) == 1
    assert "grades.csv could not be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('me = student("Ada.Lovelace ")', "ada.lovelace"),
        ('me = student("Grace  Hopper")', "grace.hopper"),
        ("from oracles import student\nme = student(name='bob', course='2027')", "bob"),
        ("me = student(who)", None),
        ("me = student(", None),
    ],
)
def test_a_sheet_names_its_student(source, name):
    me = named(new_notebook(cells=[new_markdown_cell("student('eve')"), new_code_cell(source)]))
    assert (me.name if me else None) == name
    assert name != "bob" or me.course == "2027"


def test_the_newest_of_several_files_counts(tmp_path):
    (tmp_path / "ada").mkdir()
    for place, name in enumerate(("w1-reconstruction.ipynb", "w1-reconstruction (2).ipynb")):
        path = tmp_path / "ada" / name
        nbformat.write(answered({}, "ada"), path)
        os.utime(path, (place, place))
    (found,) = find_submissions(tmp_path, {"w1": SHEET})
    assert (found.path.name, found.who, found.sheet) == ("w1-reconstruction (2).ipynb", "ada", "w1")
    assert "2 files" in found.notes[0]


def put(folder: Path, *paths: str) -> list[tuple[str, str]]:
    """Whose files these are, and of which sheet."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return sorted((one.who, one.sheet) for one in find_submissions(folder, SHEETS))


MOODLE = "Ada Lovelace_12345_assignsubmission_file_/w1-reconstruction.ipynb"


@pytest.mark.parametrize(
    ("paths", "who"),
    [
        ([MOODLE, "Ada Lovelace_67890_assignsubmission_file/w3-answers-in-groups.ipynb"], "Ada Lovelace"),
        (
            [
                "lovelaceada_12_345_w1-reconstruction-1.ipynb",
                "lovelaceada_LATE_12_678_w3-answers-in-groups.ipynb",
            ],
            "lovelaceada",
        ),
        ([f"w1/{MOODLE}", "w3-answers-in-groups/Ada Lovelace/w3-answers-in-groups (1).ipynb"], "Ada Lovelace"),
        (["w1-reconstruction-1234567.ipynb", "1234567/w3.ipynb"], "1234567"),
        (["w1-ada.ipynb", "ada_w3 (1).ipynb"], "ada"),
        (
            [
                "Jo\u0308rg/w1-reconstruction.ipynb",
                "__MACOSX/J\u00f6rg/._w1.ipynb",
                "w3-answers-in-groups-J\u00f6rg.ipynb",
            ],
            "J\u00f6rg",
        ),
    ],
    ids=["Moodle", "Canvas", "weeks", "numbers", "short", "umlauts"],
)
def test_whose_file_it_is(tmp_path, paths, who):
    assert put(tmp_path, *paths) == [(who, "w1"), (who, "w3")]


def test_two_students_of_one_name_stay_two(tmp_path):
    both = [MOODLE, MOODLE.replace("12345", "12346"), MOODLE.replace("Ada", "Eve")]
    assert [who[:18] for who, _ in put(tmp_path, *both)] == [
        "Ada Lovelace_12345",
        "Ada Lovelace_12346",
        "Eve Lovelace",
    ]


def test_a_folder_that_is_no_student_is_noticed(tmp_path):
    put(tmp_path, "first week/ada/w1-reconstruction.ipynb", "first week/bob/w1-reconstruction.ipynb")
    found, *_ = find_submissions(tmp_path, SHEETS)
    assert "is first week one student?" in found.asides[-1]


def test_what_is_no_notebook_is_named_and_who_sent_none_has_a_row(tmp_path, capsys):
    sent = {
        "ann/w1.ipynb": b"",
        "ben/w1.ipynb": b"PK\x03\x04",
        "coy/w1.ipynb": b'{"cells": [',
        "dot/w1.pdf": b"%PDF",
    }
    put(tmp_path, *sent)
    for path, raw in sent.items():
        (tmp_path / path).write_bytes(raw)
    assert main([str(tmp_path), "--to", str(tmp_path / "out")]) == 0
    table = pd.read_csv(tmp_path / "out" / "grades.csv", index_col="student")
    for who, said in {"ann": "is empty", "ben": "Word", "coy": "no notebook", "dot": "holds w1.pdf"}.items():
        assert said in table.loc[who, "note"]
        assert said in (tmp_path / "out" / "feedback" / f"{who}.html").read_text(encoding="utf-8")
    assert table["w1"].isna().tolist() == [False, False, False, True]


def test_it_can_be_stopped_and_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    put(tmp_path, "ada/w1.ipynb")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grade.ThreadPoolExecutor.map", stop)
    assert main([str(tmp_path), "--to", str(tmp_path / "out")]) == 130
    assert "run this again" in capsys.readouterr().err


def test_a_fault_of_this_machine_is_not_stored(tmp_path, monkeypatch):
    nbformat.write(answered({}, "ada"), tmp_path / "w1-reconstruction-ada.ipynb")

    def fail(*_):
        raise RuntimeError("the kernel did not start")

    monkeypatch.setattr("grade.Desk", fail)
    assert main([str(tmp_path), "--to", str(tmp_path / "out")]) == 0
    assert "did not start" in pd.read_csv(tmp_path / "out" / "grades.csv").loc[0, "note"]
    assert not (tmp_path / "out" / "marks").exists()


def test_a_limit_that_nobody_can_keep_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--limit", "0"])
    assert "the limit is 0" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_a_folder_without_notebooks_is_refused(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match=r"notebook|folder"):
        main([str(tmp_path / folder)])


def test_what_a_file_was_worth_is_stored_as_plain_data(marked):
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in (marked[1] / "marks").iterdir()]
    assert {len(told["marks"]) for told in stored} == {sum(len(task.graded) for task in SHEET.tasks)}
    assert sum(points(cell) for task in SHEET.tasks for cell in task.graded) == 20


HOSTILE = "=HYPERLINK(1)\x1b[31m<script>"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names and links")
def test_what_a_student_names_or_writes_harms_neither_table_nor_page(tmp_path, capsys):
    """Formulas, signs that steer a terminal, halves of signs, marks of HTML, a bare name of bytes."""
    folder, out = tmp_path / "in", tmp_path / "out"
    texts = dict.fromkeys(TEXTS, "Half a sign: \ud800. \x1b[31m<script>alert(1)</script>")
    for name in (HOSTILE, "a" * 250):
        (folder / name).mkdir(parents=True)
        (folder / name / "w1.ipynb").write_text(json.dumps(answered(texts, "ada")))
    assert main([str(folder), "--to", str(out)]) == 0
    table = pd.read_csv(out / "grades.csv", index_col="student")
    assert table.index.tolist() == ["_HYPERLINK(1)_[31m<script>", "a" * 60]
    pages = [path.read_text(encoding="utf-8") for path in [*out.glob("*.html"), *out.glob("feedback/*.html")]]
    assert len(pages) == 3
    assert not any("<script" in page or "\x1b" in page for page in pages)
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names and links")
def test_a_link_is_nobodys_work(tmp_path):
    """A link in an archive could lead to the solutions, or to somebody else's file."""
    for name in ("ada", "eve"):
        (tmp_path / name).mkdir()
    nbformat.write(answered({}, "ada"), tmp_path / "ada" / "w1.ipynb")
    (tmp_path / "eve" / "w1.ipynb").symlink_to(SHEET.path)
    found = find_submissions(tmp_path, {"w1": SHEET})
    assert [(one.who, one.sheet) for one in found] == [("ada", "w1"), ("eve", "")]
    assert "no notebook" in found[1].notes[0]


def test_a_file_that_nobody_may_read_does_not_stop_the_others(tmp_path, monkeypatch):
    (tmp_path / "in" / "eve").mkdir(parents=True)
    (tmp_path / "in" / "eve" / "w1.ipynb").write_text("{}")
    monkeypatch.setattr("grade.digest", lambda *_: (_ for _ in ()).throw(PermissionError("not yours")))
    assert main([str(tmp_path / "in"), "--to", str(tmp_path / "out")]) == 0
    table = pd.read_csv(tmp_path / "out" / "grades.csv", index_col="student")
    assert "could not be marked: PermissionError: not yours" in table.loc["eve", "note"]
