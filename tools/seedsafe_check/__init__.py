"""Check whether a project is affected: ``seedsafe check``.

One page has the installed versions, the linter's findings and a quick audit.
"""

from __future__ import annotations

__all__: list[str] = []
