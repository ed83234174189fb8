"""Every public name has a page, a docstring that says what its arguments are, an example, and a signature as docs/style.md says."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_docs_reference import documented

import seedsafe
import seedsafe.functional
import seedsafe_keras
import seedsafe_tf
import seedsafe_torch

ROOT = Path(__file__).parents[1]
MODULES = (seedsafe, seedsafe.functional, seedsafe_torch, seedsafe_keras, seedsafe_tf)

BY_POSITION = {  # with more than two arguments that may be left out and may be given by position: as users know them
    "SampleKey": "the three of every key, which must be given",
    "BatchMix": "a table of numbers, given by name in all examples",
    "CoarseDropout": "count, height, width",
    "ColorJitter": "torchvision's order",
    "LinearColorJitter": "torchvision's order",
    "PhotoMetricDistortion": "torchvision's order",
    "HueSaturationValue": "hue, saturation, value",
    "RGBShift": "red, green, blue",
}


def public() -> list[tuple[str, Any]]:
    """Return the public classes and functions by name."""
    found = [
        (f"{module.__name__}.{name}", getattr(module, name)) for module in MODULES for name in module.__all__
    ]
    return [(name, one) for name, one in found if inspect.isclass(one) or inspect.isfunction(one)]


def parameters(thing: Any) -> list[inspect.Parameter]:
    call = thing.__init__ if inspect.isclass(thing) else thing
    return [
        one
        for one in inspect.signature(call).parameters.values()
        if one.name not in ("self", "args", "kwargs")
    ]


def faults(name: str, thing: Any) -> Iterator[str]:
    """Yield what is wrong with a public name."""
    short = name.rpartition(".")[2]
    text = inspect.getdoc(thing) or ""
    if thing.__module__ not in documented():
        yield "has no page in docs/reference"
    if ">>> " not in text:
        yield "has no example"
    given = parameters(thing)
    for one in given:
        documented_here = re.search(rf"\b{one.name}\b", text)
        if not documented_here:
            yield f"says nothing of {one.name}"
    optional = [one for one in given if one.kind is not one.KEYWORD_ONLY and one.default is not one.empty]
    for one in optional:
        alone = one.name == "p" and one is given[0]  # a flip has nothing else
        if (
            (one.name in ("p", "name") or isinstance(one.default, bool))
            and not alone
            and short not in BY_POSITION
        ):
            yield f"takes {one.name} by position"
    if len(optional) > 2 and short not in BY_POSITION:
        yield f"takes {[one.name for one in optional]} by position: options are keyword-only"


@pytest.mark.parametrize(("name", "thing"), public(), ids=[name for name, _ in public()])
def test_a_public_name_is_whole(name: str, thing: Any) -> None:
    assert list(faults(name, thing)) == []


def silent_methods(kind: type) -> list[str]:
    """Return the public methods of a class that neither say what they do nor override or define what a base describes."""
    own = [name for name, one in vars(kind).items() if inspect.isfunction(one) and one.__doc__ is None]
    told = " ".join(inspect.getdoc(base) or "" for base in kind.__mro__[1:])
    return [
        name
        for name in own
        if not name.startswith("_")
        and not any(getattr(getattr(base, name, None), "__doc__", None) for base in kind.__mro__[1:])
        and not {f"``{name}(", f"``{re.sub('^apply_.+', 'apply_<target>', name)}("}
        & set(re.findall(r"``\S+?\(", told))
    ]


def test_a_method_without_words_has_those_of_its_base() -> None:
    kinds = [one for _, one in public() if inspect.isclass(one)]
    family = {base for kind in kinds for base in kind.__mro__ if base.__module__.startswith("seedsafe.")}
    assert {kind.__name__: silent for kind in family if (silent := silent_methods(kind))} == {}

    class Sheared(seedsafe.Rotate):
        def apply_mask(self, mask: Any, params: Any) -> Any:
            return mask

        def shear(self) -> None: ...

    assert silent_methods(Sheared) == ["shear"]


def test_each_exception_is_one() -> None:
    assert set(BY_POSITION) <= {name.rpartition(".")[2] for name, _ in public()}


def half(image: Any, flag: bool = False, low: int = 0, high: int = 1) -> Any:
    """Return half of an image."""
    return image


def test_that_test_would_notice() -> None:
    found = " ".join(faults("seedsafe.half", half))
    for words in (
        "no page",
        "no example",
        "says nothing of low",
        "takes flag by position",
        "options are keyword-only",
    ):
        assert words in found


def test_what_is_not_installed_here_has_examples_too() -> None:
    for file in (ROOT / "adapters" / "seedsafe_ray").glob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                text = ast.get_docstring(node) or ""
                assert "Example:" in text, f"{file.name} {node.name}"


def test_the_page_of_the_command_line_is_made() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_cli.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "old: python scripts/make_cli.py"
    for tool in made["TOOLS"]:
        assert f"\n## {tool}\n" in made["page"]()


def test_the_page_on_what_is_public_names_every_package() -> None:
    page = (ROOT / "docs" / "reference" / "public.md").read_text(encoding="utf-8")
    for package in (path.parent.name for path in (ROOT / "adapters").glob("*/__init__.py")):
        assert f"`{package}`" in page
