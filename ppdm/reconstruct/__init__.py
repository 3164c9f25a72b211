"""The miner's side: from what is seen to the distribution of the true values, and to true-looking codes."""

from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.column import Column
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.em import em_step, reconstruct_counts
from ppdm.reconstruct.grid import reconstruct, reconstruct_joint
from ppdm.reconstruct.inverse import (
    estimate,
    frequencies,
    invert,
    proportion,
    proportion_variance,
    record_weights,
)
from ppdm.reconstruct.search import Search
from ppdm.reconstruct.stopping import ChiSquareStop, DiscrepancyStop, FixedStop, HeldOutStop

__all__ = [
    "Attribute",
    "ChiSquareStop",
    "Column",
    "DiscrepancyStop",
    "Distribution",
    "FixedStop",
    "HeldOutStop",
    "Search",
    "em_step",
    "estimate",
    "frequencies",
    "invert",
    "proportion",
    "proportion_variance",
    "reconstruct",
    "reconstruct_counts",
    "reconstruct_joint",
    "record_weights",
]
