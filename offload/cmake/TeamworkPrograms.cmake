# SPDX-License-Identifier: Apache-2.0
#
# The programs of the tree itself, tests and examples: one source file, compiled once for each kind of device that it is
# to run on, and registered with CTest. Not installed.

# ---- what this build and this machine can do ---------------------------------------------------------------------------

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
    set(TEAMWORK_GPU_ARCH ${arch} CACHE STRING "The GPU architecture that tests and examples are compiled for")
endif()

# The variants of a program: the directories under the build directory that hold them.
set(TEAMWORK_VARIANTS host)
set(TEAMWORK_RUN_GPU OFF)
if(NOT TEAMWORK_SANITIZE)
    list(APPEND TEAMWORK_VARIANTS x86_64 x86_64-teams)
    _teamwork_nvptx_missing(${TEAMWORK_GPU_ARCH} gpu_missing)
    if(TEAMWORK_GPU STREQUAL "AUTO" AND gpu_missing)
        message(STATUS "Programs are not compiled for GPUs: ${gpu_missing}.")
    elseif(TEAMWORK_GPU)
        # with TEAMWORK_GPU=ON the first teamwork_add_offload() says what is missing and ends the configuration
        list(APPEND TEAMWORK_VARIANTS gpu-simt gpu-teams)
        find_file(TEAMWORK_LIBCUDA libcuda.so.1 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
        mark_as_advanced(TEAMWORK_LIBCUDA)
        if(EXISTS /dev/nvidia0 AND TEAMWORK_LIBCUDA)
            set(TEAMWORK_RUN_GPU ON)
        endif()
    endif()
endif()

# ---- sanitizers --------------------------------------------------------------------------------------------------------

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

# ---- programs ----------------------------------------------------------------------------------------------------------

# Registers one run of a program. Further arguments: its environment.
function(teamwork_add_run target test label)
    add_test(NAME ${test} COMMAND ${target})
    set_tests_properties(${test} PROPERTIES
        ENVIRONMENT "${TEAMWORK_TEST_ENVIRONMENT};${ARGN}"
        LABELS ${label}
        SKIP_RETURN_CODE 77)
endfunction()

# Compiles one variant of a program as target NAME.VARIANT, binary VARIANT/NAME.
function(teamwork_add_variant name variant)
    set(target ${name}.${variant})
    add_executable(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${variant})
    target_link_libraries(${target} PRIVATE teamwork_warnings)
    if(variant STREQUAL "host")
        target_link_libraries(${target} PRIVATE Teamwork::teamwork)
    elseif(variant STREQUAL "split")
        teamwork_add_offload(${target} SPLIT)
        target_link_libraries(${target} PRIVATE Teamwork::teamwork)
    elseif(variant MATCHES "^gpu-(simt|teams)$")
        # linked with the static library, so that the one file can be carried to a machine with a GPU
        teamwork_add_offload(${target} ARCHS ${TEAMWORK_GPU_ARCH} LOWERING ${CMAKE_MATCH_1})
        target_link_libraries(${target} PRIVATE Teamwork::teamwork_static)
    elseif(variant STREQUAL "x86_64-teams")
        teamwork_add_offload(${target} ARCHS x86_64 LOWERING teams)
        target_link_libraries(${target} PRIVATE Teamwork::teamwork_static)
    else()
        teamwork_add_offload(${target} ARCHS x86_64)
        target_link_libraries(${target} PRIVATE Teamwork::teamwork)
    endif()
endfunction()

# teamwork_add_program(<name> <source>...)
#
# Compiles a program in every variant and registers it with CTest: on the host, on simulated devices, on the x86-64
# offload device in both lowerings, and on the GPU if this machine has one. A program that defines no kernel is the same
# in every variant, and only runs on the host and on simulated devices.
function(teamwork_add_program name)
    set(variants host)
    foreach(source IN LISTS ARGN)
        # an edit may add a first kernel
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} kernels REGEX
            "^ *TW_(SINGLE_TASK|RANGE_KERNEL|RANGE_REDUCTION|ND_RANGE_KERNEL|WORK_GROUP_KERNEL) *\\(| BUILTIN_KERNEL\\(")
        if(kernels)
            set(variants ${TEAMWORK_VARIANTS})
        endif()
    endforeach()
    # Functions of values do not know how a kernel is mapped: one lowering for each device is enough, and one kind of
    # simulated device; the host runs the host code of the program for the x86-64 device; there are no threads to sanitize,
    # and little memory. Without a GPU to run on, GPU code is compiled where the lowerings differ, for the sake of time.
    set(of_values FALSE)
    if(name MATCHES "^test_(builtin|vector|math|image|sampler|printf)")
        set(of_values TRUE)
        list(FILTER variants EXCLUDE REGEX "teams$")
        if("x86_64" IN_LIST variants)
            list(REMOVE_ITEM variants host)
        endif()
        if(TEAMWORK_SANITIZE MATCHES "thread" OR (TEAMWORK_SANITIZE AND name MATCHES "^test_(builtin_[cgr]|math$|vector$)"))
            return()
        endif()
    endif()
    # kernels with barriers, as loops (offload/split/)
    if(name STREQUAL "test_split")
        set(variants host)
    endif()
    if(TEAMWORK_HAVE_SPLIT AND name MATCHES "^test_(split|barrier|group_functions|async_copy)$"
       AND (name STREQUAL "test_split" OR NOT TEAMWORK_SANITIZE))
        list(APPEND variants split)
    endif()
    if(NOT TEAMWORK_RUN_GPU AND NOT TEAMWORK_GPU_ALL)
        # what is about the runtime has kernels that every lowering maps in the same way
        if(name MATCHES "^test_" AND NOT name MATCHES
           "^test_(kernel_|lowering|group_f|nd_range|barrier$|local_|async_|atomic|pointer$|reduction|vector_d|image$|printf)")
            list(REMOVE_ITEM variants gpu-simt)
        endif()
        if(NOT name MATCHES "^test_(kernel_|lowering|group_functions|nd_range)")
            list(REMOVE_ITEM variants gpu-teams)
        endif()
        if(name MATCHES "^test_(queue|event|process|ordering|scheduling|sequences|scale|faults|chain|command_graph|host_memory|storage|litmus|out_of|status|sim)")
            list(REMOVE_ITEM variants x86_64-teams)
        endif()
    endif()
    foreach(variant IN LISTS variants)
        teamwork_add_variant(${name} ${variant} ${ARGN})
        if(variant STREQUAL "host" OR (of_values AND variant STREQUAL "x86_64"))
            teamwork_add_run(${name}.${variant} ${name}.host host TW_DEVICES=host)
            teamwork_add_run(${name}.${variant} ${name}.sim sim TW_SIM=3 TW_SIM_CHECK=1 TW_DEVICES=sim)
            if(NOT of_values)
                teamwork_add_run(${name}.host ${name}.sim-async sim TW_SIM=2 TW_SIM_ASYNC=1 TW_SIM_CHECK=1 TW_DEVICES=sim)
            endif()
        endif()
        if(variant STREQUAL "split")
            teamwork_add_run(${name}.split ${name}.split host TW_DEVICES=host)
        elseif(variant MATCHES "^x86_64")
            teamwork_add_run(${name}.${variant} ${name}.${variant} offload TW_DEVICES=omp)
        elseif(TEAMWORK_RUN_GPU)
            teamwork_add_run(${name}.${variant} ${name}.${variant} gpu TW_DEVICES=gpu)
        endif()
    endforeach()
endfunction()
