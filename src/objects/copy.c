/* SPDX-License-Identifier: Apache-2.0 */
#include "copy.h"

const char tw_this_copy;
