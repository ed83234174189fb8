"""Sheets of samples: pictures or pages."""

from __future__ import annotations

import base64
import textwrap
from html import escape
from typing import Any, NamedTuple

import cv2
import numpy as np

__all__ = ["Cell", "Row", "encode", "fit", "page", "sheet"]

_GAP, _LINE, _TITLE, _LINES = 10, 13, 20, 8
_INK, _SHADE = (40, 40, 40), (110, 110, 110)

_STYLE = """
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
.row { display: flex; flex-wrap: wrap; gap: 12px; }
figure { margin: 0; max-width: 100%; } img { display: block; max-width: 100%; image-rendering: auto; }
figcaption { font-size: 12px; overflow-wrap: anywhere; } figcaption b { display: block; margin: .2rem 0; }
.error { color: #c62828; max-width: 24rem; overflow-wrap: anywhere; }
"""


class Cell(NamedTuple):
    """One picture of a sheet.

    Attributes:
        title: above the lines.
        image: uint8 (H, W, 3), or None if there is an error.
        lines: the parameters, a line for each transform, or the error.
        applied: the parameters as plain data.
    """

    title: str
    image: Any
    lines: list[str]
    applied: Any = None


class Row(NamedTuple):
    """One sample of a sheet."""

    title: str
    cells: list[Cell]
    error: str | None = None


def fit(image: Any, cell: int) -> Any:
    """Return an image whose longest side fits a cell. Small images grow by a whole factor, so that their pixels stay square."""
    height, width = image.shape[:2]
    times = cell // max(height, width)
    if times:
        return image.repeat(times, 0).repeat(times, 1)
    share = cell / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def encode(image: Any, ending: str = ".png") -> bytes:
    """Return an RGB image as the bytes of a file."""
    done, data = cv2.imencode(ending, np.ascontiguousarray(image[..., ::-1]))
    if not done:
        raise ValueError(f"OpenCV cannot write {ending}: use .png")
    return data.tobytes()


def page(title: str, rows: list[Row], cell: int) -> str:
    """Return the page, which contains all pictures."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    for row in rows:
        parts += [f"<h2>{escape(row.title)}</h2>", '<div class="row">']
        parts += [_figure(one, row.title, cell) for one in row.cells]
        parts.append("</div>")
    return "\n".join([*parts, "</body></html>", ""])


def _figure(one: Cell, row: str, cell: int) -> str:
    lines = "<br>".join(map(escape, one.lines))
    if one.image is None:
        return f'<p class="error"><b>{escape(one.title)}</b> {lines}</p>'
    data = base64.b64encode(encode(one.image)).decode()
    height, width = one.image.shape[:2]
    return (
        f'<figure style="width:{cell}px"><img width="{width}" height="{height}" alt="{escape(f"{row}, {one.title}")}" '
        f'src="data:image/png;base64,{data}"><figcaption><b>{escape(one.title)}</b>{lines}</figcaption></figure>'
    )


def sheet(title: str, rows: list[Row], cell: int) -> Any:
    """Return the sheet as one picture, uint8 (H, W, 3)."""
    strips = [_strip(row, cell) for row in rows]
    width = max([strip.shape[1] for strip in strips] + [cell])
    head = _line(title, _TITLE + _GAP, width, _GAP, _TITLE, 0.5)
    return np.vstack([head, *(_pad(strip, strip.shape[0], width) for strip in strips)])


def _strip(row: Row, cell: int) -> Any:
    blocks = [_block(one, cell) for one in row.cells]
    tall = max(block.shape[0] for block in blocks)
    gap = np.full((tall, _GAP, 3), 255, np.uint8)
    body = np.hstack([part for block in blocks for part in (gap, _pad(block, tall, cell))] + [gap])
    return np.vstack([_line(row.title, _TITLE, body.shape[1], _GAP, 14, 0.42), body])


def _block(one: Cell, cell: int) -> Any:
    lines = [line for text in one.lines for line in textwrap.wrap(text, max(12, cell // 5))]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"and {len(lines) - _LINES + 1} more lines"]
    picture = np.empty((0, cell, 3), np.uint8) if one.image is None else one.image
    tall = picture.shape[0]
    block = _pad(picture, tall + _TITLE + _LINE * len(lines) + 6, cell)
    _write(block, one.title, 0, tall + 14, 0.4, _INK)
    for number, line in enumerate(lines, 1):
        _write(block, line, 0, tall + _TITLE + _LINE * number - 3, 0.33, _SHADE)
    return block


def _pad(part: Any, height: int, width: int) -> Any:
    """Return a picture on white."""
    result = np.full((height, width, 3), 255, np.uint8)
    result[: part.shape[0], : part.shape[1]] = part
    return result


def _line(text: str, height: int, width: int, left: int, base: int, size: float) -> Any:
    """Return a line of text on white."""
    result = np.full((height, width, 3), 255, np.uint8)
    _write(result, text, left, base, size, _INK)
    return result


def _write(canvas: Any, text: str, left: int, base: int, size: float, colour: tuple[int, int, int]) -> None:
    """Write a line in ASCII, which is all that OpenCV can draw."""
    plain = text.replace("×", "x").replace("…", "...").encode("ascii", "replace").decode()
    cv2.putText(canvas, plain, (left, base), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
