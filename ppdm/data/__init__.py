"""Records to study: a generator, two shapes and five tables."""

from ppdm.data.quest import QUEST_RANGES, quest, quest_class
from ppdm.data.shapes import credit_risk, plateau, shape_probabilities, triangles
from ppdm.data.tables import Table, load

__all__ = [
    "QUEST_RANGES",
    "Table",
    "credit_risk",
    "load",
    "plateau",
    "quest",
    "quest_class",
    "shape_probabilities",
    "triangles",
]
