"""Pipelines of warps, turns and distortions: what they draw, and the pixels of those that are exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (37, 53, 3)
_WARPS = {
    "Affine": {"degrees": 30, "translate": 0.1, "scale": (0.8, 1.2), "shear": 10},
    "Affine each axis": {
        "translate": (0.1, 0),
        "scale": ((1, 2), (0.5, 1)),
        "shear": ((-5, 5), (0, 9)),
        "expand": True,
    },
    "Affine reflect": {"degrees": 180, "mode": "reflect", "p": 0.7},
}
_KINDS = {
    "Rotate": (ss.Rotate, {"degrees": 180}),
    "Rotate expand": (ss.Rotate, {"degrees": 45, "expand": True}),
    "Rotate crop_border": (ss.Rotate, {"degrees": 45, "crop_border": True}),
    "Perspective": (ss.Perspective, {}),
    "Perspective fit_output": (
        ss.Perspective,
        {"scale": (0.1, 0.2), "fit_output": True, "keep_size": False, "p": 1},
    ),
    "Perspective distortion_scale": (ss.Perspective, {"distortion_scale": 0.9, "p": 1}),
    "GridDistortion": (ss.GridDistortion, {"p": 1}),
    "GridDistortion not normalized": (ss.GridDistortion, {"num_steps": 3, "normalized": False, "p": 1}),
    "OpticalDistortion": (ss.OpticalDistortion, {"distort_limit": 0.5, "p": 1}),
    "OpticalDistortion fisheye": (ss.OpticalDistortion, {"distort_limit": 0.5, "lens": "fisheye", "p": 0.6}),
    "ElasticTransform": (ss.ElasticTransform, {"alpha": (50, 150), "sigma": (4, 8), "p": 1}),
    "ElasticTransform same_dxdy": (ss.ElasticTransform, {"alpha": 30, "sigma": 2, "same_dxdy": True, "p": 1}),
    "ElasticTransform repeat_edges": (
        ss.ElasticTransform,
        {"alpha": 90, "sigma": 6, "repeat_edges": True, "p": 1},
    ),
    "PiecewiseAffine": (ss.PiecewiseAffine, {"nb_rows": (3, 6), "p": 1}),
} | {name: (ss.Affine, options) for name, options in _WARPS.items()}
_TURNS = {
    "RandomRotate90": ss.RandomRotate90(),
    "Transpose": ss.Transpose(),
    "D4": ss.D4(p=0.8),
}

PIPELINES = (
    {name: (ss.Compose([kind(**options)]), _SHAPE) for name, (kind, options) in _KINDS.items()}
    | {
        f"{name}, nearest": (ss.Compose([kind(**options, interpolation="nearest")]), _SHAPE)
        for name, (kind, options) in _KINDS.items()
    }
    | {name: (ss.Compose([one]), _SHAPE) for name, one in _TURNS.items()}
    | {"Affine.shift_scale_rotate": (ss.Compose([ss.Affine.shift_scale_rotate(p=0.7)]), _SHAPE)}
)
EXACT = tuple(f"{name}, nearest" for name in _KINDS) + tuple(_TURNS)
