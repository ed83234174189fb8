"""The command line: a table of tools."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple

import seedsafe

if TYPE_CHECKING:
    import argparse

__all__ = ["TOOLS", "Tool", "main", "parser_of"]


class Tool(NamedTuple):
    """A command of ``seedsafe``, and where its code is.

    Attributes:
        package: its ``options`` import little, so that ``--help`` is quick, and have a parser: a function of the tool's name, or ``parser``.
        module: the module in the package with its ``main(arguments)``.
        line: what it does.
    """

    package: str
    module: str
    line: str


TOOLS = {
    "demo": Tool("seedsafe_look", "demo", "show the bug and its cure on this machine"),
    "preview": Tool("seedsafe_look", "preview", "draw what a pipeline makes of your images"),
    "explain": Tool("seedsafe_look", "explain", "tell what a pipeline did to one sample of a run"),
    "check": Tool("seedsafe_check", "cli", "say whether a project is affected, and what to do first"),
    "lint": Tool("seedsafe_lint", "cli", "find random state in worker code, statically"),
    "audit": Tool("seedsafe_audit", "cli", "run a dataset in real loaders and find its faults"),
    "stats": Tool("seedsafe.data", "stats.command", "exact channel mean and std of a folder of images"),
    "index": Tool("seedsafe.data", "folder.command", "index a folder of images"),
}

EXITS = """\
exit codes:
  0    no errors
  1    errors were found; with --strict, any finding
  2    an argument is wrong, or names something that is missing or unusable
  130  interrupted
  141  the reader of the output went away"""


def main(arguments: list[str] | None = None) -> int:
    """Run a tool and return its exit code.

    Example:
        >>> main(["--help"])  # doctest: +ELLIPSIS
        usage: seedsafe TOOL ...
        <BLANKLINE>
          demo     show the bug and its cure on this machine
          ...
        0
    """
    words = sys.argv[1:] if arguments is None else arguments
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell's `>&-` closed it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    if arguments is None and isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # file names need not be Unicode
    try:
        code = _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        # `head`, for instance, closes the pipe early; Windows calls that an invalid argument.
        unnamed = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
        if unnamed or isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        # a full disk, or a file deleted during the run
        print(f"seedsafe {words[0]}: {error}", file=sys.stderr)
        return 2
    return code


def _run(words: list[str]) -> int:
    if not words:
        print(_usage(), file=sys.stderr)
        return 2
    name, *rest = words
    if name in ("-h", "--help"):
        print(f"{_usage()}\n\n`seedsafe TOOL --help` lists a tool's options.\n\n{EXITS}")
        return 0
    if name == "--version":
        print(f"seedsafe {seedsafe.__version__}")
        return 0
    if name not in TOOLS:
        close = import_module("difflib").get_close_matches(name, TOOLS, 1)
        advice = f": did you mean {close[0]}?" if close else ""
        print(f"seedsafe: no tool {name!r}{advice}\n{_usage()}", file=sys.stderr)
        return 2
    try:
        parser_of(name).parse_args(rest)
    except SystemExit as end:  # --help, before the tool's own imports, or a wrong call
        if end.code:
            print(f"`seedsafe {name} --help` lists the options", file=sys.stderr)
        return end.code if isinstance(end.code, int) else 0
    tool = TOOLS[name]
    code: int = import_module(f"{tool.package}.{tool.module}").main(rest)
    return code


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a tool's arguments."""
    options = import_module(f"{TOOLS[name].package}.options")
    parser: argparse.ArgumentParser = (getattr(options, name, None) or options.parser)()
    return parser


def _usage() -> str:
    width = max(map(len, TOOLS))
    lines = (f"  {name:{width}}  {tool.line}" for name, tool in TOOLS.items())
    return "\n".join(["usage: seedsafe TOOL ...", "", *lines])


if __name__ == "__main__":
    sys.exit(main())
