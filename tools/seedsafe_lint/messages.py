"""The messages about wrong draws and seeds."""

import re
from typing import cast

from seedsafe_lint.findings import Severity

__all__ = ["MESSAGES"]

_PHRASES = {
    "numpy": "{what} draws from NumPy's global generator in worker code ({root}): ",
    "copy": "{what} draws from a generator that every worker has a copy of ({source}; {root}): ",
    "library": "{what} draws from {source} in worker code ({root}): ",
    "draw": ". Draw from np.random.default_rng(<key>).",
    "make": ". Make a generator from <key> for each sample.",
    "seed": ". Seed it from <key>.",
    "initial": ". Seed with torch.initial_seed() % 2**32.",
    "key": "(seed, epoch, index)",
}
_TABLE = """
numpy torch | SSF001 | warning | <numpy>torch >= 1.9 seeds it in each worker (older torch repeats it), but the numbers depend
    on num_workers and on which worker reads the sample<draw>
numpy tf.data | SSF001 | warning | <numpy>from_generator runs it next to the training code, so the numbers depend on
    prefetching and on every other draw<draw>
numpy keras | SSF001 | error | <numpy>with use_multiprocessing every process repeats the same numbers in every epoch, and
    with threads they depend on timing<draw>
numpy pool | SSF001 | warning | <numpy>forked processes repeat each other's numbers, and which process or thread runs a task
    decides those of the others<draw>
numpy | SSF001 | error | <numpy>worker processes start from copies of the same state and repeat the same numbers unless the
    framework seeds them, as torch does since 1.9<draw>
stored | SSF002 | error | <copy>workers repeat each other's numbers, epochs repeat too, and no framework seeds it again<make>
stored tf.data | SSF002 | error | <copy>the numbers depend on prefetching, and differ between epochs only by accident<make>
collator | SSF002 | warning | {what} with seed= makes a generator in each worker from the seed and the worker's number, so every
    epoch masks alike. Pass it to seedsafe_torch.loader with bridge=True, or leave seed= out.
own | SSF003 | error | <library>no framework seeds it, so workers repeat the same numbers. Seed it from <key>, or draw the
    numbers from np.random.default_rng(<key>).
hidden | SSF003 | error | <library>only torch >= 1.9 seeds it, and even then the numbers depend on the workers. Pass
    random_state=np.random.default_rng(<key>).
noise | SSF003 | warning | skimage's random_noise has no rng in worker code ({root}): it draws from NumPy's global generator
    up to scikit-image 0.18, and since 0.19 from entropy that no seed reaches. Pass rng=np.random.default_rng(<key>).
traced | SSF004 | error | {what} in {root} runs once, when TensorFlow traces the function for map, so all samples of all epochs
    get the same numbers. Draw with tf.random.stateless_uniform and a seed from <key>.
entropy | SSF004 | note | {what} in {root} seeds with numbers of the system, so no run can be repeated<seed>
constant | SSF004 | error | {what} in {root} gives all samples of all epochs the same numbers<seed>
seconds | SSF004 | error | {what} in {root} gives all samples read within one second the same numbers<seed>
clock | SSF004 | warning | {what} in {root} gives samples read at the same time the same numbers, and no run can be
    repeated<seed>
clock sum | SSF004 | warning | {what} plus an index in {root} gives two samples the same numbers whenever the sums are equal,
    and no run can be repeated<seed>
counted | SSF004 | error | {what} in {root} repeats numbers between workers, because each worker counts in its own copy<seed>
init outdated | SSF005 | error | {what} in {root} is the same in every epoch and every run of a torch >= 1.9 worker, so the
    augmentations repeat<initial>
worker alone | SSF006 | error | {what} in {root} depends only on the worker's number and fixed values, so every epoch repeats
    the same numbers<initial>
bare seed | SSF006 | error | {what} as worker_init_fn seeds with worker_id alone and overwrites torch's seed for the epoch, so
    every epoch and run repeats the same numbers<initial>
init repeats | SSF006 | error | {what} in {root} depends only on worker_id and fixed values and overwrites torch's seed for the
    epoch, so every epoch repeats the same numbers<initial>
init ignores | SSF007 | error | {what} in {root} ignores worker_id, so all workers draw the same numbers<initial>
set_epoch | SSF010 | warning | DistributedSampler without set_epoch visits the samples in the same order in every epoch. Call
    sampler.set_epoch(epoch) before each epoch.
grows | SSF013 | warning | self.{what} grows with each sample in {root}: each worker counts in its own copy, which is lost
    when the worker ends, and threads race for it. Count in the training process, or in memory that the workers share.
none | SSF014 | warning | {root} returns None for some samples: the default collate function raises TypeError in the worker,
    and one that drops them makes batches of other sizes. Raise, or return another sample.
hash | SSF004 | warning | {what} with hash() of a string in {root} differs in each run and each spawned process, because Python
    salts that hash. Use zlib.crc32(text.encode()).
python | SSF017 | note | {what} draws from Python's global generator in worker code ({root}): torch seeds it in each worker, and
    Python after a fork, but the numbers depend on the workers or on no seed at all. Draw from a generator made from <key>.
"""


def _messages() -> dict[str, tuple[str, Severity, str]]:
    table = _TABLE
    for name, phrase in _PHRASES.items():
        table = table.replace(f"<{name}>", phrase)
    entries = (" ".join(row.split()).split(" | ") for row in re.split(r"\n(?=\S)", table.strip()))
    return {key: (code, cast(Severity, severity), text) for key, code, severity, text in entries}


MESSAGES = _messages()
