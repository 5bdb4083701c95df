"""Scalable Laplacian K-modes: exactly K clusters of any shape, and a data point that stands for each."""

from slkmodes.estimator import LaplacianKModes
from slkmodes.metrics import (
    adjusted_rand_index,
    clustering_accuracy,
    normalized_cut,
    normalized_mutual_information,
)
from slkmodes.model_choice import choose_n_clusters, tune
from slkmodes.model_files import load as load_model
from slkmodes.model_files import save as save_model
from slkmodes.solution import Status

__version__ = "0.1.0"

__all__ = [
    "LaplacianKModes",
    "Status",
    "adjusted_rand_index",
    "choose_n_clusters",
    "clustering_accuracy",
    "load_model",
    "normalized_cut",
    "normalized_mutual_information",
    "save_model",
    "tune",
]
