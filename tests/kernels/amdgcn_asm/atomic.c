/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What orders and scopes of lower/group/atomic.h become on AMD GPUs, for check.sh: each function must consist of what
 * expected.txt says, which was compared with LLVM's description of the memory model of each GPU. So that what is waited
 * for can be seen, the functions write other memory before they release, and read other memory after they acquire.
 */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>
#include <teamwork/pointer.h>

#pragma omp begin declare target

#define LOAD(order, scope)                                                                                             \
    int LOAD_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data);                                      \
    int LOAD_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data)                                       \
    {                                                                                                                  \
        const int value = tw_atomic_load(flag, TW_ORDER_##order, TW_SCOPE_##scope);                                    \
        return value + data[0];                                                                                        \
    }
#define STORE(order, scope)                                                                                            \
    void STORE_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data);                                    \
    void STORE_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data)                                     \
    {                                                                                                                  \
        data[0] = 7;                                                                                                   \
        tw_atomic_store(flag, 1, TW_ORDER_##order, TW_SCOPE_##scope);                                                  \
    }
#define ADD(order, scope)                                                                                              \
    int ADD_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data);                                       \
    int ADD_##order##_##scope(tw_global_ptr(int) flag, tw_global_ptr(int) data)                                        \
    {                                                                                                                  \
        data[0] = 7;                                                                                                   \
        const int value = tw_atomic_fetch_add(flag, 1, TW_ORDER_##order, TW_SCOPE_##scope);                            \
        return value + data[1];                                                                                        \
    }
#define FENCE(order, scope)                                                                                            \
    int FENCE_##order##_##scope(tw_global_ptr(int) data);                                                              \
    int FENCE_##order##_##scope(tw_global_ptr(int) data)                                                               \
    {                                                                                                                  \
        data[0] = 7;                                                                                                   \
        tw_atomic_fence(TW_ORDER_##order, TW_SCOPE_##scope);                                                           \
        return data[1];                                                                                                \
    }

LOAD(RELAXED, WORK_GROUP)
LOAD(RELAXED, DEVICE)
LOAD(RELAXED, SYSTEM)
LOAD(ACQUIRE, WORK_GROUP)
LOAD(ACQUIRE, DEVICE)
LOAD(ACQUIRE, SYSTEM)
STORE(RELAXED, DEVICE)
STORE(RELEASE, WORK_GROUP)
STORE(RELEASE, DEVICE)
STORE(RELEASE, SYSTEM)
ADD(RELAXED, DEVICE)
ADD(ACQUIRE, DEVICE)
ADD(RELEASE, DEVICE)
ADD(ACQ_REL, WORK_GROUP)
ADD(ACQ_REL, DEVICE)
ADD(ACQ_REL, SYSTEM)
ADD(SEQ_CST, DEVICE)
FENCE(ACQUIRE, DEVICE)
FENCE(RELEASE, DEVICE)
FENCE(ACQ_REL, WORK_GROUP)
FENCE(ACQ_REL, DEVICE)
FENCE(ACQ_REL, SYSTEM)

#pragma omp end declare target
