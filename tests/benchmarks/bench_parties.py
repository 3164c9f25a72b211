"""What parties that pool nothing pay beside one that has all records: processor seconds and bytes of one party.

Bytes are counted, and follow formulas; seconds are those of a party's processor, as a share of what the same work takes
on all records in this process, the coding of the records included.
"""

import time
from collections.abc import Iterator

import numpy as np

from ppdm.data import QUEST_RANGES, quest
from ppdm.parties import local
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow

TITLE = "Parties: sums, trees over rows and trees over columns, beside the pooled records"
NUMBERS = 360  # of a sum: 9 columns, 20 values, 2 classes
OPEN_BOUND = 3.0  # times the pooled tree
RECORDS, PEOPLE = 30_000, 100_000
TURNS = 5


def pooled_seconds(session, X, y, stop) -> float:
    """Processor seconds of the same tree from all records."""
    found = []
    for _ in range(TURNS):
        before = time.process_time()
        grow(EstimatedTable.from_records(session.attributes, X, y, session.project["classes"]), stop=stop)
        found.append(time.process_time() - before)
    return min(found)


def sums() -> Iterator[tuple[str, float, float | None, str]]:
    """Bytes of a sum, to what its formula says, and the processor's time."""
    message = 8 * NUMBERS + 12
    expected = {"ring": 3 * message, "additive": 4 * message, "mixer": message, "shamir": 3 * message}
    for engine in ("ring", "additive", "mixer", "masks", "shamir"):
        with local(dict.fromkeys("abc"), engine) as session:
            own = {name: np.arange(NUMBERS) for name in "abc"}
            cpu = []
            for _ in range(TURNS):
                session.sum(own)
                cpu.append(session.cpu["a"])
            ratio = session.bytes["a"] / expected.get(engine, message)
            bound = 1.0 if engine in expected else None
            yield (
                f"{engine}: bytes of a sum, to the formula",
                ratio,
                bound,
                f"{min(cpu) * 1e3:.1f} ms of processor",
            )


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """Bytes and processor seconds of sums, of a tree over rows, opened or closed, and of a tree over columns."""
    yield from sums()
    X, y = quest(RECORDS, function=2, rng=1)
    thirds = {f"party {number}": (X[number::3], y[number::3]) for number in range(3)}
    with local(thirds, domains=QUEST_RANGES, limit=300) as session:
        stop = Stop(max_depth=4)
        cpu = []
        for _ in range(TURNS):
            session.tree(stop=stop)
            cpu.append(session.cpu["party 0"])
        ratio = min(cpu) / pooled_seconds(session, X, y, stop)
        sent = f"{min(cpu):.3f} s, {session.bytes['party 0'] / 1e3:.1f} kB, {session.opened['numbers'].sum():,} numbers"
        yield "rows, depth 4, histograms opened: seconds of a party, to pooled", ratio, OPEN_BOUND, sent
        tree = session.tree(stop=Stop(max_depth=3), opens="tree")
        nodes = int((tree.attribute >= 0).sum())
        told = (
            f"{session.cpu['party 0'] / nodes:.2f} s and {session.bytes['party 0'] / nodes / 1e6:.2f} MB a node"
        )
        ratio = session.cpu["party 0"] / pooled_seconds(session, X, y, Stop(max_depth=3))
        yield "rows, depth 3, only the tree opened: seconds of a party, to pooled", ratio, None, told
    X, y = quest(PEOPLE, function=2, rng=1)
    held = {"bank": (X.iloc[:, :4], y), "shop": X.iloc[:, 4:]}
    with local(held, domains=QUEST_RANGES, align=False) as session:
        session.tree(stop=stop)
        slower = max(session.cpu["bank"], session.cpu["shop"])
        ratio = slower / pooled_seconds(session, X, y, stop)
        told = f"{slower:.2f} s (at most 1 is asked), {max(session.bytes.values()) / 1e6:.0f} MB"
        yield "columns, 100,000 people, depth 4: seconds of a holder, to pooled", ratio, None, told
