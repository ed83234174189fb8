"""Writing a file so that readers see all of it or none."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], pieces: Iterable[Any]) -> None:
    """Write the pieces (bytes or arrays) to a new file beside `path`, then put it in its place.

    Another process that has the old file open, or mapped into memory, keeps what it had.

    Raises:
        OSError: the folder does not exist, or may not be written to.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
