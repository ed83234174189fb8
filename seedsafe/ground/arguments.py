"""Arguments from other libraries and their equivalents here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from seedsafe.ground.elsewhere import Meant

__all__ = ["ARGUMENTS", "EVERYWHERE", "equivalent", "explanation"]


def _no(reason: str) -> Meant:
    return Meant("", f"leave it out: {reason}")


_SEED: Final = _no("the seed belongs to the dataset, as in AugmentedDataset(..., seed=42)")
_ALONE: Final = _no("each sample has draws of its own")
_MASKS: Final = _no('masks are always "nearest"')
_METHOD: Final = _no("there is one method here; ss.bridge(...) around yours keeps its own")
_RGB: Final = _no("images are RGB")
_RANGE: Final = _no("the dtype says the range, 0 to 255 for uint8 and 0 to 1 for float32")
_LAYOUT: Final = _no("images are (H, W, C)")
_CHANNELS: Final = _no("all channels get the same")
_EQUALLY: Final = _no("it pads equally on both sides")
_CLIPS: Final = _no("the result is clipped to the range of its dtype")
_ARRAYS: Final = _no("samples are NumPy arrays")
_ABSENT: Final = _no("it has no equivalent here; ss.bridge(...) around yours keeps it")
_PIPELINE: Final = Meant("augment=ss.Compose([ss.HorizontalFlip()])")
_STRENGTH: Final = _no("each strength has an argument of its own")

EVERYWHERE: Final[dict[str, tuple[Meant, ...]]] = {
    "always_apply": (Meant("p=1"), _no("it always fires")),
    "prob": (Meant("p=0.5"),),
    "probability": (Meant("p=0.5"),),
    "seed": (Meant("seed=42"), _SEED),
    "batch_size": (Meant("batch_size=32"),),
    "dataset": (Meant("base=dataset"), Meant("source=dataset")),
    "transform": (_PIPELINE,),
    "augmentation": (_PIPELINE,),
    "augmenter": (_PIPELINE,),
    "pipeline": (_PIPELINE,),
    "random_state": (_SEED,),
    "generator": (_SEED,),
    "deterministic": (_SEED,),
    "same_on_batch": (_ALONE,),
    "p_batch": (_ALONE,),
    "p_mode": (_ALONE,),
    "keepdim": (_ARRAYS,),
    "output_type": (_ARRAYS,),
    "data_format": (_LAYOUT,),
    "data_keys": (_no("a dict of targets says by its names what each is"),),
    "value_range": (_RANGE,),
    "max_pixel_value": (_RANGE,),
    "max_val": (_RANGE,),
    "min_value": (_RANGE,),
    "max_value": (_RANGE,),
    "dtype": (_no("ss.ToFloat() makes float32 of uint8"),),
    "inplace": (_no("inputs are never changed"),),
    "trainable": (_no("it has no weights"),),
    "size": (Meant("size=224"),),
    "height": (Meant("size=(224, 224)", "height, width"),),
    "width": (Meant("size=(224, 224)", "height, width"),),
    "max_size": (Meant("size=224"),),
    "max_size_hw": (Meant("size=224", "one number"),),
    "transforms": (Meant("transforms=[ss.HorizontalFlip()]"),),
    "children": (Meant("transforms=[ss.HorizontalFlip()]"),),
    "layers": (Meant("transforms=[ss.HorizontalFlip()]"),),
    "augmentations": (Meant("transforms=[ss.HorizontalFlip()]"),),
    "transforms_list": (Meant("transforms=[ss.HorizontalFlip()]"),),
    "border_mode": (Meant("mode='reflect'"),),
    "padding_mode": (Meant("mode='reflect'"),),
    "pad_mode": (Meant("mode='reflect'"),),
    "fill_mode": (Meant("mode='reflect'"), Meant("fill=0.0")),
    "border_type": (_METHOD,),
    "value": (Meant("fill=0"),),
    "fill_value": (Meant("fill=0"),),
    "fillcolor": (Meant("fill=0"),),
    "cval": (Meant("fill=0"),),
    "pad_cval": (Meant("fill=0"),),
    "pad_value": (Meant("fill=0"),),
    "fill_mask": (Meant("mask_fill=0"), _no("masks are always filled with 0")),
    "mask_value": (Meant("mask_fill=0"),),
    "mask_fill_value": (Meant("mask_fill=0"),),
    "resample": (Meant("interpolation='bilinear'"), _METHOD),
    "order": (Meant("interpolation='bilinear'"), _METHOD),
    "mask_interpolation": (_MASKS,),
    "area_for_downscale": (Meant("antialias=True"), _ABSENT),
    "fit_output": (Meant("expand=True"),),
    "rotate": (Meant("degrees=20"),),
    "rotation": (Meant("degrees=20"),),
    "angle": (Meant("degrees=20"),),
    "center": (_no("it turns about the middle of the image"),),
    "align_corners": (_METHOD,),
    "cropping_mode": (_METHOD,),
    "approximate": (_METHOD,),
    "method": (_METHOD,),
    "backend": (_METHOD,),
    "separable": (_METHOD,),
    "bins": (_METHOD,),
    "noise_distribution": (_METHOD,),
    "keypoint_remapping_method": (_METHOD,),
    "polygon_recoverer": (_METHOD,),
    "sampling_method": (_METHOD,),
    "pad_position": (_EQUALLY,),
    "position": (_METHOD,),
    "from_colorspace": (_RGB,),
    "to_colorspace": (_RGB,),
    "num_output_channels": (_no("the image keeps its three channels"),),
    "per_channel": (_CHANNELS,),
    "clip_output": (_CLIPS,),
    "clip": (_CLIPS,),
    "ensure_safe_range": (_CLIPS,),
    "check_each_transform": (_no("boxes and keypoints are handled after each transform"),),
    "is_check_shapes": (_no("shapes are always checked"),),
    "shuffle": (_no("an order that changes with the key is ss.SomeOf([...], n=...)"),),
    "random_order": (_no("an order that changes with the key is ss.SomeOf([...], n=...)"),),
    "num_classes": (Meant("classes=10"),),
    "labels_getter": (Meant("label='label'"),),
    "num_ops": (Meant("n=2"),),
    "num_magnitude_bins": (Meant("bins=31"),),
    "num_transforms": (Meant("n=2"),),
    "sample_rate": (Meant("sample_rate=16000"), _no("it holds for any rate")),
    "sampling_rate": (Meant("sample_rate=16000"), _no("it holds for any rate")),
    "target_rate": (_no("audio stays as it is"),),
    "metadata_key": (_no("partners come from the dataset"),),
    "factor": (_STRENGTH,),
}  # fmt: skip
"""What an argument of other libraries means in each class here that takes the equivalent; the first that it takes."""

_IMAGENET: Final = Meant("mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)", "ImageNet's")
_BRIGHTER: Final = Meant("brightness=0.2, contrast=0.0")
_GAIN_DB: Final = Meant("decibels=(-12, 12)")
_FADE: Final = Meant("decibels=(-24, 6)")
_TONES: Final = Meant("semitones=(-4, 4)")
_RATE: Final = Meant("rate=(0.8, 1.25)")
_SNR: Final = Meant("snr=(5, 40)", "in decibels")
_SNR_BACKGROUND: Final = Meant("snr=(3, 30)", "in decibels")
_SOUNDS: Final = Meant("sounds=[np.zeros(16000, np.float32)]", "or paths instead of arrays")
_KERNEL: Final[dict[str, Meant]] = dict.fromkeys(
    ("blur_limit", "kernel_size", "ksize", "k", "height", "width", "max_size", "max_size_hw"),
    Meant("size=(3, 7)"),
)
_LENGTH: Final = Meant("length=16000", "in samples")
_STD: Final = Meant("std=(0, 25)", "in steps of the image's values")
_HOLES: Final = Meant("count=(1, 8)")
_HOLE: Final = Meant("height=(0.05, 0.1), width=(0.05, 0.1)", "integers are pixels")
_CUTOFF: Final = Meant("cutoff=(200, 2400)")
_ROLLOFF: Final = Meant("rolloff=(12, 24)")
_CENTER: Final = Meant("center=(200, 4000)")
_WIDTH: Final = Meant("width=(0, 27)")
_SHIFT: Final = Meant("shift=(-0.5, 0.5)", "in shares of the length")
_COLUMNS: Final = Meant("columns=2, width=(0.05, 0.1)")
_ROWS: Final = Meant("rows=2, height=(0.05, 0.1)")
_TRANSLATE: Final = Meant("translate=0.1", "in shares of the sides")
_UNIT: Final = Meant("unit=(16, 32)")
_CROP: Final = Meant("top=0, left=0, height=224, width=224")
_JITTER: Final = Meant("brightness=0.2, contrast=0.2, saturation=0.2, hue=0.1")
_ANY_SHARE: Final = Meant("p=0.5")
_TARGETS: Final = _no("masks are arrays under 'masks', and other names pass through")
_FORMULA: Final = _no("it is (image - mean) / std on [0, 1]")
_FEATURES: Final = _no("it takes waveforms, not spectrograms")

ARGUMENTS: Final[dict[str, dict[str, Meant]]] = {
    "GridShuffle": {**dict.fromkeys(("ensure_perm", "allow_pad", "max_steps"), _METHOD), "nb_rows": Meant("grid=(3, 3)"), "nb_cols": Meant("grid=(3, 3)")},
    "RandomCrop": {"p": _no("it always fires")},
    "CenterCrop": {"p": _no("it always fires")},
    "RandomIoUCrop": {"height": _no("ss.Resize((224, 224)) after it has a size"), "width": _no("ss.Resize((224, 224)) after it has a size"), "erosion_factor": _ABSENT},
    "SmallestMaxSize": {"min_size": Meant("size=224")},
    "AddBackground": {
        "noise_rms": _SNR_BACKGROUND, "signal_gain_db_during_noise": _no("ss.Gain(...) changes the waveform"), "signal_gain_in_db_during_noise": _no("ss.Gain(...) changes the waveform"),
        **dict.fromkeys(("min_absolute_rms_db", "max_absolute_rms_db", "min_absolute_noise_rms_db", "max_absolute_noise_rms_db"), _SNR_BACKGROUND),
        **dict.fromkeys(("add_all_noises_with_same_level", "include_silence_in_noise_rms_estimation", "lru_cache_size", "noise_transform"), _METHOD),
        **dict.fromkeys(("burst_probability", "min_pause_factor_during_burst", "max_pause_factor_during_burst", "min_time_between_sounds", "max_time_between_sounds"), _METHOD),
        **dict.fromkeys(("min_fade_in_time", "max_fade_in_time", "min_fade_out_time", "max_fade_out_time"), _METHOD),
        "sounds": _SOUNDS, "sounds_path": _SOUNDS,
        "background_paths": _SOUNDS, "background": _SOUNDS,
        "min_snr_db": _SNR_BACKGROUND, "max_snr_db": _SNR_BACKGROUND, "min_snr_in_db": _SNR_BACKGROUND, "max_snr_in_db": _SNR_BACKGROUND,
    },
    "AddNoise": {
        "mode": _ALONE, "n_fft": _METHOD, "p_apply_a_weighting": _METHOD,
        "min_snr_db": _SNR, "max_snr_db": _SNR, "min_snr_in_db": _SNR, "max_snr_in_db": _SNR, "min_amplitude": _SNR, "max_amplitude": _SNR,
        "waveform": _no("the waveform is the sample"), "noise": _no("the noise is drawn; ss.AddBackground(sounds) adds recordings"), "lengths": _no("it fills the whole waveform"),
        "min_f_decay": Meant("color='pink'"), "max_f_decay": Meant("color='pink'"),
    },
    "AdvancedBlur": {
        **_KERNEL,
        "sigma_x_limit": Meant("sigma_x=(0.2, 1.0)"), "sigma_y_limit": Meant("sigma_y=(0.2, 1.0)"), "rotate_limit": Meant("angle=90"),
        "beta_limit": Meant("beta=(0.5, 8)"), "noise_limit": Meant("noise=(0.9, 1.1)"),
    },
    "Affine": {
        "translate_x": _TRANSLATE, "translate_y": _TRANSLATE, "px": _TRANSLATE, "percent": _TRANSLATE,
        "translate_percent": _TRANSLATE, "translate_px": _TRANSLATE, "shift_limit": _TRANSLATE, "shift_limit_x": _TRANSLATE, "shift_limit_y": _TRANSLATE,
        "height_factor": Meant("translate=0.1, scale=(0.8, 1.2)", "a zoom is scale"), "width_factor": Meant("translate=0.1, scale=(0.8, 1.2)", "a zoom is scale"),
        "scale_limit": Meant("scale=(0.9, 1.1)"), "rotate_limit": Meant("degrees=45"), "keep_ratio": _no("the scale is the same for both sides"), "balanced_scale": _METHOD,
        "x_factor": Meant("shear=10", "in degrees"), "y_factor": Meant("shear=10", "in degrees"),
    },
    "AugMix": {"num_chains": Meant("mixture_width=3"), "factor": Meant("severity=3")},
    "AugmentedDataset": {
        **dict.fromkeys(
            ("batch_size", "shuffle", "num_workers", "sampler", "drop_last", "pin_memory", "collate_fn", "batch_sampler"),
            Meant("", "pass it to loader(dataset, batch_size=32, shuffle=True) of the adapter"),
        ),
        "target_transform": _no("the base changes its labels"),
    },
    "AutoContrast": {"ignore": _ABSENT},
    "BandPass": {
        "sample_rate": Meant("sample_rate=16000"), "min_center_freq": _CENTER, "max_center_freq": _CENTER, "min_center_frequency": _CENTER, "max_center_frequency": _CENTER,
        "min_bandwidth_fraction": Meant("bandwidth=(0.5, 1.99)"), "max_bandwidth_fraction": Meant("bandwidth=(0.5, 1.99)"),
        "min_rolloff": _ROLLOFF, "max_rolloff": _ROLLOFF, "zero_phase": _METHOD, "central_freq": _CENTER,
    },
    "BBoxSafeCrop": {"erosion_factor": Meant("erosion_rate=0.1")},
    "Blur": {**_KERNEL, "normalized": _METHOD},
    "Boxes": {
        "clamping_mode": Meant("clip=True"), "labels_getter": Meant("labels=['labels']"), "min_size": Meant("min_width=1, min_height=1"),
        "format": Meant("format='pascal_voc'", "or 'coco', 'yolo', 'albumentations'"), "label_fields": Meant("labels=['labels']"),
        "filter_invalid_bboxes": Meant("clip=True"), "max_accept_ratio": _ABSENT,
    },
    "Choice": {
        **dict.fromkeys(
            ("transforms", "children", "layers", "augmentations", "transforms_list"), Meant("transforms=[ss.HorizontalFlip(), ss.Transpose()], weights=[1, 2]")
        ),
        "weights": Meant("weights=[1, 2]", "one for each transform"),
    },
    "CLAHE": {
        "clip_limit": Meant("clip=4.0"), "tile_grid_size": Meant("tiles=(8, 8)"), "grid_size": Meant("tiles=(8, 8)"), "tile_grid_size_px": Meant("tiles=(8, 8)"),
        "tile_grid_size_px_min": Meant("tiles=(8, 8)"), "slow_and_differentiable": _METHOD,
    },
    "ChannelDropout": {"nb_keep_channels": Meant("count=1"), "channel_drop_range": Meant("count=1"), "num_drop_channels": Meant("count=1")},
    "ChannelShuffle": {"channels": _no("all channels are shuffled")},
    "Clipping": {"min_percentile_threshold": Meant("share=(0.0, 0.4)"), "max_percentile_threshold": Meant("share=(0.0, 0.4)")},
    "CoarseDropout": {
        "bbox_labels": _ABSENT, "mask_indices": _ABSENT,
        "num_holes_range": _HOLES, "num_holes": _HOLES, "max_holes": _HOLES, "min_holes": _HOLES, "nb_iterations": _HOLES, "n_holes": _HOLES,
        "hole_height_range": _HOLE, "hole_width_range": _HOLE, "max_height": _HOLE, "min_height": _HOLE, "max_width": _HOLE, "min_width": _HOLE, "size": _HOLE,
        "length": _HOLE, "size_px": _HOLE, "size_percent": _HOLE, "min_size": _HOLE, "squared": _HOLE, "fill_mode": Meant("fill=0.0"), "fill_per_channel": _CHANNELS,
    },
    "ColorJitter": {
        "mul": _JITTER, "mul_hue": _JITTER, "mul_saturation": _JITTER,
        "brightness_factor": _JITTER, "contrast_factor": _JITTER, "saturation_factor": _JITTER, "hue_factor": _JITTER, "factor": _JITTER,
        "order": _no("the order is drawn"),
    },
    "Compose": {
        **dict.fromkeys(("disable_item_features", "disable_sequential_features", "if_unsupported_ops"), _ABSENT), "same_on_frame": _no("all frames of a video get the same"),
        "bbox_params": Meant("boxes=ss.Boxes('coco', labels=['labels'])", "'pascal_voc', 'yolo' and 'albumentations' are formats too"),
        "keypoint_params": Meant("keypoints=ss.Keypoints(outside='drop')"), "p": _no("ss.RandomApply([...], p=0.5) inside it has a probability"),
        "additional_targets": _TARGETS, "strict": _no("arguments are always checked"), "save_applied_params": _no("params(key, shape) of the Compose lists what was drawn"),
        "save_key": _no("params(key, shape) of the Compose lists what was drawn"), "transform": Meant("transforms=[ss.HorizontalFlip()]"),
        "args": Meant("transforms=[ss.HorizontalFlip()]"), "random_apply": _no("an order that changes with the key is ss.SomeOf([...], n=...)"),
        "random_apply_weights": _no("ss.Choice([...], weights=[...]) draws one"), "transformation_matrix_mode": _ABSENT, "extra_args": _ABSENT, "name": _no("transforms have names"),
    },
    "CopyPaste": {"blend": _ABSENT, "sigma": _ABSENT},
    "Crop": {
        **dict.fromkeys(("x_min", "y_min", "x_max", "y_max", "top", "left", "height", "width", "size"), _CROP),
        **dict.fromkeys(("px", "percent", "keep_size", "sample_independently"), Meant("", "pass them to ss.CropAndPad")),
        **dict.fromkeys(("pad_if_needed", "border_mode", "fill", "pad_position"), _no("ss.PadIfNeeded(size) before it pads")),
    },
    "CutMix": {"factor": Meant("alpha=1.0"), "cut_size": Meant("alpha=1.0"), "num_mix": _METHOD, "use_correct_lambda": _METHOD, "beta": Meant("alpha=1.0")},
    "Defocus": {"alias_blur": Meant("blur=(0.1, 0.5)")},
    "Downscale": {
        "scale_range": Meant("scale=0.25"), "scale_min": Meant("scale=0.25"), "scale_max": Meant("scale=0.25"),
        "interpolation_pair": Meant("down='area', up='bilinear'"), "interpolation": Meant("down='area', up='bilinear'"),
    },
    "ElasticTransform": {
        "alpha_affine": _no("ss.Affine(...) before it does that"), "kernel_size": _no("it follows from sigma"), "factor": Meant("p=0.5"), "scale": Meant("alpha=50.0, sigma=5.0"),
        "num_control_points": _METHOD,
    },
    "Equalize": {"mode": Meant("method='pillow'"), "by_channels": _METHOD, "mask": _ABSENT, "mask_params": _ABSENT},
    "FrequencyMask": {
        "n_freq_masks": Meant("count=2"), "n_time_masks": _no("ss.TimeMask(100, count=2) has it"), "time_mask_param": _no("ss.TimeMask(100) has it"), "zero_masking": Meant("fill=0.0"),
        "freq_mask_param": _WIDTH, "iid_masks": _ALONE, "num_masks": Meant("count=1"), "min_frequency_band": _WIDTH, "max_frequency_band": _WIDTH, "max_mask": _WIDTH,
    },
    "Gain": {**dict.fromkeys(("min_gain_db", "max_gain_db", "min_gain_in_db", "max_gain_in_db", "gain", "gain_db"), _GAIN_DB), "gain_type": _GAIN_DB, "mode": _ALONE},
    "GainTransition": {
        **dict.fromkeys(("fade_in_len", "fade_out_len", "fade_shape"), Meant("duration=(0.1, 1.0)", "in shares of the length")),
        **dict.fromkeys(("min_gain_db", "max_gain_db", "min_gain_in_db", "max_gain_in_db"), _FADE),
        **dict.fromkeys(("min_duration", "max_duration", "duration_unit"), Meant("duration=(0.1, 1.0)", "in shares of the length")),
    },
    "Gamma": {"gamma_limit": Meant("gamma=0.2"), "gain": _ABSENT},
    "GaussianBlur": {
        **_KERNEL,
        "sigma_limit": Meant("sigma=(0.1, 2.0)"), "factor": Meant("p=0.5"), "radius": Meant("sigma=(0.1, 2.0)"),
    },
    "GaussianNoise": {
        **dict.fromkeys(("approximation", "noise_type"), _METHOD), "noise_params": _STD, "value": _STD, "spatial_mode": Meant("per_channel=True"),
        "var_limit": Meant("variance=(10, 50)", "in steps of the image's values, squared"), "std_range": _STD,
        "scale": _STD, "sigma": _STD,
        "stddev": _STD, **dict.fromkeys(("mean", "loc", "mean_range"), _no("the mean is 0")), "noise_scale_factor": _METHOD,
        "min_amplitude": Meant("std=(0.001, 0.015)"), "max_amplitude": Meant("std=(0.001, 0.015)"),
    },
    "GlassBlur": {"max_delta": Meant("reach=4"), "iterations": Meant("rounds=2"), "mode": _METHOD},
    "GridDropout": {
        "unit_size_range": _UNIT, "unit_size_min": _UNIT, "unit_size_max": _UNIT, "holes_number_xy": _UNIT, "holes_number_x": _UNIT, "holes_number_y": _UNIT,
        "random_offset": Meant("shifted=True"), "shift_xy": Meant("shifted=True"),
    },
    "HighPass": {"sample_rate": Meant("sample_rate=16000"), **dict.fromkeys(("min_cutoff_freq", "max_cutoff_freq", "cutoff_freq"), _CUTOFF), "min_rolloff": _ROLLOFF, "max_rolloff": _ROLLOFF, "zero_phase": _METHOD},
    "HorizontalFlip": {"mode": Meant("", "ss.HorizontalFlip() and ss.VerticalFlip() are two transforms")},
    "HueSaturationValue": {
        "add": Meant("value=20"),
        "hue_shift_limit": Meant("hue=20"), "sat_shift_limit": Meant("saturation=30"), "val_shift_limit": Meant("value=20"), "value_hue": Meant("hue=20"),
        "value_saturation": Meant("saturation=30"),
    },
    "ImageCompression": {
        **dict.fromkeys(("quality_range", "quality_lower", "quality_upper", "jpeg_quality", "compression"), Meant("quality=(50, 95)")),
        "compression_type": Meant("file_format='jpeg'"),
    },
    "Invert": {"threshold": Meant("", "ss.Solarize(threshold) has one"), "invert_above_threshold": Meant("", "ss.Solarize(threshold) has one"), "factor": _ANY_SHARE},
    "Keypoints": {
        "labels_getter": Meant("labels=['names']"),
        "format": _no("keypoints are (x, y, ...) of pixel centres"), "label_fields": Meant("labels=['names']"), "remove_invisible": Meant("outside='drop'"),
        "angle_in_degrees": _no("values after x and y pass through"),
    },
    "LetterBox": {"new_shape": Meant("size=640"), "scaleup": Meant("scale_up=True"), "color": Meant("fill=114"), "scaleFill": Meant("scale_fill=True")},
    "LinearColorJitter": {"order": _no("the order is drawn")},
    "LowPass": {"sample_rate": Meant("sample_rate=16000"), **dict.fromkeys(("min_cutoff_freq", "max_cutoff_freq", "cutoff_freq"), Meant("cutoff=(150, 7500)")), "min_rolloff": _ROLLOFF, "max_rolloff": _ROLLOFF, "zero_phase": _METHOD},
    "MedianBlur": _KERNEL,
    "MixUp": {"lambda_val": Meant("alpha=1.0"), "mix_coef_range": Meant("alpha=1.0"), "factor": Meant("alpha=1.0")},
    "Mosaic": {
        "padding_mode": Meant("fill=0.5"),
        "size": Meant("size=640"), "grid_yx": _no("four images share it"), "target_size": Meant("size=512"), "cell_shape": Meant("size=512"), "center_range": Meant("centre=(0.3, 0.7)"),
        "fit_mode": _METHOD, "interpolation": _METHOD, "output_size": Meant("size=640"), "mosaic_grid": _no("four images share it"), "start_ratio_range": Meant("centre=(0.3, 0.7)"),
        "min_bbox_size": Meant("", "pass boxes=ss.Boxes(min_area=...) to the Compose"), "imgsz": Meant("size=640"), "n": _no("four images share it"),
    },
    "MotionBlur": {**_KERNEL, "allow_shifted": Meant("shifted=True"), "angle_range": Meant("angle=(0, 360)"), "direction_range": Meant("direction=(-1, 1)"), "order": _METHOD},
    "MultiplicativeNoise": {"multiplier": Meant("factor=(0.9, 1.1)"), "mul": Meant("factor=(0.9, 1.1)"), "elementwise": Meant("per_pixel=True")},
    "Normalize": {
        "mean": _IMAGENET, "std": _IMAGENET, "normalization": _FORMULA, "axis": _no("the channels are the last axis"), "variance": _IMAGENET, "invert": _FORMULA, "scale": _IMAGENET,
        "apply_to": Meant("", "a waveform's peak is ss.PeakNormalize()"), "p": _no("it always fires"),
    },
    "OneOf": {"first": Meant("transforms=[ss.HorizontalFlip(), ss.Transpose()]"), "second": Meant("transforms=[ss.HorizontalFlip(), ss.Transpose()]"), "weights": Meant("", "ss.Choice([...], weights=[...]) has weights")},
    "OpticalDistortion": {"shift_limit": _ABSENT},
    "Pad": {
        "padding": Meant("padding=4"), "px": Meant("padding=4"), "size": Meant("padding=4", "ss.PadIfNeeded(size) pads to a size"), "percent": Meant("", "ss.CropAndPad(percent=...) pads by shares"),
        "keep_size": Meant("", "ss.CropAndPad(px=...) keeps the size"), "sample_independently": Meant("", "ss.CropAndPad(px=...) draws"), "p": _no("it always fires"),
    },
    "PadIfNeeded": {
        "crop_if_exceeds": _no("ss.CenterCrop(size) after it crops"), "height_multiple": Meant("divisor=32"), "width_multiple": Meant("divisor=32"),
        "min_height": Meant("size=(224, 224)", "height, width"), "min_width": Meant("size=(224, 224)", "height, width"), "pad_height_divisor": Meant("divisor=32"), "pad_width_divisor": Meant("divisor=32"),
    },
    "Perspective": {"factor": Meant("p=0.5"), "order": Meant("interpolation='bilinear'")},
    "PeakNormalize": {"min_lufs": Meant("peak=1.0"), "max_lufs": Meant("peak=1.0"), "mode": _ALONE, "apply_to": _METHOD},
    "PhotoMetricDistortion": {**dict.fromkeys(("brightness_delta",), Meant("brightness=32")), "contrast_range": Meant("contrast=(0.5, 1.5)"), "saturation_range": Meant("saturation=(0.5, 1.5)"), "hue_delta": Meant("hue=18")},
    "PitchShift": {
        **dict.fromkeys(("n_steps", "min_semitones", "max_semitones", "min_transpose_semitones", "max_transpose_semitones"), _TONES),
        **dict.fromkeys(("bins_per_octave", "n_fft", "win_length", "hop_length", "window_fn", "wkwargs"), _METHOD), "mode": _ALONE,
    },
    "PixelDropout": {
        "dropout_prob": Meant("share=0.01"), "drop_value": Meant("fill=0.0"), "mask_drop_value": Meant("mask_fill=0"), "rate": Meant("share=0.01"),
    },
    "PolarityInversion": {"mode": _ALONE},
    "PolicyOp": {"op": Meant("op='Rotate', span=(0, 30)"), "magnitude": Meant("span=(0, 30)")},
    "Posterize": {"num_bits": Meant("bits=4"), "nb_bits": Meant("bits=4"), "max_size": _ABSENT, "interpolation": _ABSENT},
    "RGBShift": {
        **dict.fromkeys(("r_shift_limit", "r_shift"), Meant("red=20")), **dict.fromkeys(("g_shift_limit", "g_shift"), Meant("green=20")),
        **dict.fromkeys(("b_shift_limit", "b_shift"), Meant("blue=20")),
    },
    "RandAugment": {"m": Meant("magnitude=9"), "factor": Meant("magnitude=9"), "policy": _no("it draws from all of its operations"), "value_range": _RANGE},
    "RandomApply": {"then_list": Meant("transforms=[ss.HorizontalFlip()]"), "else_list": Meant("", "ss.OneOf([...]) applies one of several")},
    "RandomBrightnessContrast": {
        "add": _BRIGHTER, "mul": Meant("brightness=0.0, contrast=0.3"),
        "brightness_limit": Meant("brightness=0.2"), "contrast_limit": Meant("contrast=0.2"), "brightness_by_max": Meant("by_max=True"), "value": _BRIGHTER, "factor": _BRIGHTER,
        "alpha": Meant("brightness=0.0, contrast=0.4"), "brightness_factor": _BRIGHTER, "contrast_factor": Meant("brightness=0.0, contrast=0.2"),
    },
    "RandomErasing": {"factor": _ANY_SHARE, "sl": Meant("scale=(0.02, 0.33)"), "sh": Meant("scale=(0.02, 0.33)")},
    "RandomRotate90": {"k": _no("it draws 0, 1, 2 or 3"), "factor": _no("it draws 0, 1, 2 or 3"), "times": _no("it draws 0, 1, 2 or 3"), "keep_size": _no("the sides of the image are swapped; ss.D4 and square images keep the size")},
    "RandomScale": {
        "scale_limit": Meant("scale=(0.9, 1.1)"), "scale_range": Meant("scale=(0.9, 1.1)"), "target_size": Meant("scale=(0.1, 2.0), size=640"), "min_size": Meant("sizes=[256, 320], between=True"),
    },
    "RandomSegment": {**dict.fromkeys(("duration_samples", "duration_seconds", "min_fraction", "max_fraction"), _LENGTH), **dict.fromkeys(("mode", "pad_section", "padding_mode", "padding_position"), Meant("length=16000, pad_if_needed=True")), "p": _no("it always fires"), "length": _LENGTH, "duration": _LENGTH, "num_samples": _LENGTH},
    "RandomSizedCrop": {"min_max_height": Meant("heights=(128, 224)"), "heights": Meant("heights=(128, 224)"), "w2h_ratio": Meant("ratio=1.0")},
    "Resize": {
        "crop_to_aspect_ratio": Meant("", "ss.SmallestMaxSize(size), ss.CenterCrop(size) crop instead"), "pad_to_aspect_ratio": Meant("", "ss.LetterBox(size) pads instead"),
        "side": Meant("", "ss.SmallestMaxSize(size) resizes by the shorter side, ss.LongestMaxSize(size) by the longer"), "fill_mode": Meant("", "ss.LetterBox(size) pads"),
        "fill_value": Meant("", "ss.LetterBox(size) pads"), "keep_aspect_ratio": Meant("size=(224, 224), keep_ratio=True"),
    },
    "Rotate": {"limit": Meant("degrees=(-20, 20)"), "factor": Meant("degrees=(-20, 20)", "in degrees, not in turns"), "scale": Meant("", "ss.Affine(degrees, scale=...) scales too")},
    "SaltAndPepper": {"salt_vs_pepper": Meant("salt=(0.4, 0.6)"), "noise_level": Meant("amount=(0.01, 0.06)")},
    "Sharpen": {"blur_limit": _METHOD, "sigma_limit": _METHOD, "threshold": _ABSENT, **dict.fromkeys(("sharpness", "sharpness_factor", "factor"), Meant("alpha=(0.2, 0.5)")), "kernel_size": _METHOD, "sigma": _METHOD},
    "ShotNoise": {"scale_range": Meant("scale=(0.1, 0.3)"), "lam": Meant("scale=(0.1, 0.3)")},
    "Solarize": {
        **dict.fromkeys(("threshold_range", "threshold_factor", "thresholds"), Meant("threshold=0.5", "a share of the range: 128 is 0.5")),
        **dict.fromkeys(("additions", "addition_factor", "invert_above_threshold"), _ABSENT),
    },
    "SomeOf": {"n": Meant("n=2"), "k": Meant("n=2"), "num_ops": Meant("n=2")},
    "TemporalSample": {
        "n_frames": Meant("n_frames=8"), "num_samples": Meant("n_frames=8"), "clip_len": Meant("n_frames=8"), "num_frames": Meant("n_frames=8"), "frame_interval": Meant("stride=2"),
        "num_clips": Meant("segments=2"), "temporal_dim": _no("a video is (T, H, W, C)"),
    },
    "Reverse": {"mode": _ALONE},
    "TimeMask": {
        "time_mask_param": Meant("width=(0, 100)"), "iid_masks": _ALONE, "num_masks": Meant("count=2"), "min_band_part": Meant("width=(0, 100)", "in samples"),
        "max_band_part": Meant("max_share=0.2"), "fade_duration": _ABSENT, "fade": _ABSENT, "mask_location": _METHOD,
    },
    "TimeShift": {
        **dict.fromkeys(("min_shift", "max_shift", "min_fraction", "max_fraction", "shift_unit"), _SHIFT), "fade_duration": _ABSENT, "mode": _ALONE, "fade": _ABSENT,
    },
    "DropChunk": {
        **dict.fromkeys(("drop_length_low", "drop_length_high"), Meant("length=(100, 1000)")), **dict.fromkeys(("drop_count_low", "drop_count_high"), Meant("count=(1, 3)")),
        **dict.fromkeys(("min_band_part", "max_band_part"), Meant("length=(0.0, 0.5)")), "noise_factor": _no("chunks are silent"), "drop_start": _ABSENT, "drop_end": _ABSENT, "fade_duration": _ABSENT,
    },
    "DropFreq": {
        **dict.fromkeys(("drop_freq_low", "drop_freq_high"), Meant("frequency=(0.0, 1.0)")), **dict.fromkeys(("drop_freq_count_low", "drop_freq_count_high"), Meant("count=(1, 3)")),
        "drop_freq_width": Meant("width=0.1", "twice as much"), "sample_rate": _no("frequencies are shares of half the sample rate"),
    },
    "SpeedPerturb": {
        "speeds": Meant("factors=(1.05, 1.0, 0.95)", "100 / speed"), **dict.fromkeys(("orig_freq", "sample_rate"), _no("factors are enough")), "leave_length_unchanged": Meant("keep_length=True"),
        **dict.fromkeys(("min_sample_rate", "max_sample_rate"), Meant("factors=(0.5, 1.0, 2.0)", "the sound's sample rate / the new one")),
    },
    "TimeStretch": {
        "factors": _RATE, "orig_freq": Meant("sample_rate=16000"), "min_sample_rate": _RATE, "max_sample_rate": _RATE,
        **dict.fromkeys(("fixed_rate", "min_rate", "max_rate"), _RATE), "leave_length_unchanged": Meant("keep_length=True"), "hop_length": _FEATURES, "n_freq": _FEATURES,
    },
    "ToCHW": {"transpose_mask": _no("masks keep their layout"), "p": _no("it always fires")},
    "ToFloat": {**dict.fromkeys(("max_value", "scale", "offset"), _no("uint8 is divided by 255")), "p": _no("it always fires")},
    "ToGray": {"method": _METHOD, "rgb_weights": _METHOD, "alpha": _ANY_SHARE, "factor": _ANY_SHARE},
    "ToneCurve": {"cutoff": Meant("scale=0.1"), "gain": Meant("scale=0.1"), "shift_limit": Meant("scale=0.1")},
    "XYMasking": {"num_masks_x": _COLUMNS, "mask_x_length": _COLUMNS, "num_masks_y": _ROWS, "mask_y_length": _ROWS},
}  # fmt: skip
"""The equivalents of arguments, by our class. A required argument of its own has an example of what to pass."""


def equivalent(kind: str, name: str, takes: Mapping[str, Any]) -> Meant | None:
    """Return the equivalent of an argument in one of our classes or functions, or None.

    Args:
        kind: the name of the class.
        name: the argument that it does not take, or that it lacks.
        takes: its arguments by name.

    Example:
        >>> equivalent("Rotate", "limit", {"degrees": 0}).call
        'degrees=(-20, 20)'
    """
    own = ARGUMENTS.get(kind, {})
    if name in own:
        return own[name]
    for one in EVERYWHERE.get(name, ()):
        if not one.call or one.call.partition("=")[0] in takes:
            return one
    return None


def explanation(
    called: str, call: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> str:
    """Return why a class or function cannot be called with these arguments, what to pass instead, and what it takes.

    Args:
        called: the name of the class or function.
        call: the function, or the class's ``__init__``.
        args: the arguments by position.
        named: the arguments by name.

    Example:
        >>> def turn(image, *, degrees): ...
        >>> explanation("turn", turn, (), {"image": 0, "degree": 20})
        'turn has no degree: did you mean degrees? It takes image, and by name degrees'
    """
    takes = {name: one for name, one in inspect.signature(call).parameters.items() if name != "self"}
    first = [one.name for one in takes.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    passed_on = next((one.name for one in takes.values() if one.kind is one.VAR_KEYWORD), None)
    unknown = [one for one in named if one not in takes] if passed_on is None else []
    twice = [one for one in first[: len(args)] if one in named]
    if unknown:
        fault, advice = f"has no {' and no '.join(unknown)}", _advice(called, unknown, takes)
    elif len(args) > len(first):
        given = f"got {len(args)} value{'s' * (len(args) > 1)}"
        fault = f"takes {_list(first) or 'nothing'} by position, {given}"
        advice = _by_name(called, first, args, takes)
    elif twice:
        fault, advice = f"got {_list(twice)} twice", "pass it once"
    else:
        needed = [
            one.name
            for one in takes.values()
            if one.default is one.empty
            and one.kind is not one.VAR_KEYWORD
            and one.name not in (*named, *first[: len(args)])
        ]
        fault, advice = f"needs {_list(needed)}", _advice(called, needed, takes)
    options = [one.name for one in takes.values() if one.kind is one.KEYWORD_ONLY]
    options += [] if passed_on is None else [f"further {passed_on}"]
    by_name = ", ".join(sorted(options, key="name".__eq__))  # a stream's name comes last
    all_names = ", and by name ".join(filter(None, [", ".join(first), by_name])) or "nothing"
    end = f"{advice} It" if advice.endswith("?") else f"{advice}; it" if advice else "it"
    return f"{called} {fault}: {end} takes {all_names}"


def _list(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def _advice(kind: str, names: list[str], takes: Mapping[str, Any]) -> str:
    """Return what to pass instead of these names, or for them."""
    calls: dict[str, None] = {}
    notes: dict[str, None] = {}
    for name in names:
        meant = equivalent(kind, name, takes)
        if meant is None:
            near = get_close_matches(name, takes, 1, 0.7)
            notes |= dict.fromkeys(f"did you mean {one}?" for one in near if one != name)
        elif meant.call:
            calls[f"{meant.call} ({meant.note})" if meant.note else meant.call] = None
        else:
            notes[meant.note.replace("leave it", f"leave {name}") if len(names) > 1 else meant.note] = None
    return "; ".join([*([f"pass {', '.join(calls)}"] if calls else []), *notes])


def _by_name(kind: str, first: list[str], args: tuple[Any, ...], takes: Mapping[str, Any]) -> str:
    """Return what to do with more values by position than it takes."""
    needs_seed = "seed" in takes and takes["seed"].default is takes["seed"].empty
    if needs_seed and len(args) == len(first) + 1:
        return f"pass seed={args[-1]!r} by name"
    if first == ["transforms"] and not isinstance(args[0], list | tuple | int):
        return f"put them in a list, {kind}([...])"
    if first == ["transforms"] and isinstance(args[0], int) and "n" in takes:
        return f"pass the list first, and n={args[0]!r} by name"
    if first == ["size"] and all(type(one) is int for one in args[:2]):
        return f"pass size={args[:2]!r} (height, width)"
    if not first and "p" in takes and isinstance(args[0], int | float):
        return f"pass p={args[0]!r}"
    return (
        f"pass {'the others' if first else 'them'} by name"
        if len(takes) > len(first)
        else "leave the others out"
    )
