"""The command line: ``seedsafe lint``, ``audit``, ``stats`` and ``index``; each tool is imported when it is asked for."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import seedsafe

__all__ = ["main"]

TOOLS = {
    "lint": ("seedsafe_lint", "find random state in worker code, statically"),
    "audit": ("seedsafe_audit", "run a dataset in real loaders and find its faults"),
    "stats": ("seedsafe.data.stats", "exact channel mean and std of a folder of images"),
    "index": ("seedsafe.data.folder", "index a folder of images"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run a tool and return its exit code; 2 for a wrong call, 130 if interrupted.

    Example:
        >>> main(["--help"])
        usage: seedsafe TOOL ...
        <BLANKLINE>
          lint   find random state in worker code, statically
          audit  run a dataset in real loaders and find its faults
          stats  exact channel mean and std of a folder of images
          index  index a folder of images
        0
    """
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None and isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be Unicode
    if given[:1] in ([], ["-h"], ["--help"]):
        print(_usage())
        return 0 if given else 2
    if given[0] == "--version":
        print(f"seedsafe {seedsafe.__version__}")
        return 0
    if given[0] not in TOOLS:
        print(f"seedsafe: no tool {given[0]!r}\n{_usage()}", file=sys.stderr)
        return 2
    try:
        package, rest = TOOLS[given[0]][0], given[1:]
        if {"-h", "--help"} & set(rest):  # the parser alone: the tool's own imports take many times as long
            import_module(f"{package}.options").parser().parse_args(rest)
        code: int = import_module(f"{package}.cli").main(rest)
        sys.stdout.flush()
    except SystemExit as ended:  # argparse has printed what there is to say
        return ended.code if isinstance(ended.code, int) else 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _usage() -> str:
    width = max(map(len, TOOLS))
    return "\n".join(
        ["usage: seedsafe TOOL ...", "", *(f"  {name:{width}}  {line}" for name, (_, line) in TOOLS.items())]
    )


if __name__ == "__main__":
    sys.exit(main())
