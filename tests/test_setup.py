"""The Makefile: what `make` prints, what set-up does and when, and that `make lab` serves the start notebook."""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from lab import free_port, private, wait_for

ROOT = Path(__file__).resolve().parents[1]
READY = ".venv/.ready"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

# A python that only notes what it is asked. Its venv leaves a copy of the script behind.
FAKE = """#!/bin/sh
echo "$@" >> {log}
case "$*" in
    *"import pip"*) exit 0 ;;
    -c*) echo {new_enough} ;;
    --version) echo Python {version} ;;
    "-m venv"*) {venv} ;;
    *"pip install"*) {install} ;;
esac
"""
MAKE_VENV = "mkdir -p .venv/bin && cp $0 .venv/bin/python"


def outside_make(environment):
    """Without what a make hands down to the tests that it runs."""
    return {
        k: v for k, v in environment.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHON", "ARGS")
    }


def make(folder, *arguments):
    environment = outside_make(os.environ)
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def tree(tmp_path):
    """A copy of what set-up reads, in a folder with a space in its name."""
    folder = tmp_path / "my copy"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def fake(tmp_path):
    """Write a fake python and give its path."""

    def write(version="3.12.0", new_enough=True, venv=MAKE_VENV, install="exit 0"):
        path = tmp_path / "fake-python"
        path.write_text(
            FAKE.format(log=tmp_path / "log", version=version, new_enough=new_enough, venv=venv, install=install)
        )
        path.chmod(0o755)
        return f"PYTHON={path}"

    return write


def asked(tmp_path):
    log = tmp_path / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def said(result):
    """What a failed make printed, less its own last words."""
    assert result.returncode != 0
    return [line for line in (result.stdout + result.stderr).splitlines() if not line.startswith("make")]


def test_make_alone_lists_every_target():
    listed = re.findall(r"^make (\w+)", make(ROOT).stdout, re.MULTILINE)
    phony = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith(".PHONY"))
    assert listed == phony.split()[1:]
    assert {"setup", "lab", "test", "lint", "notebooks", "paper", "bench", "pictures", "help"} <= set(listed)
    assert make(ROOT, "help").stdout == make(ROOT).stdout


def test_set_up_makes_an_environment_and_installs_the_pinned_versions(tree, fake, tmp_path):
    assert make(tree, "setup", fake()).returncode == 0
    calls = asked(tmp_path)
    assert any(call.startswith("-m venv") for call in calls)
    assert [call for call in calls if "pip install" in call] == [
        "-m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable .[notebooks,dev]"
    ]


def test_the_lab_asks_nobody_for_news(tree, fake):
    make(tree, "setup", fake())
    settings = json.loads((tree / ".venv/share/jupyter/lab/settings/overrides.json").read_text())
    quiet = settings["@jupyterlab/apputils-extension:notification"]
    assert (quiet["fetchNews"], quiet["checkForUpdates"]) == ("false", False)


def test_set_up_is_not_repeated(tree, fake, tmp_path):
    make(tree, "setup", fake())
    asked(tmp_path)
    assert make(tree, "setup").returncode == 0
    assert asked(tmp_path) == []
    assert make(tree, "-q", READY).returncode == 0


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_dependency_file_is_installed_into_the_environment_that_is_there(tree, fake, tmp_path, name):
    make(tree, "setup", fake())
    asked(tmp_path)
    later = (tree / READY).stat().st_mtime + 10
    os.utime(tree / name, (later, later))
    assert make(tree, "setup", fake()).returncode == 0
    calls = asked(tmp_path)
    assert not any("venv" in call for call in calls)
    assert any("pip install" in call for call in calls)


def test_an_interrupted_set_up_is_done_again(tree, fake):
    assert make(tree, "setup", fake(install="exit 1")).returncode != 0
    assert not (tree / READY).exists()
    assert make(tree, "-q", READY).returncode != 0


def test_a_failed_update_is_done_again(tree, fake):
    make(tree, "setup", fake())
    os.utime(tree / READY, (0, 0))
    (tree / ".venv" / "bin" / "python").write_text('#!/bin/sh\ncase "$*" in *install*) exit 1;; esac\n')
    assert make(tree, "setup").returncode != 0
    assert make(tree, "-q", READY).returncode != 0


def test_a_moved_tree_is_set_up_again(tree, fake, tmp_path):
    make(tree, "setup", fake())
    moved = tree.rename(tmp_path / "moved")
    assert make(moved, "-q", READY).returncode != 0


def test_a_python_that_is_too_old_gives_one_line(tree, fake):
    lines = said(make(tree, "setup", fake(version="3.9.1", new_enough=False)))
    assert len(lines) == 1
    assert "Python 3.11 or newer is needed" in lines[0]
    assert "Python 3.9.1" in lines[0]
    assert "make PYTHON=" in lines[0]


def test_no_python_at_all_gives_one_line(tree):
    lines = said(make(tree, "lab", "PYTHON=no-such-python"))
    assert len(lines) == 1
    assert "Python 3.11 or newer is needed, but no-such-python is: not there" in lines[0]


def test_a_python_without_venv_gives_one_line(tree, fake):
    noise = "echo 'The virtual environment was not created successfully because ...' && exit 1"
    lines = said(make(tree, "setup", fake(venv=noise)))
    assert len(lines) == 1
    assert "python3-venv" in lines[0]


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


@pytest.fixture
def served(tmp_path):
    """The address that `make lab` prints, while it runs."""
    if make(ROOT, "-q", READY).returncode != 0 and not os.environ.get("CI"):
        pytest.skip("set up by other means than `make setup`")
    server = subprocess.Popen(
        ["make", "lab", f"LAB_ARGS=--no-browser --port={free_port()}"],
        cwd=ROOT,
        env=outside_make(private(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with server:
        try:
            found = (re.search(r"http://(?:localhost|127\.0\.0\.1)\S+token=\w+", line) for line in server.stdout)
            url = next(match.group() for match in found if match)
            wait_for(server, url.partition("/lab")[0])
            yield url
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.communicate()


def test_make_lab_serves_the_start_notebook_to_who_has_the_token(served):
    assert "/lab/tree/00-start-here.ipynb?token=" in served
    assert b"jupyter" in get(served).lower()
    site, token = re.match(r"(http://[^/]+).*token=(\w+)", served).groups()
    notebook = json.loads(get(f"{site}/api/contents/00-start-here.ipynb?token={token}"))
    assert notebook["content"]["cells"][0]["source"].startswith("# ")
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        get(f"{site}/api/contents/00-start-here.ipynb")
    refused.value.close()
