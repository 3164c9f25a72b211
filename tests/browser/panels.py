"""Panels in a real page: find their controls by their labels, move them, and tell what is shown."""

import ast
import base64
import html
import re
from dataclasses import dataclass
from typing import Any

import ipywidgets as ipw
import ppdm.widgets
from lab import WAIT

STALE = """panel => panel.classList.contains("ppdm-stale")"""
SHOWN = """async panel => Promise.all(Array.from(panel.querySelectorAll(".ppdm-pictures img"), async image => {
    const bytes = new Uint8Array(await (await fetch(image.src)).arrayBuffer())
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""))
}))"""
FACTS = """panel => Array.from(panel.querySelectorAll(".ppdm-facts tr"), row =>
    [row.querySelector("th").textContent, row.querySelector("td").textContent])"""


@dataclass
class Shown:
    """A panel in a page, and its twin: the same panel without a browser."""

    element: Any
    twin: Any

    def control(self, name: str) -> Any:
        """What a reader moves, found by its label."""
        words = label_of(self.twin.controls[name])
        if isinstance(self.twin.controls[name], ipw.Checkbox):
            return self.element.locator(".widget-checkbox").filter(has_text=words).locator("input")
        label = self.element.locator(".widget-label").filter(has_text=re.compile(f"^{re.escape(words)}$"))
        return label.locator("xpath=..").locator(
            "select, .noUi-handle, textarea, input[type=checkbox], input[type=text]"
        )

    def move(self, name: str) -> None:
        """Move a control by the keyboard to another place, and its twin likewise."""
        control, there = self.twin.controls[name], self.control(name)
        there.focus()
        if isinstance(control, ipw.Dropdown):
            options = list(control.options)
            value = options[(options.index(control.value) + 1) % len(options)]
            there.select_option(label=str(value))
        elif isinstance(control, ipw.SelectionSlider):
            place = control.options.index(control.value)
            up = place + 1 < len(control.options)
            there.press("ArrowRight" if up else "ArrowLeft")
            value = control.options[place + (1 if up else -1)]
        elif isinstance(control, ipw.IntSlider | ipw.FloatSlider):
            up = control.value + control.step <= control.max
            there.press("ArrowRight" if up else "ArrowLeft")
            value = type(control.value)(round(control.value + (control.step if up else -control.step), 9))
        elif isinstance(control, ipw.Checkbox):
            there.press("Space")
            value = not control.value
        else:
            value = type_other(control.value)
            there.fill(value)
            there.blur()
        control.value = value

    def reset(self) -> None:
        """Press the button, and reset the twin."""
        self.element.get_by_role("button", name="Reset").press("Enter")
        self.twin.reset()

    def numbers(self) -> dict[str, str]:
        """The table of numbers."""
        return dict(self.element.evaluate(FACTS))

    def pictures(self) -> list[bytes]:
        """The pictures' bytes."""
        return [base64.b64decode(one) for one in self.element.evaluate(SHOWN)]

    def agrees(self) -> bool:
        """Whether page and twin show the same numbers and the same pictures, to the byte."""
        view = self.twin.view()
        if self.numbers() != dict(self.twin.facts(view)):
            return False
        return self.pictures() == [picture.sharp() for picture in self.twin.pictures()]

    def wait(self, page: Any) -> bool:
        """Wait until nothing is stale and page and twin agree; false if they do not within WAIT."""
        for _ in range(WAIT // 50):
            if not self.element.evaluate(STALE) and self.agrees():
                return True
            page.wait_for_timeout(50)
        return False


def label_of(control: Any) -> str:
    """What a reader sees beside a control; a tooltip may be around it."""
    words = control.description
    return html.unescape(re.sub("<[^>]*>", "", words)) if control.description_allow_html else words


def type_other(text: str) -> str:
    """Another text for groups: the first line's last name moves to the next line."""
    lines = [line.split(",") for line in text.splitlines()]
    if len(lines) == 1:
        return ",".join(lines[0][:-1]) + "\n" + lines[0][-1].strip()
    *rest, last = lines[0]
    moved = [rest, [*lines[1], f" {last.strip()}"], *lines[2:]]
    return "\n".join(",".join(line) for line in moved if line)


def twin_of(text: str) -> Any:
    """The panel whose line of numbers this is, made anew: "NoiseExplorer(privacy=50, …): distance …"."""
    call = ast.parse(text.split("): ")[0] + ")", mode="eval").body
    assert isinstance(call, ast.Call)
    arguments = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    return getattr(ppdm.widgets, call.func.id)(**arguments)


def panels_in(page: Any, cells: list[dict[str, Any]]) -> list[Shown]:
    """The panels of a notebook that has run, with their twins, from its cells' outputs."""
    lines = [
        output["data"]["text/plain"]
        for cell in cells
        for output in cell["outputs"]
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {})
        and "Explorer(" in output["data"]["text/plain"]
    ]
    elements = page.locator(".ppdm-panel")
    assert elements.count() == len(lines)
    return [Shown(elements.nth(k), twin_of(line)) for k, line in enumerate(lines)]
