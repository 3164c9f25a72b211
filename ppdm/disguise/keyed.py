"""Numbers by a secret key: an entity gets the same noise always (AS00 §2)."""

import unicodedata
from collections.abc import Callable
from numbers import Integral

import numpy as np
import pandas as pd

from ppdm import checks, randomness

KINDS = bool, Integral, float, str  # of entities; True is a whole number to Python, and nobody's name
# For each key and column that this process has disguised: by which channel. Of a key this holds a digest only.
_bound: dict[bytes, str] = {}


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


def keyed_numbers(key, entities) -> Callable[..., np.ndarray]:
    """What makes a number in (0, 1) for each record and purpose, the same for the same entity and row of codes."""
    checks.none_missing("the entity column", entities)
    # From 2^53 on floats make neighbours equal; narrow floats do so earlier.
    kind = getattr(entities.dtype, "numpy_dtype", entities.dtype)
    largest = 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else 2**53
    names = _entity_names(entities.tolist(), largest)
    key.checked()  # a copy may have lost it

    def keyed(part, codes):
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
