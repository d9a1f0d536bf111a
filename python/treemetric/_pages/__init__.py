"""Pages in HTML: one file each, without a network, with all labels escaped."""
