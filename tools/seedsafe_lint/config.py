"""Settings from pyproject.toml and the command line."""

import fnmatch
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seedsafe_lint.findings import SEVERITIES, Severity
from seedsafe_lint.rules import RETIRED, RULES, current

__all__ = ["Config", "ConfigError", "codes_of", "load"]


class ConfigError(ValueError):
    """An unusable setting. The message names it and the way out."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one run.

    Args:
        select: Codes, prefixes of codes, or ``ALL``. None selects the rules that are on by default.
        extend_select: Rules to check as well, in the same form.
        ignore: Rules to leave out, in the same form.
        exclude: Glob patterns of paths to leave out, besides hidden folders and those of environments and caches.
        per_file: Rules to leave out, by glob pattern of the path.
        torch: Version of torch to judge for. Below 1.9, NumPy's global generator repeats in workers.
        min_severity: Report nothing milder than this: ``error``, ``warning`` or ``note``.
        strict: Fail on any finding, not only on errors.
        baseline: A file of known findings, relative to `root`, which are not reported.
        root: The folder that patterns are relative to.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file: dict[str, tuple[str, ...]] = field(default_factory=dict)
    torch: str = ""
    min_severity: Severity = "note"
    strict: bool = False
    baseline: str = ""
    root: Path = field(default_factory=Path.cwd)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the selected rules."""
        default = {code for code, rule in RULES.items() if rule.default}
        chosen = default if self.select is None else codes_of(self.select, "select")
        more = codes_of(self.extend_select, "extend-select")
        return frozenset((chosen | more) - codes_of(self.ignore, "ignore"))

    @property
    def old_torch(self) -> bool:
        """Whether the version of torch is below 1.9."""
        if not self.torch:
            return False
        try:
            major, _, minor = self.torch.partition(".")
            return (int(major), int(minor.partition(".")[0] or 0)) < (1, 9)
        except ValueError as error:
            raise ConfigError(f'torch-version must be a version such as "2.4", got {self.torch!r}') from error

    def ignored_in(self, path: str) -> set[str]:
        """Return the codes that are ignored in a file."""
        given = [codes for pattern, codes in self.per_file.items() if self.matches(path, pattern)]
        return {code for codes in given for code in codes_of(codes, "per-file-ignores")}

    @property
    def named(self) -> frozenset[str]:
        """The codes and prefixes that the settings name."""
        chosen = frozenset(self.select or ())
        return chosen.union(self.extend_select, self.ignore, *self.per_file.values())

    def excluded(self, path: str) -> bool:
        """Return whether a path is left out."""
        return any(self.matches(path, pattern) for pattern in self.exclude)

    def matches(self, path: str, pattern: str) -> bool:
        """Return whether a path, or a folder above it, matches a glob pattern."""
        absolute = Path(path).absolute()
        relative = absolute.relative_to(self.root) if absolute.is_relative_to(self.root) else absolute
        pattern = pattern.rstrip("/")
        for part in (relative, *relative.parents):
            if fnmatch.fnmatch(part.as_posix(), pattern) or fnmatch.fnmatch(part.name, pattern):
                return True
        return False


def codes_of(prefixes: Iterable[str], setting: str) -> set[str]:
    """Return the codes that begin with one of the prefixes (or ``ALL``) of a setting, or raise ConfigError if no rule does.

    Example:
        >>> sorted(codes_of(["SSF01"], "select"))[:2]
        ['SSF010', 'SSF013']
    """
    result: set[str] = set()
    for prefix in prefixes:
        codes = (
            set(RULES) if prefix == "ALL" else {code for code in RULES if prefix and code.startswith(prefix)}
        )
        if prefix in RETIRED:
            codes = {current(prefix)} - {""}
        elif not codes:
            raise ConfigError(
                f"{setting} got {prefix!r}, which is not a rule: pass {min(RULES)} to {max(RULES)}, a prefix, or ALL"
            )
        result |= codes
    return result


def load(start: Path, explicit: Path | None = None) -> Config:
    """Return the settings of the nearest pyproject.toml from `start` upwards, or of an explicit file.

    Raises:
        ConfigError: The file cannot be read, or a setting is unknown or has the wrong type.
    """
    if explicit is not None:
        return _read(explicit, required=True)
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _read(file)
    return Config(root=start)


def _read(file: Path, *, required: bool = False) -> Config:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from error
    table = document.get("tool", {}).get("seedsafe", {}).get("lint", {})
    config = Config(root=file.parent.absolute())
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigError(
                f"{file}: [tool.seedsafe.lint] has no setting {key!r}: use one of {', '.join(_KEYS)}"
            )
        kind, fits = _KEYS[key]
        if not fits(value):
            raise ConfigError(f"{file}: {key} must be {kind}, got {value!r}")
        name = _FIELDS.get(key, key.replace("-", "_"))
        config = replace(config, **{name: tuple(value) if isinstance(value, list) else value})  # type: ignore[arg-type]
    return config


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_STRINGS = "a list of strings", _is_strings
_STRING = "a string", lambda value: isinstance(value, str)
_KEYS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "select": _STRINGS,
    "extend-select": _STRINGS,
    "ignore": _STRINGS,
    "exclude": _STRINGS,
    "per-file-ignores": (
        "a table of lists",
        lambda value: isinstance(value, dict) and all(map(_is_strings, value.values())),
    ),
    "torch-version": _STRING,
    "min-severity": (f"one of {', '.join(SEVERITIES)}", lambda value: value in SEVERITIES),
    "strict": ("true or false", lambda value: isinstance(value, bool)),
    "baseline": _STRING,
}
# the others have the names of their settings
_FIELDS = {"per-file-ignores": "per_file", "torch-version": "torch"}
