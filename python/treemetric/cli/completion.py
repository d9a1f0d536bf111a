"""The command ``treemetric completion``: scripts that complete commands in a shell.

The scripts are made from the parsers, so that they know every command and option. What follows an
option without choices, and every other argument, is completed as a file.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from treemetric.cli.help import add_command

__all__ = ["add_parsers", "script"]

_SHELLS = ("bash", "zsh", "fish")
_PROGRAM = "treemetric"


class _Option(NamedTuple):
    """An option: its names, the choices of its value, whether it has one, and its help."""

    names: tuple[str, ...]
    choices: tuple[str, ...]
    has_value: bool
    text: str


class _Command(NamedTuple):
    """A command, such as ("reproduce", "ablation"), with its options and the commands below."""

    path: tuple[str, ...]
    text: str
    options: list[_Option]
    below: list[str]
    values: tuple[str, ...]


def add_parsers(commands: Any, parser: argparse.ArgumentParser) -> None:
    """Add the command to those of ``treemetric``; `parser` knows all of them."""
    completion = add_command(
        commands,
        "completion",
        "{bash,zsh,fish}",
        summary="print a script that completes commands in a shell",
        description="Print a script for a shell, which then completes commands, options and their "
        "values.",
        examples=(
            'eval "$(treemetric completion bash)"        # in ~/.bashrc',
            "treemetric completion zsh > ~/.zfunc/_treemetric",
            "treemetric completion fish > ~/.config/fish/completions/treemetric.fish",
        ),
    )
    completion.add_argument(
        "shell", metavar="SHELL", choices=_SHELLS, help=f"the shell: {', '.join(_SHELLS)}"
    )
    completion.set_defaults(command=lambda arguments: print(script(parser, arguments.shell)))


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script for a shell."""
    made: dict[str, Callable[[list[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return made[shell](list(_walk(parser, (), "")))


def _walk(parser: argparse.ArgumentParser, path: tuple[str, ...], text: str) -> Iterator[_Command]:
    """Yield a command and all commands below it."""
    options: list[_Option] = []
    below: dict[str, argparse.ArgumentParser] = {}
    texts: dict[str, str] = {}
    values: tuple[str, ...] = ()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = dict(action.choices)
            texts = {found.dest: found.help or "" for found in action._choices_actions}
        elif action.option_strings:
            choices = tuple(map(str, action.choices or ()))
            help_text = _first_words(action.help or "")
            options.append(
                _Option(tuple(action.option_strings), choices, action.nargs != 0, help_text)
            )
        elif action.choices:
            values = tuple(map(str, action.choices))
    yield _Command(path, text, options, list(below), values)
    for name, inner in below.items():
        yield from _walk(inner, (*path, name), texts.get(name, ""))


def _first_words(text: str) -> str:
    """Return the help without defaults and details, as a word of a shell without its quotes."""
    short = re.split(r"[;(]", text.replace("%%", "%"), maxsplit=1)[0]
    # What is before the first colon is the gist, unless it lists the formats that have the option.
    head, _, rest = short.partition(": ")
    if re.fullmatch(r"[\w-]+(, [\w-]+)*", head):
        short = ": ".join(filter(None, (head, rest.split(": ")[0])))
    else:
        short = head
    short = re.sub(r"[^\w ,:./%'-]", "", textwrap.shorten(short, 70, placeholder=""))
    return short.rstrip(" ,:").replace("'", "'\\''")


# --- bash --------------------------------------------------------------------------


def _bash(commands: list[_Command]) -> str:
    cases = []
    for command in commands:
        words = [name for option in command.options for name in option.names]
        lines = [f'    "{" ".join(command.path)}")', f'      options="{" ".join(words)}"']
        lines.append(f'      words="{" ".join((*command.below, *command.values))}"')
        lines.append('      case "$before" in')
        for option in command.options:
            pattern = "|".join(option.names)
            if option.choices:
                lines.append(f'        {pattern}) values="{" ".join(option.choices)}" ;;')
            elif option.has_value:
                lines.append(f"        {pattern}) files=1 ;;")
        cases.append("\n".join([*lines, "      esac ;;"]))
    nested = sorted({command.path[0] for command in commands if len(command.path) == 2})
    return _BASH.format(program=_PROGRAM, cases="\n".join(cases), nested="|".join(nested))


_BASH = """\
# Completion of {program} for bash.
_{program}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" options="" words="" values="" files="" at found
  # The shell splits --option=value in three.
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$before" == "=" ]]; then
    before="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "${{COMP_WORDS[at]}}" in
      -*) break ;;
    esac
    case "$path" in
      "") path="${{COMP_WORDS[at]}}" ;;
      {nested}) path="$path ${{COMP_WORDS[at]}}" ;;
      *) break ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$found")
  done < <(
    if [[ -n "$values" ]]; then
      compgen -W "$values" -- "$current"
    elif [[ -n "$files" ]]; then
      compgen -f -- "$current"
    elif [[ "$current" == -* ]]; then
      compgen -W "$options" -- "$current"
    elif [[ -n "$words" ]]; then
      compgen -W "$words" -- "$current"
    else
      compgen -f -- "$current"
    fi
  )
}}
complete -o filenames -F _{program} {program}"""


# --- zsh ---------------------------------------------------------------------------


def _zsh(commands: list[_Command]) -> str:
    return "\n".join(
        [
            f"#compdef {_PROGRAM}",
            f"# Completion of {_PROGRAM} for zsh.",
            *(_zsh_function(command, commands) for command in commands),
            f'if [[ "$funcstack[1]" = "_{_PROGRAM}" ]]; then _{_PROGRAM} "$@"; '
            f"else compdef _{_PROGRAM} {_PROGRAM}; fi",
        ]
    )


def _zsh_function(command: _Command, commands: list[_Command]) -> str:
    name = "_".join(("", _PROGRAM, *command.path))
    lines = [f"{name}() {{", "  local curcontext=$curcontext state line", "  _arguments -C \\"]
    for option in command.options:
        value = ""
        if option.choices:
            value = f":value:({' '.join(option.choices)})"
        elif option.has_value:
            value = ":value:_files"
        for flag in option.names:
            # The value may follow in the same word: --norm=max, -k3.
            joined = ("=" if flag.startswith("--") else "+") if value else ""
            lines.append(f"    '{flag}{joined}[{option.text}]{value}' \\")
    if not command.below:
        values = f"({' '.join(command.values)})" if command.values else "_files"
        return "\n".join([*lines, f"    '*:argument:{values}'", "}"])
    lines += ["    '1: :->command' \\", "    '*:: :->rest'", '  case "$state" in', "    command)"]
    texts = {
        found.path[-1]: found.text
        for found in commands
        if found.path and found.path[:-1] == command.path
    }
    described = " ".join(f"'{below}:{_first_words(texts[below])}'" for below in command.below)
    lines += [f"      local -a found=({described})", "      _describe command found ;;"]
    lines += ["    rest)", '      case "$line[1]" in']
    lines += [f"        {below}) {name}_{below} ;;" for below in command.below]
    return "\n".join([*lines, "      esac ;;", "  esac", "}"])


# --- fish --------------------------------------------------------------------------


def _fish(commands: list[_Command]) -> str:
    lines = [f"# Completion of {_PROGRAM} for fish."]
    for command in commands:
        when = _fish_condition(command)
        for below in command.below:
            text = next(c.text for c in commands if c.path == (*command.path, below))
            lines.append(f"complete -c {_PROGRAM} {when} -f -a {below} -d '{_first_words(text)}'")
        if command.values:
            lines.append(f"complete -c {_PROGRAM} {when} -f -a '{' '.join(command.values)}'")
        for option in command.options:
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in option.names
            )
            value = ""
            if option.choices:
                value = f" -x -a '{' '.join(option.choices)}'"
            elif option.has_value:
                value = " -r"
            lines.append(f"complete -c {_PROGRAM} {when} {flags}{value} -d '{option.text}'")
    return "\n".join(lines)


def _fish_condition(command: _Command) -> str:
    """Return when the completions of a command apply."""
    if not command.path:
        return "-n __fish_use_subcommand"
    seen = [f"__fish_seen_subcommand_from {name}" for name in command.path]
    if command.below:
        seen.append(f"not __fish_seen_subcommand_from {' '.join(command.below)}")
    return f"-n '{'; and '.join(seen)}'"
