"""What all rooms need: arrays, arguments, processes."""

__all__: list[str] = []
