"""The provider's side: channels P(seen | true)."""

from ppdm.cuts import mdlp_cuts
from ppdm.disguise import relevance
from ppdm.disguise.categories import CategoryChannel, KeepOrReplace, RandomizedResponse
from ppdm.disguise.disguise import Disguise, as_disguise
from ppdm.disguise.groups import GroupedResponse
from ppdm.disguise.intervals import Intervals, channels_at
from ppdm.disguise.leaves import LeafNoise, leaf_noise
from ppdm.disguise.noise import GaussianNoise, UniformNoise
from ppdm.disguise.numeric import NumericChannel
from ppdm.disguise.proportional import ProportionalNoise
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
    "LeafNoise",
    "NumericChannel",
    "PrivacySpecification",
    "PrivacyWarning",
    "ProportionalNoise",
    "RandomizedResponse",
    "Release",
    "SpecificationError",
    "UniformNoise",
    "as_disguise",
    "channels_at",
    "leaf_noise",
    "mdlp_cuts",
    "relevance",
]
