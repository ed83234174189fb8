"""torchvision's transforms as a pipeline of seedsafe's."""

__all__: list[str] = []
