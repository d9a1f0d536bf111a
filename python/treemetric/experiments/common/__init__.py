"""What the experiments share: files, stores, effort."""
