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
from ppdm.measure.response import (
    BestGuess,
    best_guess,
    known_answer,
    record_guess,
    record_posterior,
    response_epsilon,
    response_posteriors,
)
from ppdm.measure.risk import linkage_rate, privacy_report

__all__ = [
    "AccuracyEstimate",
    "BestGuess",
    "Claim",
    "EntropyPrivacy",
    "Ledger",
    "WorstPosterior",
    "accuracy_from_disguised",
    "best_guess",
    "entropy_privacy",
    "epsilon",
    "information_gain",
    "interval_privacy",
    "known_answer",
    "linkage_rate",
    "privacy_report",
    "record_guess",
    "record_posterior",
    "response_epsilon",
    "response_posteriors",
    "worst_posterior",
]
