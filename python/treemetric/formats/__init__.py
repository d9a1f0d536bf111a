"""Readers and writers of trees: one module per format."""
