"""Times to compare: the calls take turns, so that whatever else the machine does meets them all."""

import time
from collections.abc import Callable, Sequence

import numpy as np


def best_times(calls: Sequence[Callable[[], object]], turns: int) -> np.ndarray:
    """The shortest time of each call, in seconds."""
    return np.min([[_seconds(call) for call in calls] for _ in range(turns)], axis=0)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
