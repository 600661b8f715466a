# SPDX-License-Identifier: Apache-2.0
#
# usage: cmake -D MANIFEST=FILE -P TeamworkUninstall.cmake
#
# Takes away the files of an installation, below DESTDIR if that is set, and the folders that have no files then: below
# /usr only those of the library, since the others are the system's. Not itself installed.
if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "Nothing was installed from this build folder: there is no ${MANIFEST}.")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders)
foreach(file IN LISTS files)
    file(REMOVE "$ENV{DESTDIR}${file}")
    cmake_path(GET file PARENT_PATH folder)
    while(NOT folder STREQUAL "/" AND (folder MATCHES "[Tt]eamwork" OR NOT folder MATCHES "^/usr(/|$)"))
        list(APPEND folders "${folder}")
        cmake_path(GET folder PARENT_PATH folder)
    endwhile()
endforeach()
# inner folders first
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
    set(how GLOB)
    if(folder MATCHES "/Teamwork$") # what is in the library's own and has no files, as no manifest names it
        set(how GLOB_RECURSE)
    endif()
    file(${how} left "$ENV{DESTDIR}${folder}/*" "$ENV{DESTDIR}${folder}/.[!.]*")
    if(IS_DIRECTORY "$ENV{DESTDIR}${folder}" AND NOT left)
        file(REMOVE_RECURSE "$ENV{DESTDIR}${folder}")
    endif()
endforeach()
list(LENGTH files count)
message(STATUS "Removed ${count} files")
