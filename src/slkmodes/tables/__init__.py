"""Files of rows: read in blocks whatever their format, and written whole or not at all.

Memory holds the float32 matrix that is clustered and a block of the file, not the file.
"""

from slkmodes.tables.features import MISSING, SCALES, Features, Scaling, read_features
from slkmodes.tables.opening import READERS, open_table, transposed
from slkmodes.tables.table import BadTable, Table, codes_of
from slkmodes.tables.writing import FORMATS, write_table

__all__ = [
    "FORMATS",
    "MISSING",
    "READERS",
    "SCALES",
    "BadTable",
    "Features",
    "Scaling",
    "Table",
    "codes_of",
    "open_table",
    "read_features",
    "transposed",
    "write_table",
]
