"""What disguised answers give away to somebody who knows how the true records are distributed (DZ03 §1.2, §5.3.3)."""

import math
from functools import cached_property
from itertools import islice

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ppdm import checks
from ppdm.disguise import Disguise, as_disguise
from ppdm.information import distinct_codes
from ppdm.measure.privacy import most_telling
from ppdm.measure.risk import coded, distinct_rows, in_blocks, scores_of

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

    def __init__(self, disguise, known: pd.DataFrame, weights=None):
        columns = checks.frame("known", known).columns
        self.disguise = as_disguise(disguise, columns, "disguise", optional=False)
        self.channels: dict = {}  # in the order of the parts, as all results are
        for part in self.disguise.parts_:
            self.channels |= part.channels
        counts = checks.vector("weights", np.ones(len(known)) if weights is None else weights)
        checks.same_length("weights", counts, "known", known)
        if not checks.not_negative("weights", counts).any():
            raise ValueError("weights are all 0; expected some above 0")
        known = known[counts > 0]
        counts = counts[counts > 0]
        coded_columns = [
            channel.codes(known[column], f"column {column!r}") for column, channel in self.channels.items()
        ]
        for column in columns.drop(list(self.channels)):
            coded_columns.append(distinct_codes(f"column {column!r}", known[column]))
        codes = np.column_stack(coded_columns)
        # Equal records are one, with more weight.
        rows, place = distinct_rows(codes)
        self.records = known.iloc[rows]
        self._true = codes[rows]
        self.shares = np.bincount(place, counts) / counts.sum()
        self._sizes = [channel.k for channel in self.channels.values()]
        self._ends = np.cumsum(self._sizes)[:-1]
        # Whether each record (a row) has each value of each attribute (a column for every value).
        self._holds = np.hstack([np.eye(k)[own] for k, own in zip(self._sizes, self._true.T)])

    def posteriors(self, released: pd.DataFrame | None = None, rare: float = 1e-4) -> pd.DataFrame:
        """How often the best guess of each disguised attribute is right.

        - before: without any release
        - theta: by taking the released value as true; DZ03 §1.2 says that nothing is better (for two values and θ < ½,
          by taking its opposite)
        - one answer: from what is released of this attribute alone
        - whole record: from all that is released of the record
        - worst: from the released records that reveal most, leaving out a share ``rare``, in [0, 1), of all

        The mean is over ``released``; None: over all releases of the known records.

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
        >>> Intruder(GroupedResponse(0.8, [["smokes", "drinks"]]), known, weights=[1, 5, 4]).posteriors()
                before  theta  one answer  whole record  worst
        smokes     0.9    0.8         0.9           0.9    1.0
        drinks     0.5    0.8         0.8           0.9    1.0
        """
        rare = checks.number("rare", rare, "[0, 1)")
        joint = self._joint(released)(self._holds)
        total = joint[: self._sizes[0]].sum(axis=0)  # P(release), as one value of each attribute is the true one
        joint = joint[:, total > 0]
        total = total[total > 0]
        rows = []
        for channel, codes, own in zip(self.channels.values(), self._true.T, np.split(joint, self._ends)):
            before = np.bincount(codes, self.shares, channel.k)
            matrix = channel.matrix()
            alone = (before[:, None] * matrix).max(axis=0).sum()
            best = own.max(axis=0)
            worst = most_telling(best / total, total, rare)
            rows.append([before.max(), matrix.max(), alone, best.sum(), worst])
        return self._table(rows, ["before", "theta", "one answer", "whole record", "worst"])

    def record_guess(self, released: pd.DataFrame | None = None) -> float:
        """How often the best guess of a whole record is right, all its values at once.

        DZ03 §1.2 says θ for each group, θ^N for N; that is for an intruder who knows nothing of the distribution.

        >>> from ppdm.disguise import GroupedResponse
        >>> known = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
        >>> round(Intruder(GroupedResponse(0.8, [["smokes"], ["drinks"]]), known, [1, 5, 4]).record_guess(), 3)
        0.72
        """
        right = 0.0
        for steps in self._ways(released):
            most = self.shares
            for step in map(csr_array, steps):
                most = np.maximum.reduceat(step.data * most[step.indices], step.indptr[:-1])
            right += most.sum()
        return float(right)

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
        for name in ("before", "after"):
            if name in self.records:
                raise ValueError(
                    f"known has a column {name!r}, and so has the result; rename the column in known"
                )
        table = (
            released
            if isinstance(released, pd.DataFrame)
            else pd.DataFrame([checks.mapping("released", released)])
        )
        if len(table) != 1:
            raise ValueError(f"released has {len(table)} rows; expected one record")
        ((step,),) = self._compared(table)
        after = step[0] * self.shares
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
        others = len(self.channels) - 1
        means = []  # without the release, and with it
        for joint in (lambda holds: (self.shares @ holds)[:, None], self._joint(released)):
            none, one = self._guesses(joint)
            means += [(none.sum() - none) / others, one / others]
        groups = [len(part.columns) - 1 for part in self.disguise.parts_ for _ in part.columns]
        rows = np.column_stack([groups, self.unmasked(), *means])
        found = self._table(rows, ["group", "unmasked", "before", "answer", "release", "both"])
        return found.astype({"group": int})

    def unmasked(self) -> np.ndarray:
        """For each disguised attribute, the mean number of others that are certain once its true answer is known."""
        found: list = []
        for part in self.disguise.parts_:
            # Of two values there is one other; of more the true one is known only where the group was kept.
            certain = [1.0 if channel.k == 2 else channel.matrix()[0, 0] for channel in part.channels.values()]
            found += [sum(certain) - own for own in certain]
        return np.array(found)

    def _table(self, rows, columns):
        """A row for each disguised attribute."""
        return pd.DataFrame(rows, pd.Index(self.channels, tupleize_cols=False), columns)

    def _guesses(self, joint):
        """How often a best guess of each attribute is right; and the sum over all others, where its truth is known."""

        def best(found) -> np.ndarray:
            by_attribute = np.split(found, self._ends)
            return np.array([own.max(axis=0).sum() for own in by_attribute])

        all_values = joint(self._holds)
        known = []
        for own in np.split(self._holds, self._ends, axis=1):
            rest = all_values
            right = -1.0  # a known answer is guessed for certain, and does not count
            for value in own.T[1:]:
                found = joint(self._holds * value[:, None])
                rest = rest - found
                right += best(found).sum()
            known.append(right + best(rest).sum())  # what is left has the first value
        return best(all_values), np.array(known)

    def _joint(self, released):
        """A function from what holds (0 or 1, a column each) of known records (rows) to P(what holds, release)."""

        def joint(holds) -> np.ndarray:
            blocks = []
            for steps in self._ways(released):
                found = holds * self.shares[:, None]
                for step in steps:
                    found = step @ found
                blocks.append(found)
            # Turned in memory too: the largest of a few whole rows is found much faster than that of a few columns.
            return np.vstack(blocks).T.copy()

        return joint

    def _ways(self, released):
        """Steps from known records to all releases, P(after | before); or to a block of these, in a single step."""
        if released is None and self._steps:
            return [self._steps]
        return self._compared(self._sampled if released is None else released)

    def _compared(self, released):
        """A block of releases (rows) at a time: P(release | true), times the release's share over its probability."""
        _, laws, true, seen, _ = coded(self.disguise, self.records, checks.frame("released", released))
        rows, place = distinct_rows(np.hstack(seen))
        times = np.bincount(place) / len(place)
        scores = [scores_of(law, codes, own[rows]) for law, codes, own in zip(laws, true, seen)]
        for block in in_blocks(len(rows), len(self.records)):
            likelihoods = np.exp(sum(score(block) for score in scores))
            totals = likelihoods @ self.shares
            if not totals.all():
                raise ValueError(
                    f"released has a row {rows[block][totals == 0].min()} that no record of known can have become; "
                    "expected releases of records such as known has: take a table in which all of them occur"
                )
            yield [likelihoods * (times[block] / totals)[:, None]]

    @cached_property
    def _steps(self):
        """P(after | before) for each part in turn, before and after its release; none if there are too many releases.

        After some parts it matters only what was released of them and what is true of the others.
        """
        sizes = np.array(self._sizes)
        strides = np.cumprod([1, *sizes])
        passed = distinct_rows(self._true[:, len(sizes) :])[1]
        if math.prod(self._sizes) * len(passed) > 1 << 62:
            return []
        # A number for each combination of codes, and of what passes as it is: a released part changes its digits.
        cells = np.column_stack([self._true[:, : len(sizes)], passed]) @ strides
        steps = []
        start = 0
        for part in self.disguise.parts_:
            own = slice(start, start := start + len(part.columns))
            codes = cells[:, None] // strides[own] % sizes[own]
            # There may be far more than can be held.
            number = len(cells)
            outcomes = list(islice(part.outcomes(codes), MAX_RELEASES // number + 1))
            if len(outcomes) * number > MAX_RELEASES:
                return []
            ends = [cells + (after - codes) @ strides[own] for after, _ in outcomes]
            shares = [np.broadcast_to(share, number) for _, share in outcomes]
            before = np.tile(np.arange(number), len(ends))
            # What comes to one release, with the same truth of all other parts, goes on as one.
            cells, after = np.unique(np.concatenate(ends), return_inverse=True)
            entries = np.concatenate(shares), (after, before)
            steps.append(csr_array(entries, (len(cells), number)))
        return steps

    @cached_property
    def _sampled(self):
        """Releases of known records, the same ones always."""
        rows = np.random.default_rng(0).choice(len(self.shares), SAMPLE, p=self.shares)
        # The stream that the seed 0 started once: stored results stay as they are.
        disguise = Disguise(self.disguise.channels, random_state=np.random.default_rng([0, 1]))
        return disguise.fit_transform(self.records.iloc[rows])
