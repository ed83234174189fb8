"""Augmentation as a function of (seed, epoch, index)."""

import sys
from importlib import import_module
from typing import Any

from seedsafe.ground.process import importing as _importing


def _homes() -> dict[str, str]:
    """Return the module of each public name. The stub is the only list of them."""
    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in lines}


_HOMES = _homes()
__all__ = sorted(_HOMES)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]  # the stub has the list


# The first use of a name imports its module, so `import seedsafe` costs little more than NumPy: benchmarks/import_time.py.
def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    with _importing:
        if name == "__version__":
            value: Any = import_module("importlib.metadata").version("seedsafe")
        elif home is None:
            raise _unknown(name)
        else:
            module = import_module(f"seedsafe.{name}" if home == "seedsafe" else home)
            value = module if home == "seedsafe" else getattr(module, name)
    globals()[name] = value
    return value


def _unknown(name: str) -> Exception:
    """Return the error for an unknown name, with advice."""
    text = f"module 'seedsafe' has no attribute {name!r}"
    if name.startswith("_") or import_module("importlib.util").find_spec(f"seedsafe.{name}"):
        return AttributeError(text, name=name)  # `from seedsafe import audio` goes on, and imports the room
    if not (advice := import_module("seedsafe.ground.advice").advice(name, __all__)):
        return AttributeError(text, name=name)
    # `from seedsafe import name` drops the text of an AttributeError, but lets an ImportError through from the function that looks
    # the name up. Where Python calls that function otherwise, Python's own message comes, without the advice.
    imports = sys._getframe(2).f_code.co_name == "_handle_fromlist"  # pyright: ignore[reportPrivateUsage]
    return (ImportError if imports else AttributeError)(f"{text}: {advice}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
