"""
The sample that stands for a cluster
====================================

A mode is a real image of the data. The mean of the same cluster, on the right, is no image at all.
"""

# sphinx_gallery_thumbnail_number = 2

from sklearn.datasets import load_digits

from slkmodes import LaplacianKModes, plots

X, y = load_digits(return_X_y=True)
model = LaplacianKModes(n_clusters=10, random_state=0).fit(X)
figure = plots.plot_mode_gallery(model, X, image_shape=(8, 8))

# %%
# The same clusters in the plane. The map is drawn from the graph alone; the modes are marked.

figure = plots.plot_map(model)

# %%
# Which samples are not certain of their cluster, and which clusters touch.

figure = plots.plot_confidence(model)

# %%

figure = plots.plot_boundaries(model)
