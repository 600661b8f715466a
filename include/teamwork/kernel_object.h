/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels as objects: what a program keeps in tables and chooses from at run time (spec 3.7.2.5, 3.7.3). */
#ifndef TEAMWORK_KERNEL_OBJECT_H
#define TEAMWORK_KERNEL_OBJECT_H

#include <teamwork/export.h>

TW_BEGIN_DECLS

/**
 * A kernel of any form: what a definition (kernel_definition.h) makes of a function. It is a constant of the program or
 * shared library that defines it, valid as long as that is loaded; it is not retained or released.
 */
typedef struct tw_internal_kernel tw_kernel;

/**
 * The kernel of this name, which is defined or declared above. A constant expression:
 *
 *     static const tw_kernel *const steps[] = {TW_KERNEL(heat_rows), TW_KERNEL(heat_tile)};
 */
#define TW_KERNEL(name) ((const tw_kernel *)(const void *)&name##_kernel) /* the object's first member */

TW_END_DECLS

#endif
