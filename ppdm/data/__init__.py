"""Records to study: a generator, two shapes and five tables, as they are or cut to 0 and 1."""

from ppdm.data.binary import BinaryCuts
from ppdm.data.load import load
from ppdm.data.quest import QUEST_DOMAINS, QUEST_RANGES, plateau, quest, quest_class, triangles

__all__ = [
    "QUEST_DOMAINS",
    "QUEST_RANGES",
    "BinaryCuts",
    "load",
    "plateau",
    "quest",
    "quest_class",
    "triangles",
]
