"""Start a kernel that the system itself keeps from what it may not do: ``python desk_lock.py [HOME,CLOSED] …``.

Linux does so with Landlock: what is locked stays locked, whatever runs afterwards. Elsewhere the kernel starts without,
and `desk_guard` alone watches over it. This file runs on its own, so it imports nothing of ours.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import struct
import sys
from pathlib import Path

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, the same ones on every processor
NO_NEW_PRIVILEGES = 38
READ, LIST = 1 << 2, 1 << 3  # what is in a file; what is in a folder
FILES = {1: 13, 2: 14, 3: 15, 4: 15}  # how many kinds of access a version of Landlock knows, 16 from version 5 on
TCP, SIGNALS = 0b11, 0b10
SYSTEM = ("/usr", "/lib", "/lib64", "/etc", "/sys", "/dev/zero", "/dev/random", "/dev/urandom", "/nix/store")
PROC = ("self", "cpuinfo", "meminfo", "stat", "sys", "version")  # and so of no other process


def version(system: ctypes.CDLL | None = None) -> int:
    """The version of Landlock here, or 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, (system or ctypes.CDLL(None)).syscall(CREATE, None, 0, 1))


def readable(closed: list[str]) -> list[str]:
    """Where the system, Python and our packages are, without what is closed and the folders that hold it."""
    found = [importlib.util.find_spec(name) for name in ("ppdm", "widgets")]
    ours = [place for spec in found if spec for place in spec.submodule_search_locations or []]
    several = {os.path.realpath(path) for path in [*sys.path, sys.prefix, sys.base_prefix, *ours] if path}
    for path in closed:
        several = {each for each in several if os.path.commonpath([each, path]) not in (each, path)}
    return [*SYSTEM, *(f"/proc/{name}" for name in PROC), *several]


def lock(home: str, closed: list[str]) -> None:
    """From now on: read only what is needed, write in ``home`` alone, run no programs, reach no network or process."""
    system = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None
    known = version(system)
    if system is None or not known:
        return
    every = (1 << FILES.get(known, 16)) - 1
    # A list of folders tells no content, and Python looks into many for its modules.
    allowed = {path: READ | LIST if Path(path).is_dir() else READ for path in readable(closed)}
    allowed |= {"/": LIST, home: every & ~1, os.devnull: every & (READ | 1 << 1 | 1 << 14)}
    rules = struct.pack("QQQ", every, TCP if known >= 4 else 0, SIGNALS if known >= 6 else 0)
    rule_set = system.syscall(CREATE, rules, len(rules), 0)
    for path, access in allowed.items():
        with contextlib.suppress(FileNotFoundError):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            system.syscall(ADD, rule_set, 1, struct.pack("=Qi", access, place), 0)
            os.close(place)
    system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if system.syscall(RESTRICT, rule_set, 0):
        raise OSError(ctypes.get_errno(), "this process could not be locked")
    os.close(rule_set)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    lock(*json.loads(sys.argv.pop(1)))
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
