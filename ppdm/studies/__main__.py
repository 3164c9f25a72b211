"""Full-scale results: each protocol computed once, into <name>.csv, with how it was made beside it.

``python -m ppdm.studies`` does all of them, ``python -m ppdm.studies one-idea`` only the named ones. Finished cells are
kept in .cache, so that a run that was stopped goes on where it was.
"""

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from ppdm.files import write
from ppdm.studies.protocols import PROTOCOLS, Protocol

RESULTS = Path("notebooks/results")


def save(name: str, protocol: Protocol, results: pd.DataFrame, folder: Path) -> None:
    """Write the results as tidy csv, and how they were made as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / f"{name}.csv", results.to_csv(index=False, lineterminator="\n"))
    made = {
        "command": f"python -m ppdm.studies {name}",
        "seed": protocol.seed,
        "repeats": protocol.repeats,
        "grid": protocol.grid,
        "python": platform.python_version(),
        "versions": {
            package: version(package) for package in ("ppdm", "numpy", "pandas", "scipy", "scikit-learn")
        },
    }
    write(folder / f"{name}.json", json.dumps(made, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m ppdm.studies", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"protocols: {', '.join(PROTOCOLS)} (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--into", type=Path, default=RESULTS, help=f"folder (default: {RESULTS.as_posix()})")
    options = parser.parse_args()
    unknown = set(options.names) - set(PROTOCOLS)
    if unknown:
        parser.error(f"no such protocol: {', '.join(sorted(unknown))}; there are {', '.join(PROTOCOLS)}")
    for name in options.names or PROTOCOLS:
        save(name, PROTOCOLS[name], PROTOCOLS[name].run(options.jobs), options.into)
        print(f"{options.into / name}.csv is made")


if __name__ == "__main__":
    main()
