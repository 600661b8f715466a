/* SPDX-License-Identifier: Apache-2.0 */
/** The tools that the environment asks for: those of TW_TOOL, and the library's own. */
#ifndef TEAMWORK_TRACE_START_H
#define TEAMWORK_TRACE_START_H

/* Loads the tools, at the first call. They are told of what happens until exit(). Called by one thread at a time. What
   cannot be loaded or written is left out, with a warning. */
void tw_tools_start(void);

#endif
