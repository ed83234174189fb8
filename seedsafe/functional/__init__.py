"""Plain functions without randomness: arrays in, arrays out.

Inputs are never changed. A result is a view of the input only where the function's docstring says so.
"""

from seedsafe.functional.affine import warp, warp_boxes, warp_points
from seedsafe.functional.bands import filter_band, stop_bands
from seedsafe.functional.blur import box_blur, convolve, gaussian_blur, glass_blur, median_blur
from seedsafe.functional.camera import iso_noise, shot_noise
from seedsafe.functional.channels import (
    drop_channels,
    scale_channels,
    shift_channels,
    shift_principal,
    shuffle_channels,
    to_grey,
    to_sepia,
)
from seedsafe.functional.clip import clip_frames
from seedsafe.functional.distort import distort_boxes, distort_points, way_back
from seedsafe.functional.erase import (
    fill_holes,
    grid_holes,
    grid_tiles,
    shuffle_boxes,
    shuffle_points,
    shuffle_tiles,
    visible_boxes,
)
from seedsafe.functional.flip import (
    horizontal_flip,
    horizontal_flip_boxes,
    horizontal_flip_points,
    vertical_flip,
    vertical_flip_boxes,
    vertical_flip_points,
)
from seedsafe.functional.grain import drop_pixels, multiplicative_noise, salt_and_pepper
from seedsafe.functional.histogram import autocontrast, equalize, equalize_adaptively
from seedsafe.functional.hue import adjust_hsv, rotate_hue
from seedsafe.functional.jitter import (
    adjust_brightness,
    adjust_contrast,
    adjust_saturation,
    color_jitter,
    jitter_matrix,
)
from seedsafe.functional.kernels import bell_kernel, disk_kernel, emboss_kernel, line_kernel, sharpen_kernel
from seedsafe.functional.lattice import Folded, Sheet, elastic_sheet
from seedsafe.functional.loudness import (
    add_noise,
    change_gain,
    clip_loudest,
    colored_noise,
    gain_transition,
    mix_at_snr,
    normalize_peak,
    rms,
)
from seedsafe.functional.masking import mask_bands
from seedsafe.functional.noise import add_gaussian_noise, gaussian_noise
from seedsafe.functional.photometric import distort, multiply_saturation
from seedsafe.functional.pillow import (
    add_below,
    enhance_brightness,
    enhance_color,
    enhance_contrast,
    enhance_sharpness,
    invert_from,
    transform_affine,
)
from seedsafe.functional.quality import compress, downscale
from seedsafe.functional.remap import remap
from seedsafe.functional.resize import resize, resize_boxes, resize_points
from seedsafe.functional.sound import amplify, drop_chunks, invert_polarity, reverse, segment, shift_time
from seedsafe.functional.speed import change_speed, length_at_speed
from seedsafe.functional.stretch import shift_pitch, stretch_time
from seedsafe.functional.tones import adjust_gamma, adjust_tones, bend_tones, invert, posterize, solarize
from seedsafe.functional.turn import (
    quarter_turn,
    quarter_turn_boxes,
    quarter_turn_points,
    transpose,
    transpose_boxes,
    transpose_points,
)
from seedsafe.functional.values import normalize, normalize_chw, to_chw, to_float
from seedsafe.functional.window import crop, pad, shift_boxes, shift_points

__all__ = [
    "Folded",
    "Sheet",
    "add_below",
    "add_gaussian_noise",
    "add_noise",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hsv",
    "adjust_saturation",
    "adjust_tones",
    "amplify",
    "autocontrast",
    "bell_kernel",
    "bend_tones",
    "box_blur",
    "change_gain",
    "change_speed",
    "clip_frames",
    "clip_loudest",
    "color_jitter",
    "colored_noise",
    "compress",
    "convolve",
    "crop",
    "disk_kernel",
    "distort",
    "distort_boxes",
    "distort_points",
    "downscale",
    "drop_channels",
    "drop_chunks",
    "drop_pixels",
    "elastic_sheet",
    "emboss_kernel",
    "enhance_brightness",
    "enhance_color",
    "enhance_contrast",
    "enhance_sharpness",
    "equalize",
    "equalize_adaptively",
    "fill_holes",
    "filter_band",
    "gain_transition",
    "gaussian_blur",
    "gaussian_noise",
    "glass_blur",
    "grid_holes",
    "grid_tiles",
    "horizontal_flip",
    "horizontal_flip_boxes",
    "horizontal_flip_points",
    "invert",
    "invert_from",
    "invert_polarity",
    "iso_noise",
    "jitter_matrix",
    "length_at_speed",
    "line_kernel",
    "mask_bands",
    "median_blur",
    "mix_at_snr",
    "multiplicative_noise",
    "multiply_saturation",
    "normalize",
    "normalize_chw",
    "normalize_peak",
    "pad",
    "posterize",
    "quarter_turn",
    "quarter_turn_boxes",
    "quarter_turn_points",
    "remap",
    "resize",
    "resize_boxes",
    "resize_points",
    "reverse",
    "rms",
    "rotate_hue",
    "salt_and_pepper",
    "scale_channels",
    "segment",
    "sharpen_kernel",
    "shift_boxes",
    "shift_channels",
    "shift_pitch",
    "shift_points",
    "shift_principal",
    "shift_time",
    "shot_noise",
    "shuffle_boxes",
    "shuffle_channels",
    "shuffle_points",
    "shuffle_tiles",
    "solarize",
    "stop_bands",
    "stretch_time",
    "to_chw",
    "to_float",
    "to_grey",
    "to_sepia",
    "transform_affine",
    "transpose",
    "transpose_boxes",
    "transpose_points",
    "vertical_flip",
    "vertical_flip_boxes",
    "vertical_flip_points",
    "visible_boxes",
    "warp",
    "warp_boxes",
    "warp_points",
    "way_back",
]
