"""Pipelines of colour: what they draw, and the pixels of those that are exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (19, 23, 3)
_EXACT = {
    "RandomBrightnessContrast": ss.RandomBrightnessContrast(),
    "ToneCurve": ss.ToneCurve(),
    "ToneCurve per channel": ss.ToneCurve(0.3, per_channel=True),
    "Solarize": ss.Solarize((0.2, 0.8), p=0.7),
    "Posterize": ss.Posterize((1, 7), p=0.7),
    "Invert": ss.Invert(),
    "Equalize": ss.Equalize(),
    "Equalize opencv": ss.Equalize(method="opencv"),
    "AutoContrast": ss.AutoContrast(cutoff=2),
    "HueSaturationValue": ss.HueSaturationValue(),
    "HueSaturationValue fractional": ss.HueSaturationValue(0.015, 0.7, 0.4, fractional=True),
    "RGBShift": ss.RGBShift(),
    "ChannelShuffle": ss.ChannelShuffle(),
    "ChannelDropout": ss.ChannelDropout((1, 2)),
}
_EXACT_IN_UINT8 = {
    "ColorJitter": ss.ColorJitter(0.4, 0.4, 0.2, 0.1),
    "ColorJitter ranges": ss.ColorJitter((0.5, 2.0), (0.1, 3.0), 0.0, (-0.5, 0.2), p=0.8),
    "LinearColorJitter": ss.LinearColorJitter(0.4, 0.4, 0.2, 0.1),
    "RandomBrightnessContrast by mean": ss.RandomBrightnessContrast(0.1, (-0.5, 0.3), by_max=False, p=0.5),
    "Gamma": ss.Gamma((0.5, 2.0)),
    "PhotoMetricDistortion": ss.PhotoMetricDistortion(),
    "ToGray": ss.ToGray(),
    "ToSepia": ss.ToSepia(),
}
_ELSEWHERE = {"CLAHE": ss.CLAHE(), "FancyPCA": ss.FancyPCA()}

PIPELINES = {name: (ss.Compose([one]), _SHAPE) for name, one in (_EXACT | _ELSEWHERE).items()} | {
    name: (ss.Compose([one]), ss.Info(_SHAPE, "uint8")) for name, one in _EXACT_IN_UINT8.items()
}
EXACT = (*_EXACT, *_EXACT_IN_UINT8)
