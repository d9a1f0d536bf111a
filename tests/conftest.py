"""Hypothesis profiles; choose one with HYPOTHESIS_PROFILE (default, ci, thorough)."""

import os

from hypothesis import HealthCheck, settings

# A shared machine stalls now and then, so no profile has a deadline per example.
settings.register_profile(
    "default",
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
