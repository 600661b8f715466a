# SPDX-License-Identifier: Apache-2.0
#
# Where the parts of LLVM's offloading tool chain are: libomp, libomptarget, the device runtimes, and the toolkits of the
# GPU vendors. Used to build Teamwork, and installed for the programs that use it. Knows nothing about Teamwork itself.
#
# Hints, as CMake or environment variables:
#   TEAMWORK_LLVM_ROOT            an LLVM installation to look at before the compiler's own
#   TEAMWORK_OMPTARGET_LIBRARY    the libomptarget to link, instead of the newest that is found
#   CUDAToolkit_ROOT, CUDA_PATH   the CUDA toolkit
#   ROCM_PATH                     the ROCm installation with the device libraries
include_guard(GLOBAL)

# The value of a hint: the CMake variable, else the environment variable.
function(_teamwork_hint name result)
    if(${name})
        set(${result} "${${name}}" PARENT_SCOPE)
    else()
        set(${result} "$ENV{${name}}" PARENT_SCOPE)
    endif()
endfunction()

# Asks clang something; `result` is the first line of its answer.
function(_teamwork_ask_clang result)
    execute_process(
        COMMAND ${CMAKE_C_COMPILER} ${ARGN}
        OUTPUT_VARIABLE answer
        ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(${result} "${answer}" PARENT_SCOPE)
endfunction()

# Ends the configuration with one sentence unless the C compiler is a clang that can offload.
function(teamwork_check_compiler)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang" OR CMAKE_C_COMPILER_VERSION VERSION_LESS 18)
        message(FATAL_ERROR "Teamwork kernels need clang 18 or later as C compiler (clang 19 is the reference), not "
                            "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}: set CC=clang-19 and start with an "
                            "empty build directory (Debian packages: clang-19 libomp-19-dev).")
    endif()
endfunction()

# The major version of clang, for names of packages.
function(_teamwork_clang_major result)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_C_COMPILER_VERSION}")
    set(${result} "${major}" PARENT_SCOPE)
endfunction()

# The directories that may hold the libraries of the compiler's own LLVM version, best first: the hint, what the
# compiler itself would link (its prefix, or the subdirectory for the target), and beside its resource directory.
function(_teamwork_own_library_dirs result)
    get_property(known GLOBAL PROPERTY _teamwork_own_library_dirs)
    if(known)
        set(${result} "${known}" PARENT_SCOPE)
        return()
    endif()
    _teamwork_hint(TEAMWORK_LLVM_ROOT root)
    set(dirs)
    if(root)
        list(APPEND dirs "${root}/lib" "${root}/lib/x86_64-unknown-linux-gnu" "${root}")
    endif()
    foreach(library libomptarget.so libomp.so)
        _teamwork_ask_clang(file -print-file-name=${library})
        if(IS_ABSOLUTE "${file}")
            get_filename_component(dir "${file}" DIRECTORY)
            get_filename_component(dir "${dir}" ABSOLUTE)
            list(APPEND dirs "${dir}")
        endif()
    endforeach()
    _teamwork_ask_clang(resources -print-resource-dir)
    if(resources)
        get_filename_component(dir "${resources}/../.." ABSOLUTE)
        list(APPEND dirs "${dir}" "${dir}/x86_64-unknown-linux-gnu")
    endif()
    list(REMOVE_DUPLICATES dirs)
    set(existing)
    foreach(dir IN LISTS dirs)
        if(IS_DIRECTORY "${dir}")
            list(APPEND existing "${dir}")
        endif()
    endforeach()
    set_property(GLOBAL PROPERTY _teamwork_own_library_dirs "${existing}")
    set(${result} "${existing}" PARENT_SCOPE)
endfunction()

# The directories that the dynamic linker searches anyway.
function(_teamwork_system_library_dirs result)
    set(dirs /usr/lib /lib /usr/lib64 /lib64)
    if(CMAKE_LIBRARY_ARCHITECTURE)
        list(PREPEND dirs /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /lib/${CMAKE_LIBRARY_ARCHITECTURE})
    endif()
    set(${result} "${dirs}" PARENT_SCOPE)
endfunction()

# The version of a libomptarget: from its file name, or that of the compiler where the name has none.
function(_teamwork_omptarget_version file result)
    get_filename_component(real "${file}" REALPATH)
    if(real MATCHES "libomptarget\\.so\\.([0-9]+(\\.[0-9]+)*)$")
        set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    else()
        set(${result} "${CMAKE_C_COMPILER_VERSION}" PARENT_SCOPE)
    endif()
endfunction()

# Chooses libomptarget: the newest that is not older than the compiler. Newer ones run older images, and only LLVM 22's
# accepts what the assembler of CUDA 13 writes. Sets the cache variable TEAMWORK_OMPTARGET_LIBRARY.
function(_teamwork_choose_omptarget)
    _teamwork_hint(TEAMWORK_OMPTARGET_LIBRARY given)
    if(given AND EXISTS "${given}")
        set(TEAMWORK_OMPTARGET_LIBRARY "${given}" CACHE FILEPATH "The libomptarget to link")
        return()
    endif()
    _teamwork_own_library_dirs(dirs)
    _teamwork_system_library_dirs(system)
    file(GLOB others /usr/lib/llvm-*/lib)
    _teamwork_clang_major(major)
    set(best)
    set(best_version 0)
    foreach(dir IN LISTS dirs system others ITEMS /usr/local/lib)
        file(GLOB files "${dir}/libomptarget.so" "${dir}/libomptarget.so.[0-9]*")
        foreach(file IN LISTS files)
            _teamwork_omptarget_version("${file}" version)
            if(version VERSION_GREATER_EQUAL major AND version VERSION_GREATER best_version)
                set(best "${file}")
                set(best_version "${version}")
            endif()
        endforeach()
    endforeach()
    if(NOT best)
        message(FATAL_ERROR "libomptarget, LLVM's offloading library, was not found for clang ${major}: install it "
                            "(Debian package libomp-${major}-dev) or point TEAMWORK_LLVM_ROOT at the LLVM that has it.")
    endif()
    set(TEAMWORK_OMPTARGET_LIBRARY "${best}" CACHE FILEPATH "The libomptarget to link" FORCE)
endfunction()

# Finds libomp and libomptarget, and sets for the caller:
#   TEAMWORK_OMPTARGET_LIBRARY, TEAMWORK_OMPTARGET_VERSION
#   TEAMWORK_OMP_LIBRARY           full path
#   TEAMWORK_OPENMP_DIRS           directories for -L
#   TEAMWORK_OPENMP_RPATH          those of them that the dynamic linker does not search by itself
function(teamwork_find_openmp)
    teamwork_check_compiler()
    _teamwork_choose_omptarget()
    _teamwork_omptarget_version("${TEAMWORK_OMPTARGET_LIBRARY}" version)
    _teamwork_own_library_dirs(own)
    find_library(TEAMWORK_OMP_LIBRARY omp HINTS ${own} DOC "LLVM's OpenMP library")
    mark_as_advanced(TEAMWORK_OMP_LIBRARY TEAMWORK_OMPTARGET_LIBRARY)
    if(NOT TEAMWORK_OMP_LIBRARY)
        _teamwork_clang_major(major)
        message(FATAL_ERROR "libomp, LLVM's OpenMP library, was not found for clang ${major}: install it (Debian "
                            "package libomp-${major}-dev) or point TEAMWORK_LLVM_ROOT at the LLVM that has it.")
    endif()
    get_filename_component(omp_dir "${TEAMWORK_OMP_LIBRARY}" DIRECTORY)
    get_filename_component(target_dir "${TEAMWORK_OMPTARGET_LIBRARY}" DIRECTORY)
    set(dirs "${omp_dir}" "${target_dir}")
    list(REMOVE_DUPLICATES dirs)
    _teamwork_system_library_dirs(system)
    set(rpath ${dirs})
    list(REMOVE_ITEM rpath ${system})
    list(REMOVE_ITEM dirs ${system})
    set(TEAMWORK_OMPTARGET_VERSION "${version}" PARENT_SCOPE)
    set(TEAMWORK_OPENMP_DIRS "${dirs}" PARENT_SCOPE)
    set(TEAMWORK_OPENMP_RPATH "${rpath}" PARENT_SCOPE)
endfunction()

# Finds the CUDA toolkit. Sets TEAMWORK_CUDA_ROOT (empty: not found) and TEAMWORK_CUDA_VERSION for the caller.
function(teamwork_find_cuda)
    _teamwork_hint(CUDAToolkit_ROOT given)
    set(TEAMWORK_CUDA_ROOT PARENT_SCOPE)
    set(TEAMWORK_CUDA_VERSION PARENT_SCOPE)
    find_program(TEAMWORK_PTXAS ptxas
        HINTS ${given} ENV CUDA_PATH ENV CUDA_HOME
        PATHS /usr/local/cuda /usr/lib/cuda
        PATH_SUFFIXES bin
        DOC "The assembler of the CUDA toolkit")
    mark_as_advanced(TEAMWORK_PTXAS)
    if(NOT TEAMWORK_PTXAS)
        return()
    endif()
    get_property(version GLOBAL PROPERTY _teamwork_cuda_version)
    if(NOT version)
        execute_process(COMMAND ${TEAMWORK_PTXAS} --version OUTPUT_VARIABLE answer ERROR_QUIET)
        string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" _ "${answer}")
        set(version "${CMAKE_MATCH_1}")
        set_property(GLOBAL PROPERTY _teamwork_cuda_version "${version}")
    endif()
    set(TEAMWORK_CUDA_VERSION "${version}" PARENT_SCOPE)
    get_filename_component(root "${TEAMWORK_PTXAS}" DIRECTORY)
    get_filename_component(root "${root}" DIRECTORY)
    # Debian's own package puts ptxas into /usr/bin and what clang looks for into /usr/lib/cuda.
    if(root STREQUAL "/usr")
        set(root /usr/lib/cuda)
    endif()
    if(IS_DIRECTORY "${root}")
        set(TEAMWORK_CUDA_ROOT "${root}" PARENT_SCOPE)
    endif()
endfunction()

# A folder that clang takes for the CUDA toolkit, for linking: links into the real one, but a ptxas that assembles whole
# programs, and an nvlink that links them (whole_program.in). Sets `result` to the folder; empty if they cannot.
function(_teamwork_whole_program_cuda result)
    set(${result} PARENT_SCOPE)
    teamwork_find_cuda()
    if(NOT TEAMWORK_CUDA_ROOT)
        return()
    endif()
    get_property(known GLOBAL PROPERTY _teamwork_whole_program_cuda SET)
    if(NOT known)
        set(folder ${CMAKE_BINARY_DIR}/teamwork-cuda)
        file(MAKE_DIRECTORY ${folder}/bin)
        file(GLOB parts ${TEAMWORK_CUDA_ROOT}/*)
        list(REMOVE_ITEM parts ${TEAMWORK_CUDA_ROOT}/bin)
        foreach(part IN LISTS parts)
            get_filename_component(name "${part}" NAME)
            file(CREATE_LINK "${part}" ${folder}/${name} SYMBOLIC)
        endforeach()
        get_filename_component(bin "${TEAMWORK_PTXAS}" DIRECTORY)
        file(CREATE_LINK "${bin}/fatbinary" ${folder}/bin/fatbinary SYMBOLIC)
        set(nvlink "${bin}/nvlink")
        foreach(tool ptxas nvlink)
            configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/whole_program.in ${folder}/bin/${tool} @ONLY
                FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
        endforeach()

        # Do they make an image of a whole program?
        set(check ${CMAKE_BINARY_DIR}/CMakeFiles/teamwork_whole_program)
        file(WRITE ${check}.ptx ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry whole() { ret; }\n")
        set(kernel)
        set(options)
        execute_process(COMMAND ${folder}/bin/ptxas -m64 -O3 -arch sm_80 -c ${check}.ptx -o ${check}.cubin
            RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        if(NOT status)
            execute_process(COMMAND ${folder}/bin/nvlink -arch sm_80 ${check}.cubin -o ${check}.image
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        endif()
        if(NOT status)
            file(STRINGS ${check}.image kernel REGEX "text\\.whole")
            file(STRINGS ${check}.image options REGEX " -ewp")
        endif()
        if(NOT kernel OR NOT options)
            set(folder)
        endif()
        set_property(GLOBAL PROPERTY _teamwork_whole_program_cuda "${folder}")
    endif()
    get_property(folder GLOBAL PROPERTY _teamwork_whole_program_cuda)
    set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Ends the configuration with one sentence if clang's tools for device images are not there: on Debian they are a package
# of their own, which clang does not depend on.
function(teamwork_check_offload_tools)
    get_property(checked GLOBAL PROPERTY _teamwork_checked_offload_tools)
    if(checked)
        return()
    endif()
    foreach(tool clang-linker-wrapper clang-offload-packager)
        _teamwork_ask_clang(program -print-prog-name=${tool})
        if(NOT IS_ABSOLUTE "${program}")
            _teamwork_clang_major(major)
            message(FATAL_ERROR "${tool}, which clang needs to compile for offload devices, was not found: install it "
                                "(Debian package clang-tools-${major}).")
        endif()
    endforeach()
    set_property(GLOBAL PROPERTY _teamwork_checked_offload_tools TRUE)
endfunction()

# The OpenMP device runtime for one architecture of `kind`, nvptx or amdgpu: sets `result` to what
# --libomptarget-nvptx-bc-path takes, a directory if it has one file for each architecture, else the one file; empty if
# there is none. It must be of the compiler's own LLVM version, since bitcode of another may not load.
function(_teamwork_device_runtime kind arch result)
    set(${result} PARENT_SCOPE)
    _teamwork_own_library_dirs(dirs)
    foreach(dir IN LISTS dirs)
        if(EXISTS "${dir}/libomptarget-${kind}-${arch}.bc")
            set(${result} "${dir}" PARENT_SCOPE)
            return()
        endif()
        # sm_90a is sm_90 and some instructions more
        string(REGEX REPLACE "^(sm_[0-9]+)a$" "\\1" base "${arch}")
        foreach(file "${dir}/libomptarget-${kind}-${base}.bc" "${dir}/libomptarget-${kind}.bc"
                "${dir}/nvptx64-nvidia-cuda/libomptarget-${kind}.bc" "${dir}/amdgcn-amd-amdhsa/libomptarget-${kind}.bc")
            if(EXISTS "${file}")
                set(${result} "${file}" PARENT_SCOPE)
                return()
            endif()
        endforeach()
    endforeach()
endfunction()

# Does the CUDA toolkit assemble for an architecture? CUDA 13 does no more for those before sm_75.
function(_teamwork_cuda_assembles arch result)
    get_property(help GLOBAL PROPERTY _teamwork_ptxas_help)
    if(NOT help)
        execute_process(COMMAND ${TEAMWORK_PTXAS} --help OUTPUT_VARIABLE help ERROR_QUIET)
        set_property(GLOBAL PROPERTY _teamwork_ptxas_help "${help}")
    endif()
    set(${result} FALSE PARENT_SCOPE)
    if(help MATCHES "'${arch}'")
        set(${result} TRUE PARENT_SCOPE)
    endif()
endfunction()

# Does clang compile for an architecture with this CUDA toolkit? If it does not know the version, it takes the last one that
# it knows, which may have no such architecture: clang 22 compiles for sm_110 with no CUDA. Others say so by the device runtime.
function(_teamwork_clang_compiles arch result)
    get_property(compiles GLOBAL PROPERTY _teamwork_clang_compiles_${arch})
    if(CMAKE_C_COMPILER_VERSION VERSION_LESS 20)
        set(compiles TRUE)
    elseif("${compiles}" STREQUAL "")
        execute_process(
            COMMAND ${CMAKE_C_COMPILER} -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda
                -Xopenmp-target=nvptx64-nvidia-cuda -march=${arch} --cuda-path=${TEAMWORK_CUDA_ROOT} -nogpulib
                --offload-device-only -S -x c /dev/null -o /dev/null
            RESULT_VARIABLE status
            OUTPUT_QUIET ERROR_QUIET)
        set(compiles TRUE)
        if(status)
            set(compiles FALSE)
        endif()
        set_property(GLOBAL PROPERTY _teamwork_clang_compiles_${arch} ${compiles})
    endif()
    set(${result} ${compiles} PARENT_SCOPE)
endfunction()

# What NVIDIA architectures the compiler's device runtime can be used for, from the oldest that Teamwork's atomics run on:
# those that it was built for, or where it is one file for all, those that the compiler knows.
function(_teamwork_nvptx_archs result)
    _teamwork_own_library_dirs(dirs)
    set(names)
    foreach(dir IN LISTS dirs)
        file(GLOB files RELATIVE "${dir}" "${dir}/libomptarget-nvptx-sm_*.bc")
        list(APPEND names ${files})
    endforeach()
    _teamwork_device_runtime(nvptx sm_90 runtime)
    if(NOT names AND runtime)
        execute_process(COMMAND ${CMAKE_C_COMPILER} --target=nvptx64-nvidia-cuda --print-supported-cpus
            OUTPUT_QUIET ERROR_VARIABLE answer)
        string(REGEX MATCHALL "sm_[0-9]+[ \t\r\n]" names "${answer}")
    endif()
    set(archs)
    foreach(name IN LISTS names)
        string(REGEX MATCH "sm_([0-9]+)" arch "${name}")
        if(arch AND CMAKE_MATCH_1 GREATER_EQUAL 70)
            list(APPEND archs ${arch})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES archs)
    list(SORT archs COMPARE NATURAL)
    set(${result} "${archs}" PARENT_SCOPE)
endfunction()

# The device libraries of ROCm, which clang needs for AMD GPUs; empty if there are none.
function(_teamwork_rocm_device_libs result)
    set(${result} PARENT_SCOPE)
    _teamwork_hint(ROCM_PATH given)
    find_file(TEAMWORK_OCKL ockl.bc
        HINTS ${given}
        PATHS /opt/rocm /usr /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
        PATH_SUFFIXES amdgcn/bitcode lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode lib/amdgcn/bitcode
        DOC "A device library of ROCm")
    mark_as_advanced(TEAMWORK_OCKL)
    if(TEAMWORK_OCKL)
        get_filename_component(dir "${TEAMWORK_OCKL}" DIRECTORY)
        set(${result} "${dir}" PARENT_SCOPE)
    endif()
endfunction()

# The device libraries of ROCm for some architectures: a directory for --rocm-device-lib-path. ROCm has one file for each
# architecture, with its number, by which the others choose between code for GPUs before gfx9 and for those since. ROCm is
# often older than clang (Debian's 5.2.3 knows neither gfx942 nor gfx1100): then such files are added to a copy.
function(_teamwork_rocm_device_libs_for libs archs result)
    set(missing)
    foreach(arch IN LISTS archs)
        string(REGEX REPLACE "^gfx" "" number "${arch}")
        if(NOT EXISTS "${libs}/oclc_isa_version_${number}.bc")
            list(APPEND missing ${number})
        endif()
    endforeach()
    set(${result} "${libs}" PARENT_SCOPE)
    if(NOT missing)
        return()
    endif()
    set(copy "${CMAKE_BINARY_DIR}/teamwork-rocm")
    file(MAKE_DIRECTORY "${copy}")
    file(GLOB files "${libs}/*.bc")
    file(COPY ${files} DESTINATION "${copy}")
    foreach(number IN LISTS missing)
        set(file "${copy}/oclc_isa_version_${number}.bc")
        if(EXISTS "${file}" OR NOT number MATCHES "^([0-9]+)([0-9])([0-9a-f])$")
            continue()
        endif()
        math(EXPR version "${CMAKE_MATCH_1} * 1000 + ${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
        file(WRITE "${copy}/isa.ll" "target triple = \"amdgcn-amd-amdhsa\"
@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 ${version}, align 4
")
        _teamwork_ask_clang(ignored --target=amdgcn-amd-amdhsa -nogpulib -Wno-override-module -emit-llvm -c -o "${file}"
            "${copy}/isa.ll")
        message(STATUS "The device libraries in ${libs} are older than gfx${number}: its number was added to a copy.")
    endforeach()
    set(${result} "${copy}" PARENT_SCOPE)
endfunction()
