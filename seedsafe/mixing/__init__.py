"""Mixing samples, batches and datasets."""

__all__: list[str] = []
