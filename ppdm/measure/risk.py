"""Which released record comes from which true one: all pairs, compared as far as they matter."""

from collections.abc import Callable, Iterator
from functools import reduce

import numpy as np

from ppdm.blocks import bar
from ppdm.disguise import GaussianNoise, Intervals, UniformNoise
from ppdm.information import shared_codes

PAIRS = 1_000_000  # of records that are compared at a time
TIE = 1e-6  # log-likelihoods that differ by less are the same: those of uniform noise differ by rounding
BITS = 1 << 27  # that a part may keep: 16 megabytes
EDGES = 1000  # of ranks, at most, for which it keeps what lies below
STRIDES = (64, 8, 1)  # of 64 released records, the first eight, then all: most true records are soon decided
DELAY = 2  # seconds before a bar is shown
# These never release a value rather than one on the same side of the true value, and nearer to it.
FALLING = UniformNoise, GaussianNoise, Intervals


def linked(disguise, X, released) -> tuple:
    """The share of records that are found by each part alone, by the name of its first column; and by all together."""
    names, laws, true, seen, falling = coded(disguise, X, released)
    own = np.array([law(codes, others) for law, codes, others in zip(laws, seen, true)])
    impossible = np.isneginf(own.min(axis=0))
    if impossible.any():
        raise ValueError(
            f"released has a row {impossible.argmax()} that cannot stem from that row of X; "
            "expected what the disguise released of X, in the same order"
        )
    # Equal records are compared once; of released ones that are equal it counts how many they are.
    first_true, record = distinct_rows(np.hstack(true))
    first_seen, place = distinct_rows(np.hstack(seen))
    # Bits come in words of 64. What fills the last word counts nothing.
    first_seen = np.pad(first_seen, (0, -len(first_seen) % 64), mode="edge")
    times = np.bincount(place, minlength=len(first_seen))
    parts = [
        (_Falling if falls else _Part)(law, codes[first_true], others[first_seen], times)
        for law, codes, others, falls in zip(laws, true, seen, falling)
    ]
    own = np.vstack([own, own.sum(axis=0)])
    best = np.full(len(first_true), -np.inf)
    np.maximum.at(best, record, own[-1])
    ends = [[part.most, part.tied] for part in parts]
    # A single part is all.
    ends.append(_together(parts, best, times) if len(parts) > 1 else ends[0])
    most, tied = np.swapaxes(ends, 0, 1)[..., record]
    # Who is among t records that are equally likely is found with probability 1 / t.
    found = ((own > most - TIE) / tied).mean(axis=1).tolist()
    return dict(zip(names, found)), found[-1]


class _Part:
    """The log-likelihoods of distinct true records with distinct released ones, by one part of the disguise.

    Attributes
    ----------
    most : the largest of each true record
    tied : how many released records reach it
    """

    def __init__(self, law, true, seen, times):
        first, self._value = distinct_rows(true)
        others, self._rank = distinct_rows(seen)
        self._law = law
        self._true = true[first]
        self._seen = seen[others]
        self._times = np.bincount(self._rank, times)
        # Of few values all are looked up. Numbers on a fine grid are too many.
        few = len(first) * len(others) <= PAIRS
        self._table = law(self._seen, self._true[:, None]) if few else None
        self.most, self.tied = self._likeliest()[:, self._value]

    def scores(self, i, j) -> np.ndarray:
        """The log-likelihoods of true records with released ones, both given by their places."""
        i = self._value[i]
        j = self._rank[j]
        if self._table is None:
            return self._law(self._seen[j], self._true[i])
        return self._table[i, j]

    def _likeliest(self):
        found = []
        for rows in in_blocks(len(self._true), len(self._seen)):
            scores = self._law(self._seen, self._true[rows, None])
            most = scores.max(axis=1)
            found.append([most, (scores > most[:, None] - TIE) @ self._times])
        return np.hstack(found)

    def prepare(self, spare) -> None:
        """Get ready for ``bits``, by what each true record can spare."""
        self._spare = spare
        self._few = None
        table = self._table
        if table is not None and len(self._true) <= BITS // len(self._rank):
            # What a value can spare differs from record to record: its bits hold all that can be released.
            possible = table > -np.inf
            likeliest = table >= table.max(axis=1, keepdims=True) - TIE / 100
            self._few = [np.vstack([_packed(row[self._rank]) for row in rows]) for rows in (possible, likeliest)]

    def bits(self, rows) -> tuple:
        """Two rows of bits for each true record of a block, with a bit for each released one.

        The first hold at least all of those that lose at most what can be spared. The second hold only such that lose
        nothing, against the largest log-likelihood of this part.
        """
        value = self._value[rows]
        if self._few is not None:
            return tuple(few[value] for few in self._few)
        scores = self._law(self._seen, self._true[value, None])
        lost = self.most[rows, None] - scores[:, self._rank]
        return _packed(lost <= self._spare[rows, None]), _packed(lost <= TIE / 100)


class _Falling(_Part):
    """A part of one column: on either side of a true value, what is farther away is never likelier."""

    def _likeliest(self):
        self._middle = np.searchsorted(self._seen[:, 0], self._true[:, 0], side="right")
        lower, _ = self._at(self._middle - 1)
        upper, _ = self._at(self._middle)
        most = np.maximum(lower, upper)
        first, last = self._within(most - TIE)
        below = np.append(0, np.cumsum(self._times))
        return np.array([most, below[last] - below[first]])

    def _at(self, rank, value=slice(None)):
        """The log-likelihoods of released values of some rank; and whether there are any of that rank."""
        known = rank.clip(0, len(self._seen) - 1)
        return self._law(self._seen[known], self._true[value]), known == rank

    def _within(self, least, value=slice(None)):
        """The ranks, first and behind the last, of the released values that are at least so likely; by bisection."""
        middle = self._middle[value]
        reaches = []
        for way, nearest in ((-1, middle - 1), (1, middle)):
            reach = np.zeros_like(middle)
            for bit in reversed(range(len(self._seen).bit_length())):
                score, known = self._at(nearest + way * (reach + (1 << bit) - 1), value)
                reach += (known & (score >= least)) << bit
            reaches.append(reach)
        return middle - reaches[0], middle + reaches[1]

    def prepare(self, spare) -> None:
        """Note which released records lie below each of some edges, and between which edges those of ``bits`` lie."""
        ranks = len(self._seen)
        number = min(EDGES, 1 + BITS // len(self._rank), ranks)
        edges = np.linspace(0, ranks, number + 1).astype(int)
        self._below = np.vstack([_packed(self._rank < edge) for edge in edges])
        first, last = self._within(self.most - spare, self._value)
        start, stop = self._within(self.most - TIE / 100, self._value)
        start = np.searchsorted(edges, start)
        stop = np.maximum(np.searchsorted(edges, stop, side="right") - 1, start)
        first = np.searchsorted(edges, first, side="right") - 1
        last = np.searchsorted(edges, last)
        # In a narrow type, because there are four for each true record and part.
        self._ends = np.array([first, last, start, stop], np.uint16)

    def bits(self, rows) -> tuple:
        """What lies below one edge and not below the other."""
        first, last, start, stop = self._below[self._ends[:, rows]]
        return first ^ last, start ^ stop


def _together(parts, best, times):
    """The largest log-likelihood of each true record by all parts, or one above its best own; and how many reach it."""
    top = sum(part.most for part in parts)
    # A part may lose as much against its likeliest release as the own release loses by all parts.
    for part in parts:
        part.prepare(top - best + 2 * TIE)
    # A record that stands for several is counted in the planes of its number's binary digits.
    planes = [_packed(times >> digit & 1) for digit in range(int(times.max()).bit_length())]
    found = []
    for rows in bar(in_blocks(len(best), len(times) / 4), delay=DELAY):
        of_parts = zip(*(part.bits(rows) for part in parts))
        left, sure = (reduce(np.bitwise_and, bits) for bits in of_parts)
        # Who loses nothing by any part is counted at once.
        tied = sum(
            np.bitwise_count(sure & plane).sum(axis=1, dtype=int) << digit for digit, plane in enumerate(planes)
        )
        found.append(_settled(parts, rows, left ^ sure, tied, top, best, times))
    return np.hstack(found)


def _settled(parts, rows, left, tied, top, best, times):
    """The same for a block, of which the pairs that are left are compared one by one."""
    own = best[rows]
    most = np.where(tied, top[rows], -np.inf)
    close = []
    for stride in STRIDES:
        left[most > own + TIE] = 0  # who has lost needs no more work
        i, j = _places(left[:, ::stride], stride)
        score = top[rows][i]
        for part in parts:
            score += part.scores(i + rows.start, j) - part.most[rows][i]
            kept = score > own[i] - 2 * TIE
            i = i[kept]
            j = j[kept]
            score = score[kept]
        np.maximum.at(most, i, score)
        close.append([i, j, score])
        left[:, ::stride] = 0
    i, j, score = map(np.concatenate, zip(*close))
    reached = score > most[i] - TIE
    return most, tied + np.bincount(i, times[j] * reached, len(own))


def _packed(rows):
    """Booleans in bits, in words of 64."""
    # A copy has the bits of a row side by side, however the booleans lay.
    return np.packbits(rows, axis=-1).copy().view(np.uint64)


def _places(words, stride):
    """The rows and columns of all bits that are set, where only every so many words are given."""
    some = np.flatnonzero(words)  # most words are 0
    octets = words.ravel()[some].view(np.uint8)
    bits = np.flatnonzero(np.unpackbits(octets))
    row, word = np.divmod(some[bits // 64], words.shape[1])
    return row, 64 * stride * word + bits % 64


def in_blocks(rows, columns) -> list:
    """Rows in blocks that can be compared with so many columns at a time."""
    size = max(int(PAIRS / columns), 1)
    return [slice(first, first + size) for first in range(0, rows, size)]


def coded(disguise, X, released) -> Iterator:
    """Five lists, with an entry for each part, then for each column as it is.

    They are: its first column, its law, the codes of the true records, the codes of the released ones; and whether its
    law falls on either side of a true code.
    """
    complete(X, released)
    found = []
    for part in disguise.parts_:
        name = part.columns[0]
        # Another channel, even one that is made from these, may have any law.
        falls = type(part.channels[name]) in FALLING
        true = part.true_codes(X)
        seen = part.seen_codes(released)
        found.append((name, part.log_law, true, seen, falls))
    for column in X.columns.drop(list(disguise.channels_)):
        true, seen = shared_codes(f"column {column!r}", X[column], released[column])
        found.append((column, _same, true[:, None], seen[:, None], True))
    return zip(*found)


def complete(X, released) -> None:
    """Refuse a release that lacks columns of the true records."""
    lacking = [column for column in X if column not in released]
    if lacking:
        raise ValueError(f"released lacks the columns {lacking}; expected all columns of the true records")


def _same(seen, true):
    """The law of what passes as it is."""
    return np.where((seen == true)[..., 0], 0.0, -np.inf)


def scores_of(law, true, seen) -> Callable:
    """A function from the places of some released records to their log-likelihoods with all true ones.

    It has a row for each released record, so that a block of these has all that is needed of each.
    """
    first, place = distinct_rows(seen)
    values = seen[first, None]
    first, column = distinct_rows(true)
    others = true[first]
    # Few pairs of distinct records are looked up. Of many each block is worked out in its turn.
    if len(values) * len(others) <= PAIRS:
        table = law(values, others)
        return lambda rows: table[place[rows]][:, column]
    return lambda rows: law(seen[rows, None], others)[:, column]


def distinct_rows(codes) -> tuple:
    """The first row of each distinct one, and the number of the distinct one that each row is."""
    _, rows, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return rows, place
