"""A dataset read by key: what every adapter stands on, and all that it imports besides the front door.

An adapter keeps its framework's base class, how the epoch reaches the workers, and the framework's quirks.
"""

from seedsafe.ground.checks import flag
from seedsafe.keys.key import address, checked_int, philox
from seedsafe.reading.batches import augment_batch, count
from seedsafe.reading.collate import collate, stack
from seedsafe.reading.context import Moment, current, entered, moment_of
from seedsafe.reading.error import SampleError, process_name
from seedsafe.reading.faults import Faults, Skipped
from seedsafe.reading.finite import require_finite, require_finite_after
from seedsafe.reading.forms import Augment, augment_sample, augment_views, labels_of
from seedsafe.reading.forwarding import Forwarding
from seedsafe.reading.inside import Keyed, nested, outermost, parts, walk
from seedsafe.reading.log import FailureLog
from seedsafe.reading.reader import KeyedReader
from seedsafe.reading.repeats import Repeats, Told, shared_seed
from seedsafe.reading.targets import Targets, check_targets

__all__ = [
    "Augment",
    "FailureLog",
    "Faults",
    "Forwarding",
    "Keyed",
    "KeyedReader",
    "Moment",
    "Repeats",
    "SampleError",
    "Skipped",
    "Targets",
    "Told",
    "address",
    "augment_batch",
    "augment_sample",
    "augment_views",
    "check_targets",
    "checked_int",
    "collate",
    "count",
    "current",
    "entered",
    "flag",
    "labels_of",
    "moment_of",
    "nested",
    "outermost",
    "parts",
    "philox",
    "process_name",
    "require_finite",
    "require_finite_after",
    "shared_seed",
    "stack",
    "walk",
]
