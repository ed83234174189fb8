"""Batches in memory that processes share.

Each worker has a ring: slots of memory in a file without a name. It writes the samples of a batch into the rows of a slot
and sends a small message. In the training process the message unpickles as an array over that process's own mapping of the
file. When the last view of the array dies, the slot is used again. So each page is new once in a run, not once in a batch.
Nothing waits, no memory that is in use is overwritten, and /dev/shm, with its names and limits, is not used.

Rings need 64-bit Linux. On macOS and Windows, where none of this was run, `impossible` returns the reason. There workers
send their batches in the framework's way, and each process reuses only its own memory.
"""

from seedsafe.ring.arrays import Part, Spare, empty, new_part, stay, why_not
from seedsafe.ring.memory import impossible
from seedsafe.ring.rows import Rows, batch_at, is_plain, pointer_of, rows_at

__all__ = [
    "Part",
    "Rows",
    "Spare",
    "batch_at",
    "empty",
    "impossible",
    "is_plain",
    "new_part",
    "pointer_of",
    "rows_at",
    "stay",
    "why_not",
]
