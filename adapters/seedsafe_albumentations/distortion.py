"""Elastic, grid, lens and piecewise distortions."""

from __future__ import annotations

from functools import partial
from typing import Final

import seedsafe as ss
from seedsafe_albumentations.arguments import limits_of, pair_of
from seedsafe_albumentations.table import Row, Rule

__all__ = ["ROWS"]


_RANGES: Final[dict[str, Rule]] = dict.fromkeys(("scale", "nb_rows", "nb_cols"), pair_of)

ROWS: Final = {
    "ElasticTransform": Row(
        ss.ElasticTransform,
        "alpha=1, sigma=50, interpolation=1, approximate=False, same_dxdy=False, mask_interpolation=0, "
        "noise_distribution='gaussian', keypoint_remapping_method='mask', border_mode=0, fill=0, fill_mask=0, p=0.5",
        {
            "approximate": "",
            "noise_distribution": None,
        },
        ". alpha_affine, from 1.x, has no effect, as in 2.0, and warns",
        partial(ss.ElasticTransform, repeat_edges=True),
        then="alpha sigma alpha_affine interpolation border_mode value mask_value",
    ),
    "GridDistortion": Row(
        ss.GridDistortion,
        "num_steps=5, distort_limit=(-0.3, 0.3), interpolation=1, normalized=True, mask_interpolation=0, "
        "keypoint_remapping_method='mask', p=0.5, border_mode=0, fill=0, fill_mask=0",
        {"distort_limit": limits_of},
        then="num_steps distort_limit interpolation border_mode value mask_value normalized p",
    ),
    "OpticalDistortion": Row(
        ss.OpticalDistortion,
        "distort_limit=(-0.05, 0.05), interpolation=1, mask_interpolation=0, mode='camera', "
        "keypoint_remapping_method='mask', p=0.5, border_mode=0, fill=0, fill_mask=0",
        {
            "distort_limit": limits_of,
            "mode": "lens",
        },
        ". shift_limit, from 1.x, has no effect, as in 2.0, and warns",
        then="distort_limit shift_limit interpolation border_mode value mask_value p",
    ),
    "PiecewiseAffine": Row(
        ss.PiecewiseAffine,
        "scale=(0.03, 0.05), nb_rows=(4, 4), nb_cols=(4, 4), interpolation=1, mask_interpolation=0, "
        "absolute_scale=False, keypoint_remapping_method='mask', p=0.5, border_mode=0, fill=0, fill_mask=0",
        _RANGES,
        ". Keypoints are moved exactly, without the threshold of 1.x",
    ),
    "IAAPiecewiseAffine": Row(
        ss.PiecewiseAffine,
        "scale=(0.03, 0.05), nb_rows=4, nb_cols=4, order=1, fill=0, border_mode='constant', p=0.5",
        {**_RANGES, **dict.fromkeys(("order", "border_mode"))},
        " (until albumentations 1.3)",
    ),
}
