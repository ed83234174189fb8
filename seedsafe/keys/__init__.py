"""The stream contract: keys, words, draws and decisions."""

__all__: list[str] = []
