"""A private JupyterLab, a headless Chromium, and what a reader does with them: open, run all, look."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
WAIT = 60_000  # milliseconds
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},  # every cell is in the page, seen or not
}
FLAGS = [
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The status that the page shows says "idle" before there is a kernel at all.
KERNEL_READY = """() => {
    const session = window.jupyterapp?.shell?.currentWidget?.sessionContext
    return session?.isReady && session.session?.kernel?.status === "idle"
}"""
RUN_ALL = """async seconds => {
    const app = window.jupyterapp
    await app.commands.execute("notebook:clear-all-cell-outputs")
    const late = new Promise(resolve => setTimeout(() => resolve("late"), 1000 * seconds))
    return Promise.race([app.commands.execute("notebook:run-all-cells"), late])
}"""
# Cells whose source has a word in it; the first of them becomes the active cell, for that one would be run, too.
RUN_SOME = """async ([word, seconds]) => {
    const app = window.jupyterapp, book = app.shell.currentWidget.content
    await app.commands.execute("notebook:clear-all-cell-outputs")
    const chosen = book.widgets.filter(
        cell => cell.model.type === "code" && cell.model.sharedModel.getSource().includes(word))
    book.activeCellIndex = book.widgets.indexOf(chosen[0])
    book.deselectAll()
    chosen.forEach(cell => book.select(cell))
    const late = new Promise(resolve => setTimeout(() => resolve("late"), 1000 * seconds))
    return Promise.race([app.commands.execute("notebook:run-cell"), late])
}"""
CODE_CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === "code")
    .map(cell => ({count: cell.model.executionCount, outputs: cell.model.outputs.toJSON()}))"""


def chromium() -> str | None:
    """The path of a Chromium or Chrome, the one that $CHROMIUM names first."""
    names = [
        os.environ.get("CHROMIUM", ""),
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def private(home: Path) -> dict[str, str]:
    """The environment of a Jupyter that reads and writes nothing of its user's."""
    names = ["JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"]
    names += ["JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"]
    return {**os.environ, "HOME": str(home), "PPDM_PROGRESS": "off", **{name: str(home / name) for name in names}}


def answers(url: str) -> bool:
    """Tell whether a server answers at this address."""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except (urllib.error.URLError, OSError):
        return False


def wait_for(server: subprocess.Popen[Any], site: str) -> None:
    """Come back when this JupyterLab answers; raise if it ends first, or after a minute."""
    for _ in range(600):
        if answers(f"{site}/api"):
            return
        if server.poll() is not None:
            raise RuntimeError("JupyterLab ended early")
        time.sleep(0.1)
    raise TimeoutError("JupyterLab does not answer")


def served_at(port: int) -> list[str]:
    """What Python must be told to serve JupyterLab at this port, to everybody on this machine, with no browser."""
    server = ["-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    return [*server, "--ServerApp.port_retries=0", "--IdentityProvider.token="]


@contextmanager
def jupyterlab(scratch: Path) -> Iterator[str]:
    """The address of a JupyterLab on a copy of the notebooks, which is gone at the end."""
    home, copy = scratch / "home", scratch / "notebooks"
    shutil.copytree(NOTEBOOKS, copy, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    for name, values in SETTINGS.items():
        file = home / "JUPYTERLAB_SETTINGS_DIR" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, *served_at(port), f"--ServerApp.root_dir={copy}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    with (scratch / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=private(home), stdout=log, stderr=log)
        try:
            wait_for(server, url)
            yield url
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium; a sandbox is not possible for root."""
    from playwright.sync_api import sync_playwright

    sandbox = [] if hasattr(os, "getuid") and os.getuid() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=FLAGS + sandbox)
        try:
            yield running
        finally:
            running.close()


def open_notebook(page: Any, url: str, name: str) -> None:
    """Show a notebook, with its kernel ready."""
    page.goto(f"{url}/lab/tree/{name}?reset", timeout=WAIT)
    page.wait_for_function(KERNEL_READY, timeout=WAIT)


def run_all(page: Any, seconds: int = 300) -> list[dict[str, Any]]:
    """Run all cells from cleared outputs; the code cells' counts and outputs once all have run."""
    return _cells(page, page.evaluate(RUN_ALL, seconds), seconds)


def run_panels(page: Any, seconds: int = 300) -> list[dict[str, Any]]:
    """The same of the cells with panels alone, which need no others."""
    return _cells(page, page.evaluate(RUN_SOME, ["Explorer", seconds]), seconds)


def _cells(page: Any, done: Any, seconds: int) -> list[dict[str, Any]]:
    if done == "late":
        raise TimeoutError(f"the notebook still runs after {seconds} s")
    page.wait_for_function(KERNEL_READY, timeout=WAIT)
    return page.evaluate(CODE_CELLS)
