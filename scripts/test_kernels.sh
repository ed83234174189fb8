#!/usr/bin/env bash
# Compile the kernels with sanitizers and call them at random. COUNT SEED
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${BIN:-.venv/bin}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -std=c11 -O1 -g -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all -fPIC -shared -DSEEDSAFE_JPEG \
    seedsafe/kernels/*.c -o "$folder/kernels" -lm -ljpeg
# Python itself is not compiled with them, so they are loaded before it, and it may keep its memory to the end.
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
    "$bin/python" scripts/fuzz_kernels.py "$folder/kernels" "$@"
