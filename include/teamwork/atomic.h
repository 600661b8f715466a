/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations on ordinary objects, and fences (spec 3.4, Tables 3.2 and 3.3; orders, scopes, further types and
 * fences as in later revisions). For kernels of every form and for host code.
 *
 *     T    tw_atomic_load(const T *object [, order, scope])
 *     void tw_atomic_store(T *object, T value [, order, scope])
 *     T    tw_atomic_exchange(T *object, T value [, order, scope])
 *     bool tw_atomic_compare_exchange_strong(T *object, T *expected, T desired [, success, failure, scope])
 *     bool tw_atomic_compare_exchange_weak(T *object, T *expected, T desired [, success, failure, scope])
 *     T    tw_atomic_fetch_OP(T *object, T operand [, order, scope])    OP: add, sub, min, max, and, or, xor
 *     void tw_atomic_fence(order, scope)
 *
 * T is an integer type of 8 to 64 bits, an enumeration, bool, float, double, or a pointer; `object` may point to
 * volatile, and be a pointer of <teamwork/pointer.h>. Not every OP makes sense for every T; the others do not
 * compile:
 *
 *     add, sub         integers, float, double, and pointers, to which they add a number of elements (bytes for void *)
 *     min, max         integers, float, double
 *     and, or, xor     integers, bool
 *
 * Without order and scope an operation is relaxed, at device scope. For counters in local memory give
 * (TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP): where one thread runs a whole group, as on the host, that is an ordinary
 * addition, and many times faster. With the plugin of the compiler (docs/work_groups.md) a relaxed one of any scope is.
 *
 * fetch_OP and exchange return the old value. Integers wrap. min and max of float and double replace the object only if
 * the operand compares less, or greater: a NaN neither replaces nor is replaced. A compare-exchange compares bits, so
 * -0.0 differs from 0.0, and a NaN equals itself; it returns true if it stored `desired`, else it leaves the actual
 * value in *expected. The weak form may fail although the values are equal, for use in loops; on today's devices it
 * does not. All are macros that evaluate each argument once.
 *
 * Orders: a load is relaxed, acquire or seq_cst; a store relaxed, release or seq_cst; the failure order of a
 * compare-exchange is that of a load, and not stronger than `success`. Anything else that is constant is an error at
 * the line of the call; what is not constant is strengthened to an order that exists. Orders and scopes should be
 * constants: others are told apart at run time.
 *
 * The scope is a promise that only work-items of that scope access the object at the time, which counts for relaxed
 * operations too. Objects are aligned to their size. While an object is accessed atomically it must not be accessed
 * in any other way; its neighbours may be. NVIDIA GPUs need sm_70 or later. They have no operations of 8 and 16 bits,
 * which are made of compare-exchange on the 32-bit word around the object: it works, but a counter of 32 bits is
 * faster.
 *
 * System scope includes the host and other devices for memory that they share, such as that of tw_malloc_host(). There
 * read-modify-writes are atomic with theirs only on devices with TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS; loads and
 * stores of 32 and 64 bits are on all.
 *
 * References have order and scope in their type, so that operations need not say them (atomic_ref of later revisions):
 *
 *     typedef TW_ATOMIC_REF(unsigned, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP) counter;
 *     counter bin = {&bins[i]};
 *     tw_atomic_ref_fetch_add(bin, 1);
 *
 * The operations are those above without order and scope, tw_atomic_ref_load(ref) and so on, with the same types and
 * errors. The order is relaxed, acq_rel or seq_cst; with acq_rel a load acquires, and so does a compare-exchange that
 * fails, and a store releases. A reference is a pointer in memory and in argument blocks, `.bins = {tw_atomic(cg, b)}`.
 * For another order or scope there is tw_atomic_ref_object(ref), the pointer.
 *
 * All objects are lock-free on all devices: TW_ATOMIC_IS_LOCK_FREE(T) is 1 for every T above, a constant, and 0 for other
 * types. TW_ATOMIC_ALIGNMENT(T) is the alignment that an object needs, in bytes, for _Alignas and offsets in buffers.
 *
 * A work-item must not wait for what another one has yet to do, but for groups that run at the same time: see
 * docs/memory_model.md.
 */
#ifndef TEAMWORK_ATOMIC_H
#define TEAMWORK_ATOMIC_H

#include <assert.h>

#include <teamwork/lower/group/atomic.h>

/* A pointer; the other members are for their sizes alone: the order and the scope as constants. */
#define TW_ATOMIC_REF(T, order, scope)                                                                                 \
    union {                                                                                                            \
        static_assert((order) == TW_ORDER_RELAXED || (order) == TW_ORDER_ACQ_REL || (order) == TW_ORDER_SEQ_CST,       \
                      "the order of a reference is TW_ORDER_RELAXED, TW_ORDER_ACQ_REL or TW_ORDER_SEQ_CST");           \
        T *tw_object_;                                                                                                 \
        char (*tw_order_)[(order) + 1];                                                                                \
        char (*tw_scope_)[(scope) + 1];                                                                                \
    }

#define tw_atomic_ref_object(ref) ((ref).tw_object_)
#define tw_atomic_ref_load(ref)                                                                                        \
    tw_atomic_load((ref).tw_object_, TW_INTERNAL_REF_ORDER(ref, TW_ORDER_ACQUIRE), TW_INTERNAL_REF_SCOPE(ref))
#define tw_atomic_ref_store(ref, value)                                                                                \
    tw_atomic_store((ref).tw_object_, value, TW_INTERNAL_REF_ORDER(ref, TW_ORDER_RELEASE), TW_INTERNAL_REF_SCOPE(ref))
#define tw_atomic_ref_exchange(ref, value) TW_INTERNAL_BY_REF(exchange, ref, value)
#define tw_atomic_ref_compare_exchange_strong(ref, expected, desired)                                                  \
    tw_atomic_compare_exchange_strong((ref).tw_object_, expected, desired,                                             \
                                      TW_INTERNAL_REF_ORDER(ref, TW_ORDER_ACQ_REL),                                    \
                                      TW_INTERNAL_REF_ORDER(ref, TW_ORDER_ACQUIRE), TW_INTERNAL_REF_SCOPE(ref))
#define tw_atomic_ref_compare_exchange_weak(ref, expected, desired)                                                    \
    tw_atomic_ref_compare_exchange_strong(ref, expected, desired)
#define tw_atomic_ref_fetch_add(ref, value) TW_INTERNAL_BY_REF(fetch_add, ref, value)
#define tw_atomic_ref_fetch_sub(ref, value) TW_INTERNAL_BY_REF(fetch_sub, ref, value)
#define tw_atomic_ref_fetch_min(ref, value) TW_INTERNAL_BY_REF(fetch_min, ref, value)
#define tw_atomic_ref_fetch_max(ref, value) TW_INTERNAL_BY_REF(fetch_max, ref, value)
#define tw_atomic_ref_fetch_and(ref, value) TW_INTERNAL_BY_REF(fetch_and, ref, value)
#define tw_atomic_ref_fetch_or(ref, value) TW_INTERNAL_BY_REF(fetch_or, ref, value)
#define tw_atomic_ref_fetch_xor(ref, value) TW_INTERNAL_BY_REF(fetch_xor, ref, value)

#define TW_ATOMIC_IS_LOCK_FREE(T) TW_INTERNAL_IS_ATOMIC(T)
#define TW_ATOMIC_ALIGNMENT(T) sizeof(T)

#endif
