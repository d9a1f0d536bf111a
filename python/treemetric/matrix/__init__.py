"""Matrices of distances: in memory, in a file, on dask or joblib."""
