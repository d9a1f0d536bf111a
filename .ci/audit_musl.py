"""Check that the libraries of a wheel for musl need nothing but libc.

python .ci/audit_musl.py WHEEL
"""

import io
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile


def needed(library: bytes) -> set[str]:
    """Return the names of the libraries that a library needs."""
    dynamic = ELFFile(io.BytesIO(library)).get_section_by_name(".dynamic")
    return {tag.needed for tag in dynamic.iter_tags("DT_NEEDED")}


if __name__ == "__main__":
    wheel = Path(sys.argv[1])
    with zipfile.ZipFile(wheel) as files:
        libraries = [name for name in files.namelist() if name.endswith(".so")]
        others = {name: needed(files.read(name)) - {"libc.so"} for name in libraries}
    if not libraries or any(others.values()):
        sys.exit(f"{wheel.name} needs more than libc: {others}")
    print(f"{wheel.name} needs libc only")
