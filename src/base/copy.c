/* SPDX-License-Identifier: Apache-2.0 */
/* The object whose address identifies this copy of the library. */
#include "copy.h"

const char tw_this_copy;
