"""Keypoints and boxes of imgaug hold coordinates; only its augmenters draw."""

import imgaug as ia
from imgaug.augmentables import Keypoint, KeypointsOnImage
from imgaug.augmentables.segmaps import SegmentationMapsOnImage
from torch.utils.data import Dataset


class Faces(Dataset):
    def __init__(self, images, points, boxes, masks):
        self.images = images
        self.points = points
        self.boxes = boxes
        self.masks = masks

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = ia.imresize_single_image(self.images[index], (128, 128)).copy()
        points = KeypointsOnImage([Keypoint(x, y) for x, y in self.points[index]], shape=image.shape)
        points = points.on((64, 64)).shift(x=1)
        boxes = ia.BoundingBoxesOnImage(self.boxes[index], shape=image.shape).remove_out_of_image()
        mask = SegmentationMapsOnImage(self.masks[index], shape=image.shape).resize((64, 64)).get_arr()
        return image, points.to_xy_array(), boxes.clip_out_of_image().to_xyxy_array(), mask
