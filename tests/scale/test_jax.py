"""The keys for JAX: the page's functions, the same everywhere, and never one for two samples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedsafe as ss

pytestmark = pytest.mark.scale
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "jax.md"


@pytest.fixture
def page() -> dict[str, Any]:
    """The page's functions."""
    import jax
    import jax.extend
    import jax.numpy as jnp

    names = {"ss": ss, "np": np, "jax": jax, "jnp": jnp}
    for code in re.findall(
        r"^```python no-run: needs JAX[^\n]*\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    ):
        exec(code, names)  # noqa: S102  # the page of this repository
    return names


def test_a_samples_key(page: dict[str, Any]) -> None:
    jax = page["jax"]
    key = page["jax_key"](ss.SampleKey(42, epoch=3, index=1234))
    assert jax.random.key_data(key).tolist() == [0x38E79BC5, 0xED3937EF]  # of the contract's known answers
    assert jax.random.normal(key, (2,)).shape == (2,)


def test_keys_of_a_batch_never_collide(page: dict[str, Any]) -> None:
    data, keys = page["jax"].random.key_data, page["jax_keys"]
    parts = [np.asarray(data(keys(42, epoch, np.arange(30_001)))) for epoch in (0, 1, 2**32 - 1)]
    assert len(np.unique(np.concatenate(parts), axis=0)) == 3 * 30_001
    assert (np.asarray(data(keys(42, 1, [7, 5]))) == parts[1][[7, 5]]).all()
    assert (np.asarray(data(keys(43, 1, [7, 5]))) != parts[1][[7, 5]]).any()
