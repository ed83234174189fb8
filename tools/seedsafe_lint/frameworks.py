"""What the linter knows about frameworks: which base classes are datasets, and which names belong to which."""

import re

from seedsafe_lint.known import words

__all__ = ["framework_in", "framework_of", "kind_of_base"]

_TORCHVISION = re.compile(
    r"(torchvision|torchaudio|torchtext)\.datasets?\.|^datasets\.[A-Z]|^dset\.[A-Z]|torch_geometric\.(data|datasets)\."
)
_NAMED = re.compile(
    r"(Data[sS]et\w*|_dataset|ImageFolder|DatasetFolder|^(CIFAR|MNIST|FashionMNIST|EMNIST|KMNIST|QMNIST|SVHN|STL|VOC|Coco|Kitti|"
    r"Imagenet|ImageNet|LSUN|CelebA|Cityscapes|Omniglot|Places|Food|SBD|UCF|HMDB|Kinetics|LSUN|USPS|Caltech)\w*|Subset)$"
)
_OTHER = re.compile(
    r"(Module|Layer|Model|Callback|Sampler|DataLoader|Env|Wrapper|Optimizer|Scheduler|LightningModule|LightningDataModule|"
    r"DataModule|TestCase|Enum|Thread|Process|Loss|Metric|Policy|Agent|Estimator|Buffer|Memory|Network|Net)$"
)


def kind_of_base(name: str) -> str:
    """Return what a base class of a library, or one that cannot be seen, makes of its subclasses.

    Args:
        name: Its dotted name; ``?.Name`` where it cannot be resolved.

    Returns:
        ``map``, ``iterable``, ``keras``, ``iterator``, ``transform``, ``albumentations``, ``module``, ``main`` (runs in the main process) or
        an empty string.

    Example:
        >>> kind_of_base("torch.utils.data.IterableDataset"), kind_of_base("keras.utils.Sequence")
        ('iterable', 'keras')
    """
    last = name.rpartition(".")[2]
    keras = "keras" in name or name.startswith("?.")
    if last in ("PyDataset", "Sequence") and keras:
        return "keras"
    if last in ("ImageDataGenerator", "BatchFromFilesMixin") or (last.endswith("Iterator") and keras):
        return "iterator"
    if last in ("ImageOnlyTransform", "DualTransform", "BasicTransform", "Transform3D") or name.startswith(
        "albumentations."
    ):
        return "albumentations"
    if "Iterable" in last and last != "Iterable":
        return "iterable"
    if last in ("IterDataPipe", "IterableDataset"):
        return "iterable"
    if last in ("BaseTransform", "RandomTransform", "IntensityTransform", "SpatialTransform"):
        return "transform"
    if last == "Module":
        return "module"
    if name.startswith("tensorflow.data") or last in ("DataFlow", "RNGDataFlow"):
        return ""
    if _TORCHVISION.search(name) or _NAMED.search(last) or last.lower().endswith("dataset"):
        return "map"
    if _OTHER.search(last):
        return "main"
    return ""


_ON_TORCH = words("""
    torch torchvision torchaudio torchtext torch_geometric pytorch_lightning lightning monai mmcv mmengine
    mmdet mmdet3d mmseg mmaction mmpose mmcls mmpretrain detectron2 fairseq timm kornia espnet2 speechbrain
    transformers accelerate dgl torchio ignite
""")


def framework_of(name: str) -> str:
    """Return ``torch``, ``keras`` or another framework that a dotted name belongs to; empty if none."""
    head = name.partition(".")[0]
    if head in ("keras", "tensorflow", "tf_keras", "keras_preprocessing") or ".keras." in name:
        return "keras"
    if head in _ON_TORCH:
        return "torch"
    if head in ("mxnet", "gluoncv", "chainer", "paddle", "mindspore", "tensorpack"):
        return head
    return ""


def framework_in(text: str) -> str:
    """Return the framework that a file imports; torch where it imports several, empty if none.

    Example:
        >>> framework_in("import numpy\\nfrom torch.utils.data import Dataset")
        'torch'
    """
    names = re.findall(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)", text, re.MULTILINE)
    found = {framework_of(name) for name in names} - {""}
    return next((name for name in ("torch", "keras") if name in found), min(found, default=""))
