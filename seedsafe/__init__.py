"""Data augmentation as a pure function of (seed, epoch, index)."""
