/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: .*the order of a reference is TW_ORDER_RELAXED, TW_ORDER_ACQ_REL or TW_ORDER_SEQ_CST */
/* What order would a store have? */
#include <teamwork/atomic.h>

typedef TW_ATOMIC_REF(int, TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE) counter; /* HERE */
extern counter none;
