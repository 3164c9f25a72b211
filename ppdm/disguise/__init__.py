"""The provider's side: channels P(seen | true)."""

from ppdm.disguise.categories import CategoryChannel, KeepOrReplace, RandomizedResponse
from ppdm.disguise.disguise import Disguise, as_disguise
from ppdm.disguise.groups import GroupedResponse
from ppdm.disguise.intervals import Intervals, channels_at
from ppdm.disguise.noise import GaussianNoise, UniformNoise
from ppdm.disguise.numeric import NumericChannel
from ppdm.disguise.release import Channel, PrivacyWarning, Release

__all__ = [
    "CategoryChannel",
    "Channel",
    "Disguise",
    "GaussianNoise",
    "GroupedResponse",
    "Intervals",
    "KeepOrReplace",
    "NumericChannel",
    "PrivacyWarning",
    "RandomizedResponse",
    "Release",
    "UniformNoise",
    "as_disguise",
    "channels_at",
]
