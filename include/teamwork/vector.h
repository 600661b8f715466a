/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Vector types and what computes with them (spec 3.8.1, 3.9.1, 3.9.4 to 3.9.8, 4.2), the same in kernels and on the host:
 *
 *     lower/vector.h        the types: tw_float4, tw_uchar16 ...; operators and swizzles are clang's
 *     lower/convert.h       tw_convert_int4_sat(), tw_as_uint2()
 *     lower/vector_data.h   tw_vload4(), tw_vstore4(), half in memory, tw_shuffle()
 *     lower/integer.h       tw_add_sat(), tw_mul_hi(), tw_popcount() ...
 *     lower/common.h        tw_clamp(), tw_mix(), tw_smoothstep() ...
 *     lower/geometric.h     tw_dot(), tw_cross(), tw_normalize() ...
 *     lower/relational.h    tw_isnan(), tw_any(), tw_select() ...
 *
 * clang only, as kernels are. <teamwork/teamwork.h> does not include this header: files that use no vectors need not
 * read it. It turns clang's warning -Wpsabi off (lower/vector.h says why).
 */
#ifndef TEAMWORK_VECTOR_H
#define TEAMWORK_VECTOR_H

#include <teamwork/lower/common.h>
#include <teamwork/lower/convert.h>
#include <teamwork/lower/geometric.h>
#include <teamwork/lower/integer.h>
#include <teamwork/lower/relational.h>
#include <teamwork/lower/vector.h>
#include <teamwork/lower/vector_data.h>

#endif
