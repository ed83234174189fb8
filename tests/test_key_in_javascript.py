"""The key in JavaScript makes the words of the golden files, and the test of it would notice if it did not."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import key_in_javascript
import pytest

NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="needs node; tests/site runs it in a browser")


def run_by(script: str) -> Any:
    """Return a function that runs code after a script."""

    def run(code: str) -> Any:
        assert NODE
        text = f"{script}\nconsole.log(JSON.stringify({code}));"
        done = subprocess.run([NODE, "-"], input=text, capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)

    return run


def test_it_makes_the_golden_words() -> None:
    assert key_in_javascript.wrong(run_by(key_in_javascript.SCRIPT.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("round < 10", "round < 9"),
        ("0xbb67ae8584caa73bn", "0xbb67ae8584caa73dn"),
        ("s >> 64n", "0n"),
        ("o << 16n", "o << 15n"),
        ("p << 32n", "p << 31n"),
        (">> 11n", ">> 12n"),
        ("BigInt(n)) >> 64n", "BigInt(n)) >> 63n"),
    ],
)
def test_a_change_is_noticed(there: str, instead: str) -> None:
    script = Path(key_in_javascript.SCRIPT).read_text(encoding="utf-8")
    assert script.count(there) == 1
    assert key_in_javascript.wrong(run_by(script.replace(there, instead))) != []
