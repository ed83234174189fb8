"""torchvision's transforms as a pipeline of seedsafe's."""

from seedsafe_torch.conversion.pipeline import Converted, convert
from seedsafe_torch.conversion.report import Line, Report
from seedsafe_torch.conversion.sources import Unconverted, converted

__all__ = ["Converted", "Line", "Report", "Unconverted", "convert", "converted"]
