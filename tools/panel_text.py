"""What a panel has saved of itself in a notebook: its name, its controls and its numbers, read from one line of text.

The line is ``NoiseExplorer(noise='uniform', privacy=100): distance: 0.155; ε: infinite, so there is no bound``.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class PanelText:
    """A panel's name, what its controls are set to, and the numbers that it shows."""

    name: str
    controls: dict[str, str]
    facts: dict[str, str]


def panel_text(line: str) -> PanelText | None:
    """The panel that a line tells of; None for the text of another object."""
    line = line.strip()
    if not re.match(r"\w+Explorer\(", line):
        return None
    for close in re.finditer(r"\): ", line):
        try:
            call = ast.parse(line[: close.start() + 1], mode="eval").body
        except SyntaxError:  # this parenthesis stands inside a text of the call
            continue
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            controls = {str(word.arg): said(word.value) for word in call.keywords}
            return PanelText(call.func.id, controls, facts(line[close.end() :]))
    raise ValueError(f"a panel's text is not its call and its numbers: {line[:80]!r}")


def said(value: ast.expr) -> str:
    """A control's value in words."""
    if isinstance(value, ast.Name):  # a column or a table that was given to the panel
        return "your own"
    found = ast.literal_eval(value)
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, dict):
        return "; ".join(f"{key}: {part}" for key, part in found.items())
    if isinstance(found, list | tuple):
        return ", ".join(map(str, found))
    return "; ".join(str(found).splitlines()) or "none"


def facts(text: str) -> dict[str, str]:
    """The numbers by their labels. A piece without a label, or with one that comes again, belongs to the one before."""
    pieces = [piece.partition(": ") for piece in text.split("; ")]
    labels = Counter(label for label, colon, _ in pieces if colon)
    found: dict[str, str] = {}
    label = ""
    for first, colon, rest in pieces:
        if not found or (colon and labels[first] == 1):
            label = first if colon else "shown"
            found[label] = rest if colon else first
        else:
            found[label] += f"; {first}{colon}{rest}"
    return found
