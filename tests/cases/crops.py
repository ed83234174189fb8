"""Crops."""

from __future__ import annotations

import seedsafe as ss
from cases.case import EXACT, NOTHING, Case, Drawn, Golden, Moves
from cases.laws import BOXED, IMAGE, LARGE, log_uniform, one_of, part, uniform, where, window

__all__ = ["CASES", "TITLE"]

TITLE = "Crops"
SHAPE = (37, 53, 3)
UINT8 = ss.Info(SHAPE, "uint8")
BOXES = ss.Info(SHAPE, "uint8", [[5, 4, 20, 30], [25, 10, 50, 35]])
CASES = [
    Case(
        ss.RandomCrop,
        arguments={"size": 20},
        moves=[
            Moves(ss.RandomCrop((40, 30)), EXACT, window=True),
            Moves(ss.RandomCrop(60, padding=4, pad_if_needed=True), EXACT),
        ],
        drawn=[
            Drawn(ss.RandomCrop((50, 70)), IMAGE, [one_of(part(0), range(151)), one_of(part(1), range(231))])
        ],
        golden={
            "RandomCrop": Golden(ss.RandomCrop((20, 30)), SHAPE),
            "RandomCrop, padding": Golden(ss.RandomCrop(48, padding=4, pad_if_needed=True), SHAPE),
            "two of a class, one named": Golden(
                ss.Compose(
                    [ss.RandomCrop(36), ss.Compose([ss.RandomCrop(33)]), ss.RandomCrop(30, name="last")]
                ),
                SHAPE,
            ),
        },
        picture="128",
        called=["RandomCrop"],
    ),
    Case(
        ss.CenterCrop,
        arguments={"size": 20},
        moves=[
            Moves(ss.CenterCrop((40, 30)), EXACT, window=True),
            Moves(ss.CenterCrop((52, 40), pad_if_needed=True), EXACT),
        ],
        drawn=NOTHING,
        golden={"CenterCrop": Golden(ss.CenterCrop(16), SHAPE)},
        picture="128",
        called=["CenterCrop"],
    ),
    Case(
        ss.Pad,
        arguments={"padding": 3},
        moves=[Moves(ss.Pad((1, 2, 3, 4), fill=5, mask_fill=0), EXACT)],
        drawn=NOTHING,
        golden={"Pad": Golden(ss.Pad((1, 2, 3, 4)), SHAPE)},
        picture="24",
        called=["Pad"],
    ),
    Case(
        ss.Crop,
        arguments={"top": 1, "left": 2, "height": 9, "width": 9},
        moves=[Moves(ss.Crop(3, 1, 40, 30), EXACT, window=True)],
        drawn=NOTHING,
        golden={"Crop": Golden(ss.Crop(3, 1, 20, 30), SHAPE)},
        picture="top=0, left=48, height=128, width=128",
        called=["Crop"],
    ),
    Case(
        ss.RandomCropFromBorders,
        moves=[Moves(ss.RandomCropFromBorders(crop_top=0.3), EXACT)],
        drawn=[
            Drawn(
                ss.RandomCropFromBorders(crop_left=0.3, crop_right=0.1, crop_top=0.2, crop_bottom=0.5),
                IMAGE,
                [
                    one_of(part(1), range(91)),
                    one_of(part(0), range(41)),
                    one_of(lambda w: w[1] + w[3], range(270, 301)),
                    one_of(lambda w: w[0] + w[2], range(100, 201)),
                ],
            )
        ],
        golden={"RandomCropFromBorders": Golden(ss.RandomCropFromBorders(crop_left=0.3), SHAPE)},
        called=["RandomCropFromBorders"],
    ),
    Case(
        ss.ThreeCrop,
        arguments={"size": 9},
        moves=[Moves(ss.ThreeCrop((40, 31)), EXACT, window=True)],
        drawn=NOTHING,
        golden={"ThreeCrop": Golden(ss.ThreeCrop((20, 16)), SHAPE)},
        picture="128",
        views=True,
    ),
    Case(
        ss.FiveCrop,
        arguments={"size": 9},
        moves=[Moves(ss.FiveCrop((40, 31)), EXACT, window=True)],
        drawn=NOTHING,
        golden={"FiveCrop": Golden(ss.FiveCrop(20), SHAPE)},
        picture="128",
        views=True,
    ),
    Case(
        ss.TenCrop,
        arguments={"size": 9},
        moves=[
            Moves(ss.TenCrop((40, 30)), EXACT, window=True),
            Moves(ss.TenCrop((40, 30), vertical_flip=True), EXACT, window=True),
        ],
        drawn=NOTHING,
        golden={"TenCrop": Golden(ss.TenCrop((20, 30), vertical_flip=True), SHAPE)},
        picture="128",
        views=True,
    ),
    Case(
        ss.RandomResizedCrop,
        arguments={"size": 20},
        also={"antialias": ss.RandomResizedCrop(20, antialias=True)},
        moves=[
            Moves(ss.RandomResizedCrop((40, 50), scale=(0.3, 1)), EXACT),
            Moves(ss.RandomResizedCrop((40, 50), scale=(0.3, 1), antialias=True), EXACT),
        ],
        drawn=[
            Drawn(
                ss.RandomResizedCrop(9, scale=(0.08, 0.5)),
                LARGE,
                [
                    uniform(lambda w: w[2] * w[3] / 1.2e9, 0.08, 0.5),
                    log_uniform(lambda w: w[3] / w[2], 3 / 4, 4 / 3),
                    *window(30000, 40000),
                ],
            )
        ],
        golden={
            "RandomResizedCrop nearest": Golden(
                ss.RandomResizedCrop((20, 30), interpolation="nearest"), SHAPE
            ),
            "RandomResizedCrop": Golden(ss.RandomResizedCrop((20, 30)), UINT8),
            "RandomResizedCrop exact": Golden(
                ss.RandomResizedCrop((20, 30), interpolation="bilinear exact"), UINT8
            ),
            "RandomResizedCrop antialias": Golden(ss.RandomResizedCrop((20, 30), antialias=True), UINT8),
            "RandomResizedCrop that never fits": Golden(
                ss.RandomResizedCrop(9, scale=1, ratio=(3, 4)), UINT8
            ),
        },
        picture="128",
        called=["RandomResizedCrop"],
    ),
    Case(
        ss.RandomSizedCrop,
        arguments={"size": 20, "heights": (9, 24)},
        moves=[Moves(ss.RandomSizedCrop(40, heights=(15, 30)), EXACT, window=True)],
        drawn=[
            Drawn(
                ss.RandomSizedCrop(9, heights=(50, 120), ratio=1.25),
                IMAGE,
                [one_of(part(2), range(50, 121)), *window(200, 300)],
            )
        ],
        golden={"RandomSizedCrop": Golden(ss.RandomSizedCrop(20, heights=(5, 30), ratio=1.25), UINT8)},
        picture="size=128, heights=(64, 160)",
        called=["RandomSizedCrop"],
    ),
    Case(
        ss.MultiScaleCrop,
        arguments={"size": 20},
        moves=[Moves(ss.MultiScaleCrop((30, 44), places="grid"), EXACT)],
        drawn=[
            Drawn(
                ss.MultiScaleCrop(9, scales=(1, 0.75, 0.5)),
                IMAGE,
                [
                    one_of(
                        lambda w: w[2:],
                        [(200, 200), (200, 150), (150, 200), (150, 150), (150, 100), (100, 150), (100, 100)],
                    ),
                    where(
                        lambda w: w[2:] == (100, 100),
                        one_of(lambda w: w[:2], [(0, 0), (0, 200), (100, 0), (100, 200), (50, 100)]),
                    ),
                ],
            ),
            Drawn(ss.MultiScaleCrop(9, places="random"), IMAGE, window(200, 300)),
        ],
        golden={
            "MultiScaleCrop": Golden(ss.MultiScaleCrop(24), UINT8),
            "MultiScaleCrop random": Golden(
                ss.MultiScaleCrop(24, scales=(1, 0.5), places="random", interpolation="area"), UINT8
            ),
        },
        picture="size=128",
    ),
    Case(
        ss.RandomIoUCrop,
        needs="boxes",
        moves=[Moves(ss.RandomIoUCrop(), EXACT)],
        drawn="which windows it keeps depends on the boxes: test_iou_law.py",
        golden={
            "RandomIoUCrop": Golden(ss.RandomIoUCrop(), BOXES),
            "RandomIoUCrop trials": Golden(ss.RandomIoUCrop(sampler_options=[0.5, 0.7], trials=5), BOXES),
        },
    ),
    Case(
        ss.BBoxSafeCrop,
        needs="boxes",
        moves=[Moves(ss.BBoxSafeCrop(), EXACT), Moves(ss.BBoxSafeCrop((44, 50), erosion_rate=0.2), EXACT)],
        drawn=[
            Drawn(
                ss.BBoxSafeCrop(),
                BOXED,
                [
                    uniform(part(1), 0, 10000),
                    uniform(part(0), 0, 9000),
                    uniform(lambda w: w[1] + w[3], 30000, 40000),
                    uniform(lambda w: w[0] + w[2], 24000, 30000),
                ],
            )
        ],
        golden={
            "BBoxSafeCrop": Golden(ss.BBoxSafeCrop(), BOXES),
            "BBoxSafeCrop eroded": Golden(ss.BBoxSafeCrop(20, erosion_rate=0.3, p=0.7), BOXES),
        },
        picture="size=(160, 160)",
        called=["BBoxSafeRandomCrop", "RandomSizedBBoxSafeCrop"],
    ),
    Case(
        ss.CropNonEmptyMask,
        arguments={"size": 9},
        needs="mask",
        moves=[Moves(ss.CropNonEmptyMask((30, 34)), EXACT)],
        drawn=[
            Drawn(
                ss.CropNonEmptyMask((50, 70)),
                IMAGE,
                [
                    uniform(part(0), 0, 1),
                    one_of(part(1), range(50)),
                    one_of(part(2), range(70)),
                    one_of(part(3), range(151)),
                    one_of(part(4), range(231)),
                ],
            )
        ],
        golden={"CropNonEmptyMask": Golden(ss.CropNonEmptyMask(20), SHAPE)},
        picture="96",
        called=["CropNonEmptyMaskIfExists"],
    ),
]
