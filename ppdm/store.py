"""Numbers kept in a folder, one small file a result, found again only by the same code with the same arguments."""

import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ppdm.fingerprint import LIBRARY, content, digest


def library() -> str:
    """A hash of this library's source as it lies on the disk, and of the versions that results may depend on."""
    packages = [f"{package} {version(package)}" for package in ("numpy", "scipy", "pandas", "scikit-learn")]
    files = [f"{path.relative_to(LIBRARY).as_posix()} {path.read_text('utf-8')}" for path in LIBRARY.rglob("*.py")]
    return digest(sys.version, *packages, *sorted(files))


LOADED = library()  # of the source that this process runs


def check_loaded(expected: str) -> None:
    """Nothing, if the expected library is the one that this process runs."""
    if expected != LOADED:
        raise RuntimeError("cache: the library's source changed after it was loaded; restart Python, or use cache=None")


def files_for(function: Callable[..., Any], cache: Any) -> Callable[[Any], Path | None]:
    """What finds the file for the function's result with some arguments; None if the cache is None, not a folder."""
    if cache is None:
        return lambda _: None
    if not isinstance(cache, str | os.PathLike) or not str(cache):
        raise TypeError(f"cache is {cache!r}; expected a folder, or None for no cache")
    folder = Path(cache)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"cache is {str(folder)!r}, which is a file; expected a folder")
    check_loaded(library())
    code = content(function)
    folder.mkdir(parents=True, exist_ok=True)
    return lambda arguments: folder / f"{digest(LOADED, code, content(arguments))}.json"


def read(file: Path) -> dict[str, float] | None:
    """The numbers that a file keeps; None if there is no file, or not a whole one."""
    try:
        kept = json.loads(file.read_text("utf-8"))
        return {str(name): value + 0 for name, value in kept["numbers"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write(file: Path, label: str, numbers: dict[str, float]) -> None:
    """Keep some numbers: the whole file or none, since a process may be killed at any time."""
    draft = file.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(json.dumps({"call": label, "numbers": numbers}), "utf-8")
    draft.replace(file)
