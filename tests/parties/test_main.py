"""The command between machines: three real processes with certificates, and whom they refuse."""

import contextlib
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ppdm.data import QUEST_RANGES, quest
from ppdm.parties.__main__ import main
from ppdm.parties.project import read_project
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, Tree, grow

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = "clinic-a", "clinic-b", "clinic-c"
X, Y = quest(1_500, function=2, rng=1)
COLUMNS = ["age", "salary"]
ADDRESSES = re.compile(r"127\.0\.0\.1:700(\d)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The README's project on free ports, a file for each clinic, and certificates."""
    folder = tmp_path_factory.mktemp("clinics")
    with contextlib.ExitStack() as free:
        sockets = [free.enter_context(socket.socket()) for _ in NAMES]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in sockets]
    section = README.partition("## Mine with others")[2]
    told = re.search(r"```toml\n(.*?)```", section, re.DOTALL)[1]
    told = ADDRESSES.sub(lambda found: f"127.0.0.1:{ports[int(found[1]) - 1]}", told)
    told = told.replace('opens = "tree", ', "")
    (folder / "project.toml").write_text("limit = 10\n" + told, encoding="utf-8")
    for number, name in enumerate(NAMES):
        X[COLUMNS].assign(group=Y)[number::3].to_csv(folder / f"{name}.csv", index=False)
    assert main(["keys", *NAMES, "--keys", str(folder / "keys")]) == 0
    return folder


def run(folder, projects=(), keys=(), names=NAMES):
    """All parties' exit statuses and what they said; some have another project, or another folder of keys."""
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = []
    for name in names:
        project, key = dict(projects).get(name, "project.toml"), dict(keys).get(name, "keys")
        (folder / f"{name}.json").unlink(missing_ok=True)
        command = [sys.executable, "-m", "ppdm.parties", "run", project, "--as", name, "--keys", key]
        command += ["--data", f"{name}.csv", "--out", f"{name}.json"]
        started.append(subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.PIPE, text=True))
    told = [process.communicate(timeout=60)[1] for process in started]
    return [process.returncode for process in started], told


def test_each_party_gets_the_tree_of_all_records(folder):
    status, told = run(folder)
    assert status == [0, 0, 0], told
    assert all("classes" in one and "histograms" in one for one in told)
    texts = {(folder / f"{name}.json").read_text("utf-8") for name in NAMES}
    tree = Tree.from_json(texts.pop())
    assert not texts
    edges = {name: QUEST_RANGES[name] for name in COLUMNS}
    cuts = {
        name: [low + (high - low) * step / 20 for step in range(1, 20)] for name, (low, high) in edges.items()
    }
    attributes = [next(one for one in tree.attributes if one.name == name) for name in COLUMNS]
    assert [one.n_values for one in attributes] == [len(cuts[name]) + 1 for name in COLUMNS]
    pooled = EstimatedTable.from_records(
        [type(attributes[0]).numeric(name, cuts[name]) for name in COLUMNS], X, Y, ["A", "B"]
    )
    assert tree.to_json() == grow(pooled, stop=Stop(max_depth=3)).to_json()


def test_another_project_is_refused_before_anything_is_sent(folder):
    text = (folder / "project.toml").read_text("utf-8")
    (folder / "other.toml").write_text(text.replace("max_depth = 3", "max_depth = 4"), encoding="utf-8")
    status, told = run(folder, {"clinic-c": "other.toml"}.items())
    assert status == [2, 2, 2]
    assert any("another project" in one for one in told)
    assert not any((folder / f"{name}.json").exists() for name in NAMES)


@pytest.mark.parametrize("kind", ["foreign", "borrowed"])
def test_a_wrong_certificate_is_refused(folder, kind):
    """One of another authority, and the right one of somebody else."""
    wrong = folder / kind
    if kind == "foreign":
        assert main(["keys", *NAMES, "--keys", str(wrong)]) == 0
    else:
        wrong.mkdir()
        (wrong / "authority.pem").write_bytes((folder / "keys/authority.pem").read_bytes())
        (wrong / "clinic-c.pem").write_bytes((folder / "keys/clinic-b.pem").read_bytes())
    text = (folder / "project.toml").read_text("utf-8").replace("limit = 10", "limit = 3")
    (folder / "short.toml").write_text(text, encoding="utf-8")
    projects = dict.fromkeys(NAMES, "short.toml")
    status, told = run(folder, projects.items(), {"clinic-c": kind}.items())
    assert status == [2, 2, 2]
    assert all("did not come" in one for one in told)


def test_who_speaks_plain_text_is_not_let_in(folder):
    """A stranger who dials without TLS gets no greeting, and does not disturb."""
    text = (folder / "project.toml").read_text("utf-8").replace("limit = 10", "limit = 2")
    (folder / "hasty.toml").write_text(text, encoding="utf-8")
    addresses = read_project(text)[1]
    command = [sys.executable, "-m", "ppdm.parties", "run", "hasty.toml", "--as", "clinic-a"]
    command += ["--data", "clinic-a.csv", "--out", "alone.json"]
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.PIPE, text=True)
    answer = None
    while answer is None and process.poll() is None:
        with (
            contextlib.suppress(ConnectionRefusedError),
            socket.create_connection(addresses["clinic-a"]) as plain,
        ):
            plain.sendall(b"hello" * 40)
            plain.settimeout(5)
            answer = plain.recv(4096)
    told = process.communicate(timeout=60)[1]
    assert b"name" not in answer
    assert process.returncode == 2
    assert "did not come within 2 s" in told


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
def test_keys_are_for_their_owner_alone(folder):
    for file in (folder / "keys").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(file.name for file in (folder / "keys").iterdir()) == [
        "authority.pem",
        *(f"{n}.pem" for n in NAMES),
    ]
    assert b"PRIVATE" not in (folder / "keys/authority.pem").read_bytes()


@pytest.mark.parametrize(
    "names", [["authority", "b"], ["../evil", "b"], ["a", "a"], ["a/b"], ["ü"], ["x" * 65], ["."]]
)
def test_keys_stay_in_their_folder_and_the_authority_keeps_its_name(folder, capsys, names):
    assert main(["keys", *names, "--keys", str(folder / "new")]) == 2
    assert "names" in capsys.readouterr().err
    assert not (folder / "new").exists()


def test_keys_are_never_overwritten(folder, capsys):
    assert main(["keys", *NAMES, "--keys", str(folder / "keys")]) == 2
    assert "refused" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('engine = "shamir"', 'engine = "abacus"', "engine is 'abacus'"),
        ('engine = "shamir"', 'engine = "mixer"', "expected 'mixer' among them"),
        ("low = 20\n", "", "low of 'age'"),
        ("high = 80", "high = 10", "high of 'age'"),
        ("max_depth = 3", "max_depth = -1", "max_depth is -1"),
        ('do = "tree"', 'do = "forest"', "do is 'forest'"),
        ('classes = ["A", "B"]', 'classes = ["A"]', "classes are ['A']"),
        ('classes = ["A", "B"]', 'classes = ["A", "C"]', "column 'group'"),
        ("low = 20_000", "low = 60_000", "column 'salary'"),
        ("[columns.age]", "[columns.height]", "names 'height'"),
        ("limit = 10", "limits = 10", "names 'limits'"),
        ("clinic-b =", "clinic-x =", "expected one of"),
        ("limit = 10", "limit = = 10", "line 1"),
    ],
)
def test_check_says_what_is_wrong(folder, capsys, old, new, told):
    text = (folder / "project.toml").read_text("utf-8")
    assert old in text
    (folder / "wrong.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    command = ["check", str(folder / "wrong.toml"), "--as", "clinic-b", "--data", str(folder / "clinic-b.csv")]
    assert main(command) == 2
    assert told in capsys.readouterr().err


def test_check_and_files_that_are_there_already(folder, capsys):
    own = ["--as", "clinic-a", "--data", str(folder / "clinic-a.csv")]
    assert main(["check", str(folder / "project.toml"), *own]) == 0
    assert "sound" in capsys.readouterr().out
    out = folder / "there.json"
    out.write_text("mine", encoding="utf-8")
    keys = ["--keys", str(folder / "keys"), "--out", str(out)]
    assert main(["run", str(folder / "project.toml"), *own, *keys]) == 2
    assert out.read_text("utf-8") == "mine"
    assert main(["check", str(folder / "project.toml"), "--as", "clinic-a"]) == 2
    assert "--data" in capsys.readouterr().err


APART = """
engine = "commodity"
classes = ["A", "B"]
target = "a"
holders = { a = ["age", "car"], b = ["salary"] }
parties = { a = "127.0.0.1:1", b = "127.0.0.1:2", helper = "127.0.0.1:3" }
columns = { age = { low = 20, high = 80 }, salary = { low = 0, high = 9 }, car = { categories = ["small", "large"] } }
job = { do = "tree", criterion = "gain", intervals = { salary = 3 } }
"""


def test_columns_stand_by_their_holders_and_a_job_says_all_that_it_means():
    project, addresses, job = read_project(APART)
    assert list(project["columns"]) == ["age", "car", "salary"]
    assert project["columns"]["car"] == {"categories": ["small", "large"], "ordered": False}
    assert list(addresses) == ["a", "b", "helper"] == project["parties"]
    assert (job["do"], job["with"]["criterion"], job["with"]["opens"]) == ("tree", "gain", "histograms")
    assert job["with"]["intervals"] == {"age": 20, "car": 20, "salary": 3}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('b = ["salary"]', 'b = ["salary", "age"]', "expected each column once"),
        ('b = ["salary"]', "b = []", "expected each column once"),
        ('["age", "car"]', '["age", "cat"]', "expected each column once"),
        ("low = 0", "low = 0, step = 0", "step of 'salary'"),
        ('["small", "large"]', '["small", "small"]', "categories of 'car'"),
        ('criterion = "gain"', 'criterion = "twoing"', "criterion is 'twoing'"),
        ('criterion = "gain"', 'creterion = "gain"', "names 'creterion'"),
        ('criterion = "gain"', 'opens = "tree"', "opens is 'tree'.*rows held apart"),
    ],
)
def test_what_is_wrong_with_columns_apart_is_said(old, new, told):
    assert old in APART
    with pytest.raises((TypeError, ValueError), match=told):
        read_project(APART.replace(old, new))
