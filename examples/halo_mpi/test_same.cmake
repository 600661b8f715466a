# SPDX-License-Identifier: Apache-2.0
#
# Runs PROGRAM by MPIEXEC with 1, 2 and 4 ranks, in several divisions, with ARGUMENTS. Fails unless each is right, and
# all write the same cells, bit by bit. Files are in FOLDER.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# run(<ranks> <argument>...)
function(run ranks)
    list(JOIN ARGN "." name)
    set(output ${FOLDER}/${ranks}${name})
    execute_process(
        COMMAND ${MPIEXEC} -n ${ranks} ${PROGRAM} --size 67x45 --steps 12 ${ARGUMENTS} ${ARGN} --output ${output}
        RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ranks} ranks, ${ARGUMENTS} ${ARGN}: ended with ${status}")
    endif()
    if(NOT EXISTS ${FOLDER}/1)
        message(FATAL_ERROR "one rank alone has not run")
    endif()
    file(SHA256 ${FOLDER}/1 one)
    file(SHA256 ${output} these)
    if(NOT one STREQUAL these)
        message(FATAL_ERROR "${ranks} ranks, ${ARGUMENTS} ${ARGN}: other cells than with one")
    endif()
endfunction()

separate_arguments(ARGUMENTS UNIX_COMMAND "${ARGUMENTS}")
run(1)
run(2)
run(2 --ranks 1x2)
run(4)
run(4 --ranks 4x1)
run(4 --no-overlap)
file(REMOVE_RECURSE ${FOLDER})
