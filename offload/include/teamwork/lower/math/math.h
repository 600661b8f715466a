/* SPDX-License-Identifier: Apache-2.0 */
/** All mathematical functions of kernels; <teamwork/math.h> describes them. */
#ifndef TEAMWORK_LOWER_MATH_H
#define TEAMWORK_LOWER_MATH_H

#include <teamwork/lower/math/half.h>
#include <teamwork/lower/math/math_native.h>

#endif
