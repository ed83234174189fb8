"""A linter for random numbers in data loading code; it parses files and imports none of them."""

from seedsafe.lint.config import Config, ConfigError
from seedsafe.lint.findings import Finding, Place, Skipped
from seedsafe.lint.runner import Report, lint

__all__ = ["Config", "ConfigError", "Finding", "Place", "Report", "Skipped", "lint"]
