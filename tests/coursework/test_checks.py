"""The checks of the sheets: they pass the sheet's answers and other right ones, and refuse wrong ones by name.

No kernel: the cells of a sheet are executed one after the other in a namespace, without the solutions' pictures.
"""

import contextlib
import io
import re
from collections.abc import Iterator
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from oracles import WrongAnswerError
from rerun import COURSE

WEEKS = sorted(path.stem for path in Path(__file__).with_name("wrong").glob("w*.py"))
LEFT_OUT = {"check", "hidden", "solution"}
HIDDEN = {False: "check", True: "hidden"}


def tag(cell: Any) -> str:
    return next(iter(cell.metadata.get("tags", [])), "")


@cache
def cells(week: str) -> list[Any]:
    (path,) = COURSE.glob(f"{week}-*.ipynb")
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@cache
def solved(week: str) -> dict[str, Any]:
    """All names of a sheet after its answers."""
    names: dict[str, Any] = {}
    with contextlib.chdir(COURSE):
        for cell in cells(week):
            if tag(cell) not in LEFT_OUT:
                exec(compile(cell.source, cell.id, "exec"), names)
    return names


def checks(week: str) -> dict[tuple[str, bool], str]:
    """The source of each check, by task and by whether it is hidden."""
    return {
        (cell.metadata["ppdm"]["task"], tag(cell) == "hidden"): cell.source
        for cell in cells(week)
        if tag(cell) in {"check", "hidden"}
    }


def guessed(week: str) -> set[str]:
    return {cell.metadata["ppdm"]["task"] for cell in cells(week) if tag(cell) == "predict"}


@cache
def known(week: str, kind: str = "wrong") -> dict[str, list[tuple[str, ...]]]:
    """The wrong or right answers that are kept for a sheet."""
    spec = spec_from_file_location(f"{kind}_{week}", Path(__file__).with_name(kind) / f"{week}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kind.upper())


def told(source: str, names: dict[str, Any]) -> str:
    """What a check says: its message, or what it prints."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(source, dict(names))
        said = f"holds\n{out.getvalue()}"
    except WrongAnswerError as error:
        said = f"refused\n{error}"
    assert len(said) < 600, said
    return said


def every_check() -> Iterator[Any]:
    for week in WEEKS:
        for (task, hidden), source in checks(week).items():
            yield pytest.param(week, source, id=f"{task}-{HIDDEN[hidden]}")


def every_wrong_answer() -> Iterator[Any]:
    for week in WEEKS:
        for task, listed in known(week).items():
            for wrong in listed:
                yield pytest.param(week, task, *wrong[1:], id=f"{task}: {wrong[0]}")


def every_right_answer() -> Iterator[Any]:
    for week in WEEKS:
        for task, listed in known(week, "right").items():
            for name, answer in listed:
                yield pytest.param(week, task, answer, id=f"{task}: {name}")


@pytest.mark.parametrize(("week", "source"), list(every_check()))
def test_the_answers_of_the_sheet_are_right_and_are_so_each_time(week, source):
    first, second = (told(source, solved(week)) for _ in range(2))
    assert first.startswith("holds")
    assert first == second


@pytest.mark.parametrize(("week", "task", "answer", "which", "word"), list(every_wrong_answer()))
def test_a_wrong_answer_is_refused_and_named(week, task, answer, which, word):
    names = dict(solved(week))
    exec(answer, names)
    if which == "hidden":
        visible = told(checks(week).get((task, False), ""), names)
        assert visible.startswith("holds"), "the visible check sees it already"
    refused = told(checks(week)[task, which == "hidden"], names)
    assert refused.startswith("refused")
    assert word in refused


@pytest.mark.parametrize(("week", "task", "answer"), list(every_right_answer()))
def test_a_right_answer_by_other_means_passes_both_checks(week, task, answer):
    names = dict(solved(week))
    exec(answer, names)
    for hidden in (False, True):
        said = told(checks(week).get((task, hidden), ""), names)
        assert said.startswith("holds"), said


def with_hidden() -> Iterator[Any]:
    for week in WEEKS:
        for (task, hidden), source in checks(week).items():
            if hidden and "me, " not in source:
                yield pytest.param(week, task, id=task)


@pytest.mark.parametrize(("week", "task"), list(with_hidden()))
def test_what_the_visible_check_asks_may_not_be_learned_by_heart(week, task):
    names, visible = dict(solved(week)), checks(week)[task, False]
    by_heart: dict[str, Any] = {}
    calls = [(name, names[name]) for name in re.findall(r"\w+", visible.partition(",")[2])]

    def learned(name, answer, *given):
        try:
            by_heart[f"{name}{given}"] = answer(*given)
        except ValueError as error:
            by_heart[f"{name}{given}"] = error
            raise
        return by_heart[f"{name}{given}"]

    def recited(name, _, *given):
        last = [value for call, value in by_heart.items() if call.startswith(name)][-1]
        value = by_heart.get(f"{name}{given}", last)
        if isinstance(value, ValueError):
            raise value
        return value

    for do in (learned, recited):
        assert told(visible, names | {name: partial(do, name, answer) for name, answer in calls}).startswith(
            "holds"
        )
    recites = names | {name: partial(recited, name, answer) for name, answer in calls}
    assert told(checks(week)[task, True], recites).startswith("refused")


@pytest.mark.parametrize("week", WEEKS)
def test_each_task_has_right_answers_by_other_means(week):
    assert set(known(week, "right")) == {task for task, _ in checks(week)} - guessed(week)


@pytest.mark.parametrize("week", WEEKS)
def test_each_task_has_wrong_answers_and_each_wrong_answer_a_task(week):
    automatic = {task for task, _ in checks(week)} - guessed(week)
    assert {task for task, listed in known(week).items() if len(listed) >= 2} >= automatic
    assert set(known(week)) <= automatic | guessed(week)


def untouched(*given: Any) -> None:
    raise NotImplementedError("w0.0")


def broken(*given: Any) -> None:
    raise ZeroDivisionError("division by zero")


def gives(value: Any) -> Any:
    return lambda *_: value


NOTHING: dict[str, Any] = {
    "None": None,
    "NaN": float("nan"),
    "inf": float("inf"),
    "text": "a text",
    "text of a number": "0.5",
    "truth": True,
    "ragged": [[1.0], [1.0, 2.0]],
    "object": object(),
    "empty": np.zeros(0),
    "complex": 1j,
    "matrix": np.ones((7, 7)),
    "array of NaN": np.full((3, 3), np.nan),
}
USELESS = {"untouched": untouched, "broken": broken} | NOTHING
USELESS |= {f"gives {name}": gives(value) for name, value in NOTHING.items()}


@pytest.mark.parametrize("useless", USELESS)
@pytest.mark.parametrize(("week", "source"), list(every_check()))
def test_what_is_no_answer_is_refused_in_words(week, source, useless):
    names = solved(week)
    seen: list[Any] = []
    exec(source, names | {"check": lambda _task, *answers, **_: seen.extend(answers)})
    answers = [name for name, value in names.items() if any(value is one for one in seen) and name != "me"]
    assert answers
    for name in answers:
        first, second = (told(source, names | {name: USELESS[useless]}) for _ in range(2))
        assert first.startswith("refused")
        assert first == second


def test_a_guess_that_no_float_can_hold_is_refused_in_words():
    assert told(checks("w1")["w1.1", False], solved("w1") | {"wrong_place": 10**400}).startswith("refused")


@pytest.mark.parametrize("change", ["Pr *= 1.5", "N[0] += 1", "f[0, 0] = 0"])
def test_an_answer_that_changes_what_it_is_given_is_refused(change):
    names = dict(solved("w1"))
    names["right"] = names["bayes_step"]
    exec(f"def bayes_step(f, N, Pr):\n    new = right(f, N, Pr)\n    {change}\n    return new", names)
    assert "changes what it is given" in told(checks("w1")["w1.4", False], names)
