"""What a build adds: README and kernels."""

from __future__ import annotations

import os
import runpy
import shlex
import shutil
import subprocess
import sysconfig
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["KernelsHook", "ReadmeHook", "compiled"]

ROOM = Path("seedsafe", "kernels")


class ReadmeHook(MetadataHookInterface):
    """Gives the project its README, whose links are absolute, so that a package index shows none dead.

    They begin with ``base`` of ``[tool.hatch.metadata.hooks.custom]``, the address at which the repository's files are shown; while
    that is empty they stay relative.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        root = Path(self.root)
        absolute = runpy.run_path(str(root / "scripts" / "readme_links.py"))["absolute"]
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, self.config.get("base", "")),
        }


class KernelsHook(BuildHookInterface[Any]):
    """Compiles the kernels, if there is a compiler. The wheel is then one of this platform, for every Python 3; else it is pure."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, in the source tree, and add the library to the wheel."""
        if self.target_name != "wheel":
            return
        try:
            library = compiled(Path(self.root))
        except Exception as error:  # noqa: BLE001  # whatever a compiler or its absence raises: the pure wheel has the same bytes
            self.app.display_warning(
                f"seedsafe's kernels are not compiled, so antialias=True will be slower: {error}"
            )
            return
        if version != "editable":
            both = (library, library.with_suffix(".digest"))
            build_data["artifacts"] += [path.relative_to(self.root).as_posix() for path in both]
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"


def compiled(root: Path) -> Path:
    """Compile the kernels into the source tree, with a digest by which half a library is known, and return the library's path."""
    if os.environ.get("SEEDSAFE_KERNELS") == "0":
        raise OSError("SEEDSAFE_KERNELS is 0")
    compiler = _compiler()
    # Relative names, so that the library is the same wherever it is compiled.
    sources, target = (
        [path.relative_to(root).as_posix() for path in sorted((root / ROOM).glob("*.c"))],
        root / ROOM / "kernels.library",
    )
    new = target.with_suffix(f".{os.getpid()}")  # on the target's disk: it is moved when it is whole
    # Products and sums are rounded one by one, as the arithmetic is defined; joined ones would be other bits.
    if is_cl := Path(compiler[0]).stem.lower() == "cl":
        options = ["/nologo", "/O2", "/fp:precise", "/LD", *sources, f"/Fe:{new}"]
    else:
        options = [
            "-std=c11",
            "-O3",
            "-ffp-contract=off",
            "-fno-trapping-math",
            "-fvisibility=hidden",
            "-shared",
        ]
        options += [*sources, "-o", str(new), *([] if os.name == "nt" else ["-fPIC", "-lm"])]
    # Where libjpeg-turbo is, if not where the compiler looks; without it, JPEGs are decoded whole. macOS's processor is in ARCHFLAGS.
    before, after = (
        shlex.split(" ".join(os.environ.get(name, "") for name in names))
        for names in (("ARCHFLAGS", "CFLAGS"), ("LDFLAGS",))
    )
    jpeg = ["/DSEEDSAFE_JPEG", "jpeg-static.lib"] if is_cl else ["-DSEEDSAFE_JPEG", "-ljpeg"]
    for last in (jpeg, []):
        command = [
            compiler[0],
            *compiler[1:],
            *before,
            *options,
            *last,
            *(("/link",) if is_cl and after else ()),
            *after,
        ]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if not done.returncode:
            break
    else:
        raise OSError(f"{compiler[0]} failed: {(done.stderr or done.stdout).strip()}")
    digest = blake2b(new.read_bytes()).digest()
    new.replace(target)
    target.with_suffix(".digest").write_bytes(digest)
    return target


def _compiler() -> list[str]:
    """Return the command of a C compiler."""
    if named := os.environ.get("CC"):
        return shlex.split(named)
    for name in ("cl", "clang", "gcc") if os.name == "nt" else ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    raise OSError("no C compiler was found")


if __name__ == "__main__":
    print(compiled(Path(__file__).resolve().parent))
