"""The marker's table is what its tool computes, and its numbers are what the checks accept."""

import re
from importlib import import_module

import nbformat
import numpy as np
import pandas as pd
import pytest
from marks import EXAMPLE, MARKS, table
from rerun import FOLDER
from sheets import read_sheet, sheet_paths, student

SAVED = pd.read_csv(MARKS, index_col="task", dtype={"objectives": str})
FEW = 3  # students; all 200 are computed by `make marks`
WEEKS = [path for path in sheet_paths() if path.stem != "project"]


@pytest.fixture(scope="module")
def computed():
    return table(students=FEW).set_index("task")


def test_the_saved_table_is_up_to_date(computed):
    drawn = ["5 %", "95 %"]
    assert list(SAVED.columns) == list(computed.columns)
    pd.testing.assert_frame_equal(SAVED.drop(columns=drawn), computed.drop(columns=drawn), atol=1e-4)


def test_points_are_those_of_the_sheets():
    for path in sheet_paths():
        sheet = read_sheet(path)
        own = SAVED.loc[[task.id for task in sheet.tasks]]
        assert own["points"].sum() == sheet.points == (40 if sheet.name == "project" else 20)
        assert (own[["prediction", "check", "hidden", "answer-text"]].sum(axis=1) == own["points"]).all()


def test_numbers_differ_between_students_by_more_than_the_tolerance():
    """Else a neighbour's number would do. And every range holds what the example finds, or nearly."""
    numbers = SAVED.dropna(subset=["tolerance"])
    assert len(numbers) >= len(WEEKS)
    assert (numbers["95 %"] - numbers["5 %"] > 2 * numbers["tolerance"]).all()


@pytest.mark.parametrize("path", WEEKS, ids=lambda path: path.stem)
def test_a_neighbours_number_seldom_passes(path):
    """Of ten neighbours' numbers at most four are near enough to one's own (most by chance)."""
    hidden = import_module(f"oracles.hidden_{path.stem[:2]}")
    for task, reference in hidden.REFERENCES.items():
        own = reference(student(EXAMPLE))
        others = np.array([reference(student(f"neighbour.{number}")) for number in range(10)])
        assert (np.abs(others - own) <= hidden.TOLERANCES[task]).sum() <= 4, task


def test_each_objective_of_a_task_is_one_of_its_lesson():
    objectives = {
        path.stem[:2]: set(re.findall(r"^(\d+)\. ", nbformat.read(path, 4).cells[0].source, re.MULTILINE))
        for path in FOLDER.glob("0?-*.ipynb")
        if "further" not in path.stem
    }
    for task, named in SAVED["objectives"].items():
        for objective in named.split():
            lesson, number = objective.split(".")
            assert number in objectives[lesson], f"{task}: {objective}"
