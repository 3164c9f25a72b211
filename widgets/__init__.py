"""Explorers: controls for noise, θ and group count, installed as ppdm.widgets."""

from ppdm.widgets.noise import NoiseExplorer, NoiseView, noise_view
from ppdm.widgets.panel import Panel

__all__ = ["NoiseExplorer", "NoiseView", "Panel", "noise_view"]
