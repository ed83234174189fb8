"""A batch's numbers as tensors equal those of each sample alone, on every way to compute them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe.keys.many import ManyKeys
from seedsafe_torch import TensorDraws, draws
from seedsafe_torch.key_tensor import key_tensor, words_of

KEYS = [
    ss.SampleKey(seed, epoch, index, occurrence=occurrence, view=view)
    for seed in (0, 42, 2**64 - 1, 2**127 + 2**63 + 5)
    for epoch in (0, 3, 2**32 - 1)
    for index in (0, 1234, 2**63, 2**64 - 1)
    for occurrence, view in ((0, 0), (7, 1), (2**16 - 1, 2**16 - 1))
]
MANY = [ss.SampleKey(2**64 + n % 3, n % 5, 2**64 - 1 - n, view=n % 2) for n in range(10_000)]
OF_ONE = {
    "unit": lambda one: one.uniform(0, 1, ()),
    "uniform": lambda one: one.uniform(-1.3, 2.7, (3, 5)),
    "integer": lambda one: one.integer(1000, (2,)),
    "largest integer": lambda one: one.integer(2**32, 9),
    "one value": lambda one: one.integer(1, 3),
    "chance": lambda one: one.chance(0.3, (4, 2)),
    "never": lambda one: one.chance(0.0, 2),
    "normal": lambda one: one.normal((3, 7)),
    "truncated": lambda one: one.truncated_normal(-1.0, 0.5, (3,)),
    "permutation": lambda one: one.permutation(33),
    "choice": lambda one: one.choice(20, 6),
    "all values": lambda one: one.choice(9, 9),
    "choice of many": lambda one: one.choice(2**32, 5),
    "choice with replacement": lambda one: one.choice(4, 6, replace=True),
    "weights": lambda one: one.choice(4, 3, weights=[0.1, 0, 3, 0.5]),
    "weights and replacement": lambda one: one.choice(3, 5, weights=[0.1, 0.7, 3], replace=True),
    "multinomial": lambda one: one.multinomial(9, [1, 2, 3]),
    "nothing": lambda one: one.uniform(0, 1, (2, 0)),
}


@pytest.fixture(params=["numpy", "torch"])
def way(request: Any, monkeypatch: Any) -> str:
    """NumPy computes the words of a CPU's keys; tensors do on other devices and in compiled code."""
    if request.param == "torch":
        monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    return request.param


def expected(keys: Any, call: Callable[[Any], Any], skipped: int = 0) -> np.ndarray[Any, Any]:
    """Return the numbers of each key alone, after some words."""
    ones = [ss.draws(key, name="mine") for key in keys]
    for one in ones:
        one.words(skipped)
    return np.array([call(one) for one in ones])


def in_float64(call: Callable[[Any], Any], numbers: TensorDraws) -> np.ndarray[Any, Any]:
    """Return what a call returns when float64 is torch's default."""
    torch.set_default_dtype(torch.float64)
    try:
        return call(numbers).numpy()
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("skipped", [0, 1, 3, 4, 50])
@pytest.mark.parametrize("name", OF_ONE)
def test_each_row_is_the_sample_alone(name: str, skipped: int, way: str) -> None:
    call = OF_ONE[name]
    numbers = draws(KEYS, op="mine")
    numbers.words(skipped)
    alone = expected(KEYS, call, skipped)
    result = in_float64(call, numbers)
    assert result.dtype == alone.dtype
    np.testing.assert_array_equal(result, alone)


@pytest.mark.parametrize("name", ["uniform", "integer", "chance", "normal", "permutation", "choice"])
def test_ten_thousand_keys(name: str) -> None:
    np.testing.assert_array_equal(
        in_float64(OF_ONE[name], draws(MANY, op="mine")), expected(MANY, OF_ONE[name])
    )


def test_the_next_call_takes_the_next_words(way: str) -> None:
    names = ["uniform", "normal", "choice", "normal", "weights", "integer"]

    def calls(one: Any) -> Any:
        return np.concatenate([np.ravel(OF_ONE[name](one)) for name in names])

    together = draws(KEYS, op="mine")
    rows = [in_float64(OF_ONE[name], together).reshape(len(KEYS), -1) for name in names]
    np.testing.assert_array_equal(np.concatenate(rows, axis=1), expected(KEYS, calls))


@pytest.mark.parametrize("name", OF_ONE)
def test_batch_and_order_change_nothing(name: str) -> None:
    order = np.random.default_rng(0).permutation(len(KEYS))
    whole = OF_ONE[name](draws(KEYS, op="mine"))
    shuffled = OF_ONE[name](draws([KEYS[row] for row in order], op="mine"))
    alone = torch.cat([OF_ONE[name](draws([key], op="mine")) for key in KEYS])
    assert torch.equal(whole[order], shuffled)
    assert torch.equal(whole, alone)


def test_words_are_philox() -> None:
    table = key_tensor(KEYS)
    for op, first, count in ((0, 0, 1), (2**32 - 1, 3, 5), (7, 1, 20)):
        words = words_of(table, op, first, count).numpy().view(np.uint64)
        np.testing.assert_array_equal(words, ManyKeys(KEYS).run(op, first, count))


def test_keys_in_every_form() -> None:
    table = key_tensor(KEYS)
    assert [ManyKeys.of_table(table.numpy().view(np.uint64)).key(row) for row in range(len(KEYS))] == KEYS
    for keys in (KEYS, tuple(KEYS), ManyKeys(KEYS), table, table.clone().t().contiguous().t()):
        assert torch.equal(draws(keys, op="mine").words(5), draws(table, op="mine").words(5))
    op = ss.Compose([ss.HorizontalFlip(name="mine")]).streams()[0].op
    assert torch.equal(draws(KEYS, op=op).words(5), draws(KEYS, op="mine").words(5))


def test_float32_is_the_float64_rounded_once() -> None:
    for name in ("uniform", "normal", "truncated"):
        alone = expected(KEYS, OF_ONE[name])
        np.testing.assert_array_equal(OF_ONE[name](draws(KEYS, op="mine")).numpy(), alone.astype(np.float32))
        for dtype in (torch.float16, torch.bfloat16):
            half = draws(KEYS, op="mine").normal((2,), dtype=dtype)
            assert half.dtype is dtype
            assert torch.equal(half, draws(KEYS, op="mine").normal((2,)).to(dtype))


def test_the_epoch_takes_no_word() -> None:
    numbers = draws(KEYS, op="mine")
    assert numbers.epoch.tolist() == [key.epoch for key in KEYS]
    assert torch.equal(numbers.words(1), draws(KEYS, op="mine").words(1))


def test_box_and_muller() -> None:
    numbers = draws(MANY, op="mine").normal((33,), box_muller=True).double()
    assert numbers.shape == (10_000, 33)
    assert numbers.isfinite().all()
    for power, moment in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)):
        spread = math.sqrt(math.prod(range(1, 2 * 2 * power, 2)) / numbers.numel())
        assert abs(float((numbers**power).mean()) - moment) < 6 * spread


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, about its own modules
@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({"backend": "aot_eager"}, ["uniform", "normal", "integer", "chance", "permutation", "choice"]),
        ({"backend": "inductor", "options": {"compile_threads": 1}}, ["normal"]),  # its pool would stay
    ],
    ids=["aot_eager", "inductor"],
)
def test_compiled_code_draws_the_same(how: dict[str, Any], names: list[str]) -> None:
    def step(keys: torch.Tensor) -> list[torch.Tensor]:
        return [OF_ONE[name](draws(keys, op="mine")) for name in names]

    table = key_tensor(KEYS)
    torch.compiler.reset()
    compiled = torch.compile(step, fullgraph=True, **how)
    for result, usual in zip(compiled(table), step(table), strict=True):
        assert torch.equal(result, usual)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiled_code_takes_bounds_that_vary() -> None:
    def step(keys: torch.Tensor, low: float, high: float) -> torch.Tensor:
        return draws(keys, op="mine").uniform(low, high, (3,))

    table = key_tensor(KEYS)
    torch.compiler.reset()
    compiled = torch.compile(step, backend="eager", fullgraph=True)
    for bounds in ((0.5, 1.0), (0.25, 0.75), (-2.0, 0.0), (0.0, 1.0)):
        assert torch.equal(compiled(table, *bounds), step(table, *bounds))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_modes_of_torch() -> None:
    table = key_tensor(KEYS)
    usual = draws(table, op="mine").uniform(0, 1, (3,))
    with torch.no_grad():
        assert torch.equal(draws(table, op="mine").uniform(0, 1, (3,)), usual)
    scale = torch.ones(3, requires_grad=True)
    (scale * usual).sum().backward()
    assert torch.allclose(scale.grad, usual.sum(0))  # type: ignore[arg-type]
    torch.use_deterministic_algorithms(True)
    try:
        for name, call in OF_ONE.items():
            assert len(call(draws(table, op="mine"))) == len(KEYS), name
    finally:
        torch.use_deterministic_algorithms(False)
    batches = table.reshape(4, -1, 4)
    mapped = torch.func.vmap(lambda keys: draws(keys, op="mine").uniform(0, 1, (3,)))(batches)
    assert torch.equal(mapped.reshape(-1, 3), usual)
    chosen = torch.func.vmap(lambda keys: draws(keys, op="mine").choice(9, 4))(batches)
    assert torch.equal(chosen.reshape(-1, 4), draws(table, op="mine").choice(9, 4))
    meta = draws(table.to("meta"), op="mine").normal((3, 4))
    assert meta.shape == (len(KEYS), 3, 4)
    assert meta.device.type == "meta"
    assert torch.equal(draws(table, op="mine", device="cpu").uniform(0, 1, (3,)), usual)


def test_no_keys() -> None:
    for keys in ([], torch.empty((0, 4), dtype=torch.int64)):
        for call in OF_ONE.values():
            assert len(call(draws(keys, op="mine"))) == 0


@pytest.mark.parametrize(
    ("keys", "error", "match"),
    [
        (torch.zeros((2, 4)), TypeError, "keys must be int64"),
        (torch.zeros((2, 3), dtype=torch.int64), ValueError, r"shape \(N, 4\)"),
        (torch.zeros(4, dtype=torch.int64), ValueError, r"shape \(N, 4\)"),
        (KEYS[0], TypeError, "list of SampleKeys"),
        ([1, 2], TypeError, "list of SampleKeys"),
        (7, TypeError, "list of SampleKeys"),
        ([ss.SampleKey(0, 0, 0, call=3)], ValueError, "call=0"),
    ],
)
def test_what_is_no_key(keys: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        draws(keys, op="mine")


@pytest.mark.parametrize(
    ("method", "arguments", "match"),
    [
        ("uniform", "0, math.inf", "finite"),
        ("uniform", "-1e308, 1e308", "finite"),
        ("integer", "2**32 + 1", "at most 2\\*\\*32"),
        ("integer", "0", "at least 1"),
        ("chance", "1.5", "probability"),
        ("chance", "math.nan", "probability"),
        ("choice", "3, 4", "at most n = 3"),
        ("choice", "3, 2, weights=[1, 0, 0]", "weights above 0"),
        ("choice", "3, 2, weights=[1, -1, 0]", "finite, at least 0"),
        ("normal", "(2, -1)", "no negative size"),
        ("permutation", "-1", "no negative size"),
        ("truncated_normal", "5, 6, 1", "leave room for at least one value"),
        ("normal", "(2,), dtype=torch.int64", "floating dtype"),
    ],
)
def test_bad_arguments_take_no_word(method: str, arguments: str, match: str) -> None:
    numbers = draws(KEYS, op="mine")
    with pytest.raises(ValueError, match=match):
        eval(f"numbers.{method}({arguments})", {"numbers": numbers, "torch": torch, "math": math})
    assert torch.equal(numbers.words(1), draws(KEYS, op="mine").words(1))


def test_what_is_no_stream() -> None:
    for op, error in (
        (None, TypeError),
        ("", ValueError),
        ("a#1", ValueError),
        ("seedsafe/order", ValueError),
        (2**32, TypeError),
        (-1, TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error):
            draws(KEYS, op=op)  # type: ignore[arg-type]


def test_a_device_without_float64(monkeypatch: Any) -> None:
    class Mps(torch.Tensor):
        device = torch.device("mps")

    keys = key_tensor(KEYS).as_subclass(Mps)
    with pytest.raises(ValueError, match=r"float64.*device='cpu'"):
        draws(keys, op="mine")
