# SPDX-License-Identifier: Apache-2.0
#
# The compiler component: a plugin of clang that makes loops of kernels (offload/compiler/). It is built where the headers of the compiler's
# own LLVM are, of version 19 or 22, and a C++ compiler. Not itself installed.
foreach(name BUILD_SPLIT SPLIT_PLUGIN) # what the options were called before version 0.2
    if(DEFINED TEAMWORK_${name})
        string(REPLACE SPLIT COMPILER new ${name})
        message(DEPRECATION "TEAMWORK_${name} is called TEAMWORK_${new} now.")
        set(TEAMWORK_${new} "${TEAMWORK_${name}}" CACHE STRING "")
    endif()
endforeach()
set(TEAMWORK_BUILD_COMPILER AUTO CACHE STRING "Build the compiler component, a plugin of clang: AUTO (when everything is there), ON or OFF")
set_property(CACHE TEAMWORK_BUILD_COMPILER PROPERTY STRINGS AUTO ON OFF)
set(TEAMWORK_COMPILER_PLUGIN "" CACHE FILEPATH "The plugin of another build of the same sources, in place of building it again")

# Says what is missing, in one sentence; empty if nothing is.
function(_teamwork_compiler_missing result)
    set(${result} PARENT_SCOPE)
    _teamwork_clang_major(major)
    if(NOT major MATCHES "^(19|22)$")
        set(${result} "it is written for clang 19 and 22" PARENT_SCOPE)
        return()
    endif()
    _teamwork_own_library_dirs(dirs)
    list(TRANSFORM dirs APPEND "/../include")
    list(FILTER dirs EXCLUDE REGEX "/llvm-([0-9]+)/") # Debian's names say the version: PATHS has the right one
    find_path(TEAMWORK_LLVM_INCLUDE_DIR llvm/Passes/PassBuilder.h HINTS ${dirs} PATHS /usr/lib/llvm-${major}/include
        NO_DEFAULT_PATH)
    mark_as_advanced(TEAMWORK_LLVM_INCLUDE_DIR)
    if(NOT TEAMWORK_LLVM_INCLUDE_DIR)
        set(${result} "the headers of LLVM ${major} were not found: install them (Debian package llvm-${major}-dev) or set \
TEAMWORK_LLVM_INCLUDE_DIR" PARENT_SCOPE)
        return()
    endif()
    file(STRINGS ${TEAMWORK_LLVM_INCLUDE_DIR}/llvm/Config/llvm-config.h version
        REGEX "define LLVM_VERSION_MAJOR ${major}$")
    if(NOT version)
        set(${result} "the headers in ${TEAMWORK_LLVM_INCLUDE_DIR} are not of LLVM ${major}" PARENT_SCOPE)
        return()
    endif()
    if(NOT CMAKE_CXX_COMPILER)
        string(REGEX REPLACE "clang(-[0-9.]+)?$" "clang++\\1" twin "${CMAKE_C_COMPILER}")
        find_program(TEAMWORK_CXX NAMES ${twin} clang++-${major} clang++ c++)
        mark_as_advanced(TEAMWORK_CXX)
        if(NOT TEAMWORK_CXX)
            set(${result} "there is no C++ compiler" PARENT_SCOPE)
        endif()
    endif()
endfunction()

set(TEAMWORK_HAVE_COMPILER OFF)
set(TEAMWORK_COMPILER_CLANG 0) # for TeamworkConfig.cmake
if(NOT TEAMWORK_BUILD_COMPILER)
    return()
endif()
_teamwork_compiler_missing(compiler_missing)
if(compiler_missing AND TEAMWORK_BUILD_COMPILER STREQUAL "AUTO")
    message(STATUS "The compiler component, a plugin of clang, is not built: ${compiler_missing}.")
    return()
elseif(compiler_missing)
    message(FATAL_ERROR "TEAMWORK_BUILD_COMPILER: ${compiler_missing}.")
endif()
if(NOT CMAKE_CXX_COMPILER)
    set(CMAKE_CXX_COMPILER ${TEAMWORK_CXX})
endif()
enable_language(CXX)

if(TEAMWORK_COMPILER_PLUGIN)
    add_library(teamwork_compiler MODULE IMPORTED GLOBAL)
    set_target_properties(teamwork_compiler PROPERTIES IMPORTED_LOCATION ${TEAMWORK_COMPILER_PLUGIN})
    add_custom_target(teamwork_compiler_plugin)
    install(PROGRAMS ${TEAMWORK_COMPILER_PLUGIN} DESTINATION ${CMAKE_INSTALL_LIBDIR}/teamwork
        RENAME teamwork_compiler.so COMPONENT compiler)
else()
    file(GLOB_RECURSE compiler_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/offload/compiler offload/compiler/*.cpp)
    add_library(teamwork_compiler MODULE)
    foreach(source IN LISTS compiler_sources) # a folder is compiled at once: tests/floors reads the symbols of its object
        target_sources(teamwork_compiler PRIVATE offload/compiler/${source})
        get_filename_component(folder ${source} DIRECTORY)
        if(folder)
            string(REPLACE / . folder ${folder})
            set_source_files_properties(offload/compiler/${source} PROPERTIES UNITY_GROUP ${folder})
        endif()
    endforeach()
    set(compiler_unity ON) # most of the time goes into LLVM's headers; -DCMAKE_UNITY_BUILD=OFF compiles each file alone
    if(DEFINED CMAKE_UNITY_BUILD)
        set(compiler_unity ${CMAKE_UNITY_BUILD})
    endif()
    # Runs inside of clang, which brings LLVM's code along: not sanitized like the rest, without run-time type information like LLVM.
    set_target_properties(teamwork_compiler PROPERTIES
        PREFIX ""
        UNITY_BUILD ${compiler_unity}
        UNITY_BUILD_MODE GROUP
        COMPILE_OPTIONS "-std=c++17;-O1;-fno-rtti;-fno-exceptions;-Wall;-Wextra;-Wpedantic;$<$<BOOL:${TEAMWORK_WERROR}>:-Werror>"
        COMPILE_DEFINITIONS "_GNU_SOURCE;__STDC_CONSTANT_MACROS;__STDC_FORMAT_MACROS;__STDC_LIMIT_MACROS"
        LINK_OPTIONS ""
        CXX_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    target_include_directories(teamwork_compiler PRIVATE offload/compiler)
    target_include_directories(teamwork_compiler SYSTEM PRIVATE ${TEAMWORK_LLVM_INCLUDE_DIR})
    # for add_dependencies(): of a library, compiling would not wait until it is linked
    add_custom_target(teamwork_compiler_plugin DEPENDS teamwork_compiler)
    install(TARGETS teamwork_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/teamwork COMPONENT compiler)
    # its name before version 0.2
    file(CREATE_LINK teamwork_compiler.so ${PROJECT_BINARY_DIR}/teamwork_split.so SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/teamwork_split.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/teamwork COMPONENT compiler)
endif()

# What kernels are compiled with by default, in this build and by who uses the installation; sanitized programs ask for it.
if(TEAMWORK_COMPILER_PLUGIN)
    _teamwork_compiler_version(${TEAMWORK_COMPILER_PLUGIN} TEAMWORK_COMPILER_VERSION)
else() # which is not built yet: of its sources
    set(hashes)
    file(GLOB_RECURSE compiler_files CONFIGURE_DEPENDS offload/compiler/*)
    foreach(file IN LISTS compiler_files)
        _teamwork_compiler_version(${file} hash)
        list(APPEND hashes ${hash})
    endforeach()
    string(MD5 hash "${hashes}")
    string(SUBSTRING "${hash}" 0 7 TEAMWORK_COMPILER_VERSION)
endif()
if(NOT TEAMWORK_SANITIZE)
    foreach(library teamwork teamwork_static)
        add_dependencies(${library} teamwork_compiler_plugin)
        _teamwork_compiler_by_default(${library})
    endforeach()
endif()
set(TEAMWORK_HAVE_COMPILER ON)
_teamwork_clang_major(TEAMWORK_COMPILER_CLANG)
