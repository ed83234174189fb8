#!/usr/bin/env bash
# Run the tests of the contract with one Python and one NumPy, in an environment of their own: PYTHON NUMPY
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 numpy=$2 environment=.venvs/$1-numpy-$2
if ! "$python" -c "" 2>/dev/null; then
    echo "NumPy $numpy is not tested: there is no $python here"
    exit 0
fi
test -x "$environment/bin/python" || "$python" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
"$environment/bin/python" -m pip install --quiet "numpy~=$numpy.0" "pytest>=9" "hypothesis>=6.130" "opencv-python-headless>=4.13" "scipy>=1.13" "soundfile>=0.13" "python-stretch>=0.3"
"$environment/bin/python" -c "import numpy, sys; print('NumPy', numpy.__version__, 'Python', sys.version.split()[0])"
"$environment/bin/python" -m pytest -q -p no:cacheprovider tests/test_key.py tests/test_draws.py tests/test_golden.py
