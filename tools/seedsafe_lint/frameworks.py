"""Base classes and names of the frameworks."""

import re
from collections.abc import Iterable

from seedsafe_lint.known import either, words

__all__ = ["framework_of", "framework_of_all", "imports", "kind_of_base"]

_DATASETS = """
    CIFAR MNIST FashionMNIST EMNIST KMNIST QMNIST SVHN STL VOC Coco Kitti Imagenet ImageNet LSUN CelebA
    Cityscapes Omniglot Places Food SBD UCF HMDB Kinetics USPS Caltech
"""
_MAIN = """
    Module Layer Model Callback Sampler DataLoader Env Wrapper Optimizer Scheduler TestCase Enum Thread Process
    Loss Metric Policy Agent Estimator Buffer Memory Network Net
"""
_LAST = r"(?:.*\.)?"  # before the last part of a dotted name
_KERAS = r"(?=.*keras|\?\.)"
_KINDS = [
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("keras", rf"{_KERAS}{_LAST}(PyDataset|Sequence)$"),
        ("iterator", rf"{_LAST}(ImageDataGenerator|BatchFromFilesMixin)$|{_KERAS}.*Iterator$"),
        (
            "albumentations",
            rf"albumentations\.|{_LAST}({either('ImageOnly Dual Basic')}Transform|Transform3D)$",
        ),
        ("collator", rf"{_LAST}DataCollator\w*$"),
        ("fastai", r"(?=.*fastai|\?\.)(.*\.)?(Item|Rand|Disp\w*|InplaceR?)?Transform$"),
        ("grain", r"grain\..*(Map|MapWithIndex|RandomMap|Filter|FlatMap)(Transform)?$"),
        ("iterable", rf"{_LAST}(\w*Iterable\w+|\w+Iterable|IterDataPipe)$"),
        (
            "transform",
            rf"{_LAST}{either('Base Random Intensity Spatial Randomizable')}Transform$|monai\.transforms\.",
        ),
        ("module", rf"{_LAST}Module$"),
        ("", rf"tensorflow\.data|{_LAST}(RNG)?DataFlow$"),
        ("map", r".*(torchvision|torchaudio|torchtext)\.datasets?\.|(datasets|dset)\.[A-Z]"),
        (
            "map",
            r".*torch_geometric\.(data|datasets)\.|.*(Data[sS]et\w*|_dataset|ImageFolder|DatasetFolder|Subset)$",
        ),
        ("map", rf"{_LAST}(?i:[^.]*dataset)$"),
        ("map", rf"{_LAST}{either(_DATASETS)}\w*$"),
        ("main", rf".*{either(_MAIN)}$"),
    )
]


def kind_of_base(name: str) -> str:
    """Return the kind of class that a base makes of its subclasses, empty if none. ``main`` runs in the main process.

    Example:
        >>> kind_of_base("torch.utils.data.IterableDataset"), kind_of_base("keras.utils.Sequence")
        ('iterable', 'keras')
    """
    return next((kind for kind, pattern in _KINDS if pattern.match(name)), "")


_ON_TORCH = words("""
    torch torchvision torchaudio torchtext torch_geometric pytorch_lightning lightning monai mmcv mmengine mmdet
    mmdet3d mmseg mmaction mmpose mmcls mmpretrain detectron2 fairseq timm kornia espnet2 speechbrain
    transformers accelerate dgl torchio ignite
""")
_OTHERS = words("mxnet gluoncv chainer paddle mindspore tensorpack")


def framework_of(name: str) -> str:
    """Return the framework that a dotted name belongs to, such as ``torch`` or ``keras``, or an empty string."""
    head = name.partition(".")[0]
    if head in ("keras", "tensorflow", "tf_keras", "keras_preprocessing") or ".keras." in name:
        return "keras"
    if head in _ON_TORCH:
        return "torch"
    return head if head in _OTHERS else ""


_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^#\n]+))", re.MULTILINE)


def imports(text: str) -> frozenset[str]:
    """Return the dotted names of the modules that a file imports.

    Example:
        >>> sorted(imports("import numpy as np, webdataset as wds\\nfrom a.b import c"))
        ['a.b', 'numpy', 'webdataset']
    """
    found = _IMPORT.findall(text)
    several = [part.split() for _, names in found for part in names.split(",")]
    return frozenset([name for name, _ in found if name] + [words[0] for words in several if words])


def framework_of_all(names: Iterable[str]) -> str:
    """Return the framework of some dotted names: torch if there are several, empty if none.

    Example:
        >>> framework_of_all(["numpy", "torch.utils.data", "keras"])
        'torch'
    """
    result = set(map(framework_of, names)) - {""}
    return next((name for name in ("torch", "keras") if name in result), min(result, default=""))
