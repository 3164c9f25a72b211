"""Explorers: controls for noise, θ and group count, installed as ppdm.widgets."""

from .answers import ResponseView, response_view
from .forest import TreeView, tree_view
from .noise import NoiseExplorer
from .noise_view import NoiseView, noise_view
from .panel import Panel, Stage
from .response import ResponseExplorer
from .trees import TreeExplorer

__all__ = [
    "NoiseExplorer",
    "NoiseView",
    "Panel",
    "ResponseExplorer",
    "ResponseView",
    "Stage",
    "TreeExplorer",
    "TreeView",
    "noise_view",
    "response_view",
    "tree_view",
]
