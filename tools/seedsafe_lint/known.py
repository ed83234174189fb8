"""What the linter knows about libraries."""

import re
from collections.abc import Iterable

from seedsafe_lint.tables import patterns

__all__ = [
    "ENTROPY",
    "FACTS",
    "IMGAUG",
    "INITIAL",
    "NUMPY",
    "OPENCV",
    "PYTHON",
    "RESTORERS",
    "SAVERS",
    "canonical",
    "draws_globally",
    "framework_of",
    "framework_of_all",
    "imports",
    "is_numpy_draw",
    "is_python_draw",
    "kind_of_base",
    "words",
]

FACTS = patterns("known")


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


NUMPY, PYTHON, OPENCV, IMGAUG = "numpy", "python", "cv2", "imgaug"
INITIAL = "torch.initial_seed()"
ENTROPY = "os.urandom()"

"""The process-wide generators."""


SAVERS = {"numpy.random.get_state": NUMPY, "random.getstate": PYTHON}

RESTORERS = {"numpy.random.set_state": NUMPY, "random.setstate": PYTHON}


def guess(name: str) -> str:
    """Return the dotted name that an unresolved name most likely stands for, after a star import."""
    found: str = FACTS.ROOTS.get(name, f"?.{name}")
    return found


def canonical(name: str) -> str:
    """Return the usual spelling of a library's name.

    Example:
        >>> canonical("numpy.random.mtrand._rand.rand")
        'numpy.random.rand'
    """
    if name.startswith("numpy.random.mtrand"):
        return name.replace(".mtrand._rand", "", 1).replace(".mtrand", "", 1)
    if name.startswith("scipy.random"):
        return "numpy" + name[5:]
    if name.startswith("cv2.cv2."):
        return "cv2" + name[7:]
    return name


def is_numpy_draw(name: str) -> bool:
    """Return whether a call draws from NumPy's global generator."""
    head, _, tail = name.rpartition(".")
    lower = tail[:1].islower() and "(" not in tail and "[" not in tail
    return head == "numpy.random" and lower and tail not in FACTS.NUMPY_QUIET


def is_python_draw(name: str) -> bool:
    """Return whether a call draws from Python's global generator."""
    head, _, tail = name.rpartition(".")
    return head == "random" and tail in FACTS.PYTHON_DRAWS


def draws_globally(name: str) -> bool:
    """Return whether a call draws from a global generator of NumPy or Python."""
    return is_numpy_draw(name) or is_python_draw(name)


def is_imgaug_draw(name: str) -> bool:
    """Return whether a call runs an imgaug transform."""
    return name.startswith("imgaug.") and "()" in name and bool(FACTS.IMGAUG.match(name))


_KINDS = {kind: re.compile(pattern) for kind, pattern in FACTS.KINDS.items()}


def kind_of_base(name: str) -> str:
    """Return the kind of the classes that derive from a base, or an empty string. ``main`` runs in the main process.

    Example:
        >>> kind_of_base("torch.utils.data.IterableDataset"), kind_of_base("keras.utils.Sequence")
        ('iterable', 'keras')
    """
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(name)), "")


def framework_of(name: str) -> str:
    """Return the framework that a dotted name belongs to, such as ``torch`` or ``keras``, or an empty string."""
    head = name.partition(".")[0]
    if head in ("keras", "tensorflow", "tf_keras", "keras_preprocessing") or ".keras." in name:
        return "keras"
    if head in FACTS.ON_TORCH:
        return "torch"
    return head if head in FACTS.OTHERS else ""


def imports(text: str) -> frozenset[str]:
    """Return the dotted names of the modules that a file imports.

    Example:
        >>> sorted(imports("import numpy as np, webdataset as wds\\nfrom a.b import c"))
        ['a.b', 'numpy', 'webdataset']
    """
    found = FACTS.IMPORT.findall(text)
    several = [part.split() for _, names in found for part in names.split(",")]
    return frozenset([name for name, _ in found if name] + [words[0] for words in several if words])


def framework_of_all(names: Iterable[str]) -> str:
    """Return the framework of some dotted names: torch if there are several, empty if none.

    Example:
        >>> framework_of_all(["numpy", "torch.utils.data", "keras"])
        'torch'
    """
    result = set(map(framework_of, names)) - {""}
    return next((name for name in ("torch", "keras") if name in result), min(result, default=""))
