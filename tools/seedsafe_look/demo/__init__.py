"""The bug and its cure, shown on this machine: ``seedsafe demo``."""

__all__: list[str] = []
