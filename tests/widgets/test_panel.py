"""What all panels share: stages that newer moves cancel, errors in place, three faces; on a panel made for it."""

import asyncio
import base64
import gc
import io
import os
import weakref

import ipywidgets as ipw
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances
from PIL import Image
from ppdm.widgets.controls import alert, choice, percent, slider, without_bars
from ppdm.widgets.panel import Panel, Stage
from ppdm.widgets.picture import quick_axes

from ppdm.blocks import bar

STEPS = 5


class Counting(Panel):
    """Shows a number times 1, 2, 3, 4, 5; remembers what it computed and drew; 13 is refused, 99 is a defect."""

    def __init__(self, number=1, first_at=1):
        self.computed, self.drawn, self.first_at = [], [], first_at
        self.controls = {
            "number": ipw.IntSlider(number, 0, 100, description="number"),
            "twice": ipw.IntSlider(2 * number, 0, 200, description="twice"),
            "word": ipw.Dropdown(options=["a", "b"], description="word"),
            "text": ipw.Textarea("", description="text"),
            "share": ipw.FloatSlider(0.5, min=0, max=1, description="share"),
            "open": ipw.Checkbox(False, description="open"),
        }
        self._assemble()

    def follow(self, moved):
        if "number" in moved:
            self.twice.value = 2 * self.number.value

    def stages(self):
        number = self.number.value
        for step in range(1, STEPS + 1):
            if number == 13:
                raise ValueError("number is 13; expected any other")
            if number == 99:
                raise RuntimeError("broken")
            self.computed.append((number, step))
            yield Stage(number * step if step >= self.first_at else None, step, STEPS, f"step {step}")

    def draw(self, view):
        self.drawn.append(view)
        ax = quick_axes(f"{view}")
        ax.plot([0, view])
        return [ax.figure]

    def facts(self, view):
        return {"product": str(view), "tag": "<b>"}

    def code(self):
        return f"{self.number.value} * {STEPS}"


@pytest.fixture
def panel():
    return Counting()


async def finished(panel):
    while panel._work is not None:
        await asyncio.sleep(0.005)


def test_without_a_kernel_a_move_is_seen_through(panel):
    panel.number.value = 7
    assert panel.view() == eval(panel.code()) == 35
    assert panel.drawn[-1] == 35
    assert "ppdm-stale" not in panel.widget._dom_classes


def test_pictures_fill_in_where_somebody_watches_and_are_drawn_once_elsewhere(monkeypatch, in_a_kernel):
    monkeypatch.setattr("ppdm.widgets.panel.REDRAW", -1)  # always due

    async def play():
        panel = Counting(7)
        await finished(panel)
        return panel

    assert Counting(7).drawn == [35]
    assert in_a_kernel(play).drawn == [7, 14, 21, 28, 35]


def test_newer_moves_cancel_older_ones(in_a_kernel):
    async def play():
        panel = Counting()
        await finished(panel)
        panel.number.value = 7
        await asyncio.sleep(0)
        panel.number.value = 8
        await finished(panel)
        return panel

    panel = in_a_kernel(play)
    assert panel.view() == 40
    assert (7, STEPS) not in panel.computed
    assert [step for number, step in panel.computed if number == 8] == [1, 2, 3, 4, 5]
    assert 35 not in panel.drawn


def test_what_is_shown_is_marked_until_something_of_the_new_state_is_there(in_a_kernel):
    async def play():
        panel = Counting(first_at=4)
        await finished(panel)
        before, marked = panel._shown.children[0].value, []
        panel.number.value = 7
        while panel._work is not None:
            stale = "ppdm-stale" in panel.widget._dom_classes
            marked.append((stale, panel._shown.children[0].value == before, panel._progress.layout.visibility))
            await asyncio.sleep(0)
        return panel, marked

    panel, marked = in_a_kernel(play)
    assert all(stale == same for stale, same, _ in marked)
    assert {(True, "visible"), (False, "visible")} <= {(stale, seen) for stale, _, seen in marked}
    assert panel._progress.layout.visibility == "hidden"
    assert panel._said.value == ""


def test_the_progress_bar_stays_until_the_last_picture_is_drawn():
    class Watched(Counting):
        def draw(self, view):
            self.seen = self._progress.layout.visibility
            return super().draw(view)

    assert Watched().seen == "visible"
    assert Watched()._progress.layout.visibility == "hidden"


def test_the_faces_wait_for_the_work(in_a_kernel):
    async def play():
        panel = Counting()
        panel.number.value = 6
        return panel._repr_mimebundle_()[0]

    faces = in_a_kernel(play)
    assert faces["text/plain"].endswith("share=0.5, open=False): product: 30; tag: <b>")


def test_the_three_faces_agree(panel):
    faces, metadata = panel.set(number=6)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in faces
    assert base64.b64decode(faces["image/png"]) == panel.png()
    assert metadata["image/png"]["alt"] == faces["text/plain"] == repr(panel)
    assert panel.numbers() == "product: 30; tag: <b>"
    assert "<td>30</td>" in panel._facts.value
    assert "<b>" not in panel._facts.value
    assert "6 * 5" in panel._code.value


def test_a_live_picture_is_the_drawn_one_at_twice_the_size(panel):
    (image,), (picture,) = panel._shown.children, panel.pictures()
    assert image.value == picture.sharp()
    assert Image.open(io.BytesIO(image.value)).size == (830, 600)
    assert Image.open(io.BytesIO(panel.png())).size == (415, 300)
    assert image.layout.width == "415px"


def test_controls_follow_others_but_not_against_what_is_set(panel):
    panel.number.value = 9
    assert panel.twice.value == 18
    assert panel.set(number=4, twice=1).state["twice"] == 1


def test_a_message_from_the_browser_redraws(panel):
    panel.number.set_state({"value": 50})
    assert panel.drawn[-1] == 250


def test_several_controls_move_with_one_redraw(panel):
    panel.drawn.clear()
    panel.set(number=4, word="b", share=0.25, open=True, text="x")
    assert panel.drawn == [20]


def test_reset_goes_back_by_call_and_by_button(panel):
    start = repr(panel)
    panel.set(number=4, word="b", text="x")
    panel.reset()
    assert repr(panel) == start
    panel.set(number=4)
    panel.widget.children[2].children[0].click()
    assert repr(panel) == start


def test_what_goes_wrong_is_said_in_place_and_the_picture_marked(in_a_kernel):
    async def play():
        panel = Counting()
        await finished(panel)
        panel.number.value = 13
        await finished(panel)
        said, stale = panel._said.value, "ppdm-stale" in panel.widget._dom_classes
        panel.number.value = 14
        await finished(panel)
        return panel, said, stale

    panel, said, stale = in_a_kernel(play)
    assert "number is 13; expected any other" in said
    assert "role='alert'" in said
    assert stale
    assert panel._said.value == ""
    assert panel.view() == 70
    assert "ppdm-stale" not in panel.widget._dom_classes


def test_an_undrawn_view_of_the_state_before_is_never_shown(monkeypatch, in_a_kernel):
    monkeypatch.setattr("ppdm.widgets.panel.REDRAW", 1000)  # the second view of a work waits for its end

    async def play():
        panel = Counting(first_at=2)
        panel.number.value = 7
        while (7, 4) not in panel.computed:
            await asyncio.sleep(0)
        assert panel._undrawn
        panel.number.value = 8
        panel._advance()
        shown = panel.drawn[-1], "ppdm-stale" in panel.widget._dom_classes
        await finished(panel)
        return panel, shown

    panel, (last, stale) = in_a_kernel(play)
    assert (last, stale) == (14, True)
    assert panel.drawn[-1] == 40


def test_after_an_error_nothing_old_is_said_of_the_new_state(in_a_kernel):
    async def play():
        panel = Counting()
        await finished(panel)
        panel.number.value = 13
        await finished(panel)
        return panel

    panel = in_a_kernel(play)
    for ask in (panel.view, panel.numbers, panel.pictures, panel.png):
        with pytest.raises(ValueError, match="number is 13"):
            ask()
    faces = panel._repr_mimebundle_()[0]
    assert faces["text/plain"].endswith("open=False): number is 13; expected any other")
    assert "image/png" not in faces
    assert panel.set(number=2).view() == 10


def test_what_goes_wrong_in_controls_that_follow_is_said(panel, monkeypatch):
    def refuse(self, moved):
        raise ValueError("nobody follows")

    monkeypatch.setattr(Counting, "follow", refuse)
    with pytest.raises(ValueError, match="nobody follows"):
        panel.number.value = 3
    assert "nobody follows" in panel._said.value
    assert "ppdm-stale" in panel.widget._dom_classes


def test_an_interrupted_set_leaves_the_state_before(panel, monkeypatch):
    before, stages = repr(panel), Counting.stages

    def interrupted(self):
        if self.number.value == 50:
            raise KeyboardInterrupt
        yield from stages(self)

    monkeypatch.setattr(Counting, "stages", interrupted)
    with pytest.raises(KeyboardInterrupt):
        panel.set(number=50)
    assert repr(panel) == before


def test_a_defect_in_a_kernel_reaches_its_log(in_a_kernel):
    async def play():
        told = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["exception"]))
        panel = Counting()
        await finished(panel)
        panel.number.value = 99
        await asyncio.sleep(0.05)
        return told

    assert [str(error) for error in in_a_kernel(play)] == ["broken"]


def test_by_code_it_is_raised_and_nothing_has_moved(panel):
    before = panel.state
    with pytest.raises(ValueError, match="number is 13"):
        panel.set(number=13, word="b")
    assert panel.state == before
    assert panel.view() == 5


def test_a_defect_is_said_too_and_not_hidden(panel):
    with pytest.raises(RuntimeError, match="broken"):
        panel.number.value = 99
    assert "broken" in panel._said.value


def freed(*references):
    gc.collect()
    return [reference() is None for reference in references]


def test_a_closed_panel_is_freed_with_its_figures_and_controls():
    before = len(_instances)
    panel = Counting()
    figure, control, view = (weakref.ref(one) for one in (panel.pictures()[0], panel.number, panel._shown))
    panel.close()
    assert freed(figure, control, view) == [True] * 3
    assert len(_instances) == before
    panel.close()
    with pytest.raises(ValueError, match="the panel is closed; expected an open one"):
        panel.view()
    faces, _ = panel._repr_mimebundle_()
    assert faces == {"text/plain": "Counting: the panel is closed; expected an open one: make it again"}
    left = weakref.ref(panel)
    del panel
    assert freed(left) == [True]


def test_a_panel_that_is_closed_at_work_is_freed(in_a_kernel):
    async def play():
        panel = Counting()
        panel.number.value = 7
        await asyncio.sleep(0)
        panel.close()
        left = weakref.ref(panel)
        del panel
        await asyncio.sleep(0.05)
        return left

    assert freed(in_a_kernel(play)) == [True]


@pytest.mark.parametrize("before", [None, "off", "on"])
def test_while_panels_work_the_library_shows_no_bar(monkeypatch, before):
    monkeypatch.delenv("PPDM_PROGRESS")
    if before:
        monkeypatch.setenv("PPDM_PROGRESS", before)
    first, second = (without_bars(iter([Stage(None)] * 2)) for _ in range(2))
    next(first), next(second), first.close()  # newer work begins before older work ends
    steps = [1, 2]
    assert bar(steps) is steps
    second.close()
    assert os.environ["PPDM_PROGRESS"] == (before or "")
    assert (bar(steps) is steps) == (before == "off")


def test_what_is_pale_is_told_only_where_something_is(in_a_kernel):
    async def play():
        panel = Counting(13)
        await finished(panel)
        return panel

    assert "pale" not in in_a_kernel(play)._said.value
    assert alert(ValueError("x"), pale=True).count("What is pale belongs to an earlier state.") == 1


def test_a_slider_says_where_it_ends_and_a_list_what_its_label_stands_for():
    assert slider("level", 5, 5, 2000, 5, tip="records").tooltip == "records: 5 to 2,000, in steps of 5"
    assert slider("seed", 1, 1, 20, label="draw").tooltip == "draw: 1 to 20"
    listed = choice("action", "a", "ab", "na…e", tip="what <happens> to 'name'")
    assert listed.description == "<span title='what &lt;happens&gt; to &#x27;name&#x27;'>na…e</span>"


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [
        (0.945, 0, "94 %"),
        (0.945 + 2e-16, 0, "94 %"),
        (0.1325, 1, "13.2 %"),
        (-1e-9, 1, "0.0 %"),
        (1, 1, "100.0 %"),
    ],
)
def test_a_share_in_words_does_not_hang_on_its_last_bit(share, digits, words):
    assert percent(share, digits) == words


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"theta": 1}, ValueError, "set has .'theta'.; expected some of number, twice, word, text, share, open"),
        ({"number": 101}, ValueError, r"number is 101; expected a whole number in .0, 100."),
        ({"number": "4"}, TypeError, "number is '4'"),
        ({"word": "c"}, ValueError, "word is 'c'; expected one of 'a', 'b'"),
        ({"text": 4}, TypeError, "text is 4; expected a text"),
        ({"share": 2}, ValueError, "share is 2"),
        ({"open": 1}, ValueError, "open is 1"),
        ({"number": 5, "share": np.nan}, ValueError, "share is nan"),
    ],
)
def test_bad_values_are_refused_before_anything_moves(panel, values, error, message):
    before, computed = panel.state, len(panel.computed)
    with pytest.raises(error, match=message):
        panel.set(**values)
    assert panel.state == before
    assert len(panel.computed) == computed
