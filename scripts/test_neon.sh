#!/usr/bin/env bash
# The kernels on x86-64 and, emulated, on one without AVX2 and on aarch64: equal bytes, with vectors and in plain C. COUNT
# On Debian: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(-std=c11 -O3 -ffp-contract=off -static scripts/compare_vectors.c seedsafe/kernels/*.c -lm)
gcc "${options[@]}" -o "$folder/here"
aarch64-linux-gnu-gcc "${options[@]}" -o "$folder/there"
here=$("$folder/here" "$@")
old=$(qemu-x86_64 -cpu Nehalem "$folder/here" "$@")
there=$(qemu-aarch64 "$folder/there" "$@")
test "$here $here" = "$old $there" || { echo "the processors differ: $here, $old and $there" >&2; exit 1; }
echo "the same bytes on all: $here"
