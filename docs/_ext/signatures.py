"""The parameters of classes as Python itself tells them: Sphinx looks at ``__new__`` first, which here takes anything."""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["parameters", "setup"]


def parameters(kind: type) -> str:
    """Return the parameters of a class's constructor as its page shows them."""
    _, *given = inspect.signature(kind.__init__).parameters.values()  # type: ignore[misc]  # of this very class
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in given]
    return str(inspect.Signature(plain))


def _told(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str, str | None] | None:
    if what != "class" or signature != "(*args, **kwargs)":
        return None
    return parameters(thing), result


def setup(app: Any) -> dict[str, bool]:
    """Connect the signatures to a build."""
    app.connect("autodoc-process-signature", _told)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
