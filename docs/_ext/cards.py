"""The gallery's page: a card for each transform, to filter; and a table of transforms and their targets.

A transform without a thumbnail ends the build with an error.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import cv2
import gallery
import numpy as np
import pictures
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

__all__ = ["Gallery", "Table", "setup"]

STRIKING = ("Geometry", "Colour and tone", "Blur and sharpness", "Noise and quality", "Erasing")
"""The families that come first: what they do is seen at once."""
HEARD = ("Audio",)
"""The families whose thumbnails are no photographs."""


def _make(app: Any) -> None:
    folder = Path(app.srcdir, "_pictures", "thumbnails")
    pictures.write(folder / "original.jpg", pictures.cell(pictures.PARTS))
    for name, one in gallery.thumbnails(gallery.transforms()).items():
        pictures.write(folder / f"{name}.jpg", one)


def _word(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower())


class Gallery(SphinxDirective):
    """The cards by family, the striking ones first, and the form that filters them."""

    def run(self) -> list[nodes.Node]:
        """Return the form and the cards."""
        self.env.note_reread()
        families = sorted(dict.fromkeys(gallery.families().values()), key=lambda one: one not in STRIKING)
        options = "".join(f'<option value="family-{_word(one)}">{one}</option>' for one in families)
        targets = "".join(f'<option value="target-{one}">{one}</option>' for one in gallery.TARGETS)
        form = f"""<form id="gallery-filters" hidden>
<label>Name <input type="search" name="name"></label>
<label>Family <select name="family"><option value="">all</option>{options}</select></label>
<label>Target <select name="target"><option value="">any</option>{targets}</select></label>
<label>Exact on every machine <select name="exact"><option value="">any</option><option value="exact-yes">always</option>
<option value="exact-some">at least partly</option></select></label>
<label>OpenCV <select name="opencv"><option value="">any</option><option value="opencv-no">not needed</option>
<option value="opencv-yes">needed</option></select></label>
<output></output></form>
<script type="application/json" id="gallery-names">{json.dumps(gallery.elsewhere())}</script>"""
        return [nodes.raw("", form, format="html"), *map(self._family, families)]

    def _family(self, title: str) -> nodes.Node:
        """Return the cards of a family below its title, those first that change the photograph most."""
        folder = Path(self.env.srcdir, "_pictures", "thumbnails")
        original = cv2.imread(str(folder / "original.jpg")).astype(float)

        def change(name: str) -> float:
            return float(np.abs(cv2.imread(str(folder / f"{name}.jpg")) - original).mean())

        names = [
            name
            for name, family in gallery.families().items()
            if family == title and name in gallery.transforms()
        ]
        if title not in HEARD:
            names.sort(key=change, reverse=True)
        cards = nodes.container("", *map(self._card, names), classes=["cards"])
        return nodes.container("", nodes.rubric(text=title), cards, classes=["family"])

    def _card(self, name: str) -> nodes.Node:
        told = gallery.describe(name)
        kind = gallery.transforms()[name]
        classes = ["card", f"family-{_word(told['family'])}", f"opencv-{'yes' if told['opencv'] else 'no'}"]
        classes += [f"target-{target}" for target in told["targets"]]
        classes += ["exact-yes"] * (told["exact"] in ("yes", "as its transforms"))
        classes += ["exact-some"] * (told["exact"] != "no")
        image = nodes.image(uri=f"/_pictures/thumbnails/{name}.jpg", alt=f"The original after {name}.")
        inner = nodes.inline("", "", image, nodes.literal(text=name))
        link = addnodes.pending_xref(
            "", inner, refdomain="py", reftype="class", refexplicit=True, refwarn=True,
            refdoc=self.env.current_document.docname, reftarget=f"{kind.__module__}.{name}",
        )  # fmt: skip
        summary = inspect.getdoc(kind).partition("\n\n")[0].partition(". ")[0].rstrip(".")
        text = nodes.paragraph(text=re.sub(r"\s+", " ", summary.replace("`", "")) + ".")
        return nodes.container("", nodes.paragraph("", "", link), text, classes=classes)


class Table(SphinxDirective):
    """The table of transforms and the targets that each changes, made from the classes."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_reread()
        rows = [
            f"| transform | {' | '.join(gallery.TARGETS)} | exact | OpenCV |",
            "|---|" + ":-:|" * (len(gallery.TARGETS) + 2),
        ]
        for name in sorted(gallery.transforms(), key=[*gallery.families()].index):
            told, kind = gallery.describe(name), gallery.transforms()[name]
            marks = ["✓" if target in told["targets"] else "" for target in gallery.TARGETS]
            exact = {"yes": "✓", "no": ""}.get(told["exact"], told["exact"])
            cells = [
                f"{{py:class}}`~{kind.__module__}.{name}`",
                *marks,
                exact,
                "needed" if told["opencv"] else "",
            ]
            rows.append(f"| {' | '.join(cells)} |")
        return [nodes.container("", *self.parse_text_to_nodes("\n".join(rows)), classes=["wide"])]


def _lazy(app: Any, doctree: Any) -> None:
    """Let browsers load images when they come into view; those of the first page are in view."""
    if app.env.current_document.docname != "index":
        for image in doctree.findall(nodes.image):
            image["loading"] = "lazy"
            size = cv2.imread(str(Path(app.srcdir, image["uri"])))
            if size is not None and "width" not in image:
                image["height"], image["width"] = map(str, size.shape[:2])


def setup(app: Any) -> dict[str, bool]:
    """Connect the gallery to a build."""
    app.connect("builder-inited", _make)
    app.connect("doctree-read", _lazy)
    app.add_directive("gallery", Gallery)
    app.add_directive("transform-table", Table)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
