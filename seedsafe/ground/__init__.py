"""The ground that all rooms stand on: arrays and images, arguments, and the kind of this process."""

__all__: list[str] = []
