#!/usr/bin/env bash
# Build libjpeg-turbo as a static library, for wheels. FOLDER
set -euo pipefail
version=3.1.2
# Its vectors are written in NASM's language on x86-64.
case $(uname -s) in
Linux) if command -v dnf >/dev/null; then dnf install -y nasm; fi ;;
Darwin) brew install nasm ;;
*) choco install -y nasm && export PATH="$PATH:/c/Program Files/NASM" ;;
esac
mkdir -p "$1"
cd "$1"
curl --fail --location --silent --show-error --output source.tar.gz \
    "https://github.com/libjpeg-turbo/libjpeg-turbo/releases/download/$version/libjpeg-turbo-$version.tar.gz"
tar -xzf source.tar.gz
cmake -S "libjpeg-turbo-$version" -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD" -DCMAKE_INSTALL_LIBDIR=lib \
    -DENABLE_SHARED=OFF -DREQUIRE_SIMD=ON -DWITH_TURBOJPEG=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
cmake --build build --config Release --parallel 2
cmake --install build --config Release
# Windows' name of the static library is not the one that -ljpeg looks for.
if [ -f lib/jpeg-static.lib ]; then cp lib/jpeg-static.lib lib/jpeg.lib; fi
