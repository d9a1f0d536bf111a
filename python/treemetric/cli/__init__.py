"""The command ``treemetric``."""

from treemetric.cli.main import main

__all__ = ["main"]
