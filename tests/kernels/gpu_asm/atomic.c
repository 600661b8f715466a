/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What lower/group/atomic.h becomes on NVIDIA GPUs, for check.sh. Each line that begins with a macro call and ends in a
 * comment makes a function, named by the macro and its arguments, and the comment says which instructions that touch
 * memory the function must consist of, in order; "nothing" for none. Argument passing does not count.
 *
 * check.sh writes ld.volatile, which is relaxed at system scope, as ld.relaxed.sys, and leaves out what an atom without
 * order and scope has anyway, .relaxed.gpu; untyped bits are .b32 and .b64, whatever the register's type.
 */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

typedef unsigned long ulong;
typedef long long llong;
typedef unsigned long long ullong;
typedef void *pointer;
typedef unsigned char byte;
typedef _Bool boolean;

#pragma omp begin declare target

#define LOAD(order, scope)                                                                                             \
    int LOAD_##order##_##scope(int *object);                                                                           \
    int LOAD_##order##_##scope(int *object)                                                                            \
    {                                                                                                                  \
        return tw_atomic_load(object, TW_ORDER_##order, TW_SCOPE_##scope);                                             \
    }
#define STORE(order, scope)                                                                                            \
    void STORE_##order##_##scope(int *object, int value);                                                              \
    void STORE_##order##_##scope(int *object, int value)                                                               \
    {                                                                                                                  \
        tw_atomic_store(object, value, TW_ORDER_##order, TW_SCOPE_##scope);                                            \
    }
#define ADD(order, scope)                                                                                              \
    int ADD_##order##_##scope(int *object, int operand);                                                               \
    int ADD_##order##_##scope(int *object, int operand)                                                                \
    {                                                                                                                  \
        return tw_atomic_fetch_add(object, operand, TW_ORDER_##order, TW_SCOPE_##scope);                               \
    }
/* A failed compare-exchange: what was expected is a constant, so nothing but the object is touched. */
#define CAS(success, failure, scope)                                                                                   \
    int CAS_##success##_##failure##_##scope(int *object, int desired);                                                 \
    int CAS_##success##_##failure##_##scope(int *object, int desired)                                                  \
    {                                                                                                                  \
        int expected = 5;                                                                                              \
        return tw_atomic_compare_exchange_strong(object, &expected, desired, TW_ORDER_##success, TW_ORDER_##failure,   \
                                                 TW_SCOPE_##scope);                                                    \
    }
#define FENCE(order, scope)                                                                                            \
    void FENCE_##order##_##scope(void);                                                                                \
    void FENCE_##order##_##scope(void)                                                                                 \
    {                                                                                                                  \
        tw_atomic_fence(TW_ORDER_##order, TW_SCOPE_##scope);                                                           \
    }
/* Operations on every type: in PTX, and by the compiler. */
#define ORDERED(what, T)                                                                                               \
    T ORDERED_##what##_##T(T *object, T operand);                                                                      \
    T ORDERED_##what##_##T(T *object, T operand)                                                                       \
    {                                                                                                                  \
        return tw_atomic_##what(object, operand, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);                                   \
    }
#define SHORT(what, T)                                                                                                 \
    T SHORT_##what##_##T(T *object, T operand);                                                                        \
    T SHORT_##what##_##T(T *object, T operand)                                                                         \
    {                                                                                                                  \
        return tw_atomic_##what(object, operand);                                                                      \
    }
#define READ(T)                                                                                                        \
    T READ_##T(T *object);                                                                                             \
    T READ_##T(T *object)                                                                                              \
    {                                                                                                                  \
        return tw_atomic_load(object, TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE);                                              \
    }
#define WRITE(T)                                                                                                       \
    void WRITE_##T(T *object, T value);                                                                                \
    void WRITE_##T(T *object, T value)                                                                                 \
    {                                                                                                                  \
        tw_atomic_store(object, value, TW_ORDER_RELEASE, TW_SCOPE_DEVICE);                                             \
    }
#define COMPARE(T)                                                                                                     \
    int COMPARE_##T(T *object, T desired);                                                                             \
    int COMPARE_##T(T *object, T desired)                                                                              \
    {                                                                                                                  \
        T expected = 0;                                                                                                \
        return tw_atomic_compare_exchange_strong(object, &expected, desired, TW_ORDER_ACQ_REL, TW_ORDER_ACQUIRE,       \
                                                 TW_SCOPE_DEVICE);                                                     \
    }

// clang-format off
/* ---- every order at every scope --------------------------------------------------------------------------------- */

LOAD(RELAXED, WORK_ITEM) /* ld.b32 */
LOAD(RELAXED, SUB_GROUP) /* ld.relaxed.sys.b32 */
LOAD(RELAXED, WORK_GROUP) /* ld.relaxed.sys.b32 */
LOAD(RELAXED, DEVICE) /* ld.relaxed.sys.b32 */
LOAD(RELAXED, SYSTEM) /* ld.relaxed.sys.b32 */
LOAD(ACQUIRE, WORK_ITEM) /* ld.b32 */
LOAD(ACQUIRE, SUB_GROUP) /* ld.acquire.cta.b32 */
LOAD(ACQUIRE, WORK_GROUP) /* ld.acquire.cta.b32 */
LOAD(ACQUIRE, DEVICE) /* ld.acquire.gpu.b32 */
LOAD(ACQUIRE, SYSTEM) /* ld.acquire.sys.b32 */
LOAD(SEQ_CST, WORK_ITEM) /* ld.b32 */
LOAD(SEQ_CST, SUB_GROUP) /* fence.sc.cta ld.acquire.cta.b32 */
LOAD(SEQ_CST, WORK_GROUP) /* fence.sc.cta ld.acquire.cta.b32 */
LOAD(SEQ_CST, DEVICE) /* fence.sc.gpu ld.acquire.gpu.b32 */
LOAD(SEQ_CST, SYSTEM) /* fence.sc.sys ld.acquire.sys.b32 */

STORE(RELAXED, WORK_ITEM) /* st.b32 */
STORE(RELAXED, SUB_GROUP) /* st.relaxed.sys.b32 */
STORE(RELAXED, WORK_GROUP) /* st.relaxed.sys.b32 */
STORE(RELAXED, DEVICE) /* st.relaxed.sys.b32 */
STORE(RELAXED, SYSTEM) /* st.relaxed.sys.b32 */
STORE(RELEASE, WORK_ITEM) /* st.b32 */
STORE(RELEASE, SUB_GROUP) /* st.release.cta.b32 */
STORE(RELEASE, WORK_GROUP) /* st.release.cta.b32 */
STORE(RELEASE, DEVICE) /* st.release.gpu.b32 */
STORE(RELEASE, SYSTEM) /* st.release.sys.b32 */
STORE(SEQ_CST, WORK_ITEM) /* st.b32 */
STORE(SEQ_CST, SUB_GROUP) /* fence.sc.cta st.release.cta.b32 */
STORE(SEQ_CST, WORK_GROUP) /* fence.sc.cta st.release.cta.b32 */
STORE(SEQ_CST, DEVICE) /* fence.sc.gpu st.release.gpu.b32 */
STORE(SEQ_CST, SYSTEM) /* fence.sc.sys st.release.sys.b32 */

ADD(RELAXED, WORK_ITEM) /* ld.b32 st.b32 */
ADD(RELAXED, SUB_GROUP) /* atom.add.u32 */
ADD(RELAXED, WORK_GROUP) /* atom.add.u32 */
ADD(RELAXED, DEVICE) /* atom.add.u32 */
ADD(RELAXED, SYSTEM) /* atom.relaxed.sys.add.u32 */
ADD(ACQUIRE, SUB_GROUP) /* atom.acquire.cta.add.u32 */
ADD(ACQUIRE, WORK_GROUP) /* atom.acquire.cta.add.u32 */
ADD(ACQUIRE, DEVICE) /* atom.acquire.gpu.add.u32 */
ADD(ACQUIRE, SYSTEM) /* atom.acquire.sys.add.u32 */
ADD(RELEASE, SUB_GROUP) /* atom.release.cta.add.u32 */
ADD(RELEASE, WORK_GROUP) /* atom.release.cta.add.u32 */
ADD(RELEASE, DEVICE) /* atom.release.gpu.add.u32 */
ADD(RELEASE, SYSTEM) /* atom.release.sys.add.u32 */
ADD(ACQ_REL, SUB_GROUP) /* atom.acq_rel.cta.add.u32 */
ADD(ACQ_REL, WORK_GROUP) /* atom.acq_rel.cta.add.u32 */
ADD(ACQ_REL, DEVICE) /* atom.acq_rel.gpu.add.u32 */
ADD(ACQ_REL, SYSTEM) /* atom.acq_rel.sys.add.u32 */
ADD(SEQ_CST, WORK_ITEM) /* ld.b32 st.b32 */
ADD(SEQ_CST, SUB_GROUP) /* fence.sc.cta atom.acq_rel.cta.add.u32 */
ADD(SEQ_CST, WORK_GROUP) /* fence.sc.cta atom.acq_rel.cta.add.u32 */
ADD(SEQ_CST, DEVICE) /* fence.sc.gpu atom.acq_rel.gpu.add.u32 */
ADD(SEQ_CST, SYSTEM) /* fence.sc.sys atom.acq_rel.sys.add.u32 */

CAS(RELAXED, RELAXED, WORK_GROUP) /* atom.cas.b32 */
CAS(RELAXED, RELAXED, DEVICE) /* atom.cas.b32 */
CAS(RELAXED, RELAXED, SYSTEM) /* atom.relaxed.sys.cas.b32 */
CAS(ACQUIRE, RELAXED, WORK_GROUP) /* atom.acquire.cta.cas.b32 */
CAS(ACQUIRE, ACQUIRE, DEVICE) /* atom.acquire.gpu.cas.b32 */
CAS(RELEASE, RELAXED, DEVICE) /* atom.release.gpu.cas.b32 */
CAS(RELEASE, ACQUIRE, DEVICE) /* atom.acq_rel.gpu.cas.b32 */
CAS(ACQ_REL, RELAXED, SYSTEM) /* atom.acq_rel.sys.cas.b32 */
CAS(ACQ_REL, ACQUIRE, WORK_GROUP) /* atom.acq_rel.cta.cas.b32 */
CAS(SEQ_CST, RELAXED, DEVICE) /* fence.sc.gpu atom.acq_rel.gpu.cas.b32 */
CAS(SEQ_CST, SEQ_CST, SYSTEM) /* fence.sc.sys atom.acq_rel.sys.cas.b32 */

FENCE(RELAXED, SYSTEM) /* nothing */
FENCE(SEQ_CST, WORK_ITEM) /* nothing */
FENCE(ACQUIRE, SUB_GROUP) /* fence.acq_rel.cta */
FENCE(ACQUIRE, WORK_GROUP) /* fence.acq_rel.cta */
FENCE(ACQUIRE, DEVICE) /* fence.acq_rel.gpu */
FENCE(ACQUIRE, SYSTEM) /* fence.acq_rel.sys */
FENCE(RELEASE, WORK_GROUP) /* fence.acq_rel.cta */
FENCE(RELEASE, DEVICE) /* fence.acq_rel.gpu */
FENCE(RELEASE, SYSTEM) /* fence.acq_rel.sys */
FENCE(ACQ_REL, WORK_GROUP) /* fence.acq_rel.cta */
FENCE(ACQ_REL, DEVICE) /* fence.acq_rel.gpu */
FENCE(ACQ_REL, SYSTEM) /* fence.acq_rel.sys */
FENCE(SEQ_CST, SUB_GROUP) /* fence.sc.cta */
FENCE(SEQ_CST, WORK_GROUP) /* fence.sc.cta */
FENCE(SEQ_CST, DEVICE) /* fence.sc.gpu */
FENCE(SEQ_CST, SYSTEM) /* fence.sc.sys */

/* ---- every operation on every type ------------------------------------------------------------------------------ */

READ(unsigned) /* ld.acquire.gpu.b32 */
READ(long) /* ld.acquire.gpu.b64 */
READ(ulong) /* ld.acquire.gpu.b64 */
READ(llong) /* ld.acquire.gpu.b64 */
READ(ullong) /* ld.acquire.gpu.b64 */
READ(float) /* ld.acquire.gpu.b32 */
READ(double) /* ld.acquire.gpu.b64 */
READ(pointer) /* ld.acquire.gpu.b64 */
WRITE(unsigned) /* st.release.gpu.b32 */
WRITE(long) /* st.release.gpu.b64 */
WRITE(ulong) /* st.release.gpu.b64 */
WRITE(llong) /* st.release.gpu.b64 */
WRITE(ullong) /* st.release.gpu.b64 */
WRITE(float) /* st.release.gpu.b32 */
WRITE(double) /* st.release.gpu.b64 */
WRITE(pointer) /* st.release.gpu.b64 */
COMPARE(unsigned) /* atom.acq_rel.gpu.cas.b32 */
COMPARE(long) /* atom.acq_rel.gpu.cas.b64 */
COMPARE(ulong) /* atom.acq_rel.gpu.cas.b64 */
COMPARE(llong) /* atom.acq_rel.gpu.cas.b64 */
COMPARE(ullong) /* atom.acq_rel.gpu.cas.b64 */
COMPARE(float) /* atom.acq_rel.gpu.cas.b32 */
COMPARE(double) /* atom.acq_rel.gpu.cas.b64 */
COMPARE(pointer) /* atom.acq_rel.gpu.cas.b64 */

ORDERED(exchange, int) /* atom.acq_rel.gpu.exch.b32 */
ORDERED(exchange, unsigned) /* atom.acq_rel.gpu.exch.b32 */
ORDERED(exchange, long) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(exchange, ulong) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(exchange, llong) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(exchange, ullong) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(exchange, float) /* atom.acq_rel.gpu.exch.b32 */
ORDERED(exchange, double) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(exchange, pointer) /* atom.acq_rel.gpu.exch.b64 */
ORDERED(fetch_add, unsigned) /* atom.acq_rel.gpu.add.u32 */
ORDERED(fetch_add, long) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_add, ulong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_add, llong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_add, ullong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_add, float) /* atom.acq_rel.gpu.add.f32 */
ORDERED(fetch_add, double) /* atom.acq_rel.gpu.add.f64 */
ORDERED(fetch_sub, int) /* atom.acq_rel.gpu.add.u32 */
ORDERED(fetch_sub, unsigned) /* atom.acq_rel.gpu.add.u32 */
ORDERED(fetch_sub, long) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_sub, ulong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_sub, llong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_sub, ullong) /* atom.acq_rel.gpu.add.u64 */
ORDERED(fetch_sub, float) /* atom.acq_rel.gpu.add.f32 */
ORDERED(fetch_sub, double) /* atom.acq_rel.gpu.add.f64 */
ORDERED(fetch_and, int) /* atom.acq_rel.gpu.and.b32 */
ORDERED(fetch_and, unsigned) /* atom.acq_rel.gpu.and.b32 */
ORDERED(fetch_and, long) /* atom.acq_rel.gpu.and.b64 */
ORDERED(fetch_and, ulong) /* atom.acq_rel.gpu.and.b64 */
ORDERED(fetch_and, llong) /* atom.acq_rel.gpu.and.b64 */
ORDERED(fetch_and, ullong) /* atom.acq_rel.gpu.and.b64 */
ORDERED(fetch_or, int) /* atom.acq_rel.gpu.or.b32 */
ORDERED(fetch_or, unsigned) /* atom.acq_rel.gpu.or.b32 */
ORDERED(fetch_or, long) /* atom.acq_rel.gpu.or.b64 */
ORDERED(fetch_or, ulong) /* atom.acq_rel.gpu.or.b64 */
ORDERED(fetch_or, llong) /* atom.acq_rel.gpu.or.b64 */
ORDERED(fetch_or, ullong) /* atom.acq_rel.gpu.or.b64 */
ORDERED(fetch_xor, int) /* atom.acq_rel.gpu.xor.b32 */
ORDERED(fetch_xor, unsigned) /* atom.acq_rel.gpu.xor.b32 */
ORDERED(fetch_xor, long) /* atom.acq_rel.gpu.xor.b64 */
ORDERED(fetch_xor, ulong) /* atom.acq_rel.gpu.xor.b64 */
ORDERED(fetch_xor, llong) /* atom.acq_rel.gpu.xor.b64 */
ORDERED(fetch_xor, ullong) /* atom.acq_rel.gpu.xor.b64 */
ORDERED(fetch_min, int) /* atom.acq_rel.gpu.min.s32 */
ORDERED(fetch_min, unsigned) /* atom.acq_rel.gpu.min.u32 */
ORDERED(fetch_min, long) /* atom.acq_rel.gpu.min.s64 */
ORDERED(fetch_min, ulong) /* atom.acq_rel.gpu.min.u64 */
ORDERED(fetch_min, llong) /* atom.acq_rel.gpu.min.s64 */
ORDERED(fetch_min, ullong) /* atom.acq_rel.gpu.min.u64 */
ORDERED(fetch_min, float) /* ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_min, double) /* ld.acquire.gpu.b64 atom.acq_rel.gpu.cas.b64 */
ORDERED(fetch_max, int) /* atom.acq_rel.gpu.max.s32 */
ORDERED(fetch_max, unsigned) /* atom.acq_rel.gpu.max.u32 */
ORDERED(fetch_max, long) /* atom.acq_rel.gpu.max.s64 */
ORDERED(fetch_max, ulong) /* atom.acq_rel.gpu.max.u64 */
ORDERED(fetch_max, llong) /* atom.acq_rel.gpu.max.s64 */
ORDERED(fetch_max, ullong) /* atom.acq_rel.gpu.max.u64 */
ORDERED(fetch_max, float) /* ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_max, double) /* ld.acquire.gpu.b64 atom.acq_rel.gpu.cas.b64 */

SHORT(exchange, unsigned) /* atom.exch.b32 */
SHORT(exchange, double) /* atom.exch.b64 */
SHORT(exchange, pointer) /* atom.exch.b64 */
SHORT(fetch_add, int) /* atom.add.u32 */
SHORT(fetch_add, long) /* atom.add.u64 */
SHORT(fetch_add, float) /* atom.add.f32 */
SHORT(fetch_add, double) /* atom.add.f64 */
SHORT(fetch_sub, int) /* atom.add.u32 */
SHORT(fetch_sub, ulong) /* atom.add.u64 */
SHORT(fetch_sub, float) /* atom.add.f32 */
SHORT(fetch_and, int) /* atom.and.b32 */
SHORT(fetch_or, ulong) /* atom.or.b64 */
SHORT(fetch_xor, unsigned) /* atom.xor.b32 */
SHORT(fetch_min, int) /* atom.min.s32 */
SHORT(fetch_max, ullong) /* atom.max.u64 */
SHORT(fetch_min, float) /* ld.relaxed.sys.b32 atom.cas.b32 */
SHORT(fetch_max, double) /* ld.relaxed.sys.b64 atom.cas.b64 */

/* ---- 8 and 16 bits: the 32-bit word around them ------------------------------------------------------------------ */

READ(byte) /* ld.acquire.gpu.b32 */
READ(short) /* ld.acquire.gpu.b32 */
READ(boolean) /* ld.acquire.gpu.b32 */
WRITE(char) /* ld.relaxed.sys.b32 atom.release.gpu.cas.b32 */
WRITE(boolean) /* ld.relaxed.sys.b32 atom.release.gpu.cas.b32 */
COMPARE(byte) /* ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
COMPARE(short) /* ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
COMPARE(boolean) /* ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(exchange, byte) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(exchange, short) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(exchange, boolean) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_add, char) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_add, short) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_sub, byte) /* ld.relaxed.sys.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_and, byte) /* atom.acq_rel.gpu.and.b32 */
ORDERED(fetch_or, short) /* atom.acq_rel.gpu.or.b32 */
ORDERED(fetch_or, boolean) /* atom.acq_rel.gpu.or.b32 */
ORDERED(fetch_xor, char) /* atom.acq_rel.gpu.xor.b32 */
ORDERED(fetch_min, char) /* ld.acquire.gpu.b32 ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
ORDERED(fetch_max, short) /* ld.acquire.gpu.b32 ld.acquire.gpu.b32 atom.acq_rel.gpu.cas.b32 */
SHORT(exchange, boolean) /* ld.relaxed.sys.b32 atom.cas.b32 */
SHORT(fetch_add, byte) /* ld.relaxed.sys.b32 atom.cas.b32 */
SHORT(fetch_or, byte) /* atom.or.b32 */

/* clang-format on */
#pragma omp end declare target

/* ---- local memory ----------------------------------------------------------------------------------------------- */

/* Which instructions touch memory in all of this kernel, as a set. The additions are those of CUDA's atomicAdd.
   KERNEL(local_histogram) {ld.global.b8 ld.shared.b32 st.shared.b32 atom.shared.add.u32 atom.global.add.u32} */
enum { BINS = 256 };
struct local_histogram {
    const unsigned char *in;
    unsigned *out;
};
static inline void local_histogram(tw_group group, const struct local_histogram *k)
{
    TW_LOCAL(unsigned, bins, [BINS]);
    tw_parallel_for_work_item(group, item) {
        bins[tw_local_id(item, 0)] = 0;
    }
    tw_parallel_for_work_item(group, item) {
        tw_atomic_fetch_add(&bins[k->in[tw_global_id(item, 0)]], 1u, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    }
    tw_parallel_for_work_item(group, item) {
        const size_t bin = tw_local_id(item, 0);
        tw_atomic_fetch_add(&k->out[bin], bins[bin], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    }
}
TW_WORK_GROUP_KERNEL(local_histogram, BINS);
