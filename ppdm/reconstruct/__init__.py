"""The miner's side: from what is seen to estimated tables of true values."""

from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.bayes import Reconstruction, em_step, reconstruct, reconstruct_counts
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.inverse import invert
from ppdm.reconstruct.stopping import ChiSquareStop, DiscrepancyStop, FixedStop, StoppingRule
from ppdm.reconstruct.table import EstimatedTable

__all__ = [
    "Attribute",
    "ChiSquareStop",
    "DiscrepancyStop",
    "Distribution",
    "EstimatedTable",
    "FixedStop",
    "Reconstruction",
    "StoppingRule",
    "em_step",
    "invert",
    "reconstruct",
    "reconstruct_counts",
]
