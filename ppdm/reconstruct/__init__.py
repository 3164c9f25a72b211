"""The miner's side: from what is seen to estimated tables of true values."""

from ppdm.estimate import Estimate
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.bayes import Reconstruction, em_step, reconstruct, reconstruct_counts
from ppdm.reconstruct.density import reconstruct_density
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.grid import JointDistribution
from ppdm.reconstruct.groups import estimate, frequencies, proportion, proportion_variance, record_weights
from ppdm.reconstruct.heldout import HeldOutStop
from ppdm.reconstruct.inverse import invert, likeliest
from ppdm.reconstruct.joint import JointReconstruction, reconstruct_joint
from ppdm.reconstruct.stopping import ChiSquareStop, DiscrepancyStop, FixedStop, StoppingRule

__all__ = [
    "Attribute",
    "ChiSquareStop",
    "DiscrepancyStop",
    "Distribution",
    "Estimate",
    "FixedStop",
    "HeldOutStop",
    "JointDistribution",
    "JointReconstruction",
    "Reconstruction",
    "StoppingRule",
    "em_step",
    "estimate",
    "frequencies",
    "invert",
    "likeliest",
    "proportion",
    "proportion_variance",
    "reconstruct",
    "reconstruct_counts",
    "reconstruct_density",
    "reconstruct_joint",
    "record_weights",
]
