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
VERSION = "314.0.7"
"""Of Pyodide."""
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    "numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl": "a292c1f5d7d8a2208cd5e94fc467604c131cabcd2fc14fed6eefde121e7fabdf",
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
