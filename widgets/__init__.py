"""Explorers: controls for noise, θ, groups, leaves, parties and what happens to columns, installed as ppdm.widgets."""

from .leaves import LeafNoiseExplorer
from .noise import NoiseExplorer
from .panel import Panel, Stage
from .parties import PartyExplorer
from .release import ReleaseExplorer
from .response import ResponseExplorer
from .trees import TreeExplorer

__all__ = [
    "LeafNoiseExplorer",
    "NoiseExplorer",
    "Panel",
    "PartyExplorer",
    "ReleaseExplorer",
    "ResponseExplorer",
    "Stage",
    "TreeExplorer",
]
