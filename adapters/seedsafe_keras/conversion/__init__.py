"""Keras's layers that augment images as seedsafe pipelines."""

__all__: list[str] = []
