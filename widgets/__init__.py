"""Explorers: controls for noise, θ, groups, leaves and what happens to columns, installed as ppdm.widgets."""

from .leaves import LeafNoiseExplorer
from .noise import NoiseExplorer
from .panel import Panel, Stage
from .release import ReleaseExplorer
from .response import ResponseExplorer
from .trees import TreeExplorer

__all__ = [
    "LeafNoiseExplorer",
    "NoiseExplorer",
    "Panel",
    "ReleaseExplorer",
    "ResponseExplorer",
    "Stage",
    "TreeExplorer",
]
