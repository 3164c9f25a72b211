"""The provider's side: channels P(seen | true)."""

from ppdm.cuts import mdlp_cuts
from ppdm.disguise import relevance
from ppdm.disguise.categories import CategoryChannel, KeepOrReplace, RandomizedResponse
from ppdm.disguise.disguise import Disguise, as_disguise
from ppdm.disguise.groups import GroupedResponse
from ppdm.disguise.intervals import Intervals, channels_at
from ppdm.disguise.noise import GaussianNoise, UniformNoise
from ppdm.disguise.numeric import NumericChannel
from ppdm.disguise.release import Channel, PrivacyWarning, Release
from ppdm.disguise.released import SpecificationError
from ppdm.disguise.specification import PrivacySpecification

__all__ = [
    "CategoryChannel",
    "Channel",
    "Disguise",
    "GaussianNoise",
    "GroupedResponse",
    "Intervals",
    "KeepOrReplace",
    "NumericChannel",
    "PrivacySpecification",
    "PrivacyWarning",
    "RandomizedResponse",
    "Release",
    "SpecificationError",
    "UniformNoise",
    "as_disguise",
    "channels_at",
    "mdlp_cuts",
    "relevance",
]
