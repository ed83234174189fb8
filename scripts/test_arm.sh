#!/bin/sh
# The contract and the golden files on Linux aarch64: test_arm.sh folder python [pytest's arguments], or the capsule: test_arm.sh folder
# python capsule [its arguments]. Natively on an ARM machine, with an environment in the folder. On a Debian of x86-64, as root: in a Debian
# of arm64 in the folder, emulated by qemu. Both are made once, and wheels are installed again when pyproject.toml changes.
set -eu
folder=$1 python=$2
shift 2
if test "${1-}" = capsule; then
    shift
    set -- scripts/compare_capsule.py "$@"
else
    test $# -gt 0 || set -- --quiet
    set -- -m pytest -p no:cacheprovider "$@" @tests/machines/tests.txt
fi
binfmt=/proc/sys/fs/binfmt_misc
platforms="--platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64"

natively() {
    test -x "$folder/bin/python" || "$python" -m venv "$folder"
    if ! cmp -s pyproject.toml "$folder/installed.toml"; then
        "$folder/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
        "$folder/bin/python" -m pip install --quiet --group machines
        "$folder/bin/python" -m pip install --quiet --no-deps --group arm-torch
        cp pyproject.toml "$folder/installed.toml"
    fi
    "$folder/bin/python" "$@"
}

prepare() {
    if ! command -v qemu-aarch64-static >/dev/null || ! command -v debootstrap >/dev/null; then
        apt-get update --quiet
        DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends qemu-user-static debootstrap
    fi
    # Debian's line has the flag F: the kernel opens qemu at once, so that it is found in another root as well.
    test -e "$binfmt/status" || mount -t binfmt_misc binfmt_misc "$binfmt"
    test -e "$binfmt/qemu-aarch64" || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$binfmt/register"
    if ! test -e "$folder/made"; then
        rm -rf "$folder" && mkdir -p "$folder"
        debootstrap --arch=arm64 --variant=minbase --include=python3 bookworm "$folder"
        mkdir "$folder/seedsafe"
        touch "$folder/made"
    fi
    cmp -s pyproject.toml "$folder/installed.toml" && return
    # Its Python 3.11 need not run for that: pip unpacks wheels of another platform.
    test -x "$folder-pip/bin/python" || "$python" -m venv "$folder-pip"
    "$folder-pip/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
    install="$folder-pip/bin/python -m pip install --quiet --upgrade --target $folder/usr/local/lib/python3.11/dist-packages
        --only-binary=:all: --implementation cp --python-version 3.11 $platforms"
    $install --group machines
    $install --no-deps --group arm-torch
    cp pyproject.toml "$folder/installed.toml"
}

# Everything that is mounted goes with the command.
emulated() {
    prepare
    # shellcheck disable=SC2016
    unshare --mount sh -ec '
        root=$1
        shift
        mount --bind . "$root/seedsafe"
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/tmp"
        exec chroot "$root" env -i PATH=/usr/bin:/bin HOME=/tmp LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
            sh -c "cd /seedsafe && exec \"\$@\"" sh "$@"
    ' sh "$folder" "$@"
}

case $(uname -s)-$(uname -m) in
*-aarch64 | *-arm64) natively "$@" ;;
Linux-x86_64)
    test "$(id -u)" = 0 || { echo "this machine is no ARM: emulating one takes root, and a Debian" >&2 && exit 1; }
    emulated python3 "$@"
    ;;
*) echo "tests on ARM run on an ARM machine, or on a Debian of x86-64, not on $(uname -s) $(uname -m)" >&2 && exit 1 ;;
esac
