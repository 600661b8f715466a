# SPDX-License-Identifier: Apache-2.0
#
# teamwork_add_offload(): compiles the kernels of a target for offload devices. Installed with the package.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/TeamworkToolchain.cmake)

# Splits a list of architectures by kind; ends the configuration with one sentence for an unknown one.
function(_teamwork_sort_archs archs nvptx amdgcn x86_64)
    set(${nvptx} PARENT_SCOPE)
    set(${amdgcn} PARENT_SCOPE)
    set(${x86_64} PARENT_SCOPE)
    set(sm)
    set(gfx)
    foreach(arch IN LISTS archs)
        if(arch MATCHES "^sm_[0-9]+a?$")
            list(APPEND sm ${arch})
        elseif(arch MATCHES "^gfx[0-9a-f]+$")
            list(APPEND gfx ${arch})
        elseif(arch STREQUAL "x86_64")
            set(${x86_64} x86_64 PARENT_SCOPE)
        else()
            message(FATAL_ERROR "teamwork_add_offload: unknown architecture \"${arch}\": give sm_NN for NVIDIA GPUs, "
                                "gfxNNN for AMD GPUs, or x86_64.")
        endif()
    endforeach()
    list(REMOVE_DUPLICATES sm)
    list(REMOVE_DUPLICATES gfx)
    set(${nvptx} "${sm}" PARENT_SCOPE)
    set(${amdgcn} "${gfx}" PARENT_SCOPE)
endfunction()

# The option for one architecture of a triple; several make one image each. clang 20 and later use --offload-arch behind
# -Xopenmp-target as well, but warn that they do not.
function(_teamwork_arch_option triple archs result)
    list(LENGTH archs count)
    string(REPLACE ";" "," joined "${archs}")
    if(count EQUAL 1)
        set(${result} "SHELL:-Xopenmp-target=${triple} -march=${joined}" PARENT_SCOPE)
    elseif(CMAKE_C_COMPILER_VERSION VERSION_LESS 20)
        set(${result} "SHELL:-Xopenmp-target=${triple} --offload-arch=${joined}" PARENT_SCOPE)
    else()
        string(REGEX MATCH "^[^-]*" processor "${triple}")
        set(${result} "SHELL:-Xarch_${processor} --offload-arch=${joined}" PARENT_SCOPE)
    endif()
endfunction()

# Says what is missing for NVIDIA GPUs, in one sentence; empty if nothing is.
function(_teamwork_nvptx_missing archs result)
    set(${result} PARENT_SCOPE)
    teamwork_find_cuda()
    if(NOT TEAMWORK_CUDA_ROOT)
        set(${result} "the CUDA toolkit was not found: install it (Debian package nvidia-cuda-toolkit, or NVIDIA's own) \
or set CUDAToolkit_ROOT" PARENT_SCOPE)
        return()
    endif()
    # clang would take an nvlink of any other CUDA in PATH, and make images of that version
    get_filename_component(programs "${TEAMWORK_PTXAS}" DIRECTORY)
    if(NOT EXISTS "${programs}/nvlink")
        set(${result} "nvlink, which links images for NVIDIA GPUs, is not beside ${TEAMWORK_PTXAS}: install the whole \
CUDA toolkit (Debian package nvidia-cuda-toolkit, or NVIDIA's own) or set CUDAToolkit_ROOT" PARENT_SCOPE)
        return()
    endif()
    foreach(arch IN LISTS archs)
        _teamwork_cuda_assembles(${arch} assembles)
        if(NOT assembles)
            set(${result} "CUDA ${TEAMWORK_CUDA_VERSION} does not assemble for ${arch}: use a toolkit that does \
(CUDAToolkit_ROOT; CUDA 12 for sm_70 and sm_72), or choose another architecture" PARENT_SCOPE)
            return()
        endif()
        _teamwork_clang_compiles(${arch} compiles)
        if(NOT compiles)
            set(${result} "clang ${CMAKE_C_COMPILER_VERSION} does not compile for ${arch} with CUDA \
${TEAMWORK_CUDA_VERSION}: choose another architecture, or another version of one of them" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    _teamwork_runtime_missing(nvptx "${archs}" missing)
    set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# Says which of the architectures clang has no OpenMP device runtime for; `kind` as for _teamwork_device_runtime().
function(_teamwork_runtime_missing kind archs result)
    set(${result} PARENT_SCOPE)
    _teamwork_clang_major(major)
    foreach(arch IN LISTS archs)
        _teamwork_device_runtime(${kind} ${arch} runtime)
        if(NOT runtime)
            set(install "install it (Debian package libomp-${major}-dev), set TEAMWORK_LLVM_ROOT,")
            if(major GREATER_EQUAL 20) # since then Debian's package has none
                set(install "set TEAMWORK_LLVM_ROOT to an LLVM that has it (Teamwork's tests/toolchains/device_runtime.sh \
compiles it for NVIDIA GPUs),")
            endif()
            set(${result} "clang ${major} has no OpenMP device runtime for ${arch}: ${install} or choose another \
architecture" PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

# Says what is missing for AMD GPUs, in one sentence; empty if nothing is.
function(_teamwork_amdgcn_missing archs result)
    _teamwork_clang_major(major)
    _teamwork_rocm_device_libs(libs)
    _teamwork_ask_clang(linker -print-prog-name=ld.lld)
    set(linker_version 0)
    if(IS_ABSOLUTE "${linker}")
        execute_process(COMMAND "${linker}" --version OUTPUT_VARIABLE answer ERROR_QUIET)
        if(answer MATCHES "LLD ([0-9]+)")
            set(linker_version ${CMAKE_MATCH_1})
        endif()
    endif()
    _teamwork_runtime_missing(amdgpu "${archs}" missing)
    if(NOT libs)
        set(missing "the device libraries of ROCm were not found: install them (Debian package rocm-device-libs) or \
set ROCM_PATH")
    elseif(linker_version VERSION_LESS major)
        set(missing "ld.lld of LLVM ${major}, which links the images for AMD GPUs, was not found: install it (Debian \
package lld-${major})")
    endif()
    set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# Says what is missing for some architectures of GPUs, in one sentence; empty if nothing is.
function(_teamwork_gpu_missing archs result)
    _teamwork_sort_archs("${archs}" nvptx amdgcn x86_64)
    set(${result} PARENT_SCOPE)
    foreach(kind nvptx amdgcn)
        if(${kind})
            cmake_language(CALL _teamwork_${kind}_missing "${${kind}}" missing)
            if(missing)
                set(${result} "${missing}" PARENT_SCOPE)
            endif()
        endif()
    endforeach()
endfunction()

# Compile and link options for NVIDIA GPUs. In the simt lowering the device runtime comes from libomptarget.devicertl.a
# when the image is linked, in the other it is part of what is compiled.
function(_teamwork_nvptx_options archs lowering compile link)
    _teamwork_nvptx_missing("${archs}" missing)
    if(missing)
        message(FATAL_ERROR "teamwork_add_offload: ${missing}.")
    endif()
    teamwork_find_cuda()
    set(runtime_option)
    if(lowering STREQUAL "teams")
        # what sm_90a has more than sm_90 is used in the simt lowering alone, and its runtime is that of sm_90
        list(TRANSFORM archs REPLACE "^(sm_[0-9]+)a$" "\\1")
        list(GET archs 0 first)
        _teamwork_device_runtime(nvptx ${first} runtime)
        set(runtime_option --libomptarget-nvptx-bc-path=${runtime})
    endif()
    _teamwork_arch_option(nvptx64-nvidia-cuda "${archs}" arch)
    # ptxas (12.0 to 13.0) takes the constant of add.s16x2 for 0 if one half of the other operand is undefined, as the
    # fourth element of a vector of 3 is. clang has the instruction for sm_90 from PTX 8.0 on: docs/vectors.md.
    set(no_short_pairs)
    if("sm_90" IN_LIST archs AND NOT "sm_90a" IN_LIST archs)
        set(no_short_pairs --cuda-feature=+ptx78)
        if(CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 20) # which has architectures that need a later PTX
            set(no_short_pairs "SHELL:-Xarch_sm_90 --cuda-feature=+ptx78")
        endif()
    endif()
    # LLVM's VectorCombine loads the elements of a vector that are used: two loads where a kernel needs three of four. From
    # L1 a gather of such vectors then took twice as long as one with a load of 16 bytes each.
    set(whole_vectors -disable-vector-combine)
    # clang unrolls less with -O2 than with -O3. Small arrays that a loop indexes then stay in local memory: a kernel that calls a
    # helper with one took 1.9 times as long.
    set(unroll -unroll-threshold=300)
    # The most instructions of a loop's copied turns, where it stays a loop: 150/4 with -O2, so that most are copied once or not at
    # all. nvcc copies about as many as this.
    set(turns -unroll-partial-threshold=300)
    set(${compile}
        ${arch}
        "SHELL:-Xopenmp-target=nvptx64-nvidia-cuda -mllvm=${whole_vectors}"
        "SHELL:-Xopenmp-target=nvptx64-nvidia-cuda -mllvm=${unroll}"
        "SHELL:-Xopenmp-target=nvptx64-nvidia-cuda -mllvm=${turns}"
        ${no_short_pairs}
        ${runtime_option}
        --cuda-path=${TEAMWORK_CUDA_ROOT}
        -Wno-unknown-cuda-version
        PARENT_SCOPE)
    set(cuda ${TEAMWORK_CUDA_ROOT})
    set(link_options)
    if(lowering STREQUAL "simt") # which is linked with LTO
        _teamwork_whole_program_cuda(whole_program_cuda)
        if(whole_program_cuda)
            set(cuda ${whole_program_cuda})
        endif()
        set(link_options)
        foreach(option ${whole_vectors} ${unroll} ${turns})
            list(APPEND link_options -Wl,--offload-opt=${option})
        endforeach()
    endif()
    list(APPEND link_options --cuda-path=${cuda})
    if(CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 20) # whose runtime is libompdevice.a, beside the bitcode
        list(GET archs 0 first)
        _teamwork_device_runtime(nvptx ${first} runtime)
        get_filename_component(runtime_dir "${runtime}" DIRECTORY)
        list(APPEND link_options "SHELL:-Xoffload-linker-nvptx64-nvidia-cuda -L${runtime_dir}")
    endif()
    set(${link} ${link_options} PARENT_SCOPE)
endfunction()

# An image that libomptarget cannot load is only noticed when the program runs, so it is said here, once.
function(_teamwork_check_cuda_version)
    teamwork_find_cuda()
    teamwork_find_openmp()
    get_property(said GLOBAL PROPERTY _teamwork_said_cuda_version)
    if(TEAMWORK_CUDA_VERSION VERSION_GREATER_EQUAL 13 AND TEAMWORK_OMPTARGET_VERSION VERSION_LESS 22 AND NOT said)
        message(WARNING "libomptarget ${TEAMWORK_OMPTARGET_VERSION} does not load what CUDA ${TEAMWORK_CUDA_VERSION} "
                        "assembles: install LLVM 22's (Debian package liboffload-22) or use a CUDA 12 toolkit "
                        "(CUDAToolkit_ROOT), else the program will not find a GPU.")
        set_property(GLOBAL PROPERTY _teamwork_said_cuda_version TRUE)
    endif()
endfunction()

# Compile and link options for AMD GPUs. The device runtime is linked from libomptarget.devicertl.a.
function(_teamwork_amdgcn_options archs lowering compile link)
    _teamwork_amdgcn_missing("${archs}" missing)
    if(missing)
        message(FATAL_ERROR "teamwork_add_offload: ${missing}.")
    endif()
    _teamwork_rocm_device_libs(libs)
    _teamwork_rocm_device_libs_for("${libs}" "${archs}" libs)
    _teamwork_arch_option(amdgcn-amd-amdhsa "${archs}" arch)
    # In passes for AMD GPUs clang includes <stdint.h> before the source's first line, so that a _POSIX_C_SOURCE or
    # _GNU_SOURCE there comes too late for the host's code, which these passes read as well.
    set(${compile}
        ${arch}
        "SHELL:-Xopenmp-target=amdgcn-amd-amdhsa -D_GNU_SOURCE"
        "SHELL:-Xopenmp-target=amdgcn-amd-amdhsa -Wno-macro-redefined"
        "SHELL:-Xopenmp-target=amdgcn-amd-amdhsa -mcumode" # a barrier need not invalidate caches (work_item_simt.h)
        --rocm-device-lib-path=${libs}
        PARENT_SCOPE)
    # LLVM 19's code generator crashes when an image is linked with -O0 or -O1, as that of any OpenMP program.
    set(${link} --rocm-device-lib-path=${libs} -Wl,--opt-level=O3 PARENT_SCOPE)
endfunction()

# The options for a list of architectures and a lowering: two lists of clang options, one for compiling and one for
# linking, without -fopenmp. Both are empty for no architectures.
function(teamwork_offload_options archs lowering compile link)
    set(c)
    set(l)
    set(triples)
    _teamwork_sort_archs("${archs}" nvptx amdgcn x86_64)
    foreach(kind nvptx amdgcn)
        if(${kind})
            cmake_language(CALL _teamwork_${kind}_options "${${kind}}" ${lowering} kind_c kind_l)
            list(APPEND c ${kind_c})
            list(APPEND l ${kind_l})
        endif()
    endforeach()
    if(nvptx)
        list(APPEND triples nvptx64-nvidia-cuda)
        _teamwork_check_cuda_version()
    endif()
    if(amdgcn)
        list(APPEND triples amdgcn-amd-amdhsa)
    endif()
    if(x86_64)
        list(APPEND triples x86_64-pc-linux-gnu)
        # openmp-opt is for GPUs, and clang 19's removes live stores of kernels from images for CPUs
        list(APPEND c "SHELL:-Xopenmp-target=x86_64-pc-linux-gnu -mllvm=-openmp-opt-disable")
        if(lowering STREQUAL "teams")
            # makes the device pass of the x86-64 image use the standard teams mapping instead of the host's loops
            list(APPEND c "SHELL:-Xopenmp-target=x86_64-pc-linux-gnu -DTW_CPU_DEVICE_PASS")
        endif()
    endif()
    if((nvptx OR amdgcn) AND lowering STREQUAL "simt")
        # cuda-mode: a bare kernel cannot globalize its variables. LTO: the barriers of neighbouring work-item loops are
        # merged by a pass over the linked image only; so is the device runtime left out of images that do not use it.
        list(APPEND c -DTW_LOWERING_SIMT -fopenmp-cuda-mode -foffload-lto)
        list(APPEND l -foffload-lto)
        if(x86_64)
            list(APPEND c -DTW_LOWERING_TEAMS) # what the CPU's image is made of
        endif()
    endif()
    if(triples)
        teamwork_check_offload_tools()
        string(REPLACE ";" "," triples "${triples}")
        list(PREPEND c -fopenmp-targets=${triples})
        list(PREPEND l -fopenmp-targets=${triples})
    endif()
    set(${compile} "${c}" PARENT_SCOPE)
    set(${link} "${l}" PARENT_SCOPE)
endfunction()

# Compilers for CUDA and HIP fuse multiplications and additions of different statements, and clang for C only those of one
# expression. A filter took 7 % longer so. Pragmas still prevent it. Empty where the options of the project, or the target's `own`,
# say what is to be fused; what the target is given later counts anyway.
function(_teamwork_gpu_contraction archs own result)
    set(${result} PARENT_SCOPE)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    get_directory_property(directory COMPILE_OPTIONS)
    set(said "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_C_FLAGS_${type}} ${CMAKE_CXX_FLAGS_${type}} ${directory} ${own}")
    if(said MATCHES "-ffp-(contract|model)=")
        return()
    endif()
    _teamwork_sort_archs("${archs}" nvptx amdgcn x86_64)
    set(options)
    if(nvptx)
        list(APPEND options "SHELL:-Xopenmp-target=nvptx64-nvidia-cuda -ffp-contract=fast-honor-pragmas")
    endif()
    if(amdgcn)
        list(APPEND options "SHELL:-Xopenmp-target=amdgcn-amd-amdhsa -ffp-contract=fast-honor-pragmas")
    endif()
    set(${result} "${options}" PARENT_SCOPE)
endfunction()

# The version of a plugin: a hash of the file. Neither build tools nor ccache know that objects depend on it, but all know the options;
# so what another plugin compiled is compiled again. A new file has the project configured again.
function(_teamwork_compiler_version plugin result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plugin})
    file(MD5 ${plugin} hash)
    string(SUBSTRING "${hash}" 0 7 hash)
    set(${result} ${hash} PARENT_SCOPE)
endfunction()

# The options that make loops of nd_range kernels: the plugin of this build, or the installed one; empty if there is none, or none for
# this compiler. TEAMWORK_COMPILER_CLANG is the major version of the clang that the installed one is for. The last two let the plugin
# know lines of the source, without debug information in the result: optimization records of all passes, and no file for them.
function(_teamwork_compiler_options result)
    set(${result} PARENT_SCOPE)
    if(TARGET teamwork_compiler)
        # the version: what it compiled before it changed is compiled again
        set(${result} -DTW_SPLIT=0x${TEAMWORK_COMPILER_VERSION} -fpass-plugin=$<TARGET_FILE:teamwork_compiler>
            -Xclang=-opt-record-passes -Xclang=. PARENT_SCOPE)
        return()
    endif()
    set(installed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../teamwork/teamwork_compiler.so)
    _teamwork_clang_major(major)
    if(major EQUAL TEAMWORK_COMPILER_CLANG AND EXISTS ${installed})
        get_filename_component(installed ${installed} ABSOLUTE)
        _teamwork_compiler_version(${installed} version)
        set(${result} -DTW_SPLIT=0x${version} -fpass-plugin=${installed} -Xclang=-opt-record-passes -Xclang=. PARENT_SCOPE)
    endif()
endfunction()

# Whoever links `library` compiles nd_range kernels as loops, unless the target has the property TEAMWORK_NO_COMPILER.
function(_teamwork_compiler_by_default library)
    _teamwork_compiler_options(options)
    if(options)
        foreach(language C CXX)
            target_compile_options(${library} INTERFACE "$<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANG_AND_ID:${language},Clang>,\
$<NOT:$<OR:$<BOOL:$<TARGET_PROPERTY:TEAMWORK_NO_COMPILER>>,$<BOOL:$<TARGET_PROPERTY:TEAMWORK_NO_SPLIT>>>>>:${options}>>")
        endforeach()
    endif()
endfunction()

# The linker of another compiler drops device images silently, and the program runs on the host only. So clang links
# the target, also if its main program is C++ of another compiler, or Fortran; CMake then adds the library of that language. A program that links a
# static library has its own linker: that of another compiler stops, since it takes the sentence for the name of a file.
# clang looks at the images in a static library only if the program has some itself: a source file in C sees to that.
function(_teamwork_link_by_clang target type)
    if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
        set(sentence "${target} has kernels for offload devices, so clang must link what uses it: set the property \
LINKER_LANGUAGE of that target to C, or CMAKE_CXX_COMPILER to clang++")
        target_link_options(${target} INTERFACE
            "$<$<NOT:$<OR:$<LINK_LANG_AND_ID:C,Clang>,$<LINK_LANG_AND_ID:CXX,Clang>>>:${sentence}>")
        target_sources(${target} INTERFACE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/teamwork_image.c")
        return()
    endif()
    get_target_property(language ${target} LINKER_LANGUAGE)
    if(NOT language AND (NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_Fortran_COMPILER))
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    endif()
endfunction()

# teamwork_add_offload(<target> [ARCHS <arch>...] [LOWERING simt|teams] [NO_COMPILER] [REPORT])
#
# Compiles the kernels of a target for offload devices, besides the host: sm_NN (NVIDIA GPUs), gfxNNN (AMD GPUs),
# x86_64 (an offload device on the host's processor, for testing). Several architectures make a program that runs on
# each of them. Without architectures the kernels are compiled for the host only, for which this call is not needed.
#
# LOWERING says how kernels become GPU code: simt (the default) makes plain GPU kernels and is the fastest; teams is the
# standard OpenMP mapping.
#
# NO_COMPILER keeps a stack for each work-item of nd_range kernels with barriers on processors. Else a plugin of clang makes loops of them,
# where Teamwork was built with it (docs/work_groups.md). The same is the property TEAMWORK_NO_COMPILER of a target.
# Both were called NO_SPLIT before version 0.2, which still works.
#
# REPORT makes the compiler tell, as remarks with the kernel, the line and the reason, which nd_range kernels became loops, where
# work-items became lanes of vectors, which loops were vectorized, and what stood in the way.
#
# What links a static library with kernels is compiled and linked for the library's architectures too: the device images
# of a static library are only taken up by a program that has some of the same architecture itself. The program links
# Teamwork::teamwork as usual. clang links the target, also where its main program is C++ of another compiler.
function(teamwork_add_offload target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_COMPILER;NO_SPLIT;REPORT" "LOWERING" "ARCHS")
    if(NOT TARGET ${target})
        message(FATAL_ERROR "teamwork_add_offload: there is no target \"${target}\".")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "teamwork_add_offload: unknown argument \"${arg_UNPARSED_ARGUMENTS}\".")
    endif()
    if(NOT arg_LOWERING)
        set(arg_LOWERING simt)
    elseif(NOT arg_LOWERING MATCHES "^(simt|teams)$")
        message(FATAL_ERROR "teamwork_add_offload: LOWERING is simt or teams, not \"${arg_LOWERING}\".")
    endif()
    teamwork_find_openmp()
    teamwork_offload_options("${arg_ARCHS}" ${arg_LOWERING} compile link)

    get_target_property(type ${target} TYPE)
    set(scope PRIVATE)
    if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
        set(scope PUBLIC)
    endif()
    # only for clang: a target may hold C++ of another compiler beside its kernels, and what links it is linked by clang
    foreach(option IN ITEMS -fopenmp LISTS compile)
        target_compile_options(${target} ${scope}
            "$<$<OR:$<COMPILE_LANG_AND_ID:C,Clang>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:${option}>")
    endforeach()
    get_target_property(own ${target} COMPILE_OPTIONS)
    _teamwork_gpu_contraction("${arg_ARCHS}" "${own}" contraction)
    foreach(option IN LISTS contraction)
        target_compile_options(${target} PRIVATE
            "$<$<OR:$<COMPILE_LANG_AND_ID:C,Clang>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:${option}>")
    endforeach()
    foreach(option IN ITEMS -fopenmp LISTS link)
        target_link_options(${target} ${scope}
            "$<$<OR:$<LINK_LANG_AND_ID:C,Clang>,$<LINK_LANG_AND_ID:CXX,Clang>>:${option}>")
    endforeach()
    target_link_libraries(${target} PRIVATE Teamwork::openmp)
    if(arg_ARCHS)
        _teamwork_link_by_clang(${target} ${type})
    endif()
    # A file that is compiled into two libraries has target regions of the same name in both, which the dynamic linker would take
    # for one: each library is to use its own.
    if(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
        target_link_options(${target} PRIVATE -Wl,-Bsymbolic)
    endif()
    if(arg_NO_COMPILER OR arg_NO_SPLIT)
        set_target_properties(${target} PROPERTIES TEAMWORK_NO_COMPILER ON)
    endif()
    if(arg_REPORT)
        set(groups "teamwork-.*|loop-vectorize")
        target_compile_options(${target} PRIVATE "$<$<OR:$<COMPILE_LANG_AND_ID:C,Clang>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:-gline-tables-only;-Rpass=${groups};\
-Rpass-missed=${groups};-Rpass-analysis=loop-vectorize>")
    endif()
endfunction()
