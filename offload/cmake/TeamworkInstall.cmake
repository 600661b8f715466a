# SPDX-License-Identifier: Apache-2.0
#
# What is installed: libraries, headers, the CMake package Teamwork, the pkg-config files and the documentation. Not itself
# installed.
#
# The components of `cmake --install DIR --component NAME`: runtime, what programs load; devel, what they are built with;
# compiler, the plugin of clang; tools, the programs; port, teamwork-port; doc, pages and examples. Without one, all. `cmake --build DIR
# --target uninstall` takes away what the last installation put there.

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Teamwork)

# ---- libraries and headers -------------------------------------------------------------------------------------------

set_target_properties(teamwork PROPERTIES INSTALL_RPATH "${TEAMWORK_OPENMP_RPATH}")

# Two export sets, since only programs with the static library need hwloc's files, and Boost.Context.
install(TARGETS teamwork EXPORT TeamworkTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT devel)
install(TARGETS teamwork_static EXPORT TeamworkStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel)
install(DIRECTORY include/teamwork offload/include/teamwork
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel
    FILES_MATCHING PATTERN "*.h" PATTERN "*.f90")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png"
    PATTERN man EXCLUDE PATTERN packaging EXCLUDE PATTERN site EXCLUDE)
# the pages are beside them when installed
file(READ README.md text)
string(REPLACE "](docs/" "](" text "${text}")
file(CONFIGURE OUTPUT README.md CONTENT "${text}" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
    PATTERN run.sh EXCLUDE)
# and so are the examples
install(CODE "set(docs \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")" COMPONENT doc)
install(CODE [[
file(GLOB pages "${docs}/*.md" "${docs}/tutorial/*.md")
foreach(page IN LISTS pages)
    file(READ "${page}" text)
    string(REPLACE "](../examples" "](examples" text "${text}")
    string(REPLACE "](../../examples" "](../examples" text "${text}")
    file(WRITE "${page}" "${text}")
endforeach()
]] COMPONENT doc)

# ---- CMake package ---------------------------------------------------------------------------------------------------

configure_package_config_file(offload/cmake/TeamworkConfig.cmake.in ${PROJECT_BINARY_DIR}/TeamworkConfig.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR
    NO_SET_AND_CHECK_MACRO)
configure_file(offload/cmake/TeamworkConfigVersion.cmake.in ${PROJECT_BINARY_DIR}/TeamworkConfigVersion.cmake @ONLY)
install(EXPORT TeamworkTargets NAMESPACE Teamwork:: DESTINATION ${package_dir} COMPONENT devel)
install(EXPORT TeamworkStaticTargets NAMESPACE Teamwork:: DESTINATION ${package_dir} COMPONENT devel)
install(FILES
    ${PROJECT_BINARY_DIR}/TeamworkConfig.cmake
    ${PROJECT_BINARY_DIR}/TeamworkConfigVersion.cmake
    offload/cmake/TeamworkContext.cmake
    offload/cmake/TeamworkOffload.cmake
    offload/cmake/TeamworkOpenMP.cmake
    offload/cmake/TeamworkToolchain.cmake
    offload/cmake/teamwork_image.c
    offload/cmake/whole_program.in
    DESTINATION ${package_dir} COMPONENT devel)

# ---- pkg-config ------------------------------------------------------------------------------------------------------

# One variable of teamwork.pc: the options of teamwork_add_offload() as one line.
function(teamwork_pc_variable name archs lowering)
    teamwork_offload_options("${archs}" ${lowering} compile link)
    set(linker ${link})
    list(FILTER linker INCLUDE REGEX "^-Wl,")
    list(FILTER link EXCLUDE REGEX "^-Wl,")
    _teamwork_gpu_contraction("${archs}" "" contraction)
    if("${link}" MATCHES "--cuda-path=")
        list(FILTER compile EXCLUDE REGEX "^--cuda-path=") # one for both
    endif()
    list(APPEND compile ${contraction} ${link})
    list(REMOVE_DUPLICATES compile)
    if(linker) # clang warns of these where it does not link
        list(APPEND compile --start-no-unused-arguments ${linker} --end-no-unused-arguments)
    endif()
    list(TRANSFORM compile REPLACE "^SHELL:" "")
    list(JOIN compile " " line)
    _teamwork_whole_program_cuda(cuda)
    if(cuda) # which is installed
        string(REPLACE "${cuda}" "\${libdir}/teamwork/cuda" line "${line}")
    endif()
    set(pc_offload "${pc_offload}offload_${name}=-fopenmp ${line}\n" PARENT_SCOPE)
endfunction()

# clang takes all triples in one option, so options do not add up: each useful combination has its variable.
function(teamwork_pc_variables_for arch)
    teamwork_pc_variable(${arch} ${arch} simt)
    teamwork_pc_variable(${arch}_teams ${arch} teams)
    if(NOT arch STREQUAL "x86_64")
        teamwork_pc_variable(${arch}_x86_64 "${arch};x86_64" simt)
        teamwork_pc_variable(${arch}_x86_64_teams "${arch};x86_64" teams)
    endif()
    set(pc_offload "${pc_offload}" PARENT_SCOPE)
endfunction()

set(pc_offload)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    teamwork_pc_variables_for(x86_64)
endif()
_teamwork_nvptx_archs(nvptx_archs)
foreach(arch IN LISTS nvptx_archs)
    _teamwork_nvptx_missing(${arch} nvptx_missing)
    if(NOT nvptx_missing)
        teamwork_pc_variables_for(${arch})
    endif()
endforeach()
# Of AMD's those that the device libraries know: what is added to a copy of them is in the build folder.
_teamwork_rocm_device_libs(rocm_libs)
foreach(arch gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100)
    _teamwork_amdgcn_missing(${arch} amdgcn_missing)
    string(REPLACE gfx "" number ${arch})
    if(NOT amdgcn_missing AND EXISTS "${rocm_libs}/oclc_isa_version_${number}.bc")
        teamwork_pc_variables_for(${arch})
    endif()
endforeach()

_teamwork_whole_program_cuda(whole_program_cuda)
if(whole_program_cuda)
    install(DIRECTORY ${whole_program_cuda}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/teamwork/cuda COMPONENT devel
        USE_SOURCE_PERMISSIONS)
endif()

# nd_range kernels as loops, which is the default
set(pc_compiler)
if(TEAMWORK_HAVE_COMPILER)
    # the version, so that ccache does not take what another one compiled
    set(pc_compiler " -DTW_SPLIT=0x${TEAMWORK_COMPILER_VERSION} -fpass-plugin=\${libdir}/teamwork/teamwork_compiler.so -Xclang=-opt-record-passes -Xclang=.")
endif()

file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
list(JOIN kernel_options " " pc_kernel_options)
teamwork_openmp_link_options(pc_openmp)
teamwork_openmp_libraries(pc_openmp_libraries)
list(JOIN pc_openmp " " pc_openmp)
list(JOIN pc_openmp_libraries " " pc_openmp_libraries)
foreach(kind shared static)
    if(kind STREQUAL "shared")
        set(pc_name teamwork)
        set(pc_link "-L\${libdir} -lteamwork -lm")
        set(pc_requires)
    else()
        set(pc_name teamwork-static)
        set(pc_link "${start_libomptarget} \${libdir}/libteamwork.a ${TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY} -ldl -lm -pthread")
        set(pc_requires "Requires: hwloc\n")
    endif()
    configure_file(offload/cmake/teamwork.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)
endforeach()

# ---- uninstalling, archives ------------------------------------------------------------------------------------------

if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/offload/cmake/TeamworkUninstall.cmake
        VERBATIM)

    # `cpack` in the build folder makes an archive that runs wherever it is unpacked, with LLVM's libraries beside it
    # where they were, or in LD_LIBRARY_PATH.
    set(CPACK_GENERATOR TXZ)
    set(CPACK_PACKAGE_NAME teamwork)
    set(CPACK_PACKAGE_VENDOR Teamwork)
    set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
    set(CPACK_PACKAGE_CHECKSUM SHA256)
    set(CPACK_VERBATIM_VARIABLES ON)
    set(CPACK_STRIP_FILES ON)
    set(CPACK_THREADS 0)
    include(CPack)
endif()
