#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/toolchains/cuda_wheels.sh VERSION FOLDER
#
# Makes a folder with what clang needs of the CUDA toolkit 12.x, from NVIDIA's packages for pip, such as
#
#   sh tests/toolchains/cuda_wheels.sh 12.9 build/cuda-12.9
#   cmake -S . -B build/gpu -DTEAMWORK_GPU=ON -DCUDAToolkit_ROOT=$PWD/build/cuda-12.9
#
# About 150 MB are fetched and 250 MB kept. The program nvlink is not among them; nvlink.c is built instead. Needs a C compiler.
set -eu
version=${1:?usage: cuda_wheels.sh VERSION FOLDER}
folder=${2:?usage: cuda_wheels.sh VERSION FOLDER}
here=$(dirname "$0")
case $version in
12.*) ;;
*) echo "cuda_wheels.sh: NVIDIA's wheels of CUDA 12.x are meant, such as 12.9, not \"$version\"" >&2 && exit 2 ;;
esac
mkdir -p "$folder/bin" "$folder/include" "$folder/lib"
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
# shellcheck disable=SC2086 # names are words
python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$wheels" \
    "nvidia-cuda-nvcc-cu12==$version.*" "nvidia-cuda-runtime-cu12==$version.*" "nvidia-nvjitlink-cu12==$version.*"
cp "$wheels/nvidia/cuda_nvcc/bin/ptxas" "$folder/bin/"
chmod +x "$folder/bin/ptxas"
cp -r "$wheels/nvidia/cuda_nvcc/nvvm" "$folder/"
for part in cuda_nvcc cuda_runtime nvjitlink; do
    cp -r "$wheels/nvidia/$part/include/." "$folder/include/"
done
cp "$wheels/nvidia/nvjitlink/lib/libnvJitLink.so.12" "$folder/lib/"
# shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
"${CC:-cc}" -std=c11 -O2 -I"$folder/include" "$here/nvlink.c" -o "$folder/bin/nvlink" \
    "$folder/lib/libnvJitLink.so.12" '-Wl,-rpath,$ORIGIN/../lib'
"$folder/bin/ptxas" --version | tail -n 1
