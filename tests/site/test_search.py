"""What people type into the search finds its page among the first three."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.site

QUERIES = {  # by how the addresses of the pages that answer begin; more words are in docs/conf.py
    "faq": ["explanation/faq"],
    "yaml": ["reference/compose", "reference/cli", "how-to/preview"],
    "show": ["gallery", "how-to/preview"],
    "preview": ["how-to/preview", "playground"],
    "resume": ["how-to/torch", "how-to/trainers"],
    "rotate": ["reference/transforms/geometry"],
    "bboxes": ["how-to/masks-keypoints-boxes", "how-to/detection"],
    "worker_init_fn": ["explanation/the-bug"],
    "detection": ["how-to/detection", "how-to/masks-keypoints-boxes"],
    "keras": ["how-to/keras", "reference/keras"],
    "mixup": ["reference/mixing"],
    "ddp": ["explanation/scale", "how-to/torch"],
    "lightning": ["how-to/trainers", "reference/trainers"],
    "reproducible": ["explanation/how-it-works"],
    "seed": ["reference/keys"],
    "deterministic": ["explanation/how-it-works", "reference/contract"],
    "tf.data": ["how-to/tf", "reference/tf"],
    "jpeg": ["how-to/large-folders"],
    "speed": ["reference/speed"],
    "license": ["explanation/license"],
    "custom transform": ["how-to/own-transforms"],
    "elastic deformation": ["reference/transforms/geometry"],
    "semantic segmentation mask": ["how-to/masks-keypoints-boxes"],
    "TTA": ["how-to/torch"],
    "librosa": ["how-to/audio"],
    # the words of reports about the loop around a dataset
    "batch_sampler": ["how-to/loop"],
    "mosaic": ["how-to/loop", "how-to/mixing"],
    "close_mosaic": ["how-to/loop"],
    "start_iter": ["how-to/loop"],
    "worker_init_fn info.dataset": ["how-to/loop"],
    "eval_dataset": ["how-to/loop", "how-to/trainers"],
    "caption": ["how-to/loop"],
    "camera": ["how-to/loop"],
    "threads": ["how-to/loop"],
    "set_epoch": ["how-to/loop"],
    # the words of newcomers
    "seed per epoch": ["how-to/loop"],
    "install": ["tutorial/first-steps", "reference/systems"],
    "plot augmentations": ["gallery", "how-to/preview"],
    "audio crop": ["how-to/audio"],
    "validation": ["how-to/loop", "how-to/trainers"],
    "diffusion": ["how-to/device"],
    "mixture": ["how-to/anything"],
    "macOS": ["reference/systems"],
    "coco": ["how-to/masks-keypoints-boxes"],
    "DataLoader workers repeat": ["explanation/the-bug"],
    "same augmentation every epoch": ["explanation/the-bug"],
}


def found(page: Page, address: str, query: str) -> list[str]:
    """Return the pages that the search finds, best first."""
    page.goto(f"{address}search.html?q={query}")
    page.wait_for_function(
        "/finished|did not match/.test(document.querySelector('#search-results p')?.innerText)"
    )
    links = page.evaluate(
        "[...document.querySelectorAll('#search-results ul.search > li > a')].map((one) => one.href)"
    )
    return [link.removeprefix(address).partition("?")[0] for link in links]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_has_its_page_among_the_first_three(page: Page, address: str, query: str) -> None:
    hits = found(page, address, query)
    assert any(hit.startswith(tuple(QUERIES[query])) for hit in hits[:3]), hits[:10]
