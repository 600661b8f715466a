/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAMWORK_BASE_CANCELLATION_H
#define TEAMWORK_BASE_CANCELLATION_H

/* Keeps a request to cancel this thread waiting until the end of the block: it comes before whatever a thread must not leave
   half done, and may be cancelled in. */
#define TW_DEFER_CANCELLATION                                                                                          \
    const int tw_cancellation __attribute__((cleanup(tw_allow_cancellation), unused)) = tw_defer_cancellation()
int tw_defer_cancellation(void);
void tw_allow_cancellation(const int *before);

#endif
