"""The report of a release as its reader meets it: verdict, tables, and a page for a data protection officer."""

import html
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from ppdm import checks

BINS = 20  # of a number's range, each with as many true values, in which its distributions are compared
DONE = ["role", "action", "category", "changed", "mean change", "values before", "values after"]
LEARNT = ["baseline", "named", "error", "inferred", "certain"]
RISK = ["tolerance", *LEARNT, "complete", "fixed", "at most", "threshold", "verdict"]
KEPT = ["gain before", "gain after", "distance"]
SHARES = [*LEARNT, "changed", "fixed", "at most", "threshold", "distance", "accuracy"]  # shown in per cent
WORDS = [
    "known: a column whose true values an intruder may know of a person (a quasi-identifier).",
    "named: the share of people whose value he guesses right, within the tolerance (in the column's own unit; 5 % of "
    "its range where none is shown). Inferred: if he learns from other columns alone. At most: two errors added.",
    "certain: the share of people whose value he claims to know with a probability of 95 % or more.",
    "baseline: what is named by who knows only how often each value occurs. No release names less (errors apart).",
    "complete: of so many records the released value leaves one true value only. Fixed: the known columns do.",
]
OPEN = [
    "Columns as they are ({}): who knows them of a person looks for the record by them.",
    "How often each value occurs in a column that is released: its marginal distribution.",
    "Dropped and changed columns, as far as several others tell them together (a forest finds only some of that), or "
    "others together with what was released of the column itself; what most people of one group have in common.",
    "Who is in the table: rows keep their order, a DataFrame its index. Who knows a person's place finds the record.",
    "People of whom more is known than the known columns; and several releases of the same people, put together.",
]
HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Report of a release</title><style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222 }
.summary { font-size: 1.25em; border-left: .3em solid #0072B2; padding: .4em .8em }
.bad { border-color: #D55E00; background: #FDF0E7 }
table { border-collapse: collapse; margin: .5em 0 1.5em; text-align: left; overflow-wrap: break-word }
th, td { padding: .25em .6em; border-bottom: 1px solid #ccc; text-align: left; vertical-align: top }
@media print { body { font-size: 10px; margin: 0 } tr { break-inside: avoid } h2 { break-after: avoid } }
</style></head>"""


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseReport:
    """What a release did, what it tells, and what it leaves open. It shows no value of a record.

    Attributes
    ----------
    columns : a row for each column; shares are between 0 and 1
    facts, utility : of the whole table; of a C4.5 tree before and after, empty without classes
    warnings, unprotected : sentences
    """

    columns: pd.DataFrame
    facts: pd.Series
    utility: pd.DataFrame
    warnings: list[str]
    unprotected: list[str]

    @property
    def reasons(self) -> list[str]:
        """Why the release is not what it must be: a threshold, complete disclosures (LSL03 §2), or k."""
        found = []
        for name, row in self.columns.iterrows():
            if row["verdict"] == "not held":
                shares = (in_words(row[one], one) for one in ("at most", "threshold"))
                found.append("{}: up to {} of the people may be named (threshold {})".format(name, *shares))
            if row["complete"] > 0:
                found.append(f"{name}: complete disclosures of {row['complete']:,.0f} records")
            elif row["fixed"] > 0:
                share = in_words(row["fixed"], "fixed")
                found.append(
                    f"{name}: complete disclosures to who knows the known columns, of {share} of the people"
                )
        k, least = self.facts[["k after", "k asked for"]]
        return found + [f"k is {k}, and {least} is asked for"] * bool(least and k < least)

    @property
    def unjudged(self) -> list[str]:
        """What is asked for, and was not judged."""
        asked = self.columns.dropna(subset="threshold")
        found = [f"what other columns tell of {name}" for name in asked.index[asked["verdict"].isna()]]
        k, least = self.facts[["k after", "k asked for"]]
        unclear = "k, because known columns are noisy or shuffled, or none is declared"
        return found + [unclear] * bool(least and np.isnan(k))

    @property
    def unasked(self) -> list[str]:
        """For what nothing is asked."""
        sensitive = self.columns[self.columns["role"].str.contains("sensitive")]
        found = [
            f"{name}, for which no threshold is set" for name in sensitive.index[sensitive["threshold"].isna()]
        ]
        return found or ["what is named, because no column is declared sensitive"] * sensitive.empty

    @property
    def held(self) -> bool | None:
        """Whether the release is all that is asked for; None if nothing is, or if some of it was not judged."""
        asked = self.facts["k asked for"] or self.columns["threshold"].notna().any()
        return False if self.reasons else None if self.unjudged or not asked else True

    @property
    def summary(self) -> str:
        """The report in a sentence, or a few."""
        held = ["no threshold is passed, and no record is disclosed completely"]
        if self.columns["threshold"].isna().all():
            held = ["k is as asked for"]
        opened = [*self.unjudged, *(self.unasked if self.columns["threshold"].isna().any() else [])]
        parts = {"Not held": self.reasons, "Held": held if self.held else [], "Not judged": opened}
        return " ".join(f"{word}: {'; '.join(part)}." for word, part in parts.items() if part)

    def to_html(self) -> str:
        """A page that needs nothing else: no script, no link."""
        return f"{HEAD}<body>{self._repr_html_()}</body></html>"

    def __repr__(self):
        return f"ReleaseReport({self.summary})"

    def _repr_html_(self):
        known = f"He knows the release, its specification, and of a person {self.facts['known of a person']}."
        style = "summary bad" if self.held is False else "summary"
        parts = (
            f"<h1>Report of a release</h1><p class='{style}'>{html.escape(self.summary)}</p>",
            _table("What was done (mean change in its own unit)", self.columns[DONE]),
            _table("What an intruder learns of people", self.columns[RISK].dropna(subset="baseline"), known),
            _list("What is NOT protected", self.unprotected),
            _list("Warnings", self.warnings),
            _table(f"What a miner keeps (gain in bits; numbers in {BINS} bins)", self.columns[KEPT]),
            _table("What a miner keeps: a C4.5 tree, cross-validated", self.utility),
            _table("The table", self.facts.to_frame("value")),
            _list("Words", WORDS),
        )
        return "".join(parts)


def _table(title, frame, note=""):
    """A frame as a table of the page; pandas escapes what it shows."""
    if frame.empty:
        return ""
    shown = frame.astype(object).fillna("–").apply(lambda column: column.map(partial(in_words, name=column.name)))
    shown = shown.rename_axis(index=None, columns=frame.index.name)
    with pd.option_context("display.max_colwidth", None):  # or long actions would be cut off
        return f"<h2>{title}</h2><p>{html.escape(note)}</p>{shown.to_html(border=0)}"


def in_words(value, name) -> str:
    """A cell of a table; its column's name tells what is a share."""
    if isinstance(value, str):
        return value
    if name in SHARES:
        return f"{100 * value:.1f} %"
    return checks.readable(value if value % 1 == 0 else float(f"{value:.3g}"))  # counts in full


def _list(title, sentences):
    items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences)
    return f"<h2>{title}</h2><ul>{items}</ul>" if items else ""
