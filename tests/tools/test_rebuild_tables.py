"""The script that rebuilds the bundled tables: it writes only what has the expected sums."""

import gzip
import importlib.util
import sys
from pathlib import Path

import pandas as pd
import pytest

from ppdm.data.load import FOLDER

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "rebuild_tables.py"
SPEC = importlib.util.spec_from_file_location("rebuild_tables", SCRIPT)
rebuild = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rebuild)


def test_the_sums_are_those_that_the_sources_name():
    rebuild.check()
    sources = (FOLDER.parent / "SOURCES.md").read_text()
    assert all(f"| {name} | {digest} |" in sources for name, digest in rebuild.CSV_SUMS.items())


@pytest.fixture
def texts():
    return {name: gzip.decompress((FOLDER / f"{name}.csv.gz").read_bytes()) for name in rebuild.CSV_SUMS}


@pytest.fixture
def fetch(monkeypatch):
    """Instead of the sources."""

    def stand_in(texts):
        monkeypatch.setattr(rebuild, "_from_mlbench", lambda _place: texts)
        monkeypatch.setattr(rebuild, "_from_wheel", lambda _place: {})

    return stand_in


def test_rebuild_writes_what_has_the_right_sum(tmp_path, fetch, texts):
    fetch(texts)
    rebuild.rebuild(tmp_path)
    rebuild.check(tmp_path)
    assert len(list(tmp_path.iterdir())) == 6


def test_rebuild_writes_nothing_else(tmp_path, fetch, texts):
    fetch({**texts, "votes": texts["votes"].replace(b"y", b"n", 1)})
    with pytest.raises(ValueError, match=r"table 'votes' has the SHA-256 \w+; expected a58f1588"):
        rebuild.rebuild(tmp_path)
    assert not list(tmp_path.iterdir())


def test_check_sees_a_change(tmp_path, texts):
    for name, text in texts.items():
        (tmp_path / f"{name}.csv.gz").write_bytes(rebuild.pack(text + b"\n" * (name == "wbc")))
    with pytest.raises(ValueError, match="table 'wbc' has the SHA-256"):
        rebuild.check(tmp_path)


def test_text_of_an_r_frame():
    frame = pd.DataFrame({"a": [6.0, 0.627], "b": pd.Categorical(["10", None]), "c": ["pos", "neg"]})
    assert rebuild._csv("x,y,z", frame, {"neg": "0", "pos": "1"}) == b"x,y,z\n6,10,1\n0.627,?,0\n"


def test_text_of_adult():
    text = "|1x3 Cross validator\n25, ?, <=50K.\n44, Private, >50K.\n\n"
    assert rebuild._adult(text).splitlines()[1:] == [b"25,?,<=50K", b"44,Private,>50K"]


def test_rebuild_names_the_package_that_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(ModuleNotFoundError, match="pip install rdata"):
        rebuild.rebuild(tmp_path)


def test_check_on_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rebuild", "--check"])
    rebuild.main()
    assert capsys.readouterr().out == "6 tables have the expected sums\n"
