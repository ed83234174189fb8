"""The playground with Pyodide, in a real browser: SEEDSAFE_PYODIDE names a folder with its files (docs/_ext/in_browser.py).

npm's package has all but NumPy's wheel. Without the folder, files that are not Pyodide's are refused, and the rest is skipped; without
NumPy in it, the contract in plain Python is compared with the golden files, and what needs the library is skipped.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import in_pyodide
import pipelines_from_the_page
import pytest
from conftest import ROOT, SITE
from playwright.sync_api import Page, Route
from programs import python

sys.path += [str(ROOT / "docs" / "_ext"), str(ROOT / "docs" / "_static")]

import seedsafe as ss

pytestmark = [pytest.mark.site, pytest.mark.timeout(600)]

FOLDER = os.environ.get("SEEDSAFE_PYODIDE", "")
NUMPY = sorted(Path(FOLDER).glob("numpy-*.whl")) if FOLDER else []
TESTS = ROOT / "tests"
LOAD = """async () => {
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", location.href));
  globalThis.python = await loadPyodide({ indexURL: new URL("pyodide/", location.href).href });
}"""
WRITE = """([name, data]) => {
  const { FS } = globalThis.python ?? globalThis.seedsafe.python;
  FS.mkdirTree(name.slice(0, name.lastIndexOf("/")));
  FS.writeFile(name, Uint8Array.from(atob(data), (one) => one.charCodeAt(0)));
}"""
PIPELINE = "ss.Compose([ss.RandomCrop(180), ss.HorizontalFlip(), ss.CoarseDropout(count=(1, 4), height=(20, 50), width=(20, 50))])"


def serve(page: Page, files: Path | None, wheel: Path | None = None) -> None:
    """Let the playground find Pyodide and the wheel; without files, something else lies at their places."""
    text = (SITE / "playground.html").read_text(encoding="utf-8")
    text = text.replace('"pyodide": ""', '"pyodide": "pyodide/"').replace(
        '"wheel": ""', '"wheel": "wheel/it.whl"'
    )
    page.route("**/playground.html", lambda route: route.fulfill(body=text, content_type="text/html"))

    def answer(route: Route) -> None:
        name = unquote(urlsplit(route.request.url).path).rpartition("/")[2]
        path = wheel if name == "it.whl" else files / name if files else None
        if files is None:
            route.fulfill(body="something else")
        elif path is None or not path.exists():
            route.fulfill(status=404)
        else:
            kind = {"mjs": "text/javascript", "wasm": "application/wasm", "json": "application/json"}
            route.fulfill(
                body=path.read_bytes(), content_type=kind.get(name.rpartition(".")[2], "application/zip")
            )

    page.route("**/pyodide/**", answer)
    page.route("**/wheel/**", answer)


def write(page: Page, folder: str, *paths: Path, base: Path = TESTS) -> None:
    """Write files, by default of the tests, into Pyodide's memory."""
    for path in paths:
        data = base64.b64encode(path.read_bytes()).decode()
        page.evaluate(WRITE, [f"{folder}/{path.relative_to(base).as_posix()}", data])


@pytest.fixture
def pyodide(page: Page, address: str) -> Page:
    if not FOLDER:
        pytest.skip("SEEDSAFE_PYODIDE names no folder")
    serve(page, Path(FOLDER))
    page.goto(address + "playground.html")
    return page


def test_another_file_than_pyodides_is_refused(page: Page, address: str, errors: list[str]) -> None:
    serve(page, None)
    page.goto(address + "playground.html")
    page.get_by_role("button", name="Run it here").click()
    page.wait_for_selector("#playground-here .error")
    assert "is another file than Pyodide" in page.locator("[role=status]").inner_text()
    assert errors
    assert all("integrity" in one for one in errors)
    errors.clear()


def test_the_contract_in_plain_python(pyodide: Page) -> None:
    pyodide.evaluate(LOAD)
    names = (
        "contract_from_the_page.py",
        "words_from_the_page.py",
        "pipelines_from_the_page.py",
        "site/in_pyodide.py",
    )
    write(pyodide, "/tests", *(TESTS / name for name in names))
    write(pyodide, "", pipelines_from_the_page.ANSWERS, pipelines_from_the_page.PAGE, base=ROOT)
    code = "import sys; sys.path += ['/tests', '/tests/site']; import in_pyodide, platform; [platform.machine(), *in_pyodide.from_the_page()]"
    machine, number, wrong = pyodide.evaluate("(code) => globalThis.python.runPython(code).toJs()", code)
    assert machine == "wasm32"
    assert number > 100
    assert list(wrong) == []


@pytest.fixture
def playground(pyodide: Page, address: str, tmp_path: Path) -> Page:
    """The playground with the wheel, loaded by a click."""
    if not NUMPY:
        pytest.skip(f"{FOLDER} has no wheel of NumPy")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    serve(pyodide, Path(FOLDER), next(tmp_path.glob("*.whl")))
    pyodide.goto(f"{address}?again")
    pyodide.goto(f"{address}playground.html#pipeline={quote(PIPELINE)}&seed=42&epoch=3&index=7&view=0")
    pyodide.get_by_role("button", name="Run it here").click()
    pyodide.wait_for_selector("#playground-here .after[data-made]", timeout=120_000)
    return pyodide


def test_the_playground_draws_what_the_library_draws(playground: Page) -> None:
    shown = playground.locator("#playground-here .params").inner_text().splitlines()
    drawn = eval(PIPELINE, {"ss": ss}).params(ss.SampleKey(42, 3, 7), (240, 240, 3))
    assert shown == [f"{name}: {'did not fire' if params is None else params}" for name, params in drawn]
    playground.locator("[name=pipeline]").fill("ss.Rotate(30)")
    assert "needs OpenCV" in playground.locator("[role=status]").inner_text()


def test_the_wheel_makes_the_golden_values(playground: Page) -> None:
    files = [
        *(TESTS / "cases").glob("*.py"),
        *(TESTS / "golden").glob("*.json"),
        *(TESTS / "sounds").rglob("*.wav"),
    ]
    write(
        playground,
        "/tests",
        *files,
        TESTS / "known.py",
        TESTS / "pixels_known.py",
        TESTS / "site" / "in_pyodide.py",
    )
    code = "import sys; sys.path += ['/tests', '/tests/site']; import in_pyodide; in_pyodide.from_the_wheel()"
    made: dict[str, Any] = playground.evaluate(
        "(code) => globalThis.seedsafe.python.runPython(code).toJs({ dict_converter: Object.fromEntries })",
        code,
    )
    assert made["wrong"] == []
    assert made == native()


def native() -> dict[str, Any]:
    """Return the same of this very Python, in a process of its own: there, too, OpenCV is made to be absent."""
    import json

    code = "import json, in_pyodide; print(json.dumps(in_pyodide.from_the_wheel()))"
    paths = os.pathsep.join(map(str, (ROOT, TESTS, TESTS / "site")))
    done = python("-c", code, env={**os.environ, "PYTHONPATH": paths})
    return dict(json.loads(done.stdout))


def test_what_is_compared_there_holds_here() -> None:
    assert in_pyodide.from_the_page()[1] == []
    made = native()
    assert made["wrong"] == []
    assert made["decisions"] > 140
    assert made["pixels"] > 40
