#!/usr/bin/env bash
# The wheel beside the oldest or the newest versions that its extras allow, far from the repository: oldest|newest PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
end=$1 python=$2 environment=$PWD/.venvs/$1
declare -A resolution=([oldest]=lowest-direct [newest]=highest) chosen=([oldest]="not in_order" [newest]="")  # torch 2.6 brought in_order
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --upgrade "pip>=25.1" uv
"$environment/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$folder" .
uv=("$environment/bin/uv" pip)
install=(install --quiet --native-tls --python "$environment/bin/python")
extras=(image antialias fast audio torch keras tensorflow tools yaml)
echo "albumentations==2.0.8" >"$folder/peers.in"
grep "^lightning" tests/trainers/requirements.txt >>"$folder/peers.in"
"${uv[@]}" compile --quiet --native-tls --python "$environment/bin/python" --resolution "${resolution[$end]}" \
    "${extras[@]/#/--extra=}" pyproject.toml "$folder/peers.in" --output-file "$folder/all.txt"
"${uv[@]}" "${install[@]}" --requirement "$folder/all.txt"
"${uv[@]}" "${install[@]}" --no-deps "$folder"/*.whl
"${uv[@]}" "${install[@]}" "pytest>=9" "pytest-timeout>=2.4" "pytest-xdist>=3.8" "hypothesis>=6.130" "scikit-image>=0.25" "mpmath>=1.3" "torchdata>=0.11"
tensorflow=$("$environment/bin/python" -c 'from importlib.metadata import version; print(version("tensorflow-cpu"))')
"${uv[@]}" "${install[@]}" --no-deps "tf-keras~=${tensorflow%.*}.0"
"$environment/bin/python" - <<'END'
import platform
import re
from importlib.metadata import requires, version

named = [re.match(r"[\w-]+", line)[0] for line in requires("seedsafe") if "ray" not in line and "tensorflow>" not in line]
print("Python", platform.python_version(), *(f"{name} {version(name)}" for name in [*named, "albumentations", "lightning"]), sep="\n")
END

mkdir "$folder/demo" "$folder/docs"
cp -r tests "$folder"
cp -r demo/data "$folder/demo"
cp -r docs/tutorial "$folder/docs"
cd "$folder"
echo "[pytest]" >pytest.ini
unset PYTHONPATH
export TF_CPP_MIN_LOG_LEVEL=3 NO_ALBUMENTATIONS_UPDATE=1
run=("$environment/bin/python" -m pytest -q -n 2 --timeout 900 -p no:cacheprovider -k "${chosen[$end]}")
"${run[@]}" -m "not matrix" \
    tests/test_{key,draws,decisions,many,golden,golden_pixels,functional,compose,boxes,keypoints,batch,audio,folder,bridge}.py \
    tests/test_image_{antialias,blur,colour,erase,geometry,grain,policy,size}.py \
    tests/adapters/test_{torch,torch_contract,torch_in_place,resume,iterable,on_device}.py \
    tests/adapters/test_{keras_contract,keras_sequence,keras_in_place,tf_contract}.py
"${run[@]}" -m albumentations tests/albumentations
"${run[@]}" -m trainers tests/trainers/test_lightning.py
