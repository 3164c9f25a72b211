"""The controls of panels: all of one width, and at values that they can stand at."""

from collections.abc import Iterable
from typing import Any

import ipywidgets as ipw

from ppdm import checks


def labelled(width: str = "340px") -> dict[str, Any]:
    """The options of a control: its label and itself, in one width for all."""
    return {"style": {"description_width": "100px"}, "layout": ipw.Layout(width=width, max_width="calc(100% - 4px)")}


def slider(name: str, value: Any, low: int, high: int, step: int = 1, label: str = "") -> ipw.IntSlider:
    """A slider over whole numbers, if the value is one of them."""
    checks.whole(name, value, low, high)
    return ipw.IntSlider(value, low, high, step, description=label or name, **labelled())


def choice(name: str, value: Any, options: Iterable[Any], label: str = "") -> ipw.Dropdown:
    """A list to choose from, if the value is in it."""
    known = list(options)
    checks.choice(name, value, known)
    return ipw.Dropdown(options=known, value=value, description=label or name, **labelled())


def accept(control: Any, name: str, value: Any) -> None:
    """Refuse a value that a control cannot stand at: ipywidgets would move it to the nearest end without a word."""
    if hasattr(control, "options"):
        checks.choice(name, value, control.options)
    elif isinstance(control, ipw.IntSlider):
        checks.whole(name, value, control.min, control.max)
    elif isinstance(control, ipw.FloatSlider):
        checks.number(name, value, control.min, control.max)
    elif isinstance(control, ipw.Checkbox):
        checks.flag(name, value)
    elif not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected a text")
