/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations on ordinary objects, and fences (spec 3.4, Tables 3.2 and 3.3; orders, scopes, further types and
 * fences as in later revisions). For kernels of every form and for host code, in C.
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
 * addition, and many times faster.
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
 * A work-item must not wait for what another one has yet to do, but for groups that run at the same time: see
 * docs/memory_model.md.
 */
#ifndef TEAMWORK_ATOMIC_H
#define TEAMWORK_ATOMIC_H

#include <teamwork/lower/group/atomic.h>

#endif
