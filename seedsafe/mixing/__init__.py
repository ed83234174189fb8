"""Mixing samples of a dataset or a batch, and whole datasets."""

__all__: list[str] = []
