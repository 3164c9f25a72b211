"""A panel: controls beside pictures, with three faces.

JupyterLab shows live controls; a page without a kernel shows the pictures as they were saved; a test compares the line
of numbers, and the pictures' pixels.
"""

import asyncio
import base64
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

import ipywidgets as ipw
from IPython import get_ipython

from .controls import RESET, Stage, accept, alert, busy, code_block, in_rows, style, table, without_bars
from .picture import LivePicture, beside

REDRAW = 0.2  # seconds between two pictures that fill in
BREATH = 0.001  # seconds for newer moves to come in


class Panel(ABC):
    """The base of all explorers: it redraws when a control moves, resets, and shows the code for its picture.

    A subclass makes its controls, names them in ``controls``, calls ``_assemble`` and answers for their state: how to
    compute it, stage by stage (``stages``), what to draw (``draw``), which numbers to show (``facts``), and how to do
    the same by hand (``code``). In a kernel the stages of a move take turns with newer moves, which cancel the work of
    older ones. ``settle`` and ``set`` finish the work, and so do the panel's faces. ``close`` frees what a panel holds.
    """

    controls: dict[str, Any]
    given: tuple[str, ...] = ()  # the arguments that ``call`` cannot write out, such as your own data
    _held = False  # whether moves of controls wait; these may move before the panel is assembled

    def _assemble(self, *more, boxes=()):
        """Put the controls, or boxes that they are in, and more beside them, above the pictures, and listen to them.

        Each control can be had by its name, too: ``panel.noise`` is ``panel.controls["noise"]``.
        """
        vars(self).update(self.controls)
        self._work: Iterator[Stage] | None = None
        self._task: asyncio.Task[None] | None = None
        self._view: Any = None
        self._wrong: BaseException | None = None
        self._pictures: Sequence[LivePicture] = ()
        self._undrawn, self._drawn_at = False, -REDRAW
        self._said, self._facts, self._code = ipw.HTML(), ipw.HTML(), ipw.HTML()
        self._progress = ipw.IntProgress(layout=ipw.Layout(width="120px", visibility="hidden"))
        self._shown = ipw.Box(layout=in_rows()).add_class("ppdm-pictures")
        self._defaults = self.state
        reset = ipw.Button(**RESET)
        reset.on_click(lambda _: self.reset())
        for name, control in self.controls.items():
            control.observe(partial(self._moved, name), "value")
        controls = ipw.Box([*(boxes or self.controls.values()), *more], layout=in_rows())
        line = ipw.Box([reset, self._progress, self._said], layout=in_rows()).add_class("ppdm-line")
        parts = [style(), controls, line, self._shown, self._facts, self._code]
        self.widget = ipw.VBox(parts).add_class("ppdm-panel")
        self._start()

    @property
    def state(self) -> dict[str, Any]:
        """What the controls are set to."""
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values) -> Self:
        """Move several controls at once, with one redraw; return the panel, to be the last value of a cell."""
        unknown = set(values) - set(self.controls)
        if unknown:
            raise ValueError(f"set has {sorted(unknown)}; expected some of {', '.join(self.controls)}")
        before = self.state
        try:
            self.make_room(values)
            for name, value in values.items():
                accept(self.controls[name], name, value)
            self._move(values)
            self.settle()
        except BaseException:
            if self.state != before:
                with suppress(Exception):
                    self._move(before)
                    self.settle()
            raise
        return self

    def reset(self) -> None:
        """Set the controls back to where they were at first."""
        self._move(self._defaults)

    def close(self) -> None:
        """Take the panel from the page, end its work, and free what it holds: figures, numbers, controls."""
        left = [value for value in vars(self).values() if isinstance(value, ipw.Widget)]
        while left:
            widget = left.pop()
            left += getattr(widget, "children", ())
            left += [getattr(widget, name) for name in ("layout", "style") if hasattr(widget, name)]
            widget.unobserve_all()
            widget.close()
        vars(self).clear()
        self.controls, self._work = {}, None
        self._wrong = ValueError("the panel is closed; expected an open one: make it again")

    def settle(self) -> Self:
        """Finish the work that the last move began and draw its result; raise what went wrong in it."""
        while self._work is not None:
            self._advance(filling_in=False)
        if self._wrong is not None:
            raise self._wrong
        return self

    def view(self) -> Any:
        """The data behind the pictures."""
        return self.settle()._view

    def pictures(self) -> Sequence[LivePicture]:
        """What is shown, one figure after the other."""
        return self.settle()._pictures

    @abstractmethod
    def stages(self) -> Iterator[Stage]:
        """Compute what the current state shows, step by step; the last stage has the whole of it."""

    @abstractmethod
    def draw(self, view) -> Sequence[LivePicture]:
        """The pictures of a view."""

    @abstractmethod
    def facts(self, view) -> Mapping[str, str]:
        """The numbers of a view, each with its name."""

    @abstractmethod
    def code(self) -> str:
        """How to get the same numbers without the panel, in a line or a few."""

    def arguments(self) -> dict[str, Any]:
        """What the constructor takes to make this panel as it stands, without what is ``given``."""
        return self.state

    def codes(self) -> dict[str, str]:
        """What can be copied, each with its name."""
        return {"this picture": self.call(), "the same by the library": self.code()}

    def follow(self, moved: Collection[str]) -> None:  # noqa: B027  (not every panel has such controls)
        """Move the controls that go with those that were just moved."""

    def make_room(self, values: Mapping[str, Any]) -> None:  # noqa: B027
        """Let controls take values that depend on other controls, such as the columns of another table."""

    def numbers(self) -> str:
        """What came out, in one line."""
        return "; ".join(f"{name}: {value}" for name, value in self.facts(self.view()).items())

    def png(self) -> bytes:
        """The pictures as they stand, as the bytes of one PNG file."""
        return beside(self.pictures())

    def call(self) -> str:
        """The code that makes this panel as it stands."""
        state = [f"{name}={value!r}" for name, value in self.arguments().items()]
        told = ", ".join(state + [f"{name}={name}" for name in self.given])
        return f"from ppdm.widgets import {type(self).__name__}\n\n{type(self).__name__}({told})"

    def __repr__(self):
        if not self.controls:
            return f"{type(self).__name__}: {self._wrong}"
        try:
            found = self.numbers()
        except ValueError as error:  # said in the panel, too
            found = str(error)
        return f"{self.call().splitlines()[-1]}: {found}"

    def _repr_mimebundle_(self, include=None, exclude=None):  # noqa: ARG002
        line = repr(self)
        faces = {**(self.widget._repr_mimebundle_() if self.controls else {}), "text/plain": line}
        if self._wrong is None:
            faces["image/png"] = base64.b64encode(self.png()).decode()
        return faces, {"image/png": {"alt": line}}

    @contextmanager
    def _holding(self):
        """Move controls without a redraw for each."""
        held, self._held = self._held, True
        try:
            yield
        finally:
            self._held = held

    def _move(self, values):
        with self._holding():
            for name, value in values.items():
                self.controls[name].value = value
            self.follow(values)
            for name, value in values.items():  # what was asked for goes before what followed
                self.controls[name].value = value
        self._start()

    def _moved(self, name, _):
        """A control was moved: others follow, and the work begins."""
        if self._held:
            return
        try:
            with self._holding():
                self.follow({name})
        except Exception as error:
            self._fail(error)
            raise
        self._start()

    def _start(self):
        """Begin the work for the current state, instead of any that is under way."""
        self._work, self._wrong, self._undrawn = without_bars(self.stages()), None, False
        self._drawn_at = -REDRAW
        self.widget.add_class("ppdm-stale")
        loop = _kernel_loop()
        if loop is None:  # then there are no newer moves to wait for
            self.settle()
        else:
            self._task = loop.create_task(self._go(self._work))

    async def _go(self, work):
        """Do the work step by step until newer work takes its place; the panel says what goes wrong."""
        while self._work is work:
            try:
                self._advance()
            except Exception as error:
                if not isinstance(error, ValueError):  # not what the reader asked for, but a defect
                    failure = {"message": "a panel fails", "exception": error}
                    asyncio.get_running_loop().call_exception_handler(failure)
                return
            await asyncio.sleep(BREATH)

    def _advance(self, filling_in=True):
        """Do one step of the work; after its last step, or after a failure, there is no work any more.

        The pictures are drawn at the end; with ``filling_in`` also on the way, now and then.
        """
        assert self._work is not None
        try:
            stage = next(self._work, None)
            if stage is None:
                self._work = None
            else:
                self._tell(stage)
                if stage.view is not None:
                    self._view, self._undrawn = stage.view, self._undrawn or stage.redraw
                    self._facts.value = table(self.facts(self._view))
            due = filling_in and time.monotonic() - self._drawn_at > REDRAW
            if self._undrawn and (due or self._work is None):
                self._draw()
            if self._work is None:
                self._tell(Stage(None))
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error):
        """End the work and say why."""
        self._work, self._wrong = None, error
        self._progress.layout.visibility = "hidden"
        self._said.value = alert(error, pale=self._view is not None)
        self.widget.add_class("ppdm-stale")

    def _tell(self, stage):
        """Show how far the work is, if it has several steps."""
        working = stage.total > 1
        if working:
            self._progress.max, self._progress.value = stage.total, stage.done
        self._progress.layout.visibility = "visible" if working else "hidden"
        self._said.value = busy(stage.doing) if working else ""

    def _draw(self):
        """Show the newest view: it is of the current state."""
        self._pictures = self.draw(self._view)
        if len(self._shown.children) != len(self._pictures):
            self._shown.children = [ipw.Image(format="png") for _ in self._pictures]
        for image, picture in zip(self._shown.children, self._pictures):
            image.value, image.layout.width = picture.sharp(), f"{picture.size[0]}px"
        self._code.value = "".join(code_block(name, code) for name, code in self.codes().items())
        self.widget.remove_class("ppdm-stale")
        self._undrawn, self._drawn_at = False, time.monotonic()


def _kernel_loop():
    """The loop that handles a kernel's messages; None outside of a kernel."""
    if getattr(get_ipython(), "kernel", None) is not None:
        with suppress(RuntimeError):  # no loop runs
            return asyncio.get_running_loop()
    return None
