"""The stream contract: keys, and the words, draws and decisions that follow from them."""

__all__: list[str] = []
