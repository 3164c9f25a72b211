"""PPDM Workbench: a disguise is a channel, reconstruction inverts it, a tree grows from the estimated table."""

from ppdm.sweep import summarise, sweep

__all__ = ["summarise", "sweep"]
