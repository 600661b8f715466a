/* SPDX-License-Identifier: Apache-2.0 */
/** The text of TW_SUMMARY. */
#ifndef TEAMWORK_TRACE_SUMMARY_REPORT_H
#define TEAMWORK_TRACE_SUMMARY_REPORT_H

#include "summary_data.h"

/* Prints what was counted to the standard error stream. Sorts the tables. */
void tw_summary_print(struct tw_summary *summary);

#endif
