"""The README's example prints what its last comment says, and what it links to is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    promised = re.search(r"# ([\d.]+)", example.splitlines()[-1])
    exec(example, {})
    assert capsys.readouterr().out.strip() == promised[1]


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(targets) > 5
    assert [target for target in targets if not (ROOT / target).exists()] == []
