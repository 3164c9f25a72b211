"""Committed full-scale results are what their protocols give: one random call of each is computed anew."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.studies import __main__ as paper

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"


def read(name):
    return pd.read_csv(RESULTS / f"{name}.csv")


@pytest.mark.parametrize("name", paper.PROTOCOLS)
def test_every_cell_is_there_and_how_it_was_made(name):
    protocol, results = paper.PROTOCOLS[name], read(name)
    made = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert (made["seed"], made["repeats"], made["grid"]) == (protocol.seed, protocol.repeats, protocol.grid)
    assert len(results) == np.prod([len(levels) for levels in protocol.grid.values()]) * protocol.repeats
    for column, levels in protocol.grid.items():
        assert list(results[column].unique()) == levels


@pytest.mark.filterwarnings("ignore:.* was not met within its cap")  # some protocols compare rules that end there
@pytest.mark.parametrize("name", [name for name, protocol in paper.PROTOCOLS.items() if not protocol.timed])
def test_a_random_call_computed_anew(name):
    # The call differs from run to run on purpose; a failure names it. Sums may differ in their last digits.
    protocol, results = paper.PROTOCOLS[name], read(name)
    row = results.sample(1).to_dict("records")[0]
    cell = {column: row[column] for column in protocol.grid}
    measured = {column: row[column] for column in results.columns if column not in {*cell, "repeat"}}
    found = protocol.cell(cell, row["repeat"])[list(measured)].to_dict()
    assert found == pytest.approx(measured, rel=1e-9), row


def test_a_run_writes_both_files_where_it_is_asked_to(tmp_path, monkeypatch):
    table = pd.DataFrame({"level": [1.0], "repeat": [0], "accuracy": [0.5]})
    monkeypatch.setattr(paper.Protocol, "run", lambda *_: table)
    folder = tmp_path / "new" / "folder"
    monkeypatch.setattr("sys.argv", ["studies", "one-idea", "--into", str(folder)])
    paper.main()
    assert pd.read_csv(folder / "one-idea.csv").equals(table)
    assert json.loads((folder / "one-idea.json").read_text(encoding="utf-8"))["command"].endswith(
        "studies one-idea"
    )


def test_an_unknown_protocol_is_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["studies", "nonsense"])
    with pytest.raises(SystemExit):
        paper.main()
    assert "no such protocol: nonsense; there are one-idea" in capsys.readouterr().err
