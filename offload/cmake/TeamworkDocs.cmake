# SPDX-License-Identifier: Apache-2.0
#
# The target `docs`: the site, in docs/site/ of the build folder, and the pages of the manual, in docs/man/. Both are
# installed if they were built. Needs Doxygen and python3; with doxygen-awesome-css (MIT; a Debian package) pages are made
# for phones and for the dark, too. Not itself installed.
find_program(TEAMWORK_DOXYGEN doxygen DOC "Makes the site and the pages of the manual")
find_program(TEAMWORK_PYTHON python3)
find_file(TEAMWORK_DOXYGEN_STYLE doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css DOC "Style sheet of the site")
mark_as_advanced(TEAMWORK_DOXYGEN TEAMWORK_PYTHON TEAMWORK_DOXYGEN_STYLE)
set(docs_style)
if(TEAMWORK_DOXYGEN_STYLE)
    set(docs_style "\"${TEAMWORK_DOXYGEN_STYLE}\"")
endif()
set(docs_output ${PROJECT_BINARY_DIR}/docs)
# pages in the order of docs/index.md, the steps of the tutorial behind it
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/index.md)
file(READ docs/index.md docs_index)
string(REGEX MATCHALL "\\([A-Za-z_]+\\.md\\)" docs_links "${docs_index}")
set(docs_pages)
foreach(link IN LISTS docs_links)
    string(REGEX REPLACE "\\((.*)\\)" "\"${PROJECT_SOURCE_DIR}/docs/\\1\"" page "${link}")
    string(APPEND docs_pages " ${page}")
    if(link MATCHES "tutorial")
        string(APPEND docs_pages " \"${PROJECT_SOURCE_DIR}/docs/tutorial\"")
    endif()
endforeach()
if(TEAMWORK_DOXYGEN AND TEAMWORK_PYTHON)
    configure_file(docs/site/Doxyfile.in ${docs_output}/Doxyfile @ONLY)
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${docs_output}/site ${docs_output}/man ${docs_output}/xml
        COMMAND ${TEAMWORK_DOXYGEN} ${docs_output}/Doxyfile
        COMMAND ${TEAMWORK_PYTHON} ${PROJECT_SOURCE_DIR}/docs/site/search.py ${docs_output}/site
        COMMAND ${TEAMWORK_PYTHON} ${PROJECT_SOURCE_DIR}/docs/site/manual.py ${docs_output}/xml ${docs_output}/man/man3
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        VERBATIM)
else()
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E echo "The target docs needs Doxygen (Debian package doxygen) and python3, when configuring."
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM)
endif()
install(DIRECTORY ${docs_output}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT doc OPTIONAL)
install(DIRECTORY ${docs_output}/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc OPTIONAL)
