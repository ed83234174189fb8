"""The bug and its cure, shown on this machine: ``seedsafe demo``."""
