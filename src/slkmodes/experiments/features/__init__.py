"""Features of the paper that are computed here: ``python -m slkmodes.experiments.features NAME``.

No network sees a label: labels travel along, in the order of the rows. The kind of GAN and the widths of GIST's filters
were chosen by how well K-means on the features found the classes.
"""

from slkmodes.experiments.features.recipes import RECIPES, Recipe
from slkmodes.experiments.features.storage import write_features

__all__ = ["RECIPES", "Recipe", "write_features"]
