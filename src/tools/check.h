/* SPDX-License-Identifier: Apache-2.0 */
/** A kernel that is compiled, linked and run for each device of the machine. */
#ifndef TEAMWORK_TOOLS_CHECK_H
#define TEAMWORK_TOOLS_CHECK_H

#include <stdbool.h>

#include "report.h"
#include "toolchain.h"

/* Compiles, links and runs a kernel for the host, the x86-64 offload device and each GPU that the CUDA driver shows, as
   far as `kinds`, a list as TW_DEVICES takes it, has them; NULL: all. CPPFLAGS, CFLAGS and LDFLAGS are added. Reports
   each: a line as text, with the reason and the cure of a failure; the list "checks" as JSON. Returns false if one
   failed. */
bool check_report(struct report *report, const struct toolchain *toolchain, const char *kinds);

#endif
