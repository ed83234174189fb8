"""Names as users write them: ``ss.CenterCrop``, where Sphinx would name the file that holds the class."""

from __future__ import annotations

import sys
from typing import Any

from docutils import nodes
from sphinx import addnodes

__all__ = ["prefix", "setup"]


def _exported(package: str, name: str) -> Any:
    found = sys.modules.get(package)
    return getattr(found, name) if name in getattr(found, "__all__", ()) else None


def prefix(module: str, name: str) -> str:
    """Return what stands before a module's name in users' code: the outermost package that exports it, or the module."""
    above = module.split(".")
    packages = [".".join(above[:length]) for length in range(1, len(above) + 1)]
    own = getattr(sys.modules.get(module), name, None)
    exporting = [one for one in packages if _exported(one, name) is own is not None]
    package = (exporting or [module])[0]
    return "ss." if package == "seedsafe" else f"{package}."


def _shown(app: Any, domain: str, kind: str, content: Any) -> None:
    for signature in content.parent.findall(addnodes.desc_signature):
        for before in signature.findall(addnodes.desc_addname):
            if before.astext() == f"{signature.get('module')}.":
                before[:] = [nodes.Text(prefix(signature["module"], signature["fullname"]))]


def setup(app: Any) -> dict[str, bool]:
    """Connect the names to a build."""
    app.connect("object-description-transform", _shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
