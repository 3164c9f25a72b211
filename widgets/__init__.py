"""Explorers: controls for noise, θ and group count, installed as ppdm.widgets."""
