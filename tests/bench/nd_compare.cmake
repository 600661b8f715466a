# SPDX-License-Identifier: Apache-2.0
#
# nd_compare: the work-group kernels of examples/groups against CUDA (nd_bench.h). Included by CMakeLists.txt.
#   nd_compare           on a GPU, in the simt lowering; one file that can be carried to another machine
#   nd_compare_host      on the host

set(nd_sources nd_compare.c nd_cases.c nd_teamwork.c bench.c cases.c teamwork_side.c
    ${PROJECT_SOURCE_DIR}/examples/groups/reduce.c
    ${PROJECT_SOURCE_DIR}/examples/groups/histogram.c
    ${PROJECT_SOURCE_DIR}/examples/groups/matmul.c)

add_executable(nd_compare_host ${nd_sources})
target_compile_options(nd_compare_host PRIVATE -march=native)
target_link_libraries(nd_compare_host PRIVATE teamwork_warnings Teamwork::teamwork)
add_test(NAME bench.nd_compare COMMAND nd_compare_host --quick)
set_tests_properties(bench.nd_compare PROPERTIES ENVIRONMENT TW_DEVICES=host LABELS bench TIMEOUT 200)

if(NOT "gpu-simt" IN_LIST TEAMWORK_VARIANTS OR NOT TEAMWORK_GPU_ARCH MATCHES "^sm_")
    return()
endif()

add_executable(nd_compare ${nd_sources})
teamwork_add_offload(nd_compare ARCHS ${TEAMWORK_GPU_ARCH} LOWERING simt)
target_link_libraries(nd_compare PRIVATE teamwork_warnings Teamwork::teamwork_static)

# CUDA is optional, and called by hand, as for gpu_compare.
find_program(TEAMWORK_NVCC nvcc HINTS ${TEAMWORK_CUDA_ROOT}/bin PATHS /usr/local/cuda/bin)
find_library(TEAMWORK_CUDART cudart_static HINTS ${TEAMWORK_CUDA_ROOT} PATHS /usr/local/cuda PATH_SUFFIXES lib64 lib)
mark_as_advanced(TEAMWORK_NVCC TEAMWORK_CUDART)
if(NOT TEAMWORK_NVCC OR NOT TEAMWORK_CUDART)
    return()
endif()
set(nd_cuda)
foreach(source nd_cuda cuda_twins)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/nd_compare_${source}.o)
    list(APPEND nd_cuda ${object})
    add_custom_command(OUTPUT ${object}
        COMMAND ${TEAMWORK_NVCC} -O3 -arch=${TEAMWORK_GPU_ARCH} -std=c++17 -c ${CMAKE_CURRENT_SOURCE_DIR}/${source}.cu
            -o ${object}
        DEPENDS ${source}.cu nd_bench.h bench.h
        VERBATIM)
endforeach()
target_sources(nd_compare PRIVATE ${nd_cuda})
target_compile_definitions(nd_compare PRIVATE BENCH_HAVE_CUDA)
target_link_libraries(nd_compare PRIVATE ${TEAMWORK_CUDART} stdc++ rt dl Threads::Threads)
