"""What panels are made of: stages, controls of one width, numbers as a table, code to copy, what is said in words."""

import html
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ipywidgets as ipw

from ppdm import checks

RESET = {"description": "Reset", "icon": "undo", "tooltip": "Back to where the controls stood at first"}
CSS = """
.ppdm-pictures img {max-width: calc(100% - 4px); height: auto; align-self: flex-start}
.ppdm-pictures img, .ppdm-facts, .ppdm-code {transition: opacity 0.1s linear 0.15s}
.ppdm-stale .ppdm-pictures img, .ppdm-stale .ppdm-facts, .ppdm-stale .ppdm-code {opacity: 0.35}
.ppdm-facts {border-collapse: collapse; margin: 4px 0}
.ppdm-facts th, .ppdm-facts td {padding: 1px 14px 1px 0; text-align: left; line-height: 1.4}
.ppdm-facts th {font-weight: normal; min-width: 10em; vertical-align: top}
.ppdm-facts td {font-weight: bold}
.ppdm-code {display: flex; align-items: flex-start; gap: 8px}
.ppdm-code button {flex: none}
.ppdm-code pre {margin: 0; min-width: 0; font-size: 12px; line-height: 1.35}
.ppdm-code pre {white-space: pre-wrap; overflow-wrap: anywhere}
.ppdm-error {color: #B00020; font-weight: bold; line-height: 1.4; white-space: pre-line}
"""
BARS = "PPDM_PROGRESS"  # what turns bars off
BEFORE: list[str] = []  # what it was as each of those at work came
UNBOUNDED = "infinite, so there is no bound"  # an ε
COPY = "navigator.clipboard.writeText(this.nextElementSibling.textContent)"


@dataclass(frozen=True, eq=False)
class Stage:
    """How far the work for a state of the controls is.

    Attributes
    ----------
    view : what can be shown by now; None: nothing yet, so what is shown stays, marked as of the state before
    done, total : steps
    doing : what comes next, in a few words
    redraw : whether the pictures change with this view, and not the numbers alone
    """

    view: Any
    done: int = 1
    total: int = 1
    doing: str = ""
    redraw: bool = True


def without_bars(work: Iterator[Stage]) -> Iterator[Stage]:
    """The stages, and no progress bar of the library while they go on: it would stay in the cell, empty."""
    BEFORE.append(os.environ.get(BARS, ""))
    os.environ[BARS] = "off"
    try:
        yield from work
    finally:
        os.environ[BARS] = BEFORE.pop()  # as the first of several works found it, when the last one ends


def labelled(label: str, tip: str = "", width: str = "340px") -> dict[str, Any]:
    """The options of a control: its label with a tooltip, and itself, in one width for all."""
    layout = ipw.Layout(width=width, max_width="calc(100% - 4px)")
    style = {"description_width": "100px"}
    return {"description": label, "tooltip": tip or label, "style": style, "layout": layout}


def slider(name: str, value, low: int, high: int, step: int = 1, label: str = "", tip: str = "") -> ipw.IntSlider:
    """A slider over whole numbers, at a checked value; its tooltip says where it ends, too."""
    _check_place(name, value, low, high, step)
    reach = f"{tip or label or name}: {low:,} to {high:,}" + f", in steps of {step}" * (step > 1)
    return ipw.IntSlider(value, low, high, step, **labelled(label or name, reach))


def choice(name: str, value, options: Iterable[Any], label: str = "", tip: str = "") -> ipw.Dropdown:
    """A list to choose from, at a checked value."""
    known, told = list(options), labelled(label or name)
    checks.choice(name, value, known)
    if tip:  # the page shows a list's tooltip only where it has no label
        words = f"<span title='{html.escape(tip)}'>{html.escape(label or name)}</span>"
        told |= {"description": words, "description_allow_html": True}
    return ipw.Dropdown(options=known, value=value, **told)


def stops(name: str, value, options: Iterable[Any], label: str = "", tip: str = "") -> ipw.SelectionSlider:
    """A slider over these places alone, at a checked value."""
    known = list(options)
    checks.choice(name, value, known)
    made = ipw.SelectionSlider(options=known, value=value, **labelled(label or name, tip))
    return made.add_class("jupyter-widgets")  # which it lacks: without, it has other margins than its neighbours


def accept(control, name: str, value) -> None:
    """Refuse a value that a control cannot take: ipywidgets would take the nearest one without a word."""
    if hasattr(control, "options"):
        checks.choice(name, value, control.options)
    elif isinstance(control, ipw.IntSlider):
        _check_place(name, value, control.min, control.max, control.step)
    elif isinstance(control, ipw.FloatSlider):
        checks.number(name, value, f"[{control.min:g}, {control.max:g}]")
    elif isinstance(control, ipw.Checkbox):
        checks.flag(name, value)
    elif not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected a text")


def _check_place(name, value, low, high, step):
    if (checks.whole(name, value, low, high) - low) % step:
        raise ValueError(f"{name} is {value}; expected one of {low}, {low + step}, {low + 2 * step}, … {high}")


def style() -> ipw.HTML:
    """The panel's style sheet."""
    return ipw.HTML(f"<style>{CSS}</style>", layout=ipw.Layout(display="none"))


def in_rows() -> ipw.Layout:
    """Side by side, and below each other where the page is narrow."""
    return ipw.Layout(flex_flow="row wrap", align_items="flex-start", width="100%")


def percent(share: float, digits: int = 1) -> str:
    """A share in words: "13.2 %"."""
    # Rounded to nine digits first, 0.9450000000000002 says the same as 0.945 does. The 0.0 makes a zero of −0.0.
    return f"{round(round(100 * share, 9), digits) + 0.0:.{digits}f} %"


def table(facts: Mapping[str, str]) -> str:
    """Numbers with their names."""
    texts = [map(html.escape, pair) for pair in facts.items()]
    rows = [f"<tr><th scope=row>{name}</th><td>{fact}</td></tr>" for name, fact in texts]
    return f"<table class='ppdm-facts'>{''.join(rows)}</table>"


def code_block(name: str, code: str) -> str:
    """Code under its name, with a button that copies it."""
    button = f"<button class='jupyter-button' onclick='{COPY}' title='Copy: {name}'>Copy</button>"
    return f"{name}<div class='ppdm-code'>{button}<pre>{html.escape(code)}</pre></div>"


def busy(doing: str) -> str:
    """What the work does now."""
    return f"<span role='status'>{html.escape(doing)}</span>"


def alert(error: BaseException, pale: bool) -> str:
    """What went wrong, in plain words; and what is still shown, if something is."""
    words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    text = f"{html.escape(words)}." + " What is pale belongs to an earlier state." * pale
    return f"<span role='alert' class='ppdm-error'>{text}</span>"
