# SPDX-License-Identifier: Apache-2.0
#
# Runs PROGRAM with ARGUMENTS; fails unless it exits with STATUS and prints something that OUTPUT matches. A failing
# program says why in one line on stderr, which is part of what is looked at.
execute_process(
    COMMAND ${PROGRAM} ${ARGUMENTS}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output_error)
message("${output}${output_error}")
if(NOT status STREQUAL STATUS)
    message(FATAL_ERROR "exit status ${status}, expected ${STATUS}")
endif()
if(NOT "${output}${output_error}" MATCHES "${OUTPUT}")
    message(FATAL_ERROR "the output does not match: ${OUTPUT}")
endif()
if(STATUS EQUAL 2 AND NOT output_error MATCHES "^life: [^\n]*\n$")
    message(FATAL_ERROR "wrong use is not reported in one line")
endif()
