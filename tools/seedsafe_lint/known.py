"""What the linter knows about libraries."""

import re
from collections.abc import Iterable

__all__ = [
    "DRAW_METHODS",
    "FOLLOWED",
    "GENERATORS",
    "GLOBAL_DRAWS",
    "IMGAUG",
    "NUMPY",
    "OPENCV",
    "PYTHON",
    "RESTORERS",
    "RNG_NAME",
    "SAVERS",
    "SEEDERS",
    "canonical",
    "either",
    "framework_of",
    "framework_of_all",
    "imports",
    "is_numpy_draw",
    "is_python_draw",
    "kind_of_base",
    "words",
]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def either(text: str) -> str:
    """Return a pattern that matches any of the patterns in a text.

    Example:
        >>> either("crop flip")
        '(?:crop|flip)'
    """
    return f"(?:{'|'.join(text.split())})"


NUMPY, PYTHON, OPENCV, IMGAUG = "numpy", "python", "cv2", "imgaug"

"""The process-wide generators."""

SEEDERS = {
    "numpy.random.seed": NUMPY,
    "random.seed": PYTHON,
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
    "cv2.setRNGSeed": OPENCV,
    "imgaug.seed": IMGAUG,
    "imgaug.random.seed": IMGAUG,
}

SAVERS = {"numpy.random.get_state": NUMPY, "random.getstate": PYTHON}

RESTORERS = {"numpy.random.set_state": NUMPY, "random.setstate": PYTHON}

_NUMPY_QUIET = words("seed get_state set_state default_rng get_bit_generator set_bit_generator test")

_PYTHON_DRAWS = words("""
    random randint randrange choice choices sample shuffle uniform gauss normalvariate triangular betavariate
    expovariate gammavariate lognormvariate vonmisesvariate paretovariate weibullvariate getrandbits randbytes
    binomialvariate
""")

GENERATORS = {
    "numpy.random.default_rng": "np.random.default_rng",
    "numpy.random.RandomState": "np.random.RandomState",
    "numpy.random.Generator": "np.random.Generator",
    "random.Random": "random.Random",
    "torch.Generator": "torch.Generator",
    "sklearn.utils.check_random_state": "check_random_state",
    "sklearn.utils.validation.check_random_state": "check_random_state",
    "cv2.RNG": "cv2.RNG",
}

BIT_GENERATORS = frozenset(
    f"numpy.random.{name}" for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "SeedSequence")
)

DRAW_METHODS = words("""
    random rand randn randint integers random_sample random_integers ranf choice choices shuffle permutation
    permuted bytes uniform normal standard_normal beta binomial chisquare dirichlet exponential f gamma
    geometric gumbel hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f pareto poisson power rayleigh standard_cauchy
    standard_exponential standard_gamma standard_t tomaxint triangular vonmises wald weibull zipf randrange
    sample gauss normalvariate betavariate expovariate gammavariate lognormvariate getrandbits random_raw
    randbytes
""")

GLOBAL_DRAWS = words("cv2.randn cv2.randu cv2.randShuffle")

NUMPY_INSIDE = re.compile(
    r"(sklearn\.utils\.(shuffle|resample)"
    r"|sklearn\.model_selection\.train_test_split"
    r"|(tensorflow\.)?(python\.)?keras(_preprocessing)?\.(preprocessing\.)?image\.random_\w+"
    r"|(tensorflow\.)?(python\.)?keras(_preprocessing)?\..*ImageDataGenerator\(\)\.(random_transform|get_random_transform)"
    r"|scipy\.sparse\.(random|rand|random_array))$"
)

_IMGAUG = re.compile(
    r"imgaug\.((augmenters|parameters|random)(\.\w+)*\.[A-Za-z]\w*|current_random_state)\(\)"
    r"(\.\w+)*?(\.(augment\w*|to_deterministic|draw_sample\w*|__call__))?(\(\)\.augment\w*)?$"
)

FOLLOWED = re.compile(
    r"imgaug|keras|tensorflow|scipy\.stats|torch\.utils\.data|webdataset|numpy\.random$|.*Generator|.*\bia\w?\."
)

"""Libraries whose results are followed through their attributes and methods in worker code."""

RNG_NAME = re.compile(
    r"_?_?(np_?|numpy_?|local_?|py_?|torch_?)?(rng|prng|rngs|random_generator|rand_gen|random_state|rand_state|randomstate|np_random|rnd)$|^_?generator$"
)

_ROOTS = dict(
    pair.split("=")
    for pair in [
        "np=numpy",
        "tf=tensorflow",
        "nr=numpy.random",
        "npr=numpy.random",
        "numpy=numpy",
        "torch=torch",
        "cv2=cv2",
        "cv=cv2",
        "keras=keras",
        "iaa=imgaug.augmenters",
        "Dataset=torch.utils.data.Dataset",
        "IterableDataset=torch.utils.data.IterableDataset",
        "DataLoader=torch.utils.data.DataLoader",
    ]
)


def guess(name: str) -> str:
    """Return the dotted name that an unresolved name most likely stands for, after a star import."""
    return _ROOTS.get(name, f"?.{name}")


def canonical(name: str) -> str:
    """Return the usual spelling of a library's name.

    Example:
        >>> canonical("numpy.random.mtrand._rand.rand")
        'numpy.random.rand'
    """
    if name.startswith("numpy.random.mtrand"):
        return name.replace(".mtrand._rand", "", 1).replace(".mtrand", "", 1)
    if name.startswith("scipy.random"):
        return "numpy" + name[5:]
    if name.startswith("cv2.cv2."):
        return "cv2" + name[7:]
    return name


def is_numpy_draw(name: str) -> bool:
    """Return whether a call draws from NumPy's global generator."""
    head, _, tail = name.rpartition(".")
    return (
        head == "numpy.random"
        and tail[:1].islower()
        and tail not in _NUMPY_QUIET
        and "(" not in tail
        and "[" not in tail
    )


def is_python_draw(name: str) -> bool:
    """Return whether a call draws from Python's global generator."""
    head, _, tail = name.rpartition(".")
    return head == "random" and tail in _PYTHON_DRAWS


def is_imgaug_draw(name: str) -> bool:
    """Return whether a call runs an imgaug transform."""
    return name.startswith("imgaug.") and "()" in name and bool(_IMGAUG.match(name))


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
    """Return the kind of the classes that derive from a base, or an empty string. ``main`` runs in the main process.

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
