"""A linter for random numbers in data loading code; it parses files and imports none of them."""

from seedsafe_lint.config import Config, ConfigError
from seedsafe_lint.findings import Finding, Place, Skipped
from seedsafe_lint.runner import Report, lint

__all__ = ["Config", "ConfigError", "Finding", "Place", "Report", "Skipped", "lint"]
