"""Write the golden files, once for each version of the contract; it refuses to write over them."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import known

if (known.GOLDEN / "decisions.json").exists():
    sys.exit("the golden files exist: a change of any value in them is a new version of the contract")
known.GOLDEN.mkdir(exist_ok=True)
(known.GOLDEN / "decisions.json").write_text(json.dumps(known.decisions(), indent=1) + "\n")
import pixels_known

(known.GOLDEN / "pixels.json").write_text(json.dumps(pixels_known.pixels(), indent=1) + "\n")
