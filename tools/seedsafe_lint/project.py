"""Find and load the files that imports name."""

import contextlib
import re
from functools import cached_property
from pathlib import Path

from seedsafe_lint.index import Class, Module
from seedsafe_lint.known import framework_of_all, imports
from seedsafe_lint.source import UnreadableError, line_numbers, offsets_of, parse, read
from seedsafe_lint.tables import patterns

__all__ = ["Project"]

_RE = patterns("project")
_LOADER = patterns("paste").LOADER

_NEIGHBOURS = 100  # files of a folder to search for a framework
_MOST = 8_000_000  # characters; their trees take about 300 MiB


class Project:
    """Loads modules by path or by import, each once.

    Example:
        >>> Project([]).find("utils.augment", "train.py") is None
        True
    """

    def __init__(self, paths: list[Path]) -> None:
        self.single = len(paths) < 2
        self._by_name: dict[str, list[Path]] = {}
        for path in (path for path in paths if path.suffix != ".ipynb"):
            name = path.parent.name if path.name == "__init__.py" else path.stem
            self._by_name.setdefault(name, []).append(path)
        self._loaded: dict[Path, Module | None] = {}
        self._found: dict[tuple[str, str, int], Module | None] = {}
        self.paths = paths
        self._used: dict[Class, bool] = {}
        self._loading: dict[Class, list[str]] = {}
        self._matched: dict[re.Pattern[str], list[Path]] = {}
        self._size = 0
        self._frameworks: dict[Path, str] = {}
        self.runs: dict[object, object] = {}
        """The runs that `seedsafe_lint.context` remembers for the functions of these modules."""

    def load(self, path: Path) -> Module:
        """Return the module of a file, or raise UnreadableError."""
        module = self._loaded.get(path)
        if module is None:
            text = read(path)
            module = self._loaded[path] = Module(str(path), text, parse(text, str(path)))
            self._size += len(text)
        return module

    def loaded(self) -> list[Module]:
        """Return the modules that have been read."""
        return [module for module in self._loaded.values() if module]

    def framework(self, module: Module) -> str:
        """Return the framework that a file imports, or else the other files of its folder or package."""
        if module.framework or not Path(module.path).is_file():
            return module.framework
        folder = Path(module.path).absolute().parent
        while not (result := self._framework_in(folder)) and (folder / "__init__.py").is_file():
            folder = folder.parent
        return result

    def _framework_in(self, folder: Path) -> str:
        if folder not in self._frameworks:
            found = set()
            for path in sorted(folder.glob("*.py"))[:_NEIGHBOURS]:
                with contextlib.suppress(UnreadableError):
                    found.add(framework_of_all(imports(read(path))))
            self._frameworks[folder] = "torch" if "torch" in found else min(found - {""}, default="")
        return self._frameworks[folder]

    def used(self, cls: Class) -> bool:
        """Return whether a file names a class outside imports, or a decorator registers it."""
        if self.single or cls.node.decorator_list or self._by_unknown_names:
            return True
        if cls not in self._used:
            word = re.compile(
                rf"(?!\s*(?:from|import|class {cls.name}|#|[('\"]*{cls.name}['\",)]*$)).*\b{cls.name}\b"
            )
            texts = self.texts.items()
            self._used[cls] = any(cls.name in text and self._names(path, cls, word) for path, text in texts)
        return self._used[cls]

    def loading(self, cls: Class | None, path: str) -> tuple[str, ...]:
        """Return the other files that name a class or, if there are none, import its file, and make loaders."""
        if self.single or cls is None:
            return ()
        if cls not in self._loading:
            stem = Path(cls.module.path).stem
            imports = re.compile(rf"\b{stem}\b.*\bimport\b|\bimport\b.*\b{stem}\b")
            near = filter(lambda at: imports.search(self.texts[at]), self.naming(stem, _LOADER))
            self._loading[cls] = [str(at) for at in self.naming(cls.name, _LOADER) or near]
        return tuple(at for at in self._loading[cls] if at != path)[:4]

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern matches in a file of the project."""
        return bool(self._matching(pattern))

    def _matching(self, pattern: re.Pattern[str]) -> list[Path]:
        if pattern not in self._matched:
            self._matched[pattern] = [path for path, text in self.texts.items() if pattern.search(text)]
        return self._matched[pattern]

    def naming(self, word: str, pattern: re.Pattern[str] | None = None) -> list[Path]:
        """Return the files with a word, in which a pattern, the same for many words, matches as well."""
        return [
            path for path in (self._matching(pattern) if pattern else self.texts) if word in self.texts[path]
        ]

    @cached_property
    def _by_unknown_names(self) -> bool:
        """Whether a file builds objects by names that only the run knows, so that any class may be used."""
        return self.mentions(_RE.BY_NAME) or any(map(self._looks_up, self.texts.values()))

    def _looks_up(self, text: str) -> bool:
        """Return whether a file takes an attribute with a computed name from a module of the project."""
        for head in set(_RE.GETATTR.findall(text)):
            name = re.escape(head.partition(".")[0])
            source = re.search(
                rf"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import\b[^\n]*\b{name}\b", text, re.MULTILINE
            )
            parts = set(f"{source[1] or head}.{name}".split(".")) if source else set()
            if source and ("" in parts or (parts & self._by_name.keys() and not parts & _RE.NEVER_LOCAL)):
                return True
        return False

    def _names(self, path: Path, cls: Class, word: re.Pattern[str]) -> bool:
        text, own = self.texts[path], str(path) == cls.module.path
        inside = range(cls.node.lineno, (cls.node.end_lineno or 0) + 1) if own else ()
        lines, named = text.split("\n"), line_numbers(text, offsets_of(cls.name, text))
        if any(at not in inside and word.match(lines[at - 1]) for at in named):
            return True
        aliases = [] if own else re.findall(rf"\b{cls.name} as (\w+)", text)
        return any(len(re.findall(rf"\b{a}\b", text)) > 1 for a in aliases)

    @cached_property
    def texts(self) -> dict[Path, str]:
        """The texts of the files that can be read."""
        result = {}
        for path in self.paths:
            with contextlib.suppress(UnreadableError):
                result[path] = read(path)
        return result

    def trim(self) -> bool:
        """Forget all modules if they have grown large, and return whether they had. Call it between two files only."""
        if self._size <= _MOST:
            return False
        self.clear()
        return True

    def clear(self) -> None:
        """Forget all modules, and free their trees at once."""
        for module in self._loaded.values():
            if module:
                module.close()
        self._loaded.clear()
        self._found.clear()
        self.runs.clear()
        self._used.clear()
        self._loading.clear()
        self._size = 0

    def find(self, name: str, importer: str, level: int = 0) -> Module | None:
        """Return the file that an import of `importer` names (after `level` dots), or None."""
        key = (name, importer, level)
        if key not in self._found:
            self._found[key] = self._search(name, Path(importer).parent, level)
        return self._found[key]

    def _search(self, name: str, home: Path, level: int) -> Module | None:
        parts = [part for part in name.split(".") if part]
        if level:
            for _ in range(level - 1):
                home = home.parent
            return self._at(home.joinpath(*parts))
        if not parts or (parts[0] in _RE.NEVER_LOCAL) or (len(parts) == 1 and parts[0] in _RE.STANDARD):
            return None
        if parts[-1] not in self._by_name:
            return None
        near = [home, *home.parents]
        for folder in near:
            if result := self._at(folder.joinpath(*parts)):
                return result
        if len(parts) > 1:
            for path in self._by_name[parts[-1]]:
                stem = path.parent if path.name == "__init__.py" else path.with_suffix("")
                if stem.parts[-len(parts) :] == tuple(parts):
                    return self.readable(path)
        return None

    def _at(self, stem: Path) -> Module | None:
        for path in self._by_name.get(stem.name, ()):
            if path in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
                return self.readable(path)
        return None

    def readable(self, path: Path) -> Module | None:
        """Return the module of a file, or None if it cannot be read."""
        if path not in self._loaded:
            try:
                return self.load(path)
            except UnreadableError:
                self._loaded[path] = None
        return self._loaded[path]
