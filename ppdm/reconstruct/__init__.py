"""The miner's side: from what is seen to estimated tables of true values."""

from .attribute import Attribute
from .bayes import Reconstruction, em_step, reconstruct, reconstruct_counts
from .distribution import Distribution
from .inverse import invert
from .stopping import ChiSquareStop, DiscrepancyStop, FixedStop, Stop
from .table import EstimatedTable

__all__ = [
    "Attribute",
    "ChiSquareStop",
    "DiscrepancyStop",
    "Distribution",
    "EstimatedTable",
    "FixedStop",
    "Reconstruction",
    "Stop",
    "em_step",
    "invert",
    "reconstruct",
    "reconstruct_counts",
]
