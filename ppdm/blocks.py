"""Rows in blocks: what is computed of many rows at a time must stay in the processor's cache."""

BLOCK = 1 << 16  # rows at a time


def blocks(rows) -> list[slice]:
    """Slices of all rows in turn, each short enough for its temporary arrays to stay in the cache.

    >>> [part.start for part in blocks(150_000)]
    [0, 65536, 131072]
    """
    return [slice(first, first + BLOCK) for first in range(0, rows, BLOCK)]
