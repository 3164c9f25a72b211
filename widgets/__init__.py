"""Explorers: controls for noise, θ and group count, installed as ppdm.widgets."""

from .noise import NoiseExplorer
from .noise_view import NoiseView, noise_view
from .panel import Panel

__all__ = ["NoiseExplorer", "NoiseView", "Panel", "noise_view"]
