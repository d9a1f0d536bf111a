"""How commands are added: short usage, wrapped text, examples on lines of their own."""

import argparse
import difflib
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

__all__ = ["Formatter", "add_command", "refuse_unknown"]

_WIDEST = 100


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
