"""Tools that every other folder uses: types, checks, progress, files, threads."""
