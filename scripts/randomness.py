"""Count what dieharder says of the contract's words, beside NumPy's PCG64: python scripts/randomness.py [kind …].

Each kind is an endless row of 32-bit words: word 0 of the streams of index 0, 1, 2 and so on, likewise of epochs, ops, seeds, occurrences and
views; or what draws make of a stream, mapped back to bits. ``python scripts/randomness.py --write index`` writes one to standard output.
The printed table has how many p-values dieharder calls passed, weak (beyond 0.005 or 0.995) and failed (beyond 0.000001).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.keys.many import ManyKeys
from seedsafe.keys.words import normal_quantiles, sixteenths

Array = Any
CHUNK = 2**15
TESTS = ("0", "8", "15", "100", "101", "102")
"""Birthdays, counts of ones, runs, and NIST's monobit, runs and serial."""
FIELDS = ("index", "epoch", "seed", "occurrence", "view", "op")


def interleaved(field: str) -> Iterator[Array]:
    """Yield word 0 of streams that differ in one field; a field of 16 bits begins again at the next index."""
    limit = 2**16 if field in ("occurrence", "view") else 2**31
    shift = {"epoch": 32, "occurrence": 16}.get(field, 0)
    for first in range(0, 2**62, CHUNK):
        above, own = divmod(first, limit)
        numbers = range(own, own + CHUNK)
        if field == "op":
            words = ManyKeys.of_run(42, [3 << 32], [7]).blocks(numbers)[:, 0, 0]
        else:
            if field == "index":
                keys = ManyKeys.of_run(42, [3 << 32] * CHUNK, numbers)
            elif field == "seed":
                keys = ManyKeys([ss.SampleKey(number, 3, 7) for number in numbers])
            else:
                keys = ManyKeys.of_run(42, [number << shift for number in numbers], [7 + above] * CHUNK)
            words = keys.blocks([0])[0, :, 0]
        yield np.ascontiguousarray(words).view("<u4")


def stream() -> Draws:
    """Return the stream that draws are taken from."""
    return Draws(address(ss.SampleKey(42, 3, 1234), ss.op_of("randomness")))


def uniforms() -> Iterator[Array]:
    """Yield the upper 32 bits of units."""
    words = stream()
    while True:
        yield (words.uniform(0.0, 1.0, CHUNK) * 2.0**32).astype("<u4")


def integers() -> Iterator[Array]:
    """Yield integers below 2^32."""
    words = stream()
    while True:
        yield words.integer(2**32, CHUNK).astype("<u4")


def normals() -> Iterator[Array]:
    """Yield the places of values of the noise in the table that they were taken from, 16 bits each."""
    table, start = normal_quantiles(), address(ss.SampleKey(42, 3, 1234), ss.op_of("GaussianNoise"))
    for first in range(0, 2**62, 2 * CHUNK):
        drawn = table[sixteenths(start, 2 * CHUNK, first)]
        yield np.searchsorted(table, drawn).astype("<u2").view("<u4")


def orders(kind: str) -> Iterator[Array]:
    """Yield for each pair of neighbours of epochs' orders whether they ascend, a bit each."""
    for epoch in range(2**32 - 1):
        order = np.asarray(ss.epoch_order(42, epoch, 2**14, order=kind)[:])
        yield np.packbits(order[::2] < order[1::2]).view("<u4")


def pcg64() -> Iterator[Array]:
    """Yield the words of NumPy's PCG64."""
    generator = np.random.PCG64(42)
    while True:
        yield generator.random_raw(CHUNK).astype("<u8").view("<u4")


KINDS: dict[str, Callable[[], Iterator[Array]]] = {
    **{field: lambda field=field: interleaved(field) for field in FIELDS},
    "uniform": uniforms,
    "integer": integers,
    "noise": normals,
    "order": lambda: orders("stored"),
    "addressed order": lambda: orders("addressed"),
    "PCG64": pcg64,
}


def write(kind: str) -> None:
    """Write a row of words to standard output until nobody reads it."""
    try:
        for words in KINDS[kind]():
            sys.stdout.buffer.write(words.tobytes())
    except BrokenPipeError:
        sys.stderr.close()


def counts(kind: str) -> Counter[str]:
    """Return how often dieharder says what of a row."""
    found: Counter[str] = Counter()
    for test in TESTS:
        command = [sys.executable, __file__, "--write", kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as words:
            asked = ["dieharder", "-g", "200", "-d", test, "-p", "20"]
            said = subprocess.run(
                asked, stdin=words.stdout, capture_output=True, text=True, check=True
            ).stdout
            words.kill()
        found.update(
            word for word in ("PASSED", "WEAK", "FAILED") for line in said.splitlines() if word in line
        )
    return found


def main(kinds: list[str]) -> None:
    """Print a row of the table for each kind."""
    if shutil.which("dieharder") is None:
        sys.exit("dieharder is not installed: apt-get install dieharder")
    if unknown := set(kinds) - set(KINDS):
        sys.exit(f"kinds must be of {', '.join(KINDS)}, got {', '.join(sorted(unknown))}: correct them")
    for kind in kinds or KINDS:
        found = counts(kind)
        print(f"| {kind} | {found['PASSED']} | {found['WEAK']} | {found['FAILED']} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2])
    else:
        main(sys.argv[1:])
