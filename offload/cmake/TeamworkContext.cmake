# SPDX-License-Identifier: Apache-2.0
#
# Makes the imported target Teamwork::context: Boost.Context, of which the library uses the C interface (jump_fcontext)
# that has been the same since 1.61. So neither Boost's headers nor its packages for development are needed.
# Without the library there is no such target. Teamwork::context_static is for libteamwork.a: Boost's static library where
# there is one (Debian package libboost-context1.74-dev), so that programs need no shared one; else the same library.
include_guard(GLOBAL)

if(NOT TARGET Teamwork::context)
    set(_teamwork_names boost_context)
    foreach(_teamwork_minor RANGE 90 61)
        list(APPEND _teamwork_names libboost_context.so.1.${_teamwork_minor}.0)
    endforeach()
    find_library(TEAMWORK_BOOST_CONTEXT_LIBRARY NAMES ${_teamwork_names} DOC "Boost.Context")
    mark_as_advanced(TEAMWORK_BOOST_CONTEXT_LIBRARY)
    if(TEAMWORK_BOOST_CONTEXT_LIBRARY)
        add_library(Teamwork::context UNKNOWN IMPORTED GLOBAL)
        set_target_properties(Teamwork::context PROPERTIES IMPORTED_LOCATION ${TEAMWORK_BOOST_CONTEXT_LIBRARY})
    endif()
    unset(_teamwork_names)
    unset(_teamwork_minor)
endif()

if(NOT TARGET Teamwork::context_static)
    find_library(TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY NAMES libboost_context.a DOC "Boost.Context, static")
    mark_as_advanced(TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY)
    if(NOT TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY)
        set(TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY ${TEAMWORK_BOOST_CONTEXT_LIBRARY})
    endif()
    if(TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY)
        add_library(Teamwork::context_static UNKNOWN IMPORTED GLOBAL)
        set_target_properties(Teamwork::context_static PROPERTIES
            IMPORTED_LOCATION ${TEAMWORK_BOOST_CONTEXT_STATIC_LIBRARY})
    endif()
endif()
