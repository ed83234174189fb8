"""torchvision's transforms as a pipeline of seedsafe's."""
