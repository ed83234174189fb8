"""A reference page shows what a class is for, its arguments in the order of its signature, how to use it, and the contract's words last."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from conftest import SITE, pages

pytestmark = pytest.mark.site

_ENTRY = re.compile(
    r'<dt class="sig sig-object py" id="([^"]+)">(.*?)</dt>\s*<dd>(.*?)(?=<dt class="sig sig-object py"|</section>)',
    re.DOTALL,
)
_ARGUMENTS = re.compile(
    r'<dt class="field-\w+">Parameters.*?</dt>\s*<dd class="field-\w+">(.*?)</dd>', re.DOTALL
)


def faults(shown: str) -> Iterator[str]:
    """Yield what is in the wrong order in the entries of a page."""
    for name, signature, body in _ENTRY.findall(shown):
        written = re.findall(r'<em class="sig-param">(.*?)</em>', signature, re.DOTALL)
        plain = (html.unescape(re.sub(r"<[^>]*>", "", one)) for one in written)
        order = [re.split("[=:]", one)[0].strip("* ") for one in plain]
        listed = _ARGUMENTS.search(body)
        told = re.findall(r"<strong>([^<]*)</strong>", listed[1]) if listed else []
        arguments = [one.strip("* ") for several in told for one in several.split(",")]
        if arguments != [one for one in order if one in arguments]:
            yield f"{name}: {arguments} of {order}"
        if "class" in re.sub(r"<[^>]*>", "", signature).split()[:1]:
            by_name = order[order.index("") + 1 :] if "" in order else []  # behind the star
            own = "name" in by_name[:-1]
            words, use = re.search(r"\bwords? \d", body), body.find("highlight-pycon")
            if own or (words and words.start() < use):
                yield f"{name}: its name or the words are not last"


def test_arguments_are_in_the_order_of_signatures_and_words_last() -> None:
    reference = [SITE / name for name in pages() if name.startswith("reference/")]
    assert sum(len(_ENTRY.findall(page.read_text(encoding="utf-8"))) for page in reference) > 800
    assert [one for page in reference for one in faults(page.read_text(encoding="utf-8"))] == []


def test_what_is_in_another_order_is_found() -> None:
    entry = (
        '<dt class="sig sig-object py" id="A"><em class="k">class</em> A(<em class="sig-param">*</em>, <em class="sig-param">name</em>, <em class="sig-param">size</em>)'
        '</dt><dd>Draws (word 1).<dl><dt class="field-odd">Parameters</dt><dd class="field-odd"><strong>size</strong>, <strong>name</strong>'
        '</dd></dl><div class="highlight-pycon"></div></dd></section>'
    )
    assert len(list(faults(entry))) == 2


def test_options_keep_their_hyphens() -> None:
    assert re.findall(r"–[a-z]\w*", (SITE / "reference" / "cli.html").read_text(encoding="utf-8")) == []
