"""What a student sees of a wrong answer in a notebook, and whose numbers a name brings."""

import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from oracles import student
from rerun import COURSE

FAILS = """from oracles import check


def bayes_step(f, N, Pr):
    expected = Pr @ f
    return inner(f @ N) / expected


def inner(numbers):
    return numbers"""
CELLS = [
    FAILS,
    'check("w1.4", bayes_step)',
    'check("w1.4", 1)',
    "def bayes_step(f, N, Pr):\n    raise NotImplementedError('w1.4')",
    'check("w1.4", bayes_step)',
    'check("w1.44", bayes_step)',
    "try:\n    check('w1.4', None)\nexcept AssertionError as error:\n    print(error)",
]


@pytest.fixture(scope="module")
def shown() -> list[str]:
    """What stands below each of the cells."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS])
    resources = {"metadata": {"path": str(COURSE)}}
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, resources=resources).execute()
    nbformat.validate(notebook)
    return [
        "".join("\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs)
        for cell in notebook.cells
    ]


def test_a_wrong_answer_is_told_in_a_paragraph(shown):
    assert shown[2] == "w1.4 does not hold yet. bayes_step is 1; we expect a function."
    assert re.fullmatch(r"w1\.4 does not hold yet\. .* is not written yet: .*", shown[4])


def test_a_function_that_fails_is_told_with_its_line(shown):
    first, second = shown[1].split("\n")
    assert first.startswith("w1.4 does not hold yet. bayes_step(f, N, Pr) stops with ValueError: ")
    assert second == "It stops at line 6 of its cell:  return inner(f @ N) / expected"


def test_other_errors_keep_their_traceback_and_a_program_may_catch_a_refusal(shown):
    assert "Traceback" in shown[5]
    assert "no check of a task 'w1.44'" in shown[5]
    assert shown[6].startswith("bayes_step is None; we expect a function.")


@pytest.mark.parametrize("name", ["Grace Hopper", "GRACE.HOPPER", " grace  hopper\n", "Grace\u00a0Hopper"])
def test_capital_letters_and_blanks_in_a_name_do_not_count(name):
    assert student(name).name == "grace.hopper"
    assert student(name).rng("w1.7").random() == student("grace.hopper").rng("w1.7").random()
