"""Elastic, grid, lens and piecewise distortions."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    around,
    fires,
    interpolation_of,
    known,
    mask_fill_of,
    mode_of,
    only,
    pair_of,
    warn_without_effect,
)

__all__ = [
    "ElasticTransform",
    "GridDistortion",
    "IAAPiecewiseAffine",
    "OpticalDistortion",
    "PiecewiseAffine",
]


def ElasticTransform(
    alpha: float = 1,
    sigma: float = 50,
    alpha_affine: Any = None,
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    approximate: bool = False,
    same_dxdy: bool = False,
    mask_interpolation: int = 0,
    noise_distribution: str = "gaussian",
    keypoint_remapping_method: str = "mask",
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ElasticTransform``; alpha_affine, of 1.x, has no effect, as in 2.0, and warns."""
    warn_without_effect("alpha_affine", alpha_affine, "put an Affine before it")
    only("noise_distribution", noise_distribution, "gaussian", "seedsafe's noise is normal")
    known("keypoint_remapping_method", keypoint_remapping_method, ("mask", "direct"))
    made = ss.ElasticTransform(
        alpha,
        sigma,
        same_dxdy=same_dxdy,
        repeat_edges=True,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def GridDistortion(
    num_steps: int = 5,
    distort_limit: Any = (-0.3, 0.3),
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    normalized: bool = True,
    mask_interpolation: int = 0,
    keypoint_remapping_method: str = "mask",
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.GridDistortion``."""
    known("keypoint_remapping_method", keypoint_remapping_method, ("mask", "direct"))
    made = ss.GridDistortion(
        num_steps,
        distort_limit=around(distort_limit),
        normalized=normalized,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def OpticalDistortion(
    distort_limit: Any = (-0.05, 0.05),
    shift_limit: Any = None,
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    mask_interpolation: int = 0,
    mode: str = "camera",
    keypoint_remapping_method: str = "mask",
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.OpticalDistortion``; shift_limit, of 1.x, has no effect, as in 2.0, and warns."""
    warn_without_effect("shift_limit", shift_limit, "put an Affine with translate_percent before it")
    known("keypoint_remapping_method", keypoint_remapping_method, ("mask", "direct"))
    made = ss.OpticalDistortion(
        distort_limit=around(distort_limit),
        lens=mode,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def PiecewiseAffine(
    scale: Any = (0.03, 0.05),
    nb_rows: Any = (4, 4),
    nb_cols: Any = (4, 4),
    interpolation: int = 1,
    mask_interpolation: int = 0,
    absolute_scale: bool = False,
    keypoint_remapping_method: str = "mask",
    p: float = 0.5,
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    *,
    cval: Any = None,
    cval_mask: Any = None,
    mode: str | None = None,
    keypoints_threshold: float | None = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.PiecewiseAffine``; keypoints are moved exactly, without the threshold of 1.x."""
    known("keypoint_remapping_method", keypoint_remapping_method, ("mask", "direct"))
    if mode is not None:
        known("mode", mode, ("constant", "edge", "reflect", "symmetric"))
    made = ss.PiecewiseAffine(
        pair_of(scale),
        nb_rows=pair_of(nb_rows),
        nb_cols=pair_of(nb_cols),
        absolute_scale=absolute_scale,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode) if mode is None else mode,
        fill=fill if cval is None else cval,
        mask_fill=mask_fill_of(fill_mask if cval_mask is None else cval_mask),
    )
    return fires(made, p, always_apply)


def IAAPiecewiseAffine(
    scale: Any = (0.03, 0.05),
    nb_rows: Any = 4,
    nb_cols: Any = 4,
    order: int = 1,
    cval: Any = 0,
    mode: str = "constant",
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.PiecewiseAffine`` (until albumentations 1.3)."""
    only("order", order, 1, "seedsafe interpolates linearly")
    only("mode", mode, "constant", "seedsafe fills what lies outside")
    return PiecewiseAffine(scale, nb_rows, nb_cols, fill=cval, p=p, always_apply=always_apply)
