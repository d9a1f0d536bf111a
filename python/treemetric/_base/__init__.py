"""Tools for every other folder: types, checks, digests, progress, files, threads."""
