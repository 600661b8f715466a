/* SPDX-License-Identifier: Apache-2.0 */
/** Pointers to vectors among the members of blocks (lower/kernel/members.h). Where a file includes both kernels and
    vectors, whichever comes last includes this. */
#ifndef TEAMWORK_LOWER_VISIT_VECTORS_H
#define TEAMWORK_LOWER_VISIT_VECTORS_H

#include <teamwork/lower/kernel/members.h>
#include <teamwork/lower/vector/vector.h>

#ifndef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_VISIT_VECTORS(T, n) TW_INTERNAL_VISIT(tw_##T##n, sizeof(tw_##T##n), sizeof(tw_##T))
TW_INTERNAL_ALL_VECTORS(TW_INTERNAL_VISIT_VECTORS)
#undef TW_INTERNAL_VISIT_VECTORS
#endif

#endif
