"""Show the bug and its cure: ``seedsafe demo``."""

__all__: list[str] = []
