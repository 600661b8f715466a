#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: setup.sh [--tests|--view]
#
# Installs what building Teamwork and its examples takes on Debian, with --tests also what testing takes, with --view
# what the Game of Life opens windows with. Does nothing, and asks no server, when all of it is there.
set -eu

needed="clang-19 clang-tools-19 lld-19 libomp-19-dev llvm-19-dev libhwloc-dev libboost-context1.74.0 libpng-dev cmake ninja-build pkg-config"
if [ "${1:-}" = "--tests" ]; then
    needed="$needed clang-format-19 clang-tidy-19 libclang-rt-19-dev llvm-19 llvm-19-tools python3 python3-clang-19 doxygen doxygen-awesome-css libmpfr-dev libgmp-dev g++ gfortran mpich libmpich-dev openmpi-bin libopenmpi-dev"
fi
if [ "${1:-}" = "--view" ]; then
    needed="$needed libsdl2-dev"
fi
# Only programs for GPUs that were assembled by CUDA 13 need LLVM 22's libomptarget.
optional="liboffload-22"

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: this is not a Debian system, so nothing is installed; needed are: $needed"
    exit 0
fi

missing_of() {
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
        *"ok installed") ;;
        *) echo "$package" ;;
        esac
    done
}

as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
fi

# Packages of other LLVM versions may exclude libomp-19-dev; apt then removes them.
install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

missing=$(missing_of $needed)
missing_optional=$(missing_of $optional)
[ -n "$missing$missing_optional" ] || exit 0

if [ -n "$as_root" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "setup.sh: run as root, or install sudo; missing are:" $missing $missing_optional
    [ -z "$missing" ]
    exit
fi
$as_root apt-get update
if [ -n "$missing" ]; then
    install $missing
fi
if [ -n "$missing_optional" ] && ! install $missing_optional; then
    echo "setup.sh: $missing_optional could not be installed; only programs for GPUs with CUDA 13 need it."
fi
