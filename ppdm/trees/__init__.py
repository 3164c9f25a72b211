"""Classifiers grown from estimated tables."""

from ppdm.trees.classifiers import GiniTreeClassifier
from ppdm.trees.grow import Stop, grow
from ppdm.trees.model import Tree
from ppdm.trees.prune import code_length, pessimistic_errors, prune_mdl, prune_pessimistic
from ppdm.trees.reconstructed import ReconstructedTreeClassifier
from ppdm.trees.response import ResponseTreeClassifier

__all__ = [
    "GiniTreeClassifier",
    "ReconstructedTreeClassifier",
    "ResponseTreeClassifier",
    "Stop",
    "Tree",
    "code_length",
    "grow",
    "pessimistic_errors",
    "prune_mdl",
    "prune_pessimistic",
]
