# SPDX-License-Identifier: Apache-2.0
#
# Runs PROGRAM by MPIEXEC with RANKS ranks and ARGUMENTS, and with FAULT (test_mpi.c). Fails unless it ends with STATUS,
# or with another one than 0 if that is "failure", and prints something that OUTPUT matches. FOLDER is made anew.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(TOUCH ${FOLDER}/errors)
set(ENV{HALO_TEST_FAULT} "${FAULT}")
set(ENV{HALO_TEST_ERRORS} ${FOLDER}/errors)
separate_arguments(ARGUMENTS UNIX_COMMAND "${ARGUMENTS}")
execute_process(
    COMMAND ${MPIEXEC} -n ${RANKS} ${PROGRAM} ${ARGUMENTS}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
file(READ ${FOLDER}/errors errors)
string(APPEND output "${errors}")
message("${output}")
if(status STREQUAL STATUS OR (STATUS STREQUAL "failure" AND NOT status EQUAL 0))
    if(NOT output MATCHES "${OUTPUT}")
        message(FATAL_ERROR "the output does not match: ${OUTPUT}")
    endif()
else()
    message(FATAL_ERROR "exit status ${status}, expected ${STATUS}")
endif()
