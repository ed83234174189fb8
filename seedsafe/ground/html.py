"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["table"]

_CELL = "text-align: left; vertical-align: top"


def table(title: str, head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    """Return an HTML table; all its text is escaped.

    Example:
        >>> print(table("a < b", ("name",), [("<i>",)]))
        <table><caption style="text-align: left; vertical-align: top">a &lt; b</caption>
        <tr><th style="text-align: left; vertical-align: top">name</th></tr>
        <tr><td style="text-align: left; vertical-align: top">&lt;i&gt;</td></tr>
        </table>
    """
    from html import escape  # only notebooks need it

    def line(tag: str, cells: tuple[Any, ...]) -> str:
        shown = (f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells)
        return f"<tr>{''.join(shown)}</tr>"

    caption = f'<table><caption style="{_CELL}">{escape(title)}</caption>'
    return "\n".join([caption, line("th", head), *(line("td", row) for row in rows), "</table>"])
