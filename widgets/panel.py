"""A panel: controls beside a picture, with three faces.

JupyterLab shows live controls; a page without a kernel shows the picture as it was saved; a test compares the line
of numbers, and the picture's pixels.
"""

import base64
import html
from abc import ABC, abstractmethod
from typing import Any

import ipywidgets as ipw

from ppdm import checks
from ppdm.plots import Picture

LABEL = {"description_width": "90px"}
WIDE = ipw.Layout(width="420px", max_width="calc(100% - 4px)")


def accept(control: Any, name: str, value: Any) -> None:
    """Nothing, if a control can stand at the value: ipywidgets would move it to the nearest end without a word."""
    if isinstance(control, ipw.IntSlider):
        checks.whole(name, value, control.min, control.max)
    elif isinstance(control, ipw.Dropdown):
        checks.choice(name, value, control.options)


class Panel(ABC):
    """What every explorer shares: it redraws when a control moves, resets, and says how to get its picture in code.

    A subclass makes its controls, names them in ``controls``, and answers three questions about their state: what to
    draw (``draw``), in one line what came out (``numbers``), and how to do the same by hand (``code``).
    """

    controls: dict[str, Any]

    def _assemble(self) -> None:
        """Put the controls beside the picture, and listen to them. To be called when the controls are there."""
        self._image = ipw.Image(format="png", layout=ipw.Layout(max_width="100%", align_self="flex-start"))
        self._line, self._code = ipw.HTML(), ipw.HTML()
        self._defaults = self.state
        reset = ipw.Button(description="Reset", icon="undo", tooltip="Back to where the controls stood at first")
        reset.on_click(lambda _: self.reset())
        for control in self.controls.values():
            control.observe(lambda _: self._redraw(), "value")
        self._held = False
        self._redraw()
        self.widget = ipw.VBox([*self.controls.values(), reset, self._line, self._image, self._code])

    @property
    def state(self) -> dict[str, Any]:
        """What the controls are set to."""
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values: Any) -> "Panel":
        """Move several controls at once, with one redraw; gives the panel back, to be the last value of a cell."""
        unknown = set(values) - set(self.controls)
        if unknown:
            raise ValueError(f"set has {sorted(unknown)}; expected some of {', '.join(self.controls)}")
        for name, value in values.items():
            accept(self.controls[name], name, value)
        self._held = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._held = False
        self._redraw()
        return self

    def reset(self) -> None:
        """Put the controls back to where they stood at first."""
        self.set(**self._defaults)

    @abstractmethod
    def draw(self) -> Picture:
        """The picture for the current state."""

    @abstractmethod
    def numbers(self) -> str:
        """What came out, in one line."""

    @abstractmethod
    def code(self) -> str:
        """How to get the same numbers without the panel, in a line or a few."""

    def png(self) -> bytes:
        """The picture as it stands, as the bytes of a PNG file."""
        return self._image.value

    def __repr__(self) -> str:
        state = ", ".join(f"{name}={value!r}" for name, value in self.state.items())
        return f"{type(self).__name__}({state}): {self.numbers()}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:  # noqa: ARG002
        bundle = self.widget._repr_mimebundle_()
        live = bundle[0] if isinstance(bundle, tuple) else bundle
        faces = {**live, "image/png": base64.b64encode(self.png()).decode(), "text/plain": repr(self)}
        return faces, {"image/png": {"alt": repr(self)}}

    def _redraw(self) -> None:
        if self._held:
            return
        self._image.value = self.draw().png()
        self._line.value = f"<b>{html.escape(self.numbers())}</b>"
        self._code.value = f"<pre>{html.escape(self.code())}</pre>"
