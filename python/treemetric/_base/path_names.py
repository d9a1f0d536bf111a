"""Names of files where the content of a file is meant."""

from __future__ import annotations

import re

from treemetric._base.validation import shown

__all__ = ["refuse_path"]

# Content of a file of any format has some of these.
_CONTENT = re.compile(r"[\s<>()={}]")


def refuse_path(text: str, suffixes: tuple[str, ...], function: str) -> None:
    """Check that text is not the name of a file, which would be read as the content.

    Examples
    --------
    >>> from treemetric._base.path_names import refuse_path
    >>> refuse_path("x = app.py", (".py",), "from_ast")
    >>> refuse_path("app.py", (".py",), "from_ast")
    Traceback (most recent call last):
        ...
    ValueError: from_ast takes the content of a file, or a pathlib.Path; got the text 'app.py'
    """
    if text.endswith(suffixes) and not _CONTENT.search(text):
        message = (
            f"{function} takes the content of a file, or a pathlib.Path; got the text {shown(text)}"
        )
        raise ValueError(message)
