"""What the commands share."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from difflib import get_close_matches
from inspect import ismodule
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["add_removed", "check_output", "import_object"]


def add_removed(parser: argparse.ArgumentParser, option: str, way_out: str) -> None:
    """Make an option of earlier releases an error that says what to do instead, and leave it out of the help.

    Example:
        >>> parser = argparse.ArgumentParser(exit_on_error=False)
        >>> add_removed(parser, "--fast", "leave it out, it is always fast")
        >>> parser.parse_args(["--fast"])
        Traceback (most recent call last):
        argparse.ArgumentError: argument --fast: is gone: leave it out, it is always fast
    """

    def refuse(text: str) -> NoReturn:
        raise argparse.ArgumentTypeError(f"is gone: {way_out}")

    # A type is applied to `const` as well, so that the option is refused with and without a value.
    parser.add_argument(option, nargs="?", const="", type=refuse, help=argparse.SUPPRESS)


def check_output(option: str, path: str) -> None:
    """Raise an error, before the work begins, if its result cannot be written to a file."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{option} must be a file, got the folder {path!r}: add a file name")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise FileNotFoundError(f"{option} must be a file in a folder that exists, got {path!r}: create it")


def import_object(target: str) -> Any:
    """Return the object that MODULE:NAME names, where MODULE may be a file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the text has another form, or the module cannot be imported or has no such name.

    Example:
        >>> import_object("math:pi")
        3.141592653589793
    """
    module, _, path = target.rpartition(":")  # a path may have another one, such as a drive's
    if not (module and path):
        raise ValueError(f"expected MODULE:NAME, got {target!r}: name both")
    is_file, file = module.endswith(".py"), Path(module).resolve()
    if is_file and not file.is_file():
        raise FileNotFoundError(f"no file {module}: check the path")
    folder = str(file.parent if is_file else Path.cwd())
    if is_file or folder not in sys.path:  # first for a file, so that no other of its name comes before it
        sys.path.insert(0, folder)  # where processes that are spawned find the module again
    try:
        value = importlib.import_module(file.stem if is_file else module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module!r} cannot be imported: {type(error).__name__}: {error}") from error
    for name in path.split("."):
        if not hasattr(value, name):
            names = sorted(key for key, one in vars(value).items() if key[0] != "_" and not ismodule(one))
            near = "".join(f"you may mean {one}; " for one in get_close_matches(name, names, 1))
            raise ValueError(f"{module!r} has no {path!r}: {near}it has {', '.join(names[:20])}")
        value = getattr(value, name)
    return value
