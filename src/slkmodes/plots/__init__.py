"""Pictures of a fitted model (needs matplotlib: the extra ``plots``).

Every function returns a ``matplotlib.figure.Figure``; nothing is shown or written: use its ``savefig``. Figures keep no
global state, so there is nothing to close.
"""

from slkmodes.plots.boundaries import plot_boundaries
from slkmodes.plots.confidence import plot_confidence, plot_sizes
from slkmodes.plots.course import plot_cluster_counts, plot_convergence, plot_path
from slkmodes.plots.galleries import nearest_members, plot_mode_gallery
from slkmodes.plots.maps import plot_map
from slkmodes.plots.markers import plot_marker_genes
from slkmodes.plots.profiles import plot_feature_profile
from slkmodes.plots.words import plot_mode_words

__all__ = [
    "nearest_members",
    "plot_boundaries",
    "plot_cluster_counts",
    "plot_confidence",
    "plot_convergence",
    "plot_feature_profile",
    "plot_map",
    "plot_marker_genes",
    "plot_mode_gallery",
    "plot_mode_words",
    "plot_path",
    "plot_sizes",
]
