"""Explain one sample of a run: ``seedsafe explain``."""

__all__: list[str] = []
