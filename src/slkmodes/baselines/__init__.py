"""The methods the paper compares with, as scikit-learn estimators on the same graph object."""

from sklearn.cluster import KMeans

from slkmodes.baselines.convex_laplacian_k_modes import ConvexLaplacianKModes
from slkmodes.baselines.gaussian_mean_shift import GaussianMeanShift
from slkmodes.baselines.k_modes import KModes
from slkmodes.baselines.kernel_k_means import KernelKMeans
from slkmodes.baselines.normalized_cut import NormalizedCut
from slkmodes.baselines.spectral_net import SpectralNet

__all__ = [
    "ConvexLaplacianKModes",
    "GaussianMeanShift",
    "KMeans",
    "KModes",
    "KernelKMeans",
    "NormalizedCut",
    "SpectralNet",
]
