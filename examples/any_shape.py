"""
Clusters of any shape
=====================

Neighbours pull each other into the same cluster, so that clusters follow the data around bends. k-means cuts straight.
"""

from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from slkmodes import LaplacianKModes

X, _ = make_moons(400, noise=0.06, random_state=0)
model = LaplacianKModes(n_clusters=2, random_state=0).fit(X)
means = KMeans(n_clusters=2, n_init=1, random_state=0).fit(X)

figure = Figure(figsize=(8, 3), layout="constrained")
answers = [
    ("LaplacianKModes, modes marked", model.labels_, model.modes_),
    ("k-means, means marked", means.labels_, means.cluster_centers_),
]
for axes, (title, labels, centres) in zip(figure.subplots(1, 2), answers, strict=True):
    axes.scatter(*X.T, c=labels, s=8, cmap="coolwarm")
    axes.scatter(*centres.T, c="black", marker="*", s=120)
    axes.set_title(title)
    axes.set_axis_off()
