"""What was given up and what was kept."""

from ppdm.measure.claims import Claim, Ledger
from ppdm.measure.relevance import information_gain

__all__ = ["Claim", "Ledger", "information_gain"]
