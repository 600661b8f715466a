/* SPDX-License-Identifier: Apache-2.0 */
/** Device images and kernels in the file of a program, a library or an object. */
#ifndef TEAMWORK_TOOLS_IMAGES_H
#define TEAMWORK_TOOLS_IMAGES_H

#include <stdbool.h>

#include "report.h"

/* Reports the kernels and device images of a file: a table as text, a value of a list as JSON. Returns false, having
   said why on the standard error stream, if it cannot be read. */
bool images_report(struct report *report, const char *path);

#endif
