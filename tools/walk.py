"""The way of a record through the library: which modules a reader enters, from Quest to a prediction by ByClass.

``python tools/walk.py`` runs 3,000 records with two attributes through disguise, fit and predict, and prints for each
step the distinct functions and modules, how often the module changes, and the modules in the order of their first
call. Checks of arguments and blocks of rows are left out: they say nothing of the method.
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import ppdm
from ppdm.data import quest
from ppdm.disguise import Disguise, UniformNoise
from ppdm.trees import ReconstructedTreeClassifier

LIBRARY = Path(ppdm.__file__).parent
LEFT_OUT = {"checks.py", "blocks.py"}


def walk(step: Callable[[], Any]) -> tuple[Any, list[tuple[str, str]]]:
    """What a step returns, and the module and name of each function of the library that it calls, in order."""
    called: list[tuple[str, str]] = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(LIBRARY) and path.name not in LEFT_OUT:
            called.append((path.relative_to(LIBRARY).as_posix(), frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        return step(), called
    finally:
        sys.setprofile(None)


def show(name: str, called: list[tuple[str, str]]) -> None:
    """Print one step."""
    modules = [module for module, _ in called]
    changes = sum(one != other for one, other in pairwise(modules))
    print(f"{name}: {len(set(called))} functions in {len(set(modules))} modules, {changes} changes of module")
    print("   " + " → ".join(dict.fromkeys(modules)))


def steps() -> dict[str, list[tuple[str, str]]]:
    """What each step calls."""
    channels = {
        "age": UniformNoise.at_privacy(0.5, low=20, high=80),
        "salary": UniformNoise.at_privacy(0.5, low=20_000, high=150_000),
    }
    X, y = quest(3_000, function=2, rng=1)
    true = X[list(channels)]
    found = {}
    seen, found["disguise"] = walk(lambda: Disguise(channels, random_state=1).fit_transform(true))
    for strategy in ("local", "joint", "byclass"):
        model = ReconstructedTreeClassifier(channels, strategy)
        found[f"fit, {strategy}"] = walk(partial(model.fit, seen, y))[1]
    found["predict"] = walk(partial(model.predict, true))[1]
    return found


def main() -> None:
    """Walk twice, because the first time also imports what is imported late."""
    steps()
    for name, called in steps().items():
        show(name, called)


if __name__ == "__main__":
    main()
