"""Examples in the README and in SECURITY.md print what they say; the panels are there, and so is what is linked to."""

import re
from pathlib import Path

from ppdm.data import quest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
SIX_LINES, PANELS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_example_prints_what_it_says(capsys):
    promised = re.search(r"# ([\d.]+)", SIX_LINES.splitlines()[-1])
    exec(SIX_LINES, {})
    assert capsys.readouterr().out.strip() == promised[1]


def test_the_attack_on_a_seed_finds_it(capsys):
    (attack,) = re.findall(r"```python\n(.*?)```", SECURITY, re.DOTALL)
    promised = re.search(r"# (.+)", attack.splitlines()[-1])
    exec(attack, {})
    assert capsys.readouterr().out.strip() == promised[1]


def test_the_panels_are_there():
    imported, *calls = filter(None, PANELS.splitlines())
    names = {"frame": quest(100, rng=1)[0]}
    exec(imported, names)
    for call in calls:
        assert eval(call, names).numbers()


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", README + SECURITY)
    assert len(targets) > 5
    assert [target for target in targets if not (ROOT / target).exists()] == []
