"""What a disguise is made of: columns that are disguised together; and their numbers by a secret key (AS00 §2)."""

import math
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, reduce
from itertools import product
from numbers import Integral

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise.laws import log

BINARY = (0, 1)
MIN_EIGENVALUE = 1e-9  # one below this is none
MAX_NAMED = 16  # attributes of one group that has more than two values somewhere, in one event
KINDS = bool, Integral, float, str  # of entities; True is a whole number to Python, and nobody's name
# For each key and column that this process has disguised: by which channel. Of a key this holds a digest only.
_bound: dict = {}


class Part:
    """Columns that are disguised together, independently of all others: a disguise is a list of parts.

    A part of one column follows the law of its channel. A ``Group`` has a law of its own. Codes of a part have a row
    for each record and a column for each of its columns.

    Attributes
    ----------
    channels : what each column goes through, seen by itself
    columns : that the part disguises
    """

    def __init__(self, channels):
        self.channels = channels
        self.columns = tuple(channels)
        self._channel = channels[self.columns[0]]

    @property
    def purposes(self) -> list:
        """A name for each uniform number that a record takes. A key makes its numbers by them: they must not change."""
        return [f"{self.columns[0]!r} {self._channel!r}"]

    @property
    def two_ended(self) -> bool:
        """Whether the part draws by numbers as ``randomness.uniform(two_ended=True)`` has them."""
        return self._channel.two_ended

    def true_codes(self, frame) -> np.ndarray:
        """The codes of true values, if none is missing and all are in their domains."""
        for name in self.columns:
            checks.none_missing(f"column {name!r}", frame[name])
        codes = [own.true_codes(frame[name], f"column {name!r}") for name, own in self.channels.items()]
        return np.column_stack(codes)

    def seen_codes(self, frame) -> np.ndarray:
        """The codes of released values, if all of them can have been released."""
        codes = [own.seen_codes(frame[name], f"column {name!r}") for name, own in self.channels.items()]
        return np.column_stack(codes)

    def draw(self, codes, uniforms) -> np.ndarray:
        """What true codes become; a row of uniforms for each record, a number for each purpose."""
        return self._channel.draw(codes[:, 0], uniforms[:, 0])[:, None]

    def log_law(self, seen, true) -> np.ndarray:
        """The log of P(seen | true). The last axis of both is the part's columns; the others are broadcast."""
        return self._channel.log_law(seen[..., 0], true[..., 0])

    def epsilon(self, delta) -> float:
        """The ε of the part, as of a channel."""
        return self._channel.epsilon(delta)

    def outcomes(self, codes) -> Iterable:
        """Yield the codes that records can be released as, with their probability: a number, or one for each record."""
        for place, shares in enumerate(self._channel.matrix().T):
            yield np.full_like(codes, place), shares[codes[:, 0]]

    def match_weights(self, matches) -> np.ndarray:  # noqa: ARG002
        """The weights of a record in a group, by what it shows; a channel of one column has none."""
        raise TypeError(
            f"{self._channel!r} is the channel of one column; expected a GroupedResponse (a group may have one column)"
        )

    def weights(self, seen, inside) -> np.ndarray:
        """The weight of each disguised record for an event; its mean is 1 if the true record is in the event, else 0.

        Parameters
        ----------
        seen : the codes of what is seen in some columns
        inside : for each of these columns, which of its true codes the event allows
        """
        (column,) = inside
        try:
            return self._channel.weights(inside[column])[seen[column]]
        except (TypeError, ValueError) as error:
            raise type(error)(f"column {column!r}: {error}") from None


class Group(Part):
    """Columns of which all values are kept, with probability theta, or all are replaced."""

    def __init__(self, theta, channels):
        super().__init__(channels)
        self.theta = theta
        self.sizes = np.array([channel.k for channel in channels.values()])
        ways = math.prod((self.sizes - 1).tolist())  # Python's integers never overflow
        self._replaced = (1 - theta) / ways
        # The inverse can magnify an error by one over the smallest eigenvalue. What is constant along an attribute
        # passes a replacement as it is, every other wave is multiplied by −1 / (k − 1): θ + (1 − θ) Π of some of these.
        waves = {1.0}
        for k in self.sizes.tolist():
            waves |= {-wave / (k - 1) for wave in waves}
        self.smallest_eigenvalue = min(abs(theta + (1 - theta) * wave) for wave in waves)
        if self.smallest_eigenvalue < MIN_EIGENVALUE:
            raise ValueError(
                f"theta is {theta:g} for the group {list(channels)}, which carries no information on a single answer: "
                "the truth and its replacement look alike, and no inverse exists; choose another theta, the farther "
                "from it the more is told (1 tells all)"
            )

    @cached_property
    def purposes(self) -> list:
        """One for the group, however its columns are listed, and one for each column with more than two values."""
        names = sorted(self.columns, key=repr)
        group = shown(self.theta, [names], {name: self.channels[name].categories for name in names})
        return [group, *(f"{name!r} {group}" for name, channel in self.channels.items() if channel.k > 2)]

    def draw(self, codes, uniforms) -> np.ndarray:
        """Keep all codes of a record if its first number is below theta; else replace each, by any other one."""
        kept = uniforms[:, 0] < self.theta
        others = iter(uniforms.T[1:])
        released = np.empty_like(codes)
        for place, k in enumerate(self.sizes):
            own = codes[:, place]
            # Of two values the other one needs no chance.
            other = (next(others) * (k - 1)).astype(int) if k > 2 else 0
            released[:, place] = np.where(kept, own, other + (other >= own))
        return released

    def log_law(self, seen, true) -> np.ndarray:
        """The log of theta where all codes agree, of a replacement's probability where none does; otherwise -inf."""
        # Column by column, because a sum along a short last axis is slow.
        width = len(self.sizes)
        same = (seen[..., place] == true[..., place] for place in range(width))
        agree = sum(one.astype(np.int16) for one in same)
        partly = [0] * (width - 1)
        law = log([self._replaced, *partly, self.theta])  # by how many agree
        return law[agree]

    def outcomes(self, codes) -> Iterable:
        """All codes that records can be released as, with the probability of each: first as they are."""
        yield codes, self.theta
        for others in product(*(range(1, k) for k in self.sizes)):
            yield (codes + others) % self.sizes, self._replaced

    def epsilon(self, delta) -> float:
        """The ε of a group of one attribute; inf for several, because a release then rules out some true values."""
        return math.inf if len(self.columns) > 1 else super().epsilon(delta)

    def invert(self, counts) -> np.ndarray:
        """The estimated counts of true codes, from those of released ones; the last axes are the part's columns."""
        if self.theta == 1:
            return counts
        axes = tuple(range(-len(self.sizes), 0))
        if (self.sizes == 2).all():
            # Each record counts as it is and reversed. What neither meets stays exactly 0, and needs no cell.
            kept, reversed_ = self._of_two_values()
            return kept * counts + reversed_ * np.flip(counts, axes)
        # The matrix is diagonal in the Fourier basis, of which the first wave is constant.
        replaced = _outer([1] + [-1 / (k - 1)] * (k - 1) for k in self.sizes)
        eigenvalues = self.theta + (1 - self.theta) * replaced
        waves = np.fft.fftn(counts, axes=axes) / eigenvalues
        return np.fft.ifftn(waves, axes=axes).real

    def _of_two_values(self):
        """The weights of a record as it is seen and of its reversal, if all attributes have two values."""
        return np.array([self.theta, self.theta - 1]) / (2 * self.theta - 1)

    def weights(self, seen, inside) -> np.ndarray:
        """The weights of all combinations of values that the event allows, added up."""
        total = np.zeros(len(next(iter(seen.values()))))
        for values in product(*map(np.flatnonzero, inside.values())):
            total += self.match_weights({name: seen[name] == value for name, value in zip(inside, values)})
        return total

    def match_weights(self, matches) -> np.ndarray:
        """The weights of a record for an event that asks for one value of some columns, by which of these it shows.

        ``matches`` says for each column whether the seen value is the event's; the arrays' shapes go together. Where
        an attribute has two values, a record counts θ / (2θ − 1) if it shows all, (θ − 1) / (2θ − 1) if it shows none,
        and else 0.

        >>> from ppdm.disguise import GroupedResponse
        >>> pair = GroupedResponse(0.9, [["a", "b"]]).parts[0]
        >>> matches = {"a": np.array([True, True, False]), "b": np.array([True, False, False])}
        >>> pair.match_weights(matches).round(3).tolist()
        [1.125, 0.0, -0.125]
        """
        sizes = tuple(self.channels[name].k for name in matches)
        agree = tuple(np.asarray(match, dtype=np.intp) for match in matches.values())
        if max(sizes) > 2:
            return _inverse_by_match(self.theta, sizes)[agree]
        every, none = self._of_two_values()
        partly = [0] * (len(sizes) - 1)
        return np.array([none, *partly, every])[sum(agree)]


def _outer(factors):
    return reduce(np.multiply.outer, factors, np.ones(()))


@lru_cache(maxsize=256)
def _inverse_by_match(theta, sizes):
    """The entries of the inverse of a group's matrix, by which attributes agree (1) and which do not (0).

    Along each attribute the matrix has two eigenspaces: what is the same for all values, and what sums to 0.
    """
    if len(sizes) > MAX_NAMED:
        raise ValueError(
            f"conjunction names {len(sizes)} attributes of one group, some of more than two values; "
            f"expected at most {MAX_NAMED}"
        )
    replaced = _outer([1, -1 / (k - 1)] for k in sizes)
    inverse = 1 / (theta + (1 - theta) * replaced)
    for k in sizes:  # each turn replaces the first axis, by eigenspace, by a last one, by match
        projections = [[1 / k, 1 / k], [-1 / k, 1 - 1 / k]]
        inverse = np.tensordot(inverse, projections, axes=(0, 0))
    return inverse


def shown(theta, groups, values) -> str:
    """A GroupedResponse in print; a key makes its numbers by this text, so that it must never change."""
    unusual = {column: list(known) for column, known in values.items() if known != BINARY}
    own = f", values={unusual}" if unusual else ""
    return f"GroupedResponse(theta={theta}, groups={[list(group) for group in groups]}{own})"


def bind(key, parts) -> None:
    """Refuse a key that has disguised a column by another channel: what is declared anew gets noise anew."""
    for part in parts:
        for column in part.columns:
            declared = _bound.setdefault(key.words("bound", [repr(column).encode()]).tobytes(), part.purposes[0])
            if declared != part.purposes[0]:
                raise ValueError(
                    f"key has disguised column {column!r} by another channel, and noise of several channels averages "
                    "out; expected the channel of before, or a new key and new releases of all records"
                )


def keyed_numbers(key, entities) -> Callable:
    """What makes a number in (0, 1) for each record and purpose, the same for the same entity and row of codes."""
    checks.none_missing("the entity column", entities)
    # From 2^53 on floats make neighbours equal; narrow floats do so earlier.
    kind = getattr(entities.dtype, "numpy_dtype", entities.dtype)
    largest = 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else 2**53
    names = _entity_names(entities.tolist(), largest)
    key.checked()  # a copy may have lost it

    def keyed(part, codes) -> np.ndarray:
        order = np.argsort(list(map(repr, part.columns)))  # as in the purposes
        # Adding 0 makes −0 a 0: equal values must give equal bytes.
        rows = (codes[:, order] + 0.0).astype("<f8")
        messages = [row.tobytes() + name for row, name in zip(rows, names)]
        record, distinct = pd.factorize(np.array(messages, dtype=object))  # equal ones are hashed once
        numbers = [randomness.keyed_uniform(key, purpose, distinct, part.two_ended) for purpose in part.purposes]
        return np.column_stack(numbers)[record]

    return keyed


def _entity_names(entities, largest):
    """Entities as bytes: 7, 7.0 and "7" are one, as they may come from one file read in several ways.

    Within a column all are of one kind: to Python 1, 1.0 and True are equal, and they may be different people.
    """
    kinds = [next((kind for kind in KINDS if isinstance(entity, kind)), type(entity)) for entity in entities]
    for row, kind in enumerate(kinds):
        if kind is not kinds[0] or kind not in KINDS[1:]:
            raise TypeError(
                f"the entity column holds a {type(entities[row]).__name__} in row {row}; expected whole numbers or "
                "text, and one kind of them throughout"
            )
    return [_entity_name(entity, row, largest) for row, entity in enumerate(entities)]


def _entity_name(entity, row, largest):
    if isinstance(entity, float):
        if not (entity.is_integer() and abs(entity) < largest):
            raise ValueError(
                f"the entity column holds a float in row {row} that is no whole number below {largest:,}; expected "
                "whole numbers or text"
            )
        entity = int(entity)
    try:
        return unicodedata.normalize("NFC", str(entity)).encode()  # é may be typed as one sign or as two
    except UnicodeEncodeError:
        raise ValueError(f"the entity column holds half a character in row {row}; expected whole text") from None
