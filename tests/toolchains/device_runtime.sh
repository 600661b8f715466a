#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/toolchains/device_runtime.sh VERSION SOURCE FOLDER
#
# Compiles the OpenMP device runtime of LLVM 22 or later for NVIDIA GPUs, which Debian's packages lack, into the folder's
# lib/, by clang-VERSION. SOURCE is LLVM's source of that version (`apt-get source llvm-toolchain-22`), of which openmp/device,
# offload/include and libc are read. What is built with it is given the folder as TEAMWORK_LLVM_ROOT, and where libomp is another
# version's, TEAMWORK_OMP_LIBRARY. Takes some seconds. Needs clang-VERSION and llvm-VERSION.
set -eu
version=${1:?usage: device_runtime.sh VERSION SOURCE FOLDER}
source=${2:?usage: device_runtime.sh VERSION SOURCE FOLDER}
folder=${3:?usage: device_runtime.sh VERSION SOURCE FOLDER}
[ -d "$source/openmp/device/src" ] || { echo "device_runtime.sh: there is no openmp/device/src in $source" >&2 && exit 2; }
lib=$folder/lib/nvptx64-nvidia-cuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$lib"
# the options of its CMakeLists.txt
for file in "$source"/openmp/device/src/*.cpp; do
    name=$(basename "$file" .cpp)
    [ "$name" = Stub ] || # which stands for the others where there is no GPU to compile for
        "clang++-$version" --target=nvptx64-nvidia-cuda -std=c++17 -O3 -flto -ffreestanding -fvisibility=hidden -nogpulib \
            -nostdlibinc -fno-rtti -fno-exceptions -fconvergent-functions -Wno-unknown-cuda-version \
            -mllvm -vectorize-slp=false --cuda-feature=+ptx63 -DSHARED_SCRATCHPAD_SIZE=512 \
            -I"$source/openmp/device/include" -I"$source/libc" -I"$source/offload/include" -c "$file" -o "$work/$name.bc"
done
"llvm-link-$version" "$work"/*.bc -o "$lib/libomptarget-nvptx.bc"
rm -f "$lib/libompdevice.a"
"llvm-ar-$version" rcs "$lib/libompdevice.a" "$lib/libomptarget-nvptx.bc"
