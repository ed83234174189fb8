"""Audio transforms: float32, (samples,) or (channels, samples)."""

__all__: list[str] = []
