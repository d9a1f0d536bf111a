"""The ablation study of the source."""
