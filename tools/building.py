"""The folder that students get, and the steps by which it and the other builds are made."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from emptied import LESSONS, beside, copy_oracles, handed_out, linked, student_notebook
from leaks import leaks, secrets
from nbformat import NotebookNode
from rerun import FOLDER, ROOT, as_text
from sheets import Sheet, SheetError

BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "ppdm", "widgets")
WHEN = (1980, 1, 1, 0, 0, 0)  # of all files in archives, so that two builds are the same to the byte
EPOCH = "315532800"  # the same moment
PACKED_IN = "ppdm-course"  # the folder that unpacking makes


def write(path: Path, text: str) -> None:
    """Write a text, the same bytes on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_notebook(path: Path, notebook: NotebookNode) -> None:
    """Write a notebook in canonical form."""
    write(path, as_text(notebook))


def build_wheel(folder: Path) -> str:
    """Build the library's wheel into the folder, from a copy of its source, and return the wheel's name."""
    with tempfile.TemporaryDirectory() as place:
        for name in BUILT_FROM:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, Path(place) / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(ROOT / name, Path(place) / name)
        command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
        command += ["--no-cache-dir", "--disable-pip-version-check", f"--wheel-dir={folder}", place]
        done = subprocess.run(
            command, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH}, capture_output=True, text=True, check=False
        )
    wheels = [path.name for path in folder.glob("ppdm-*.whl")]
    if done.returncode or len(wheels) != 1:
        raise RuntimeError(f"the library's wheel was not built:\n{done.stdout}{done.stderr}")
    return wheels[0]


def copy_lessons(folder: Path) -> None:
    """Copy the lessons with their results and with all files that they link to."""
    shutil.copytree(FOLDER / "results", folder / LESSONS / "results")
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = linked(cell, lambda target, path=path: copied(path, target, folder))  # type: ignore[misc]
        write_notebook(folder / LESSONS / path.name, notebook)


def copied(path: Path, target: str, folder: Path) -> str:
    """The target of a lesson's link as it stands for students; its file is copied there, unless it is a notebook."""
    found = beside(path, target)
    file = Path(os.path.normpath(path.parent / target))
    place = folder / (handed_out(file) or "")
    if file.is_file() and file.suffix != ".ipynb" and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return found


def pack(folder: Path, archive: Path) -> None:
    """Put all files of a folder into an archive, in a folder there, in order, as of one moment."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in paths:
            entry = zipfile.ZipInfo(f"{PACKED_IN}/{path.relative_to(folder).as_posix()}", WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            packed.writestr(entry, path.read_bytes())


def build_student(sheets: list[Sheet], folder: Path, course: str | None = None) -> None:
    """Write everything that students get into an empty folder."""
    for sheet in sheets:
        write_notebook(folder / sheet.path.name, student_notebook(sheet, course))
    copy_oracles(sheets[0].path.parent / "oracles", folder / "oracles")
    refuse_leaks(sheets, folder)  # early, because the rest takes a while
    copy_lessons(folder)
    wheel = build_wheel(folder)
    write(folder / "requirements.txt", f"-c constraints.txt\n./{wheel}[notebooks]\n")
    shutil.copyfile(ROOT / "constraints.txt", folder / "constraints.txt")
    python = re.search(
        r"^ +- python=(\S+)$", (ROOT / "environment.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    write(folder / "runtime.txt", f"python-{python[1]}\n" if python else "")  # for Binder
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE.txt")
    readme = Path(__file__).with_name("student_readme.txt").read_text(encoding="utf-8")
    write(folder / "README.txt", readme.format(wheel=wheel, example=sheets[0].path.name))
    refuse_leaks(sheets, folder)
    with tempfile.TemporaryDirectory() as place:
        pack(folder, Path(place) / "student.zip")
        shutil.copyfile(Path(place) / "student.zip", folder / "student.zip")


def refuse_leaks(sheets: list[Sheet], folder: Path) -> None:
    """Raise SheetError if a file of the folder shows what students must not see."""
    if found := leaks(folder, secrets(sheets, sheets[0].path.parent / "oracles")):
        raise SheetError("the build would show solutions:\n" + "\n".join(found))


def replace(target: Path, fill: Callable[[Path], None]) -> list[Path]:
    """Fill a new folder, then put it in the place of the old one; what fails leaves the old one. Returns the files."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as place:
        fresh, old = Path(place) / "new", Path(place) / "old"
        fresh.mkdir()
        fill(fresh)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    return sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())
