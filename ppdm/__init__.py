"""PPDM Workbench: a disguise is a channel, reconstruction inverts it, a tree grows from the estimated table."""

import importlib

from ppdm.sweep import sweep

__all__ = ["sweep"]

_PARTS = ("data", "disguise", "reconstruct", "tables", "patterns", "trees", "measure", "plots", "studies")


def __getattr__(name):
    """The parts of the library, imported when first asked for, so that ``import ppdm`` stays quick."""
    if name in _PARTS:
        return importlib.import_module(f"ppdm.{name}")
    raise AttributeError(f"module 'ppdm' has no attribute {name!r}; its parts are {', '.join(_PARTS)}")


def __dir__():
    return sorted([*__all__, *_PARTS])
