"""Classifiers grown from estimated tables."""

from ppdm.trees.c45 import C45Classifier
from ppdm.trees.gini import GiniTreeClassifier
from ppdm.trees.grow import Stop, grow
from ppdm.trees.model import Tree
from ppdm.trees.prune import Mdl, prune_mdl
from ppdm.trees.reconstructed import Joint, Local, ReconstructedTreeClassifier
from ppdm.trees.response import ResponseTreeClassifier

__all__ = [
    "C45Classifier",
    "GiniTreeClassifier",
    "Joint",
    "Local",
    "Mdl",
    "ReconstructedTreeClassifier",
    "ResponseTreeClassifier",
    "Stop",
    "Tree",
    "grow",
    "prune_mdl",
]
