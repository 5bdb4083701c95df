"""The experiments of the paper, and the features they need."""
