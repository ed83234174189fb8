"""Write docs/reference/cli.md, the options of every tool: python scripts/make_cli.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from seedsafe.__main__ import EXITS, TOOLS, parser_of

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"

HEAD = """\
# Command line

`seedsafe TOOL`, or `python -m seedsafe TOOL`. `seedsafe --help` lists the tools, `seedsafe TOOL --help` the options of one, and `seedsafe
--version` prints the version. Every tool takes `--json`, for output that programs can read. Progress bars appear only on the error stream
of a terminal, if rich is installed (`pip install "seedsafe[tools]"`).

"""

GUIDES = {
    "demo": "[The bug](../explanation/the-bug.md) explains what it shows.",
    "preview": "[How to look at a pipeline](../how-to/preview.md).",
    "explain": "[How to ask what happened to a sample](../how-to/explain.md).",
    "check": "[How to check a project](../how-to/check.md).",
    "lint": "[How to use the linter](../how-to/lint.md), also [in CI](../how-to/lint-in-ci.md); [its rules](lint/index.md).",
    "audit": "[How to audit a dataset](../how-to/audit.md); [its questions](audit.md).",
    "stats": "[How to compute channel statistics](../how-to/channel-statistics.md).",
    "index": "[How to read large folders](../how-to/large-folders.md).",
}


def exits() -> str:
    """Return the table of exit codes."""
    rows = [line.strip().split(maxsplit=1) for line in EXITS.splitlines()[1:]]
    return "\n".join(
        ["| exit code | meaning |", "|---|---|", *(f"| {code} | {words} |" for code, words in rows)]
    )


def cells(action: argparse.Action) -> tuple[str, str]:
    """Return how an argument is written, and what it says."""
    names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    value = ""
    if action.option_strings and action.nargs != 0:
        shown = action.metavar or "|".join(map(str, action.choices or (action.dest.upper(),)))
        value = f" [{shown}]" if action.nargs == "?" else f" {shown}"
    text = f"`{names}{value}`".replace("|", "\\|")
    return text, (action.help or "").replace("|", "\\|")


def section(tool: str) -> str:
    """Return the part of the page on a tool."""
    parser = parser_of(tool)
    shown = (one for one in parser._actions if one.help != argparse.SUPPRESS)
    actions = [one for one in shown if not isinstance(one, argparse._HelpAction)]
    rows = "\n".join(f"| {name} | {text} |" for name, text in map(cells, actions))
    guide = f" {GUIDES[tool]}" if tool in GUIDES else ""
    return f"## {tool}\n\n{parser.description}{guide}\n\n| argument | |\n|---|---|\n{rows}\n"


def page() -> str:
    """Return the whole page."""
    return HEAD + exits() + "\n\n" + "\n".join(map(section, TOOLS))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
