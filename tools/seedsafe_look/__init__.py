"""Look at what a pipeline does: ``seedsafe preview``, ``explain`` and ``demo``, and what ``Compose.show`` draws."""

__all__: list[str] = []
