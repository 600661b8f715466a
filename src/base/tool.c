/* SPDX-License-Identifier: Apache-2.0 */
/* The list of tools. Knows nothing of what they are told. */
#include "tool.h"

struct tw_tools tw_tools;

bool tw_tool_add(const tw_tool *tool)
{
    if (tw_tools.count == TW_MOST_TOOLS)
        return false;
    tw_tools.tools[tw_tools.count++] = *tool;
    tw_tools.tells_began = tw_tools.tells_began || tool->began;
    atomic_store_explicit(&tw_tools.on, true, memory_order_release);
    return true;
}

void tw_tools_end(void)
{
    if (!atomic_exchange(&tw_tools.on, false))
        return;
    for (size_t i = 0; i < tw_tools.count; ++i)
        if (tw_tools.tools[i].finished)
            tw_tools.tools[i].finished(tw_tools.tools[i].user);
}
