"""The command ``treemetric``."""

from treemetric.cli.app import main

__all__ = ["main"]
