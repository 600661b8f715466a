/* SPDX-License-Identifier: Apache-2.0 */
/** The operations of group functions (group_functions.h) and reductions (reduction.h). */
#ifndef TEAMWORK_OPERATION_H
#define TEAMWORK_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

/**
 * How two values become one. Integers wrap around. The last three are for integers.
 *
 * TW_MIN and TW_MAX of floating point are fmin() and fmax(), minimumNumber and maximumNumber of IEEE 754-2019: a NaN
 * counts only where there are NaNs alone, and the result is a NaN then. Which zero is the least is not specified.
 */
typedef enum tw_operation { TW_SUM, TW_PRODUCT, TW_MIN, TW_MAX, TW_AND, TW_OR, TW_XOR } tw_operation;

/* Where a reduction goes: in the block of a launch, made by TW_REDUCE() and the like (reduction.h). */
struct tw_internal_target {
    void *to;               /* the element; while groups of a part run, the part's slot */
    unsigned element_bytes; /* of the buffer */
    bool keep;              /* the value that is there counts */
    bool shared;            /* threads combine with `to` itself, atomically */
};

/* Likewise of an array, the elements of a buffer. */
struct tw_internal_array {
    void *to;
    size_t place;   /* in a copy of all arrays of the launch, in bytes */
    unsigned count; /* of the elements */
    unsigned local; /* 1 + the bytes before its copy in the memory of a GPU's team; 0: none there */
    unsigned element_bytes;
    bool keep;
};

#endif
