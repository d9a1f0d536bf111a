"""Make ``python -m treemetric`` the same as the command ``treemetric``."""

import sys

from treemetric.cli import main

if __name__ == "__main__":
    sys.exit(main())
