"""Support for trainers, one file for each."""

__all__: list[str] = []
