# SPDX-License-Identifier: Apache-2.0
#
# The programs of the tree itself, tests and examples: one source file, compiled once for each kind of device that it is
# to run on, and registered with CTest. Not installed.

# ---- what this build and this machine can do -------------------------------------------------------------------------

# The architecture of the GPU in this machine, else of the GPU that the project is measured on.
if(NOT TEAMWORK_GPU_ARCH)
    set(arch sm_90)
    execute_process(
        COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
        OUTPUT_VARIABLE capability
        ERROR_QUIET)
    if(capability MATCHES "^([0-9]+)\\.([0-9]+)")
        set(arch sm_${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    endif()
    set(TEAMWORK_GPU_ARCH ${arch} CACHE STRING "The GPU architectures that tests and examples are compiled for")
endif()

# The variants of a program: the directories under the build directory that hold them.
set(TEAMWORK_VARIANTS host)
set(TEAMWORK_RUN_GPU OFF)
if(NOT TEAMWORK_SANITIZE)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        list(APPEND TEAMWORK_VARIANTS x86_64 x86_64-teams)
    endif()
    _teamwork_gpu_missing("${TEAMWORK_GPU_ARCH}" gpu_missing)
    if(TEAMWORK_GPU STREQUAL "AUTO" AND gpu_missing)
        message(STATUS "Programs are not compiled for GPUs: ${gpu_missing}.")
    elseif(TEAMWORK_GPU)
        # with TEAMWORK_GPU=ON the first teamwork_add_offload() says what is missing and ends the configuration
        list(APPEND TEAMWORK_VARIANTS gpu-simt gpu-teams)
        find_file(TEAMWORK_LIBCUDA libcuda.so.1 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
        mark_as_advanced(TEAMWORK_LIBCUDA)
        if(TEAMWORK_GPU_ARCH MATCHES "gfx")
            if(EXISTS /dev/kfd)
                set(TEAMWORK_RUN_GPU ON)
            endif()
        elseif(EXISTS /dev/nvidia0 AND TEAMWORK_LIBCUDA)
            set(TEAMWORK_RUN_GPU ON)
        endif()
    endif()
endif()

# The variant that runs on the host of a program that has them all.
set(TEAMWORK_HOST_VARIANT host)
if("x86_64" IN_LIST TEAMWORK_VARIANTS)
    set(TEAMWORK_HOST_VARIANT x86_64)
endif()

# ---- sanitizers ------------------------------------------------------------------------------------------------------

# libomp is not instrumented: archer, its tool for ThreadSanitizer, tells about OpenMP's synchronization, and what the
# uninstrumented libraries do among themselves is not looked at.
set(TEAMWORK_TEST_ENVIRONMENT)
if(TEAMWORK_SANITIZE MATCHES "thread")
    get_filename_component(omp_dir ${TEAMWORK_OMP_LIBRARY} DIRECTORY)
    find_file(TEAMWORK_ARCHER libarcher.so HINTS ${omp_dir})
    mark_as_advanced(TEAMWORK_ARCHER)
    set(TEAMWORK_TEST_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=4")
    if(TEAMWORK_ARCHER)
        list(APPEND TEAMWORK_TEST_ENVIRONMENT "OMP_TOOL_LIBRARIES=${TEAMWORK_ARCHER}")
    else()
        list(APPEND TEAMWORK_TEST_ENVIRONMENT "OMP_NUM_THREADS=1")
    endif()
elseif(TEAMWORK_SANITIZE)
    set(TEAMWORK_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1" "ASAN_OPTIONS=detect_stack_use_after_return=1")
endif()

# ---- programs --------------------------------------------------------------------------------------------------------

# Registers one run of a program. Further arguments: its environment.
function(teamwork_add_run target test label)
    add_test(NAME ${test} COMMAND ${target})
    set_tests_properties(${test} PROPERTIES
        ENVIRONMENT "${TEAMWORK_TEST_ENVIRONMENT};${ARGN}"
        LABELS ${label}
        SKIP_RETURN_CODE 77)
endfunction()

# Compiles one variant of a program as target NAME.VARIANT, binary VARIANT/NAME. TEAMWORK_PROGRAM_LIBRARY is the library that it
# is linked with, unless the variant needs the static one; the shared one where it is not set.
function(teamwork_add_variant name variant)
    set(target ${name}.${variant})
    set(library ${TEAMWORK_PROGRAM_LIBRARY})
    if(NOT library)
        set(library Teamwork::teamwork)
    endif()
    add_executable(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${variant})
    target_link_libraries(${target} PRIVATE teamwork_warnings)
    if(variant STREQUAL "host")
        target_compile_definitions(${target} PRIVATE TW_LOWERING_HOST) # there are no target regions to compile
        target_link_libraries(${target} PRIVATE ${library})
    elseif(variant STREQUAL "stacks")
        teamwork_add_offload(${target} NO_COMPILER)
        target_link_libraries(${target} PRIVATE ${library})
    elseif(variant MATCHES "^gpu-(simt|teams)$")
        # linked with the static library, so that the one file can be carried to a machine with a GPU
        teamwork_add_offload(${target} ARCHS ${TEAMWORK_GPU_ARCH} LOWERING ${CMAKE_MATCH_1})
        target_link_libraries(${target} PRIVATE Teamwork::teamwork_static)
    elseif(variant STREQUAL "x86_64-teams")
        teamwork_add_offload(${target} ARCHS x86_64 LOWERING teams)
        target_link_libraries(${target} PRIVATE Teamwork::teamwork_static)
    else()
        teamwork_add_offload(${target} ARCHS x86_64)
        target_link_libraries(${target} PRIVATE ${library})
    endif()
endfunction()

# teamwork_add_program(<name> SOURCES <source>... VARIANTS <variant>... [GPU_VARIANTS <variant>...]
#                      [VALUES] [UNSANITIZED] [NO_COMPILER] [SANITIZED_COMPILER] [INTERNAL] [SERIAL] [WARP_GROUPS])
#
# Compiles a program in each variant that it names and this build has, and registers its runs with CTest: the host
# variant on the host and on simulated devices, with sanitizers only on those with threads, each other one on its own
# device. The x86_64 variant has the kernels of the host too: where there is one, it takes the place of the host variant
# (TEAMWORK_HOST_VARIANT).
#
# VARIANTS         host, stacks (the same without the plugin that makes loops of nd_range kernels), x86_64, x86_64-teams, gpu-simt, gpu-teams
# GPU_VARIANTS     more of them, but only where a GPU runs them or with TEAMWORK_GPU_ALL: the lowerings do not differ in
#                  what the program's kernels use, so that compiling them tells little
# VALUES           the kernels compute values and test nothing of the runtime: simulated devices, whose kernels are those
#                  of the host, and the thread sanitizer are for nothing
# UNSANITIZED      not compiled with sanitizers at all
# NO_COMPILER      kernels keep their stacks, which is what the program is about
# SANITIZED_COMPILER  with sanitizers the host variant is optimized, and compiled with that plugin, too
# INTERNAL         calls functions that are the library's own: it includes private headers, and is linked with the static library
# SERIAL           the runs share the machine with no other test
# WARP_GROUPS      compiled for sm_90a instead of sm_90, whose simt lowering has instructions that no other architecture has
function(teamwork_add_program name)
    cmake_parse_arguments(PARSE_ARGV 1 program "VALUES;UNSANITIZED;NO_COMPILER;SANITIZED_COMPILER;INTERNAL;SERIAL;WARP_GROUPS" "" "SOURCES;VARIANTS;GPU_VARIANTS")
    if(program_UNPARSED_ARGUMENTS OR NOT program_SOURCES OR NOT program_VARIANTS)
        message(FATAL_ERROR "teamwork_add_program(${name}): sources or variants are missing, or there is an argument too many: "
                            "${program_UNPARSED_ARGUMENTS}")
    endif()
    if(TEAMWORK_SANITIZE AND (program_UNSANITIZED OR (program_VALUES AND TEAMWORK_SANITIZE MATCHES "thread")))
        return()
    endif()
    if(program_WARP_GROUPS)
        string(REGEX REPLACE "sm_90(;|$)" "sm_90a\\1" TEAMWORK_GPU_ARCH "${TEAMWORK_GPU_ARCH}")
    endif()
    set(variants ${program_VARIANTS})
    if(TEAMWORK_RUN_GPU OR TEAMWORK_GPU_ALL)
        list(APPEND variants ${program_GPU_VARIANTS})
    endif()
    if(TEAMWORK_SANITIZE AND NOT program_SANITIZED_COMPILER)
        list(REMOVE_ITEM variants stacks)
    endif()
    set(host_variant host)
    if("x86_64" IN_LIST program_VARIANTS)
        set(host_variant ${TEAMWORK_HOST_VARIANT})
    endif()
    list(REMOVE_ITEM variants host)
    list(APPEND variants ${host_variant})
    list(REMOVE_DUPLICATES variants)

    if(program_INTERNAL)
        set(TEAMWORK_PROGRAM_LIBRARY Teamwork::teamwork_static)
    endif()
    set(built ${TEAMWORK_VARIANTS})
    if(TEAMWORK_HAVE_COMPILER)
        list(APPEND built stacks)
    endif()
    set(runs)
    foreach(variant IN LISTS variants)
        if(NOT variant IN_LIST built)
            continue()
        endif()
        set(target ${name}.${variant})
        teamwork_add_variant(${name} ${variant} ${program_SOURCES})
        if(program_INTERNAL)
            target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/offload)
        endif()
        if(program_NO_COMPILER)
            set_target_properties(${target} PROPERTIES TEAMWORK_NO_COMPILER ON)
        endif()
        if(TEAMWORK_SANITIZE AND TEAMWORK_HAVE_COMPILER AND program_SANITIZED_COMPILER AND variant STREQUAL "host")
            _teamwork_compiler_options(options)
            target_compile_options(${target} PRIVATE -O1 ${options})
            add_dependencies(${target} teamwork_compiler_plugin)
        endif()
        if(variant STREQUAL host_variant)
            teamwork_add_run(${target} ${name}.host host TW_DEVICES=host)
            list(APPEND runs ${name}.host)
            if(NOT TEAMWORK_SANITIZE AND NOT program_VALUES) # sim-async has all of it, and threads
                teamwork_add_run(${target} ${name}.sim sim TW_SIM=3 TW_SIM_CHECK=1 TW_DEVICES=sim)
                list(APPEND runs ${name}.sim)
            endif()
            if(NOT program_VALUES)
                teamwork_add_run(${target} ${name}.sim-async sim TW_SIM=2 TW_SIM_ASYNC=1 TW_SIM_CHECK=1 TW_DEVICES=sim)
                list(APPEND runs ${name}.sim-async)
            endif()
        endif()
        if(variant STREQUAL "stacks")
            teamwork_add_run(${target} ${target} host TW_DEVICES=host TW_WARNINGS=0)
            list(APPEND runs ${target})
        elseif(variant MATCHES "^x86_64")
            teamwork_add_run(${target} ${target} offload TW_DEVICES=omp)
            list(APPEND runs ${target})
        elseif(variant MATCHES "^gpu" AND TEAMWORK_RUN_GPU)
            teamwork_add_run(${target} ${target} gpu TW_DEVICES=gpu)
            list(APPEND runs ${target})
        endif()
    endforeach()
    if(program_SERIAL)
        set_tests_properties(${runs} PROPERTIES RUN_SERIAL TRUE)
    endif()
endfunction()
