import asyncio
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
