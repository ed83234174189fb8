"""Datasets read by key, for every adapter.

Besides `seedsafe` itself, an adapter imports nothing else. It adds its framework's base class, the way in which the epoch
reaches the workers, and the framework's quirks.
"""

from seedsafe.bridging.generators import global_generators
from seedsafe.bridging.search import held_generators
from seedsafe.functional.jpeg import Place, Windows
from seedsafe.functional.pillow import transform_affine
from seedsafe.ground.checks import explain_arguments, flag, with_article
from seedsafe.ground.process import check_main, frames_of_threads, uncollected
from seedsafe.ground.tree import entries, leaves, mapped, replaced, with_parts
from seedsafe.ground.warning import warn
from seedsafe.keys.key import address, checked_int, philox
from seedsafe.pipeline.boxes import Edges
from seedsafe.pipeline.primitive import declared
from seedsafe.pipeline.unnamed import Untouched
from seedsafe.reading.bases import (
    Repeats,
    WarningLog,
    check_base,
    current,
    entered,
    nested,
    outermost,
    parts,
    stamped,
    walk,
)
from seedsafe.reading.batches import (
    KeyedCollate,
    augment_batch,
    collate,
    count,
    read_batch,
    ready_batches,
    stack,
)
from seedsafe.reading.bound import Augment, BoundAugment
from seedsafe.reading.checks import (
    BRIDGE_IT,
    CheckedCollate,
    DrawChecks,
    Unkeyed,
    checked_source,
)
from seedsafe.reading.epochs import keeping_epochs
from seedsafe.reading.faults import (
    FailureLog,
    Faults,
    SampleError,
    Skipped,
    process_name,
    require_finite,
    require_finite_after,
)
from seedsafe.reading.forms import kind_of, pixels
from seedsafe.reading.forwarding import Forwarding, PassesOn
from seedsafe.reading.group import AtOnce
from seedsafe.reading.orders import checked_order, keyed_order
from seedsafe.reading.reader import KeyedReader
from seedsafe.reading.records import augment_records
from seedsafe.reading.remade import description, identity, note_made, note_read, repeats_an_epoch
from seedsafe.reading.sample import augment_sample, augment_views
from seedsafe.reading.targets import Targets, check_targets

__all__ = [
    "BRIDGE_IT",
    "AtOnce",
    "Augment",
    "BoundAugment",
    "CheckedCollate",
    "DrawChecks",
    "Edges",
    "FailureLog",
    "Faults",
    "Forwarding",
    "KeyedCollate",
    "KeyedReader",
    "PassesOn",
    "Place",
    "Repeats",
    "SampleError",
    "Skipped",
    "Targets",
    "Unkeyed",
    "Untouched",
    "WarningLog",
    "Windows",
    "address",
    "augment_batch",
    "augment_records",
    "augment_sample",
    "augment_views",
    "check_base",
    "check_main",
    "check_targets",
    "checked_int",
    "checked_order",
    "checked_source",
    "collate",
    "count",
    "current",
    "declared",
    "description",
    "entered",
    "entries",
    "explain_arguments",
    "flag",
    "frames_of_threads",
    "global_generators",
    "held_generators",
    "identity",
    "keeping_epochs",
    "keyed_order",
    "kind_of",
    "leaves",
    "mapped",
    "nested",
    "note_made",
    "note_read",
    "outermost",
    "parts",
    "philox",
    "pixels",
    "process_name",
    "read_batch",
    "ready_batches",
    "repeats_an_epoch",
    "replaced",
    "require_finite",
    "require_finite_after",
    "stack",
    "stamped",
    "transform_affine",
    "uncollected",
    "walk",
    "warn",
    "with_article",
    "with_parts",
]
