# SPDX-License-Identifier: Apache-2.0
#
# The target `docs`: the site, in docs/site/ of the build folder, and the pages of the manual, in docs/man/. Both are
# installed if they were built. Needs Doxygen. Not itself installed.
find_program(TEAMWORK_DOXYGEN doxygen DOC "Makes the site and the pages of the manual")
mark_as_advanced(TEAMWORK_DOXYGEN)
set(docs_output ${PROJECT_BINARY_DIR}/docs)
if(TEAMWORK_DOXYGEN)
    configure_file(docs/site/Doxyfile.in ${docs_output}/Doxyfile @ONLY)
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${docs_output}/site ${docs_output}/man
        COMMAND ${TEAMWORK_DOXYGEN} ${docs_output}/Doxyfile
        COMMAND sh ${PROJECT_SOURCE_DIR}/docs/site/manual.sh ${docs_output}/man/man3
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        VERBATIM)
else()
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E echo "The target docs needs Doxygen (Debian package doxygen), when configuring."
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM)
endif()
install(DIRECTORY ${docs_output}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT doc OPTIONAL)
install(DIRECTORY ${docs_output}/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc OPTIONAL)
