"""The public documentation uses one noun for one thing: those of docs/style.md, and not their synonyms.

README, the pages, the docstrings that the reference shows, and the messages of errors and warnings are searched; code
is left out.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"
NOUNS = ("sample", "key", "epoch", "index", "occurrence", "view", "stream", "transform", "pipeline", "target")
PHRASES = {  # turns that a reader stumbles over, and what to write instead
    "may meet": "may collide",
    "go back on": "keep stable",
    "is told": "gets",
    "what still": "name the thing",
    "whoever": "you",
    "spares": "skips",
    "for ever": "forever",
    "for themselves": "on their own",
    "picture": "image",
    "pictures": "images",
    "mended": "fixed",
    "has to be": "must be",
    "have to be": "must be",
    "outside of": "outside",
    "inside of": "inside",
    "anew": "again",
    "mend": "fix",
    "near by": "nearby",
    "exclude each other": "cannot be used together",
    "goes with": "needs",
    "go with": "need",
    "without anybody's help": "by itself",
    "stands still": "hangs",
    "is no index": "is not an index",
    "is no integer": "is not an integer",
    "is no array": "is not an array",
    "is no image": "is not an image",
    "is no dict": "is not a dict",
    "is no class": "is not a class",
    "is no string": "is not a string",
    "is no target": "is not a target",
    "are no targets": "are not targets",
    "are no positions": "are not positions",
    "255ths": "the scale of 0 to 255",
    "one build of": "the same build of",
    "stands outside": "lies outside",
    "the core": "seedsafe",
}
INSIDE = {  # in private docstrings and comments as well
    r"\b([Aa]n?|[Tt]he|one|any) \w+ of (torch|Keras|Lightning|Fabric|Accelerate|NumPy|Python|OpenCV|albumentations|torchvision|Ray|TensorFlow|JAX|MONAI)'s\b(?! *[,\w])": "turn it round",
    r"\bwhoever\b": "the caller",
    r"\bgoes by value\b": "is copied",
    r"\bNone for (nothing|none|everywhere|as it is)\b": "None if",
    r"\bcomes to that\b": "happens",
    r"\bto be had\b": "available",
    r"(?<!`)\bmoment\b": "stamp, or the field of an address",
    r"(?<!in )(?<!the )(?<!decimal )(?<!first )(?<!last )\bplaces?\b(?!:| of an?other)": "position, point, progress or location",
    r"\b[a-z_]+: of (an?|the|its|each|this)\b": "name the thing: 'height: the height of the image'",
    r"\b(has|have|is of|are of) another (dtype|shape|type)\b": "the wrong one, or a different one",
    r"\baddress(es)? (of|in) (its |the )?memory\b": "pointer",
}
NAMES = {"made": "result"}
_CODE = re.compile(r"^(```|:::).*?^\1[ \t]*$|``.+?``|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^ *>>> .*(?:\n(?! *$).*)*", re.MULTILINE)  # with what it prints
_LINK = re.compile(r"\]\([^)]*\)")


def synonyms() -> dict[str, str]:
    """Return the style page's banned words, each with the noun to write."""
    lines = re.findall(r"^- \*\*(\w+)\*\*: .+? Not: (.+)\.$", STYLE.read_text(encoding="utf-8"), re.MULTILINE)
    return {word.strip(): noun for noun, words in lines for word in words.split(",")}


def banned() -> dict[str, str]:
    plural = {f"{word}s": noun for word, noun in synonyms().items()}
    return PHRASES | synonyms() | plural


def faults(text: str) -> list[str]:
    """Return the banned words of a text, each with what to write."""
    prose = re.sub(r"\s+", " ", _LINK.sub("]", _EXAMPLE.sub(" ", _CODE.sub(" ", text))))
    return [
        f"{word!r}: write {better!r}: …{prose[max(0, hit.start() - 40) : hit.end() + 40]}…"
        for word, better in banned().items()
        for hit in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", prose, re.IGNORECASE)
    ]


def pages() -> list[Path]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if page != STYLE and "_build" not in page.parts]


def modules() -> list[Path]:
    """Return the files of the modules that the reference shows."""
    reference = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").rglob("*.md"))
    names = re.findall(r"automodule:: (\S+)", reference)
    homes = (ROOT, ROOT / "adapters", ROOT / "tools")
    candidates = [
        home / f"{name.replace('.', '/')}{end}"
        for name in names
        for home in homes
        for end in (".py", "/__init__.py")
    ]
    return sorted({path for path in candidates if path.exists()})


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of everything public in a file."""

    def walk(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, str]]:
        yield prefix or path.stem, ast.get_docstring(node) or ""
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef | ast.ClassDef) and not inner.name.startswith("_"):
                if isinstance(inner, ast.ClassDef):
                    yield from walk(inner, inner.name)
                else:
                    yield f"{prefix}.{inner.name}", ast.get_docstring(inner) or ""

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), "")


def test_the_style_page_has_ten_nouns_with_one_meaning_each() -> None:
    listed = re.findall(r"^- \*\*(\w+)\*\*: ", STYLE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(listed) == NOUNS
    assert len(synonyms()) >= len(NOUNS)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_uses_the_nouns(page: Path) -> None:
    assert faults(page.read_text(encoding="utf-8")) == []


def test_public_docstrings_use_the_nouns() -> None:
    assert len(modules()) > 30
    found = [
        f"{path.relative_to(ROOT)} {name}: {fault}"
        for path in modules()
        for name, text in docstrings(path)
        for fault in faults(text)
    ]
    assert found == []


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines and the texts of the errors and warnings of a module."""
    for node in ast.walk(ast.parse(source)):
        raised = node.exc if isinstance(node, ast.Raise) else None
        warned = (
            node
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "warn"
            else None
        )
        call = raised or warned
        if isinstance(call, ast.Call):
            texts = [part.value for part in ast.walk(call) if isinstance(part, ast.Constant)]
            yield call.lineno, "".join(text for text in texts if isinstance(text, str))


def test_messages_use_the_nouns() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for room in ("seedsafe", "adapters", "tools")
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, text in messages(path.read_text(encoding="utf-8"))
        for fault in faults(text)
    ]
    assert found == []


def sources() -> list[Path]:
    return [
        path for room in ("seedsafe", "adapters", "tools") for path in sorted((ROOT / room).rglob("*.py"))
    ]


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines and the texts of all docstrings and comments of a module."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def stumbles(source: str) -> list[tuple[int, str]]:
    """Return the lines and the banned turns of a module's docstrings and comments."""
    return [
        (line, f"{hit.group()!r}: write {better}")
        for line, text in texts(source)
        for turn, better in INSIDE.items()
        for hit in re.finditer(turn, re.sub(r"\s+", " ", _EXAMPLE.sub(" ", _CODE.sub(" ", text))))
    ]


def test_docstrings_and_comments_read_well() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in sources()
        for line, fault in stumbles(path.read_text(encoding="utf-8"))
        if not (path.parts[-2] == "seedsafe_lint" and "place" in fault)  # a finding's
    ]
    assert found == []


def test_a_stumble_is_noticed() -> None:
    source = '"""A loader of torch\'s.\n\nIt takes the place of another."""\nx = 1  # a place for whoever needs it\n'
    assert [line for line, _ in stumbles(source)] == [1, 4, 4]


def test_names_are_nouns() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}: write {NAMES[token.string]}"
        for path in sources()
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        if token.type == tokenize.NAME and token.string in NAMES and "seedsafe_lint" not in path.parts
    ]
    assert found == []


def test_a_module_says_what_it_is_in_eight_words() -> None:
    first = {
        path: (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        for path in sources()
    }
    assert {str(path.relative_to(ROOT)): line for path, line in first.items() if len(line.split()) > 8} == {}
    assert [path for path, line in first.items() if not line] == []


def test_a_synonym_in_a_message_is_noticed() -> None:
    source = """
raise ValueError(
    f"{count} "
    "items are too many: pass fewer"
)
warnings.warn("the chain is long", stacklevel=2)
raise
"""
    assert [(line, len(faults(text))) for line, text in messages(source)] == [(2, 1), (6, 1)]


def test_a_function_says_what_it_does() -> None:
    """One dialect: "Return …", not "Returns …"."""
    wrong = re.compile(
        r"(Returns|Yields|Gives|Makes|Takes|Runs|Reports|Computes|Adds|Checks|Gets|Applies|Give|Tell) "
    )
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for room in ("seedsafe", "adapters", "tools")
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and wrong.match(ast.get_docstring(node) or "")
    ]
    assert found == []


def test_a_synonym_is_noticed() -> None:
    assert len(faults("Two ids may\nmeet, and an augmenter is one.")) == 2
    assert len(faults("Every Item of a chain")) == 2
    assert (
        faults("`chain = item`\n\n```python\nitem\n```\n\n>>> item\nitem\n\n[x](item.md) chained to it") == []
    )
