"""A fitted model in a file: numbers only, checked when it is read, and never a pickle."""

from slkmodes.model_files.files import load, read_notes, save

__all__ = ["load", "read_notes", "save"]
