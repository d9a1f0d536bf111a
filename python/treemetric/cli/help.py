"""How commands are added: short usage, wrapped text, examples on lines of their own."""

from __future__ import annotations

import argparse
import difflib
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

__all__ = ["Formatter", "add_command", "in_plain_words", "refuse_unknown"]

_WIDEST = 100
_NUMBER = re.compile(r"argument (\S+): invalid (int|float) value: (.*)$")
_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)$")


class Formatter(argparse.HelpFormatter):
    """Wraps paragraphs, but not lines that are indented."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, max_help_position=28, **options)
        self._width = min(self._width, _WIDEST)
        # Names of commands are indented more than argparse takes into account.
        self._action_max_length = 16

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for paragraph in text.split("\n"):
            plain = not paragraph.strip() or paragraph.startswith("  ")
            lines += [paragraph] if plain else textwrap.wrap(paragraph, width)
        return "\n".join(indent + line for line in lines)


def add_command(
    commands: Any,
    name: str,
    arguments: str,
    *,
    summary: str,
    description: str,
    notes: str = "",
    examples: Sequence[str] = (),
) -> argparse.ArgumentParser:
    """Add a command; `arguments` stands for them in the line of its usage."""
    parts = [notes] if notes else []
    if examples:
        parts.append("examples:\n" + "\n".join(f"  {line}" for line in examples))
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog="\n\n".join(parts),
        usage=f"%(prog)s [options] {arguments}".rstrip(),
        formatter_class=Formatter,
    )
    parser.set_defaults(own_parser=parser)
    return parser


def refuse_unknown(unknown: Sequence[str], parser: argparse.ArgumentParser) -> NoReturn:
    """Report arguments that a command does not have, with the options that may be meant."""
    first = next((word for word in unknown if word.startswith("-")), unknown[0])
    near = difflib.get_close_matches(first, parser._option_string_actions, n=1)
    hint = f". Did you mean {near[0]}?" if near else ""
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")


def in_plain_words(message: str) -> str:
    """Return an error of argparse without types of Python, and with the choice that may be meant.

    Examples
    --------
    >>> from treemetric.cli.help import in_plain_words
    >>> in_plain_words("argument --to: invalid choice: 'jsn' (choose from 'csv', 'json')")
    "argument --to: invalid choice: 'jsn' (choose from 'csv', 'json'). Did you mean json?"
    >>> in_plain_words("argument -j/--jobs: invalid int value: 'x'")
    "-j/--jobs must be a whole number. Got 'x'."
    """
    number = _NUMBER.fullmatch(message)
    if number:
        kind = "a whole number" if number[2] == "int" else "a number"
        return f"{number[1]} must be {kind}. Got {number[3]}."
    found = _CHOICE.search(message)
    near = (
        difflib.get_close_matches(found[1], re.findall(r"[\w-]+", found[2]), n=1) if found else []
    )
    return f"{message}. Did you mean {near[0]}?" if near else message
