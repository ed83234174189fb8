"""Write examples/classify.ipynb from examples/classify.py: python scripts/make_notebook.py.

The script's parts become cells: the docstring, the imports, the pipelines, each function, and what main does, block by block. Its
arguments become a cell of settings, and cells that look at the pipeline and its samples are added.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"
SOURCE, NOTEBOOK = EXAMPLES / "classify.py", EXAMPLES / "classify.ipynb"

LOOK = """The pipeline as a table, and what three epochs make of the first image. Training sees these very pixels, whatever the number of
workers."""


def cells() -> list[tuple[str, str]]:
    """Return the cells: "markdown" or "code", and the text."""
    text = SOURCE.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    docstring = (ast.get_docstring(tree) or "").splitlines()
    imports = [ast.unparse(one) for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    values = [one for one in tree.body if isinstance(one, ast.Assign)]
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    (main,) = (one for one in functions if one.name == "main")
    return [
        ("markdown", f"# A classifier\n\n{docstring[0]}\n\nThis notebook is made of `examples/classify.py`."),
        (
            "code",
            "\n".join(["from types import SimpleNamespace", *(x for x in imports if x != "import argparse")]),
        ),
        ("markdown", "Your settings: a folder of images, one subfolder a class."),
        ("code", settings(main)),
        ("code", "\n".join(_of(lines, one) for one in values)),
        ("markdown", LOOK),
        ("code", "TRAIN"),
        ("code", "TRAIN.show(ss.ImageFolder(options.folder)[0][0], seed=42, index=0, epochs=3)"),
        *(("code", _of(lines, one)) for one in functions if one is not main),
        ("markdown", "Training. Stop it at any moment and run this again: it goes on where it was."),
        *(("code", block) for block in blocks(lines, main)),
    ]


def settings(main: ast.FunctionDef) -> str:
    """Return the script's arguments as a namespace, each with its default."""
    found = []
    for call in ast.walk(main):
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "add_argument"
        ):
            continue
        name = ast.literal_eval(call.args[0]).lstrip("-").replace("-", "_")
        default = next((ast.unparse(one.value) for one in call.keywords if one.arg == "default"), "None")
        value = "Path('photos')" if name == "folder" else default
        found.append(f"{name}={value}")
    return f"options = SimpleNamespace({', '.join(found)})"


def blocks(lines: list[str], main: ast.FunctionDef) -> list[str]:
    """Return what main does, without its arguments, in the blocks that empty lines make."""
    kept = [one for one in main.body if not re.match(r"parser\b|options = ", _of(lines, one).strip())]
    first, last = kept[0].lineno - 1, kept[-1].end_lineno
    body = textwrap.dedent("\n".join(lines[first:last]))
    return [block for block in re.split(r"\n\n+", body) if block.strip()]


def _of(lines: list[str], node: ast.stmt) -> str:
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])


def notebook() -> str:
    """Return the notebook as JSON."""
    made: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(cells()):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell | {"source": text.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(), encoding="utf-8")
