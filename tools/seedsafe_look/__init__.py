"""Look at a pipeline: ``seedsafe preview``, ``explain`` and ``demo``, and ``Compose.show``."""

__all__: list[str] = []
