"""The provider's side: channels P(seen | true)."""

from ppdm.disguise.channel import Channel, NumericChannel
from ppdm.disguise.noise import AdditiveNoise, GaussianNoise, UniformNoise

__all__ = ["AdditiveNoise", "Channel", "GaussianNoise", "NumericChannel", "UniformNoise"]
