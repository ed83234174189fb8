"""A page of samples."""

from __future__ import annotations

import base64
from html import escape
from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe_look.picture import Cell

__all__ = ["Row", "fit", "page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
.row { display: flex; flex-wrap: wrap; gap: 12px; }
figure { margin: 0; max-width: 100%; } img { display: block; max-width: 100%; image-rendering: auto; }
figcaption { font-size: 12px; overflow-wrap: anywhere; } figcaption b { display: block; margin: .2rem 0; }
.error { color: #c62828; max-width: 24rem; overflow-wrap: anywhere; }
"""


class Row(NamedTuple):
    """One sample of a page."""

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
    return opencv().resize(image, size, interpolation=opencv().INTER_AREA)


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
    _, data = opencv().imencode(".png", np.ascontiguousarray(one.image[..., ::-1]))
    text = base64.b64encode(data.tobytes()).decode()
    height, width = one.image.shape[:2]
    return (
        f'<figure style="width:{cell}px"><img width="{width}" height="{height}" alt="{escape(f"{row}, {one.title}")}" '
        f'src="data:image/png;base64,{text}"><figcaption><b>{escape(one.title)}</b>{lines}</figcaption></figure>'
    )
