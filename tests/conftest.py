"""Hypothesis for all tests: no deadline, because machines are shared; in CI the same examples at every run."""

import os

from hypothesis import settings

settings.register_profile("ppdm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ppdm")
