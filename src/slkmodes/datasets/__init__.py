"""The data sets of the paper, and more: found in a folder, in the cache, or fetched from where they are published.

``load`` gives a data set as it is, ``prepare`` the way one would cluster it, ``DATA_SETS`` says what there is, and
``slkmodes datasets`` where each is found.
"""

from slkmodes.datasets.loading import load, prepare
from slkmodes.datasets.locate import cache_folder, locate
from slkmodes.datasets.records import DataSet, Loaded
from slkmodes.datasets.sources import fetch
from slkmodes.datasets.table import DATA_SETS, find_data_set

__all__ = ["DATA_SETS", "DataSet", "Loaded", "cache_folder", "fetch", "find_data_set", "load", "locate", "prepare"]
