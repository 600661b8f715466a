# SPDX-License-Identifier: Apache-2.0
#
# The programs in src/tools/, which are installed. They use the library as any program does.

# OpenMP shows the devices that a program has images for. A GPU takes the image of an earlier one of its generation: of
# each generation the first architecture that there is everything for is enough.
set(info_archs)
if("gpu-simt" IN_LIST TEAMWORK_VARIANTS)
    _teamwork_nvptx_archs(archs)
    set(generations)
    foreach(arch IN LISTS archs)
        string(REGEX REPLACE "^sm_([0-9]+)[0-9]$" "\\1" generation ${arch})
        _teamwork_nvptx_missing(${arch} missing)
        if(NOT missing AND NOT generation IN_LIST generations)
            list(APPEND generations ${generation})
            list(APPEND info_archs ${arch})
        endif()
    endforeach()
endif()
if("x86_64" IN_LIST TEAMWORK_VARIANTS)
    list(APPEND info_archs x86_64)
endif()

# One file is enough for device images; the others are compiled for the host alone. Device images in files are read by the
# library's own readers, which it does not export.
add_library(teamwork_info_objects OBJECT src/tools/report.c src/tools/images.c src/tools/topology.c
    src/tools/toolchain.c src/tools/check.c src/tools/process.c offload/common/image.c offload/common/code_object.c)
target_include_directories(teamwork_info_objects PRIVATE include offload/include offload)
target_link_libraries(teamwork_info_objects PRIVATE teamwork_warnings PkgConfig::HWLOC)
add_executable(teamwork-info src/tools/teamwork_info.c $<TARGET_OBJECTS:teamwork_info_objects>)
teamwork_add_offload(teamwork-info ARCHS ${info_archs})
target_link_libraries(teamwork-info PRIVATE teamwork_warnings Teamwork::teamwork PkgConfig::HWLOC ${CMAKE_DL_LIBS})
file(RELATIVE_PATH library_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(teamwork-info PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir}")
install(TARGETS teamwork-info RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# where bash-completion looks for it
install(FILES src/tools/teamwork-info.bash RENAME teamwork-info
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
install(FILES docs/man/teamwork-info.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)

# A component of its own, in Python: it needs clang's binding to run, and nothing else needs it.
install(PROGRAMS src/tools/port/teamwork-port DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT port)
install(DIRECTORY src/tools/port/teamwork_port DESTINATION ${CMAKE_INSTALL_DATADIR}/teamwork/port COMPONENT port
    FILES_MATCHING PATTERN "*.py" PATTERN "*.h")
install(FILES offload/port/teamwork_port.h offload/port/teamwork_port_cuda.h offload/port/teamwork_port_device.h
    offload/port/teamwork_port_vectors.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT port)
install(FILES docs/man/teamwork-port.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT port)
