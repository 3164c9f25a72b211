"""A desk at which one student's sheet is run: a kernel of its own, with limits, from which plain values come back.

The checks run here, in the marker's process, and only the student's functions run there. So what a check expects never
comes near the student's code, and what comes back is read as JSON, which cannot do harm.
"""

import ast
import base64
import builtins
import contextlib
import json
import math
import os
import pickle
import queue
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import numpy as np
import pandas as pd
from emptied import copy_oracles
from jupyter_client.manager import KernelManager
from rerun import COURSE, ROOT

GUARD, LOCK = (Path(__file__).with_name(name) for name in ("desk_guard.py", "desk_lock.py"))
# What a student's code may not read: solutions, hidden checks, their history and what is built from them.
CLOSED = [COURSE, ROOT / "tests", ROOT / "build", ROOT / ".git"]
INHERITED = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")  # of this process's environment
START = 120  # seconds
MEMORY, PRINTED, KEPT = 6 * 2**30, 1_000_000, 4_000  # bytes; characters that a cell may print, and that are kept
TOGETHER = "all that was run for it took too long together"
LONG = 100_000  # bytes of an entry of an array: a text that says it is a gigabyte long costs as much here
SENT, WRITTEN = 20_000_000, 500_000_000  # characters of a value; bytes that a sheet may leave in its folder


class LostError(BaseException):
    """The kernel had to be stopped, or died. No Exception, because a check tells those as a wrong answer."""


class EmptyError(LostError):
    """The kernel had to be replaced by a new one, in which nothing has run yet."""


@dataclass
class Ran:
    """What became of a cell: what it printed, and what stopped it, or nothing."""

    text: str = ""
    error: str = ""


class Desk:
    """A kernel for one sheet, in a folder of its own, with the checks that students have and nothing else."""

    def __init__(self, limit: float, closed: list[Path] | None = None):
        self.limit, self.closed = limit, [*CLOSED, *(closed or [])]
        self.until = math.inf  # when nothing more may be run, whatever the limit of a cell
        self.home = Path(tempfile.mkdtemp(prefix="desk-")).resolve()
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start a kernel with the guard in it."""
        copy_oracles(COURSE / "oracles", self.home / "oracles")
        # Files instead of ports where there are such: no two kernels can choose the same one.
        self.manager = KernelManager(kernel_name="python3", transport="ipc" if os.name == "posix" else "tcp")
        self.manager.connection_file = str(self.home / "kernel.json")
        allowed = json.dumps([str(self.home), [str(path.resolve()) for path in self.closed]])
        if (spec := self.manager.kernel_spec) is None:
            raise RuntimeError("there is no kernel for Python")
        spec.argv = [sys.executable, str(LOCK), allowed, "-f", "{connection_file}"]
        self.manager.start_kernel(
            extra_arguments=["--IPKernelApp.log_level=CRITICAL", "--HistoryManager.enabled=False"],
            cwd=str(self.home),
            env={name: os.environ[name] for name in INHERITED if name in os.environ}
            | dict.fromkeys(["HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR", "PYTHONPATH"], str(self.home))
            | dict.fromkeys(["OMP_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8"], "1")
            | {"PPDM_PROGRESS": "off", "JOBLIB_MULTIPROCESSING": "0"},
            stderr=DEVNULL,
            stdout=DEVNULL,
        )
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=START)
        names = [path.name for path in [*COURSE.glob("*.ipynb"), *COURSE.glob("oracles/hidden*")]]
        arguments = str(self.home), [str(path.resolve()) for path in self.closed], names, MEMORY
        text = GUARD.read_text(encoding="utf-8")
        wire = f"exec(compile({text!r}, 'guard', 'exec'), (__wire__ := {{}}))\n__wire__['student'] = globals()"
        ran = self.run(f"{wire}\n__wire__['guard']{arguments!r}", limit=START)
        if ran.error:
            raise RuntimeError(f"the guard could not be set up: {ran.error}")

    def stop(self) -> None:
        """Stop the kernel, whatever it does."""
        with contextlib.suppress(Exception):
            self.client.stop_channels()
        with contextlib.suppress(Exception):
            self.manager.shutdown_kernel(now=True)

    def close(self) -> None:
        """Stop the kernel and remove its folder."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, source: str, wanted: dict[str, str] | None = None, limit: float | None = None) -> Ran:
        """Run a cell. With ``wanted``, a name and an expression, the text is the expression's value."""
        left = self.until - time.monotonic()
        late = f"it took longer than {self.limit:g} seconds" if left > self.limit - 1 else TOGETHER
        limit = limit or min(self.limit, left)
        if limit <= 0:
            raise LostError(late)
        message = self.client.execute(
            source, allow_stdin=False, store_history=False, stop_on_error=False, user_expressions=wanted or {}
        )
        until, measured = time.monotonic() + limit, time.monotonic()
        self.printed, self.kept, self.idle = 0, "", False
        reply = None
        while reply is None or not self.idle:
            if reply is None:
                reply = self._reply(message, 0.05)
            self._listen(message, 0 if reply is None else 0.05)
            if self.printed > PRINTED:
                self._interrupt(message, f"it printed more than {PRINTED:,} characters", reply is not None)
            if not self.manager.is_alive():
                self._renew("the kernel died")
            if time.monotonic() > until:
                self._interrupt(message, late, reply is not None)
            if time.monotonic() > measured + 1:
                measured = time.monotonic()
                if written(self.home) > WRITTEN:
                    self._interrupt(message, f"it wrote more than {WRITTEN:,} bytes", reply is not None)
        return self._ran(reply)

    def _ran(self, reply: dict[str, Any]) -> Ran:
        """What became of the cell, by the kernel's reply."""
        if reply["status"] != "ok":
            return Ran(self.kept, f"{reply.get('ename', 'stopped')}: {reply.get('evalue', '')}"[:KEPT])
        for value in reply["user_expressions"].values():
            if value["status"] != "ok":
                return Ran(self.kept, f"{value.get('ename')}: {value.get('evalue', '')}"[:KEPT])
            text = value["data"]["text/plain"]
            if len(text) > SENT:
                return Ran(self.kept, f"ValueError: the value needs more than {SENT:,} characters")
            return Ran(ast.literal_eval(text))
        return Ran(self.kept)

    def _reply(self, message: str, wait: float) -> dict[str, Any] | None:
        with contextlib.suppress(queue.Empty):
            answer = self.client.get_shell_msg(timeout=wait)
            if answer["parent_header"].get("msg_id") == message:
                return answer["content"]
        return None

    def _listen(self, message: str, wait: float) -> None:
        """Take in what was printed since we listened last: count all of it, keep its beginning."""
        with contextlib.suppress(queue.Empty):
            for _ in range(200):
                told = self.client.get_iopub_msg(timeout=wait)
                if told["parent_header"].get("msg_id") != message:
                    continue
                content = told["content"]
                self.idle |= content.get("execution_state") == "idle"
                text = content.get("text") or content.get("data", {}).get("text/plain", "")
                self.printed += len(text)
                self.kept += text[: max(0, KEPT - len(self.kept))]
                if self.idle:
                    return

    def _interrupt(self, message: str, why: str, done: bool) -> None:
        """Stop what runs, by a signal if that is enough, and say why."""
        if not done:
            self.manager.interrupt_kernel()
        until = time.monotonic() + 5
        while time.monotonic() < until:
            self._listen(message, 0)
            done = done or self._reply(message, 0.1) is not None
            if done and self.idle:
                raise LostError(why)
            if done:
                self._listen(message, 0.1)
        self._renew(why)

    def _renew(self, why: str) -> None:
        """Begin again with an empty kernel: what ran before must run once more."""
        self.stop()
        self.start()
        raise EmptyError(why)

    def look(self, name: str) -> Any:
        """A value of the student's, or a stand-in for a function."""
        ran = self.run("", {"seen": f"__wire__['looked_at']({name!r})"})
        told = json.loads(ran.text) if not ran.error else {"missing": True}
        if told.get("missing"):
            raise NameError(f"there is no {name}")
        return StandIn(self, name) if told.get("function") else plain(told["value"])


def written(folder: Path) -> int:
    """How many bytes the files of a folder hold, as far as they can be seen."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total


class StandIn:
    """Stands here for a function of the student's: a call goes over, and its plain result comes back."""

    def __init__(self, desk: Desk, name: str):
        self.desk, self.__name__ = desk, name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function with copies of the arguments; what it changes is changed here, too."""
        sent = base64.b64encode(pickle.dumps((arguments, named))).decode()
        ran = self.desk.run("", {"sent": f"__wire__['called']({self.__name__!r}, {sent!r})"})
        if ran.error:
            kind, _, said = ran.error.partition(": ")
            known = getattr(np.linalg if kind == "LinAlgError" else builtins, kind, None)
            usable = isinstance(known, type) and issubclass(known, Exception)
            raise known(said) if usable else RuntimeError(ran.error)  # type: ignore[misc]
        told = json.loads(ran.text)
        for place, value in told["changed"].items():
            change(arguments[int(place)], plain(value))
        return plain(told["result"])


def change(argument: Any, new: Any) -> None:
    """Change an argument as the function has changed its copy; of a table it is enough that a check sees it."""
    if isinstance(argument, np.ndarray):
        argument[...] = new
    elif isinstance(argument, list):
        argument[:] = new
    elif isinstance(argument, dict):
        argument.clear()
        argument.update(new)
    elif isinstance(argument, pd.DataFrame | pd.Series):
        argument.index = [f"row {place}, changed" for place in range(len(argument))]


def plain(told: Any) -> Any:
    """The value that was told: the opposite of `told` in the guard."""
    if not isinstance(told, dict):
        return told
    kind = next(iter(told))
    if kind == "array":
        kind_of_entry = np.dtype(told["dtype"])
        if kind_of_entry.itemsize > LONG:
            raise ValueError(f"the entries of an array are longer than {LONG:,} bytes")
        return np.array(plain(told["array"]), dtype=kind_of_entry).reshape(told["shape"])
    if kind == "series":
        return pd.Series(plain(told["series"]), index=plain(told["index"]), name=plain(told["name"]))
    if kind == "frame":
        data = dict(enumerate(map(plain, told["frame"])))
        return pd.DataFrame(data, index=plain(told["index"])).set_axis(plain(told["columns"]), axis=1)
    if kind == "dict":
        return {plain(key): plain(value) for key, value in told["dict"]}
    if kind in ("list", "tuple"):
        return getattr(builtins, kind)(plain(item) for item in told[kind])
    return Foreign(told.get("other", kind))


@dataclass(frozen=True)
class Foreign:
    """Something that cannot be sent back; only its kind is known."""

    kind: str

    def __repr__(self) -> str:
        return f"<{self.kind}>"
