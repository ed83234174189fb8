"""The golden pixels of every transform: those that every machine makes, and those of this machine's architecture."""

from __future__ import annotations

import json

import known
import pytest
from pixels_known import HERE, digests, dtypes

from seedsafe.ground.exactness import ARCHITECTURE, MACHINES

GOLDENS = known.pipelines()
STORED = known.parts(known.files())["pixels"]
OF_ARCHITECTURES = known.architectures()


def of(machines: str) -> list[str]:
    """Return the names of the pipelines that make the same pixels on these machines, for some dtype."""
    return [
        name for name, one in GOLDENS.items() if machines in {one.machines(dtype) for dtype in dtypes(one)}
    ]


@pytest.mark.parametrize("name", of(MACHINES))
def test_pixels(name: str) -> None:
    assert digests(name, GOLDENS[name], MACHINES) == STORED[name], "a golden value never changes"


@pytest.mark.parametrize("name", of(ARCHITECTURE))
def test_pixels_of_one_architecture(name: str) -> None:
    if HERE not in OF_ARCHITECTURES:
        pytest.skip(f"no golden pixels of {HERE} are stored: python scripts/make_golden.py adds them")
    assert digests(name, GOLDENS[name], ARCHITECTURE) == OF_ARCHITECTURES[HERE][name], (
        "a golden value never changes"
    )


def test_nothing_stored_is_left_out() -> None:
    assert set(of(MACHINES)) == set(STORED)
    for stored in OF_ARCHITECTURES.values():
        assert set(of(ARCHITECTURE)) == set(stored)


def test_architectures_differ() -> None:
    """Else what they hold belongs to every machine."""
    assert json.dumps(OF_ARCHITECTURES["x86-64"]) != json.dumps(OF_ARCHITECTURES["aarch64"])
