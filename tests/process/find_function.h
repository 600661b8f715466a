/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIND_FUNCTION_H
#define FIND_FUNCTION_H

#include "tw_test.h"

#include <dlfcn.h>

/* A function of a library; C has no conversion between pointers to objects and to functions. */
static inline void find_function(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    TW_CHECK(symbol != NULL);
    memcpy(function, &symbol, sizeof symbol);
}

#endif
