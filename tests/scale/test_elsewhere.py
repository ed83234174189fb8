"""Sources that are killed, and go on elsewhere: 200 schedules in which no record is lost, comes again or is augmented otherwise.

killed.py runs them: SIGKILL in the middle of a step, up to three times in an epoch, and then other workers (0 to 4) and ranks (1 to 3 processes),
where the source can: docs/how-to/streams.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs import python

pytestmark = [pytest.mark.scale, pytest.mark.timeout(3000)]

SCHEDULES = {
    "files": 40,
    "webdataset shards": 30,
    "hugging face shards": 30,
    "litdata": 30,
    "mosaicml": 20,
    "grain": 15,
    "hugging face": 15,
    "webdataset": 10,
    "webdataset resampled": 10,
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_nothing_is_lost_comes_again_or_is_augmented_otherwise(name: str) -> None:
    done = python(
        "-W",
        "ignore",
        str(Path(__file__).with_name("killed.py")),
        name,
        "0",
        str(SCHEDULES[name]),
        timeout=2400,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [one["number"] for one in lines] == list(range(SCHEDULES[name])), done.stderr[-3000:]
    assert [one for one in lines if one["error"] or one["otherwise"] or one["lost"] or one["again"]] == []
