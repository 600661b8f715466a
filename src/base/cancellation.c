/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cancellation.h"

#include <pthread.h>

int tw_defer_cancellation(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void tw_allow_cancellation(const int *before)
{
    pthread_setcancelstate(*before, NULL);
}
