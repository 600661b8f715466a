/* SPDX-License-Identifier: Apache-2.0 */
/** Pointers to vectors among the members of blocks: for files with kernels and vectors, of which either header includes
    this when it is complete (lower/kernel/members.h, vector.h). */
#if defined(TEAMWORK_LOWER_MEMBERS_H) && defined(TEAMWORK_LOWER_VECTOR_H) && !defined(TEAMWORK_LOWER_VISIT_VECTORS_H)
#define TEAMWORK_LOWER_VISIT_VECTORS_H

#ifndef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_VISIT_VECTORS(T, n) TW_INTERNAL_VISIT(tw_##T##n, sizeof(tw_##T##n), sizeof(tw_##T))
TW_INTERNAL_ALL_VECTORS(TW_INTERNAL_VISIT_VECTORS)
#undef TW_INTERNAL_VISIT_VECTORS
#endif

#endif
