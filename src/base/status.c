/* SPDX-License-Identifier: Apache-2.0 */
/* Names and meanings of statuses, and the version. */
#include <teamwork/status.h>
#include <teamwork/version.h>

unsigned tw_version(void)
{
    return TW_VERSION;
}

const char *tw_status_name(tw_status status)
{
    switch (status) {
#define NAME(name, value, meaning)                                                                                     \
    case name:                                                                                                         \
        return #name;
        TW_STATUS_LIST(NAME)
#undef NAME
    default:
        return "TW_ERROR_UNKNOWN";
    }
}

const char *tw_status_meaning(tw_status status)
{
    switch (status) {
#define MEANING(name, value, meaning)                                                                                  \
    case name:                                                                                                         \
        return meaning;
        TW_STATUS_LIST(MEANING)
#undef MEANING
    default:
        return "not a status of this library";
    }
}
