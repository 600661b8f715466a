/* SPDX-License-Identifier: Apache-2.0 */
/** Deferring the cancellation of a thread. */
#ifndef TEAMWORK_BASE_CANCELLATION_H
#define TEAMWORK_BASE_CANCELLATION_H

#include <pthread.h>

/* Defers the cancellation of this thread until the end of the enclosing block. Stands before anything that the thread
   must not leave half done and could be cancelled in. */
#define TW_DEFER_CANCELLATION                                                                                          \
    const int tw_cancellation __attribute__((cleanup(tw_allow_cancellation), unused)) = tw_defer_cancellation()

static inline int tw_defer_cancellation(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void tw_allow_cancellation(const int *before)
{
    pthread_setcancelstate(*before, NULL);
}

#endif
