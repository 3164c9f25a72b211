"""What is set up in a kernel before a student's code runs in it: limits, and a way to call the student's functions.

The kernel runs this file's text. So it imports nothing of ours, and the hook that refuses is the last thing it defines.
"""

import base64
import ctypes  # now, because later the guard refuses what its import does
import json
import os
import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd

REFUSED = (
    "subprocess.",
    "pty.",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.system",
    "os.kill",
    "os.startfile",
    "webbrowser.",
    "socket.connect",
    "socket.bind",
    "socket.sendto",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "ftplib.",
    "smtplib.",
    "http.client.",
    "urllib.Request",
)
WRITES = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "shutil.rmtree",
    "shutil.move",
    "shutil.copyfile",
)

student: dict[str, Any] = {}  # the names of the student's notebook; the kernel puts its own dictionary here


def told(value: Any) -> Any:
    """A value as JSON can hold it: numbers, text, lists, tables. Of anything else only its type is told."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return told(value.item())
    if isinstance(value, pd.Index | pd.api.extensions.ExtensionArray | range):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        return {"array": told(value.tolist()), "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, pd.Series):
        return {"series": told(value.to_numpy()), "index": told(value.index.tolist()), "name": told(value.name)}
    if isinstance(value, pd.DataFrame):
        columns = [told(value.iloc[:, place].to_numpy()) for place in range(value.shape[1])]
        return {"frame": columns, "columns": told(value.columns.tolist()), "index": told(value.index.tolist())}
    if isinstance(value, dict):
        return {"dict": [[told(key), told(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__ if type(value) in (list, tuple) else "tuple": [told(item) for item in value]}
    return {"other": type(value).__name__}


def called(name: str, sent: str) -> str:
    """Call a function of the student's with arguments that were sent, and tell what it returned and changed."""
    arguments, named = pickle.loads(base64.b64decode(sent))
    before = [json.dumps(told(argument)) for argument in arguments]
    result = told(student[name](*arguments, **named))
    changed = {
        place: told(argument)
        for place, argument in enumerate(arguments)
        if json.dumps(told(argument)) != before[place]
    }
    return json.dumps({"result": result, "changed": changed})


def looked_at(name: str) -> str:
    """What a name of the student's stands for: a function, a value, or nothing."""
    if name not in student:
        return json.dumps({"missing": True})
    return json.dumps({"function": True} if callable(student[name]) else {"value": told(student[name])})


def guard(home: str, closed: list[str], names: list[str], memory: int) -> None:
    """From now on: no other programs, no network, no writing outside ``home``, no reading of what is closed."""
    sys.path.insert(0, home)  # the checks are found there, wherever the sheet goes
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000_000, 50_000_000))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ImportError:  # Windows
        pass
    try:
        import threadpoolctl  # type: ignore[import-untyped]

        threadpoolctl.threadpool_info()  # looks for the C library now, which the guard would refuse later
        import _posixsubprocess

        _posixsubprocess.fork_exec = None  # type: ignore[assignment]
    except ImportError:
        pass
    real, within, prefixes = (
        os.path.realpath,
        tuple(path + os.sep for path in closed),
        (home, os.devnull),
    )
    programs = tuple({real(sys.prefix), real(sys.base_prefix)})
    desks = home.rpartition(os.sep)[0] + os.sep + "desk-"  # the other sheets that are marked now
    told_no = "is not allowed in a sheet that is marked"

    def path_of(file: Any) -> str:
        return real(os.fsdecode(file)) if isinstance(file, str | bytes | os.PathLike) else ""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = path_of(args[0]), args[1], args[2]
            strange = path.startswith(desks) and not path.startswith(home)
            if strange or (path + os.sep).startswith(within) or path.rpartition(os.sep)[2] in names:
                raise PermissionError(f"reading {path.rpartition(os.sep)[2]} {told_no}")
            writes = (
                any(sign in mode for sign in "wax+") if mode else flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
            if path and writes and not path.startswith(prefixes):
                raise PermissionError(f"writing {path} {told_no}")
        elif event in ("os.listdir", "os.scandir", "glob.glob"):
            if (path_of(args[0] or ".") + os.sep).startswith(within):
                raise PermissionError(f"looking there {told_no}")
        elif event == "os.chdir":
            if not path_of(args[0]).startswith(home):
                raise PermissionError(f"going there {told_no}")
        elif event == "ctypes.dlopen":
            if not (isinstance(args[0], str) and real(args[0]).startswith(programs)):
                raise PermissionError(f"loading {args[0]} {told_no}")
        elif event == "ctypes.dlsym":
            if args[0] is ctypes.pythonapi:
                raise PermissionError(f"ctypes.pythonapi {told_no}")
        elif event in WRITES:
            for file in args[:2]:
                if path_of(file) and not path_of(file).startswith(prefixes):
                    raise PermissionError(f"changing {file} {told_no}")
        elif event.startswith(REFUSED):
            raise PermissionError(f"{event} {told_no}")

    sys.addaudithook(refuse)
