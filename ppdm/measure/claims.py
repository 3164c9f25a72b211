"""The ledger of a notebook: each claim of a paper beside what was measured, and whether it holds."""

import html
import os
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.files import write
from ppdm.measure.verdicts import Holds, verdict

VERDICTS: dict = {
    True: "holds",
    False: "does not hold",
    "partly": "partly",
    "undecided": "undecided",
    None: "not measured",
}
# A verdict's words and symbol carry the meaning; the colour only repeats it (all are safe for colour-blind eyes).
LOOKS = {
    "holds": ("✓", "#0072B2"),
    "does not hold": ("✗", "#D55E00"),
    "partly": ("◐", "#F0E442"),
    "undecided": ("≈", "#CC79A7"),
    "not measured": ("–", "#999999"),
}
# A spreadsheet takes a text for a formula if it starts like this. Such a text is saved with ' before it, and so is one
# that starts with ' itself, so that reading can take the sign away again.
FORMULA = tuple("=+-@＝＋－＠'")

NAME = r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "letters, digits and hyphens, as in 'A5'"
# No control characters, which could break a line, turn it round or command a terminal, and no halves of characters.
SIGNS = r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*"
LINE = rf"(?=.*\S){SIGNS}"

# What a paper says may hold two signs of dollars, which begin no formula.
TABLE = (
    "<table class='mathjax_ignore tex2jax_ignore'><caption>{}</caption>"
    "<thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
)
CELL = "<{0} style='text-align: left{1}'>{2}</{0}>"


class Claim(NamedTuple):
    """One row of a ledger: a claim and where it is made, what was measured, and the verdicts in words."""

    claim: str
    statement: str
    scope: str
    claimed: str
    measured: str
    overall: str
    everywhere: str
    verdict: str

    def __repr__(self):
        measured = f" (measured: {self.measured})" if self.measured else ""
        return f"{LOOKS[self.verdict][0]} {self.claim} {self.verdict}: {self.statement}{measured}"


# The columns of a ledger, and their headings. One that no claim fills is left out.
HEADINGS = dict(
    zip(Claim._fields, ["claim", "", "where", "claimed", "measured", "overall", "in every setting", "verdict"])
)
COLUMNS = ["paper", *Claim._fields]
FILLED = {"scope", "claimed", "overall", "everywhere"}


class Ledger:
    """The claims of one paper, in the order in which they were checked.

    Parameters
    ----------
    paper : the paper's short name, which also names the file: letters, digits, hyphens
    column : the heading above the claims, in a ledger of something else than a paper

    >>> claims = Ledger("AS00")
    >>> claims.check("A2", "The shape comes back", "total variation 0.06", True)
    ✓ A2 holds: The shape comes back (measured: total variation 0.06)
    """

    def __init__(self, paper: str, column: str = "the paper says"):
        self.paper = _text("paper", paper, *NAME)
        self.column = _text("column", column)
        self._claims: dict = {}

    def check(
        self,
        claim: str,
        statement: str,
        measured: str | float | None,
        holds: Holds,
        *,
        scope: str = "",
        claimed: str = "",
        overall: Holds = None,
        everywhere: Holds = None,
    ) -> Claim:
        """Record a claim.

        Parameters
        ----------
        claim : its short name in the paper's list: letters, digits, hyphens; each once
        statement : what the paper says, in one line
        measured : what came out, in one line or as a number (kept to four digits); None if nothing was measured
        holds : True, False, "partly", "undecided", or None: not measured
        scope : the settings that the claim speaks of
        claimed : the bound that stands for the paper's words
        overall, everywhere : whether it holds on average, and in every setting, as ``verdict`` says; None if that is no
            question
        """
        for name, given in (("holds", holds), ("overall", overall), ("everywhere", everywhere)):
            if measured is None and given is not None:
                raise ValueError(
                    f"measured is None, but {name} is {given!r}; expected what was measured, or {name}=None"
                )
        row = Claim(
            _text("claim", claim, *NAME),
            _text("statement", statement),
            _text("scope", scope, SIGNS),
            _text("claimed", claimed, SIGNS),
            _measured(measured),
            "" if overall is None else _word("overall", overall),
            "" if everywhere is None else _word("everywhere", everywhere),
            _word("holds", holds),
        )
        if claim in self._claims:
            raise ValueError(
                f"claim {claim!r} is in the ledger already; expected each claim once "
                "(to check again, start from a new Ledger: run the notebook from its first cell)"
            )
        self._claims[claim] = row
        return row

    verdict = staticmethod(verdict)

    def to_frame(self) -> pd.DataFrame:
        """A row for each claim, all as text."""
        rows = [(self.paper, *claim) for claim in self._claims.values()]
        table = pd.DataFrame(rows, columns=COLUMNS, dtype=str)
        return table.drop(columns=[name for name in FILLED if not table[name].any()])

    def save(self, folder: str | Path = "results") -> Path:
        """Write ledger-<paper>.csv into the folder and return its path."""
        if not self._claims:
            raise ValueError(f"the ledger {self.paper} is empty; expected at least one checked claim")
        path = _path(folder) / f"ledger-{self.paper}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        # Spaces in front do not keep every spreadsheet from it.
        defused = self.to_frame().map(lambda text: f"'{text}" if text.lstrip().startswith(FORMULA) else text)
        write(path, defused.to_csv(index=False, lineterminator="\n"))
        return path

    @staticmethod
    def gather(folder: str | Path = "results") -> pd.DataFrame:
        """All ledgers that were saved in a folder, as one frame."""
        tables = []
        for path in sorted(_path(folder).glob("ledger-*.csv")):
            try:
                table = pd.read_csv(path, dtype=str, keep_default_na=False)
            except ValueError:  # empty, not text, or no table
                table = pd.DataFrame()
            some = [name for name in COLUMNS if name not in FILLED or name in table]
            known = list(table.columns) == some and table["verdict"].isin(LOOKS).all()
            for name in {"overall", "everywhere"} & set(some):
                known = known and table[name].isin([*LOOKS, ""]).all()
            if not known or not table.map(lambda text: bool(re.fullmatch(SIGNS, text))).all(axis=None):
                raise ValueError(f"{path} holds no ledger; expected a file that Ledger.save wrote")
            tables.append(table.map(lambda text: text.removeprefix("'")))
        if not tables:
            raise FileNotFoundError(
                f"folder {str(folder)!r} holds no ledger; run the notebooks, which save theirs there"
            )
        gathered = pd.concat(tables, ignore_index=True).fillna("")
        return gathered[[name for name in COLUMNS if name in gathered]]

    def __len__(self):
        return len(self._claims)

    def __repr__(self):
        return "\n".join([self._summary(), *map(repr, self._claims.values())])

    def _repr_html_(self):
        shown = self.to_frame().drop(columns="paper")
        headings = (HEADINGS[name] or self.column for name in map(str, shown))
        heads = "".join(CELL.format("th", "", html.escape(heading)) for heading in headings)
        rows = ""
        for *texts, word in shown.to_numpy():
            symbol, colour = LOOKS[word]
            edge = f"; border-left: 4px solid {colour}; white-space: nowrap"
            cells = "".join(CELL.format("td", "", html.escape(text)) for text in texts)
            rows += f"<tr>{cells}{CELL.format('td', edge, f'{symbol} {word}')}</tr>"
        return TABLE.format(self._summary(), heads, rows)

    def _summary(self):
        counts = Counter(claim.verdict for claim in self._claims.values())
        parts = [f"{verdict}: {counts[verdict]}" for verdict in LOOKS if counts[verdict]]
        return f"Ledger {self.paper} ({', '.join(parts) or 'no claims yet'})"


def _word(name, holds):
    return VERDICTS[checks.choice(name, holds, VERDICTS, hint="None means: not measured")]


def _measured(measured):
    if measured is None:
        return ""
    if isinstance(measured, str):
        return _text("measured", measured)
    value = checks.number("measured", measured)
    return str(measured) if isinstance(measured, int | np.integer) else f"{value:.4g}"


def _text(name, text, pattern=LINE, expected="text of one line"):
    """The text, if it is one that the pattern allows."""
    if not isinstance(text, str) or not re.fullmatch(pattern, text):
        raise (ValueError if isinstance(text, str) else TypeError)(f"{name} is {text!r}; expected {expected}")
    return text


def _path(folder):
    return Path(checks.of_type("folder", folder, str | os.PathLike, "a path, as text or Path"))
