"""Matrices of distances, block by block: in memory, in a file, on dask or joblib."""
