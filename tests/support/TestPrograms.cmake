# SPDX-License-Identifier: Apache-2.0
#
# How the programs of tests/ are compiled and registered. test_*.c and test_*.cpp run on every device; unit_*.c look
# inside the library. The second line of test_NAME.c says in which variants it is compiled:
#
#     /* Variants: VARIANT... (VARIANT...), FLAG... */
#
# In parentheses are the GPU_VARIANTS of teamwork_add_program(), after each comma is one of its flags in lower case
# (offload/cmake/TeamworkPrograms.cmake), or "optimized": with sanitizers too, or "long": left out of the short run of
# tests/run.sh, since it takes longer than most and says less about the machine. NAME_*.c and NAME_*.cpp are further files of it.
# A program that is C++ as well, cxx_NAME, has such a line that begins with "C++17: " or "C++20: ".
#
# What the short run needs is built by the target tests_short; what it runs has the label "short".

set(include_options -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/offload/include)
include_directories(${CMAKE_CURRENT_LIST_DIR})
# To optimize what sanitizers make of a test takes far longer than most of them run.
if(TEAMWORK_SANITIZE)
    add_compile_options(-O0)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

add_custom_target(tests_short)
foreach(target IN ITEMS teamwork teamwork_static teamwork_compiler_plugin teamwork-info)
    if(TARGET ${target})
        add_dependencies(tests_short ${target})
    endif()
endforeach()

# Compiles a program as the line of `source` that begins with `words` says; `words` is a regular expression. Further
# arguments: its files. Without such a line it does nothing.
function(_teamwork_add_variants name source words)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} line REGEX "^/\\* (${words}): .* \\*/$" LIMIT_COUNT 1)
    if(NOT line)
        return()
    endif()
    if(NOT line MATCHES "^/\\* [A-Za-z+]*([0-9]*): ([a-z0-9_ -]+)( \\(([a-z0-9_ -]+)\\))?((, [a-z-]+)*) \\*/$")
        message(FATAL_ERROR "${source}: this line is not as tests/support/TestPrograms.cmake describes it: ${line}")
    endif()
    set(CMAKE_CXX_STANDARD 17)
    if(CMAKE_MATCH_1)
        set(CMAKE_CXX_STANDARD ${CMAKE_MATCH_1})
    endif()
    string(REPLACE " " ";" variants "${CMAKE_MATCH_2}")
    string(REPLACE " " ";" gpu_variants "${CMAKE_MATCH_4}")
    string(REPLACE ", " ";" flags "${CMAKE_MATCH_5}")
    string(REPLACE "-" "_" flags "${flags}")
    string(TOUPPER "${flags}" flags)
    if(TEAMWORK_SANITIZE AND "OPTIMIZED" IN_LIST flags)
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O1)
    endif()
    set(is_long OFF)
    if("LONG" IN_LIST flags)
        set(is_long ON)
    endif()
    list(REMOVE_ITEM flags OPTIMIZED LONG)
    teamwork_add_program(${name} SOURCES ${ARGN} VARIANTS ${variants} GPU_VARIANTS ${gpu_variants} ${flags})
    if(is_long)
        return()
    endif()
    foreach(run IN ITEMS host sim sim-async x86_64 gpu-simt)
        if(TARGET ${name}.${run})
            add_dependencies(tests_short ${name}.${run})
        endif()
        if(TEST ${name}.${run})
            set_property(TEST ${name}.${run} APPEND PROPERTY LABELS short)
        endif()
    endforeach()
endfunction()

# Adds test_NAME.c, or test_NAME.cpp, with NAME_*.c, and the same as C++.
function(teamwork_add_test_program source)
    if(source MATCHES "\\.cpp$" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        return()
    endif()
    get_filename_component(test ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${test})
    file(GLOB parts CONFIGURE_DEPENDS ${name}_*.c ${name}_*.cpp)
    file(STRINGS ${source} line REGEX "^/\\* Variants: " LIMIT_COUNT 1)
    if(NOT line)
        message(FATAL_ERROR "${source} does not name its variants in a line as /* Variants: host x86_64 (gpu-simt) */; "
                            "tests/support/TestPrograms.cmake explains it.")
    endif()
    _teamwork_add_variants(${test} ${source} "Variants" ${source} ${parts})
    if(source MATCHES "\\.c$" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/cxx_${name}.cpp)
        file(CONFIGURE OUTPUT ${wrapper} @ONLY CONTENT "/* what is C's own, or deprecated in C++20 */
#pragma clang diagnostic ignored \"-Wpedantic\"
#pragma clang diagnostic ignored \"-Wdeprecated\"
#pragma clang diagnostic ignored \"-Wmissing-field-initializers\"
#include \"@CMAKE_CURRENT_SOURCE_DIR@/@source@\"
")
        _teamwork_add_variants(cxx_${name} ${source} "C\\+\\+17|C\\+\\+20" ${wrapper} ${parts})
    endif()
endfunction()

# Adds unit_NAME.c, which is linked with the static library and includes private headers. Binary: unit/unit_NAME.
function(teamwork_add_unit_program source)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/offload)
    target_link_libraries(${name} PRIVATE teamwork_warnings Teamwork::teamwork_static PkgConfig::HWLOC)
    if(TEAMWORK_SANITIZE)
        target_compile_options(${name} PRIVATE -O1)
    endif()
    teamwork_add_run(${name} ${name} unit)
endfunction()

# Adds all programs of a folder.
function(teamwork_add_test_programs)
    file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} test_*.c test_*.cpp)
    foreach(source IN LISTS tests)
        teamwork_add_test_program(${source})
    endforeach()
    file(GLOB units CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} unit_*.c)
    foreach(source IN LISTS units)
        teamwork_add_unit_program(${source})
    endforeach()
endfunction()

# teamwork_add_check(<test> <labels> <command> <argument>...): a test that is a command. Exit status 77: skipped.
function(teamwork_add_check test labels)
    add_test(NAME ${test} COMMAND ${ARGN} COMMAND_EXPAND_LISTS)
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77)
endfunction()
