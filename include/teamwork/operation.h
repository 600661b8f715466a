/* SPDX-License-Identifier: Apache-2.0 */
/** The operations of group functions (group_functions.h) and reductions (reduction.h). */
#ifndef TEAMWORK_OPERATION_H
#define TEAMWORK_OPERATION_H

/** How two values become one. Integers wrap around. The last three are for integers. */
typedef enum tw_operation { TW_SUM, TW_PRODUCT, TW_MIN, TW_MAX, TW_AND, TW_OR, TW_XOR } tw_operation;

#endif
