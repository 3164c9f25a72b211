"""Explorers: controls for noise, θ and group count, installed as ppdm.widgets."""

from .noise import NoiseExplorer
from .panel import Panel, Stage
from .response import ResponseExplorer
from .trees import TreeExplorer

__all__ = ["NoiseExplorer", "Panel", "ResponseExplorer", "Stage", "TreeExplorer"]
