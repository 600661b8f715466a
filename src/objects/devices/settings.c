/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment asks for, told at each discovery (settings.h). */
#include "settings.h"

#include <stdbool.h>
#include <stdlib.h>

#include <teamwork/version.h>

#include "base/environment.h"
#include "base/log.h"

static void tell_unknown(const char *name, const char *meant)
{
    if (meant)
        tw_warn("the library does not read the environment variable %s: %s was probably meant", name, meant);
    else
        tw_log(TW_LOG_INFO, "environment: the library has no variable %s", name);
}

static void log_variable(const char *name, const char *value)
{
    tw_log_line(TW_LOG_INFO, "environment: %s=%s", name, value);
}

/* Logs what decides about the devices besides the machine. */
static void log_environment(void)
{
    static const char *const others[] = {"OMP_TARGET_OFFLOAD",  "OMP_DEFAULT_DEVICE", "OMP_NUM_THREADS",
                                         "OMP_PROC_BIND",       "OMP_PLACES",         "KMP_AFFINITY",
                                         "CUDA_VISIBLE_DEVICES"};
    tw_log_line(TW_LOG_INFO, "version: %d.%d.%d", TW_VERSION_MAJOR, TW_VERSION_MINOR, TW_VERSION_PATCH);
    tw_environment_visit_set(log_variable);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (getenv(others[i]))
            log_variable(others[i], getenv(others[i]));
}

/* Tells of variables that are not the library's, once per process. */
static void check_names(void)
{
    static bool told; /* under the discovery lock */
    if (!told)
        tw_environment_visit_unknown(tell_unknown);
    told = true;
}

void tw_settings_tell(void)
{
    tw_log_begin();
    check_names();
    if (tw_logs(TW_LOG_INFO))
        log_environment();
}
