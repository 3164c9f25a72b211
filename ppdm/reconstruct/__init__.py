"""The miner's side: from what is seen to estimated tables of true values."""

from .bayes import Reconstruction, em_step, reconstruct, reconstruct_counts
from .distribution import Distribution
from .inverse import invert
from .stopping import ChiSquareStop, DiscrepancyStop, FixedStop, Stop
from .table import Attribute, EstimatedTable

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
