#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: toolchain.sh TEAMWORK_INFO CLANG STATIC_LIBRARY...
#
# What teamwork-info says about toolchains that something is wrong with: --toolchain names the part and the package, and
# --check explains why a kernel cannot be compiled, linked or run. The compilers are scripts around CLANG, which take
# something away; the driver is a library with one GPU. STATIC_LIBRARY is Teamwork's, with what it needs. Says what is
# wrong, else nothing.
set -u
info=${1:?usage: toolchain.sh TEAMWORK_INFO CLANG}
clang=${2:?usage: toolchain.sh TEAMWORK_INFO CLANG}
shift 2
static=$*
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export CPPFLAGS="-I$PWD/include -I$PWD/offload/include" CC="$clang" TMPDIR="$work"
unset CFLAGS LDFLAGS TW_DEVICES OMP_TARGET_OFFLOAD LD_LIBRARY_PATH TEAMWORK_OMPTARGET_LIBRARY TEAMWORK_LLVM_ROOT
errors=$work/errors
: >"$errors"

# compiler NAME: makes a compiler of the standard input, which is a script that ends in the use of "$@"
compiler() {
    { echo '#!/bin/sh' && cat && echo "exec '$clang' \"\$@\""; } >"$work/$1"
    chmod +x "$work/$1"
    echo "$work/$1"
}

# expect NAME STATUS PATTERN...: the output of NAME has a line for each pattern, and it ended with the status
expect() {
    name=$1 status=$2
    shift 2
    [ "$(cat "$work/$name.status")" = "$status" ] || echo "$name: status $(cat "$work/$name.status"), not $status" >>"$errors"
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$work/$name.out" ||
            { echo "$name: no line matches $pattern in:" && cat "$work/$name.out"; } >>"$errors"
    done
}

# runs NAME ARGUMENT...: runs teamwork-info and keeps what it says
runs() {
    name=$1
    shift
    "$info" "$@" >"$work/$name.out" 2>&1
    echo $? >"$work/$name.status"
}

# ---- what is missing -------------------------------------------------------------------------------------------------

runs all --toolchain
expect all 0 '^ok       compiler, for kernels: .*clang' '^ok +tools for device images' '^ok +libomp' '^ok +libomptarget' \
    '^(ok|missing|wrong) +CUDA driver' '^(ok|missing) +headers of Teamwork'
runs json --toolchain --json
if command -v python3 >/dev/null; then
    python3 - "$work/json.out" >>"$errors" 2>&1 <<'EOP'
import json, sys

with open(sys.argv[1]) as file:
    parts = {part["name"]: part for part in json.load(file)["toolchain"]}
assert parts["compiler"]["state"] == "ok" and "clang" in parts["compiler"]["found"], parts["compiler"]
assert all((part["state"] == "ok") == (part["why"] is None) for part in parts.values()), parts
EOP
fi

CC=$work/nothing runs no_compiler --check -d host
expect no_compiler 1 '^missing  compiler' 'why: there is no program of the name in CC' 'clang-19$' \
    '^failed   host, compiling: there is no compiler'
echo 'echo "cc (GCC) 12.2.0"; exit' | compiler gcc >/dev/null
CC=$work/gcc runs no_clang --toolchain
expect no_clang 0 '^wrong    compiler, .*cc \(GCC\) 12.2.0' 'why: kernels are compiled by clang alone, and this is none'
compiler old >/dev/null <<'EOP'
case $1 in --version) echo "clang version 17.0.6"; exit ;; esac
EOP
CC=$work/old runs old_clang --toolchain
expect old_clang 0 '^wrong    compiler' 'why: kernels need clang 18 or later'
compiler bare >/dev/null <<'EOP'
case $1 in
--print-targets) echo "    x86-64     - 64-bit X86: EM64T and AMD64"; exit ;;
-print-prog-name=*) echo "${1#*=}"; exit ;;
-print-file-name=*) echo "${1#*=}"; exit ;;
-print-resource-dir) echo /nonexistent; exit ;;
esac
EOP
CC=$work/bare runs bare_clang --toolchain
expect bare_clang 0 '^missing  tools for device images' 'do: .*clang-tools-[0-9]+$' '^missing  libomp, ' \
    'do: .*libomp-[0-9]+-dev$' 'why: this clang was built without the target NVPTX' '^missing  device runtime for NVIDIA' \
    'why: clang [0-9]+ has no libomptarget.devicertl.a'

# CUDA 13 with a libomptarget that does not load what it assembles
mkdir -p "$work/cuda/bin"
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.48"\n' >"$work/cuda/bin/ptxas"
chmod +x "$work/cuda/bin/ptxas"
: >"$work/libomptarget.so.19.1"
CUDAToolkit_ROOT=$work/cuda TEAMWORK_OMPTARGET_LIBRARY=$work/libomptarget.so.19.1 runs skew --toolchain
expect skew 0 '^wrong    CUDA toolkit.*release 13.0' 'No images found compatible with the installed hardware' \
    'do: .*liboffload-22, and configure again; or use a CUDA 12'

# CUDA without nvlink, as in wheels for Python
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.9, V12.9.86"\n' >"$work/cuda/bin/ptxas"
CUDAToolkit_ROOT=$work/cuda runs no_nvlink --toolchain
expect no_nvlink 0 '^wrong    CUDA toolkit.*release 12.9' 'why: there is no nvlink beside ptxas' 'do: .*nvidia-cuda-toolkit$'
: >"$work/cuda/bin/nvlink"
CUDAToolkit_ROOT=$work/cuda runs nvlink --toolchain
expect nvlink 0 '^ok       CUDA toolkit.*release 12.9'
rm "$work/cuda/bin/nvlink"

# ---- kernels ---------------------------------------------------------------------------------------------------------

# A GPU, whose driver does nothing else, under the name that libomptarget does not look for.
mkdir "$work/driver"
cat >"$work/driver.c" <<'EOP'
int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int bytes, int device) { name[0] = 'G'; name[1] = 0; return bytes < 2 || device; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = attribute == 75 ? 9 : 0; return device; }
EOP
"$clang" -shared -fPIC "$work/driver.c" -o "$work/driver/libcuda.so.1" >>"$errors" 2>&1
ldconfig -p 2>/dev/null | grep -q libcuda.so || hidden_driver=$work/driver
if [ "${hidden_driver:-}" ]; then
    LD_LIBRARY_PATH=$work/driver runs driver --toolchain
    expect driver 0 '^wrong    CUDA driver' 'why: libomptarget looks for the driver as libcuda.so, and there is only' \
        'do:  ln -s .*libcuda.so.1 libcuda.so'
    CFLAGS=-fno-openmp-cuda-mode LD_LIBRARY_PATH=$work/driver runs cuda_mode --check -d gpu
    expect cuda_mode 1 '^failed   gpu \(sm_90\), compiling' 'why: without -fopenmp-cuda-mode a kernel'
    # what clang says where CUDA is not complete, or absent
    CUDA_PATH='' CUDAToolkit_ROOT=$work/cuda LD_LIBRARY_PATH=$work/driver runs no_cuda --check -d gpu
    expect no_cuda 1 '^failed   gpu \(sm_90\), (compiling|linking): ' 'why: .*CUDA toolkit' 'do: '
    if grep -q '^ok       CUDA toolkit' "$work/all.out"; then
        LD_LIBRARY_PATH=$work/driver runs link --check -d gpu &
        CFLAGS=-fno-offload-lto LD_LIBRARY_PATH=$work/driver runs bitcode --check -d gpu &
        wait
        expect link 1 '^failed   gpu \(sm_90\), running: ' 'why: libomptarget looks for the driver as libcuda.so'
        expect bitcode 1 '^failed   gpu \(sm_90\), compiling: ' 'why: clang does not look for the bitcode of the device' \
            'do: .*--libomptarget-nvptx-bc-path='
    fi
fi

has_cpu=
grep -q '^x86_64' <<EOP && has_cpu=yes
$(uname -m)
EOP
CPPFLAGS='' runs no_headers --check -d host
expect no_headers 1 '^failed   host, compiling: .*file not found' 'why: the headers of Teamwork are not where clang looks'

# without the folders in which the program finds its libraries
compiler no_rpath >/dev/null <<'EOP'
for word in "$@"; do
    shift
    case $word in -Wl,-rpath,*) ;; *) set -- "$@" "$word" ;; esac
done
EOP
# links as another compiler does
compiler other_linker >/dev/null <<'EOP'
case " $* " in
*" -c "*) ;;
*) for word in "$@"; do
    shift
    case $word in -fopenmp-targets=*) ;; *) set -- "$@" "$word" ;; esac
done ;;
esac
EOP
runs good --check -d host,cpu &
CC=$work/no_rpath runs no_rpath --check -d host &
wait
expect good 0 '^ok       host: a kernel was compiled, linked and run on '
expect no_rpath 1 '^failed   host, running: .*cannot open shared object file' 'do: .*-Wl,-rpath'
if [ "$has_cpu" ]; then
    expect good 0 '^ok       cpu \(x86_64\): a kernel was compiled, linked and run on '
    CC=$work/other_linker runs no_images --check -d cpu
    expect no_images 1 '^failed   cpu \(x86_64\), running: ' 'why: another linker than clang.s dropped the device images'
fi
gomp=$(gcc -print-file-name=libgomp.so 2>/dev/null)
case $static$gomp in
/*/libgomp.so)
    LDFLAGS="$gomp $static" runs order --check -d host --json
    expect order 1 'GCC.s libgomp, or another OpenMP library, is linked in front' '"stage": "running"' '"cure": "link by clang'
    ;;
esac

cat "$errors"
[ ! -s "$errors" ]
