"""The ledger of a notebook: each claim of a paper beside what was measured, and whether it holds."""

import html
import numbers
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from ppdm import checks

Holds = bool | Literal["partly"] | None

# Words and symbols carry the meaning; the colour only repeats it (blue, orange, yellow, grey: safe for all eyes).
_VERDICTS: dict[str, tuple[Holds, str, str]] = {
    "holds": (True, "✓", "#0072B2"),
    "does not hold": (False, "✗", "#D55E00"),
    "partly": ("partly", "◐", "#F0E442"),
    "not measured": (None, "–", "#999999"),
}
_COLUMNS = ["paper", "claim", "statement", "measured", "verdict"]


@dataclass(frozen=True)
class Claim:
    """One row of a ledger: which claim, what it says, what was measured, and the verdict in words."""

    claim: str
    statement: str
    measured: str
    verdict: str

    def __repr__(self) -> str:
        symbol = _VERDICTS[self.verdict][1]
        measured = f" (measured: {self.measured})" if self.measured else ""
        return f"{symbol} {self.claim} {self.verdict}: {self.statement}{measured}"


class Ledger:
    """The claims of one paper, in the order in which they were checked.

    Parameters
    ----------
    paper : the paper's short name, which also names the file: letters, digits, hyphens

    >>> claims = Ledger("AS00")
    >>> claims.check("A2", "The shape comes back", "total variation 0.06", True)
    ✓ A2 holds: The shape comes back (measured: total variation 0.06)
    """

    def __init__(self, paper: str) -> None:
        self.paper = _name("paper", paper)
        self._claims: dict[str, Claim] = {}

    def check(self, claim: str, statement: str, measured: str | float | None, holds: Holds) -> Claim:
        """Record a claim.

        Parameters
        ----------
        claim : its short name in the paper's list: letters, digits, hyphens; each once
        statement : what the paper says, in one line
        measured : what came out, in one line or as a number (kept to four digits); None if nothing was measured
        holds : True, False, "partly", or None: not measured
        """
        row = Claim(_name("claim", claim), _line("statement", statement), _measured(measured, holds), _verdict(holds))
        if claim in self._claims:
            raise ValueError(
                f"claim {claim!r} is in the ledger already; expected each claim once "
                "(to check again, start from a new Ledger: run the notebook from its first cell)"
            )
        self._claims[claim] = row
        return row

    def to_frame(self) -> pd.DataFrame:
        """One row a claim, all as text."""
        rows = [(self.paper, *astuple(claim)) for claim in self._claims.values()]
        return pd.DataFrame(rows, columns=_COLUMNS, dtype=str)

    def save(self, folder: str | Path = "results") -> Path:
        """Write ledger-<paper>.csv into the folder and return its path."""
        if not self._claims:
            raise ValueError(f"the ledger {self.paper} is empty; expected at least one checked claim")
        path = _path("folder", folder) / f"ledger-{self.paper}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.to_frame().to_csv(path, index=False, encoding="utf-8", lineterminator="\n")
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Ledger":
        """The ledger that was saved in a file."""
        try:
            table = pd.read_csv(_path("path", path), dtype=str, keep_default_na=False, encoding="utf-8")
        except ValueError:  # empty, not text, or no table
            table = pd.DataFrame()
        if list(table.columns) != _COLUMNS or len(set(table["paper"])) != 1:
            raise ValueError(f"path is {str(path)!r}, which holds no ledger; expected a file that Ledger.save wrote")
        ledger = cls(table["paper"].iloc[0])
        for _, claim, statement, measured, verdict in table.itertuples(index=False):
            checks.choice(f"the verdict on {claim} in {path}", verdict, _VERDICTS)
            ledger.check(claim, statement, measured or None, _VERDICTS[verdict][0])
        return ledger

    @classmethod
    def gather(cls, folder: str | Path = "results") -> pd.DataFrame:
        """All ledgers that were saved in a folder, as one frame."""
        paths = sorted(_path("folder", folder).glob("ledger-*.csv"))
        if not paths:
            raise FileNotFoundError(
                f"folder {str(folder)!r} holds no ledger; run the notebooks, which save theirs there"
            )
        return pd.concat([cls.load(path).to_frame() for path in paths], ignore_index=True)

    def __len__(self) -> int:
        return len(self._claims)

    def __repr__(self) -> str:
        return "\n".join([self._summary(), *map(repr, self._claims.values())])

    def _repr_html_(self) -> str:
        head = _row("th scope='col'", ["claim", "the paper says", "measured", "verdict"])
        body = "".join(map(_html_row, self._claims.values()))
        caption = html.escape(self._summary())
        return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def _summary(self) -> str:
        counts = Counter(claim.verdict for claim in self._claims.values())
        parts = [f"{verdict}: {counts[verdict]}" for verdict in _VERDICTS if counts[verdict]]
        return f"Ledger {self.paper} ({', '.join(parts) or 'no claims yet'})"


def _html_row(claim: Claim) -> str:
    _, symbol, colour = _VERDICTS[claim.verdict]
    cells = [claim.claim, claim.statement, claim.measured, f"{symbol} {claim.verdict}"]
    return _row("td", cells, f"border-left: 4px solid {colour}; white-space: nowrap")


def _row(tag: str, cells: Iterable[str], last_style: str = "") -> str:
    *first, last = [html.escape(cell) for cell in cells]
    name = tag.split()[0]
    left = "".join(f"<{tag} style='text-align: left'>{cell}</{name}>" for cell in first)
    return f"<tr>{left}<{tag} style='text-align: left; {last_style}'>{last}</{name}></tr>"


def _verdict(holds: Any) -> str:
    value = bool(holds) if isinstance(holds, np.bool_) else holds
    checks.choice("holds", value, [known for known, _, _ in _VERDICTS.values()], hint="None means: not measured")
    return next(verdict for verdict, (known, _, _) in _VERDICTS.items() if known is value or known == value)


def _measured(measured: Any, holds: Any) -> str:
    if measured is None:
        if holds is not None:
            raise ValueError(f"measured is None, but holds is {holds!r}; expected what was measured, or holds=None")
        return ""
    if isinstance(measured, str):
        return _line("measured", measured)
    value = checks.number("measured", measured)
    return f"{measured:d}" if isinstance(measured, numbers.Integral) else f"{value:.4g}"


def _line(name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} is {text!r}; expected text of one line")
    if not text.strip() or len(text.splitlines()) > 1:
        raise ValueError(f"{name} is {text!r}; expected text of one line")
    return text


def _path(name: str, path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} is {path!r}; expected a path, as text or Path")
    return Path(path)


def _name(name: str, text: Any) -> str:
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", text):
        raise ValueError(f"{name} is {text!r}; expected letters, digits and hyphens, as in 'A5'")
    return text
