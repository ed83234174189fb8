"""Whether a project is affected: what is installed, what the linter finds, what an audit sees, on one page."""

from __future__ import annotations

__all__: list[str] = []
