"""The provider's side: channels P(seen | true)."""

from ppdm.disguise.channel import Channel, NumericChannel
from ppdm.disguise.grouped import GroupedResponse
from ppdm.disguise.intervals import Intervals
from ppdm.disguise.noise import NOISES, AdditiveNoise, GaussianNoise, UniformNoise
from ppdm.disguise.release import Disguise
from ppdm.disguise.response import CategoryChannel, KeepOrReplace, RandomizedResponse

__all__ = [
    "NOISES",
    "AdditiveNoise",
    "CategoryChannel",
    "Channel",
    "Disguise",
    "GaussianNoise",
    "GroupedResponse",
    "Intervals",
    "KeepOrReplace",
    "NumericChannel",
    "RandomizedResponse",
    "UniformNoise",
]
