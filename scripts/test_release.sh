#!/usr/bin/env bash
# Install the wheel where nothing else is, and test it there, far from the repository; collect the tests of the sdist. PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
python=${1:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scripts/check_release.sh "$folder/dist"
"$python" -m venv "$folder/env"
env="$folder/env/bin"
"$env/python" -m pip install --quiet "$(echo "$folder"/dist/*.whl)[image,antialias,audio]" "pytest>=9" "hypothesis>=6.130"
unset PYTHONPATH

mkdir "$folder/run"
cd "$folder/run"
tar -xzf "$folder"/dist/*.tar.gz --strip-components=1 --wildcards '*/tests'  # and nothing else: seedsafe is the installed one
echo "[pytest]" >pytest.ini
"$env/python" -c "import seedsafe, sys; assert seedsafe.__file__.startswith(sys.prefix), seedsafe.__file__; print('testing', seedsafe.__version__)"
"$env/python" -m pytest -q -p no:cacheprovider tests/test_key.py tests/test_draws.py tests/test_golden.py tests/test_golden_pixels.py \
    tests/test_compose.py tests/test_folder.py 2>&1 | tail -15

# The commands, as a shell finds them.
"$env/seedsafe" demo | grep >/dev/null "seedsafe: 0 of 32 crops repeat"
"$env/seedsafe" lint --explain SSF001 | grep >/dev/null "^# SSF001"
printf 'import seedsafe as ss\naugment = ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip()])\n' >train.py
"$env/seedsafe" explain train:augment --size 20x30 | grep >/dev/null "^RandomCrop "
"$env/python" -c "import cv2, numpy; import os; os.mkdir('photos'); cv2.imwrite('photos/a.png', numpy.zeros((20, 30, 3), 'uint8'))"
"$env/seedsafe" preview train:augment --images photos -o sheet.png
"$env/seedsafe" stats photos --json >stats.json
"$env/seedsafe" index photos --flat --json >index.json
"$env/seedsafe" lint train.py

# The tables that errors read are there.
("$env/python" -c "from seedsafe import RandomHorizontalFlip" 2>&1 || true) | grep >/dev/null "is ss.HorizontalFlip(p=0.5) here"
("$env/python" -c "import seedsafe; seedsafe.Rotate(limit=3)" 2>&1 || true) | grep >/dev/null "pass degrees="

# The sdist is whole: its tests can be collected where the frameworks are.
mkdir "$folder/source"
tar -xzf "$folder"/dist/*.tar.gz -C "$folder/source" --strip-components=1
cd "$folder/source"
"$root/.venv/bin/python" -m pytest -q --collect-only -p no:cacheprovider | tail -2
