"""The options of a command -> an estimator."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from slkmodes.cli.screen import Screen
from slkmodes.estimator import LaplacianKModes

PARAMETERS = (
    "n_clusters",
    "metric",
    "affinity",
    "n_neighbors",
    "top_memberships",
    "random_state",
    "n_jobs",
    "engine",
)


def make_model(options: Namespace, screen: Screen, **parameters: Any) -> LaplacianKModes:
    """Unfitted; what it says while it works is shown as progress."""
    given = {name: getattr(options, name) for name in PARAMETERS if hasattr(options, name)}
    return LaplacianKModes(**{**given, **parameters}, verbose=lambda text: screen.progress.say(text))
