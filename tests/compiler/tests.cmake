# SPDX-License-Identifier: Apache-2.0
#
# The compiler component on small inputs: a test for each pass (ir/*.ll), and for each topic of kernels in C (c/*.c). LLVM's own lit runs
# them, with opt and FileCheck of the version that the component is loaded by. Debian has these in llvm-19 and llvm-19-tools.
set(llvm ${TEAMWORK_COMPILER_CLANG})
set(llvm_dirs /usr/lib/llvm-${llvm}/bin ${TEAMWORK_LLVM_INCLUDE_DIR}/../bin)
find_program(TEAMWORK_OPT NAMES opt-${llvm} opt HINTS ${llvm_dirs})
find_program(TEAMWORK_FILECHECK NAMES FileCheck-${llvm} FileCheck HINTS ${llvm_dirs})
find_program(TEAMWORK_PYTHON python3)
find_file(TEAMWORK_LIT NAMES lit.py lit-${llvm} PATHS /usr/lib/llvm-${llvm}/build/utils/lit /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(TEAMWORK_OPT TEAMWORK_FILECHECK TEAMWORK_LIT)
set(version)
set(targets)
if(TEAMWORK_OPT AND TEAMWORK_FILECHECK AND TEAMWORK_PYTHON AND TEAMWORK_LIT)
    file(REAL_PATH ${TEAMWORK_OPT} llc) # which tells its targets, unlike opt
    string(REGEX REPLACE "opt(-[0-9]+)?$" "llc" llc "${llc}")
    execute_process(COMMAND ${llc} --version OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCH "LLVM version ${llvm}\\." version "${text}")
    foreach(target x86 nvptx) # as lit's features
        if(text MATCHES "\n *${target} ")
            list(APPEND targets ${target})
        endif()
    endforeach()
    list(JOIN targets "," targets)
endif()
list(JOIN include_options " " includes)
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/ir/*.ll ${CMAKE_CURRENT_LIST_DIR}/c/*.c)
# Each has a folder of its own: lit keeps times there, in a file that two of them would write at once.
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    set(test compiler.${name})
    if(version)
        add_test(NAME ${test}
            COMMAND ${TEAMWORK_PYTHON} ${TEAMWORK_LIT} -q -j1 -v --param opt=${TEAMWORK_OPT} --param filecheck=${TEAMWORK_FILECHECK}
                --param plugin=$<TARGET_FILE:teamwork_compiler> --param llvm=${llvm} --param targets=${targets}
                --param clang=${CMAKE_C_COMPILER} --param "includes=${includes}"
                --param output=${CMAKE_CURRENT_BINARY_DIR}/compiler_lit/${name} ${file})
    else()
        add_test(NAME ${test} COMMAND sh -c
            "echo 'opt, FileCheck and lit of LLVM ${llvm} were not found (Debian packages llvm-${llvm} and llvm-${llvm}-tools)'; exit 77")
    endif()
    set_tests_properties(${test} PROPERTIES LABELS compile SKIP_RETURN_CODE 77)
endforeach()
