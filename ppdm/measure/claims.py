"""The ledger of a notebook: each claim of a paper beside what was measured, and whether it holds."""

import html
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.files import write

Holds = bool | Literal["partly"] | None

VERDICTS: dict = {True: "holds", False: "does not hold", "partly": "partly", None: "not measured"}
# A verdict's words and symbol carry the meaning; the colour only repeats it (all four are safe for colour-blind eyes).
LOOKS = {
    "holds": ("✓", "#0072B2"),
    "does not hold": ("✗", "#D55E00"),
    "partly": ("◐", "#F0E442"),
    "not measured": ("–", "#999999"),
}
# A spreadsheet takes a text for a formula if it starts like this. Such a text is saved with ' before it, and so is one
# that starts with ' itself, so that reading can take the sign away again.
FORMULA = tuple("=+-@＝＋－＠'")

NAME = r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "letters, digits and hyphens, as in 'A5'"
# No control characters, which could break a line or command a terminal, and no halves of characters.
SIGNS = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*"
LINE = rf"(?=.*\S){SIGNS}"

TABLE = (
    "<table><caption>{}</caption><thead><tr>"
    "<th scope='col' style='text-align: left'>claim</th>"
    "<th scope='col' style='text-align: left'>the paper says</th>"
    "<th scope='col' style='text-align: left'>measured</th>"
    "<th scope='col' style='text-align: left'>verdict</th>"
    "</tr></thead><tbody>{}</tbody></table>"
)
ROW = (
    "<tr><td style='text-align: left'>{}</td><td style='text-align: left'>{}</td><td style='text-align: left'>{}</td>"
    "<td style='text-align: left; border-left: 4px solid {}; white-space: nowrap'>{} {}</td></tr>"
)


class Claim(NamedTuple):
    """One row of a ledger: which claim, what it says, what was measured, and the verdict in words."""

    claim: str
    statement: str
    measured: str
    verdict: str

    def __repr__(self):
        measured = f" (measured: {self.measured})" if self.measured else ""
        return f"{LOOKS[self.verdict][0]} {self.claim} {self.verdict}: {self.statement}{measured}"


COLUMNS = ["paper", *Claim._fields]


class Ledger:
    """The claims of one paper, in the order in which they were checked.

    Parameters
    ----------
    paper : the paper's short name, which also names the file: letters, digits, hyphens

    >>> claims = Ledger("AS00")
    >>> claims.check("A2", "The shape comes back", "total variation 0.06", True)
    ✓ A2 holds: The shape comes back (measured: total variation 0.06)
    """

    def __init__(self, paper: str):
        self.paper = _text("paper", paper, *NAME)
        self._claims: dict = {}

    def check(self, claim: str, statement: str, measured: str | float | None, holds: Holds) -> Claim:
        """Record a claim.

        Parameters
        ----------
        claim : its short name in the paper's list: letters, digits, hyphens; each once
        statement : what the paper says, in one line
        measured : what came out, in one line or as a number (kept to four digits); None if nothing was measured
        holds : True, False, "partly", or None: not measured
        """
        verdict = VERDICTS[checks.choice("holds", holds, VERDICTS, hint="None means: not measured")]
        if measured is None and holds is not None:
            raise ValueError(
                f"measured is None, but holds is {holds!r}; expected what was measured, or holds=None"
            )
        row = Claim(_text("claim", claim, *NAME), _text("statement", statement), _measured(measured), verdict)
        if claim in self._claims:
            raise ValueError(
                f"claim {claim!r} is in the ledger already; expected each claim once "
                "(to check again, start from a new Ledger: run the notebook from its first cell)"
            )
        self._claims[claim] = row
        return row

    @staticmethod
    def verdict(gain: pd.Series) -> dict[str, Any]:
        """Whether a difference is at least 0, cell by cell, and how to say it: the last two arguments of ``check``.

        A cell says yes or no if its mean over the repeats lies two standard errors on that side of 0; otherwise it is
        undecided. The claim holds if no cell says no and the mean of all cells says yes. It does not hold if at least
        half of the cells say no. In all other cases it holds partly.

        Parameters
        ----------
        gain : the difference in each run, indexed by the cell's arguments, and "repeat" last

        >>> runs = pd.MultiIndex.from_product([[1, 2], range(3)], names=["function", "repeat"])
        >>> Ledger.verdict(pd.Series([0.2, 0.3, 0.4, 0.1, 0.2, 0.3], runs))
        {'measured': '2 cells yes, 0 undecided, 0 no; lowest +0.200 ± 0.058 (function 2)', 'holds': True}
        """
        checks.of_type("gain", gain, pd.Series, "a Series, indexed by the arguments of its cells and 'repeat'")
        names = list(gain.index.names)
        if len(names) < 2 or names[-1] != "repeat":
            raise ValueError(
                f"gain is indexed by {names}; expected the arguments of its cells, and 'repeat' last"
            )
        checks.vector("gain", gain)
        cells: Any = gain.groupby(level=names[:-1], sort=False, dropna=False)
        mean = cells.mean()
        error = cells.sem()
        yes = mean - 2 * error >= 0
        no = mean + 2 * error < 0
        overall: Any = gain.groupby(level="repeat").mean()
        holds: Holds = False if no.mean() >= 0.5 else "partly"
        if not no.any() and overall.mean() >= 2 * overall.sem():
            holds = True
        lowest = mean.argmin()
        place = mean.index.to_frame().iloc[lowest].items()
        where = ", ".join(value if isinstance(value, str) else f"{name} {value:g}" for name, value in place)
        counts = f"{yes.sum()} cells yes, {(~yes & ~no).sum()} undecided, {no.sum()} no"
        margin = f"lowest {mean.iloc[lowest]:+.3f} ± {error.iloc[lowest]:.3f} ({where})"
        return {"measured": f"{counts}; {margin}", "holds": holds}

    def to_frame(self) -> pd.DataFrame:
        """A row for each claim, all as text."""
        rows = [(self.paper, *claim) for claim in self._claims.values()]
        return pd.DataFrame(rows, columns=COLUMNS, dtype=str)

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
            known = list(table.columns) == COLUMNS and table["verdict"].isin(LOOKS).all()
            if not known or not table.map(lambda text: bool(re.fullmatch(SIGNS, text))).all(axis=None):
                raise ValueError(f"{path} holds no ledger; expected a file that Ledger.save wrote")
            tables.append(table.map(lambda text: text.removeprefix("'")))
        if not tables:
            raise FileNotFoundError(
                f"folder {str(folder)!r} holds no ledger; run the notebooks, which save theirs there"
            )
        return pd.concat(tables, ignore_index=True)

    def __len__(self):
        return len(self._claims)

    def __repr__(self):
        return "\n".join([self._summary(), *map(repr, self._claims.values())])

    def _repr_html_(self):
        rows = ""
        for *texts, verdict in self._claims.values():
            symbol, colour = LOOKS[verdict]
            rows += ROW.format(*map(html.escape, texts), colour, symbol, verdict)
        return TABLE.format(self._summary(), rows)

    def _summary(self):
        counts = Counter(claim.verdict for claim in self._claims.values())
        parts = [f"{verdict}: {counts[verdict]}" for verdict in LOOKS if counts[verdict]]
        return f"Ledger {self.paper} ({', '.join(parts) or 'no claims yet'})"


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
