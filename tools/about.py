"""What a notebook says of itself in its first cell: its title, what it is about, what one learns, needs and spends."""

import re
from dataclasses import dataclass
from itertools import takewhile

from nbformat import NotebookNode

ITEM = re.compile(r"^(?:- |\d+\. )(.*(?:\n  +\S.*)*)", re.MULTILINE)
LABEL = re.compile(r"\*\*([A-Z][\w\s]+)\*\*:\s+(.*?)(?=\s\*\*[A-Z][\w\s]+\*\*:\s|\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class About:
    """A notebook's own words, as Markdown."""

    title: str
    lead: str
    goals: tuple[str, ...]
    goals_said: str
    labels: dict[str, str]

    @property
    def time(self) -> str:
        """How long it takes: the first sentence of what the notebook says."""
        return self.labels["Time"].partition(". ")[0].rstrip(".")

    @property
    def needs(self) -> str:
        """What one needs before, as the notebook says it."""
        return self.labels.get("You need") or self.labels.get("Read first", "")


def about(notebook: NotebookNode, name: str) -> About:
    """What the notebook says; ValueError if it does not say its title, its objectives or its time."""
    text = notebook.cells[0].source if notebook.cells else ""
    head, _, rest = text.partition("\n")
    before = re.split(r"^(?:- |\d+\. )", rest, maxsplit=1, flags=re.MULTILINE)[0].rstrip()
    labels = {one_line(label): one_line(words) for label, words in LABEL.findall(rest.replace("</div>", ""))}
    goals = tuple(map(one_line, ITEM.findall(rest)))
    if not head.startswith("# ") or not goals or "Time" not in labels:
        raise ValueError(
            f"{name}: its first cell does not say its title, its objectives as a list, and **Time**: … minutes"
        )
    return About(
        title=head.removeprefix("# ").strip(),
        lead="\n\n".join(takewhile(is_lead, rest.strip().split("\n\n")[:2])),
        goals=goals,
        goals_said=before.rpartition("\n\n")[2].rstrip(":") + ":",
        labels=labels,
    )


def is_lead(paragraph: str) -> bool:
    """Whether a paragraph says what the notebook is about, and does not begin its list or its box."""
    return not paragraph.startswith(("<", "**", "- ", "1. ")) and not paragraph.endswith(":")


def one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())
