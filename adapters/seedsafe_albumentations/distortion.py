"""Elastic, grid, lens and piecewise distortions."""

from __future__ import annotations

from functools import partial
from typing import Final

import seedsafe as ss
from seedsafe_albumentations.arguments import limits_of, pair_of, without_effect
from seedsafe_albumentations.table import Old, Row, Rule

__all__ = ["ROWS"]


_RANGES: Final[dict[str, Rule]] = dict.fromkeys(("scale", "nb_rows", "nb_cols"), pair_of)

ROWS: Final = {
    "ElasticTransform": Row(
        ss.ElasticTransform,
        "alpha=1, sigma=50, alpha_affine=None, interpolation=1, border_mode=0, value=None, mask_value=None, "
        "approximate=False, same_dxdy=False, mask_interpolation=0, noise_distribution='gaussian', "
        "keypoint_remapping_method='mask', fill=0, fill_mask=0, p=0.5",
        {
            "alpha_affine": without_effect("put an Affine before it"),
            "approximate": "",
            "noise_distribution": None,
        },
        ". alpha_affine, from 1.x, has no effect, as in 2.0, and warns",
        partial(ss.ElasticTransform, repeat_edges=True),
    ),
    "GridDistortion": Row(
        ss.GridDistortion,
        "num_steps=5, distort_limit=(-0.3, 0.3), interpolation=1, border_mode=0, value=None, mask_value=None, "
        "normalized=True, mask_interpolation=0, keypoint_remapping_method='mask', fill=0, fill_mask=0, p=0.5",
        {"distort_limit": limits_of},
    ),
    "OpticalDistortion": Row(
        ss.OpticalDistortion,
        "distort_limit=(-0.05, 0.05), shift_limit=None, interpolation=1, border_mode=0, value=None, mask_value=None, "
        "mask_interpolation=0, mode='camera', keypoint_remapping_method='mask', fill=0, fill_mask=0, p=0.5",
        {
            "distort_limit": limits_of,
            "shift_limit": without_effect("put an Affine with translate_percent before it"),
            "mode": "lens",
        },
        ". shift_limit, from 1.x, has no effect, as in 2.0, and warns",
    ),
    "PiecewiseAffine": Row(
        ss.PiecewiseAffine,
        "scale=(0.03, 0.05), nb_rows=(4, 4), nb_cols=(4, 4), interpolation=1, mask_interpolation=0, "
        "absolute_scale=False, keypoint_remapping_method='mask', p=0.5, border_mode=0, fill=0, fill_mask=0, *, "
        "cval=None, cval_mask=None, mode=None, keypoints_threshold=None",
        {
            **_RANGES,
            "mode": Old("border_mode"),
            "keypoints_threshold": "",
        },
        ". Keypoints are moved exactly, without the threshold of 1.x",
    ),
    "IAAPiecewiseAffine": Row(
        ss.PiecewiseAffine,
        "scale=(0.03, 0.05), nb_rows=4, nb_cols=4, order=1, cval=0, mode='constant', p=0.5",
        {
            **_RANGES,
            **dict.fromkeys(("order", "mode")),
        },
        " (until albumentations 1.3)",
    ),
}
