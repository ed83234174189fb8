from . import color
