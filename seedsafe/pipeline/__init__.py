"""Pipelines: transforms, composition, boxes and keypoints."""

__all__: list[str] = []
