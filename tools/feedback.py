"""Pages about marks: what a student reads, and what a person needs who marks the texts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nbconvert.filters.markdown import markdown2html
from sheets import Sheet, tag

if TYPE_CHECKING:
    from grade import Submission

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; }
tr { border-bottom: 1px solid #ccc; } td.points { white-space: nowrap; } .text { white-space: pre-wrap; }
td:last-child { overflow-wrap: anywhere; } tr { break-inside: avoid; }
@media (max-width: 40rem) { th, td { padding: .3rem .2rem; font-size: .85rem; } }
section { break-inside: avoid; border-left: 3px solid #ccc; padding-left: 1rem; margin: 1rem 0; }
"""
KINDS = {
    "prediction": "prediction",
    "check": "check in the sheet",
    "hidden": "further check",
    "answer-text": "text",
}


def page(title: str, body: list[str]) -> str:
    """A page that needs nothing else."""
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{view}<title>{escape(title)}</title><style>{STYLE}</style>'
    start = ["<!DOCTYPE html>", f'<html lang="en"><head>{head}</head><body><main>', f"<h1>{escape(title)}</h1>"]
    return "\n".join([*start, *body, "</main></body></html>", ""])


def feedback_page(who: str, own: list[Submission], sheets: dict[str, Sheet]) -> str:
    """What a student gets to read: the points of every part, and what the checks said. It tells no solution."""
    body = []
    for one in sorted(own, key=lambda one: one.sheet):
        sheet = sheets.get(one.sheet)
        if sheet is None:
            body.append(f"<p>{escape('; '.join(one.notes))}</p>")
            continue
        body.append(f"<h2>{escape(sheet.path.stem)}: {one.total():g} of {sheet.points} points</h2>")
        body += [f"<p>Note: {escape(note)}.</p>" for note in one.notes]
        body.append(
            '<table><thead><tr><th scope="col">task</th><th scope="col">what</th><th scope="col">points</th>'
        )
        body.append('<th scope="col">what we found</th></tr></thead><tbody>')
        for mark in one.marks:
            said = mark.said or ("not marked yet" if mark.points is None else "read by a person")
            given = "?" if mark.points is None else f"{mark.points:g}"
            cells = [f"{mark.task} {sheet.task(mark.task).title}", KINDS[mark.kind]]
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            body.append(f'<tr>{row}<td class="points">{given} of {mark.of}</td><td>{escape(said)}</td></tr>')
        body.append("</tbody></table>")
    return page(f"Feedback for {who}", body)


def to_mark_page(found: list[Submission], sheets: dict[str, Sheet]) -> str:
    """All texts, question by question, below the statement, the rubric and the model's answer."""
    body = [
        "<p>Write the points into texts.csv, beside the submissions, and what you want to say to a student into the "
        "column comment. This page holds model answers: keep it.</p>"
    ]
    for sheet in sheets.values():
        for task in sheet.tasks:
            texts = [(one, mark) for one in found for mark in one.marks if mark.task == task.id and mark.text]
            if not texts:
                continue
            body.append(f"<h2>{escape(task.id)} {escape(task.title)}</h2>")
            for name, title in (
                ("task", "The question"),
                ("rubric", "The rubric"),
                ("answer-text", "A model answer"),
            ):
                for cell in task.tagged(name):
                    source = cell.source.partition("\n")[2] if tag(cell) == "task" else cell.source
                    shown = f"<summary>{title}</summary>{markdown2html(source)}"
                    body.append(f"<details{' open' if name == 'rubric' else ''}>{shown}</details>")
            for one, mark in sorted(texts, key=lambda pair: pair[0].who):
                given = "not marked yet" if mark.points is None else f"{mark.points:g}"
                body.append(f"<section><h3>{escape(one.who)} (of {mark.of} points: {given})</h3>")
                body += [f"<p>Own numbers: {escape(said)}</p>" for said in own_numbers(one, sheet)]
                body.append(f'<div class="text">{escape(mark.text)}</div></section>')
    return page("Texts to mark", body)


def own_numbers(one: Submission, sheet: Sheet) -> list[str]:
    """What the further checks said of tasks with the student's own numbers: a text should fit them."""
    own = [task.id for task in sheet.tasks if any("me," in cell.source for cell in task.tagged("hidden"))]
    return [f"{mark.task}: {mark.said}" for mark in one.marks if mark.kind == "hidden" and mark.task in own]
