"""Run notebooks in a fresh kernel and save them in one canonical form, the same bytes at every run.

``python tools/rerun.py`` does all of them, ``python tools/rerun.py 00-start-here`` only the named ones.
With ``--check`` nothing is saved, and the exit code is 1 if a saved notebook is not what a run gives.
"""

import argparse
import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
COURSE = FOLDER / "coursework"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_CELL_METADATA = {
    "deletable",
    "editable",
    "jp-MarkdownHeadingCollapsed",
    "jupyter",
    "nbgrader",
    "ppdm",
    "tags",
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def rerun(path: Path) -> NotebookNode:
    """The notebook at ``path``, executed from its first cell to its last, in canonical form."""
    os.environ["PPDM_PROGRESS"] = "off"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # else each kernel says that it talks over TCP
        timeout=600,
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
    ).execute()
    return canonical(notebook)


def canonical(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs between machines, editors and runs."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA})
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)  # names a model that lives only as long as its kernel
    nbformat.validate(notebook)
    return notebook


def as_text(notebook: NotebookNode) -> str:
    """The text of the notebook's file."""
    return nbformat.writes(notebook) + "\n"


def find(names: list[str], folders: tuple[Path, ...] = (FOLDER, COURSE)) -> list[Path]:
    """The named notebooks of the folders, or all of them: the series, then the course."""
    known = {path.stem: path for folder in folders for path in sorted(folder.glob("*.ipynb"))}
    missing = [f"{Path(name).stem}.ipynb" for name in names if Path(name).stem not in known]
    if missing:
        sys.exit(f"no such notebook in {', '.join(map(str, folders))}: {', '.join(missing)}")
    return [known[Path(name).stem] for name in names] if names else list(known.values())


def refresh(path: Path, check: bool) -> bool:
    """Re-run one notebook, save it unless only checking, and tell whether all is well."""
    try:
        text = as_text(rerun(path))
    except CellExecutionError as error:
        print(f"{path.name}: not saved, a cell failed\n{error}")
        return False
    changed = text != path.read_text(encoding="utf-8")
    if changed and not check:
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {('differs from a run' if check else 'saved') if changed else 'unchanged'}")
    return not (changed and check)


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="notebooks, with or without .ipynb (default: all)")
    parser.add_argument("--check", action="store_true", help="save nothing, fail if anything would change")
    options = parser.parse_args()
    well = [refresh(path, options.check) for path in find(options.names)]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
