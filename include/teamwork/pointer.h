/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Explicit pointers (spec 3.6.5): pointers whose type says which memory they lead to. For kernels, and not often
 * needed: accessors give plain pointers, and compilers see where most of them lead. They do not where a pointer comes
 * out of memory, as in a structure of pointers, or where one variable has several values. There, and in signatures of
 * functions that are for one kind of memory, the type can say it:
 *
 *     static inline float sum(tw_local_ptr(const float) tile, size_t n);
 *     ...
 *     tw_local_ptr(float) tile = tw_make_ptr(local, (float *)tw_local_data(item, k->tile));
 *     tw_global_ptr(float) row = tw_make_ptr(global, k->rows[i]);
 *
 *     tw_global_ptr(T)     buffers: what tw_read() and the like give
 *     tw_constant_ptr(T)   const T in a buffer that no work-item of the launch writes
 *     tw_local_ptr(T)      local memory: TW_LOCAL, tw_local_data()
 *     tw_private_ptr(T)    variables of the work-item
 *     tw_multi_ptr(T, S)   the one for S: global, constant, local or private. S may be the argument of a macro
 *
 * They are C pointers, of the same size as any: *p, p[i], p + n, p->member, comparison. T may be const.
 *
 * In passes for GPUs the compiler knows the memory and uses its instructions (ld.shared and the like), and refuses to
 * turn a pointer of one kind into one of another, or a plain one. For an NVIDIA GPU global and constant are one kind
 * but for the const; local and private are told apart in the simt lowering only. In passes for CPUs all are plain
 * pointers, unless TW_CHECK_POINTERS is defined before the first header: then the compiler checks there too. A
 * pointer of the wrong kind that was made with tw_make_ptr() is undefined behaviour.
 *
 * Conversions are explicit:
 *
 *     tw_make_ptr(S, p)    p, a plain pointer to an object type, as a pointer of the kind S
 *     tw_plain_ptr(p)      a pointer of any kind as a plain one, const if it was; what is plain stays. For functions
 *                          that take plain pointers, such as tw_vload4(). Not for volatile types
 *
 * Blocks hold plain pointers, which is what accessors give; a member of another kind is set with a cast.
 */
#ifndef TEAMWORK_POINTER_H
#define TEAMWORK_POINTER_H

#include <teamwork/lower/group/pointer.h>

#define tw_global_ptr(T) __typeof__(T) TW_INTERNAL_IN_global *
#define tw_constant_ptr(T) const __typeof__(T) TW_INTERNAL_IN_constant *
#define tw_local_ptr(T) __typeof__(T) TW_INTERNAL_IN_local *
#define tw_private_ptr(T) __typeof__(T) TW_INTERNAL_IN_private *

#define tw_multi_ptr(T, space) TW_INTERNAL_MULTI_PTR(T, space)
#define TW_INTERNAL_MULTI_PTR(T, space) tw_##space##_ptr(T)

#define tw_make_ptr(space, p) TW_INTERNAL_MAKE_PTR(space, p)
#define TW_INTERNAL_MAKE_PTR(space, p) ((tw_##space##_ptr(__typeof__(*(p))))(p))

#define tw_plain_ptr(p) TW_INTERNAL_PLAIN_PTR(p)

#endif
