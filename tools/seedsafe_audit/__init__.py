"""A run-time audit of a dataset: it reads it in real loaders and answers questions with evidence."""

from seedsafe_audit.api import audit
from seedsafe_audit.report import Answer, Matrix, Picture, Report

__all__ = ["Answer", "Matrix", "Picture", "Report", "audit"]
