"""Sphinx's configuration: MyST pages, reference from docstrings, no framework needed to build."""

import os
import sys
import tomllib
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "seedsafe"
author = "The seedsafe developers"
copyright = "2026, the seedsafe developers, under the MIT license"  # the foot of each page
release = version = installed_version("seedsafe")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinxext.opengraph",
    "pictures",
    "cards",
    "in_browser",
    "prefixes",
    "searching",
    "signatures",
]
autodoc_mock_imports = ["torch", "keras", "tf_keras", "tensorflow", "cv2", "ray"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes named in a class docstring may be properties with pages of their own
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
smartquotes_action = "qe"  # two hyphens begin an option
# Where the pages are published, for the picture of a link's preview.
ogp_site_url = os.environ.get("SITE", "")
ogp_image = "_images/workers.jpg" if ogp_site_url else None
html_theme = "furo"
pygments_dark_style = "a11y-dark"
html_title = f"seedsafe {version}"
html_favicon = "_static/mark.svg"
html_static_path = ["_static"]
templates_path = ["_templates"]
_base = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "hatch"
]["metadata"]
html_context = {
    "repository": _base["hooks"]["custom"]["base"].partition("/blob/")[0]
}  # no link while there is no address
BLUE, LIGHT_BLUE = "#1f5fbf", "#8ab8ff"  # the mark's, and as it is read on black
html_theme_options = {
    f"{theme}_css_variables": {
        f"color-{part}": colour
        for part in ("brand-primary", "brand-content", "brand-visited", "api-name", "api-pre-name")
    }
    for theme, colour in (("light", BLUE), ("dark", LIGHT_BLUE))
}
html_css_files = ["front.css"]
html_js_files = [
    (name, {"defer": "defer"}) for name in ("key.js", "slider.js", "gallery.js", "playground.js")
]
html_search_scorer = str(Path(__file__).parent / "_ext" / "scorer.js")
html_use_index = False  # one page of 27,000 pixels; the search finds the names
html_scaled_image_link = False  # they are shown as large as they are
exclude_patterns = ["_build", "_pictures", "_templates", "style.md"]  # the last is for contributors
suppress_warnings = ["myst.xref_missing"]  # links into the repository, which a site does not hold
playground_pyodide = (
    ""  # where the playground finds Pyodide: a URL, or a path of the site; see docs/playground.md
)
search_words = {  # what people type, by the page that they want; names of transforms and functions are found anyway
    "explanation/faq": ["faq", "questions", "help", "expected input", "3 channels", "needs floats"],
    "explanation/how-it-works": ["reproducible", "reproducibility", "deterministic", "determinism"],
    "explanation/license": ["license", "licence", "mit"],
    "explanation/scale": ["ddp", "distributed", "ranks", "cluster"],
    "explanation/comparison": ["comparison", "alternatives", "albumentationsx", "grain"],
    "explanation/the-bug": [
        *("worker_init_fn", "duplicate", "repeated augmentations", "dataloader workers repeat"),
        "same augmentation every epoch",
    ],
    "gallery": ["gallery", "show", "visualise", "visualize", "augmentations", "plot augmentations"],
    "how-to/albumentations": ["albumentations"],
    "how-to/audio": [
        "audio",
        "sound",
        "waveform",
        "spectrogram",
        "specaugment",
        "audiomentations",
        "speech",
        "librosa",
        "audio crop",
    ],
    "how-to/anything": ["mixture", "camera", "cameras", "tokens"],
    "how-to/check": ["check", "am i affected"],
    "how-to/device": ["diffusion", "gpu", "timesteps"],
    "how-to/explain": ["explain"],
    "how-to/keras": ["keras", "tensorflow"],
    "how-to/large-folders": ["jpeg", "png", "folder", "imagefolder"],
    "how-to/loop": [
        *(
            "batch_sampler",
            "mosaic",
            "close_mosaic",
            "start_iter",
            "worker_init_fn info.dataset",
            "eval_dataset",
        ),
        *("caption", "camera", "threads", "set_epoch", "sampler", "epoch", "seed per epoch", "validation"),
    ],
    "how-to/masks-keypoints-boxes": [
        *("bboxes", "detection", "yolo", "coco", "boxes", "masks", "segmentation", "keypoints"),
        "semantic segmentation mask",
    ],
    "how-to/mixing": ["mosaic", "copy paste"],
    "how-to/own-transforms": ["custom transform", "own transform", "lambda"],
    "how-to/preview": ["preview", "show", "yaml", "plot augmentations"],
    "how-to/replay": ["replay", "debug", "log"],
    "how-to/streams": ["webdataset", "streaming", "iterabledataset"],
    "how-to/tf": ["tf.data"],
    "how-to/torch": ["pytorch", "torch", "dataloader", "resume", "ddp", "tta", "test-time augmentation"],
    "how-to/trainers": [
        "lightning",
        "accelerate",
        "hugging face",
        "trainer",
        "fastai",
        "timm",
        "resume",
        "eval_dataset",
        "validation",
    ],
    "playground": ["playground", "try", "preview"],
    "reference/cli": ["cli", "command line", "yaml"],
    "reference/compose": ["compose", "pipeline", "json", "yaml"],
    "reference/contract": ["contract", "philox", "deterministic"],
    "reference/keys": ["seed", "key"],
    "reference/mixing": ["mixup", "cutmix"],
    "reference/speed": ["speed", "benchmark", "performance", "fast"],
    "reference/systems": ["macos", "windows", "arm", "install"],
    "reference/transforms/geometry": ["rotate", "rotation", "elastic deformation"],
    "tutorial/first-steps": ["install", "tutorial", "getting started"],
}
