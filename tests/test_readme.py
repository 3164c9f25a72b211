"""Examples in the README and in SECURITY.md print what they say; the panels are there, and so is what is linked to."""

import json
import re
import shlex
from pathlib import Path

import pandas as pd

from ppdm.__main__ import main
from ppdm.data import quest
from ppdm.disguise.actions import ACTIONS
from ppdm.tables import EstimatedTable
from ppdm.trees import grow

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
SIX_LINES, PARTIES, PANELS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_example_prints_what_it_says(capsys):
    promised = re.search(r"# ([\d.]+)", SIX_LINES.splitlines()[-1])
    exec(SIX_LINES, {})
    assert capsys.readouterr().out.strip() == promised[1]


def test_parties_learn_sums_or_the_tree_alone(capsys):
    names = {}
    exec(PARTIES, names)
    told = capsys.readouterr().out
    assert told.strip().endswith(re.search(r"# (Tree.*?), and", PARTIES)[1])
    session, X, y = (names[name] for name in ("session", "X", "y"))
    pooled = EstimatedTable.from_records(session.attributes, X, y, session.project["classes"])
    stop = names["Stop"](max_depth=4)
    assert names["tree"].to_json() == grow(pooled, stop=stop).to_json()


def test_a_table_of_your_own_is_released(tmp_path, monkeypatch, capsys):
    section = README.partition("## Release a table of your own")[2].partition("\n## ")[0]
    first, specification, second = re.findall(r"```(?:toml)?\n(.*?)```", section, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pima.toml").write_text(specification, encoding="utf-8")
    for line in (first + second).splitlines():
        program, *arguments = shlex.split(line)
        if program == "python":
            exec(arguments[1], {})
        else:
            assert program == "ppdm"
            assert main(arguments) == 0
    assert "Held" in capsys.readouterr().out
    true, released = (pd.read_csv(name, dtype=str) for name in ("pima.csv", "released.csv"))
    kept = true.columns.drop(["preg", "age"])
    assert released[kept].equals(true[kept])
    assert "NOT protected" in (tmp_path / "report.html").read_text("utf-8")


def test_the_table_of_actions_has_all_parameters_and_defaults():
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*)\|$", README, re.MULTILINE)
    assert [name for name, _ in rows] == list(ACTIONS)
    for name, told in rows:
        action = ACTIONS[name]
        found = dict(re.findall(r"`(\w+)`(?: \(([^)]*)\))?", told))
        assert list(found) == list(action.parameters)
        for parameter, check in action.parameters.items():
            said = found[parameter]
            default = getattr(action, parameter, None)
            if parameter == action.required:
                assert said.startswith("needed")
            elif default:
                assert json.loads(said.partition(";")[0]) == default
            else:
                assert said.startswith(("none;", "all records;")) or not said
            choices = getattr(check, "keywords", {}).get("choices", ())
            assert set(re.findall('"(.*?)"', said)) == set(choices)


def test_the_attack_on_a_seed_finds_it(capsys):
    (attack,) = re.findall(r"```python\n(.*?)```", SECURITY, re.DOTALL)
    promised = re.search(r"# (.+)", attack.splitlines()[-1])
    exec(attack, {})
    assert capsys.readouterr().out.strip() == promised[1]


def test_the_panels_are_there():
    imported, _, calls = PANELS.partition("\n\n")
    names = {"frame": quest(100, rng=1)[0]}
    exec(imported, names)
    for call in calls.splitlines():
        assert eval(call, names).numbers()


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", README + SECURITY)
    assert len(targets) > 5
    assert [target for target in targets if not (ROOT / target).exists()] == []
