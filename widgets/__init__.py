"""Explorers: controls for noise, θ, groups and what happens to columns, installed as ppdm.widgets."""

from .noise import NoiseExplorer
from .panel import Panel, Stage
from .release import ReleaseExplorer
from .response import ResponseExplorer
from .trees import TreeExplorer

__all__ = ["NoiseExplorer", "Panel", "ReleaseExplorer", "ResponseExplorer", "Stage", "TreeExplorer"]
