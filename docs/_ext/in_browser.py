"""The playground: the built wheel and the place of Pyodide for a page that runs pipelines in the browser.

``playground_pyodide`` in conf.py is the address of a folder with the files of FILES, as a path of the site or a URL with a
slash at its end. While it is empty no wheel is built, and the page says how to set it.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

__all__ = ["FILES", "VERSION", "integrity", "setup", "wheel"]

ROOT = Path(__file__).parents[2]
VERSION = "314.0.3"
"""Of Pyodide."""
FILES = {
    "pyodide.mjs": "5cfc46f5dcbaf2a16f26e2363f441873eb424762609cc03db00d6a2ace4d00e5",
    "pyodide.asm.mjs": "1a9775427ef6e8abaa7db88ece0515422d1886915ae5c9093776410c865dfd8d",
    "pyodide.asm.wasm": "e7f8fac36f8bf11085309cbc5c829b3ec3057c18bf1d73b05a6741612d63cdbf",
    "python_stdlib.zip": "444c770dfd75a32097fc0a7d5c1413fd3140601f49c3a1f2e9af0376fcd124b4",
    "pyodide-lock.json": "c963d22858f6bcb8f41586a2142f03905ab370c88ea22a86a2736e95fac2a8f3",
    "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl": "0cad9c1b91f0082e4f959bc0e0bf5835a2efbba6ab3b1e9d1fe6e7e564cca98e",
}
"""The files of Pyodide that are loaded, and their SHA-256."""


def integrity(digest: str) -> str:
    """Return a SHA-256 in hexadecimal digits as browsers write it."""
    return "sha256-" + base64.b64encode(bytes.fromhex(digest)).decode()


def wheel(folder: Path) -> Path:
    """Build the wheel into a folder, and return its path."""
    from hatchling.builders.wheel import WheelBuilder

    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


class Playground(SphinxDirective):
    """The place where the page's script puts its controls, and what it has to know."""

    def run(self) -> list[nodes.Node]:
        """Return the element and its data."""
        self.env.note_reread()
        told = {
            "pyodide": self.config.playground_pyodide,
            "version": VERSION,
            "files": {name: integrity(digest) for name, digest in FILES.items()},
            "wheel": self.env.playground_wheel,
        }
        text = json.dumps(told).replace("<", "\\u003c")
        html = f'<div id="playground-here"></div><script type="application/json" id="playground-data">{text}</script>'
        return [nodes.raw("", html, format="html")]


def _build(app: Any) -> None:
    """Build the wheel, if there is a place to load Pyodide from: it is the one that people install."""
    app.env.playground_wheel = ""
    if app.config.playground_pyodide:
        folder = Path(app.outdir, "_static")
        folder.mkdir(parents=True, exist_ok=True)
        app.env.playground_wheel = f"_static/{wheel(folder).name}"


def setup(app: Any) -> dict[str, bool]:
    """Connect the playground to a build."""
    app.add_config_value("playground_pyodide", "", "env", str)
    app.connect("builder-inited", _build)
    app.add_directive("playground", Playground)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
