"""What was given up and what was kept."""

from ppdm.measure.accuracy import AccuracyEstimate, accuracy_from_disguised
from ppdm.measure.claims import Claim, Ledger
from ppdm.measure.privacy import (
    EntropyPrivacy,
    WorstPosterior,
    entropy_privacy,
    epsilon,
    interval_privacy,
    worst_posterior,
)
from ppdm.measure.relevance import information_gain
from ppdm.measure.risk import linkage_rate, privacy_report

__all__ = [
    "AccuracyEstimate",
    "Claim",
    "EntropyPrivacy",
    "Ledger",
    "WorstPosterior",
    "accuracy_from_disguised",
    "entropy_privacy",
    "epsilon",
    "information_gain",
    "interval_privacy",
    "linkage_rate",
    "privacy_report",
    "worst_posterior",
]
