"""Pipelines: transforms, their composition, and the rules for boxes and keypoints."""

__all__: list[str] = []
