"""What was given up and what was kept."""

from ppdm.measure import attacks
from ppdm.measure.accuracy import accuracy_from_disguised
from ppdm.measure.cases import CaseIntruder
from ppdm.measure.claims import Ledger
from ppdm.measure.groups import Intruder
from ppdm.measure.privacy import entropy_privacy, epsilon, information_gain, interval_privacy, worst_posterior
from ppdm.measure.release import release_report
from ppdm.measure.report import linkage_rate, privacy_report
from ppdm.measure.similarity import tree_similarity

__all__ = [
    "CaseIntruder",
    "Intruder",
    "Ledger",
    "accuracy_from_disguised",
    "attacks",
    "entropy_privacy",
    "epsilon",
    "information_gain",
    "interval_privacy",
    "linkage_rate",
    "privacy_report",
    "release_report",
    "tree_similarity",
    "worst_posterior",
]
