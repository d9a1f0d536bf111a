"""What the experiments share: the provenance of results, and the effort of runs."""
