"""The provider's side: channels P(seen | true)."""

from .channel import Channel, NumericChannel
from .noise import AdditiveNoise, GaussianNoise, UniformNoise

__all__ = ["AdditiveNoise", "Channel", "GaussianNoise", "NumericChannel", "UniformNoise"]
