"""
How a fit went
==============

With ``laplacian_weight="auto"`` the weight follows a path: each one is solved from where the one before ended.
"""

from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from slkmodes import LaplacianKModes, choose_n_clusters, plots

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)
model = LaplacianKModes(n_clusters=3, random_state=0).fit(X)
figure = plots.plot_path(model)

# %%
# What the sweeps and mode updates did at the last weight.

figure = plots.plot_convergence(model)

# %%
# The modes as rows of a table: how far each value lies above or below the mean of all samples.

figure = plots.plot_feature_profile(model, X, feature_names=wine.feature_names)

# %%
# And what speaks for three clusters.

figure = plots.plot_cluster_counts(choose_n_clusters(X, range(1, 7), model=LaplacianKModes(random_state=0)))
