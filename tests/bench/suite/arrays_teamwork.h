/* SPDX-License-Identifier: Apache-2.0 */
/** Versions in Teamwork of programs with arrays: each array is a buffer, from open() to close(). */
#ifndef TEAMWORK_SUITE_ARRAYS_TEAMWORK_H
#define TEAMWORK_SUITE_ARRAYS_TEAMWORK_H

#include "arrays.h"
#include "teamwork_side.h"

/** The state of a version. */
struct suite_teamwork {
    const void *problem;
    tw_buffer *at[SUITE_ARRAYS];       /**< of the arrays, as the problem numbers them */
    tw_buffer *pristine[SUITE_ARRAYS]; /**< of those that are restored: what they held at first */
};

void *suite_teamwork_open(const void *problem);
bool suite_teamwork_reset(void *state);
bool suite_teamwork_fetch(void *state, void *result);
void suite_teamwork_close(void *state);

/** A version with its run(), and one whose arrays are to be restored. */
#define SUITE_TEAMWORK_VERSION(form, kind, run)                                                                        \
    {form, kind, suite_teamwork_open, NULL, run, suite_teamwork_fetch, suite_teamwork_close}
#define SUITE_TEAMWORK_VERSION_RESET(form, kind, run)                                                                  \
    {form, kind, suite_teamwork_open, suite_teamwork_reset, run, suite_teamwork_fetch, suite_teamwork_close}

#endif
