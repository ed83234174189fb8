"""Shared by all rooms: arrays, arguments and processes."""

__all__: list[str] = []
