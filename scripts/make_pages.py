"""Write the reference pages of transforms and plain functions, and the tables of docs/how-to/migrate*.md: python scripts/make_pages.py.

A transform is public if it is declared the library's own, stands in the ``__all__`` of its file and has an example in its
docstring; so is a plain function with an example. Their pages are in the families and the order of tests/cases. The tables are made of the
names that error messages know.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
CORE = ROOT / "seedsafe"
PAGES = ROOT / "docs" / "reference"
MIGRATION = [ROOT / "docs" / "how-to" / f"migrate{of}.md" for of in ("", "-imgaug", "-audio")]
OPTIONS = PAGES / "words-options.md"
INTERNAL = {
    *(
        "apply_matrix",
        "changed_by_pillow",
        "each_as_row",
        "inverse",
        "look_up",
        "look_up_channels",
        "mean_value",
        "noise_parts",
    ),
    *(
        "part_of",
        "parts",
        "product",
        "put",
        "pixels",
        "scratch",
        "scratch_planes",
        "spectrogram_size",
        "stretched_length",
        "table",
    ),
}
"""Functions with an example that only the library itself calls."""

TONE = ("tone", "Tone")
OBJECTS = ("object-crops", "Crops around objects")
SOUND = ("sound", "Audio: noise, filters, masks")
TEMPO = ("tempo", "Audio: tempo and pitch")
APART = {
    **dict.fromkeys(("box_crops", "mask_crop"), OBJECTS),
    **dict.fromkeys(("tones", "histogram", "levels"), TONE),
    **dict.fromkeys(("seedsafe.audio.noise", "background", "bands", "masks"), SOUND),
    **dict.fromkeys(("seedsafe.audio.stretch", "seedsafe.audio.speed"), TEMPO),
}
"""Files whose transforms have a page besides their family's, which would be too long; with its name and title."""


def public(module: ModuleType) -> list[str]:
    """Return the public transforms or functions that a file defines."""
    from seedsafe.pipeline.primitive import marks_of

    def offered(name: str) -> bool:
        value = getattr(module, name)
        if getattr(value, "__module__", None) != module.__name__ or ">>>" not in (
            inspect.getdoc(value) or ""
        ):
            return False
        if inspect.isclass(value) and ".functional." not in module.__name__:
            return marks_of(value).own  # a base class has no example
        return callable(value) and name not in INTERNAL and not name.endswith("_each")  # those of batches

    return [name for name in module.__all__ if offered(name)]


def found(room: str) -> dict[str, list[str]]:
    """Return the public names of each file of a room."""
    modules = (
        importlib.import_module(f"seedsafe.{room}.{one.name}")
        for one in pkgutil.iter_modules([str(CORE / room)])
    )
    return {module.__name__: names for module in modules if (names := public(module))}


def directive(module: str) -> str:
    """Return what puts a file's names on a page."""
    return f"```{{eval-rst}}\n.. automodule:: {module}\n```\n"


def families() -> tuple[ModuleType, ...]:
    """Return the families of tests/cases that have a heading."""
    sys.path.insert(0, str(ROOT / "tests"))
    from cases import FAMILIES

    return tuple(family for family in FAMILIES if family.TITLE)


def pages_of_transforms() -> dict[Path, str]:
    """Return the reference pages of the transforms: one for each family, which keeps the text above its modules."""
    pages: dict[tuple[str, str], dict[str, None]] = {}
    for family in families():
        for module in dict.fromkeys(case.kind.__module__ for case in family.CASES):
            own = family.__name__.rpartition(".")[2], family.TITLE
            pages.setdefault(APART.get(module, APART.get(module.rpartition(".")[2], own)), {})[module] = None
    paths = {home: PAGES / "transforms" / f"{home[0]}.md" for home in pages}
    return {paths[home]: with_modules(paths[home], home[1], modules) for home, modules in pages.items()}


def with_modules(page: Path, title: str, modules: Iterable[str]) -> str:
    """Return a page with a directive for each module, below the text that it has, or else its title."""
    text = page.read_text() if page.exists() else f"# {title}\n"
    return "\n".join([text.partition("```{eval-rst}")[0].rstrip() + "\n", *map(directive, modules)])


def pages_of_functions(files: dict[str, list[str]]) -> dict[Path, str]:
    """Return the reference pages of the plain functions: each file is with the family whose transforms import it first."""
    used: dict[str, str] = {}
    for family in families():
        for module in dict.fromkeys(case.kind.__module__ for case in family.CASES):
            source = inspect.getsource(importlib.import_module(module))
            for one in files:
                room, _, short = one.rpartition(".")
                if re.search(rf"from ({re.escape(one)} import|{room} import .*\b{short}\b)", source):
                    used.setdefault(one, family.__name__.rpartition(".")[2])
    homes = {family.__name__.rpartition(".")[2]: family.TITLE for family in families()}
    return {
        page: with_modules(page, f"Functions: {title.lower()}", modules)
        for home, title in homes.items()
        if (modules := [one for one in files if used.get(one, "values") == home])
        for page in [PAGES / "functional" / f"{home}.md"]
    }


def with_names(page: Path) -> str:
    """Return a page on migration: its text, and below each library's heading a table of its names."""
    from seedsafe.ground.advice import names as elsewhere

    text = page.read_text()
    for library, names in elsewhere().items():
        rows = ["| there | here | what differs |", "|---|---|---|"]
        for name, meant in names.items():
            call = f"`{meant.call}`" if meant.call else "–"
            rows.append(f"| `{name}` | {call} | {meant.note} |")
        text = re.sub(
            rf"(?ms)(^## {library}\n.*?\n)\| there .*?(?=^(?!\|)|\Z)",
            lambda found, rows=rows: found[1] + "\n".join(rows) + "\n",
            text,
        )
    return text


SHORT: dict[str, Callable[[float], tuple[float, float]]] = {
    "(x, x)": lambda x: (x, x),
    "(−x, x)": lambda x: (-x, x),
    "(0, x)": lambda x: (0, x),
    "(1, x)": lambda x: (1, x),
    "(1 − x, 1 + x)": lambda x: (1 - x, 1 + x),
    "(max(1 − x, 0), 1 + x)": lambda x: (max(1 - x, 0), 1 + x),
    "(max(1 − x, 0.01), 1 + x)": lambda x: (max(1 - x, 0.01), 1 + x),
}
"""What a number x may stand for where an option is a pair."""


def short_form(kind: type, arguments: dict[str, Any], option: str) -> str | None:
    """Return which pair an option makes of a number, or None where it makes none."""
    made: dict[float, Any] = {}
    for x in (0, 0.25, 0.5, 2, 3, 8, 20):
        with contextlib.suppress(TypeError, ValueError):
            made[x] = getattr(kind(**arguments | {option: x}), option)
    pairs = {x: pair for x, pair in made.items() if isinstance(pair, tuple) and len(pair) == 2}
    fits = [form for form, of in SHORT.items() if pairs and all(of(x) == pair for x, pair in pairs.items())]
    return fits[0] if fits else None


def parameters(kind: Any) -> str:
    """Return the textual form of what a transform draws, without its values."""
    if "transforms" in getattr(kind, "__dataclass_fields__", ()):
        return "Chosen(members)"
    own: Any = kind.draw
    names = re.findall(r"\w+", str(own.__annotations__["return"]))
    types = [vars(sys.modules[own.__module__])[name] for name in names if name not in ("tuple", "Any")]
    forms = [f"{one.__name__}({', '.join(one._fields)})" for one in types]
    return "(" + ", ".join(forms) + ", …)" if names[0] == "tuple" else " or ".join(forms) or "()"


def page_of_options() -> str:
    """Return the page of options: its text, and a table of the transforms with their options, defaults and parameters."""
    from cases import TRANSFORMS

    text = OPTIONS.read_text().partition("| transform |")[0]
    rows = ["| transform | a number x | parameters |", "|---|---|---|"]
    for case in TRANSFORMS.values():
        if case.name == "Bridged":
            continue
        arguments = dict(case.arguments)
        made = case.kind(**arguments)
        options = [
            one
            for one in dataclasses.fields(case.kind)
            if one.init and one.name not in ("name", "transforms")
        ]
        defaults = {
            one.name: one.default if one.default is None or one.name in arguments else getattr(made, one.name)
            for one in options
        }
        shown = [name if of is dataclasses.MISSING else f"{name}={of!r}" for name, of in defaults.items()]
        forms = {one.name: short_form(case.kind, arguments, one.name) for one in options}
        short = [f"{option} {form}" for option, form in forms.items() if form not in (None, "(x, x)")]
        rows.append(
            f"| `{case.kind.__name__}({', '.join(shown)})` | {', '.join(short)} | `{parameters(case.kind)}` |"
        )
    return text + "\n".join(rows) + "\n"


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    return {
        **pages_of_transforms(),
        **pages_of_functions(found("functional")),
        **{page: with_names(page) for page in MIGRATION},
        OPTIONS: page_of_options(),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            print(f"written: {path.relative_to(ROOT)}")
