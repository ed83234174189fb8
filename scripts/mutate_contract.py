"""Change one token at a time of the second implementation, and list the changes that no known answer notices: make mutants.

Each change is a wrong implementation of the contract. Those that live have a reason in REASONS, or are an error, as is more than LIMIT of them.
``python scripts/mutate_contract.py [part of a function's name]`` tries only some.
"""

from __future__ import annotations

import ast
import io
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

import pipelines_from_the_page as page

FILES = ("contract_from_the_page", "words_from_the_page")
LIMIT = 0.03
MEMORY = 8 * 2**30
SLOWER = 4
"""How many times as long a changed implementation may take, and that many seconds more: one that takes longer never ends."""

SWAPS = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "/",
    "%": "//",
    "**": "*",
    "<<": ">>",
    ">>": "<<",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "^": "|",
    "|": "&",
    "&": "|",
    "min": "max",
    "max": "min",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "floor": "ceil",
    "ceil": "floor",
    "round": "int",
    "int": "round",
    "rows": "columns",
    "columns": "rows",
    "height": "width",
    "width": "height",
    "not": "",
    "+=": "-=",
    "-=": "+=",
}

REASONS: dict[str, dict[str, tuple[str, ...]]] = {
    "a word, a piece or a column more is of no use": {
        "bbox_safe_crop.draw": ("units = [words.unit() for _ in range(5)]",),
        "pieces": ("while len(found) <= n:",),
        "addressed": ("return permuted([words.word() for _ in range(17)], n, position)",),
        "position_of": ("return permuted([words.word() for _ in range(17)], n, sample, range(7, -1, -1))",),
        "mixture": (
            "return steps[-1], permuted([words.word() for _ in range(17)], lengths[steps[-1]], position)",
        ),
        "module": (
            '"Solarize": ((255.0, 0.0),) * 4,',
            "ZEROS = ((0.0, 0.0),) * 4",
        ),
        "grid_shuffle.draw": ("order = [1] * len(tiles)",),
        "one_of_them": ("return how[words.integer(len(how))] if len(how) >= 1 else how[0]",),
    },
    "beyond the digits that a result keeps": {
        "module": (
            "SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(9, -1, -1)]",
            "EXP = [1.0 / math.factorial(k) for k in range(15, -1, -1)]",
            "ATANH = [1.0 / (2 * k + 1) for k in range(12, -1, -1)]",
        ),
        "noise_value": (
            "context.prec = 61",
            "for _ in range(3):  # Newton's method doubles the 15 digits",
            'while term >= Decimal("1e-60"):',
        ),
        "moved": (
            "width = max(math.ceil(max(across) - min(across) - 1.5e-06), 1)",
            "height = max(math.ceil(max(down) - min(down) - 1.5e-06), 1)",
        ),
        "rotate.draw": (
            "if short <= 2.0 * sin * cos * long or abs(sin - cos) < 1.5e-10:",
            "height, width = min(max(int(high_ + 1.5e-06), 1), rows), min(max(int(wide + 1e-6), 1), columns)",
            "height, width = min(max(int(high_ + 1e-6), 1), rows), min(max(int(wide + 1.5e-06), 1), columns)",
        ),
        "perspective.draw": ("depth = max(g * x + h * y + i, 1.5e-06 * abs(i))",),
        "beta": ("return 1.0 / (1.0 + exponential(min(max(other - one, -1050.0), 700.0)))",),
    },
    "no number that is drawn reaches the limit": {
        "auto_augment.draw": ("if share < p",),
        "weighted": ("last = min(number for number, weight in enumerate(left) if weight > 0)",),
        "by_weight.choose": (
            "return [below[0] if below else min(k for k, weight in enumerate(weights) if weight)]",
        ),
        "bell_quantile": (
            "if -0.425 <= centred < 0.425:",
            "(over, under), x = (MIDDLE, depth - 1.6) if depth < 5.0 else (TAIL, depth - 5.0)",
        ),
        "log_gamma": (
            "accepted, last = None, 1.0",
            "if root >= 0.0:",
            "if accepted is None and logarithm(unit) <= bound:",
        ),
        "mixed": ("fires, second = words.chance(p), words.unit() > 0.5",),
        "rotate.draw": (
            "if short <= 2.0 * sin * cos * long or abs(sin - cos) <= 1e-10:",
            "if short <= 2.0 * sin * cos * long or abs(sin + cos) < 1e-10:",
        ),
        "bbox_safe_crop.draw": (
            "left, top = min(int(x0 * units[0]), columns + 1), min(int(y0 * units[1]), rows - 1)",
            "left, top = min(int(x0 * units[0]), columns - 1), min(int(y0 * units[1]), rows + 1)",
        ),
    },
    "at the limit both ways give the same": {
        "weighted": ("last = max(number for number, weight in enumerate(left) if weight >= 0)",),
        "bell_quantile": (
            "depth = math.sqrt(-logarithm(share if centred <= 0 else 1.0 - share))",
            "return -size if centred <= 0 else size",
        ),
        "cos_sin": (
            "return [(cos, sin + 0.0), (0.0 - sin, cos), (0.0 - cos, 0.0 - sin), (sin - 0.0, 0.0 - cos)][turns % 4]",
        ),
        "random_resized_crop.draw": (
            "if columns <= ratio[0] * rows:",
            "if columns < ratio[1] * rows:",
            "elif columns >= ratio[1] * rows:",
            "elif columns > ratio[1] / rows:",
        ),
        "shorter": (
            "if limit is not None and new_long >= limit:",
            "return [new_short, new_long] if size[0] < size[1] else [new_long, new_short]",
        ),
        "crop_and_pad.kept": ("if lacking < 0:",),
        "rotate.draw": (
            "if short < 2.0 * sin * cos * long or abs(sin - cos) < 1e-10:",
            "wide, high_ = (half / sin, half / cos) if columns > rows else (half / cos, half / sin)",
        ),
        "policy_op_std.draw": (
            "a = float(min(max(low + (steps if high >= low else -steps), 0), WHOLE[op]))",
        ),
    },
    "what stands beside it gives the same": {
        "module": ("p: float = 1.5",),
        "at_bin": ("step = f32(f32(f32(high) - f32(low)) / max(bins - 1, 2))",),
        "random_iou_crop.draw": (
            "if height < 1 or height < 1 or not ratio[0] * height <= width <= ratio[1] * height:",
            "if width < 1 and height < 1 or not ratio[0] * height <= width <= ratio[1] * height:",
            "if width < 1 or width < 1 or not ratio[0] * height <= width <= ratio[1] * height:",
        ),
        "convex": (
            "(x0, y0), (x1, y1) = corners[k - 2], corners[(k + 1) % 4]",
            "(x0, y0), (x1, y1) = corners[k - 1], corners[(k + 2) % 4]",
        ),
        "perspective.draw": (
            "depth = max(g * x + h * y + i, 1e-6 / abs(i))",
            "seen_x, seen_y = [1.0, float(width)], [0.0, float(height)]",
            "seen_x, seen_y = [0.0, float(width)], [1.0, float(height)]",
        ),
        "grid_distortion.lines": (
            "whole = found[-1] if normalized and found[+1] > 0 else float(steps)",
            "whole = found[-1] if normalized and found[-2] > 0 else float(steps)",
        ),
        "grid_dropout.draw": ("hole = [min(max(int(one * ratio), 1), one + 1) for one in cell]",),
    },
    "it is always passed, or both are of one type": {
        "affine.two": ("if isinstance(ranges[1], tuple):",),
        "random_scale.drawn": ("if not between or isinstance(sizes[1], int):",),
        "length": ("least = min(round(low), most)",),
        "temporal_sample.draw": ("step = stride[1] if clips else words.between(stride[0], stride[1])",),
    },
    "two names are never equal": {"decisions.named": ('if not one.name or one.kind != "Compose":',)},
}
"""Why changes live: by the reason the functions and their lines with the change."""

ALIVE = {
    (function, line): reason
    for reason, functions in REASONS.items()
    for function, lines in functions.items()
    for line in lines
}


class Mutant(NamedTuple):
    """A change: its file, its function and where that begins, its line with the change, and the whole changed text."""

    file: str
    function: str
    begins: int
    line: str
    text: str


def replacement(token: tokenize.TokenInfo) -> str | None:
    """Return what stands for a token in a mutant."""
    if token.type != tokenize.NUMBER:
        return SWAPS.get(token.string)
    value = ast.literal_eval(token.string)
    return repr(value + 1) if isinstance(value, int) else repr(value * 1.5 + (value == 0))


def spans(tree: ast.AST) -> tuple[list[Any], list[Any]]:
    """Return the functions of a module, and what is no part of its work: annotations, imports and lists of names."""
    functions, idle = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            functions.append(node)
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.args, *node.args.kwonlyargs]
            idle += [one.annotation for one in arguments if one.annotation] + [node.returns]
            names = [one.arg for one in arguments]
            idle += arguments if names else []
        elif isinstance(node, ast.Import | ast.ImportFrom):
            idle.append(node)
        elif isinstance(node, ast.AnnAssign):
            idle.append(node.annotation)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in (
            "__all__",
            "Size",
            "Pair",
            "Draw",
            "Box",
        ):
            idle.append(node)
    return functions, [node for node in idle if node is not None]


def inside(place: tuple[int, int], node: Any) -> bool:
    """Return whether a place is in a node."""
    return (node.lineno, node.col_offset) <= place < (node.end_lineno, node.end_col_offset)


def mutants(file: str) -> Iterator[Mutant]:
    """Yield the changes of a file of tests/."""
    text = (TESTS / f"{file}.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    functions, idle = spans(ast.parse(text))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        new = replacement(token)
        row, column = token.start
        if new is None or any(inside(token.start, node) for node in idle):
            continue
        line = lines[row - 1]
        if line[token.end[1] :].startswith("=") and line[token.end[1] + 1] != "=":
            continue  # the name of an argument
        if token.string == "*" and line[token.end[1] :].startswith(", "):
            continue  # what follows in a signature is passed by name
        if line[:column].endswith("strict="):
            continue  # a check of the implementation's own
        changed = line[:column] + new + line[token.end[1] :]
        around = [node for node in functions if inside(token.start, node)]
        inner = max(around, key=lambda node: (node.lineno, node.col_offset), default=None)
        named = [getattr(node, "name", "") for node in around]
        begins = (
            min([inner.lineno, *(one.lineno for one in getattr(inner, "decorator_list", ()))]) if inner else 0
        )
        whole = "".join([*lines[: row - 1], changed, *lines[row:]])
        try:
            compile(whole, file, "exec")
        except SyntaxError:
            continue
        yield Mutant(file, ".".join(filter(None, named)) or "module", begins, changed.strip(), whole)


ASKED = page.read(page.ANSWERS)
QUESTIONS = [(part, one) for part in ("words", "functions", "pipelines") for one in ASKED[part]]
CODES = {
    name: compile((TESTS / f"{name}.py").read_text(encoding="utf-8"), str(TESTS / f"{name}.py"), "exec")
    for name in (*FILES, "pipelines_from_the_page")
}


def loaded(codes: dict[str, CodeType]) -> Any:
    """Return pipelines_from_the_page over these modules."""
    for name, code in codes.items():
        module = ModuleType(name)
        module.__file__ = str(TESTS / f"{name}.py")
        sys.modules[name] = module
        exec(code, vars(module))  # noqa: S102
    return sys.modules["pipelines_from_the_page"]


def answered(made: Any, number: int) -> bool:
    """Return whether a question is answered as the file has it."""
    part, one = QUESTIONS[number]
    return json.dumps(made.plain(made.answer(part, one, ASKED["keys"]))) == json.dumps(one["gives"])


def callers() -> tuple[dict[tuple[str, int], list[int]], list[float]]:
    """Return which questions run each function, by its file and first line, and how long each question takes."""
    found: dict[tuple[str, int], list[int]] = {}
    took = []
    seen: set[CodeType] = set()
    made = loaded(CODES)
    for number in range(len(QUESTIONS)):
        seen.clear()
        began = time.process_time()
        sys.setprofile(lambda frame, event, _: seen.add(frame.f_code) if event == "call" else None)
        right = answered(made, number)
        sys.setprofile(None)
        took.append(time.process_time() - began)
        if not right:
            sys.exit(f"the second implementation is wrong without a change: {QUESTIONS[number]}")
        for code in seen:
            found.setdefault((Path(code.co_filename).stem, code.co_firstlineno), []).append(number)
    return found, took


def lives(job: tuple[Mutant, list[int], float]) -> tuple[Mutant, bool]:
    """Return a change, and whether all its questions are answered in spite of it, in so many seconds."""
    mutant, questions, seconds = job

    def over(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        code = compile(mutant.text, str(TESTS / f"{mutant.file}.py"), "exec")
        made = loaded(CODES | {mutant.file: code})
        return mutant, all(answered(made, number) for number in questions)
    except Exception:  # noqa: BLE001  # it raises, or never ends
        return mutant, False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def main(part: str) -> int:
    """Try all changes of functions with a part of a name, and return the exit status."""
    runs, took = callers()
    everything = list(range(len(QUESTIONS)))
    jobs = []
    for one in [one for file in FILES for one in mutants(file) if part in one.function]:
        asked = runs.get((one.file, one.begins), []) if one.begins else everything
        seconds = SLOWER * (1 + sum(took[number] for number in asked))
        jobs.append((one, sorted(asked, key=took.__getitem__), seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    alive = 0
    unknown = 0
    with multiprocessing.get_context("fork").Pool(int(os.environ.get("JOBS", "2"))) as pool:
        for one, living in pool.imap_unordered(lives, jobs, chunksize=4):
            if living:
                why = ALIVE.get((one.function, one.line))
                alive, unknown = alive + 1, unknown + (why is None)
                print(f"{one.function}: {one.line}: {why or 'no answer notices it'}", flush=True)
    print(
        f"{alive} of {len(jobs)} changes live ({alive / max(len(jobs), 1):.1%}), {unknown} without a reason"
    )
    return int(unknown > 0 or alive > LIMIT * len(jobs))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
