"""What is known of each trainer, a file for each; they ask a loader by `loaders`, and who is calling by `callers`."""

__all__: list[str] = []
