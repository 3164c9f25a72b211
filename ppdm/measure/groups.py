"""What disguised answers give away to somebody who knows how the true records are distributed (DZ03 §1.2, §5.3.3)."""

import math
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ppdm import checks
from ppdm.disguise import CategoryChannel, Disguise, as_disguise
from ppdm.measure.privacy import most_telling
from ppdm.measure.risk import distinct_rows

PAIRS = 1_000_000  # of a released and a true record, that are compared at a time
MAX_RELEASES = 2_000_000  # that are followed at a time
SAMPLE = 20_000  # releases that stand for all of them, where there are more


class Intruder:
    """Somebody who knows which true records there are, and how often, but not whose they are.

    That is a lot: with the table itself as ``known``, only the names are missing. For an intruder who knows less, give
    another table, say all combinations of values, with products of shares as weights.

    The probabilities are means over the given released records. Without these they are exact means over all releases of
    the known records; or, if these are too many, means over 20,000 of them, drawn with a fixed seed.

    Parameters
    ----------
    disguise : channels of categories: a GroupedResponse, a dict from columns to channels, or a Disguise of either
    known : true records, distributed as the intruder knows; columns without a channel are released as they are
    weights : of the rows of known; None: all count the same
    """

    def __init__(self, disguise, known: pd.DataFrame, weights=None) -> None:
        columns = list(checks.frame("known", known).columns)
        self.disguise = as_disguise(disguise, columns, "disguise", optional=False)
        self.parts = self.disguise.parts_
        self.channels: dict[Any, Any] = {name: own for part in self.parts for name, own in part.channels.items()}
        for column, channel in self.channels.items():
            if not isinstance(channel, CategoryChannel):
                raise TypeError(f"disguise[{column!r}] is {channel!r}; expected channels of categories")
        counts = np.ones(len(known))
        if weights is not None:
            checks.same_length("weights", weights, "known", known)
            counts = checks.not_negative("weights", checks.vector("weights", weights))
        if not counts.sum() > 0:
            raise ValueError("weights are all 0; expected some above 0")
        self._passing = [column for column in columns if column not in self.channels]
        codes = self._codes(known)
        rows, place = distinct_rows(codes)
        shares = np.bincount(place, counts) / counts.sum()
        rows, self.shares = rows[shares > 0], shares[shares > 0]
        self.records, self._true = known.iloc[rows], codes[rows]
        self._sizes = [channel.k for channel in self.channels.values()]
        self._starts = np.cumsum([0, *self._sizes[:-1]])
        # The parts, and where their columns stand among the codes.
        ends = np.cumsum([len(part.columns) for part in self.parts]).tolist()
        self._places = [(part, slice(end - len(part.columns), end)) for part, end in zip(self.parts, ends, strict=True)]
        # Whether each record (a row) has each value of each attribute (a column for every value).
        self._holds = np.hstack([np.eye(k)[own] for k, own in zip(self._sizes, self._true.T, strict=False)])

    def posteriors(self, released: pd.DataFrame | None = None, rare: float = 1e-4) -> pd.DataFrame:
        """How often the best guess of each disguised attribute is right.

        - before: without any release
        - theta: by taking the released value as true; DZ03 §1.2 says that nothing is better (for two values and θ < ½,
          by taking its opposite)
        - one answer: from what is released of this attribute alone
        - whole record: from all that is released of the record
        - worst: from the released records that reveal most, leaving out a share ``rare``, in [0, 1), of all

        The mean is taken over the released records, or None: over all that known ones can become.

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
        >>> Intruder(GroupedResponse(0.8, [["smokes", "drinks"]]), known, weights=[1, 5, 4]).posteriors()
                before  theta  one answer  whole record  worst
        smokes     0.9    0.8         0.9           0.9    1.0
        drinks     0.5    0.8         0.8           0.9    1.0
        """
        rare = checks.number("rare", rare, 0, 1, open_high=True)
        joint = self._joint(released)(self._holds)
        best, totals = (take.reduceat(joint, self._starts, axis=1) for take in (np.maximum, np.add))
        margins = np.split(self.shares @ self._holds, self._starts[1:])
        matrices = [channel.matrix() for channel in self.channels.values()]
        alone = [(own[:, None] * matrix).max(axis=0).sum() for own, matrix in zip(margins, matrices, strict=True)]
        worst = []
        for top, total in zip(best.T, totals.T, strict=True):
            possible = total > 0
            worst.append(most_telling(top[possible] / total[possible], total[possible], rare))
        return pd.DataFrame(
            {
                "before": [margin.max() for margin in margins],
                "theta": [matrix.max() for matrix in matrices],
                "one answer": alone,
                "whole record": best.sum(axis=0) / totals.sum(axis=0),
                "worst": worst,
            },
            index=pd.Index(self.channels, tupleize_cols=False),
        )

    def record_guess(self, released: pd.DataFrame | None = None) -> float:
        """How often the best guess of a whole record is right, all its values at once.

        DZ03 §1.2 says θ for each group, θ^N for N; that is for an intruder who knows nothing of the distribution.

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
        >>> round(Intruder(GroupedResponse(0.8, [["smokes"], ["drinks"]]), known, [1, 5, 4]).record_guess(), 3)
        0.72
        """
        return float(self._joint(released, np.maximum)(np.ones((len(self.shares), 1))).sum())

    def record_posterior(self, released) -> pd.DataFrame:
        """The true records that may have given one released record, each with its probability, the likeliest first.

        The record is a dict, a Series or a table of one row; "before" and "after" are without and with the release.

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
        >>> intruder = Intruder(GroupedResponse(0.8, [["smokes", "drinks"]]), known, weights=[1, 5, 4])
        >>> intruder.record_posterior({"smokes": 1, "drinks": 1}).round(2)
           smokes  drinks  before  after
        0       0       0     0.5   0.56
        1       1       1     0.1   0.44
        """
        taken = [name for name in ("before", "after") if name in self.records.columns]
        if taken:
            raise ValueError(f"the column name {taken[0]!r} is used by the result; rename the column in known")
        table = released if isinstance(released, pd.DataFrame) else pd.DataFrame([checks.mapping("released", released)])
        if len(table) != 1:
            raise ValueError(f"released has {len(table)} rows; expected one record")
        codes, true, _ = self._compared(table)
        joint = next(self._likelihoods(codes, true))[0]
        after = joint / joint.sum()
        found = self.records.assign(before=self.shares, after=after)[after > 0]
        return found.sort_values("after", ascending=False, kind="stable", ignore_index=True)

    def known_answer(self, released: pd.DataFrame | None = None) -> pd.DataFrame:
        """What one true answer, once it is known, tells of the others (DZ03 §1.2): a row for each answer.

        Whoever knows it sees whether its group was released as it is. If it was, all values of the group are known. If
        not, those of attributes with two values still are. The probabilities are means over all other attributes.

        - group: how many others the attribute's group has
        - unmasked: how many of them are known for certain, on average, whatever is known of the distribution
        - before: how often the best guess is right without the release and without the answer
        - answer: with the answer
        - release: with the release
        - both: with both

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 1]})
        >>> Intruder(GroupedResponse(0.8, [["a", "b"], ["c"]]), known).known_answer().round(3)
           group  unmasked  before  answer  release  both
        a      1       1.0   0.625   0.625     0.85   1.0
        b      1       1.0   0.625   0.625     0.85   1.0
        c      0       0.0   0.500   0.750     0.80   0.9
        """
        if len(self.channels) < 2:
            raise ValueError(f"disguise is {self.disguise.channels!r}, of one attribute; expected two or more")
        others = ~np.eye(len(self.channels), dtype=bool)
        means = []  # without the release, and with it
        for joint in (lambda holds: (self.shares @ holds)[None], self._joint(released)):
            guesses = self._guesses(joint)
            means += [(np.trace(guesses) - np.diag(guesses)) / others.sum(axis=1), guesses.mean(axis=1, where=others)]
        groups = [len(part.columns) - 1 for part in self.parts for _ in part.columns]
        return pd.DataFrame(
            np.column_stack([groups, self.unmasked(), *means]),
            columns=["group", "unmasked", "before", "answer", "release", "both"],
            index=pd.Index(self.channels, tupleize_cols=False),
        ).astype({"group": int})

    def unmasked(self) -> np.ndarray:
        """For each disguised attribute, the mean number of others that are certain once its true answer is known."""
        found: list[float] = []
        for part in self.parts:
            # Of two values there is one other; of more the true one is known only where the group was kept.
            certain = [1.0 if channel.k == 2 else channel.matrix()[0, 0] for channel in part.channels.values()]
            found += [sum(certain) - own for own in certain]
        return np.array(found)

    def _guesses(self, joint):
        """How often a best guess is right: of each attribute (a column) where another's truth (a row) is known.

        On the diagonal: where none is known.
        """
        holds, starts = self._holds, self._starts
        guesses = np.diag(np.maximum.reduceat(joint(holds), starts, axis=1).sum(axis=0))
        for place, (start, k) in enumerate(zip(starts[:-1], self._sizes, strict=False)):
            own, rest = holds[:, start : start + k], holds[:, start + k :]
            pairs = joint((own[:, :, None] * rest[:, None]).reshape(len(own), -1)).reshape(-1, k, rest.shape[1])
            ends = starts[place + 1 :] - start - k
            guesses[place, place + 1 :] = np.maximum.reduceat(pairs, ends, axis=2).sum(axis=(0, 1))
            guesses[place + 1 :, place] = np.add.reduceat(pairs.max(axis=1).sum(axis=0), ends)
        return guesses

    def _joint(self, released, reduce=np.add):
        """A function from what holds (0 or 1, a row a known record) to P(release, what holds), a row a release.

        With np.maximum: of the most likely known record alone.
        """
        steps = self._steps if released is None else None
        if steps is not None:
            return lambda holds: _followed(steps, holds * self.shares[:, None], reduce)
        codes, true, scale = self._compared(self._sampled() if released is None else released)
        if reduce is np.add:
            return lambda holds: np.vstack([block @ holds for block in self._likelihoods(codes, true)]) * scale
        most = np.concatenate([block.max(axis=1) for block in self._likelihoods(codes, true)])
        return lambda _: most[:, None] * scale

    def _compared(self, released):
        """The codes of distinct releases and of the known records, and the releases' shares over their likelihoods."""
        checks.columns("released", self.records.columns, checks.frame("released", released).columns)
        codes = self._codes(self.records, released)
        true, seen = codes[: len(self.records)], codes[len(self.records) :]
        rows, place = distinct_rows(seen)
        totals = np.concatenate([block.sum(axis=1) for block in self._likelihoods(seen[rows], true)])
        if not totals.all():
            first = np.flatnonzero(totals[place] == 0)[0]
            raise ValueError(
                f"released has a row {first} that no record of known can have become; expected releases of records "
                "such as known has: take a table in which all of them occur"
            )
        return seen[rows], true, (np.bincount(place) / len(place) / totals)[:, None]

    def _likelihoods(self, seen, true):
        """P(seen, true), in blocks: rows are released records, columns known ones."""
        size = max(PAIRS // len(true), 1)
        for first in range(0, len(seen), size):
            block = seen[first : first + size, None]
            found = (block[..., -1] == true[:, -1]) * self.shares
            for part, own in self._places:
                found *= np.exp(part.log_law(block[..., own], true[:, own]))
            yield found

    def _codes(self, *frames):
        """Records as codes: a column for each disguised attribute, and a last one that numbers what passes as it is."""
        frame = frames[0] if len(frames) == 1 else pd.concat([one[frames[0].columns] for one in frames])
        passed = np.zeros(len(frame), dtype=np.intp)
        if self._passing:
            columns = [pd.factorize(frame[column], use_na_sentinel=False)[0] for column in self._passing]
            passed = distinct_rows(np.column_stack(columns))[1]
        codes = [
            np.concatenate([channel.codes(one[name], f"column {name!r}") for one in frames])
            for name, channel in self.channels.items()
        ]
        return np.column_stack([*codes, passed])

    @cached_property
    def _steps(self):
        """P(after | before) for each part in turn, before and after it was released; None: there are too many releases.

        After some parts it matters only what was released of them and what is true of the others: records that agree
        in both go on as one.
        """
        sizes = [*self._sizes, int(self._true[:, -1].max()) + 1]
        if math.prod(sizes) > 1 << 62:
            return None
        cells, steps = np.ravel_multi_index(tuple(self._true.T), sizes), []
        for part, own in self._places:
            codes = np.stack(np.unravel_index(cells, sizes), axis=1)
            ends, shares = [], []
            for after, share in part.outcomes(codes[:, own].copy()):
                codes[:, own] = after
                ends.append(np.ravel_multi_index(tuple(codes.T), sizes))
                shares.append(np.broadcast_to(share, len(cells)))
                if len(ends) * len(cells) > MAX_RELEASES:
                    return None
            before = np.tile(np.arange(len(cells)), len(ends))
            cells, after = np.unique(np.concatenate(ends), return_inverse=True)
            steps.append(csr_array((np.concatenate(shares), (after, before)), (len(cells), before.max() + 1)))
        return steps

    def _sampled(self):
        """Releases of known records, the same ones always."""
        rows = np.random.default_rng(0).choice(len(self.shares), SAMPLE, p=self.shares)
        return Disguise(self.disguise.channels, random_state=0).fit_transform(self.records.iloc[rows])


def _followed(steps, found, reduce):
    """What the steps make of probabilities: sums over what comes to one release, or the largest of these."""
    for step in steps:
        if reduce is np.add:
            found = step @ found
        else:
            found = reduce.reduceat(step.data[:, None] * found[step.indices], step.indptr[:-1])
    return found
