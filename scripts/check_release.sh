#!/usr/bin/env bash
# Build the wheel and the sdist twice, and both from the sdist in another folder, with another umask and time zone: all equal, and as a
# package index wants them. FOLDER keeps them.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "${BIN:-.venv/bin}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build() { (cd "$1" && "$bin/hatchling" build -d "$2" "${@:3}" >/dev/null); }
build . "$folder/first"
build . "$folder/second"
tar -xzf "$folder"/first/*.tar.gz -C "$folder"
(umask 077 && TZ=Asia/Tokyo build "$folder"/seedsafe-*/ "$folder/third")
for other in second third; do
    for file in "$folder/$other"/*; do
        cmp "$folder/first/$(basename "$file")" "$file"
    done
done
"$bin/validate-pyproject" pyproject.toml
"$bin/twine" check --strict "$folder"/first/*
"$bin/check-wheel-contents" "$folder"/first/*.whl
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cp "$folder"/first/* "$1"
fi
