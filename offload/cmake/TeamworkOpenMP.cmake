# SPDX-License-Identifier: Apache-2.0
#
# Makes the imported target Teamwork::openmp: the libomp and libomptarget that Teamwork and its programs link.
# All parts of a process must use the same libomptarget, since two of them would each know half of the kernels.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/TeamworkToolchain.cmake)

# The link options: found at run time in the directories they were linked from, unless LD_LIBRARY_PATH says otherwise.
function(teamwork_openmp_link_options result)
    teamwork_find_openmp()
    set(options -Wl,--enable-new-dtags)
    foreach(dir IN LISTS TEAMWORK_OPENMP_DIRS)
        list(APPEND options -L${dir})
    endforeach()
    foreach(dir IN LISTS TEAMWORK_OPENMP_RPATH)
        list(APPEND options -Wl,-rpath,${dir})
    endforeach()
    set(${result} "${options}" PARENT_SCOPE)
endfunction()

# The libraries. clang appends its own -lomptarget; --as-needed keeps it out when another version has given the symbols
# already. It stands behind Teamwork itself, which starts libomptarget also for programs that never call Teamwork.
function(teamwork_openmp_libraries result)
    teamwork_find_openmp()
    set(${result} -Wl,--as-needed ${TEAMWORK_OMP_LIBRARY} ${TEAMWORK_OMPTARGET_LIBRARY} PARENT_SCOPE)
endfunction()

if(NOT TARGET Teamwork::openmp)
    teamwork_openmp_link_options(_teamwork_options)
    teamwork_openmp_libraries(_teamwork_libraries)
    add_library(Teamwork::openmp INTERFACE IMPORTED GLOBAL)
    target_link_options(Teamwork::openmp INTERFACE ${_teamwork_options})
    target_link_libraries(Teamwork::openmp INTERFACE ${_teamwork_libraries})
    unset(_teamwork_options)
    unset(_teamwork_libraries)
endif()
