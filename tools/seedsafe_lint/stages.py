"""Libraries that run the functions of a file."""

import ast
import re

from seedsafe_lint.index import Module
from seedsafe_lint.known import words
from seedsafe_lint.root import TRACED
from seedsafe_lint.syntax import dotted

__all__ = ["STAGES", "framework_of_stage", "stages_of"]

_TASKS = words("imap imap_unordered starmap map_async starmap_async apply_async submit delayed")
_OF = {  # the calls of each kind of library
    "torch": words("map map_dict map_tuple compose"),
    "datasets": words("map"),
    TRACED: words("map flat_map interleave numpy_function py_function py_func"),
    "pool": _TASKS | words("map map_batches flat_map random_map"),
}
_IMPORTED = {
    "torch": re.compile(r"(webdataset|torchdata|torch\.utils\.data\.datapipes)\b"),
    "datasets": re.compile(r"datasets\b"),
    TRACED: re.compile(r"(tensorflow|tf_keras)\b"),
    "pool": re.compile(
        r"(grain|ray|joblib|dask|multiprocess\w*|concurrent\.futures|pathos|mpire|sklearn\.utils)\b"
    ),
}
STAGES = re.compile(rf"\b({'|'.join(sorted(frozenset().union(*_OF.values())))})\(")
_POOL = re.compile(r"(^|[._])(pool|executor|workers|client|p|ex)$", re.IGNORECASE)
_THREADS = re.compile(r"\bThreadPool(Executor)?\(|multiprocessing\.dummy|threading[\"']|prefer=[\"']threads")
_PARALLEL = re.compile(r"^\d+$|(AUTOTUNE|calls|parallel|jobs|workers)$", re.IGNORECASE)
_TF_WORDS = words(
    "num_parallel_calls deterministic name map_func func inp Tout stateful cycle_length block_length"
)


def stages_of(module: Module) -> frozenset[str]:
    """Return the kinds of libraries that a file imports."""
    if not STAGES.search(module.text):
        return frozenset()
    found = {kind for kind, pattern in _IMPORTED.items() if any(map(pattern.match, module.imports))}
    found |= {"datasets"} if "num_proc" in module.text else set()
    return frozenset(found - ({"pool"} if _THREADS.search(module.text) else set()))


def framework_of_stage(node: ast.Call, name: str, kinds: frozenset[str]) -> str | None:
    """Return the framework of the functions among a call's arguments, as in `Root`, or None if the call runs none in workers."""
    given = {word.arg for word in node.keywords}
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    called = {kind for kind in kinds if name in _OF[kind]}
    if "datasets" in called and "num_proc" in given:
        return ""
    if name == "map" and (owner is None or isinstance(owner, ast.Subscript)):
        return None  # the built-in function, or a column of a table
    if "pool" in called and (
        name in _TASKS
        or name != "map"
        or (owner and _POOL.search(dotted(owner)))
        or not called & {TRACED, "datasets"}
    ):
        return "pool"
    if "datasets" in called and "num_parallel_calls" not in given:
        return None
    if TRACED in called and given <= _TF_WORDS:
        if name.endswith(("function", "func")):
            return "tf.data"
        parallel = len(node.args) == 2 and _PARALLEL.search(ast.unparse(node.args[1]))
        return TRACED if len(node.args) < 2 or parallel or name == "interleave" else None
    return "torch" if "torch" in called and owner is not None else None
