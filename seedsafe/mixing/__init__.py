"""Mixing samples of a dataset or a batch."""

__all__: list[str] = []
