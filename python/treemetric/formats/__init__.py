"""Trees as text, nested tuples and adjacency lists: one module per format, both ways."""
