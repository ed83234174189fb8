"""Tools to look at a pipeline.

They are ``seedsafe preview``, ``explain`` and ``demo``, and ``Compose.show``.
"""

__all__: list[str] = []
