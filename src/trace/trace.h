/* SPDX-License-Identifier: Apache-2.0 */
/** TW_TRACE: a tool that writes all it is told to a file, in the trace event format of Chrome and Perfetto. */
#ifndef TEAMWORK_TRACE_TRACE_H
#define TEAMWORK_TRACE_TRACE_H

/* Adds the tool. `name` is the file's, where %p stands for the number of the process. Warns if the file cannot be
   written. */
void tw_trace_start(const char *name);

#endif
