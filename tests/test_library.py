"""The package as a whole: its parts are there when they are asked for."""

import importlib
import subprocess
import sys

import pytest

import ppdm

PARTS = ["data", "disguise", "measure", "patterns", "plots", "reconstruct", "studies", "tables", "trees"]


@pytest.mark.parametrize("part", PARTS)
def test_parts_come_when_asked_for(part):
    assert getattr(ppdm, part) is importlib.import_module(f"ppdm.{part}")
    assert part in dir(ppdm)


def test_an_unknown_part_names_those_there_are():
    with pytest.raises(AttributeError, match="no attribute 'mining'; its parts are data, disguise"):
        _ = ppdm.mining


def test_importing_the_package_alone_loads_no_part():
    command = "import ppdm, sys; print([name for name in sys.modules if name.startswith('ppdm.trees')])"
    assert (
        subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
