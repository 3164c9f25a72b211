"""For all tests: Hypothesis without a deadline, and how two processes share a run of everything (`make test`)."""

import os

import pytest
from hypothesis import settings

# No deadline, because machines are shared; in CI the same examples at every run.
settings.register_profile("ppdm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ppdm")

# Two kernels that start at the same moment may choose the same port: what starts them stays in one process. It takes
# longest, so it goes first; then the other long files, so that both processes end together.
KERNELS = (
    "notebooks/",
    "tests/browser/",
    "tests/coursework/test_nbgrader.py",
    "tests/coursework/test_otter.py",
    "tests/notebooks/test_gate.py",
    "tests/test_binder.py",
    "tests/test_setup.py",
)
LONG = [
    "kernels",
    "tests/studies/test_paper.py",
    "tests/widgets/test_trees.py",
    "tests/trees/test_joint.py",
    "tests/widgets/test_response.py",
    "tests/trees/test_response.py",
    "tests/coursework/test_build.py",
]


def group(nodeid: str) -> str:
    """What one process does as a whole: everything that starts kernels, or the tests of one file."""
    file = nodeid.partition("::")[0]
    return "kernels" if file.startswith(KERNELS) else file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a process that shares its tests with another one, let the long ones come first."""
    if hasattr(config, "workerinput"):
        places = {name: place for place, name in enumerate(LONG)}
        items.sort(key=lambda item: places.get(group(item.nodeid), len(LONG)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hand out whole groups, in the order of the tests."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)
