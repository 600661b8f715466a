/* SPDX-License-Identifier: Apache-2.0 */
/** The tools that are told what the library does (teamwork/tool.h). */
#ifndef TEAMWORK_BASE_TOOL_H
#define TEAMWORK_BASE_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <teamwork/tool.h>

#define TW_MOST_TOOLS 8

/* The tools, of which those from `count` on are empty. They are added before anything is told, and stay. */
extern struct tw_tools {
    atomic_bool on;
    bool tells_began; /* a tool has that callback */
    size_t count;
    tw_tool tools[TW_MOST_TOOLS];
} tw_tools __attribute__((visibility("hidden"))); /* said here too, so that reading `on` needs no other load */

/* Returns true if there are tools to tell. */
static inline bool tw_tools_are_on(void)
{
    return __builtin_expect(atomic_load_explicit(&tw_tools.on, memory_order_relaxed), 0);
}

/* Calls a callback of each tool that has it. */
#define TW_TELL_TOOLS(callback, argument)                                                                              \
    for (size_t tool_ = 0; tool_ < tw_tools.count; ++tool_)                                                            \
        if (tw_tools.tools[tool_].callback)                                                                            \
    tw_tools.tools[tool_].callback((argument), tw_tools.tools[tool_].user)

/* Adds a tool, which is told from now on. Returns false if there are too many. */
bool tw_tool_add(const tw_tool *tool);
/* Tells the tools that the program ends; they are told nothing more. */
void tw_tools_end(void);

#endif
