"""Faulty samples: an error that says which and why, or a way on without them, and what became of them."""

from seedsafe.faults.error import SampleError, process_name, sample_error
from seedsafe.faults.finite import require_finite, require_finite_after
from seedsafe.faults.log import FailureLog
from seedsafe.faults.policy import Faults, Skipped, missing

__all__ = [
    "FailureLog",
    "Faults",
    "SampleError",
    "Skipped",
    "missing",
    "process_name",
    "require_finite",
    "require_finite_after",
    "sample_error",
]
