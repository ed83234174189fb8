"""What the bug costs: the ways to draw do what their names say, and the page has the stored results."""

import json

import pytest

from experiments.cost import page, train
from experiments.cost.ways import WAYS, Counts, Loading, count, run

SIZE, WORKERS = 100, 4
COUNTS = {
    "alike": Counts(SIZE, 0, 1),
    # 5 batches of 20 for 4 workers: the first worker has two
    "stored": Counts(40, 0, 1),
    "worker": Counts(SIZE, 0, 1),
    "epoch": Counts(40, 40, 3),
    "torch": Counts(SIZE, SIZE, 3),
    "keyed": Counts(SIZE, SIZE, 3),
}


def counted(way: str, how: Loading) -> Counts:
    return count(run(way, how, seed=3))


@pytest.mark.parametrize("way", COUNTS)
def test_a_way_draws_what_it_says(way: str) -> None:
    assert counted(way, Loading(SIZE, 3, shuffle=False)) == COUNTS[way]


def test_keras_repeats_its_epochs() -> None:
    found = counted("keras", Loading(SIZE, 2, shuffle=False))
    assert found.first + found.second <= SIZE  # of 200, however the batches fall to the processes


def test_every_way_is_counted() -> None:
    assert {*COUNTS, "keras"} == set(WAYS)


@pytest.mark.parametrize(("way", "fewest"), [("stored", 1), ("worker", 1), ("keyed", 3)])
def test_a_shuffled_image_meets_other_draws(way: str, fewest: int) -> None:
    first, _, image = counted(way, Loading(SIZE, 3))
    assert first == COUNTS[way].first
    assert fewest <= image <= 3


@pytest.mark.parametrize("way", ["torch", "keyed"])
def test_all_sets_are_different(way: str) -> None:
    numbers = run(way, Loading(20, 2, batch=5), seed=3).numbers
    assert len({tuple(one) for one in numbers.reshape(-1, numbers.shape[-1])}) == 20 * 2 * 10


def test_keys_draw_alike_for_any_number_of_workers() -> None:
    one, other = (run("keyed", Loading(20, 2, batch=5, workers=count), seed=3) for count in (0, 2))
    assert (one.indices == other.indices).all()
    assert (one.numbers == other.numbers).all()


def test_the_smallest_experiment_runs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "results.json"
    train.main(["--smallest", "--to", str(path)])
    rows = json.loads(path.read_text())["rows"]
    assert [row["case"]["way"] for row in rows] == ["none", "none", "stored", "stored", "keyed", "keyed"]
    assert all(len(row["test"]) == len(row["moved"]) == 10 for row in rows)
    assert all(0 < error < 100 for row in rows for error in row["test"])
    before = path.read_text()
    train.main(["--smallest", "--to", str(path)])
    assert path.read_text() == before  # all was measured


def test_the_page_has_the_stored_results() -> None:
    results = json.loads(train.RESULTS.read_text(encoding="utf-8"))
    assert page.PAGE.read_text(encoding="utf-8") == page.page(results), "run python -m experiments.cost.page"
    assert page.PLOT.exists()
    assert page.SMALL.exists()
