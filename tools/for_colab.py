"""The sheets for Google Colab: a student version whose first cell installs what it needs."""

import tempfile
from pathlib import Path

from building import build_student, refuse_leaks, write_notebook
from emptied import student_notebook
from nbformat.v4 import new_code_cell
from sheets import Sheet

INSTALL = """\
# Run this cell first. It fetches the files of the course and installs its library, in a minute or two.
import importlib.metadata
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

FROM = {address!r}  # the address of student.zip; without one, choose the file on your computer


def versions():
    return {{found.name: found.version for found in importlib.metadata.distributions()}}


if FROM:
    archive, _ = urllib.request.urlretrieve(FROM, "student.zip")
else:
    from google.colab import files

    print("Choose student.zip, which your lecturer has handed out.")
    archive = next(iter(files.upload()))
with zipfile.ZipFile(archive) as packed:
    for entry in packed.infolist():
        entry.filename = entry.filename.partition("/")[2]  # without the folder in which all is packed
        packed.extract(entry)
    (wheel,) = (entry.filename for entry in packed.infolist() if entry.filename.endswith(".whl"))
before, pip = versions(), [sys.executable, "-m", "pip", "install", "--quiet"]
subprocess.run([*pip, f"./{{wheel}}[panels]"], check=True)
subprocess.run([*pip, "--no-deps", "--force-reinstall", f"./{{wheel}}"], check=True)  # of an older student.zip
changed = [name for name, version in versions().items() if before.get(name, version) != version]
importlib.invalidate_caches()
if changed:
    print("Now choose Runtime > Restart session, and go on with the next cell.")
else:
    print("All is installed. Go on with the next cell.")"""


def build_colab(sheets: list[Sheet], folder: Path, course: str | None, address: str | None) -> None:
    """Write a notebook for each sheet, and the student.zip that they need, into an empty folder."""
    with tempfile.TemporaryDirectory() as place:
        build_student(sheets, Path(place), course)
        (folder / "student.zip").write_bytes((Path(place) / "student.zip").read_bytes())
    for sheet in sheets:
        made = student_notebook(sheet, course)
        for cell in made.cells:
            cell.source = cell.source.replace(sheet.path.name, f"{sheet.name}.ipynb")
        first = new_code_cell(INSTALL.format(address=address), id="install", metadata={"editable": False})
        made.cells.insert(0, first)
        write_notebook(folder / f"{sheet.name}.ipynb", made)
    refuse_leaks(sheets, folder)
