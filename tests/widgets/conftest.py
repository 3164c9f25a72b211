import asyncio
import base64
from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.fixture
def in_a_kernel(monkeypatch):
    """Runs a coroutine function as a kernel runs what comes in: with a loop, in a thread that has no other."""

    def run(play):
        with monkeypatch.context() as patch, ThreadPoolExecutor(1) as thread:
            patch.setattr("ppdm.widgets.panel._kernel_loop", asyncio.get_running_loop)
            return thread.submit(lambda: asyncio.run(play())).result()

    return run


@pytest.fixture
def fresh(panel):
    """The module's panel, as it was before the test once this is over."""
    before = panel.state
    yield
    if panel.state != before:
        panel.reset()


@pytest.fixture
def faces_agree(panel):
    """Checks that the controls, the saved picture and the words of a panel show the same."""

    def check():
        faces, metadata = panel._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in faces
        assert base64.b64decode(faces["image/png"]) == panel.png()
        assert faces["text/plain"] == metadata["image/png"]["alt"] == repr(panel)
        assert panel.numbers() in faces["text/plain"]
        assert [image.value for image in panel._shown.children] == [one.sharp() for one in panel.pictures()]

    return check
