/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** test_pointer.c where the compiler tells pointers apart on CPUs too. */
#define TW_CHECK_POINTERS
#include "test_pointer.c"

/* In the teams mapping to a GPU local and private pointers are plain. */
_Static_assert(!__builtin_types_compatible_p(tw_global_ptr(int), tw_local_ptr(int)), "kinds are different types");
_Static_assert(!__builtin_types_compatible_p(tw_global_ptr(int), int *), "kinds are not plain");
