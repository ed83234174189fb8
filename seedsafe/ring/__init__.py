"""Batches written in place: memory that the process which trains sees as soon as a worker has written it.

Each worker has a ring: slots of memory in a file without a name. It writes the samples of a batch into the rows of a slot
and sends a small message, which unpickles, in the process that trains, as an array over that process's own mapping of the
file. When the last view of it dies there, the slot is used again. So a page is touched for the first time once in a run,
not once in a batch; nothing waits; nothing that somebody holds is overwritten; and shared memory with a name or a limit
(/dev/shm) is not used.

Rings need 64-bit Linux. On macOS and Windows, where none of this was run, `impossible` returns why not; workers then send
their batches as they would anyhow, and only memory of the process's own is used again.
"""

from seedsafe.ring.arrays import Part, Spare, empty, new_part, stay, why_not
from seedsafe.ring.memory import impossible
from seedsafe.ring.rows import Rows, address_of, batch_at, is_plain, rows_at

__all__ = [
    "Part",
    "Rows",
    "Spare",
    "address_of",
    "batch_at",
    "empty",
    "impossible",
    "is_plain",
    "new_part",
    "rows_at",
    "stay",
    "why_not",
]
