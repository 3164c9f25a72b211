"""Mining by several parties that pool nothing: each computes with its own records, and only sums are opened (VC04)."""

from ppdm.parties.local import local
from ppdm.parties.wires import PartyError

__all__ = ["PartyError", "local"]
