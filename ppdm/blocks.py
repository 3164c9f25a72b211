"""Rows in blocks: what is computed of many rows at a time must stay in the processor's cache. And a progress bar."""

import os
from collections.abc import Iterable
from importlib.util import find_spec

BLOCK = 1 << 16  # rows at a time


def blocks(rows) -> list:
    """Slices of all rows in turn, each short enough for its temporary arrays to stay in the cache.

    >>> [part.start for part in blocks(150_000)]
    [0, 65536, 131072]
    """
    return [slice(first, first + BLOCK) for first in range(0, rows, BLOCK)]


def bar(steps, total=None, shown=True, delay=0) -> Iterable:
    """The steps in turn, with a progress bar in notebook and terminal.

    Parameters
    ----------
    steps : whatever is done one after the other
    total : their number, where they have no length
    shown : False for no bar. The environment variable PPDM_PROGRESS=off turns all bars off
    delay : seconds before the bar appears
    """
    # tqdm comes with the notebooks' requirements; it is imported here, so that `import ppdm` stays quick.
    if not shown or os.environ.get("PPDM_PROGRESS") == "off" or not find_spec("tqdm"):
        return steps
    from tqdm.auto import tqdm

    return tqdm(steps, total=total, leave=False, delay=delay)
