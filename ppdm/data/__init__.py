"""Records to study: a generator, two shapes and five tables, as they are or cut to 0 and 1."""

from ppdm.data.binary import BinaryCuts, binarise
from ppdm.data.load import Table, load
from ppdm.data.quest import QUEST_DOMAINS, QUEST_RANGES, quest, quest_class
from ppdm.data.shapes import credit_risk, plateau, shape_probabilities, triangles

__all__ = [
    "QUEST_DOMAINS",
    "QUEST_RANGES",
    "BinaryCuts",
    "Table",
    "binarise",
    "credit_risk",
    "load",
    "plateau",
    "quest",
    "quest_class",
    "shape_probabilities",
    "triangles",
]
