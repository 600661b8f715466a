/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The environment variables of the library: all of them are listed and read here. docs/environment.md says what they do.
 *
 * Variables of OpenMP, MPI and CUDA are read where they are used.
 */
#ifndef TEAMWORK_BASE_ENVIRONMENT_H
#define TEAMWORK_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Calls X(NAME, is_valid, values) for each variable TW_NAME. `is_valid` is a function in environment.c, and `values`
   says what it accepts; NULL: the reader of the variable checks the value, with a better message. */
#define TW_ENVIRONMENT_LIST(X)                                                                                         \
    X(DEVICES, NULL, NULL)                                                                                             \
    X(BACKEND, is_backend, "cuda, ol or omp")                                                                          \
    X(LOG, is_log_level, "off, error, warning, info or debug")                                                         \
    X(TOOL, NULL, NULL)                                                                                                \
    X(SUMMARY, is_switch, "0 or 1")                                                                                    \
    X(TRACE, NULL, NULL)                                                                                               \
    X(WARNINGS, is_switch, "0 or 1")                                                                                   \
    X(SIM, NULL, NULL)                                                                                                 \
    X(SIM_ASYNC, is_switch, "0 or 1")                                                                                  \
    X(SIM_CHECK, is_switch, "0 or 1")                                                                                  \
    X(SIM_MEMORY, is_size, "a number of bytes")                                                                        \
    X(WORK_ITEM_STACK_KB, is_stack_size, "a number from 16 to 1048576")                                                \
    X(CUDA_LAUNCH, is_launch, "driver or libomptarget")

#define TW_ENVIRONMENT_CONSTANT(name, is_valid, values) TW_VARIABLE_##name,
enum tw_variable { TW_ENVIRONMENT_LIST(TW_ENVIRONMENT_CONSTANT) TW_VARIABLES };

/* Returns the value of a variable; NULL if it is not set, or empty. */
const char *tw_environment(enum tw_variable variable);
/* Returns true if a variable that is 0 or 1 is 1. */
bool tw_environment_is_on(enum tw_variable variable);

/* Returns the levels of TW_LOG, the least first. Their number is stored in `count`. */
const char *const *tw_environment_log_levels(size_t *count);

/* Writes one sentence about a variable with an invalid value, except those that their readers check. Returns false if
   there is none. */
bool tw_environment_error(char *text, size_t bytes);

/* Calls `tell` for each variable that is set. */
void tw_environment_visit_set(void (*tell)(const char *name, const char *value));

/* Calls `tell` with the names of variables that begin with TW_ and are not the library's. `meant` is the variable that
   was probably meant; NULL if the name resembles none. */
void tw_environment_visit_unknown(void (*tell)(const char *name, const char *meant));

#endif
