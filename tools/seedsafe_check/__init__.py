"""Check whether a project is affected: installed versions, the linter's findings and a quick audit, on one page."""

from __future__ import annotations

__all__: list[str] = []
