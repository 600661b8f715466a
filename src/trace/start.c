/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the tools that the environment asks for, and ends them with the program. Knows no command. */
#define _GNU_SOURCE
#include "start.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/version.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/process.h"
#include "base/tool.h"
#include "summary.h"
#include "trace.h"

#define PATH_BYTES 4096

/* Loads one tool. */
static void load(const char *path)
{
    const tw_tool_info info = {.size = sizeof info, .version = TW_TOOL_VERSION, .library = tw_version()};
    tw_tool tool = {.size = sizeof tool};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        tw_warn("TW_TOOL: %s; the program goes on without this tool", dlerror());
        return;
    }
    int (*start)(const tw_tool_info *, tw_tool *);
    *(void **)&start = dlsym(library, "tw_tool_start");
    if (!start)
        tw_warn("TW_TOOL: %s is no tool, as it has no function tw_tool_start(); the program goes on without it", path);
    else if (start(&info, &tool) != 0)
        tw_warn("TW_TOOL: %s has refused to start; the program goes on without it", path);
    else if (!tw_tool_add(&tool))
        tw_warn("TW_TOOL: %s is one tool too many; the program goes on without it", path);
    else
        return; /* never unloaded: other threads may be in it at the end */
    (void)dlclose(library);
}

/* Loads the tools of a list, separated by colons. */
static void load_all(const char *list)
{
    while (*list) {
        char path[PATH_BYTES];
        const size_t length = strcspn(list, ":");
        if (length >= sizeof path) {
            tw_warn("TW_TOOL: a path of %zu bytes is too long", length);
        } else if (length) {
            memcpy(path, list, length);
            path[length] = '\0';
            load(path);
        }
        list += length + (list[length] == ':');
    }
}

/* Called by exit(). What a child of fork() inherited is its parent's. */
static void end(void)
{
    if (!tw_is_forked)
        tw_tools_end();
}

void tw_tools_start(void)
{
    static bool started;
    if (started)
        return;
    started = true;
    const char *tools = tw_environment(TW_VARIABLE_TOOL), *trace = tw_environment(TW_VARIABLE_TRACE);
    if (tools)
        load_all(tools);
    if (trace)
        tw_trace_start(trace);
    if (tw_environment_is_on(TW_VARIABLE_SUMMARY))
        tw_summary_start();
    if (tw_tools.count)
        (void)atexit(end); /* before that of the runtime, which so ends its tasks earlier */
}
