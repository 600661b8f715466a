/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Memory orders, scopes and spaces: the words in which atomic operations and fences (atomic.h) say what they promise to
 * whom. SYCL 1.2 has the relaxed order only (3.4); the others, and scopes, are those of later revisions.
 * docs/memory_model.md explains the model, and how each device keeps it.
 */
#ifndef TEAMWORK_MEMORY_H
#define TEAMWORK_MEMORY_H

/** What an operation promises about the other memory accesses of the work-item that makes it. */
typedef enum tw_memory_order {
    TW_ORDER_RELAXED = 0, /**< nothing: the operation is atomic, no more */
    TW_ORDER_ACQUIRE = 1, /**< what comes after it stays after it */
    TW_ORDER_RELEASE = 2, /**< what comes before it stays before it, and is seen by who acquires what it wrote */
    TW_ORDER_ACQ_REL = 3, /**< both */
    TW_ORDER_SEQ_CST = 4  /**< both, and all operations of this order are in one order that everyone agrees on */
} tw_memory_order;

/** To whom: the operation is atomic and ordered for the work-items in this scope. Each scope includes those before it.
 *  For work-items outside of it, it is an ordinary access: if one of them accesses the object too, that is a race. */
typedef enum tw_memory_scope {
    TW_SCOPE_WORK_ITEM = 0, /**< this work-item alone: no synchronization */
    TW_SCOPE_SUB_GROUP = 1,
    TW_SCOPE_WORK_GROUP = 2,
    TW_SCOPE_DEVICE = 3, /**< all work-items on the device */
    TW_SCOPE_SYSTEM = 4  /**< all devices, and the threads of the program; in host memory see atomic.h */
} tw_memory_scope;

/** Members of the sets that device queries answer, of type unsigned: set & TW_ORDER_BIT(TW_ORDER_ACQUIRE). */
#define TW_ORDER_BIT(order) (1u << (unsigned)(order))
#define TW_SCOPE_BIT(scope) (1u << (unsigned)(scope))

/** Which memory a barrier or fence makes consistent within the group. */
typedef enum tw_fence_space { TW_LOCAL_SPACE = 1, TW_GLOBAL_SPACE = 2, TW_GLOBAL_AND_LOCAL = 3 } tw_fence_space;

/** How the elements of a matrix follow each other in memory (matrix.h). */
typedef enum tw_matrix_layout {
    TW_ROW_MAJOR = 0,   /**< row by row */
    TW_COLUMN_MAJOR = 1 /**< column by column */
} tw_matrix_layout;

#endif
