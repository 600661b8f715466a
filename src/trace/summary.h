/* SPDX-License-Identifier: Apache-2.0 */
/** TW_SUMMARY: a tool that prints a table at the end of the program. */
#ifndef TEAMWORK_TRACE_SUMMARY_H
#define TEAMWORK_TRACE_SUMMARY_H

/* Adds the tool. */
void tw_summary_start(void);

#endif
